//! Where a metric lives, and the scale its interval is made on: one on which it is nearly normal and cannot leave.

/// The range of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Any: the interval is made on the metric itself.
    Plain,
    /// Between 0 and 1: on its logit.
    Unit,
    /// Between −1 and 1: on its inverse hyperbolic tangent.
    Correlation,
    /// Not negative: on its logarithm.
    Positive,
    /// At most 1, as R²: on the logarithm of what is missing to 1.
    AtMostOne,
    /// The difference of two metrics between 0 and 1: the interval is made on itself, and ends at −1 and 1.
    UnitDifference,
}

/// A value this near to an edge is on it: what parts them is rounding.
const EDGE: f64 = 1e-12;

impl Scale {
    /// The ends of an interval with half the width `half` to first order; `None` where the value is on an edge.
    pub(super) fn interval(self, value: f64, half: f64) -> Option<(f64, f64)> {
        Some(match self {
            Self::Plain => (value - half, value + half),
            Self::Unit => {
                if !(value > EDGE && value < 1.0 - EDGE) {
                    return None;
                }
                let (middle, reach) = ((value / (1.0 - value)).ln(), half / (value * (1.0 - value)));
                let back = |x: f64| 1.0 / (1.0 + (-x).exp());
                (back(middle - reach), back(middle + reach))
            }
            Self::Correlation => {
                if !(value > -1.0 + EDGE && value < 1.0 - EDGE) {
                    return None;
                }
                let (middle, reach) = (value.atanh(), half / (1.0 - value * value));
                ((middle - reach).tanh(), (middle + reach).tanh())
            }
            Self::UnitDifference => ((value - half).max(-1.0), (value + half).min(1.0)),
            Self::Positive => logarithmic(value, half)?,
            Self::AtMostOne => {
                let (low, high) = logarithmic(1.0 - value, half)?;
                (1.0 - high, 1.0 - low)
            }
        })
    }

    /// What the metric may still be where no item seen speaks against its value: of what it rests on, a share `seen` is
    /// as it was seen, and the rest may be anything. `None` where its values have no bounds.
    pub(super) fn edge(self, value: f64, seen: f64) -> Option<(f64, f64)> {
        match self {
            Self::Unit => Some((value * seen, 1.0 - (1.0 - value) * seen)),
            Self::Correlation => {
                let (low, high) = Self::Unit.edge(0.5 + 0.5 * value, seen)?;
                Some((2.0 * low - 1.0, 2.0 * high - 1.0))
            }
            // Of the share that was not seen, one metric may be 0 and the other 1.
            Self::UnitDifference => Some((seen * (1.0 + value) - 1.0, 1.0 - seen * (1.0 - value))),
            Self::Plain | Self::Positive | Self::AtMostOne => None,
        }
    }
}

/// value · e^±k for k = half / value; beyond k = 1 the upper end goes on along its tangent rather than explode.
fn logarithmic(value: f64, half: f64) -> Option<(f64, f64)> {
    let k = (value > 0.0).then_some(half / value)?;
    let up = if k <= 1.0 { k.exp() } else { std::f64::consts::E * k };
    Some((value * (-k).exp(), value * up))
}

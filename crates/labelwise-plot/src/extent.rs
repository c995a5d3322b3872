//! What range of values is in view.

use crate::Error;
use crate::axis::{Axis, Scale};

/// Values beyond this are taken for infinite, so that differences of two of them stay finite.
const LARGEST: f64 = 1e300;
/// The same for logarithmic scales, where padding multiplies.
const LARGEST_LOG: f64 = 1e250;
const SMALLEST_LOG: f64 = 1e-250;
/// The part of the range that is added at both ends, so that marks do not touch the frame.
const PADDING: f64 = 0.04;

/// The smallest range that holds the values seen so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    scale: Scale,
    seen: Option<(f64, f64)>,
    filled: Option<(f64, f64)>,
    grounded: bool,
}

impl Extent {
    pub(crate) const fn new(scale: Scale) -> Self {
        Self { scale, seen: None, filled: None, grounded: false }
    }

    /// Widens the range to a value; values without a place on the scale are passed over.
    pub(crate) fn see(&mut self, value: f64) {
        if placed(self.scale, value) {
            self.seen = Some(widened(self.seen, value));
        }
    }

    /// Widens this range and that of y to a point; a point without a place is passed over as a whole.
    pub(crate) fn see_with(&mut self, x: f64, other: &mut Self, y: f64) {
        if placed(self.scale, x) && placed(other.scale, y) {
            self.see(x);
            other.see(y);
        }
    }

    /// Marks stand on zero, so it is in view, and there is nothing beyond it but what is seen there.
    pub(crate) fn stand_on_zero(&mut self) {
        self.grounded = true;
        self.see(0.0);
    }

    /// Widens the range to a value that a filled area ends at: no padding is wanted there.
    pub(crate) fn fill(&mut self, value: f64) {
        if placed(self.scale, value) {
            self.filled = Some(widened(self.filled, value));
        }
    }

    /// The range that an axis shows.
    pub(crate) fn range(mut self, axis: &Axis, panel: usize, name: char) -> Result<(f64, f64), Error> {
        if let Some((low, high)) = axis.range {
            let finite = placed(Scale::Linear, low) && placed(Scale::Linear, high);
            // A range narrower than the numbers can tell apart has no ticks.
            if !finite || high - low <= 1e-12 * low.abs().max(high.abs()) {
                return Err(Error::Range { panel, axis: name, low, high });
            }
            if !placed(self.scale, low) {
                return Err(Error::LogRange { panel, axis: name, low });
            }
            if !placed(self.scale, high) {
                return Err(Error::Range { panel, axis: name, low, high });
            }
            return Ok((low, high));
        }
        for &value in &axis.included {
            self.see(value);
        }
        let seen = self.seen.map(|(low, high)| self.padded(low, high));
        Ok(match (seen, self.filled) {
            (Some(_), Some((low, high))) if self.within(low, high) => (low, high),
            (Some(seen), Some((low, high))) => widened(Some(widened(Some(seen), low)), high),
            (Some(seen), None) => seen,
            (None, Some((low, high))) if low < high => (low, high),
            (None, Some((low, high))) => self.padded(low, high),
            (None, None) => self.padded_default(),
        })
    }

    /// Whether all that was seen lies in the filled area.
    fn within(&self, low: f64, high: f64) -> bool {
        low < high && self.seen.is_none_or(|(first, last)| low <= first && last <= high)
    }

    fn padded_default(&self) -> (f64, f64) {
        match self.scale {
            Scale::Linear => (0.0, 1.0),
            Scale::Log => (0.1, 1.0),
        }
    }

    fn padded(&self, low: f64, high: f64) -> (f64, f64) {
        match self.scale {
            Scale::Linear if high - low <= 1e-12 * low.abs().max(high.abs()) => {
                let around = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
                (low - around, high + around)
            }
            Scale::Linear => {
                let more = PADDING * (high - low);
                let grounded = |end: f64| self.grounded && end == 0.0;
                (
                    if grounded(low) { low } else { low - more },
                    if grounded(high) { high } else { high + more },
                )
            }
            Scale::Log if high.ln() - low.ln() <= 1e-9 => (low / 2.0, high * 2.0),
            Scale::Log => {
                let more = (PADDING * (high.ln() - low.ln())).exp();
                (low / more, high * more)
            }
        }
    }
}

/// Whether a value has a place on a scale.
pub(crate) fn placed(scale: Scale, value: f64) -> bool {
    match scale {
        Scale::Linear => value.abs() <= LARGEST,
        Scale::Log => (SMALLEST_LOG..=LARGEST_LOG).contains(&value),
    }
}

fn widened(range: Option<(f64, f64)>, value: f64) -> (f64, f64) {
    range.map_or((value, value), |(low, high)| (low.min(value), high.max(value)))
}

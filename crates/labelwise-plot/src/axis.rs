//! An axis as its owner describes it: a label, a scale, what must be in view.

/// How values become lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths. Values that are not positive have no place: lines break there, points are
    /// left out, and the lower edge of a band runs to the bottom of the panel.
    Log,
}

/// One axis of a panel.
///
/// ```
/// use labelwise_plot::{Axis, Scale};
/// let x = Axis::new("Number of acquired points").integer();
/// let y = Axis::new("Squared error").scale(Scale::Log).range(1e-6, 1.0);
/// assert_ne!(x, y);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) included: Vec<f64>,
    pub(crate) integer: bool,
    pub(crate) ticks: TickLabels,
}

/// Whether numbers stand at the ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TickLabels {
    #[default]
    Shown,
    Hidden,
}

impl Axis {
    /// A linear axis with a label; its range is that of the data, and a little more. The label may have markup, see
    /// the [crate's page](crate#text).
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A logarithmic axis with a label.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label).scale(Scale::Log)
    }

    /// Sets the scale.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// Shows exactly the values from `low` to `high`; what is outside is cut off.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Brings a value into view whatever the data are, for instance 0. A fixed range wins over it.
    #[must_use]
    pub fn include(mut self, value: f64) -> Self {
        self.included.push(value);
        self
    }

    /// Ticks stand at whole numbers only, for counts.
    #[must_use]
    pub fn integer(mut self) -> Self {
        self.integer = true;
        self
    }

    /// Ticks have no numbers, for instance where the neighbouring panel has the same axis.
    #[must_use]
    pub fn without_numbers(mut self) -> Self {
        self.ticks = TickLabels::Hidden;
        self
    }
}

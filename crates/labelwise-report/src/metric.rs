//! What is measured: mean losses turned into what people look at, such as an accuracy.

use labelwise_study::{self as store, LossName, View};

use super::words::{decimals_for, number};

/// A metric that is a monotone function of the mean loss.
pub struct Metric {
    /// Its name within a sentence, such as "accuracy".
    pub name: String,
    /// The loss it is a function of, such as "zero-one loss".
    pub loss: String,
    /// From a mean loss to the metric. It must be monotone; if it falls, the ends of intervals change places.
    pub of: fn(f64) -> f64,
    /// Which way is good.
    pub better: Better,
    /// How its numbers are written.
    pub form: Form,
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// As of an accuracy.
    Higher,
    /// As of a loss.
    Lower,
    /// Not known, as of a mean of scores.
    Unknown,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As they are.
    Number,
    /// In per cent: 0.934 is 93.4 %.
    Percent,
}

impl From<&store::Metric> for Metric {
    fn from(metric: &store::Metric) -> Self {
        let (of, better): (fn(f64) -> f64, _) = match metric.view {
            View::Plain => (|mean| mean, Better::Lower),
            View::Negative => (|mean| -mean, Better::Higher),
            View::Complement => (|mean| 1.0 - mean, Better::Higher),
        };
        // A score may be a pass rate or a cost.
        let better = if metric.loss == LossName::Value { Better::Unknown } else { better };
        let loss = format!("{} loss", metric.loss);
        Self { name: metric.name.clone(), loss, of, better, form: Form::of(metric) }
    }
}

impl Metric {
    /// The root of the mean squared error, as it is shown.
    pub(super) fn root(score: &store::Score) -> Self {
        let (of, better): (fn(f64) -> f64, _) = match score.negative {
            false => (|mean| mean.max(0.0).sqrt(), Better::Lower),
            true => (|mean| -mean.max(0.0).sqrt(), Better::Higher),
        };
        let (name, loss) = (score.name.clone(), format!("{} loss", LossName::SquaredError));
        Self { name, loss, of, better, form: Form::Number }
    }

    /// The metric of a mean loss.
    pub(super) fn shown(&self, loss: f64) -> f64 {
        (self.of)(loss)
    }

    /// The ends of an interval of mean losses, the smaller first.
    pub(super) fn shown_ends(&self, low: f64, high: f64) -> (f64, f64) {
        let (one, other) = (self.shown(low), self.shown(high));
        (one.min(other), one.max(other))
    }
}

impl Better {
    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Higher => "Higher is better.",
            Self::Lower => "Lower is better.",
            Self::Unknown => "",
        }
    }
}

impl Form {
    /// How a metric's numbers are written.
    pub fn of(metric: &store::Metric) -> Self {
        match metric.loss {
            LossName::ZeroOne => Self::Percent,
            _ => Self::Number,
        }
    }

    /// What a value is multiplied by on an axis.
    pub(super) fn scale(self) -> f64 {
        match self {
            Self::Number => 1.0,
            Self::Percent => 100.0,
        }
    }

    /// A name with the unit, for an axis or the head of a column.
    pub(super) fn with_unit(self, name: &str) -> String {
        match self {
            Self::Number => name.to_owned(),
            Self::Percent => format!("{name} (%)"),
        }
    }

    /// A value, as exact as is worth writing when another as far away as `width` may be the true one.
    pub(super) fn text(self, value: f64, width: Option<f64>) -> String {
        let digits = self.digits(value, width);
        match self {
            Self::Number => digits,
            Self::Percent => format!("{digits}\u{a0}%"),
        }
    }

    /// The same without the unit.
    pub(super) fn digits(self, value: f64, width: Option<f64>) -> String {
        let width = width.unwrap_or(value.abs() / 10.0) * self.scale();
        number(value * self.scale(), decimals_for(width))
    }
}

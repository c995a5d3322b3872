//! The values that a metric can have, and goals that lie outside of them.

use labelwise::plan::Side;

use crate::error::MetricError;
use crate::spec::measurable::{Score, ScoreName};
use crate::spec::metric::{LossName, Metric};
use crate::spec::settings::Settings;

impl Metric {
    /// The smallest and the largest value that the metric can have, in the units in which it is shown. An end that does
    /// not exist is infinite.
    pub fn range(&self, settings: &Settings) -> (f64, f64) {
        let (low, high) = match self.loss {
            LossName::ZeroOne | LossName::Rate | LossName::PassAny(_) | LossName::PassAll(_) => (0.0, 1.0),
            LossName::Brier => (0.0, 2.0),
            LossName::CrossEntropy
            | LossName::SquaredError
            | LossName::AbsoluteError
            | LossName::Pinball(_) => (0.0, f64::INFINITY),
            LossName::Value if !settings.worths.is_empty() => {
                settings.worths.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), worth| {
                    (worth.min(low), worth.max(high))
                })
            }
            LossName::Value => settings.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY)),
            LossName::GaussianNll | LossName::Custom => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let (low, high) = self.shown_interval(low, high);
        // The negative of 0 is -0, which a sentence would show.
        (low + 0.0, high + 0.0)
    }
}

impl Score {
    /// The smallest and the largest value that the metric can have, in the units in which it is shown.
    pub fn range(&self) -> (f64, f64) {
        match self.score {
            ScoreName::Matthews | ScoreName::Kappa | ScoreName::WeightedKappa => (-1.0, 1.0),
            ScoreName::RSquared => (f64::NEG_INFINITY, 1.0),
            ScoreName::RootMeanSquaredError if self.negative => (f64::NEG_INFINITY, 0.0),
            ScoreName::RootMeanSquaredError => (0.0, f64::INFINITY),
            _ => (0.0, 1.0),
        }
    }
}

/// Refuses a threshold that the metric can never cross. A threshold at an end of the range is accepted.
pub(crate) fn check_threshold(
    metric: &str,
    value: f64,
    side: Option<Side>,
    (low, high): (f64, f64),
) -> Result<(), MetricError> {
    if low <= value && value <= high {
        return Ok(());
    }
    let meant = percent(value).filter(|meant| low <= *meant && *meant <= high);
    Err(MetricError::ThresholdRange { metric: metric.to_owned(), value, side, low, high, meant })
}

/// Refuses a half-width of an interval that is wider than the range of the metric.
pub(crate) fn check_half_width(
    metric: &str,
    half_width: f64,
    (low, high): (f64, f64),
) -> Result<(), MetricError> {
    let most = (high - low) / 2.0;
    if half_width <= most {
        return Ok(());
    }
    let meant = percent(half_width).filter(|meant| *meant <= most);
    Err(MetricError::HalfWidthRange { metric: metric.to_owned(), half_width, low, high, meant })
}

/// A number in per cent as a share, with the digits that the reader typed: 29 is 0.29, not 0.29000000000000004.
fn percent(value: f64) -> Option<f64> {
    let share = format!("{:.12}", value / 100.0).parse().ok()?;
    (value.abs() >= 1.0 && value.abs() <= 100.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn per_cent_keeps_its_digits() {
        for whole in 1..=100 {
            let share = percent(f64::from(whole)).unwrap();
            assert!(share.to_string().len() <= 4, "{share}");
        }
        assert_eq!((percent(0.5), percent(500.0), percent(f64::NAN)), (None, None, None));
    }
}

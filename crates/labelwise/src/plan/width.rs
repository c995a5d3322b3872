//! Stop when the interval is narrow enough. Unlike a bar, this is nearly harmless with the ordinary interval: how narrow it
//! is says little about where it lies.

use super::draw_variance::LabelRange;
use super::label_forecast::{LabelForecast, check_half_width, check_level};
use crate::error::{Error, Result};
use crate::interval::{Interval, Method, Target};
use crate::ledger::Ledger;
use crate::task::Task;

/// Number of labels below which a narrow interval may only have missed the large losses.
const LEAST: usize = 100;

/// Stop when the ordinary interval reaches no further than this from its middle, and there are 100 labels and 3 effective
/// hits at least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WidthRule {
    /// Half of the width.
    pub half_width: f64,
    /// The level of the interval.
    pub level: f64,
    /// Whether it is about this pool or about the population.
    pub target: Target,
}

/// The progress of a width rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Half of the width of the interval now; `None` while there is none.
    pub half_width: Option<f64>,
    /// Whether to stop.
    pub reached: bool,
    /// The labels that are likely missing; `None` while it cannot be told.
    pub more: Option<LabelRange>,
}

impl WidthRule {
    /// The least number of labels in a pool of a size.
    pub fn least(pool_size: usize) -> usize {
        LEAST.min(pool_size)
    }
}

impl<T: Task> Ledger<T> {
    /// The progress of a width rule with the labels so far.
    pub fn width(&self, rule: &WidthRule) -> Result<Progress> {
        check_half_width(rule.half_width)?;
        check_level(rule.level, 0.0)?;
        self.refuse_strata()?;
        let gathered = self.gather(self.usual_estimator())?;
        let evidence = gathered.evidence();
        let labels = evidence.samples.len() - evidence.imputed;
        let least = WidthRule::least(evidence.pool_size);
        let interval = match gathered.interval(Method::Ordinary, rule.target, rule.level) {
            Err(Error::TooFewLabels { .. }) => None,
            interval => Some(interval?),
        };
        let half = |interval: &Interval| 0.5 * (interval.high - interval.low);
        let is_settled = |interval: &Interval| labels >= least && interval.caution.is_none();
        let reached =
            interval.as_ref().is_some_and(|found| is_settled(found) && half(found) <= rule.half_width);
        let more = match LabelForecast::of(evidence)? {
            _ if reached => Some(LabelRange { expected: 0, low: 0, high: 0 }),
            Some(forecast) => {
                let needed = forecast.for_half_width(rule.half_width, rule.level, rule.target)?;
                // The formula may be satisfied where the interval is not yet.
                needed.map(|needed| needed.at_least(least.max(labels + 1)).beyond(labels))
            }
            None => None,
        };
        Ok(Progress { half_width: interval.as_ref().map(half), reached, more })
    }
}

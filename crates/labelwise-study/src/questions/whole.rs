//! The row of all items. A mean loss, or the root of one, has the same value here as by itself: it is made by the same
//! estimator, which uses more than the weighted losses.

use labelwise::estimator::Bias;
use labelwise::interval::Method;
use labelwise::metric::{MeanEstimate, WeightedDraws};

use crate::Study;
use crate::error::{Error, Result};
use crate::questions::answers::basis_in_words;
use crate::questions::estimate::EstimateOptions;
use crate::questions::scored::{MetricOptions, Scored};
use crate::questions::shown::{Item, MeanOf};
use crate::spec::metric::{LossName, Metric};

impl Study {
    pub(crate) fn of_all_items<P>(
        &self,
        sheet: &WeightedDraws<P>,
        item: &Item<P>,
        wanted: &MetricOptions,
        name: &impl Fn(usize) -> String,
    ) -> Result<Scored> {
        let (target, level) = (wanted.target, wanted.level);
        let by_weights = || -> Result<Scored> {
            let all = sheet.measure(&*item.measure, target, level).map_err(|error| self.refused(error))?;
            Ok(item.scored(all, None, sheet.pool_size(), name))
        };
        let Some(mean) = item.mean else {
            return match self.judge_agreement(item.score, wanted)? {
                Some(found) => Ok(Scored {
                    name: item.name.clone(),
                    class: item.class.map(name),
                    higher_is_better: item.higher_is_better,
                    ..found
                }),
                None => by_weights(),
            };
        };
        let wish = EstimateOptions {
            metrics: vec![Metric::plain(mean.loss)],
            level,
            target,
            method: Method::Ordinary,
            ..EstimateOptions::default()
        };
        let report = match self.estimate(&wish) {
            Ok(mut found) => match found.pop() {
                Some(found) => found.report,
                None => return by_weights(),
            },
            // The expectations of this loss were not kept; its weighted losses are there.
            Err(Error::Choice(_)) => return by_weights(),
            Err(error) => return Err(error),
        };
        let (estimate, hits) = (report.estimate, report.effective_hits);
        let value = mean.of(estimate.value);
        let standard_error = estimate.standard_error.map(|error| mean.error(value, error));
        if wanted.group.is_some() {
            let about = MeanEstimate { value, standard_error, hits };
            let all = sheet.measure_about(about, &*item.measure, target, level);
            let all = all.map_err(|error| self.refused(error))?;
            return Ok(item.scored(all, None, sheet.pool_size(), name));
        }
        let shown = Metric { name: item.name.clone(), loss: LossName::Value, view: item.view };
        let ends = |mean: MeanOf, low: f64, high: f64| shown.shown_interval(mean.of(low), mean.of(high));
        let exact = report.interval.is_some_and(|interval| interval.low == interval.high);
        Ok(Scored {
            name: item.name.clone(),
            class: None,
            slice: None,
            value: Ok(shown.shown(value)),
            interval: report.interval.map(|interval| ends(mean, interval.low, interval.high)),
            basis: report.interval.map(|interval| basis_in_words(interval.basis)),
            skipped: estimate.skipped.map(|bounds| ends(mean, bounds.low, bounds.high)),
            standard_error,
            labels: estimate.labels,
            pool_size: report.pool_size,
            bias: if exact { Bias::None } else { Bias::Vanishing },
            higher_is_better: item.higher_is_better,
            effective_hits: hits,
            kinds: report.warnings().iter().map(ToString::to_string).collect(),
            notes: report.warnings().iter().map(ToString::to_string).collect(),
        })
    }
}

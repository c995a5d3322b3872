//! Plans for metrics that are not averages: one draw has the variance of the influences of the labels so far.

use labelwise::plan::{
    Assurance, DrawVariance, LabelForecast, LabelRange, Progress, Source, Threshold, WidthRule,
};

use crate::Study;
use crate::error::{Error, MetricError, Result};
use crate::questions::metrics::BINS;
use crate::questions::planning::{GoalPlan, LabelPlan, PlanGoals, WidthPlan};
use crate::questions::scored::MetricOptions;
use crate::questions::sheet::Sheet;
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::metric::{LossName, Metric};
use crate::spec::range::{check_half_width, check_threshold};

/// Fewer labels that carry the variance do not say how large it is.
const ENOUGH_HITS: f64 = 3.0;

/// The forecasts of a score: one, or one for each class.
pub(crate) struct Forecasts {
    /// The labelled draws; `None` for calibration.
    sheet: Option<Sheet>,
    /// `None` if some class has no forecast yet.
    all: Option<Vec<LabelForecast>>,
}

impl Forecasts {
    /// The forecast that needs the most labels.
    fn worst(&self) -> Option<LabelForecast> {
        let all = self.all.iter().flatten().copied();
        all.max_by(|one, other| one.spread.value.total_cmp(&other.spread.value))
    }

    /// The number of labels that will probably decide about a threshold, and the source of this forecast.
    pub(crate) fn for_threshold(
        &self,
        study: &Study,
        bar: &Threshold,
    ) -> Result<Option<(LabelRange, Source)>> {
        let Some(forecast) = self.decider(study, bar)? else { return Ok(None) };
        let value = if forecast.1 { 0.0 } else { bar.value };
        let labels = forecast.0.for_threshold(value, bar.level, bar.assurance, bar.target)?;
        Ok(labels.map(|labels| (labels, forecast.0.source)))
    }

    /// The forecast of what decides, and whether that is the excess over the threshold. At every look, only that of one ratio
    /// is known.
    fn decider(&self, study: &Study, bar: &Threshold) -> Result<Option<(LabelForecast, bool)>> {
        let Some(worst) = self.worst() else { return Ok(None) };
        if bar.assurance == Assurance::Once {
            return Ok(Some((worst, false)));
        }
        match &self.sheet {
            Some(sheet) if sheet.len() == 1 => {
                match sheet.of_class(0).filter(|metric| metric.class().is_some()) {
                    Some(metric) => {
                        Ok(study.excess_forecast(sheet, metric, bar.value)?.map(|forecast| (forecast, true)))
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

impl Study {
    /// Numbers of labels that the goals need. The threshold is in the units in which the metric is shown.
    pub fn plan(&self, metric: &Measurable, positive: Option<&str>, goals: &PlanGoals) -> Result<LabelPlan> {
        match metric {
            Measurable::Loss(_) if positive.is_some() => Err(MetricError::PositiveUnused.into()),
            Measurable::Loss(metric) => self.plan_mean(metric, goals),
            Measurable::Score(score) => self.plan_score(score, positive, goals),
        }
    }

    fn plan_score(&self, score: &Score, positive: Option<&str>, goals: &PlanGoals) -> Result<LabelPlan> {
        let &PlanGoals { half_width, threshold, level, target, assurance } = goals;
        let range = score.range();
        half_width.map_or(Ok(()), |half| check_half_width(&score.name, half, range))?;
        threshold.map_or(Ok(()), |value| check_threshold(&score.name, value, None, range))?;
        if threshold.is_some() && assurance != Assurance::Once && !score.has_sequence() {
            return Err(MetricError::OneLook { metric: score.name.clone() }.into());
        }
        self.check_plannable()?;
        let forecasts = match self.score_forecasts(score, positive) {
            Err(Error::NoLabels { .. }) => Forecasts { sheet: None, all: None },
            forecasts => forecasts?,
        };
        let forecast = forecasts.worst();
        let width = half_width.map(|half_width| -> Result<WidthPlan> {
            let rule = WidthRule { half_width, level, target };
            let progress = self.score_width(score, &forecasts, &rule)?;
            let least = WidthRule::least(self.settings.pool.size);
            let needed = |forecast: &LabelForecast| -> Result<Option<LabelRange>> {
                let labels = forecast.for_half_width(half_width, level, target)?;
                Ok(labels.map(|labels| labels.at_least(least)))
            };
            let labels = GoalPlan {
                needed: forecast.as_ref().map(needed).transpose()?.flatten(),
                uniform: forecast
                    .map(|forecast| needed(&forecast.by_uniform_sampling()))
                    .transpose()?
                    .flatten(),
            };
            Ok(WidthPlan { half_width, progress, labels })
        });
        let decided = threshold.map(|value| -> Result<GoalPlan> {
            let side = labelwise::plan::Side::Above;
            let bar = Threshold { value, side, level, assurance, target };
            if score.score == ScoreName::RootMeanSquaredError {
                let (metric, behind) = self.rooted(score, &bar);
                let goals = PlanGoals { half_width: None, threshold: Some(behind.value), ..*goals };
                let plan = self.plan_mean(&metric, &goals)?;
                return Ok(plan.threshold.unwrap_or(GoalPlan { needed: None, uniform: None }));
            }
            let needed = forecasts.for_threshold(self, &bar)?.map(|(labels, _)| labels);
            let uniform = match forecast.filter(|_| assurance == Assurance::Once) {
                Some(forecast) => {
                    forecast.by_uniform_sampling().for_threshold(value, level, assurance, target)?
                }
                None => None,
            };
            Ok(GoalPlan { needed, uniform })
        });
        let sign = if score.negative { -1.0 } else { 1.0 };
        Ok(LabelPlan {
            forecast,
            expected: forecast.map(|forecast| sign * forecast.risk),
            width: width.transpose()?,
            threshold: decided.transpose()?,
        })
    }

    /// The progress of a width rule: the widest interval of all classes counts.
    fn score_width(
        &self,
        score: &Score,
        forecasts: &Forecasts,
        rule: &WidthRule,
    ) -> Result<Option<Progress>> {
        let labels = self.counting()?;
        let mut half = Some(0.0_f64);
        let mut settled = labels >= WidthRule::least(self.settings.pool.size);
        match &forecasts.sheet {
            Some(sheet) => {
                for part in 0..sheet.len() {
                    let found =
                        sheet.measure(part, rule.target, rule.level).map_err(|error| self.refused(error))?;
                    settled &= !found.is_rough();
                    let own = found.interval.map(|interval| 0.5 * (interval.high - interval.low));
                    half = half.zip(own).map(|(half, own)| half.max(own));
                }
            }
            None if labels == 0 => return Ok(None),
            None if score.score == ScoreName::Calibration => {
                let found = self.calibration(BINS, rule.target, rule.level)?;
                half = found.interval.map(|(low, high)| 0.5 * (high - low));
            }
            None => {
                let wanted = MetricOptions {
                    metrics: vec![Measurable::Score(score.clone())],
                    positive: None,
                    threshold: None,
                    by: None,
                    group: None,
                    level: rule.level,
                    target: rule.target,
                };
                let found = self.measure(&wanted)?.pop();
                settled &= found.as_ref().is_some_and(|found| found.effective_hits >= ENOUGH_HITS);
                half = found.and_then(|found| found.interval).map(|(low, high)| 0.5 * (high - low));
            }
        }
        let reached = settled && half.is_some_and(|half| half <= rule.half_width);
        let none = LabelRange { expected: 0, low: 0, high: 0 };
        let more = match forecasts.worst() {
            _ if reached => Some(none),
            Some(forecast) => {
                let needed = forecast.for_half_width(rule.half_width, rule.level, rule.target)?;
                let least = WidthRule::least(self.settings.pool.size).max(labels + 1);
                needed.map(|needed| needed.at_least(least).beyond(labels))
            }
            None => None,
        };
        Ok(Some(Progress { half_width: half, reached, more }))
    }

    /// The forecasts of a score, from the labels so far.
    pub(crate) fn score_forecasts(&self, score: &Score, positive: Option<&str>) -> Result<Forecasts> {
        if score.score == ScoreName::Calibration {
            // Bins have no influence of one draw; their squared error is not forecast.
            self.calibration(BINS, labelwise::Target::Pool, 0.95)?;
            return Ok(Forecasts { sheet: None, all: None });
        }
        if score.score == ScoreName::RootMeanSquaredError {
            self.check_positive(score, positive)?;
            if !score.score.fits(&self.settings.subject) {
                return Err(MetricError::score(score, &self.settings.subject).into());
            }
            let mean = self.prospect(&Metric::plain(LossName::SquaredError))?;
            return Ok(Forecasts { sheet: None, all: mean.and_then(rooted).map(|forecast| vec![forecast]) });
        }
        let sheet = self.sheet(score, positive)?;
        let mut all = Vec::with_capacity(sheet.len());
        for part in 0..sheet.len() {
            all.push(sheet.forecast(part).map_err(|error| self.refused(error))?);
        }
        Ok(Forecasts { sheet: Some(sheet), all: all.into_iter().collect() })
    }
}

/// The forecast of a root, given that of the mean: an error of the mean is one of the root times twice the root.
fn rooted(mean: LabelForecast) -> Option<LabelForecast> {
    let root = mean.risk.max(0.0).sqrt();
    let scaled = |spread: DrawVariance| {
        let by = 1.0 / (4.0 * mean.risk);
        DrawVariance { value: by * spread.value, low: by * spread.low, high: by * spread.high, ..spread }
    };
    let (spread, plain, uniform) = (scaled(mean.spread), scaled(mean.plain), scaled(mean.uniform));
    (root > 0.0).then_some(LabelForecast { risk: root, spread, plain, uniform, max_ratio: None, ..mean })
}

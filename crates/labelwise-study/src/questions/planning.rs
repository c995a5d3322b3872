//! Plans: how many labels a goal needs, whether there are enough, and why a gain was small.

use labelwise::Target;
use labelwise::ledger::Imputed;
use labelwise::plan::{
    Assurance, Decision, LabelForecast, LabelRange, Progress, Side, Source, Threshold, VarianceForecast,
    Verdict, WidthRule,
};
use serde::{Deserialize, Serialize};

use crate::error::{ChoiceError, DesignError, Result};
use crate::prepare;
use crate::spec::metric::{Metric, View};
use crate::spec::range::{check_half_width, check_threshold};
use crate::spec::settings::{Settings, SurrogateChoice};
use crate::task::{FIRST_LABELS, StudyTask, with_task};
use crate::{Fate, Study};

/// [`VarianceForecast`] in the encoding of the journal, without infinite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Foreseen {
    open: usize,
    risk: f64,
    controlled: Option<f64>,
    plain: Option<f64>,
    uniform: f64,
    reach: Option<f64>,
}

impl From<VarianceForecast> for Foreseen {
    fn from(forecast: VarianceForecast) -> Self {
        let VarianceForecast { open, risk, controlled, plain, uniform, max_ratio: reach } = forecast;
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let (controlled, plain) = (finite(controlled), finite(plain));
        Self { open, risk, controlled, plain, uniform, reach: reach.and_then(finite) }
    }
}

impl From<Foreseen> for VarianceForecast {
    fn from(foreseen: Foreseen) -> Self {
        let Foreseen { open, risk, controlled, plain, uniform, reach } = foreseen;
        let or_infinite = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
        Self {
            open,
            risk,
            controlled: or_infinite(controlled),
            plain: or_infinite(plain),
            uniform,
            max_ratio: reach,
        }
    }
}

impl Foreseen {
    /// The forecast of a sample as that of this many items.
    pub(crate) fn of_items(self, items: usize) -> Self {
        Self { open: items, ..self }
    }
}

impl Settings {
    /// Whether the beliefs before the first label give a forecast.
    pub(crate) fn can_foresee(&self) -> bool {
        if self.design.is_stratified() {
            // A forecast needs draws with weights, and strata have none.
            return false;
        }
        let own = self.says_how_sure();
        match &self.surrogate {
            SurrogateChoice::Own => own,
            SurrogateChoice::Given { .. } => true,
            SurrogateChoice::Learnt { train, .. } | SurrogateChoice::Supplied { train, .. } => {
                own || *train >= FIRST_LABELS
            }
            SurrogateChoice::Nothing => false,
        }
    }
}

impl Study {
    /// The surrogate's forecast before the first label, by the mean loss behind a metric. `None` if the surrogate has
    /// no beliefs, or certain ones. Files store it; for files of earlier versions it is computed from their pool.
    pub fn forecast(&self, metric: &Metric) -> Result<Option<VarianceForecast>> {
        if !self.settings.can_foresee() {
            return Ok(None);
        }
        let first = self.record()?.refreshes.first();
        let forecast = match first.and_then(|first| first.origin.forecasts.get(&metric.loss)) {
            Some(foreseen) => (*foreseen).into(),
            None => with_task!(self.settings, T => self.forecast_anew::<T>(metric))?,
        };
        Ok(Some(forecast).filter(|forecast| forecast.controlled > 0.0 && forecast.controlled.is_finite()))
    }

    /// The range of the number of uniformly sampled labels that one label is expected to be worth before the first label, by
    /// the loss that draws are made for. `None` if the surrogate has no beliefs.
    pub fn expected_gain(&self) -> Result<Option<(f64, f64)>> {
        let by_components = self.record()?.gain_range(&self.settings);
        if by_components.is_some() {
            return Ok(by_components);
        }
        Ok(self.forecast(&self.settings.metric)?.and_then(|forecast| forecast.gain_range()))
    }

    fn forecast_anew<T: StudyTask>(&self, metric: &Metric) -> Result<VarianceForecast> {
        let loss = T::loss(metric.loss, &self.settings)
            .ok_or_else(|| ChoiceError::metric(metric.loss, &self.settings))?;
        let mut made = prepare::made_first::<T>(&*self.journal, &self.settings)?;
        Ok(made.evaluation.survey(&*loss)?.1)
    }

    /// The forecast by the mean loss behind a metric: from the labels if there are enough, otherwise from the
    /// surrogate. `None` if there is neither.
    pub fn prospect(&self, metric: &Metric) -> Result<Option<LabelForecast>> {
        self.check_plannable()?;
        let told = if self.has_evidence()? {
            LabelForecast::of(&self.evidence(metric, Imputed::Expected)?)?
        } else {
            None
        };
        match told {
            Some(prospect) => Ok(Some(prospect)),
            None => self.surrogate_forecast(metric),
        }
    }

    /// What the surrogate expects of labels before the first of them, as ranges; `None` if it has no beliefs, or certain ones.
    pub fn surrogate_forecast(&self, metric: &Metric) -> Result<Option<LabelForecast>> {
        let foreseen = self.record()?.foreseen(&self.settings);
        let foreseen = foreseen.filter(|_| metric.loss == self.settings.metric.loss);
        Ok(self.forecast(metric)?.map(|forecast| match foreseen {
            Some(foreseen) => forecast.label_forecast_within(&foreseen),
            None => forecast.label_forecast(),
        }))
    }

    /// Whether the mean behind a metric meets a threshold. Threshold and interval are in the units in which the metric is
    /// shown. Before the first label nothing is decided.
    pub(crate) fn check_mean(&self, metric: &Metric, bar: &Threshold) -> Result<Decision> {
        self.check_one_model()?;
        check_threshold(&metric.name, bar.value, Some(bar.side), metric.range(&self.settings))?;
        if let Some(budget) = self.settings.design.budget().filter(|_| self.settings.design.is_stratified()) {
            return Err(DesignError::Settled { budget }.into());
        }
        let side = match bar.side {
            Side::Below if metric.view != View::Plain => Side::Above,
            Side::Above if metric.view != View::Plain => Side::Below,
            side => side,
        };
        let behind = Threshold { value: metric.shown(bar.value), side, ..*bar };
        let decision = match with_task!(self.settings, T => self.ledger::<T>(metric)?.check(&behind)) {
            Err(labelwise::Error::NoSamples { .. }) => NOTHING_YET,
            decision => decision.map_err(|error| self.named(error))?,
        };
        let interval = decision.interval.map(|(low, high)| metric.shown_interval(low, high));
        Ok(Decision { interval, ..decision })
    }

    /// The progress of a width rule for a mean loss; `None` before the first label that counts.
    pub fn width(&self, metric: &Metric, rule: &WidthRule) -> Result<Option<Progress>> {
        self.check_plannable()?;
        if !self.has_evidence()? {
            return Ok(None);
        }
        let progress = with_task!(self.settings, T => self.ledger::<T>(metric)?.width(rule));
        Ok(Some(progress.map_err(|error| self.named(error))?))
    }

    /// Numbers of labels that the goals need, by the mean loss behind a metric. The threshold is in the units in
    /// which the metric is shown.
    pub(crate) fn plan_mean(&self, metric: &Metric, goals: &PlanGoals) -> Result<LabelPlan> {
        let &PlanGoals { half_width, threshold, level, target, assurance } = goals;
        let range = metric.range(&self.settings);
        half_width.map_or(Ok(()), |half| check_half_width(&metric.name, half, range))?;
        threshold.map_or(Ok(()), |value| check_threshold(&metric.name, value, None, range))?;
        let forecast = self.prospect(metric)?;
        let plan = |labels: &dyn Fn(&LabelForecast) -> labelwise::Result<Option<LabelRange>>| -> Result<_> {
            let Some(forecast) = &forecast else { return Ok(GoalPlan { needed: None, uniform: None }) };
            Ok(GoalPlan { needed: labels(forecast)?, uniform: labels(&forecast.by_uniform_sampling())? })
        };
        let width = |half_width: f64| -> Result<_> {
            let progress = self.width(metric, &WidthRule { half_width, level, target })?;
            let least = WidthRule::least(self.settings.pool.size);
            let labels = plan(&|forecast| {
                let labels = forecast.for_half_width(half_width, level, target)?;
                Ok(labels.map(|labels| labels.at_least(least)))
            })?;
            Ok(WidthPlan { half_width, progress, labels })
        };
        let decided = |value: f64| {
            plan(&|forecast| forecast.for_threshold(metric.shown(value), level, assurance, target))
        };
        let (width, threshold) = (half_width.map(width).transpose()?, threshold.map(decided).transpose()?);
        let expected = forecast.map(|forecast| metric.shown(forecast.risk));
        Ok(LabelPlan { forecast, expected, width, threshold })
    }

    /// The number of further labels that will probably decide about a threshold, and the source of this forecast.
    /// `None` if it is decided or has no forecast.
    pub(crate) fn undecided(
        &self,
        metric: &Metric,
        bar: &Threshold,
        decision: &Decision,
    ) -> Result<Option<(LabelRange, Source)>> {
        // A design that is fixed in advance has no further labels.
        if decision.verdict != Verdict::Undecided || self.settings.design.budget().is_some() {
            return Ok(None);
        }
        let Some(forecast) = self.prospect(metric)? else { return Ok(None) };
        let needed = forecast.for_threshold(metric.shown(bar.value), bar.level, bar.assurance, bar.target)?;
        Ok(needed
            .and_then(|labels| still_needed(labels, decision.labels))
            .map(|labels| (labels, forecast.source)))
    }

    /// Refuses designs that are fixed in advance, and comparisons, which have their own questions.
    pub(crate) fn check_plannable(&self) -> Result<()> {
        self.check_one_model()?;
        match self.settings.design.budget() {
            Some(budget) => Err(DesignError::Settled { budget }.into()),
            None => Ok(()),
        }
    }

    /// Whether some draw counts.
    fn has_evidence(&self) -> Result<bool> {
        let mut complete = self.fates()?.iter().take_while(|fate| **fate != Fate::Open);
        Ok(complete.any(|fate| *fate != Fate::MissingAtRandom))
    }
}

/// The labels that are still needed. A forecast that even its upper end did not hold says nothing of what is still needed.
pub(crate) fn still_needed(labels: LabelRange, so_far: usize) -> Option<LabelRange> {
    (labels.high > so_far).then(|| labels.beyond(so_far).at_least(1))
}

/// The goals of a plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanGoals {
    /// Half of the width of an interval.
    pub half_width: Option<f64>,
    /// A threshold to decide about.
    pub threshold: Option<f64>,
    /// The probability with which intervals cover, or a decision is correct.
    pub level: f64,
    /// Pool or population.
    pub target: Target,
    /// The guarantee of a decision about the threshold.
    pub assurance: Assurance,
}

/// Numbers of labels that goals need.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LabelPlan {
    /// The forecast, if there is one.
    pub forecast: Option<LabelForecast>,
    /// The value of the metric that it expects, in the units in which the metric is shown.
    pub expected: Option<f64>,
    /// For the half-width, if it is a goal.
    pub width: Option<WidthPlan>,
    /// For the threshold, if it is a goal.
    pub threshold: Option<GoalPlan>,
}

/// Number of labels that a half-width needs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct WidthPlan {
    /// The half-width.
    pub half_width: f64,
    /// The progress; `None` before the first label that counts.
    pub progress: Option<Progress>,
    /// Number of labels.
    pub labels: GoalPlan,
}

/// Numbers of labels that a goal needs; `None` if it is not reachable or has no forecast.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GoalPlan {
    /// With the draws of the evaluation.
    pub needed: Option<LabelRange>,
    /// With uniform sampling.
    pub uniform: Option<LabelRange>,
}

/// The answer without labels.
pub(crate) const NOTHING_YET: Decision =
    Decision { verdict: Verdict::Undecided, interval: None, basis: None, labels: 0 };

#[cfg(test)]
mod tests {
    use super::{LabelRange, still_needed};

    #[test]
    fn a_forecast_that_did_not_hold_is_not_repeated() {
        let forecast = LabelRange { expected: 100, low: 60, high: 180 };
        assert_eq!(still_needed(forecast, 40), Some(LabelRange { expected: 60, low: 20, high: 140 }));
        assert_eq!(still_needed(forecast, 120), Some(LabelRange { expected: 1, low: 1, high: 60 }));
        assert_eq!(still_needed(forecast, 180), None);
    }
}

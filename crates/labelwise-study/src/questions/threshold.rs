//! Whether a metric is below or above a threshold.

use labelwise::ledger::Imputed;
use labelwise::metric::{ClassMetric, simultaneous};
use labelwise::plan::{Assurance, Decision, LabelForecast, LabelRange, Side, Source, Threshold, Verdict};

use crate::Study;
use crate::error::{DesignError, Error, MetricError, Result};
use crate::questions::classes::Classes;
use crate::questions::excess::Reaches;
use crate::questions::metrics::BINS;
use crate::questions::planning::{NOTHING_YET, still_needed};
use crate::questions::sheet::Sheet;
use crate::spec::measurable::{Average, Measurable, Score, ScoreName};
use crate::spec::metric::{LossName, Metric};
use crate::spec::range::check_threshold;

/// Halvings of the range of a ratio to find the ends of its confidence sequence.
const HALVINGS: usize = 12;

/// An answer about a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The answer. Its interval is in the units in which the metric is shown; of a metric of every class, it is that of the
    /// class that decides.
    pub decision: Decision,
    /// Whether the labels leave no doubt, whatever the other items are.
    pub certain: bool,
    /// The number of further labels that will probably decide, and the source of this forecast; `None` if it is decided or
    /// has no forecast.
    pub more: Option<(LabelRange, Source)>,
}

impl Study {
    /// The metric of a question that names none. Refused if the evaluation was created for several.
    pub fn one_metric(&self) -> Result<Measurable> {
        let aims = &self.settings.aims;
        match aims.as_slice() {
            [] => Ok(Measurable::Loss(self.settings.metric.clone())),
            [only] => Ok(only.clone()),
            _ if aims.iter().all(|aim| aim.score().is_none()) => {
                Ok(Measurable::Loss(self.settings.metric.clone()))
            }
            _ => Err(MetricError::Several { made_for: self.settings.made_for() }.into()),
        }
    }

    /// The best method that a metric has: at every look, or for one look.
    pub fn usual_assurance(&self, metric: &Measurable) -> Assurance {
        if metric.score().is_none_or(Score::has_sequence) { Assurance::Anytime } else { Assurance::Once }
    }

    /// Whether a metric meets a threshold, which is in the units in which the metric is shown. A metric of every class meets
    /// it if each class does. Before the first label nothing is decided.
    pub fn check(&self, metric: &Measurable, positive: Option<&str>, bar: &Threshold) -> Result<Checked> {
        let score = match metric {
            Measurable::Loss(_) if positive.is_some() => return Err(MetricError::PositiveUnused.into()),
            Measurable::Loss(metric) => {
                let decision = self.check_mean(metric, bar)?;
                let more = self.undecided(metric, bar, &decision)?;
                return Ok(Checked { decision, certain: false, more });
            }
            Measurable::Score(score) => score,
        };
        check_threshold(&score.name, bar.value, Some(bar.side), score.range())?;
        self.check_positive(score, positive)?;
        if !score.has_sequence() && bar.assurance != Assurance::Once {
            return Err(MetricError::OneLook { metric: score.name.clone() }.into());
        }
        if let Some(budget) = self.settings.design.budget().filter(|_| self.settings.design.is_stratified()) {
            return Err(DesignError::Settled { budget }.into());
        }
        if score.score == ScoreName::RootMeanSquaredError {
            return self.check_root(score, bar);
        }
        let checked = match self.check_score(score, positive, bar) {
            Err(Error::NoLabels { .. }) => {
                return Ok(Checked { decision: NOTHING_YET, certain: false, more: None });
            }
            checked => checked?,
        };
        if checked.decision.verdict != Verdict::Undecided || self.settings.design.budget().is_some() {
            return Ok(checked);
        }
        let plan = self.score_forecasts(score, positive)?.for_threshold(self, bar)?;
        let more =
            plan.and_then(|(labels, source)| Some((still_needed(labels, checked.decision.labels)?, source)));
        Ok(Checked { more, ..checked })
    }

    /// The root of a mean is below a value if the mean is below its square.
    fn check_root(&self, score: &Score, bar: &Threshold) -> Result<Checked> {
        let (metric, behind) = self.rooted(score, bar);
        let decision = self.check_mean(&metric, &behind)?;
        let more = self.undecided(&metric, &behind, &decision)?;
        let interval = decision.interval.map(|(low, high)| {
            let (low, high) = (low.max(0.0).sqrt(), high.max(0.0).sqrt());
            if score.negative { (-high, -low) } else { (low, high) }
        });
        Ok(Checked { decision: Decision { interval, ..decision }, certain: false, more })
    }

    /// The mean squared error, and a threshold on its root as one on itself.
    pub(crate) fn rooted(&self, score: &Score, bar: &Threshold) -> (Metric, Threshold) {
        let side = match bar.side {
            Side::Below if score.negative => Side::Above,
            Side::Above if score.negative => Side::Below,
            side => side,
        };
        (Metric::plain(LossName::SquaredError), Threshold { value: bar.value * bar.value, side, ..*bar })
    }

    fn check_score(&self, score: &Score, positive: Option<&str>, bar: &Threshold) -> Result<Checked> {
        let labels = self.counting()?;
        let decided = |(low, high): (f64, f64), certain: bool| {
            let decision = Decision {
                verdict: bar.verdict(low, high),
                interval: Some((low, high)),
                basis: None,
                labels,
            };
            Checked { decision, certain, more: None }
        };
        if score.score == ScoreName::Calibration {
            let found = self.calibration(BINS, bar.target, 2.0 * bar.level - 1.0)?;
            return Ok(decided(found.interval.unwrap_or((0.0, 1.0)), false));
        }
        let sheet = self.sheet(score, positive)?;
        let combined = Combined::of(score, bar.side);
        if bar.target == labelwise::Target::Pool {
            let certain =
                (0..sheet.len()).map(|part| sheet.certain(part).map(|bounds| (bounds.low, bounds.high)));
            if let Some(ends) = certain.collect::<Option<Vec<_>>>().and_then(|all| combined.ends(&all)) {
                let found = decided(ends, true);
                if found.decision.verdict != Verdict::Undecided {
                    return Ok(found);
                }
            }
        }
        if bar.assurance == Assurance::Once {
            let level = simultaneous(2.0 * bar.level - 1.0, sheet.len());
            let mut all = Vec::with_capacity(sheet.len());
            for part in 0..sheet.len() {
                let found = sheet.measure(part, bar.target, level).map_err(|error| self.refused(error))?;
                // What is rough decides nothing.
                let ends = found.interval.filter(|_| !found.is_rough() && found.value.is_ok());
                let widest = || sheet.certain(part).map_or(score.range(), |bounds| (bounds.low, bounds.high));
                all.push(ends.map_or_else(widest, |interval| (interval.low, interval.high)));
            }
            let ends = combined.ends(&all).unwrap_or(score.range());
            return Ok(decided(ends, false));
        }
        let Sheet::Classes { classes, .. } = &sheet else {
            return Err(MetricError::OneLook { metric: score.name.clone() }.into());
        };
        let sequence = Sequence { study: self, classes, reaches: self.reaches(classes)?, bar };
        let ratios: Vec<ClassMetric> = match score.average() {
            Some(Average::Macro) => classes.of_each(score),
            _ => (0..sheet.len()).filter_map(|part| sheet.of_class(part)).collect(),
        };
        let mut all = Vec::with_capacity(ratios.len());
        let level = simultaneous(bar.level, ratios.len());
        for ratio in &ratios {
            let certain = match &sheet {
                Sheet::Classes { draws, .. } => draws.all().certain(ratio),
                Sheet::Values { .. } => None,
            };
            let start = certain.map_or((0.0, 1.0), |bounds| (bounds.low, bounds.high));
            all.push(sequence.ends(*ratio, start, level)?);
        }
        let mut found = decided(combined.ends(&all).unwrap_or((0.0, 1.0)), false);
        if let ([only], Verdict::Undecided) = (ratios.as_slice(), found.decision.verdict) {
            // The ends are rounded outwards; the threshold itself is not.
            found.decision.verdict = sequence.at(*only, bar.value, bar.side, bar.level)?;
        }
        Ok(found)
    }

    /// The forecast by the excess over a threshold of one ratio.
    pub(crate) fn excess_forecast(
        &self,
        sheet: &Sheet,
        metric: ClassMetric,
        threshold: f64,
    ) -> Result<Option<LabelForecast>> {
        let Sheet::Classes { classes, .. } = sheet else { return Ok(None) };
        let reaches = self.reaches(classes)?;
        let Some(ledger) = self.excess_ledger(classes, &reaches, metric, threshold)? else { return Ok(None) };
        Ok(LabelForecast::of(&ledger.evidence(Imputed::Expected)?)?)
    }
}

/// How the values of several classes make up one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combined {
    /// Their mean; of one metric, itself.
    Mean,
    /// The smallest: every class is above a threshold if this one is.
    Smallest,
    /// The largest.
    Largest,
}

impl Combined {
    fn of(score: &Score, side: Side) -> Self {
        match (score.average(), side) {
            (Some(Average::PerClass), Side::Above) => Self::Smallest,
            (Some(Average::PerClass), Side::Below) => Self::Largest,
            _ => Self::Mean,
        }
    }

    /// The ends, given those of each.
    fn ends(self, all: &[(f64, f64)]) -> Option<(f64, f64)> {
        let fold = |of: fn(f64, f64) -> f64| {
            all.iter().copied().reduce(|(low, high), (from, to)| (of(low, from), of(high, to)))
        };
        #[allow(clippy::cast_precision_loss, reason = "classes are counted in thousands")]
        let count = all.len() as f64;
        match self {
            Self::Mean => fold(|one, other| one + other).map(|(low, high)| (low / count, high / count)),
            Self::Smallest => fold(f64::min),
            Self::Largest => fold(f64::max),
        }
    }
}

/// Confidence sequences of ratios.
struct Sequence<'a> {
    study: &'a Study,
    classes: &'a Classes,
    reaches: Reaches,
    bar: &'a Threshold,
}

impl Sequence<'_> {
    /// Whether a ratio is on a side of a value.
    fn at(&self, metric: ClassMetric, value: f64, side: Side, level: f64) -> Result<Verdict> {
        let Some(ledger) = self.study.excess_ledger(self.classes, &self.reaches, metric, value)? else {
            return Ok(Verdict::Undecided);
        };
        let zero = Threshold { value: 0.0, side, level, ..*self.bar };
        match ledger.check(&zero) {
            Err(labelwise::Error::NoSamples { .. }) => Ok(Verdict::Undecided),
            decision => Ok(decision.map_err(|error| self.study.named(error))?.verdict),
        }
    }

    /// The values that are not excluded, from what is certain; each end is wrong with probability 1 − level at most.
    fn ends(&self, metric: ClassMetric, start: (f64, f64), level: f64) -> Result<(f64, f64)> {
        let bisected = |mut kept: f64, mut open: f64, side: Side| -> Result<f64> {
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(kept, open);
                match self.at(metric, middle, side, level)? {
                    Verdict::Met => kept = middle,
                    _ => open = middle,
                }
            }
            Ok(kept)
        };
        let (low, high) = start;
        Ok((bisected(low, high, Side::Above)?, bisected(high, low, Side::Below)?))
    }
}

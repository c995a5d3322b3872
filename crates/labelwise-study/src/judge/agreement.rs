//! How a judge agrees with labels, from the draws made for a rate or a value: ratios with controls, and with the variance that
//! the belief of the judges expects.

use labelwise::estimator::Bias;
use labelwise::ledger::{Draw, Outcome};
use labelwise::loss::{Custom, Decision, Loss};
use labelwise::surrogate::{Observed, RatioEstimate, RatioLoss, RatioScale};
use labelwise::task::Gaussian;
use labelwise::{Classification, Regression, Target};

use crate::Study;
use crate::error::Result;
use crate::inputs::ProposalInputs;
use crate::questions::classes::Classes;
use crate::questions::scored::{MetricOptions, Scored};
use crate::spec::measurable::{Average, ScoreName};
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// Draws, each with the labels of all annotators.
pub(super) type PanelDraws<T> = Vec<(Draw, Vec<<T as labelwise::Task>::Label>)>;

/// The numerator and the denominator of a ratio, by prediction and label.
#[derive(Debug, Clone)]
enum ClassRatio {
    /// Predicted as the class, of those labelled as it.
    Sensitivity(usize),
    /// Not predicted as the class, of those not labelled as it.
    Specificity(usize),
    /// Labelled as the class, of those predicted as it.
    Precision(usize),
    /// Disagreement relative to chance: the share of each predicted class.
    Disagreement(Vec<f64>),
    /// The same with squared distances.
    Distance(Vec<f64>),
}

impl ClassRatio {
    #[allow(clippy::cast_precision_loss, reason = "classes are few")]
    fn parts(&self, predicted: usize, label: usize) -> (f64, f64) {
        let one = |yes: bool| if yes { 1.0 } else { 0.0 };
        let distance = |a: usize, b: usize| (a as f64 - b as f64).powi(2);
        match self {
            Self::Sensitivity(class) => (one(predicted == *class && label == *class), one(label == *class)),
            Self::Specificity(class) => (one(predicted != *class && label != *class), one(label != *class)),
            Self::Precision(class) => (one(predicted == *class && label == *class), one(predicted == *class)),
            Self::Disagreement(shares) => {
                (one(predicted != label), 1.0 - shares.get(label).copied().unwrap_or(0.0))
            }
            Self::Distance(shares) => {
                let by_chance =
                    shares.iter().enumerate().map(|(said, share)| share * distance(said, label)).sum();
                (distance(predicted, label), by_chance)
            }
        }
    }

    /// Whether 1 minus the ratio is the metric.
    fn is_relative(&self) -> bool {
        matches!(self, Self::Disagreement(_) | Self::Distance(_))
    }
}

impl Study {
    /// A metric of the whole pool by the belief of the judges; `None` if it is not one of theirs, or if some draws have no label.
    pub(crate) fn judge_agreement(
        &self,
        score: Option<ScoreName>,
        wanted: &MetricOptions,
    ) -> Result<Option<Scored>> {
        let settings = &self.settings;
        let Some(score) = score.filter(|_| settings.judge.is_some() && settings.recalibrated.is_some())
        else {
            return Ok(None);
        };
        if wanted.group.is_some() || wanted.target != Target::Pool || wanted.threshold.is_some() {
            return Ok(None);
        }
        match &settings.subject {
            Subject::Classes { names } => {
                let decision = settings.decision();
                let classes = Classes::all(names).deciding(decision);
                let positive = wanted.positive.as_deref().or(settings.positive.as_deref());
                let positive = || classes.positive_class(positive);
                let ratio = match score {
                    ScoreName::Recall(Average::Positive) => positive().map(ClassRatio::Sensitivity),
                    ScoreName::Specificity => positive().map(ClassRatio::Specificity),
                    ScoreName::Precision(Average::Positive) => positive().map(ClassRatio::Precision),
                    ScoreName::Kappa => Some(ClassRatio::Disagreement(self.predicted_shares(&classes)?)),
                    ScoreName::WeightedKappa => Some(ClassRatio::Distance(self.predicted_shares(&classes)?)),
                    _ => None,
                };
                let Some(ratio) = ratio else { return Ok(None) };
                let found =
                    self.ratio::<Classification>(&|x, y| class_loss(ratio.clone(), decision, x, y))?;
                Ok(found.map(|found| self.as_scored(found, ratio.is_relative(), wanted.level)))
            }
            Subject::Values if score == ScoreName::WeightedKappa => {
                let (mean, spread) = self.rating_moments()?;
                let found = self.ratio::<Regression>(&|x, y| {
                    Box::new(Custom::signed(move |said: Gaussian, label: f64| {
                        let by_chance = (label - mean).powi(2) + spread;
                        x * (said.mean - label).powi(2) + y * by_chance
                    }))
                })?;
                Ok(found.map(|found| self.as_scored(found, true, wanted.level)))
            }
            _ => Ok(None),
        }
    }

    /// The share of the pool that is predicted as each class.
    #[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
    fn predicted_shares(&self, classes: &Classes) -> Result<Vec<f64>> {
        let counts = self.predicted_within(classes, &[])?.pop().unwrap_or_default();
        let all: usize = counts.iter().sum();
        Ok(counts.iter().map(|count| *count as f64 / all.max(1) as f64).collect())
    }

    /// Mean and variance of the predicted values.
    #[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
    fn rating_moments(&self) -> Result<(f64, f64)> {
        let pool = crate::task::pool::<Regression>(&*self.journal, &self.settings)?;
        let mut rows = pool.predictions().reader();
        let size = pool.pool_size();
        let said: Vec<f64> = (0..size).filter_map(|item| rows.row(item).first().copied()).collect();
        let mean = said.iter().sum::<f64>() / size as f64;
        Ok((mean, said.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / size as f64))
    }

    /// A ratio from the labels so far; `None` if some draw before the last label was skipped or is missing.
    pub(super) fn ratio<T: StudyTask>(&self, of: &RatioLoss<'_, T>) -> Result<Option<RatioEstimate>> {
        let inputs = ProposalInputs::<T>::new(&*self.journal, &self.settings)?;
        let (Some(judges), Some(draws)) = (&inputs.judges, self.labelled_draws::<T>()?) else {
            return Ok(None);
        };
        let refreshes = self.proposals(&inputs)?;
        let labels = self.record()?.observed::<T>(self.journal.path(), &self.settings)?;
        judges.ratio(Observed { pool: &inputs.pool, labels: &labels }, &refreshes, &draws, of)
    }

    /// The draws that count, each with the labels of all annotators; `None` if one of them was skipped or is missing.
    pub(super) fn labelled_draws<T: StudyTask>(&self) -> Result<Option<PanelDraws<T>>> {
        let record = self.record()?;
        let (path, settings) = (self.journal.path(), &self.settings);
        let ledger = record.own_ledger::<T>(path, settings)?;
        let complete = ledger.draws().iter().zip(ledger.outcomes()).take(ledger.complete());
        let panel = self.panel()?;
        let mut draws: PanelDraws<T> = Vec::new();
        for (place, (draw, outcome)) in complete.enumerate() {
            let Outcome::Labelled { label, .. } = outcome else { return Ok(None) };
            let mut labels = vec![*label];
            if let Some(row) = record.draws.get(place).map(|drawn| &drawn.row) {
                let further = panel.further(place).iter();
                labels.extend(further.filter_map(|text| T::label(text, row, settings).ok()));
            }
            draws.push((*draw, labels));
        }
        Ok(Some(draws))
    }

    fn as_scored(&self, found: RatioEstimate, relative: bool, level: f64) -> Scored {
        let scale = if relative { RatioScale::Relative } else { RatioScale::Share };
        let (low, high) = found.interval(scale, level);
        let exact = found.variance == 0.0;
        let (value, interval) = match relative {
            // The smallest kappa is -1; the log scale does not know that.
            true => ((1.0 - found.value).max(-1.0), ((1.0 - high).max(-1.0), 1.0 - low)),
            false => (found.value.clamp(0.0, 1.0), (low.max(0.0), high.min(1.0))),
        };
        let basis = match (exact, relative) {
            (true, _) => "exact",
            (false, true) => "ordinary, on the log scale",
            (false, false) => "ordinary, on the logit scale",
        };
        Scored {
            name: String::new(),
            class: None,
            slice: None,
            value: Ok(value),
            interval: Some(interval),
            basis: Some(basis),
            skipped: None,
            standard_error: Some(found.variance.sqrt()),
            labels: self.counts.labels.min(self.settings.pool.size),
            pool_size: self.settings.pool.size,
            bias: if exact { Bias::None } else { Bias::Vanishing },
            higher_is_better: true,
            effective_hits: found.hits,
            notes: Vec::new(),
            kinds: Vec::new(),
        }
    }
}

/// x times the numerator plus y times the denominator.
fn class_loss(ratio: ClassRatio, decision: Decision, x: f64, y: f64) -> Box<dyn Loss<Classification>> {
    Box::new(Custom::signed(move |prediction: &[f64], label: usize| {
        let (above, below) = ratio.parts(decision.predicted(prediction), label);
        x * above + y * below
    }))
}

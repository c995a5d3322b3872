//! The next batch, which has the judges' verdicts and no labels. Its rate follows from the labels of this one by an assumption
//! about what stayed the same; two of them are usual, and between real batches both have failed.

use labelwise::loss::{Custom, Loss};
use labelwise::surrogate::RatioEstimate;
use labelwise::{Classification, Regression};
use labelwise_pool::{PoolTable, Predictions};
use serde::Serialize;

use super::bins::{Bins, expected};
use super::classes::LabelClasses;
use super::columns::{LabelSpace, read};
use super::{JudgeKind, plan};
use crate::Study;
use crate::decide::choices::Choices;
use crate::error::{JudgeError, Result, damaged};
use crate::spec::metric::LossName;
use crate::spec::subject::Subject;
use crate::task::{StudyTask, with_task};

/// A judge that tells the classes apart by less cannot be corrected by its error rates.
const LEAST_DISCERNMENT: f64 = 0.2;

/// An estimate for the next batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppliedRate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval, which does not know whether the assumption holds.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What the labels of one batch say of the next one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Applied {
    /// Number of items of the next batch.
    pub items: usize,
    /// Labels of this batch.
    pub labels: usize,
    /// What the judges expect of this batch and of the next one, taken at their word.
    pub judged: (f64, f64),
    /// If the judge makes its errors as often as here: the same share of positive items passes, and the same share of the others.
    /// `None` if the judge cannot be corrected so.
    pub by_error_rates: Option<AppliedRate>,
    /// The reason for the `None`.
    pub without_error_rates: Option<String>,
    /// If a verdict means what it means here: the same share of the items with it is positive.
    pub by_verdicts: AppliedRate,
    /// The share of the next batch whose verdicts this batch does not have.
    pub unseen: f64,
}

impl Study {
    /// The rate or the mean value of an unlabelled next batch with the same judges, by both assumptions.
    pub fn apply(&self, next: &PoolTable, level: f64) -> Result<Applied> {
        let space = self.label_space()?;
        let (next, items) = (self.next_predictions(next, &space)?, next.rows());
        match self.settings.subject {
            Subject::Classes { .. } => self.apply_to::<Classification>(&next, items, &space, level),
            _ => self.apply_to::<Regression>(&next, items, &space, level),
        }
    }

    /// The choices of an evaluation of the next batch, which has the same judges: those of this one, with what its labels say
    /// of the judges as the prior.
    pub fn successor(&self, next: &PoolTable) -> Result<Choices> {
        let (settings, space) = (&self.settings, self.label_space()?);
        self.next_predictions(next, &space)?;
        let (worths, labels) = match &space {
            LabelSpace::Classes(classes) if classes.positive.is_none() => {
                (classes.names.iter().cloned().zip(classes.worths.iter().copied()).collect(), Vec::new())
            }
            LabelSpace::Classes(classes) if !classes.open => (Vec::new(), classes.names.clone()),
            _ => (Vec::new(), Vec::new()),
        };
        let prior = with_task!(settings, T => self.successor_prior::<T>())?;
        Ok(Choices {
            metric: Some(settings.metric.clone()).filter(|_| settings.aims.is_empty()),
            aims: settings.aims.clone(),
            positive: settings.positive.clone(),
            worths,
            labels,
            range: settings.judge.as_ref().and_then(|judge| judge.ratings).or(settings.range),
            seed: settings.seed,
            prior,
            ..Choices::default()
        })
    }

    /// What labels are, from the settings.
    fn label_space(&self) -> Result<LabelSpace> {
        let settings = &self.settings;
        let Some(judge) = &settings.judge else { return Err(JudgeError::NoJudge.into()) };
        if judge.pair.is_some() || judge.group.is_some() || judge.history > 0 {
            return Err(JudgeError::NotApplicable {
                what: "an evaluation of pairs, of groups or with a history",
            }
            .into());
        }
        if !matches!(settings.metric.loss, LossName::Rate | LossName::Value) {
            return Err(JudgeError::NotApplicable { what: "a metric other than rate and value" }.into());
        }
        match (&settings.subject, settings.range) {
            (Subject::Classes { names }, _) => {
                let rate = settings.metric.loss == LossName::Rate;
                let positive = settings.positive.clone().filter(|_| rate);
                Ok(LabelSpace::Classes(LabelClasses {
                    names: names.clone(),
                    worths: settings.worths.clone(),
                    positive,
                    open: judge.open,
                }))
            }
            (_, Some((low, high))) => Ok(LabelSpace::Values { low, high }),
            (_, None) => Err(damaged(self.path(), "settings", "range")),
        }
    }

    /// The next batch as predictions, made as those of this one were.
    fn next_predictions(&self, next: &PoolTable, space: &LabelSpace) -> Result<Predictions> {
        let judge = self.settings.judge.as_ref().ok_or(JudgeError::NoJudge)?;
        let names: Vec<String> = judge.judges.iter().map(|judge| judge.name.clone()).collect();
        let other =
            || JudgeError::OtherJudges { path: next.path.display().to_string(), judges: names.clone() };
        let judged = next.judged.as_ref().ok_or_else(other)?;
        if judged.judges.len() != names.len()
            || judged.judges.iter().zip(&names).any(|(one, name)| one.name != *name)
        {
            return Err(other().into());
        }
        let mut judges = Vec::with_capacity(names.len());
        for (column, before) in judged.judges.iter().zip(&judge.judges) {
            if before.kind == JudgeKind::Raw {
                let name = before.name.clone();
                return Err(JudgeError::NoCommonScale { judge: name }.into());
            }
            let read = read(column, space, judge.ratings, &next.ids)?;
            if read.origin.kind != before.kind {
                let (judge, now) = (before.name.clone(), read.origin.kind.in_words());
                return Err(JudgeError::OtherKind { judge, before: before.kind.in_words(), now }.into());
            }
            judges.push(read);
        }
        let prior = judge.prior.prior().ok_or_else(|| damaged(self.path(), "settings", "judge"))?;
        let (features, _) = plan::features(judged, &judges, space, next)?;
        plan::predictions(&judges, &features, &prior, space)
    }

    fn successor_prior<T: StudyTask>(&self) -> Result<Option<labelwise::surrogate::JudgePrior>> {
        let inputs = crate::inputs::ProposalInputs::<T>::new(&*self.journal, &self.settings)?;
        let Some(judges) = &inputs.judges else { return Ok(None) };
        let labels = self.record()?.observed::<T>(self.journal.path(), &self.settings)?;
        Ok(judges.successor(&labels))
    }

    fn apply_to<T: Expects>(
        &self,
        next: &Predictions,
        items: usize,
        space: &LabelSpace,
        level: f64,
    ) -> Result<Applied> {
        self.check_labels()?;
        let worths = match space {
            LabelSpace::Classes(classes) if classes.positive.is_none() => classes.worths.clone(),
            LabelSpace::Classes(classes) => classes
                .names
                .iter()
                .map(|name| f64::from(u8::from(Some(name) == classes.positive.as_ref())))
                .collect(),
            LabelSpace::Values { .. } => Vec::new(),
        };
        let range = match space {
            LabelSpace::Values { low, high } => (*low, *high),
            LabelSpace::Classes(_) => worths
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), w| (w.min(low), w.max(high))),
        };
        let pool = crate::task::pool::<T>(&*self.journal, &self.settings)?;
        let mut reader = pool.predictions().reader();
        let here: Vec<f64> = (0..pool.pool_size()).map(|item| expected(reader.row(item), &worths)).collect();
        let there = expectations(next, &worths);
        let bins = Bins::new(&here, &there);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        // What is not known of single items of the next batch, even if the assumption holds.
        let inherent: f64 =
            there.iter().map(|g| (g - range.0).max(0.0) * (range.1 - g).max(0.0)).sum::<f64>()
                / (items as f64).powi(2);
        let bound = |value: f64, found: &RatioEstimate, more: f64| {
            let wide = RatioEstimate { value, variance: found.variance + more, ..*found };
            let half = wide.half_width(level);
            AppliedRate {
                value: value.clamp(range.0, range.1),
                low: (value - half).clamp(range.0, range.1),
                high: (value + half).clamp(range.0, range.1),
            }
        };
        let unanswered = || JudgeError::NotApplicable { what: "an evaluation with skipped items" };
        let (mut weights, worths_again) = (bins.clone(), worths.clone());
        weights.worths.clone_from(&worths);
        let by_bins = self
            .ratio::<T>(&|x, y| {
                let (bins, worths) = (weights.clone(), worths_again.clone());
                T::weighted(
                    Box::new(move |prediction: &[f64], label| x * bins.weight(prediction) * label + y),
                    worths,
                )
            })?
            .ok_or_else(unanswered)?;
        let by_verdicts = bound(by_bins.value, &by_bins, inherent);
        let (by_error_rates, without_error_rates) =
            match self.error_rates::<T>(space, &worths, &there, items, next)? {
                Ok((value, found)) => (Some(bound(value, &found, 0.0)), None),
                Err(reason) => (None, Some(reason)),
            };
        Ok(Applied {
            items,
            labels: self.labels(),
            judged: (mean(&here), mean(&there)),
            by_error_rates,
            without_error_rates,
            by_verdicts,
            unseen: bins.unseen,
        })
    }

    /// Rogan and Gladen's estimate with its variance, or the reason that there is none.
    #[allow(clippy::type_complexity, reason = "an estimate, or a reason, or an error")]
    fn error_rates<T: Expects>(
        &self,
        space: &LabelSpace,
        worths: &[f64],
        _there: &[f64],
        items: usize,
        next: &Predictions,
    ) -> Result<std::result::Result<(f64, RatioEstimate), String>> {
        let LabelSpace::Classes(classes) = space else {
            return Ok(Err("labels are numbers, and error rates are of two classes".to_owned()));
        };
        if classes.names.len() != 2 {
            return Ok(Err(format!("there are {} classes, and error rates are of two", classes.names.len())));
        }
        let high = worths.iter().position(|worth| *worth == 1.0).unwrap_or(1);
        let decision = self.settings.decision();
        let passed = |row: &[f64]| if decision.predicted(row) == high { 1.0 } else { 0.0 };
        let Predictions::Classes { rows, .. } = next else {
            return Ok(Err("the judge gives no verdicts".to_owned()));
        };
        let mut reader = rows.reader();
        let share = (0..rows.rows()).map(|item| passed(reader.row(item))).sum::<f64>() / items as f64;
        let worths = worths.to_vec();
        let ratio = |above: fn(f64, f64) -> f64, below: fn(f64, f64) -> f64| {
            self.ratio::<T>(&|a, b| {
                let of = move |row: &[f64], y: f64| {
                    let x = if decision.predicted(row) == high { 1.0 } else { 0.0 };
                    a * above(x, y) + b * below(x, y)
                };
                T::weighted(Box::new(of), worths.clone())
            })
        };
        let sensitivity = ratio(|x, y| x * y, |_, y| y)?;
        let specificity = ratio(|x, y| (1.0 - x) * (1.0 - y), |_, y| 1.0 - y)?;
        let rate = ratio(|_, y| y, |_, _| 1.0)?;
        let (Some(sensitivity), Some(specificity), Some(rate)) = (sensitivity, specificity, rate) else {
            return Ok(Err("no label says how often the judge errs on one of the classes".to_owned()));
        };
        let (se, sp, r) = (sensitivity.value, specificity.value, rate.value.clamp(1e-3, 1.0 - 1e-3));
        let discernment = se + sp - 1.0;
        if discernment < LEAST_DISCERNMENT {
            return Ok(Err(format!(
                "the judge hardly tells the classes apart (sensitivity {se:.2}, specificity {sp:.2}), so small errors of \
                 both would become large ones of the rate"
            )));
        }
        let value = (share + sp - 1.0) / discernment;
        // Errors of both rates come from the same labels, so they count jointly.
        let jointly = self.ratio::<T>(&|a, b| {
            let of = move |row: &[f64], y: f64| {
                let x = if decision.predicted(row) == high { 1.0 } else { 0.0 };
                let missed = -value * y * (x - se) / r;
                let caught = (1.0 - value) * (1.0 - y) * ((1.0 - x) - sp) / (1.0 - r);
                a * (missed + caught) / discernment + b
            };
            T::weighted(Box::new(of), worths.clone())
        })?;
        let Some(jointly) = jointly else { return Ok(Err("too few labels".to_owned())) };
        let inside = value.clamp(0.0, 1.0);
        let own = (inside * se * (1.0 - se) + (1.0 - inside) * sp * (1.0 - sp)).max(0.0)
            / (items as f64 * discernment * discernment);
        Ok(Ok((value, RatioEstimate { value, variance: jointly.variance + own, ..jointly })))
    }
}

/// A number of a prediction and of the value of a label.
type OfValue = Box<dyn Fn(&[f64], f64) -> f64 + Send + Sync>;

/// A task whose labels have a value.
pub(crate) trait Expects: StudyTask {
    /// A loss from the prediction's numbers and the label's value.
    fn weighted(of: OfValue, worths: Vec<f64>) -> Box<dyn Loss<Self>>;
}

impl Expects for Classification {
    fn weighted(of: OfValue, worths: Vec<f64>) -> Box<dyn Loss<Self>> {
        Box::new(Custom::signed(move |prediction: &[f64], label: usize| {
            of(prediction, worths.get(label).copied().unwrap_or(0.0))
        }))
    }
}

impl Expects for Regression {
    fn weighted(of: OfValue, _worths: Vec<f64>) -> Box<dyn Loss<Self>> {
        Box::new(Custom::signed(move |prediction: labelwise::task::Gaussian, label: f64| {
            of(&[prediction.mean], label)
        }))
    }
}

fn expectations(predictions: &Predictions, worths: &[f64]) -> Vec<f64> {
    match predictions {
        Predictions::Classes { rows, .. } => {
            let mut reader = rows.reader();
            (0..rows.rows()).map(|item| expected(reader.row(item), worths)).collect()
        }
        Predictions::Values { means, .. } => means.clone(),
        _ => Vec::new(),
    }
}

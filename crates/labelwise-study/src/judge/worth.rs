//! What one label is worth with a judge: by the judge alone, and with items chosen by it; and where the judge was surest and
//! wrong.

use std::fmt;

use labelwise::estimator::{CentredLure, Estimator, Replacement};
use labelwise::ledger::Imputed;
use labelwise::loss::Moments;
use serde::Serialize;

use crate::columns;
use crate::error::{ChoiceError, JudgeError, Result};
use crate::inputs::ProposalInputs;
use crate::judge::surrogate::first_moments;
use crate::prepare;
use crate::spec::settings::Settings;
use crate::task::{StudyTask, with_task};
use crate::{Fate, Study};

/// From this number of labels on, labels say what one of them is worth.
const MEASURED_FROM: usize = 50;

/// The promise of a judge is off by such a factor.
const PROMISE: f64 = 1.4;

/// The standard deviation of the logarithm of a measured worth, at [`MEASURED_FROM`] labels.
const DEVIATION: f64 = 0.25;

/// Pseudo-labels that hold the slope of the judge at 1.
const PSEUDO_LABELS: f64 = 30.0;

/// Below this, choosing items adds nothing to what the judge is worth.
const ADDS: f64 = 1.05;

/// The number of uniformly sampled labels that one label is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Worth {
    /// With uniform draws, corrected by what the judge says.
    pub judge: f64,
    /// With items chosen by the belief of the judge.
    pub choosing: f64,
    /// The range of `judge`.
    pub judge_range: (f64, f64),
    /// The range of `choosing`.
    pub choosing_range: (f64, f64),
    /// Labels that it was measured from; 0 for what the judge itself promises.
    pub labels: usize,
    #[serde(skip)]
    source: Source,
    #[serde(skip)]
    drawn: Drawn,
}

/// Whose belief it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Judge,
    Judges,
    History,
}

/// How items are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawn {
    /// One by one, where a stratified sample could be drawn instead.
    OneByOne,
    /// One by one, and there is nothing else.
    OnlyOneByOne,
    Stratified,
}

impl Worth {
    fn new((judge, choosing): (f64, f64), labels: usize, settings: &Settings) -> Self {
        let factor = if labels == 0 { PROMISE } else { measured_factor(labels) };
        let range = |worth: f64| (worth / factor, worth * factor);
        let (judge_range, choosing_range) = (range(judge), range(choosing));
        let made = settings.judge.as_ref();
        let source = match made.map(|made| (made.history, made.judges.len())) {
            Some((1.., _)) => Source::History,
            Some((_, 2..)) => Source::Judges,
            _ => Source::Judge,
        };
        let drawn = match made {
            _ if settings.design.is_stratified() => Drawn::Stratified,
            Some(made) if made.pair.is_some() => Drawn::OnlyOneByOne,
            _ => Drawn::OneByOne,
        };
        Self { judge, choosing, judge_range, choosing_range, labels, source, drawn }
    }

    /// Whether choosing items adds anything.
    pub fn choosing_adds(&self) -> bool {
        self.choosing >= ADDS * self.judge
    }
}

impl Source {
    fn condition(self) -> &'static str {
        match self {
            Self::Judge => "if the judge is as good as it says",
            Self::Judges => "if the judges are as good as they say",
            Self::History => "if this model is like those of the history",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Judges => "judges",
            Self::History => "history",
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "labels are counted in thousands")]
fn measured_factor(labels: usize) -> f64 {
    (1.28 * DEVIATION * (MEASURED_FROM as f64 / labels as f64).sqrt()).exp()
}

/// Two sentences.
impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(low, high): (f64, f64)| format!("{low:.1} to {high:.1}");
        let (alone, chosen, noun) = (range(self.judge_range), range(self.choosing_range), self.source.noun());
        match self.labels {
            0 => f.write_str(self.source.condition())?,
            labels => write!(f, "by {labels} labels")?,
        }
        write!(f, ", 1 label is worth {alone} labels of uniform sampling by the {noun} alone")?;
        match (self.drawn, self.choosing_adds()) {
            (Drawn::Stratified, true) => write!(f, "; with this stratified sample, {chosen}"),
            (Drawn::Stratified, false) => f.write_str("; strata add nothing to that"),
            (_, true) => write!(f, "; with items chosen by it, {chosen}"),
            (Drawn::OnlyOneByOne, false) => f.write_str("; choosing items adds nothing to that"),
            (Drawn::OneByOne, false) => write!(
                f,
                "; choosing items adds nothing to that: for a mean, a stratified sample by the same {noun} \
                 (--design stratified) is as good"
            ),
        }
    }
}

/// A labelled item on which the judge was wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Misjudgement {
    /// The item.
    pub id: String,
    /// Its place in the pool.
    pub item: usize,
    /// What the judge said: the predicted class, or the value.
    pub judge: String,
    /// The label.
    pub label: String,
    /// The probability that the judge gave its verdict, or the distance of its value from the label relative to the range.
    pub surety: f64,
    /// The passthrough columns of the item, by name.
    pub texts: Vec<(String, String)>,
}

impl Study {
    /// What one label is worth by the judge alone and with choosing: what the judge promises while there are few labels, then what
    /// labels say. Refused without a judge or a history.
    pub fn worth(&self) -> Result<Worth> {
        if self.settings.judge.is_none() {
            return Err(JudgeError::NoJudge.into());
        }
        with_task!(self.settings, T => self.worth_of::<T>())
    }

    /// The same in two sentences; `None` without a judge.
    pub fn worth_in_words(&self) -> Result<Option<String>> {
        match self.settings.judge {
            Some(_) => Ok(Some(self.worth()?.to_string())),
            None => Ok(None),
        }
    }

    fn worth_of<T: StudyTask>(&self) -> Result<Worth> {
        let metric = &self.settings.metric;
        if self.counts.labels >= MEASURED_FROM {
            let ledger = self.ledger::<T>(metric)?;
            if ledger.complete() >= MEASURED_FROM {
                let estimator: Box<dyn Estimator> = match ledger.strata() {
                    Some(_) => Box::new(ledger.by_strata()?),
                    None => Box::new(CentredLure),
                };
                let evidence = ledger.evidence_by(&*estimator, Imputed::Expected)?;
                if let Some(found) = measured(&evidence, &*estimator)? {
                    return Ok(Worth::new(found, evidence.samples.len(), &self.settings));
                }
            }
        }
        Ok(Worth::new(promised::<T>(self, &self.settings)?, 0, &self.settings))
    }

    /// The labelled items on which the judge was surest and wrong, at most `count`, the surest first.
    pub fn disagreements(&self, count: usize) -> Result<Vec<Misjudgement>> {
        if self.settings.judge.is_none() {
            return Err(JudgeError::NoJudge.into());
        }
        let record = self.record()?;
        let mut found = Vec::new();
        for (drawn, fate) in record.draws.iter().zip(&record.fates) {
            let Fate::Labelled(label) = fate else { continue };
            let row = &drawn.row;
            let (judge, surety) = match &self.settings.subject {
                crate::Subject::Classes { names } => {
                    let predicted = self.settings.decision().predicted(&row.prediction);
                    let name = names.get(predicted).cloned().unwrap_or_default();
                    let said = <labelwise::Classification as StudyTask>::label(label, row, &self.settings);
                    if said == Ok(predicted) {
                        continue;
                    }
                    (name, row.prediction.get(predicted).copied().unwrap_or(0.0))
                }
                _ => {
                    let said = row.prediction.first().copied().unwrap_or(f64::NAN);
                    let told = label.trim().parse::<f64>().unwrap_or(f64::NAN);
                    let (low, high) = self.settings.range.unwrap_or((0.0, 1.0));
                    let distance = (said - told).abs() / (high - low);
                    if distance.is_nan() || distance == 0.0 {
                        continue;
                    }
                    (format!("{said:.2}"), distance)
                }
            };
            let (id, item) = (drawn.id.clone(), row.draw.index);
            found.push(Misjudgement { id, item, judge, label: label.clone(), surety, texts: Vec::new() });
        }
        found.sort_by(|one, other| other.surety.total_cmp(&one.surety).then(one.item.cmp(&other.item)));
        found.truncate(count);
        let items: Vec<usize> = found.iter().map(|one| one.item).collect();
        for name in &self.settings.pool.carried {
            let texts = self.journal.texts(&columns::carried(name), &items)?;
            found.iter_mut().zip(texts).for_each(|(one, text)| one.texts.push((name.clone(), text)));
        }
        Ok(found)
    }
}

/// What the belief before the first label promises: the variance of labels over what is left of it.
#[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
fn promised<T: StudyTask>(study: &Study, settings: &Settings) -> Result<(f64, f64)> {
    let name = settings.metric.loss;
    let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let mut made = prepare::made_first::<T>(&*study.journal, settings)?;
    let inputs = ProposalInputs::<T>::new(&*study.journal, settings)?;
    let beliefs = made.evaluation.beliefs()?.rows().clone();
    let moments = first_moments(&inputs.pool, &beliefs, &*loss);
    let size = moments.len().max(1) as f64;
    let within = |moments: &Moments| (moments.second - moments.first * moments.first).max(0.0);
    let mean = moments.iter().map(|moments| moments.first).sum::<f64>() / size;
    let between = moments.iter().map(|moments| (moments.first - mean).powi(2)).sum::<f64>() / size;
    let left = moments.iter().map(within).sum::<f64>() / size;
    let weights = made.evaluation.weights();
    let mass: f64 = weights.iter().sum();
    let chosen = moments.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    let chosen: f64 =
        chosen.map(|(moments, weight)| within(moments) * mass / weight).sum::<f64>() / (size * size);
    let all = left + between;
    Ok((all / left.max(1e-12), all / chosen.max(1e-12)))
}

/// What labels say: the variance of losses over that of their differences from the judge, and over that of the estimate.
#[allow(clippy::cast_precision_loss, reason = "labels are counted in thousands")]
fn measured(evidence: &labelwise::ledger::Evidence, estimator: &dyn Estimator) -> Result<Option<(f64, f64)>> {
    let samples = &evidence.samples;
    let weights = match estimator.replacement() {
        Replacement::WithinStrata => estimator.weights(samples, evidence.pool_size)?,
        _ => evidence.weights(),
    };
    let (m, n) = (samples.len() as f64, evidence.pool_size as f64);
    let total: f64 = weights.iter().sum();
    let mean = |of: &dyn Fn(usize) -> f64| -> f64 {
        weights.iter().enumerate().map(|(place, weight)| weight * of(place)).sum::<f64>() / total
    };
    let loss = |place: usize| samples.get(place).map_or(0.0, |sample| sample.loss);
    let judge = |place: usize| samples.get(place).map_or(0.0, |sample| sample.control);
    let (mean_loss, mean_judge) = (mean(&loss), mean(&judge));
    let variance = mean(&|place| (loss(place) - mean_loss).powi(2)) * m / (m - 1.0);
    let spread = mean(&|place| (judge(place) - mean_judge).powi(2));
    let shared = mean(&|place| (judge(place) - mean_judge) * (loss(place) - mean_loss));
    let slope = if spread > 0.0 {
        (m * shared + PSEUDO_LABELS * spread) / ((m + PSEUDO_LABELS) * spread)
    } else {
        0.0
    };
    let off = |place: usize| loss(place) - mean_loss - slope * (judge(place) - mean_judge);
    let left = mean(&|place| off(place).powi(2)) * m / (m - 2.0);
    let terms = estimator.terms(samples, evidence.pool_size)?;
    let Some(estimate) = terms.variance().filter(|variance| *variance > 0.0) else { return Ok(None) };
    if left <= 0.0 || variance <= 0.0 {
        return Ok(None);
    }
    Ok(Some((variance / left, variance * (1.0 / m - 1.0 / n) / estimate)))
}

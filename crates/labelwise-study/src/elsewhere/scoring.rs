//! Scores of a part of a pool: everything that is of the whole pool is recorded before, so that q is exact for what was recorded.

use labelwise::acquisition::centred_about;
use labelwise::loss::{ExpectedLosses, Loss};
use labelwise::surrogate::{Beliefs, Fit};
use labelwise::{Matrix, Pool};
use serde::{Deserialize, Serialize};

use super::chunk::Chunk;
use super::totals::Totals;
use crate::error::{ChoiceError, ElsewhereError, Result};
use crate::recalibration::KeptPriors;
use crate::spec::metric::LossName;
use crate::spec::names::AcquisitionName;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// Items that a loss is asked about at a time: their rows stay in the nearest cache.
const RUN: usize = 256;

/// Everything that scores follow from, apart from the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scoring {
    pub(crate) settings: Settings,
    /// Prior weights of recalibrated beliefs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) priors: Option<KeptPriors>,
    #[serde(flatten)]
    pub(crate) constants: Constants,
}

/// What is of the whole pool, or of the labels.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Constants {
    /// What the labels make of the components of recalibrated beliefs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fit: Option<KeptFit>,
    /// What centred scores are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) centre: Option<Centre>,
}

/// [`Fit`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct KeptFit {
    weights: Vec<f64>,
    trust: f64,
    given: Vec<f64>,
}

impl From<Fit> for KeptFit {
    fn from(Fit { weights, trust, given }: Fit) -> Self {
        Self { weights, trust, given }
    }
}

impl From<&KeptFit> for Fit {
    fn from(kept: &KeptFit) -> Self {
        let KeptFit { weights, trust, given } = kept.clone();
        Self { weights, trust, given }
    }
}

/// Means over a uniform sample of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Centre {
    /// Of E(ℒ).
    mean: f64,
    /// Of E(ℒ) under the beliefs as they were given, and of the two scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given: Option<[f64; 3]>,
}

/// Scores the rows of parts.
pub(crate) struct Scorer<T: StudyTask> {
    scoring: Scoring,
    fit: Option<Fit>,
    /// The loss that draws are made for, then the others whose totals are kept.
    losses: Vec<(LossName, Box<dyn Loss<T>>)>,
}

/// What is expected of the rows of a part.
struct Expected {
    first: Vec<f64>,
    second: Vec<f64>,
    /// Under the beliefs as they were given, and the share that these have of the score.
    given: Option<(f64, Vec<f64>, Vec<f64>)>,
}

impl<T: StudyTask> Scorer<T> {
    pub(crate) fn new(scoring: Scoring) -> Result<Self> {
        let settings = &scoring.settings;
        let fit = scoring.constants.fit.as_ref().map(Fit::from);
        let loss = |name: LossName| Some((name, T::loss(name, settings)?));
        let own =
            loss(settings.metric.loss).ok_or_else(|| ChoiceError::metric(settings.metric.loss, settings))?;
        let mut losses = vec![own];
        let others = settings.kept_losses().into_iter().filter(|name| *name != settings.metric.loss);
        losses.extend(others.filter_map(loss));
        Ok(Self { fit, losses, scoring })
    }

    /// The names of the losses, in the order of [`Totals::losses`].
    pub(crate) fn losses(&self) -> impl Iterator<Item = LossName> {
        self.losses.iter().map(|(name, _)| *name)
    }

    /// The losses, in the same order.
    pub(crate) fn each_loss(&self) -> impl Iterator<Item = &dyn Loss<T>> {
        self.losses.iter().map(|(_, loss)| &**loss)
    }

    pub(crate) fn pool(&self, chunk: &Chunk) -> Result<Pool<T>> {
        T::pool(chunk.predictions.clone(), &self.scoring.settings)
    }

    pub(crate) fn beliefs(&self, chunk: &Chunk, pool: &Pool<T>) -> Result<Beliefs<T>> {
        let (settings, given) = (&self.scoring.settings, chunk.given.clone());
        match (&self.scoring.priors, &self.fit) {
            (Some(priors), Some(fit)) => T::beliefs_of_part(given, pool, settings, priors, fit),
            _ => T::fixed(given, pool, settings),
        }
    }

    /// Scores of rows. Those that can be drawn are added to the totals.
    pub(crate) fn score(&self, chunk: &Chunk, open: &[bool], totals: &mut Totals) -> Result<Vec<f64>> {
        let expected = self.expected(chunk, open, totals)?;
        let scores = self.scores(expected)?;
        let settings = &self.scoring.settings;
        match &settings.subject {
            Subject::Classes { .. } => {
                let decision = settings.decision();
                let mut reader = chunk.predictions.reader();
                for (row, score) in scores.iter().enumerate().filter(|(row, _)| is_open(open, *row)) {
                    totals.add_class(decision.predicted(reader.row(row)), *score);
                }
            }
            Subject::Hard => {
                let texts = (0..chunk.rows()).map(|row| chunk.said.as_ref()?.text(row));
                for (row, (text, score)) in texts.zip(&scores).enumerate() {
                    if let (Some(text), true) = (text, is_open(open, row)) {
                        totals.add_text(text, *score);
                    }
                }
            }
            Subject::Values | Subject::Scores => {}
        }
        for (_, score) in scores.iter().enumerate().filter(|(row, _)| is_open(open, *row)) {
            totals.least_score = totals.least_score.min(*score);
        }
        Ok(scores)
    }

    fn expected(&self, chunk: &Chunk, open: &[bool], totals: &mut Totals) -> Result<Expected> {
        let pool = self.pool(chunk)?;
        let beliefs = self.beliefs(chunk, &pool)?;
        let rows = chunk.rows();
        let mut found = Expected {
            first: vec![0.0; rows],
            second: vec![0.0; rows],
            given: beliefs
                .as_given()
                .filter(|(share, _)| *share > 0.0)
                .map(|(share, _)| (share, vec![0.0; rows], vec![0.0; rows])),
        };
        totals.widen(self.losses.len());
        let (mut predictions, mut believed) = (pool.predictions().reader(), beliefs.rows().reader());
        let mut given = beliefs.as_given().map(|(_, rows)| rows.reader());
        let own = beliefs.rows().is(pool.predictions());
        for start in (0..rows).step_by(RUN) {
            let items = start..rows.min(start + RUN);
            let predictions = predictions.rows(items.clone());
            let believed = if own { predictions } else { believed.rows(items.clone()) };
            for (number, (_, loss)) in self.losses.iter().enumerate() {
                let mut expected = ExpectedLosses::new(items.len());
                loss.expected_losses(predictions, believed, &mut expected);
                totals.add_loss(number, &expected, open.get(items.clone()).unwrap_or_default());
                if number == 0 {
                    copy(&mut found.first, &items, &expected.first);
                    copy(&mut found.second, &items, &expected.second);
                    if let (Some((_, first, second)), Some(given)) = (&mut found.given, &mut given) {
                        loss.expected_losses(predictions, given.rows(items.clone()), &mut expected);
                        copy(first, &items, &expected.first);
                        copy(second, &items, &expected.second);
                    }
                }
            }
        }
        Ok(found)
    }

    fn scores(&self, expected: Expected) -> Result<Vec<f64>> {
        let Expected { first, mut second, given } = expected;
        let moments = || first.iter();
        match self.scoring.settings.acquisition {
            AcquisitionName::Centred => {
                let Some(centre) = self.scoring.constants.centre else {
                    return Err(ElsewhereError::Order("centred scores need a pass of constants first").into());
                };
                centred_about(centre.mean, &first, &mut second);
                if let (Some((share, raw_first, mut raw)), Some([mean, whole, raw_whole])) =
                    (given, centre.given)
                {
                    centred_about(mean, &raw_first, &mut raw);
                    for (score, raw) in second.iter_mut().zip(&raw) {
                        *score = (1.0 - share) * *score / whole + share * raw / raw_whole;
                    }
                }
            }
            AcquisitionName::RootMeanSquare => {
                second.iter_mut().for_each(|second| *second = second.max(0.0).sqrt());
            }
            AcquisitionName::ExpectedLoss => return Ok(first),
            AcquisitionName::StandardDeviation => {
                for (second, first) in second.iter_mut().zip(moments()) {
                    *second = (*second - first * first).max(0.0).sqrt();
                }
            }
            AcquisitionName::Uniform => second.fill(1.0),
            other => return Err(needs_whole_pool(other)),
        }
        Ok(second)
    }

    /// What centred scores are about, from a uniform sample of the pool.
    pub(crate) fn centre(&self, sample: &Chunk) -> Result<Option<Centre>> {
        if self.scoring.settings.acquisition != AcquisitionName::Centred {
            return Ok(None);
        }
        let open = vec![true; sample.rows()];
        let Expected { first, mut second, given } = self.expected(sample, &open, &mut Totals::default())?;
        let mean = mean_of(&first);
        centred_about(mean, &first, &mut second);
        let given = given.and_then(|(_, first, mut raw)| {
            let raw_mean = mean_of(&first);
            centred_about(raw_mean, &first, &mut raw);
            let (whole, raw_whole) = (mean_of(&second), mean_of(&raw));
            (whole > 0.0 && raw_whole > 0.0).then_some([raw_mean, whole, raw_whole])
        });
        Ok(Some(Centre { mean, given }))
    }
}

/// The mean, summed without rounding: the order of the items does not matter.
#[allow(clippy::cast_precision_loss, reason = "items of a sample are counted in thousands")]
fn mean_of(values: &[f64]) -> f64 {
    let sum: labelwise_sketch::ExactSum = values.iter().copied().collect();
    sum.value() / values.len().max(1) as f64
}

fn copy(to: &mut [f64], items: &std::ops::Range<usize>, from: &[f64]) {
    if let Some(to) = to.get_mut(items.clone()) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}

pub(crate) fn is_open(open: &[bool], row: usize) -> bool {
    open.get(row).copied().unwrap_or(true)
}

pub(crate) fn needs_whole_pool(acquisition: AcquisitionName) -> crate::Error {
    let what = format!("the acquisition {acquisition}");
    ElsewhereError::WholePool {
        what,
        way_out: "use centred, root-mean-square, expected-loss, standard-deviation or uniform",
    }
    .into()
}

/// Rows of zeros and a sample side by side are one table.
pub(crate) fn below(one: &Matrix, other: &[Vec<f64>]) -> Result<Matrix> {
    let mut values = one.reader().rows(0..one.rows()).values().to_vec();
    values.extend(other.iter().flatten());
    super::chunk::matrix(values, one.columns())
}

//! The settings of an evaluation: chosen once, kept in its file.

use std::collections::BTreeMap;

use labelwise::proposal::Floor;
use labelwise::surrogate::Schedule;
use labelwise_file::digest;
use serde::{Deserialize, Serialize};

use crate::columns::Layout;
use crate::decide::zeros::USUAL_CAP;
use crate::elsewhere::{Elsewhere, predictions};
use crate::error::MetricError;
use crate::judge::JudgeChoice;
use crate::spec::design::Design;
use crate::spec::measurable::Measurable;
use crate::spec::metric::{LossName, Metric};
use crate::spec::names::{AcquisitionName, BadScores, EstimatorName, LearnerName};
use crate::spec::subject::Subject;
use crate::spec::supplied::Supplied;

/// Everything that was decided when the evaluation was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The version of labelwise that created it.
    pub version: String,
    /// Time of creation, in microseconds since 1970, UTC.
    pub created: i64,
    /// The origin of the pool.
    pub pool: PoolOrigin,
    /// What the predictions are.
    pub subject: Subject,
    /// The mean loss that draws are made for.
    pub metric: Metric,
    /// Smallest and largest possible label, if given.
    pub range: Option<(f64, f64)>,
    /// The surrogate.
    pub surrogate: SurrogateChoice,
    /// How items are scored.
    pub acquisition: AcquisitionName,
    /// The floor under q.
    pub floor: FloorChoice,
    /// When the beliefs are recalibrated by the labels; `None` if they are used as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalibrated: Option<Times>,
    /// The estimator of this evaluation.
    #[serde(default = "before_centred", skip_serializing_if = "is_before_centred")]
    pub estimator: EstimatorName,
    /// When scores are recomputed if the surrogate did not change.
    pub rescore: Times,
    /// The seed of all randomness.
    pub seed: u64,
    /// All metrics that draws are made for, if there are others than that loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aims: Vec<Measurable>,
    /// The positive class, if a metric needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// The probability from which on the positive class is predicted, of two classes; `None` for the most probable class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The cap of cross-entropy: smaller probabilities count as this one.
    #[serde(default = "usual_cap", skip_serializing_if = "is_usual_cap")]
    pub cap: f64,
    /// The worth of each class, if the value of classes is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worths: Vec<f64>,
    /// The judges and the history that the pool was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeChoice>,
    /// The models of a comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<RivalOrigin>,
    /// Number of items on which the models cannot differ; they are never drawn.
    #[serde(default)]
    pub ties: usize,
    /// When items are chosen.
    #[serde(default, skip_serializing_if = "Design::is_adaptive")]
    pub design: Design,
    /// Losses that are known without a label, by item: these items are never drawn, and count exactly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<(usize, f64)>,
    /// The rule for invalid scores.
    #[serde(default, skip_serializing_if = "BadScores::is_reject")]
    pub bad_scores: BadScores,
    /// Where the pool is, if the evaluation keeps its draws and not the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) elsewhere: Option<Elsewhere>,
    /// A custom loss and a custom surrogate, which are not stored in files.
    #[serde(skip)]
    pub(crate) supplied: Supplied,
    /// The layouts of the pool's columns.
    pub(crate) columns: BTreeMap<String, Layout>,
}

fn usual_cap() -> f64 {
    USUAL_CAP
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_usual_cap(cap: &f64) -> bool {
    *cap == USUAL_CAP
}

/// The estimator of files that do not name one.
fn before_centred() -> EstimatorName {
    EstimatorName::Regression
}

fn is_before_centred(estimator: &EstimatorName) -> bool {
    *estimator == before_centred()
}

/// The origin of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolOrigin {
    /// The file, as it was named.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// The fingerprint of its bytes.
    pub fingerprint: String,
    /// N.
    pub size: usize,
    /// Whether ids are a column of the file, or row numbers.
    pub ids: IdOrigin,
    /// The passthrough columns.
    pub carried: Vec<String>,
}

/// A model of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalOrigin {
    /// Its name.
    pub name: String,
    /// The file its predictions came from.
    pub path: String,
    /// The fingerprint of that file.
    pub fingerprint: String,
}

/// The origin of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdOrigin {
    /// A column of the file.
    Column,
    /// Row numbers from 0, valid only together with the file's fingerprint.
    Rows,
}

/// The surrogate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurrogateChoice {
    /// The model's own predictions.
    Own,
    /// Predictions of other models.
    Given {
        /// Number of predictions; several are an ensemble.
        members: usize,
    },
    /// A learner on the features.
    Learnt {
        /// The learner.
        learner: LearnerName,
        /// When it is retrained.
        retrain: Times,
        /// Number of training rows.
        train: usize,
    },
    /// A custom surrogate, retrained like ours.
    Supplied {
        /// When it is retrained.
        retrain: Times,
        /// Number of its training rows.
        train: usize,
    },
    /// None: uniform sampling.
    Nothing,
}

impl SurrogateChoice {
    /// In a few words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Own => "the model itself".to_owned(),
            Self::Given { members: 1 } => "given predictions".to_owned(),
            Self::Given { members } => format!("an ensemble of {members} given predictions"),
            Self::Nothing => "none".to_owned(),
            Self::Supplied { .. } => "an object of the caller".to_owned(),
            Self::Learnt { learner, retrain, train } => {
                let again = match retrain {
                    Times::Every(k) => format!("retrained after every {k} labels"),
                    Times::At(_) => "retrained at fixed numbers of labels".to_owned(),
                    Times::Never => "trained once".to_owned(),
                };
                let rows = if *train == 0 { String::new() } else { format!(" with {train} training rows") };
                format!("{learner}{rows}, {again}")
            }
        }
    }
}

impl FloorChoice {
    /// The paper's clip.
    pub const PAPER: Self = Self::Clip(0.2);

    /// In a few words.
    pub fn in_words(self) -> String {
        match self {
            Self::Mixture(rho) => format!("{} % of every draw is uniform", 100.0 * rho),
            Self::Clip(alpha) => {
                format!("every probability is at least {alpha} times the uniform one, before normalising")
            }
            Self::Unguarded => "none".to_owned(),
        }
    }
}

/// The floor under q.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FloorChoice {
    /// A uniform part ρ.
    Mixture(f64),
    /// The paper's clip α.
    Clip(f64),
    /// None.
    Unguarded,
}

impl From<FloorChoice> for Floor {
    fn from(floor: FloorChoice) -> Self {
        match floor {
            FloorChoice::Mixture(rho) => Self::Mixture { rho },
            FloorChoice::Clip(alpha) => Self::Clip { alpha },
            FloorChoice::Unguarded => Self::Unguarded,
        }
    }
}

/// When something happens, counted in labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// After every N labels.
    Every(usize),
    /// At these numbers of labels.
    At(Vec<usize>),
    /// Never.
    Never,
}

impl From<&Times> for Schedule {
    fn from(times: &Times) -> Self {
        match times {
            Times::Every(k) => Self::Every(*k),
            Times::At(list) => Self::At(list.clone()),
            Times::Never => Self::Never,
        }
    }
}

impl Settings {
    /// A key of the evaluation for other programs: 16 digits that a copy of the file has too, and no other evaluation.
    pub fn identity(&self) -> String {
        let parts = [self.pool.fingerprint.as_str(), &self.created.to_string(), &self.seed.to_string()];
        format!("{:016x}", digest(&parts))
    }

    /// The smallest probability that cross-entropy counts, if one was chosen.
    pub fn chosen_cap(&self) -> Option<f64> {
        (!is_usual_cap(&self.cap)).then_some(self.cap)
    }

    /// Whether a new proposal is due at `now` labels if the last was made at `last`.
    pub(crate) fn due(&self, last: usize, now: usize) -> bool {
        let due = |times: &Times| Schedule::from(times).due(last, now);
        self.retrains(last, now) || due(&self.rescore)
    }

    /// Whether the surrogate is due to follow the labels at `now` of them if the last proposal was made at `last`.
    pub(crate) fn retrains(&self, last: usize, now: usize) -> bool {
        let due = |times: &Times| Schedule::from(times).due(last, now);
        self.retrain().is_some_and(due) || self.recalibrated.as_ref().is_some_and(due)
    }

    /// The default number of labels at which the anytime interval of a comparison is narrowest. Tuned for nearly the whole
    /// pool, it would be wide at all smaller numbers of labels.
    pub fn comparison_plan(&self) -> usize {
        (self.drawable() / 2).clamp(1, 1000)
    }

    /// The mean loss that draws are made for. Refused if they are made for metrics that are not averages.
    pub fn mean_metric(&self) -> Result<&Metric, MetricError> {
        if self.aims.is_empty() || self.aims.iter().any(|aim| aim.score().is_none()) {
            return Ok(&self.metric);
        }
        Err(MetricError::NoMean { made_for: self.made_for(), other: self.metric.name.clone() })
    }

    /// The losses whose totals are kept at a refresh: all without a parameter, and those that draws are made for.
    pub(crate) fn kept_losses(&self) -> Vec<LossName> {
        let mut kept = self.subject.losses(self.variances()).to_vec();
        let made_for = self.aims.iter().filter_map(Measurable::loss).map(|metric| metric.loss);
        let rate = (self.positive.is_some() && self.judge.is_some()).then_some(LossName::Rate);
        let value = (!self.worths.is_empty()).then_some(LossName::Value);
        let told = rate.into_iter().chain(value);
        for loss in std::iter::once(self.metric.loss).chain(made_for).chain(told) {
            if !kept.contains(&loss) {
                kept.push(loss);
            }
        }
        kept
    }

    /// The surrogate in a few words. A judge is its own, and so are several models.
    pub fn surrogate_in_words(&self) -> String {
        match (&self.judge, &self.surrogate) {
            (Some(judge), SurrogateChoice::Own) => judge.in_words(),
            (None, SurrogateChoice::Own) if !self.rivals.is_empty() => "the mean of the models".to_owned(),
            (_, surrogate) => surrogate.in_words(),
        }
    }

    /// Names of the metrics that draws are made for, comma-separated.
    pub fn made_for(&self) -> String {
        let names: Vec<&str> = self.aims.iter().map(Measurable::name).collect();
        if names.is_empty() { self.metric.name.clone() } else { names.join(",") }
    }

    /// When the surrogate is retrained, if it learns.
    pub(crate) fn retrain(&self) -> Option<&Times> {
        match &self.surrogate {
            SurrogateChoice::Learnt { retrain, .. } | SurrogateChoice::Supplied { retrain, .. } => {
                Some(retrain)
            }
            SurrogateChoice::Own | SurrogateChoice::Given { .. } | SurrogateChoice::Nothing => None,
        }
    }

    /// Whether proposals are ever computed again.
    pub(crate) fn refreshes(&self) -> bool {
        let ever = |times: &Times| *times != Times::Never;
        self.retrain().is_some_and(ever)
            || self.recalibrated.as_ref().is_some_and(ever)
            || ever(&self.rescore)
    }

    /// Number of items that can be drawn: all except those with a known loss.
    pub(crate) fn drawable(&self) -> usize {
        self.pool.size.saturating_sub(self.ties.saturating_add(self.known.len()))
    }

    /// Number of models.
    pub fn models(&self) -> usize {
        self.rivals.len().max(1)
    }

    /// Number of prediction columns per model.
    pub(crate) fn model_columns(&self) -> usize {
        predictions(self).map_or(2, |layout| layout.width / self.models())
    }

    /// Whether the predictions have an uncertainty, so that they are beliefs too.
    pub(crate) fn says_how_sure(&self) -> bool {
        match self.subject {
            Subject::Classes { .. } => true,
            Subject::Values => self.variances(),
            Subject::Hard | Subject::Scores => false,
        }
    }

    /// Whether the predictions have variances.
    pub(crate) fn variances(&self) -> bool {
        predictions(self).is_some_and(|layout| layout.width == 2 * self.models())
    }
}

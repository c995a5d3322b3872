//! The settings of an evaluation: chosen once, kept in its file.

use std::collections::BTreeMap;

use labelwise::proposal::Floor;
use labelwise::surrogate::Schedule;
use serde::{Deserialize, Serialize};

use crate::columns::Layout;
use crate::error::MetricError;
use crate::spec::design::Design;
use crate::spec::measurable::Measurable;
use crate::spec::metric::{LossName, Metric};
use crate::spec::names::{AcquisitionName, BadScores, LearnerName};
use crate::spec::supplied::Supplied;

/// Everything that was decided when the evaluation was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The version of labelwise that made it.
    pub version: String,
    /// When, in microseconds since 1970, UTC.
    pub created: i64,
    /// Where the pool came from.
    pub pool: PoolOrigin,
    /// What the predictions are.
    pub subject: Subject,
    /// What the draws are made for.
    pub metric: Metric,
    /// What every label lies between, where labels are numbers and that was said.
    pub range: Option<(f64, f64)>,
    /// What is believed about labels.
    pub surrogate: SurrogateChoice,
    /// How items are scored.
    pub acquisition: AcquisitionName,
    /// How q is kept from zero.
    pub floor: FloorChoice,
    /// When scores are made anew although the surrogate did not change.
    pub rescore: Times,
    /// The seed of all randomness.
    pub seed: u64,
    /// Everything that the draws are made for, where it is not just the mean of that loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aims: Vec<Measurable>,
    /// The positive class, where a metric is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// The models, where several are compared: none where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<RivalOrigin>,
    /// Items on which the models cannot differ: they are never drawn.
    #[serde(default)]
    pub ties: usize,
    /// When items are chosen.
    #[serde(default, skip_serializing_if = "Design::is_adaptive")]
    pub design: Design,
    /// Losses that are known without a label, by item: these items are never drawn, and count exactly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<(usize, f64)>,
    /// What happens to scores that are not usable.
    #[serde(default, skip_serializing_if = "BadScores::is_reject")]
    pub bad_scores: BadScores,
    /// A loss and a surrogate of the caller's own, which no file keeps.
    #[serde(skip)]
    pub(crate) supplied: Supplied,
    /// How the pool's columns lie in the file.
    pub(crate) columns: BTreeMap<String, Layout>,
}

/// Where a pool came from.
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
    /// The columns that go along to the labeller.
    pub carried: Vec<String>,
}

/// A model that is compared with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalOrigin {
    /// What it is called.
    pub name: String,
    /// The file its predictions came from.
    pub path: String,
    /// The fingerprint of that file.
    pub fingerprint: String,
}

/// What ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdOrigin {
    /// A column of the file.
    Column,
    /// Row numbers from 0, which mean something only together with the file's fingerprint.
    Rows,
}

/// What is under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A classifier that gives probabilities.
    Classes {
        /// The classes, in the order of the columns.
        names: Vec<String>,
    },
    /// A classifier that gives classes alone: a label is right or wrong.
    Hard,
    /// A regression.
    Values,
    /// Items with scores; what is told is the number to be averaged.
    Scores,
}

impl Subject {
    /// The losses without a parameter that it can be measured by, the default first.
    pub fn losses(&self, variances: bool) -> &'static [LossName] {
        match self {
            Self::Classes { .. } => &[LossName::CrossEntropy, LossName::ZeroOne, LossName::Brier],
            Self::Hard => &[LossName::ZeroOne],
            Self::Values if variances => {
                &[LossName::SquaredError, LossName::AbsoluteError, LossName::GaussianNll]
            }
            Self::Values => &[LossName::SquaredError, LossName::AbsoluteError],
            Self::Scores => &[LossName::Value],
        }
    }

    /// Whether it can be measured by a loss: one of the list, or one with a parameter.
    pub fn has(&self, loss: LossName, variances: bool) -> bool {
        match loss {
            LossName::Pinball(_) => *self == Self::Values,
            _ => self.losses(variances).contains(&loss),
        }
    }

    /// Names of the losses it can be measured by, for sentences.
    pub(crate) fn loss_names(&self, variances: bool) -> String {
        let mut names: Vec<String> = self.losses(variances).iter().map(LossName::to_string).collect();
        if *self == Self::Values {
            names.push("pinball-0.9".to_owned());
        }
        names.join(", ")
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Classes { names } => format!("probabilities of {} classes", names.len()),
            Self::Hard => "classes without probabilities".to_owned(),
            Self::Values => "values".to_owned(),
            Self::Scores => "scores".to_owned(),
        }
    }
}

/// What is believed about labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurrogateChoice {
    /// The model's own predictions.
    Own,
    /// Predictions of other models.
    Given {
        /// How many; several are an ensemble.
        members: usize,
    },
    /// Something that learns from features.
    Learnt {
        /// What.
        learner: LearnerName,
        /// When it learns again, counted in labels.
        retrain: Times,
        /// How many labelled rows it has beside the pool.
        train: usize,
    },
    /// A surrogate of the caller's own, which learns as ours do.
    Supplied {
        /// When it learns again, counted in labels.
        retrain: Times,
        /// How many labelled rows it has of its own.
        train: usize,
    },
    /// Nothing: all items are alike.
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

/// How q is kept from zero.
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
    /// After every so many.
    Every(usize),
    /// At these numbers.
    At(Vec<usize>),
    /// Not at all.
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
    /// Whether a new proposal is due at `now` labels when the last was made at `last`.
    pub(crate) fn due(&self, last: usize, now: usize) -> bool {
        self.retrain().is_some_and(|retrain| Schedule::from(retrain).due(last, now))
            || Schedule::from(&self.rescore).due(last, now)
    }

    /// The mean loss that the draws are made for; refused where they are made for metrics that are none, since another would
    /// be about something else.
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
        for loss in std::iter::once(self.metric.loss).chain(made_for) {
            if !kept.contains(&loss) {
                kept.push(loss);
            }
        }
        kept
    }

    /// The names of what the draws are made for, with commas between.
    pub fn made_for(&self) -> String {
        let names: Vec<&str> = self.aims.iter().map(Measurable::name).collect();
        if names.is_empty() { self.metric.name.clone() } else { names.join(",") }
    }

    /// When the surrogate learns again, if it learns.
    pub(crate) fn retrain(&self) -> Option<&Times> {
        match &self.surrogate {
            SurrogateChoice::Learnt { retrain, .. } | SurrogateChoice::Supplied { retrain, .. } => {
                Some(retrain)
            }
            SurrogateChoice::Own | SurrogateChoice::Given { .. } | SurrogateChoice::Nothing => None,
        }
    }

    /// Whether proposals are ever made anew.
    pub(crate) fn refreshes(&self) -> bool {
        self.retrain().is_some_and(|retrain| *retrain != Times::Never) || self.rescore != Times::Never
    }

    /// How many items can be drawn: all but those whose loss is known.
    pub(crate) fn drawable(&self) -> usize {
        self.pool.size.saturating_sub(self.ties + self.known.len())
    }

    /// How many models there are.
    pub fn models(&self) -> usize {
        self.rivals.len().max(1)
    }

    /// How many columns of the predictions are those of one model.
    pub(crate) fn model_columns(&self) -> usize {
        self.columns.get(crate::columns::PREDICTIONS).map_or(2, |layout| layout.width / self.models())
    }

    /// Whether the predictions say how sure the model is, so that they are beliefs too.
    pub(crate) fn says_how_sure(&self) -> bool {
        match self.subject {
            Subject::Classes { .. } => true,
            Subject::Values => self.variances(),
            Subject::Hard | Subject::Scores => false,
        }
    }

    /// Whether the predictions have variances.
    pub(crate) fn variances(&self) -> bool {
        self.columns.get(crate::columns::PREDICTIONS).is_some_and(|layout| layout.width == 2 * self.models())
    }
}

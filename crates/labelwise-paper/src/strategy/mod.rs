//! A strategy is a value: whose beliefs items are drawn by, how, how the risk is estimated, and how all of it is shown. The
//! strategies are in [`strategies`], one constant each.

pub mod ablations;
pub mod strategies;

use labelwise_plot::{Colour, Dash};
use serde::{Serialize, Serializer};

/// A way to draw items and to estimate the risk from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strategy {
    /// Its column in files of traces.
    pub key: &'static str,
    /// How items are drawn, as legends, claims and tables say it.
    pub name: &'static str,
    /// Whose beliefs items are drawn by.
    pub beliefs: Beliefs,
    /// How items are drawn.
    pub proposal: Proposal,
    /// How the risk is estimated.
    pub estimator: EstimatorKind,
    /// Its colour and dashes, the same in every picture.
    pub look: Look,
    /// Whose idea it is.
    pub origin: Origin,
}

/// Whose beliefs items are drawn by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beliefs {
    /// The model's own.
    Model,
    /// A Gaussian process, updated after every label.
    Process,
    /// A forest, retrained as labels come in.
    Forest,
    /// A learner whose family and hyperparameters change from fit to fit.
    Varied,
    /// A network of the model's kind, retrained as labels come in.
    Network,
    /// The mean of networks that were trained once: the ensemble at this place of the experiment.
    Ensemble(usize),
    /// An oracle's, who knows the labels.
    Oracle,
}

/// How items are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposal {
    /// All alike.
    Uniform,
    /// By the true loss, which only an oracle knows.
    TrueLoss,
    /// By the distance to the observed points.
    Distance,
    /// By the expected loss, as the paper does.
    ExpectedLoss,
    /// By the mutual information of the members, as active learning does.
    MutualInformation,
    /// By the root mean square of the loss, with a uniform part.
    RootMeanSquare,
    /// By the scores of active risk estimation, without replacement.
    ActiveRisk,
    /// By the scores of active risk estimation, with replacement.
    ActiveRiskReplaced,
}

/// How the risk is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EstimatorKind {
    /// R̂_LURE, the paper's.
    Lure,
    /// R̂_iid.
    Iid,
    /// LURE with the surrogate's expectation as a fitted control.
    RegressionLure,
    /// Importance sampling, normalised by the weights that were drawn.
    ImportanceSampling,
    /// Importance sampling with the known normaliser.
    HansenHurwitz,
    /// Active surrogate estimation: labelled items by their losses, the others by what the surrogate expects of them.
    Surrogate,
}

impl EstimatorKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lure => "LURE",
            Self::Iid => "plain mean",
            Self::RegressionLure => "regression LURE",
            Self::ImportanceSampling => "importance sampling",
            Self::HansenHurwitz => "Hansen-Hurwitz",
            Self::Surrogate => "surrogate's own estimate",
        }
    }

    /// Its symbol, as plots have it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Lure => "R̂_{LURE}",
            Self::Iid => "R̂_{iid}",
            Self::RegressionLure => "R̂_{REG}",
            Self::ImportanceSampling => "R̂_{IS}",
            Self::HansenHurwitz => "R̂_{HH}",
            Self::Surrogate => "R̂_{ASE}",
        }
    }
}

/// Colour and dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colour.
    pub colour: Colour,
    /// The dashes.
    pub dash: Dash,
}

/// Whose idea a strategy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The paper's, or one that the paper compares with.
    Paper,
    /// One that needs to know all labels, for reference.
    Oracle,
    /// Ours, or one of later work.
    Later,
}

impl Strategy {
    /// Name and estimator in words.
    pub fn title(self) -> String {
        format!("{}, {}", self.name, self.estimator.name())
    }

    /// Its name in a legend.
    pub(crate) fn label(self) -> String {
        format!("{}, {}", self.name, self.estimator.symbol())
    }

    /// Whether it makes the same draws as another, so that both can share them.
    pub(crate) fn draws_like(&self, other: &Self) -> bool {
        (self.beliefs, self.proposal) == (other.beliefs, other.proposal)
    }

    /// A column of its estimates.
    pub fn estimates(self, steps: usize) -> Column {
        Column { strategy: self, steps, values: Values::Estimates }
    }

    /// A column of its queries.
    pub fn queries(self, steps: usize) -> Column {
        Column { strategy: self, steps, values: Values::Queries }
    }
}

/// What files say of it: its column, and what it does in words.
impl Serialize for Strategy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Words {
            key: &'static str,
            acquisition: &'static str,
            estimator: &'static str,
        }
        let words = Words { key: self.key, acquisition: self.name, estimator: self.estimator.name() };
        words.serialize(serializer)
    }
}

/// One column of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// What it follows.
    pub strategy: Strategy,
    /// How many steps.
    pub steps: usize,
    /// What its values are.
    pub values: Values,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Estimates of the pool risk.
    Estimates,
    /// Number of queries until 1, 2, ... different items were seen.
    Queries,
}

//! The strategies that can be compared: which items to label, and how to estimate from their labels.

use std::borrow::Cow;

use crate::error::{ChoiceError, Result};
use crate::spec::design::{Design, USUAL_STRATA};
use crate::spec::names::{AcquisitionName, BeliefName, EstimatorName};
use crate::spec::settings::{FloorChoice, Settings, SurrogateChoice, Times};
use crate::spec::subject::Subject;

/// One way to spend a budget of labels. What is `None` is as the choices of the simulation have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// Its key in results.
    pub key: Cow<'static, str>,
    /// Its name in tables.
    pub title: Cow<'static, str>,
    /// How the surrogate's beliefs are used.
    pub belief: Option<BeliefName>,
    /// How items are scored.
    pub acquisition: Option<AcquisitionName>,
    /// How q is kept from zero.
    pub floor: Option<FloorChoice>,
    /// When the floor is applied to the items that are left. The surrogate learns when the choices of the simulation say so,
    /// and scores stay until then. (A file fits the surrogate at these moments too.)
    pub rescore: Option<Times>,
    /// How the risk is estimated.
    pub estimator: EstimatorName,
    /// The maximum number of strata, for a stratified sample that is fixed before the first label.
    pub strata: Option<usize>,
}

impl Strategy {
    /// Uniform draws, and their plain mean.
    pub const UNIFORM: Self = Self {
        key: Cow::Borrowed("uniform"),
        title: Cow::Borrowed("uniform sampling"),
        belief: Some(BeliefName::AsGiven),
        acquisition: Some(AcquisitionName::Uniform),
        estimator: EstimatorName::Iid,
        ..Self::LABELWISE
    };

    /// A stratified sample: all items chosen at once, from strata of the expected loss.
    pub const STRATIFIED: Self = Self {
        key: Cow::Borrowed("stratified"),
        title: Cow::Borrowed("stratified"),
        belief: Some(BeliefName::AsGiven),
        strata: Some(USUAL_STRATA),
        ..Self::LABELWISE
    };

    /// The paper's recipe: expected loss, a clip of the items left at every step, LURE.
    pub const PAPER: Self = Self {
        key: Cow::Borrowed("paper"),
        title: Cow::Borrowed("the paper's recipe"),
        belief: Some(BeliefName::AsGiven),
        acquisition: Some(AcquisitionName::ExpectedLoss),
        floor: Some(FloorChoice::PAPER),
        rescore: Some(Times::Every(1)),
        estimator: EstimatorName::Lure,
        ..Self::LABELWISE
    };

    /// Beliefs as given, the root mean square of the expected loss, regression LURE.
    pub const ROOT_MEAN_SQUARE: Self = Self {
        key: Cow::Borrowed("root-mean-square"),
        title: Cow::Borrowed("root mean square"),
        belief: Some(BeliefName::AsGiven),
        acquisition: Some(AcquisitionName::RootMeanSquare),
        floor: Some(FloorChoice::Mixture(0.3)),
        estimator: EstimatorName::Regression,
        ..Self::LABELWISE
    };

    /// Our defaults.
    pub const LABELWISE: Self = Self {
        key: Cow::Borrowed("labelwise"),
        title: Cow::Borrowed("labelwise"),
        belief: None,
        acquisition: None,
        floor: None,
        rescore: None,
        estimator: EstimatorName::Suited,
        strata: None,
    };

    /// The strategies that `labelwise simulate` compares.
    pub const ALL: [Self; 5] =
        [Self::UNIFORM, Self::STRATIFIED, Self::PAPER, Self::ROOT_MEAN_SQUARE, Self::LABELWISE];

    /// The name of its estimator.
    pub fn estimator_name(&self, settings: &Settings) -> &'static str {
        match (self.strata, self.estimator) {
            (Some(_), EstimatorName::Suited) => "stratified mean",
            (None, EstimatorName::Suited) => settings.estimator.estimator().name(),
            (_, estimator) => estimator.estimator().name(),
        }
    }

    /// Whether every item has the same probability and the mean is plain: its error has a formula.
    pub(crate) fn is_uniform(&self) -> bool {
        self.acquisition == Some(AcquisitionName::Uniform) && self.estimator == EstimatorName::Iid
    }

    /// Whether the floor is applied again without new scores: at the moments of its own, if its scores change only when the
    /// surrogate learns.
    pub(crate) fn reweighs(&self, settings: &Settings) -> bool {
        self.rescore.is_some() && settings.acquisition.keeps_scores()
    }

    /// Why the strategy cannot be tried with these settings, if it cannot.
    pub fn unsuited(&self, settings: &Settings) -> Option<Unsuited> {
        let scores = self.acquisition.is_some_and(|acquisition| acquisition != AcquisitionName::Uniform);
        if settings.surrogate == SurrogateChoice::Nothing && (scores || self.strata.is_some()) {
            return Some(Unsuited::NoSurrogate);
        }
        // Of numbers, labels teach intervals alone.
        let taught = settings.recalibrated.is_some() && settings.subject != Subject::Values;
        if self.key == Self::ROOT_MEAN_SQUARE.key && !taught {
            return Some(Unsuited::Same);
        }
        let signed = settings.metric.loss.is_signed();
        (signed && self.acquisition == Some(AcquisitionName::ExpectedLoss)).then_some(Unsuited::SignedLoss)
    }

    /// The settings of one run.
    pub(crate) fn settings(&self, base: &Settings) -> Result<Settings> {
        if self.unsuited(base) == Some(Unsuited::NoSurrogate) {
            return Err(ChoiceError::NothingToScoreBy.into());
        }
        let mut settings = base.clone();
        settings.acquisition = self.acquisition.unwrap_or(base.acquisition);
        settings.floor = self.floor.unwrap_or(base.floor);
        if self.belief == Some(BeliefName::AsGiven) {
            settings.recalibrated = None;
        }
        settings.rescore = self.rescore.clone().unwrap_or_else(|| base.rescore.clone());
        settings.design = Design::Adaptive;
        // Neither draws nor estimates use the surrogate: without it nothing is fitted in vain.
        if self.is_uniform() {
            settings.recalibrated = None;
            settings.surrogate = SurrogateChoice::Nothing;
        }
        Ok(settings)
    }
}

/// Why a strategy cannot be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuited {
    /// There is no surrogate to score items by.
    NoSurrogate,
    /// The expected loss may be negative.
    SignedLoss,
    /// It is the same as the default here.
    Same,
}

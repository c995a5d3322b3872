//! Names of what can be chosen: one list each, for the library, files, the program and Python.

use labelwise::Target;
use labelwise::interval::Method;
use labelwise::plan::Assurance;

use super::settings::{AcquisitionName, BadScores, LearnerName};
use crate::decide::choices::SurrogateWish;
use crate::questions::estimate::EstimatorName;

/// Something that is chosen by its name.
pub trait Named: Copy + PartialEq + 'static {
    /// What is chosen, in a word.
    const WHAT: &'static str;

    /// Every name with what it stands for. The first name of a choice is its own; the others are aliases.
    const NAMES: &'static [(&'static str, Self)];

    /// The name of the choice.
    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, choice)| *choice == self).map_or("", |(name, _)| name)
    }

    /// Every choice, in order, by its own name.
    fn choices() -> impl Iterator<Item = &'static str> {
        let own = |(name, choice): &(&'static str, Self)| (choice.name() == *name).then_some(*name);
        Self::NAMES.iter().filter_map(own)
    }

    /// The choice of a name. Case does not matter, and `_` is `-`.
    ///
    /// ```
    /// use labelwise_study::{EstimatorName, Named};
    /// assert_eq!(EstimatorName::named("importance_sampling")?, EstimatorName::ImportanceSampling);
    /// let unknown = EstimatorName::named("median").unwrap_err();
    /// assert!(unknown.to_string().starts_with("there is no estimator \"median\""));
    /// # Ok::<(), labelwise_study::UnknownName>(())
    /// ```
    fn named(name: &str) -> Result<Self, UnknownName> {
        let plain = name.trim().to_ascii_lowercase().replace('_', "-");
        let found = Self::NAMES.iter().find(|(known, _)| *known == plain);
        found.map(|(_, choice)| *choice).ok_or_else(|| UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::choices().collect(),
        })
    }
}

/// A name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}: choose one of {}", .known.join(", "))]
pub struct UnknownName {
    /// What was to be chosen.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

impl Named for EstimatorName {
    const WHAT: &'static str = "estimator";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("suited", Self::Suited),
        ("regression", Self::Regression),
        ("regression-lure", Self::Regression),
        ("lure", Self::Lure),
        ("controlled", Self::Controlled),
        ("controlled-lure", Self::Controlled),
        ("pure", Self::Pure),
        ("iid", Self::Iid),
        ("mean", Self::Iid),
        ("importance-sampling", Self::ImportanceSampling),
        ("hansen-hurwitz", Self::HansenHurwitz),
    ];
}

impl Named for AcquisitionName {
    const WHAT: &'static str = "acquisition";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("root-mean-square", Self::RootMeanSquare),
        ("expected-loss", Self::ExpectedLoss),
        ("standard-deviation", Self::StandardDeviation),
        ("uniform", Self::Uniform),
        ("distance", Self::Distance),
        ("mutual-information", Self::MutualInformation),
        ("active-risk-estimation", Self::ActiveRiskEstimation),
        ("metrics", Self::Metrics),
    ];
}

impl Named for LearnerName {
    const WHAT: &'static str = "learner";
    const NAMES: &'static [(&'static str, Self)] =
        &[("forest", Self::Forest), ("gp", Self::Gp), ("logistic", Self::Logistic), ("linear", Self::Linear)];
}

impl Named for SurrogateWish {
    const WHAT: &'static str = "surrogate";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("own", Self::Own),
        ("self", Self::Own),
        ("given", Self::Given),
        ("none", Self::Nothing),
        ("forest", Self::Learnt(LearnerName::Forest)),
        ("logistic", Self::Learnt(LearnerName::Logistic)),
        ("gp", Self::Learnt(LearnerName::Gp)),
        ("linear", Self::Learnt(LearnerName::Linear)),
    ];
}

impl Named for Assurance {
    const WHAT: &'static str = "method";
    const NAMES: &'static [(&'static str, Self)] =
        &[("anytime", Self::Anytime), ("guaranteed", Self::Guaranteed), ("once", Self::Once)];
}

/// How an interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MethodName {
    /// By the variance of the estimate.
    #[default]
    Ordinary,
    /// Covers at all times at once, for losses with bounds.
    Guaranteed,
    /// Covers at a number of labels that was fixed in advance, for losses with bounds.
    GuaranteedAtBudget,
    /// By the variance, and may be looked at again and again.
    Anytime,
}

impl MethodName {
    /// The labels at which an anytime interval is narrowest, if nobody names another number.
    pub const PLANNED: usize = 100;

    /// The method; `planned` is the number of labels at which an anytime interval is narrowest.
    pub fn method(self, planned: Option<usize>) -> Method {
        match self {
            Self::Ordinary => Method::Ordinary,
            Self::Guaranteed => Method::Guaranteed,
            Self::GuaranteedAtBudget => Method::GuaranteedAtBudget,
            Self::Anytime => Method::Anytime { planned: planned.unwrap_or(Self::PLANNED) },
        }
    }
}

impl Named for MethodName {
    const WHAT: &'static str = "interval";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("ordinary", Self::Ordinary),
        ("guaranteed", Self::Guaranteed),
        ("guaranteed-at-budget", Self::GuaranteedAtBudget),
        ("anytime", Self::Anytime),
    ];
}

impl Named for Target {
    const WHAT: &'static str = "target";
    const NAMES: &'static [(&'static str, Self)] = &[("pool", Self::Pool), ("population", Self::Population)];
}

impl Named for BadScores {
    const WHAT: &'static str = "rule for bad scores";
    const NAMES: &'static [(&'static str, Self)] = &[("reject", Self::Reject), ("median", Self::Median)];
}

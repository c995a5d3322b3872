//! Names of what can be chosen: one list each, for the library, files, the program and Python.
//!
//! A name is written once, next to its choice. Texts, files and help all come from there: [`Named`] finds a choice and names it,
//! `FromStr`, `Display` and serde go through `Named`, and the program makes its options from [`Named::CHOICES`].

use std::fmt;
use std::str::FromStr;

use labelwise::Target;
use labelwise::interval::Method;
use labelwise::plan::Assurance;
use labelwise::proposal::OnBadScore;
use labelwise::words::did_you_mean;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decide::choices::SurrogateWish;

/// Something that is chosen by its name.
pub trait Named: Copy + PartialEq + 'static {
    /// What is chosen, in a word.
    const WHAT: &'static str;

    /// Every choice, in the order in which people read them.
    const CHOICES: &'static [NamedChoice<Self>];

    /// The name of the choice.
    fn name(self) -> &'static str;

    /// The choice of a name. Case does not matter, and `_` is `-`.
    ///
    /// ```
    /// use labelwise_study::{EstimatorName, Named};
    /// assert_eq!(EstimatorName::named("importance_sampling")?, EstimatorName::ImportanceSampling);
    /// let unknown = EstimatorName::named("median").unwrap_err();
    /// assert!(unknown.to_string().starts_with("\"median\" is not a choice of estimator"));
    /// # Ok::<(), labelwise_study::UnknownName>(())
    /// ```
    fn named(name: &str) -> Result<Self, UnknownName> {
        let plain = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let found = Self::CHOICES.iter().find(|choice| choice.names().any(|known| known == plain));
        found.map(|choice| choice.value).ok_or_else(|| UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::CHOICES.iter().map(|choice| choice.name).collect(),
        })
    }
}

/// One of the things that can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct NamedChoice<T: 'static> {
    /// The choice.
    pub value: T,
    /// Its own name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    comment: &'static str,
}

impl<T> NamedChoice<T> {
    /// What it is, in one line for help texts.
    pub fn help(&self) -> &'static str {
        self.comment.trim().trim_end_matches('.')
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// A name that is not a choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a choice of {what}: use one of {}{}", .known.join(", "), did_you_mean(.name, .known.iter().copied()))]
pub struct UnknownName {
    /// The kind of choice.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// All valid names.
    pub known: Vec<&'static str>,
}

/// Names of the choices of a type: comment, choice, name, aliases.
macro_rules! names {
    ($what:literal $type:ty {
        $(#[doc = $comment:literal] $choice:ident $(($($of:tt)+))? = $name:literal $(| $alias:literal)*,)+
    }) => {
        impl Named for $type {
            const WHAT: &'static str = $what;
            const CHOICES: &'static [NamedChoice<Self>] = &[$(NamedChoice {
                value: Self::$choice $(($($of)+))?,
                name: $name,
                aliases: &[$($alias),*],
                comment: $comment,
            }),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$choice $(($($of)+))? => $name,)+
                }
            }
        }
    };
}

/// A type whose choices have names. The comment on a choice is its help text too.
macro_rules! named {
    ($(#[$of_type:meta])* $what:literal $type:ident {
        $(#[doc = $comment:literal] $(#[$of_choice:meta])* $choice:ident = $name:literal $(| $alias:literal)*,)+
    }) => {
        $(#[$of_type])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $(#[doc = $comment] $(#[$of_choice])* $choice,)+
        }

        names! { $what $type { $(#[doc = $comment] $choice = $name $(| $alias)*,)+ } }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                Self::named(name)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::named(&String::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }
    };
}

named! {
    /// An estimator by its name.
    #[derive(Default)]
    "estimator" EstimatorName {
        /// The one that the evaluation was created with.
        #[default]
        Suited = "suited",
        /// Regression LURE in centred form: the same from both sides of a rate.
        Centred = "centred" | "centred-lure",
        /// Regression LURE: LURE with fitted controls.
        Regression = "regression" | "regression-lure",
        /// LURE, the paper's.
        Lure = "lure",
        /// LURE with the surrogate's expected loss as a control.
        Controlled = "controlled" | "controlled-lure",
        /// PURE, of the paper that LURE is from.
        Pure = "pure",
        /// The plain mean, which is biased unless draws are uniform.
        Iid = "iid" | "mean",
        /// Importance sampling, as if items were put back.
        ImportanceSampling = "importance-sampling",
        /// Hansen and Hurwitz's estimator, as if items were put back.
        HansenHurwitz = "hansen-hurwitz",
    }
}

named! {
    /// An acquisition, which scores items, by its name.
    "acquisition" AcquisitionName {
        /// √(Var(ℒ) + 0.2 (E(ℒ) − mean)²): the same from both sides of a rate.
        Centred = "centred",
        /// √E(ℒ²), the root mean square of the expected loss.
        RootMeanSquare = "root-mean-square",
        /// E(ℒ), the expected loss: the paper's.
        ExpectedLoss = "expected-loss",
        /// √Var(ℒ), for losses that can be negative.
        StandardDeviation = "standard-deviation",
        /// Every item has the same score.
        Uniform = "uniform",
        /// Distance of an item's features from those of labelled items.
        Distance = "distance",
        /// Mutual information of the label and the members of an ensemble.
        MutualInformation = "mutual-information",
        /// The scores of active risk estimation.
        ActiveRiskEstimation = "active-risk-estimation",
        /// √E(u²) of the influences on the metrics that draws are made for.
        Metrics = "metrics",
    }
}

impl AcquisitionName {
    /// Whether an item's score depends on the surrogate alone, and not on which items are labelled.
    pub(crate) fn keeps_scores(self) -> bool {
        match self {
            Self::RootMeanSquare
            | Self::ExpectedLoss
            | Self::StandardDeviation
            | Self::Uniform
            | Self::MutualInformation => true,
            Self::Centred | Self::Distance | Self::ActiveRiskEstimation | Self::Metrics => false,
        }
    }

    /// In a few words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Centred => "the centred deviation of the loss",
            Self::RootMeanSquare => "the root mean square of the expected loss",
            Self::ExpectedLoss => "the expected loss",
            Self::StandardDeviation => "the standard deviation of the loss",
            Self::Uniform => "nothing (uniform sampling)",
            Self::Distance => "the distance from labelled items",
            Self::MutualInformation => "the mutual information of label and members",
            Self::ActiveRiskEstimation => "active risk estimation",
            Self::Metrics => "the expected influence on the metrics",
        }
    }
}

named! {
    /// How the surrogate's beliefs are used, by its name.
    #[derive(Default)]
    "belief" BeliefName {
        /// As an average over temperatures, weighted by the labels.
        #[default]
        Recalibrated = "recalibrated",
        /// As they are.
        AsGiven = "as-given" | "given",
    }
}

named! {
    /// A set of choices that go together, by its name.
    #[derive(Default)]
    "recipe" RecipeName {
        /// The default: recalibrated beliefs, centred scores, centred regression LURE.
        #[default]
        Labelwise = "labelwise",
        /// Beliefs as given, root mean square scores, regression LURE.
        RootMeanSquare = "root-mean-square" | "rms",
        /// The paper's: beliefs as given, expected loss, clipped at every step, LURE.
        Paper = "paper",
    }
}

named! {
    /// Something that learns from features, by its name.
    "learner" LearnerName {
        /// Random forest; for class probabilities it is calibrated, and averaged with the model's own.
        Forest = "forest",
        /// Logistic regression, for classes.
        Logistic = "logistic",
        /// Gaussian process, for values.
        Gp = "gp",
        /// Linear regression, for values.
        Linear = "linear",
    }
}

names! {
    "surrogate" SurrogateWish {
        /// The model's own predictions.
        Own = "self" | "own",
        /// Other predictions for the same items.
        Given = "given",
        /// Random forest on the features.
        Learnt(LearnerName::Forest) = "forest",
        /// Logistic regression on the features, for classes.
        Learnt(LearnerName::Logistic) = "logistic",
        /// Gaussian process on the features, for values.
        Learnt(LearnerName::Gp) = "gp",
        /// Linear regression on the features, for values.
        Learnt(LearnerName::Linear) = "linear",
        /// No surrogate: uniform sampling.
        Nothing = "none",
    }
}

named! {
    /// The method of an interval, by its name.
    #[derive(Default)]
    "interval" MethodName {
        /// By the variance of the estimate, for one look.
        #[default]
        Ordinary = "ordinary",
        /// By the variance, for repeated looks.
        Anytime = "anytime",
        /// For losses with bounds, for any pool and surrogate, and repeated looks.
        Guaranteed = "guaranteed",
        /// For losses with bounds, if the number of labels was fixed in advance.
        GuaranteedAtBudget = "guaranteed-at-budget",
    }
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

names! {
    "method" Assurance {
        /// For repeated looks.
        Anytime = "anytime",
        /// For repeated looks, for any pool and surrogate; needs more labels.
        Guaranteed = "guaranteed",
        /// The ordinary interval, if the number of labels was fixed in advance.
        Once = "once" | "ordinary",
    }
}

names! {
    "target" Target {
        /// The items of this pool, and no others.
        Pool = "pool",
        /// The population that the pool is a sample of.
        Population = "population",
    }
}

named! {
    /// When items are chosen, by its name.
    #[derive(Default)]
    "design" DesignName {
        /// Items are chosen one after another, as labels arrive.
        #[default]
        Adaptive = "adaptive",
        /// All items are chosen before the first label, from one proposal.
        OneShot = "one-shot",
        /// All items are chosen before the first label, from strata of the expected loss.
        Stratified = "stratified",
    }
}

named! {
    /// What happens to scores that are not usable, by its name.
    #[derive(Default)]
    "rule for bad scores" BadScores {
        /// Refuse them.
        #[default]
        Reject = "reject",
        /// Use the median of the other scores in their place.
        Median = "median",
    }
}

impl BadScores {
    pub(crate) fn is_reject(&self) -> bool {
        *self == Self::Reject
    }
}

impl From<BadScores> for OnBadScore {
    fn from(bad: BadScores) -> Self {
        match bad {
            BadScores::Reject => Self::Reject,
            BadScores::Median => Self::Median,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail loudly")]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Debug;

    use super::*;

    /// No two choices share a name, and every name leads to its choice, however it is written.
    fn names_lead_to_their_choices<T: Named + Debug>() {
        let mut seen = BTreeSet::new();
        for choice in T::CHOICES {
            assert_eq!(choice.value.name(), choice.name);
            assert!(!choice.help().is_empty() && !choice.help().contains('\n'), "{:?}", choice.value);
            for name in choice.names() {
                assert!(seen.insert(name), "two choices are called {name}");
                assert_eq!(name, name.to_ascii_lowercase().replace(['_', ' '], "-"));
                for written in [name.to_owned(), name.to_uppercase(), format!(" {} ", name.replace('-', "_"))]
                {
                    assert_eq!(T::named(&written), Ok(choice.value));
                }
            }
        }
    }

    /// Texts and files have the same one name.
    fn texts_and_files_agree<T>()
    where
        T: Named + Debug + fmt::Display + FromStr<Err = UnknownName> + Serialize + for<'a> Deserialize<'a>,
    {
        names_lead_to_their_choices::<T>();
        for choice in T::CHOICES {
            let kept = serde_json::to_string(&choice.value).unwrap();
            assert_eq!(kept, format!("\"{}\"", choice.value));
            assert_eq!(serde_json::from_str::<T>(&kept).unwrap(), choice.value);
            assert_eq!(choice.value.to_string().parse(), Ok(choice.value));
        }
    }

    #[test]
    fn every_name_stands_for_one_choice() {
        texts_and_files_agree::<EstimatorName>();
        texts_and_files_agree::<AcquisitionName>();
        texts_and_files_agree::<LearnerName>();
        texts_and_files_agree::<BeliefName>();
        texts_and_files_agree::<RecipeName>();
        texts_and_files_agree::<MethodName>();
        texts_and_files_agree::<DesignName>();
        texts_and_files_agree::<BadScores>();
        names_lead_to_their_choices::<SurrogateWish>();
        names_lead_to_their_choices::<Assurance>();
        names_lead_to_their_choices::<Target>();
        // A learner is a surrogate by the same name.
        for choice in LearnerName::CHOICES {
            assert_eq!(SurrogateWish::named(choice.name), Ok(SurrogateWish::Learnt(choice.value)));
        }
    }
}

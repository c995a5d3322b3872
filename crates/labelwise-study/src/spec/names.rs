//! Names of what can be chosen: one list each, for the library, files, the program and Python.
//!
//! Texts, files and help all come from these lists; the program makes its options from [`Named::CHOICES`].

use labelwise::Target;
use labelwise::interval::Method;
use labelwise::plan::Assurance;
use labelwise::proposal::OnBadScore;

use crate::decide::choices::SurrogateWish;
use crate::spec::named::{Named, NamedChoice, UnknownName, named, names};

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
    /// Which label of an item counts if several people have labelled it, by its name.
    #[derive(Default)]
    "rule for several labels" OpinionRule {
        /// The label that was given first.
        #[default]
        First = "first",
        /// The label that was given or changed last.
        Newest = "newest" | "last",
        /// The class that most people gave; of several, the one that was given first.
        Majority = "majority",
        /// The mean over annotators: their losses are averaged.
        Mean = "mean",
    }
}

impl OpinionRule {
    /// In a few words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::First => "the first label counts",
            Self::Newest => "the newest label counts",
            Self::Majority => "the majority counts",
            Self::Mean => "the mean over annotators counts",
        }
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
    /// The dialect of SQL of an engine, by its name.
    "dialect" Dialect {
        /// DuckDB; tested with the engine.
        DuckDb = "duckdb",
        /// Spark SQL; not run in tests.
        Spark = "spark" | "databricks",
        /// BigQuery; not run in tests.
        BigQuery = "bigquery",
        /// Snowflake; not run in tests.
        Snowflake = "snowflake",
        /// PostgreSQL; not run in tests.
        Postgres = "postgres" | "postgresql",
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
    use std::fmt::{self, Debug};
    use std::str::FromStr;

    use serde::{Deserialize, Serialize};

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

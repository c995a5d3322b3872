//! The three ways of spending a budget that the demonstration compares: which items to label, and what to make of them.

use clap::ValueEnum;
use labelwise::acquisition::{ExpectedLoss, Uniform};
use labelwise::estimator::{Estimator, Iid, RegressionLure};
use labelwise::evaluation::Builder;
use labelwise::interval::{Interval, Method};
use labelwise::ledger::Estimate;
use labelwise::loss::{Brier, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Lure, Seed, Target};
use serde::Serialize;

use super::digits::Digits;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LossName {
    /// −log of the probability given to the true digit
    CrossEntropy,
    /// 1 if the most probable digit is wrong: the error rate
    ZeroOne,
    /// the squared distance of the probabilities from the truth
    Brier,
}

impl LossName {
    /// Its mean over the pool, in words.
    pub(super) fn mean(self) -> &'static str {
        match self {
            Self::CrossEntropy => "mean cross-entropy",
            Self::ZeroOne => "error rate (mean zero-one loss)",
            Self::Brier => "mean Brier score",
        }
    }
}

/// How items are chosen and the risk is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Strategy {
    /// Our defaults.
    Active,
    /// The paper's: expected loss, clip, LURE. The clip is made once rather than at every step, which would take far
    /// longer and is nearly the same.
    Paper,
    /// What everybody does: uniform draws, and their plain mean.
    Uniform,
}

impl Strategy {
    /// All of them, in the order they are shown.
    pub(super) const ALL: [Self; 3] = [Self::Active, Self::Paper, Self::Uniform];

    /// Its own estimator.
    pub(super) fn estimator(self) -> &'static dyn Estimator {
        match self {
            Self::Active => &RegressionLure,
            Self::Paper => &Lure,
            Self::Uniform => &Iid,
        }
    }

    /// What it is called in a table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Active => "active sampling",
            Self::Paper => "the paper's recipe",
            Self::Uniform => "uniform sampling",
        }
    }

    /// Its options, on top of the defaults.
    fn choose(self, builder: Builder<Classification>) -> Builder<Classification> {
        match self {
            Self::Active => builder,
            Self::Paper => builder.acquisition(ExpectedLoss).floor(Floor::PAPER),
            Self::Uniform => builder.acquisition(Uniform),
        }
    }

    /// An evaluation before its first draw.
    pub(super) fn start(
        self,
        digits: &Digits,
        loss: LossName,
        seed: Seed,
    ) -> Result<Evaluation<Classification>, Error> {
        let (pool, surrogate) = (digits.pool.clone(), Fixed(digits.beliefs.clone()));
        let builder = match loss {
            LossName::CrossEntropy => Evaluation::builder(pool, CrossEntropy::default(), surrogate),
            LossName::ZeroOne => Evaluation::builder(pool, ZeroOne, surrogate),
            LossName::Brier => Evaluation::builder(pool, Brier, surrogate),
        };
        self.choose(builder).seed(seed).build()
    }
}

/// Algorithm 1. `labelled` is called after each label.
pub(super) fn spend(
    evaluation: &mut Evaluation<Classification>,
    digits: &Digits,
    budget: usize,
    labelled: impl Fn(),
) -> Result<(), Error> {
    for _m in 1..=budget {
        let draw = evaluation.ask()?;
        let label = digits
            .labels
            .get(draw.index)
            .copied()
            .ok_or_else(|| Error::Oracle { item: draw.index, why: "the bundled pool has none".to_owned() })?;
        evaluation.tell(draw.index, label)?;
        labelled();
    }
    Ok(())
}

/// The estimate with its ordinary interval for the pool.
pub(super) fn conclude(
    evaluation: &Evaluation<Classification>,
    estimator: &dyn Estimator,
    level: f64,
) -> Result<(Estimate, Interval), Error> {
    let estimate = evaluation.estimate(estimator)?;
    let interval = evaluation.interval(estimator, Method::Ordinary, Target::Pool, level)?;
    Ok((estimate, interval))
}

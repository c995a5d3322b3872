//! Designs that do not fit the other choices, and what a design does not give.

use std::path::PathBuf;

use crate::DesignName;

/// Why a design cannot be, or something not be had of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// A budget outside of the pool.
    #[error("the budget is {budget} labels, but the pool has {size} items: give a budget from 1 to {size}")]
    Budget {
        /// What was given.
        budget: usize,
        /// The most that is possible.
        size: usize,
    },
    /// A one-shot or stratified design without a budget.
    #[error(
        "the {design} design chooses all items before the first label, so it needs a budget: give one, such as 200"
    )]
    NoBudget {
        /// The design.
        design: DesignName,
    },
    /// A budget for an adaptive design.
    #[error(
        "the {design} design has no budget, since you can ask for items at any time: leave the budget out, or choose a \
         one-shot or stratified design"
    )]
    BudgetUnused {
        /// The design.
        design: DesignName,
    },
    /// Strata for a design that has none.
    #[error("the {design} design has no strata: leave their number out, or choose a stratified design")]
    StrataUnused {
        /// The design.
        design: DesignName,
    },
    /// A pool in no parts.
    #[error(
        "a stratified sample has at least 1 stratum, not 0: leave the number of strata out, or give another"
    )]
    NoStrata,
    /// A schedule for a design without any.
    #[error(
        "all items are chosen before the first label, so that nothing is learnt or scored again: leave the schedule out, \
         or choose items one after another"
    )]
    NothingAgain,
    /// A proposal for a design without one.
    #[error(
        "strata are made by the expected loss, and items within them are alike: leave acquisition and floor out, or make \
         a one-shot batch"
    )]
    NoProposal,
    /// A metric that is no mean.
    #[error(
        "a stratified sample gives means of losses, and {metric} is none: leave it out, or choose items in another way"
    )]
    MeansOnly {
        /// The metric.
        metric: String,
    },
    /// Something that is decided along the way.
    #[error(
        "all {budget} labels of this evaluation were settled when it was made, so that there is nothing to plan or to stop \
         early: ask for its estimate once they are told"
    )]
    Settled {
        /// The budget.
        budget: usize,
    },
    /// Parts of a sample.
    #[error(
        "a stratified sample has estimates of the whole pool alone, and no slices or groups: leave them out"
    )]
    WholeOnly,
    /// More items than were settled on.
    #[error(
        "{wanted} cannot be asked, since {left} are left of the {budget} that were chosen when the evaluation was made: for \
         more, make another"
    )]
    Spent {
        /// How many were wanted.
        wanted: usize,
        /// How many are left.
        left: usize,
        /// The budget.
        budget: usize,
    },
    /// An interval that holds at the end.
    #[error(
        "the interval for a budget holds once all {budget} labels of the batch are told, and {counting} count so far: \
         tell the others, or ask for another interval"
    )]
    BatchIncomplete {
        /// The budget.
        budget: usize,
        /// The labels that count.
        counting: usize,
    },
    /// Strata that come out otherwise.
    #[error("{} has other strata than its pool and its surrogate make: it was changed after it was made", .path.display())]
    StrataDiffer {
        /// The file.
        path: PathBuf,
    },
}

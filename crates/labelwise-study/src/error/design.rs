//! Errors of designs.

use std::path::PathBuf;

use labelwise::words::thousands;

use crate::DesignName;

/// Why a design does not fit the other choices, or does not support a request.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum DesignError {
    /// The budget is not between 1 and the size of the pool.
    #[error(
        "the budget is {} labels, but the pool has {} items: give a budget from 1 to {size}",
        thousands(*.budget), thousands(*.size)
    )]
    Budget { budget: usize, size: usize },
    /// A one-shot or stratified design needs a budget.
    #[error(
        "the {design} design chooses all items before the first label, so it needs a budget: give one, such as 200"
    )]
    NoBudget { design: DesignName },
    /// An adaptive design has no budget.
    #[error(
        "the {design} design has no budget, because you can ask for items at any time: remove the budget, or use a \
         one-shot or stratified design"
    )]
    BudgetUnused { design: DesignName },
    /// Only a stratified design has strata.
    #[error("the {design} design has no strata: remove their number, or use a stratified design")]
    StrataUnused { design: DesignName },
    /// A stratified sample needs at least 1 stratum.
    #[error(
        "a stratified sample needs at least 1 stratum, not 0: give another number of strata, or leave it out"
    )]
    NoStrata,
    /// A design that is fixed in advance has no schedule.
    #[error(
        "all items are chosen before the first label, so nothing is retrained or scored again: remove the \
         schedule, or use the adaptive design"
    )]
    NothingAgain,
    /// A stratified sample has no acquisition and no floor.
    #[error(
        "a stratified sample makes strata by the expected loss and draws uniformly within them: remove \
         acquisition and floor, or use a one-shot design"
    )]
    NoProposal,
    /// A stratified sample estimates only mean losses.
    #[error(
        "a stratified sample estimates only mean losses, and {metric} is not one: remove it, or use another \
         design"
    )]
    MeansOnly { metric: String },
    /// A design that is fixed in advance cannot be planned or stopped early.
    #[error(
        "all {} labels of this evaluation were chosen when it was created, so it cannot be planned or \
         stopped early: ask for its estimate when the labels are recorded",
        thousands(*.budget)
    )]
    Settled { budget: usize },
    /// A stratified sample has no slices and no groups.
    #[error("a stratified sample estimates only the whole pool: remove slices and groups")]
    WholeOnly,
    /// The request is for more items than the design has left.
    #[error(
        "{} {} asked for, but {} left: for more, create another evaluation",
        thousands(*.wanted), super::were(*.wanted), of_the_chosen(*.left, *.budget)
    )]
    Spent { wanted: usize, left: usize, budget: usize },
    /// The interval for a fixed budget needs all labels of the batch.
    #[error(
        "the interval for a fixed budget needs all {} labels of the batch, and only {} count so far: record \
         the others, or use another interval",
        thousands(*.budget), thousands(*.counting)
    )]
    BatchIncomplete { budget: usize, counting: usize },
    /// The strata on record are not those that the pool and the surrogate give.
    #[error(
        "{} has other strata than its pool and its surrogate give: the file was changed after its creation",
        .path.display()
    )]
    StrataDiffer { path: PathBuf },
}

fn of_the_chosen(left: usize, budget: usize) -> String {
    let (count, budget) = (thousands(left), thousands(budget));
    match left {
        0 => format!("none of the {budget} that were chosen at creation is"),
        1 => format!("only 1 of the {budget} that were chosen at creation is"),
        _ => format!("only {count} of the {budget} that were chosen at creation are"),
    }
}

//! Errors of designs.

/// Why a design cannot be made, or does not support a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum DesignError {
    /// A stratified sample needs at least 1 stratum.
    #[error("a stratified sample needs at least 1 stratum, not 0")]
    NoStrata,
    /// The budget is too small for the number of strata.
    #[error(
        "{} at least {least} labels (2 of each stratum, or all of its items), but the budget is {budget}: \
         raise the budget, or use fewer strata",
        needs(*.strata)
    )]
    BudgetOfStrata { budget: usize, strata: usize, least: usize },
    /// A stratum has fewer items than draws.
    #[error("stratum {stratum} has {size} items, so {draws} cannot be drawn from it")]
    Turns {
        /// The stratum, from 1.
        stratum: usize,
        size: usize,
        draws: usize,
    },
    /// The strata do not have as many items as the pool.
    #[error("the strata have {items} items, but the pool has {pool_size} that can be drawn")]
    Sizes { items: usize, pool_size: usize },
    /// A sample is in none of the strata.
    #[error("item {item} is in none of the strata")]
    Stranger { item: usize },
    /// A stratum has no label that counts yet.
    #[error(
        "stratum {stratum} of {strata} has no label that counts yet, and an estimate needs one of each \
         stratum: record the labels that were asked for first"
    )]
    Unlabelled {
        /// The stratum, from 1.
        stratum: usize,
        strata: usize,
    },
    /// The estimator is for draws from the whole pool.
    #[error(
        "these items were drawn within strata, so their estimate is the stratified mean, not {estimator}"
    )]
    DrawnWithinStrata { estimator: &'static str },
    /// The stratified mean is only for draws within strata.
    #[error("the stratified mean is for items drawn within strata, but these were drawn from the whole pool")]
    DrawnFromWholePool,
    /// Stratified samples have no anytime interval.
    #[error(
        "a stratified sample has no anytime interval, because its labels arrive all at once: use the \
         ordinary interval, or the guaranteed one for a fixed budget"
    )]
    NotAtAnyTime,
}

fn needs(strata: usize) -> String {
    if strata == 1 { "1 stratum needs".to_owned() } else { format!("{strata} strata need") }
}

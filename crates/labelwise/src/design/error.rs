//! What can go wrong with a design, in sentences.

/// Why a design cannot be made, or something not be had of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// A pool in no parts.
    #[error("a stratified sample has at least 1 stratum, not 0")]
    NoStrata,
    /// Too few labels for so many strata.
    #[error(
        "{} {least} labels, two of each or all it has, and the budget is {budget}: raise the budget, or take fewer strata",
        needs(*.strata)
    )]
    BudgetOfStrata {
        /// The labels there may be.
        budget: usize,
        /// The strata.
        strata: usize,
        /// The labels they need.
        least: usize,
    },
    /// Draws that no stratified sample can have made.
    #[error("stratum {stratum} has {size} items, of which {draws} cannot be drawn")]
    Turns {
        /// The stratum, from 1.
        stratum: usize,
        /// The items it has.
        size: usize,
        /// The draws from it.
        draws: usize,
    },
    /// Strata of another pool.
    #[error("the strata have {items} items, but {pool_size} could be drawn")]
    Sizes {
        /// The items of all strata.
        items: usize,
        /// The items there are.
        pool_size: usize,
    },
    /// A sample of no stratum.
    #[error("item {item} is in none of the strata")]
    Stranger {
        /// The item.
        item: usize,
    },
    /// A part of the pool that nothing is known of.
    #[error(
        "stratum {stratum} of {strata} has no label that counts yet, and an estimate needs one of each: tell the labels \
         that were asked first"
    )]
    Unlabelled {
        /// The stratum, from 1.
        stratum: usize,
        /// How many there are.
        strata: usize,
    },
    /// An estimator for draws from the whole pool.
    #[error(
        "these items were drawn within strata, so that their estimate is the stratified mean, and not {estimator}"
    )]
    DrawnWithinStrata {
        /// What was asked for.
        estimator: &'static str,
    },
    /// The stratified mean of draws from the whole pool.
    #[error("the stratified mean is for items drawn within strata, and these were drawn from the whole pool")]
    DrawnFromWholePool,
    /// An interval that is not made for such draws.
    #[error(
        "the labels of a stratified sample come all at once, so no interval is made for any time: ask for the ordinary one, \
         or for the one that is guaranteed at a budget"
    )]
    NotAtAnyTime,
}

fn needs(strata: usize) -> String {
    if strata == 1 { "1 stratum needs".to_owned() } else { format!("{strata} strata need") }
}

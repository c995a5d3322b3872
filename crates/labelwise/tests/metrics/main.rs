//! The laws of metrics that are not means: the same numbers as scikit-learn's, influences that are derivatives, exact
//! when everything is labelled, honest about what is not known, and proposals that are the best there are.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod clusters;
mod coverage;
mod differences;
mod domains;
mod edges;
mod influence;
mod proposals;
mod reference;
mod skips;
mod slices;
mod whole;

//! The laws of the core. Exact ones come first: every order of draws of a small pool is enumerated. Those that need
//! random numbers fix the seed and state how often they would be wrong.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod acquisitions;
mod bars;
mod certain;
mod comparisons;
mod comparisons_elsewhere;
mod comparisons_refused;
mod contracts;
mod corruptions;
mod designs;
mod edges;
mod errors;
mod estimators;
mod evaluation;
mod intervals;
mod judges;
mod losses;
mod machine;
mod planning;
mod pools;
mod proposals;
mod recalibrated;
mod recalibrated_runs;
mod residuals;
mod resuming;
mod stability;
mod surrogates;
mod verdicts;

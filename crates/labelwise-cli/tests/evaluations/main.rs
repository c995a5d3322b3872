//! The program as people use it on an evaluation: everything they read, and every kind of predictions and surrogate.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod comparisons;
mod designs;
mod detectors;
mod doors;
mod doors_asked;
mod elsewhere;
mod folder;
mod goals;
mod judge_advice;
mod judge_columns;
mod judged_groups;
mod judges;
mod kinds;
mod manners;
mod metrics;
mod names;
mod nonsense;
mod numbers;
mod partial;
mod planning;
mod quantiles;
mod ratios;
mod recalibration;
mod reports;
mod texts;
mod unlabelled;

//! The random forest: against scikit-learn's on the same data (`scripts/make_forest_fixtures.py`), by laws that hold
//! for every forest, and with input that it must refuse.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod data;
mod errors;
mod images;
mod laws;
mod out_of_bag;
mod reference;
mod splits;

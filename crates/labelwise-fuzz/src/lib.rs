//! Damaged and hostile files, made from a seed and given to every reader of labelwise.
//!
//! ```text
//!   Random ──► Table, log, labels, evaluation ──► file ──► damage ──► Bench::run ──► Reached
//!   (seed, execution)     valid but for a few values                 reader, ask, tell, estimate, simulate
//! ```
//!
//! An execution is a function of its target, its seed and its number. The tests of this crate run a few hundred of each target,
//! `cargo xtask reliability` runs millions, and the folder `fuzz` gives the same targets to `cargo fuzz`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a harness may fail loudly; what it calls may not"
)]

pub mod bytes;
pub mod campaign;
mod depth;
mod evaluations;
mod files;
pub mod hostile;
mod labels;
pub mod panics;
pub mod random;
mod seeds;
mod shape;
pub mod supervisor;
mod table;
mod target;

pub use depth::Reached;
pub use target::{Bench, Target, execute, mutate_in_place};

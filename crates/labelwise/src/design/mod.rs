//! Designs for those who cannot go back and forth with the labeller: every item is chosen before the first label.
//!
//! A one-shot batch needs nothing of its own: it is [`ask_batch`](crate::Evaluation::ask_batch) of the whole budget, whose
//! draws come from one proposal, and all estimators and intervals hold for it as they do for draws one by one. What is
//! here is the other: strata of the expected loss, and a fixed number of uniform draws within each.

mod allocation;
mod error;
mod record;
mod strata;
mod stratification;

pub use error::DesignError;
pub use strata::Strata;
pub use stratification::Stratification;

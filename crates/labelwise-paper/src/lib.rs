//! The figures and tables of "Active Testing: Sample-Efficient Model Evaluation", made anew.
//!
//! An [`Experiment`](experiment::Experiment) is what is repeated: data drawn anew, a model trained, every strategy
//! spent on the same pool. The [`runner`] repeats it in parallel and keeps raw traces; [`statistics`] sums them up;
//! [`figures`] say which experiments a figure of the paper needs, and draw it.

mod claims;
pub mod data;
mod draw;
mod error;
pub mod experiment;
pub mod figures;
mod make;
mod page;
mod reference;
pub mod runner;
mod scale;
pub mod statistics;
mod summary;

pub use claims::Claim;
pub use error::{Error, Result};
pub use make::{Made, Making, Order};
pub use scale::Scale;
pub use summary::{AgainstUniform, CurveSummary, ExperimentSummary, FigureSummary, QueriesSummary, Spread};

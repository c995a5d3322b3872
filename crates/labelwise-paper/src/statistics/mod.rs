//! The statistics of repeated runs, all in one place: what the paper's section 5 plots (medians and means of squared
//! errors, standard deviations, relative labelling costs) and what its appendix adds to judge them by (means of log
//! squared errors with standard errors, Wilcoxon's signed-rank test).
//!
//! An error here is an estimate less the risk of the whole pool; a sample is one error a run, all at the same step.
//! Sums are exact until they are rounded once, so nothing depends on the order of the runs, nor on how they were
//! shared out among threads and files. A value that a sample is too small or too uniform for is `None`, and no result
//! is ever NaN or infinite.
//!
//! ```
//! use labelwise_paper::statistics::{Alternative, Method, Summary, signed_rank};
//! let active = [0.01, -0.02, 0.015, -0.005, 0.01, 0.02];
//! let uniform = [0.05, -0.03, 0.04, -0.06, 0.02, 0.07];
//! assert!(Summary::of(&active)?.mean_squared_error < Summary::of(&uniform)?.mean_squared_error);
//!
//! let [active, uniform] = [active, uniform].map(|errors| errors.map(|error| error * error));
//! let test = signed_rank(&active, &uniform, Alternative::Less, Method::default())?;
//! assert_eq!(test.p_value, 1.0 / 64.0);
//! # Ok::<(), labelwise_paper::statistics::Error>(())
//! ```

mod error;
mod labelling_cost;
mod normal_tail;
mod order;
mod rank_law;
mod signed_rank;
mod sum;
mod summary;

pub use error::Error;
pub use labelling_cost::{authors_labelling_cost, first_below, relative_labelling_cost};
pub use order::{Ordered, median, quantile};
pub use signed_rank::{Alternative, Method, SignedRank, signed_rank};
pub use sum::mean;
pub use summary::{Quantiles, Range, Summary};

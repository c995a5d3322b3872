//! The figures and tables of "Active Testing: Sample-Efficient Model Evaluation", reproduced.
//!
//! An [`Experiment`](problem::Experiment) is what is repeated: new data are drawn, a model is trained, every strategy is
//! spent on the same pool. Large networks are trained once, by their [`recipe`], in a [`workshop`]; what they predict is
//! kept in archives. The module [`run`] repeats it in parallel and keeps raw traces; [`statistics`] sums them up;
//! [`figure`] says which experiments a figure of the paper needs, and [`Making`] makes it from beginning to end:
//!
//! ```
//! use labelwise_paper::{Making, Order, figure};
//! # let folder = std::env::temp_dir().join(format!("labelwise-paper-{}", std::process::id()));
//! let order = Order { runs: Some(25), ..Order::default() };
//! let made = Making::new(figure::figure("1")?, order, &folder)?.make(&|_runs| {})?;
//! assert_eq!(made.summary.experiments[0].runs, 25);
//! assert!(made.files.iter().any(|file| file.ends_with("figure-1.png")));
//! # std::fs::remove_dir_all(folder).ok();
//! # Ok::<(), labelwise_paper::Error>(())
//! ```

mod claims;
pub mod data;
mod error;
pub mod figure;
mod losses;
mod make;
mod page;
mod panel;
pub mod problem;
mod ranks;
pub mod recipe;
mod reference;
pub mod run;
mod scale;
pub mod statistics;
pub mod strategy;
mod summary;
pub mod workshop;

pub use claims::{Claim, Verdict};
pub use error::{Error, Result};
pub use losses::Boxes;
pub use make::{Made, Making, Order, Places};
pub use ranks::Row;
pub use scale::Scale;
pub use summary::{
    AgainstUniform, CurveSummary, ExperimentSummary, FigureSummary, Judged, QueriesSummary, Spread,
};

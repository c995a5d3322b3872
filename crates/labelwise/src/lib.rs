//! Active testing: measure a model with few labels.
//!
//! You have a trained model and a large pool of test items without labels. labelwise says which items to label, and
//! estimates the model's loss on the pool, with an interval, from a fraction of the labels that
//! uniform sampling needs. It implements "Active Testing: Sample-Efficient Model Evaluation" (Kossen, Farquhar, Gal
//! and Rainforth, ICML 2021) and goes beyond it.
//!
//! Algorithm 1 is a short loop over two verbs, ask and tell:
//!
//! ```
//! use labelwise::{CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};
//!
//! # let predictions: Vec<f64> = (0..400).flat_map(|i| { let p = 0.05 + 0.9 * f64::from(i % 20) / 20.0; [p, 1.0 - p] }).collect();
//! # let label_of = |item: usize| usize::from(item % 3 == 0);
//! let pool = Pool::classification(Matrix::f64(predictions, 2)?)?; // f(x_i), one row per item
//! let surrogate = Fixed(pool.own_beliefs()?);                     // π: here the model itself
//! let mut evaluation = Evaluation::builder(pool, CrossEntropy::default(), surrogate).seed(Seed(7)).build()?;
//! for _m in 1..=100 {
//!     let draw = evaluation.ask()?;                               // i_m ~ q(i_m; π)
//!     let label = label_of(draw.index);                           // observe y_{i_m}
//!     evaluation.tell(draw.index, label)?;                        // ℒ(f(x_{i_m}), y_{i_m}); update π
//! }
//! let lure = evaluation.estimate(&Lure)?;                         // Eq. (3)
//! println!("{}", evaluation.report(Target::Pool, 0.95)?);         // our default, with interval and diagnostics
//! # assert!(lure.value > 0.0);
//! # Ok::<(), labelwise::Error>(())
//! ```
//!
//! That line imports all that the loop needs, because the crate's root holds the loop and nothing else: one type for
//! each step. Everything else is in the module of its topic. The modules in reading order are the data flow:
//!
//! ```text
//!   Pool ──► Surrogate ──► Acquisition ──► Proposal ──► Oracle ──► Evaluation ──► Estimator ──► Report
//!  f(x_i)    π(y|x_i)      scores ≥ 0      q, i_m ~ q    y_{i_m}    (i_m, q, ℓ)     R̂             ± interval
//!               ▲                                                       │
//!               └────────────────── update π (Schedule) ◄───────────────┘
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`matrix`], [`task`] | rows of numbers; what a label, a prediction and a belief are |
//! | [`loss`] | the losses, and the trait for your own |
//! | [`surrogate`] | beliefs about labels: fixed, or learnt again as labels arrive |
//! | [`acquisition`] | scores: how much an item's label is wanted |
//! | [`proposal`] | draw probabilities from scores |
//! | [`evaluation`] | the ask-and-tell loop, its options and its journal |
//! | [`ledger`] | draws with their outcomes, and the evidence that estimates are made of |
//! | [`estimator`] | LURE and the other estimators of the mean loss |
//! | [`interval`] | confidence intervals |
//! | [`report`] | an estimate with its interval, diagnostics and warnings |
//! | [`metric`] | F1, AUC, calibration and other metrics that are not averages |
//! | [`compare`] | several models on one pool |
//! | [`plan`] | how many labels a goal needs, and whether it is reached |
//! | [`design`] | samples that are fixed before the first label |
//! | [`rng`] | the seed, and the random streams made from it |
//! | [`words`] | names and texts in sentences: quoted, shortened, listed, suggested |
//! | [`conformance`] | checks to run on your own estimator, acquisition or surrogate |
//!
//! The crate reads no file, no clock and no global random numbers: equal inputs and seed give equal draws.

pub mod acquisition;
pub mod compare;
pub mod conformance;
pub mod design;
mod error;
pub mod estimator;
pub mod evaluation;
pub mod interval;
pub mod ledger;
pub mod loss;
pub mod matrix;
pub mod metric;
pub mod numerics;
pub mod plan;
mod pool;
pub mod proposal;
pub mod report;
pub mod rng;
pub mod surrogate;
pub mod task;
pub mod words;

// The root is the loop of Algorithm 1. There is no prelude: a glob import would hide where names come from, and these
// few fit on one line.
pub use error::{Error, Result};
pub use estimator::Lure;
pub use evaluation::Evaluation;
pub use interval::Target;
pub use loss::{CrossEntropy, SquaredError};
pub use matrix::Matrix;
pub use pool::Pool;
pub use rng::Seed;
pub use surrogate::Fixed;
pub use task::{Classification, Regression, Task};

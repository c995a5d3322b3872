//! Active testing: measure a model with few labels.
//!
//! You have a trained model and a large pool of test items without labels. labelwise says which items to label, and
//! gives an honest estimate of the model's loss on the pool, with an interval, from a fraction of the labels that
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
//! let pool = Pool::classification(Matrix::f64(predictions, 2)?)?; // f(x_i), one row an item
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
//! The modules in reading order are the data flow:
//!
//! ```text
//!   Pool ──► Surrogate ──► Acquisition ──► Proposal ──► Oracle ──► Evaluation ──► Estimator ──► Report
//!  f(x_i)    π(y|x_i)      scores ≥ 0      q, i_m ~ q    y_{i_m}    (i_m, q, ℓ)     R̂             ± interval
//!               ▲                                                       │
//!               └────────────────── update π (Schedule) ◄───────────────┘
//! ```
//!
//! The crate reads no file, no clock and no global random numbers: equal inputs and seed give equal draws.

mod acquisition;
mod compare;
pub mod conformance;
mod design;
mod error;
mod estimator;
mod evaluation;
mod evidence;
mod interval;
mod ledger;
mod loss;
mod matrix;
pub mod metric;
mod plan;
mod pool;
mod proposal;
mod report;
mod retrained;
mod rng;
mod surrogate;
mod task;

pub use acquisition::{
    Acquisition, ActiveRiskEstimation, Aim, Candidates, Distance, ExpectedLoss, ForMetrics,
    MutualInformation, RootMeanSquare, StandardDeviation, TrueLoss, Uniform, squared_error_score,
    zero_one_score,
};
pub use compare::{
    Comparison, Contest, Question, Rival, Rivals, Standings, Versus, compare, standings, ties,
};
pub use design::{DesignError, Strata, Stratification};
pub use error::{Error, Result, Rivalry};
pub use estimator::{
    Bias, ControlledLure, Controls, Estimator, HansenHurwitz, Iid, ImportanceSampling, Lure, Pure, Reach,
    RegressionLure, RunningLure, Sample, Stratified, Terms, lure_weight,
};
pub use evaluation::{Aside, Builder, Evaluation, Event, Oracle, Told};
pub use evidence::{Evidence, Known};
pub use interval::{Basis, Caution, Interval, Method, Target, interval};
pub use ledger::{Draw, Estimate, Ground, Imputed, Ledger, Outcome};
pub use loss::{
    AbsoluteError, Bounds, Brier, CostMatrix, CrossEntropy, Custom, GaussianNll, Loss, Moments, Outlooks,
    Sign, SquaredError, ZeroOne, checked_loss,
};
pub use matrix::{Matrix, Reader, Rows};
pub use plan::{
    Assurance, Bar, Decision, Diagnosis, Forecast, Labels, Progress, Prospect, Reason, Side, Source, Spread,
    UniformSampling, Verdict, WidthRule,
};
pub use pool::Pool;
pub use proposal::{BadScore, Drawn, Floor, OnBadScore, Proposal};
/// The generator that learners and surrogates are handed.
pub use rand_chacha::ChaCha8Rng;
pub use report::{Report, Warning};
pub use retrained::{Data, Learner, Model, RetrainOn, Retrained, Schedule};
pub use rng::{Seed, Stream};
pub use surrogate::{Beliefs, Change, Fixed, Observed, Surrogate, Updated};
pub use task::{Classification, Gaussian, GaussianBelief, Regression, Task};

//! Metrics that are not means: precision, recall, F1, balanced accuracy, Matthews correlation, AUC, calibration, RMSE,
//! R², each with an interval, from the same labelled draws; all of them within slices too.
//!
//! Each is a smooth function of the pool's distribution of predictions and labels. The draws, weighted by LURE's v_m / M,
//! stand for that distribution, and the function of them is the estimate. How it changes with the mass at one item is
//! that item's influence u_i; to first order the error of the estimate is the error of LURE on the mean of u, so its
//! variance is that of LURE's terms with u in the place of the loss. With all of the pool labelled every weight is 1/N
//! and every metric is what it is when computed directly. Before that, a function of unbiased means is consistent and
//! not unbiased: its bias is of order 1/M ([`Bias::Vanishing`](crate::estimator::Bias::Vanishing)).
//!
//! Metrics that are ratios of sums stay within what the labels say with certainty ([`Measure::bounds`]). Given how many
//! items are predicted as each class ([`PredictedClasses`]), precision has a known denominator, and a class of which every
//! predicted item is labelled needs no estimate.
//!
//! ```
//! use labelwise::loss::ZeroOne;
//! use labelwise::metric::{ClassMetric, Judged, WeightedDraws};
//! use labelwise::{Evaluation, Fixed, Matrix, Pool, Seed, Target};
//!
//! # let rows: Vec<f64> = (0..400).flat_map(|i| { let p = 0.05 + 0.9 * f64::from(i % 20) / 20.0; [p, 1.0 - p] }).collect();
//! # let label_of = |item: usize| usize::from(item % 20 < 9 || item % 7 == 0);
//! let pool = Pool::classification(Matrix::f64(rows, 2)?)?;
//! let surrogate = Fixed(pool.own_beliefs()?);
//! let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(7)).build()?;
//! evaluation.run(100, &mut |item| Ok(label_of(item)))?;
//! let mut rows = evaluation.pool().predictions().reader();
//! let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, label| Judged::new(rows.row(draw.index).to_vec(), label))?;
//! let f1 = draws.measure(&ClassMetric::F1 { class: 1 }, Target::Pool, 0.95)?;
//! println!("{:?} in {:?}", f1.value, f1.interval);
//! # assert!(f1.value.is_ok_and(|value| value > 0.5 && value < 1.0));
//! # Ok::<(), labelwise::Error>(())
//! ```

mod auc;
mod calibration;
mod certain;
mod classes;
mod clusters;
mod confusion;
mod difference;
mod domains;
mod error;
mod estimate;
mod excess;
mod forecast;
mod kappa;
mod mean;
mod note;
mod precision_recall;
mod scale;
mod skips;
mod undefined;
mod values;
mod weighted_draws;

pub use calibration::{Bin, Calibration, Gap};
pub use certain::Unlabelled;
pub use classes::{ClassMetric, Judged};
pub(crate) use confusion::{Slope, Totals, slope};
pub use difference::Difference;
pub use domains::PredictedClasses;
pub use error::MetricError;
pub use estimate::{IntervalKind, MeanEstimate, MetricEstimate, MetricInterval, simultaneous};
pub use excess::Excess;
pub use mean::{ErrorRate, MeanLoss};
pub use note::Note;
pub(crate) use precision_recall::Curve;
pub use scale::Scale;
pub use skips::Extreme;
pub use undefined::Undefined;
pub use values::{ValueMetric, Valued};
pub use weighted_draws::{Slice, WeightedDraws};

use crate::loss::Bounds;

/// Something to measure: a function of the weighted distribution of points that does not change when all weights are
/// multiplied by the same number. Points are [`Judged`] or [`Valued`], or your own.
pub trait Measure<P>: Send + Sync {
    /// Its name.
    fn name(&self) -> String;
    /// Its range, which decides the scale on which its interval is made.
    fn scale(&self) -> Scale;
    /// Its value on these points, and how it changes with the mass at each of them.
    fn linearised(&self, points: &[(&P, f64)]) -> Result<Linearised, Undefined>;
    /// What it lies between with these points and some mass without a label, whatever those labels are; `None` where that is
    /// not known. Estimates and intervals for a fixed pool stay within.
    fn bounds(&self, _points: &[(&P, f64)], _unlabelled: &Unlabelled) -> Option<Bounds> {
        None
    }
    /// Whether it is a ratio of sums over the pool, or a mean or a difference of such ratios: then it is estimated class by class
    /// of the predictions where their numbers are known.
    fn is_of_sums(&self) -> bool {
        false
    }
    /// Labels of skipped points that make it smallest, and those that make it largest, next to the labelled points;
    /// `None` where that is not known. Then the metric cannot be estimated while some items are skipped.
    fn extremes(&self, _labelled: &[(&P, f64)], _skipped: &[(&P, f64)]) -> Option<[Extreme<P>; 2]> {
        None
    }
    /// The number of labels below which its intervals are known to cover too seldom.
    fn experimental_below(&self) -> usize {
        0
    }
}

/// A metric about the point where it was estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Linearised {
    /// The estimate.
    pub value: f64,
    /// u of every point, in their order: the derivative by the mass there. Weighted with the masses, they sum to 0.
    pub influence: Vec<f64>,
    /// The mass that the value rests on, such as that of the positives for recall; of several parts, the smallest.
    pub support: f64,
    /// How many of the points are of that, of several parts in the smallest.
    pub relevant: usize,
}

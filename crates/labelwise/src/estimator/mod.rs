//! From samples to an estimate. Everything here is a function of the recorded draws: q, loss and control of each, in
//! draw order. Nothing outside of this module computes a weight.

mod baseline;
mod centred;
mod lure;
mod regression;
mod stratified;
mod terms;

pub use baseline::{HansenHurwitz, Iid, ImportanceSampling};
pub use centred::CentredLure;
pub use lure::{ControlledLure, Lure, Pure, RunningLure, lure_weight};
pub use regression::{Controls, RegressionLure};
pub use stratified::Stratified;
pub use terms::Terms;

use crate::error::{Error, Result};

/// A draw with its loss: all that an estimator may see. Samples are kept in draw order, m = 1, 2, ...
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// i_m.
    pub index: usize,
    /// q(i_m), the probability the draw was really made with.
    pub q: f64,
    /// ℒ(f(x_{i_m}), y_{i_m}).
    pub loss: f64,
    /// g_m(i_m): the loss expected by the surrogate in force before this label was seen.
    pub control: f64,
    /// The sum of g_m over the items that could have been drawn.
    pub control_total: f64,
    /// What loss / q could have been, whichever item had been drawn; `None` if losses have no bounds.
    pub ratio_bounds: Option<RatioBounds>,
}

/// The smallest and the largest value of loss / q among the items that could have been drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioBounds {
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

impl Sample {
    /// A sample without a surrogate's expectation or bounds, for those who want only [`Lure`].
    pub fn plain(index: usize, q: f64, loss: f64) -> Self {
        Self { index, q, loss, control: 0.0, control_total: 0.0, ratio_bounds: None }
    }
}

/// The bias of an estimate: its relation to the pool risk on average over all draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bias {
    /// None, for every pool and every budget.
    None,
    /// Of order 1/M, so that it vanishes compared with the standard error.
    Vanishing,
    /// There is bias unless q was uniform.
    UnlessUniform,
}

/// Whether drawn items stay in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// An item is drawn once at most.
    Without,
    /// An item may be drawn again.
    With,
    /// An item is drawn once at most, and from the stratum whose turn it was.
    WithinStrata,
}

/// An estimator of the pool risk.
pub trait Estimator: Send + Sync {
    /// The name.
    fn name(&self) -> &'static str;
    /// Its bias, as far as it is known.
    fn bias(&self) -> Bias;
    /// Whether its samples were drawn with replacement, so that an item may be among them more than once.
    fn replacement(&self) -> Replacement {
        Replacement::Without
    }
    /// The terms it is the weighted sum of; value, variance and intervals are functions of them.
    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms>;
    /// The same with other coefficients c_m, which sum to 1: a belief says which draws are expected to vary less. Estimators
    /// whose coefficients must not depend on labels keep their own.
    fn terms_by(&self, samples: &[Sample], pool_size: usize, _coefficients: Vec<f64>) -> Result<Terms> {
        self.terms(samples, pool_size)
    }
    /// How many items of the pool each sample stands for, over the mean number. The default is v_m of LURE.
    fn weights(&self, samples: &[Sample], pool_size: usize) -> Result<Vec<f64>> {
        let budget = samples.len();
        Ok(samples.iter().zip(1..).map(|(s, m)| lure_weight(m, budget, pool_size, s.q)).collect())
    }
    /// The estimate, given its terms: their weighted sum. Override it for a formula that rounds less.
    fn value(&self, _samples: &[Sample], _pool_size: usize, terms: &Terms) -> f64 {
        terms.value()
    }
    /// The estimate alone; the same number as [`value`](Self::value).
    fn estimate(&self, samples: &[Sample], pool_size: usize) -> Result<f64> {
        let terms = self.terms(samples, pool_size)?;
        Ok(self.value(samples, pool_size, &terms))
    }
}

/// Refuses samples that no run of draws can have made.
fn check(samples: &[Sample]) -> Result<()> {
    if samples.is_empty() {
        return Err(Error::NoSamples { next: None });
    }
    for (place, sample) in samples.iter().enumerate() {
        let refuse =
            |name, value, range| Err(Error::Sample { m: place + 1, item: sample.index, name, value, range });
        if !(sample.q > 0.0 && sample.q <= 1.0) {
            return refuse("q", sample.q, "it must be a probability above 0 and at most 1");
        }
        if !sample.loss.is_finite() {
            return refuse("loss", sample.loss, "it must be a finite number");
        }
        if !(sample.control.is_finite() && sample.control_total.is_finite()) {
            return refuse("control", sample.control, "it and the sum of all must be finite numbers");
        }
    }
    Ok(())
}

/// As [`check`], and no more samples than there are items.
fn check_without_replacement(samples: &[Sample], pool_size: usize) -> Result<()> {
    if samples.len() > pool_size {
        return Err(Error::TooManySamples { samples: samples.len(), pool_size });
    }
    check(samples)
}

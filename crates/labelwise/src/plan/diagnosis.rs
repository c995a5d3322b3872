//! Afterwards: what labels were worth compared with those of uniform sampling, and why not more.

use std::fmt;

use super::uniform::UniformSampling;
use crate::error::Result;
use crate::estimator::Estimator;
use crate::interval::{Target, caution_of};
use crate::ledger::{Evidence, Fit};

/// A gain below this is small, and wants a reason.
const SMALL: f64 = 1.2;

/// Fewer labels than this cannot be compared with others.
const ENOUGH: usize = 50;

/// The worth of the labels, and the reason that it is not higher.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// The labels of uniform sampling, for the same precision, for each one here.
    pub gain: f64,
    /// Why the gain was small, where it was; the weightiest first.
    pub reasons: Vec<Reason>,
}

/// Why a label was not worth more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// Draws were uniform.
    Uniform,
    /// Losses hardly differ.
    Alike {
        /// Their standard deviation as a part of their mean.
        variation: f64,
    },
    /// The surrogate expects about the same of all items.
    Constant {
        /// The standard deviation of what it expects as a part of the mean.
        variation: f64,
    },
    /// What the surrogate expects has little to do with the losses.
    Useless {
        /// Their correlation.
        correlation: f64,
        /// The fitted weight of the expectation.
        b1: f64,
    },
    /// One sample has a large part of the variance.
    OneTerm {
        /// Its share.
        share: f64,
    },
    /// An item that was hardly ever to be drawn weighs much.
    LowFloor {
        /// The smallest n·q.
        smallest: f64,
    },
    /// Weights are uneven.
    Uneven {
        /// The equal weights that would say as much.
        ess: f64,
        /// The labels.
        labels: usize,
    },
    /// Draws were nearly uniform.
    HighFloor {
        /// The largest n·q.
        largest: f64,
    },
    /// Most of the pool is labelled, and uniform sampling would be nearly exact too.
    Exhausted {
        /// The part that is.
        share: f64,
    },
    /// None of these.
    Modest {
        /// The correlation of what was expected with what was.
        correlation: f64,
    },
}

impl Diagnosis {
    /// From the samples; `None` while they are too few to tell, or once every item has its label.
    pub fn of(evidence: &Evidence, estimator: &dyn Estimator) -> Result<Option<Self>> {
        let (labels, size) = (evidence.samples.len(), evidence.pool_size);
        if labels < ENOUGH || labels == size {
            return Ok(None);
        }
        let fit = evidence.fit(estimator)?;
        if caution_of(evidence, &fit, Target::Pool)?.is_some() {
            return Ok(None);
        }
        let uniform = UniformSampling::of(evidence, Target::Pool);
        let (Some(uniform), Some(variance)) = (uniform, fit.terms.variance()) else {
            return Ok(None);
        };
        let gain = uniform.needed(variance.sqrt() * evidence.open_share()) / labels as f64;
        if !gain.is_finite() {
            return Ok(None);
        }
        let reasons = if gain < SMALL { reasons(evidence, &fit, &uniform)? } else { Vec::new() };
        Ok(Some(Self { gain, reasons }))
    }

    /// Whether labels were worth little more than those of uniform sampling, or less, although more was tried.
    pub fn is_small(&self) -> bool {
        self.gain < SMALL && self.reasons != [Reason::Uniform]
    }
}

fn reasons(evidence: &Evidence, fit: &Fit<'_>, uniform: &UniformSampling) -> Result<Vec<Reason>> {
    let (samples, size) = (&evidence.samples, evidence.pool_size);
    let nq = samples.iter().enumerate().map(|(before, sample)| (size - before) as f64 * sample.q);
    let (smallest, largest) =
        nq.fold((f64::INFINITY, 0.0_f64), |(least, most), nq| (least.min(nq), most.max(nq)));
    if largest - smallest < 1e-9 {
        return Ok(vec![Reason::Uniform]);
    }
    let weights = evidence.weights();
    let moments = Weighted::new(evidence, &weights);
    let mut reasons = Vec::new();
    let variation = uniform.variance.sqrt() / moments.loss.abs();
    if variation < 0.1 {
        reasons.push(Reason::Alike { variation });
    }
    let spread = moments.control_variance.sqrt() / moments.control.abs();
    let correlation = moments.correlation();
    let b1 = evidence.controls(fit)?.b1;
    if spread < 0.1 {
        reasons.push(Reason::Constant { variation: spread });
    } else if correlation < 0.1 || b1 < 0.2 {
        reasons.push(Reason::Useless { correlation, b1 });
    }
    if let Some(share) = fit.terms.largest_share().filter(|share| *share > 0.25) {
        reasons.push(Reason::OneTerm { share });
    }
    if smallest < 0.1 {
        reasons.push(Reason::LowFloor { smallest });
    }
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
    let ess = sum * sum / squares;
    if ess < 0.6 * samples.len() as f64 {
        reasons.push(Reason::Uneven { ess, labels: samples.len() });
    }
    if largest < 1.5 {
        reasons.push(Reason::HighFloor { largest });
    }
    let share = samples.len() as f64 / size as f64;
    if share > 0.5 {
        reasons.push(Reason::Exhausted { share });
    }
    if reasons.is_empty() {
        reasons.push(Reason::Modest { correlation });
    }
    Ok(reasons)
}

/// Weighted moments of losses and of what was expected of them.
struct Weighted {
    loss: f64,
    control: f64,
    loss_variance: f64,
    control_variance: f64,
    covariance: f64,
}

impl Weighted {
    fn new(evidence: &Evidence, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mean_of = |of: &dyn Fn(f64, f64) -> f64| {
            let samples = evidence.samples.iter().zip(weights);
            samples.map(|(sample, v)| v * of(sample.loss, sample.control)).sum::<f64>() / total
        };
        let (loss, control) = (mean_of(&|loss, _| loss), mean_of(&|_, control| control));
        Self {
            loss,
            control,
            loss_variance: mean_of(&|x, _| (x - loss).powi(2)),
            control_variance: mean_of(&|_, g| (g - control).powi(2)),
            covariance: mean_of(&|x, g| (x - loss) * (g - control)),
        }
    }

    fn correlation(&self) -> f64 {
        let size = (self.loss_variance * self.control_variance).sqrt();
        if size > 0.0 { self.covariance / size } else { 0.0 }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        match *self {
            Self::Uniform => f.write_str("draws were uniform"),
            Self::Alike { variation } => {
                write!(
                    f,
                    "losses hardly differ (their standard deviation is {} of their mean), so there is little to gain",
                    percent(variation)
                )
            }
            Self::Constant { variation } => {
                write!(
                    f,
                    "the surrogate expects about the same loss for every item (within {})",
                    percent(variation)
                )
            }
            Self::Useless { correlation, b1 } => {
                write!(
                    f,
                    "the surrogate's expectations hardly predict the losses (correlation {correlation:.2}, b1 {b1:.2})"
                )
            }
            Self::OneTerm { share } => write!(f, "one label has {} of the variance", percent(share)),
            Self::LowFloor { smallest } => write!(
                f,
                "an item was drawn with {smallest:.2} times the uniform probability, so its weight is large (a higher floor \
                 would have helped)"
            ),
            Self::Uneven { ess, labels } => {
                write!(f, "weights are uneven ({labels} labels are worth {ess:.0} labels of equal weight)")
            }
            Self::HighFloor { largest } => write!(
                f,
                "draws were nearly uniform (none had more than {largest:.2} times the uniform probability)"
            ),
            Self::Exhausted { share } => {
                write!(
                    f,
                    "{} of the pool is labelled, so uniform sampling would be nearly exact too",
                    percent(share)
                )
            }
            Self::Modest { correlation } => {
                write!(f, "the surrogate predicts the losses, but not well (correlation {correlation:.2})")
            }
        }
    }
}

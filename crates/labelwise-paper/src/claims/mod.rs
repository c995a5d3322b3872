//! What the paper claims, judged by what was measured. A claim that does not hold is reported like one that does.

mod paired;

pub(crate) use paired::p_text;

use serde::Serialize;

use crate::statistics::{Summary, first_below};
use crate::strategy::{Strategy, strategies};
use crate::summary::{CurveSummary, ExperimentSummary};

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// Which experiment it is about.
    pub experiment: &'static str,
    /// What is claimed.
    pub claim: &'static str,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub verdict: Verdict,
}

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds.
    Agrees,
    /// The claim does not hold.
    Differs,
    /// Runs are too few, or the difference too small, to tell.
    Undecided,
}

impl Verdict {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Undecided => "undecided",
        }
    }

    /// By how many standard errors something is as claimed; against the claim if negative.
    pub(crate) fn by(distance: f64) -> Self {
        if distance >= CLEAR {
            Self::Agrees
        } else if distance <= -CLEAR {
            Self::Differs
        } else {
            Self::Undecided
        }
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Agrees } else { Self::Differs }
    }
}

/// Fewer runs decide nothing.
const FEWEST: usize = 20;
/// Number of standard errors that make a difference clear.
const CLEAR: f64 = 2.0;
/// Errors of an exact estimator are rounding: this much at most, of the mean pool risk.
const ROUNDING: f64 = 1e-9;
/// Number of standard errors within which a mean of errors counts as 0.
const STANDARD_ERRORS: f64 = 4.0;

/// Judges claims about one experiment.
pub(crate) struct Judge<'a>(
    /// What was measured.
    pub(crate) &'a ExperimentSummary,
);

impl Judge<'_> {
    fn claim(&self, claim: &'static str, verdict: impl Into<Verdict>, measured: String) -> Claim {
        let verdict = if self.0.runs < FEWEST { Verdict::Undecided } else { verdict.into() };
        Claim { experiment: self.0.name, claim, measured, verdict }
    }

    /// "The estimates of R̂_LURE are indeed unbiased."
    pub(crate) fn unbiased(&self, curve: Strategy) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        // With the whole pool labelled, errors are rounding.
        let steps = curve.steps.iter().take(self.0.pool_size - 1).zip(1..);
        let worst = steps.filter_map(|(step, m)| Some((bias_in_errors(step)?.abs(), m)));
        let (size, m) = worst.fold((0.0, 0), |most, other| if other.0 > most.0 { other } else { most });
        let measured =
            format!("{}: mean error at most {size:.1} standard errors from 0 (at step {m})", name(curve));
        Some(self.claim("R_LURE is unbiased", size <= STANDARD_ERRORS, measured))
    }

    /// "The difference ... is much smaller than the naive R̂_iid": at every step, by standard deviation.
    pub(crate) fn below_uniform(&self, curve: Strategy) -> Option<Claim> {
        let number = |step: &Summary| Some((step.std_dev?, step.std_dev_std_error?));
        let claim = "active testing has a smaller standard deviation than uniform sampling";
        self.below(curve, claim, "standard deviation", number)
    }

    /// The same by median squared error, for errors whose standard deviation one rare point decides.
    pub(crate) fn below_uniform_by_median(&self, curve: Strategy) -> Option<Claim> {
        let number = |step: &Summary| Some((step.median_squared_error, step.median_std_error()?));
        let claim = "active testing has a smaller squared error than uniform sampling";
        self.below(curve, claim, "median squared error", number)
    }

    /// Agrees if every step is below, and at least one clearly; differs if one is clearly above.
    fn below(
        &self,
        curve: Strategy,
        claim: &'static str,
        what: &str,
        number: impl Fn(&Summary) -> Option<(f64, f64)>,
    ) -> Option<Claim> {
        let (active, uniform) = (self.0.curve(curve)?, self.0.curve(strategies::UNIFORM)?);
        // Once the whole pool is labelled, nobody is off.
        let pairs = active.steps.iter().zip(&uniform.steps).take(self.0.pool_size - 1);
        let pairs: Vec<_> = pairs
            .map(|(active, uniform)| Some((number(active)?, number(uniform)?)))
            .collect::<Option<_>>()?;
        let distances = pairs.iter().map(|(a, u)| (u.0 - a.0) / a.1.hypot(u.1));
        let (least, most) = distances
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), d| (d.min(least), d.max(most)));
        let verdict = if least <= -CLEAR {
            Verdict::Differs
        } else if least > 0.0 {
            Verdict::by(most)
        } else {
            Verdict::Undecided
        };
        let at = |m: usize| pairs.get(m - 1).map(|(a, u)| format!("{:.2} at step {m}", a.0 / u.0));
        let some: Vec<String> = [1, 5, 10, 20, 40].into_iter().filter_map(at).collect();
        let measured = format!("{}: {what} over uniform's {}", name(active), some.join(", "));
        Some(self.claim(claim, verdict, measured))
    }

    /// "After acquiring labels for only 5 test points, the standard deviation of active testing is already as low as
    /// it is for i.i.d. acquisition at step 40."
    pub(crate) fn five_equal_forty(&self, curve: Strategy) -> Option<Claim> {
        let (active, uniform) = (self.0.curve(curve)?, self.0.curve(strategies::UNIFORM)?);
        let forty = uniform.steps.get(39)?.std_dev?;
        let reached = first_below(&active.std_devs(), forty);
        let measured = match reached {
            Some(m) => format!("{}: reached after {m} labels", name(active)),
            None => format!("{}: not reached", name(active)),
        };
        let claim = "five active labels reach the standard deviation of uniform sampling at step 40";
        Some(self.claim(claim, reached.is_some_and(|m| m <= 5), measured))
    }

    /// Sampling by the true loss gives single-sample, zero-variance estimates.
    pub(crate) fn exact(&self, curve: Strategy) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        let worst = curve.steps.iter().map(|step| step.mean_squared_error.sqrt()).fold(0.0, f64::max);
        let measured = format!("{}: root mean squared error at most {worst:.0e}", name(curve));
        let agrees = worst <= ROUNDING * self.0.pool_risk.mean;
        Some(self.claim("sampling by the true loss is exact from the first label", agrees, measured))
    }

    /// Without weights, active draws overestimate the loss.
    pub(crate) fn biased(&self, curve: Strategy) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        let m = 10;
        let step = curve.steps.get(m - 1)?;
        let bias = bias_in_errors(step)?;
        let measured = format!(
            "{}: mean error {:+.1e} at step {m}, {bias:.0} standard errors from 0",
            name(curve),
            step.mean
        );
        // A bias that is not seen may still be there.
        let verdict = if bias.abs() > STANDARD_ERRORS { Verdict::Agrees } else { Verdict::Undecided };
        Some(self.claim("without weights the estimate is biased", verdict, measured))
    }

    /// One curve is off by more than another, by mean squared error at a step.
    pub(crate) fn worse(
        &self,
        claim: &'static str,
        worse: Strategy,
        better: Strategy,
        m: usize,
    ) -> Option<Claim> {
        let (worse, better) = (self.0.curve(worse)?, self.0.curve(better)?);
        let error = |curve: &CurveSummary| {
            let step = curve.steps.get(m - 1)?;
            Some((step.mean_squared_error, step.mean_squared_error_std_error?))
        };
        let ((one, one_off), (other, other_off)) = (error(worse)?, error(better)?);
        // As if the runs were not paired, which is on the safe side.
        let distance = (one - other) / one_off.hypot(other_off);
        let measured = format!(
            "mean squared error at step {m}: {} {one:.2e}, {} {other:.2e} ({distance:+.1} combined standard errors)",
            name(worse),
            name(better)
        );
        Some(self.claim(claim, Verdict::by(distance), measured))
    }

    /// "ARE takes 9.8 ± 3.1 as many queries as there are samples in the test pool."
    pub(crate) fn queries(&self, curve: Strategy) -> Option<Claim> {
        let per_item = self.0.queries.iter().find(|queries| queries.strategy == curve)?.per_item;
        let measured = format!("{:.1} ± {:.1} queries an item of the pool", per_item.mean, per_item.std_dev);
        // The paper's number is rounded to a tenth, and a mean over 7,000 runs.
        let error = per_item.std_dev * (1.0 / self.0.runs as f64 + 1.0 / 7000.0).sqrt();
        let agrees = (per_item.mean - 9.8).abs() <= 0.05 + STANDARD_ERRORS * error;
        Some(self.claim("ARE takes 9.8 ± 3.1 times as many queries as the pool has items", agrees, measured))
    }
}

fn bias_in_errors(step: &Summary) -> Option<f64> {
    step.mean_std_error.filter(|error| *error > 0.0).map(|error| step.mean / error)
}

fn name(curve: &CurveSummary) -> String {
    format!("{} ({})", curve.strategy.name, curve.strategy.estimator.name())
}

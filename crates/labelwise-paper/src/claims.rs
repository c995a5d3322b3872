//! What the paper claims, judged by what was measured. A claim that does not hold is reported like one that does.

use serde::Serialize;

use crate::experiment::{Curve, curves};
use crate::statistics::{Summary, first_below};
use crate::summary::{CurveSummary, ExperimentSummary};

/// A claim of the paper with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// Which experiment it is about.
    pub experiment: &'static str,
    /// What the paper says.
    pub claim: &'static str,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub agrees: bool,
}

/// Errors of an exact estimator are rounding: this much at most, of the mean pool risk.
const ROUNDING: f64 = 1e-9;
/// A mean is no bias if it is within so many of its standard errors of 0.
const STANDARD_ERRORS: f64 = 4.0;

/// Judges claims about one experiment.
pub(crate) struct Judge<'a>(
    /// What was measured.
    pub(crate) &'a ExperimentSummary,
);

impl Judge<'_> {
    fn claim(&self, claim: &'static str, (agrees, measured): (bool, String)) -> Claim {
        Claim { experiment: self.0.name, claim, measured, agrees }
    }

    /// "The estimates of R̂_LURE are indeed unbiased."
    pub(crate) fn unbiased(&self, curve: Curve) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        // With the whole pool labelled, errors are rounding.
        let steps = curve.steps.iter().take(self.0.pool_size - 1).zip(1..);
        let worst = steps.filter_map(|(step, m)| Some((bias_in_errors(step)?.abs(), m)));
        let (size, m) = worst.fold((0.0, 0), |most, other| if other.0 > most.0 { other } else { most });
        let measured =
            format!("{}: mean error at most {size:.1} standard errors from 0 (at step {m})", name(curve));
        Some(self.claim("R_LURE is unbiased", (size <= STANDARD_ERRORS, measured)))
    }

    /// "The difference ... is much smaller than the naive R̂_iid": at every step, by standard deviation.
    pub(crate) fn below_uniform(&self, curve: Curve) -> Option<Claim> {
        let (active, uniform) = (self.0.curve(curve)?, self.0.curve(curves::UNIFORM)?);
        let ratios: Vec<f64> = active.std_devs().iter().zip(uniform.std_devs()).map(|(a, u)| a / u).collect();
        // At the last step the whole pool is labelled, and nobody is off.
        let before_last = ratios.get(..ratios.len().min(self.0.pool_size - 1))?;
        let above = before_last.iter().filter(|ratio| **ratio >= 1.0).count();
        let at = |m: usize| ratios.get(m - 1).map(|ratio| format!("{ratio:.2} at step {m}"));
        let some: Vec<String> = [1, 5, 10, 20, 40].into_iter().filter_map(at).collect();
        let measured = format!("{}: standard deviation over uniform's {}", name(active), some.join(", "));
        Some(self.claim(
            "active testing has a smaller standard deviation than uniform sampling",
            (above == 0, measured),
        ))
    }

    /// The same by median squared error, for errors whose standard deviation one rare point decides.
    pub(crate) fn below_uniform_by_median(&self, curve: Curve) -> Option<Claim> {
        let (active, uniform) = (self.0.curve(curve)?, self.0.curve(curves::UNIFORM)?);
        let pairs = active.median_squared_errors().into_iter().zip(uniform.median_squared_errors());
        let ratios: Vec<f64> = pairs.map(|(a, u)| a / u).collect();
        let above = ratios.iter().filter(|ratio| **ratio >= 1.0).count();
        let at = |m: usize| ratios.get(m - 1).map(|ratio| format!("{ratio:.2} at step {m}"));
        let some: Vec<String> = [1, 5, 10, 20, 40].into_iter().filter_map(at).collect();
        let measured = format!("{}: median squared error over uniform's {}", name(active), some.join(", "));
        Some(self.claim(
            "active testing has a smaller squared error than uniform sampling",
            (above == 0, measured),
        ))
    }

    /// "After acquiring labels for only 5 test points, the standard deviation of active testing is already as low as
    /// it is for i.i.d. acquisition at step 40."
    pub(crate) fn five_equal_forty(&self, curve: Curve) -> Option<Claim> {
        let (active, uniform) = (self.0.curve(curve)?, self.0.curve(curves::UNIFORM)?);
        let forty = uniform.steps.get(39)?.std_dev?;
        let reached = first_below(&active.std_devs(), forty);
        let measured = match reached {
            Some(m) => format!("{}: reached after {m} labels", name(active)),
            None => format!("{}: not reached", name(active)),
        };
        let agrees = reached.is_some_and(|m| m <= 5);
        Some(self.claim(
            "five active labels reach the standard deviation of uniform sampling at step 40",
            (agrees, measured),
        ))
    }

    /// Sampling by the true loss gives single-sample, zero-variance estimates.
    pub(crate) fn exact(&self, curve: Curve) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        let worst = curve.steps.iter().map(|step| step.mean_squared_error.sqrt()).fold(0.0, f64::max);
        let measured = format!("{}: root mean squared error at most {worst:.0e}", name(curve));
        let agrees = worst <= ROUNDING * self.0.pool_risk.mean;
        Some(self.claim("sampling by the true loss is exact from the first label", (agrees, measured)))
    }

    /// Without weights, active draws overestimate the loss.
    pub(crate) fn biased(&self, curve: Curve) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        let m = 10;
        let step = curve.steps.get(m - 1)?;
        let bias = bias_in_errors(step)?;
        let measured = format!(
            "{}: mean error {:+.1e} at step {m}, {bias:.0} standard errors from 0",
            name(curve),
            step.mean
        );
        Some(self.claim("without weights the estimate is biased", (bias.abs() > STANDARD_ERRORS, measured)))
    }

    /// One curve is off by more than another, by root mean squared error at a step.
    pub(crate) fn worse(&self, claim: &'static str, worse: Curve, better: Curve, m: usize) -> Option<Claim> {
        let (worse, better) = (self.0.curve(worse)?, self.0.curve(better)?);
        let error = |curve: &CurveSummary| Some(curve.steps.get(m - 1)?.mean_squared_error.sqrt());
        let (one, other) = (error(worse)?, error(better)?);
        let measured = format!(
            "root mean squared error at step {m}: {} {one:.1e}, {} {other:.1e}",
            name(worse),
            name(better)
        );
        Some(self.claim(claim, (one > other, measured)))
    }

    /// "ARE takes 9.8 ± 3.1 as many queries as there are samples in the test pool."
    pub(crate) fn queries(&self, curve: Curve) -> Option<Claim> {
        let per_item = self.0.queries.iter().find(|queries| queries.curve == curve)?.per_item;
        let measured = format!("{:.1} ± {:.1} queries an item of the pool", per_item.mean, per_item.std_dev);
        // The paper's number is a mean over as many runs, rounded to a tenth.
        let agrees = (per_item.mean - 9.8).abs() <= 0.2;
        Some(
            self.claim("ARE takes 9.8 ± 3.1 times as many queries as the pool has items", (agrees, measured)),
        )
    }
}

fn bias_in_errors(step: &Summary) -> Option<f64> {
    step.mean_std_error.filter(|error| *error > 0.0).map(|error| step.mean / error)
}

fn name(curve: &CurveSummary) -> String {
    format!("{} ({})", curve.curve.acquisition, curve.curve.estimator)
}

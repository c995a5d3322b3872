//! Claims that one curve has lower errors than another, judged run by run.

use super::{Claim, Judge, Verdict, bias_in_errors, name};
use crate::statistics::{Alternative, Method, SignedRank, Summary, mean, signed_rank};
use crate::strategy::Strategy;
use crate::summary::ExperimentSummary;

/// A difference is one if it, or a larger one, comes by chance with this probability at most.
const LEVEL: f64 = 0.025;
/// The steps at which labelling costs are looked at: from here to the last.
const COSTS_FROM: usize = 20;
/// Costs agree within this factor.
const ALIKE: f64 = 1.5;

impl ExperimentSummary {
    /// Wilcoxon's test that the first curve has lower squared errors than the second in the same runs; nothing where a
    /// curve is not there, or no run differs.
    pub fn signed_rank(&self, lower: Strategy, higher: Strategy) -> Option<SignedRank> {
        let squares = |wanted: Strategy| {
            self.judged.squares.iter().find(|(curve, _)| *curve == wanted).map(|(_, squares)| squares)
        };
        signed_rank(squares(lower)?, squares(higher)?, Alternative::Less, Method::default()).ok()
    }

    /// The last of the steps by which curves are compared.
    pub fn judged_step(&self) -> usize {
        *self.judged.steps.end()
    }

    fn judged_text(&self) -> String {
        let (from, to) = (self.judged.steps.start(), self.judged.steps.end());
        if from == to { format!("at step {to}") } else { format!("over steps {from} to {to}") }
    }
}

impl Verdict {
    /// By the p-value of a claim against its opposite.
    pub(crate) fn by_rank(test: &SignedRank) -> Self {
        if test.p_value <= LEVEL {
            Self::Agrees
        } else if test.p_value >= 1.0 - LEVEL {
            Self::Differs
        } else {
            Self::Undecided
        }
    }
}

impl<'a> Judge<'a> {
    /// The first curve has lower squared errors than the second, by Wilcoxon's test.
    pub(crate) fn lower(&self, claim: &'static str, lower: Strategy, higher: Strategy) -> Option<Claim> {
        let test = self.0.signed_rank(lower, higher)?;
        let (lower, higher) = (self.0.curve(lower)?, self.0.curve(higher)?);
        let median = |curve: &crate::summary::CurveSummary| {
            let steps = &self.0.judged.steps;
            let judged = curve.steps.get(steps.start() - 1..*steps.end())?;
            Some(judged.iter().map(|step| step.median_squared_error).sum::<f64>() / judged.len() as f64)
        };
        let measured = format!(
            "{}: {} has a median squared error of {:.2e}, {} of {:.2e}; p = {}",
            self.0.judged_text(),
            name(lower),
            median(lower)?,
            name(higher),
            median(higher)?,
            p_text(&test)
        );
        Some(self.claim(claim, Verdict::by_rank(&test), measured))
    }

    /// The mean squared error is below the expectation of uniform sampling, which is known exactly: no run of it is needed.
    pub(crate) fn below_the_law(&self, curve: Strategy) -> Option<Claim> {
        let judged = &self.0.judged;
        let (_, squares) = judged.squares.iter().find(|(other, _)| *other == curve)?;
        if judged.uniform_law.len() != squares.len() {
            return None;
        }
        let expected = mean(&judged.uniform_law).ok()?;
        let differences: Vec<f64> =
            judged.uniform_law.iter().zip(squares).map(|(law, square)| law - square).collect();
        let summary = Summary::of(&differences).ok()?;
        let distance = summary.mean / summary.mean_std_error?;
        let measured = format!(
            "{}: the mean squared error of {} is {:.2} of the exact expectation of uniform sampling ({distance:+.1} \
             standard errors below it)",
            self.0.judged_text(),
            name(self.0.curve(curve)?),
            mean(squares).ok()? / expected,
        );
        let claim = "active testing has a lower mean squared error than uniform sampling by its exact law";
        Some(self.claim(claim, Verdict::by(distance), measured))
    }

    /// The same by the mean of the logarithm of the squared error at the last step.
    pub(crate) fn lower_by_mean_log(
        &self,
        claim: &'static str,
        lower: Strategy,
        higher: Strategy,
    ) -> Option<Claim> {
        let at = self.0.judged_step();
        let (lower, higher) = (self.0.curve(lower)?, self.0.curve(higher)?);
        let log = |curve: &crate::summary::CurveSummary| {
            let step = curve.steps.get(at - 1)?;
            Some((step.mean_log_squared_error?, step.mean_log_squared_error_std_error?))
        };
        let ((one, one_off), (other, other_off)) = (log(lower)?, log(higher)?);
        // As if the runs were not paired, which is on the safe side.
        let distance = (other - one) / one_off.hypot(other_off);
        let measured = format!(
            "at step {at}: mean log squared error of {} {one:.2} ± {one_off:.2}, of {} {other:.2} ± {other_off:.2} \
             ({distance:+.1} combined standard errors)",
            name(lower),
            name(higher)
        );
        Some(self.claim(claim, Verdict::by(distance), measured))
    }

    /// The relative labelling cost is about as the paper says.
    pub(crate) fn cost(&self, claim: &'static str, curve: Strategy, expected: f64) -> Option<Claim> {
        let (cost, text) = self.costs(curve)?;
        let alike = (expected / ALIKE..=expected * ALIKE).contains(&cost);
        Some(self.claim(claim, alike, format!("{text}, where the paper's figure has about {expected}")))
    }

    /// The relative labelling cost is below 1.
    pub(crate) fn saves(&self, claim: &'static str, curve: Strategy) -> Option<Claim> {
        let (cost, text) = self.costs(curve)?;
        Some(self.claim(claim, cost < 1.0, text))
    }

    /// The median cost over the later steps, in words too.
    fn costs(&self, curve: Strategy) -> Option<(f64, String)> {
        let curve = self.0.curve(curve)?;
        let against = curve.against_uniform.as_ref()?;
        let sorted = |costs: &[Option<f64>]| {
            // Where all labels were not enough, it takes more than any number here.
            let reached = costs.iter().skip(COSTS_FROM - 1).map(|cost| cost.unwrap_or(f64::INFINITY));
            let mut costs: Vec<f64> = reached.collect();
            costs.sort_by(f64::total_cmp);
            costs
        };
        let at = |costs: &[f64], share: f64| {
            costs.get((share * costs.len().saturating_sub(1) as f64) as usize).copied()
        };
        let costs = sorted(&against.relative_labelling_cost);
        let (low, middle, high) = (at(&costs, 0.1)?, at(&costs, 0.5)?, at(&costs, 0.9)?);
        // The authors' curve ends where uniform sampling does not get so far.
        let theirs: Vec<Option<f64>> =
            against.authors_labelling_cost.iter().copied().filter(Option::is_some).collect();
        let theirs = at(&sorted(&theirs), 0.5).map_or_else(|| "-".to_owned(), |cost| format!("{cost:.2}"));
        let text = format!(
            "{}: relative labelling cost {middle:.2} (median from {COSTS_FROM} uniform labels on; {low:.2} to {high:.2} at \
             most of them; as the authors count it, {theirs})",
            name(curve)
        );
        Some((middle, text))
    }

    /// "Without it, the risk estimates are biased and clearly overestimate model error."
    pub(crate) fn overestimates(&self, curve: Strategy) -> Option<Claim> {
        let curve = self.0.curve(curve)?;
        let m = self.0.judged_step();
        let step = curve.steps.get(m - 1)?;
        let bias = bias_in_errors(step)?;
        let measured = format!(
            "{}: mean error {:+.1e} at step {m}, {bias:+.0} standard errors, where the risk is {:.1e}",
            name(curve),
            step.mean,
            self.0.pool_risk.mean
        );
        Some(self.claim(
            "(a) without weights the estimates clearly overestimate the loss",
            Verdict::by(bias),
            measured,
        ))
    }
}

/// A p-value of any size.
pub(crate) fn p_text(test: &SignedRank) -> String {
    if test.p_value >= 1e-300 {
        if test.p_value >= 0.001 { format!("{:.3}", test.p_value) } else { format!("{:.1e}", test.p_value) }
    } else {
        format!("1e{:.0}", test.log10_p_value)
    }
}

//! A guaranteed interval for a stratified sample. Draws within strata are not a game of successive rounds, but they are
//! independent between strata, and drawing without replacement strays no further than drawing with it (Hoeffding). So the
//! chance of a mean as far out as the one seen is bounded as Chernoff does it, at the worst that strata could be.

use super::betting::{POPULATION_SHARE, beside_pool};
use super::{Basis, Interval, Target, within};
use crate::error::{Error, Result};
use crate::estimator::Terms;
use crate::ledger::Evidence;

/// Exponents beyond this are of no use, and would overflow.
const LARGEST: f64 = 500.0;

/// Steps of a search; each shrinks it to 0.62 of itself.
const STEPS: usize = 48;

pub(super) fn interval(evidence: &Evidence, terms: &Terms, target: Target, level: f64) -> Result<Interval> {
    let range = evidence.range.ok_or(Error::Unbounded)?;
    let width = range.high - range.low;
    let error = 1.0 - level;
    let (error, aside) = match target {
        Target::Pool => (error, 0.0),
        Target::Population => {
            let spent = POPULATION_SHARE * error;
            (error - spent, beside_pool(width, spent, evidence.whole_size()))
        }
    };
    let sample = Sample::new(terms);
    let seen = if width > 0.0 { ((terms.value() - range.low) / width).clamp(0.0, 1.0) } else { 0.0 };
    let bar = (2.0 / error).ln();
    let (from, to) = (sample.least(seen, bar), 1.0 - sample.least(1.0 - seen, bar));
    let risk = |part: f64| evidence.whole_risk(range.low + width * part);
    let (low, high) = within(evidence, target, risk(from) - aside, risk(to) + aside);
    Ok(Interval { low, high, level, target, basis: Basis::Chernoff, caution: None })
}

/// Draws that count the same, and how many there are.
struct Sample(Vec<(f64, f64)>);

impl Sample {
    fn new(terms: &Terms) -> Self {
        let mut sorted = terms.c().to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut groups: Vec<(f64, f64)> = Vec::new();
        for c in sorted {
            match groups.last_mut() {
                Some((last, count)) if *last == c => *count += 1.0,
                _ => groups.push((c, 1.0)),
            }
        }
        Self(groups)
    }

    /// The least mean, of losses between 0 and 1, that a weighted mean `seen` leaves possible: smaller ones would have had
    /// it with a probability below e^−bar.
    ///
    /// For any λ, a mean r of parts p_m has it with a probability of at most Π (1 + p_m (e^{λ c_m} − 1)) e^{−λ seen}, and
    /// for any ν > 0 no parts with Σ c_m p_m = r make that more than the product of what each can at most, e^{φ_m}, times
    /// e^{ν r}, where φ_m = max over p of log(1 + p (e^{λ c_m} − 1)) − ν c_m p. So r is out if it is below
    /// (λ seen − Σ φ_m − bar) / ν: true for every λ and ν, and so for the best of them, however well it is found.
    fn least(&self, seen: f64, bar: f64) -> f64 {
        let largest = self.0.iter().fold(0.0_f64, |most, (c, _)| most.max(*c));
        if seen <= 0.0 || largest <= 0.0 {
            return 0.0;
        }
        let at = |log_lambda: f64| {
            let lambda = log_lambda.exp();
            let edge = |of: fn(f64) -> f64, pick: fn(f64, f64) -> f64, start: f64| {
                self.0.iter().fold(start, |found, (c, _)| pick(found, of(lambda * c) / c))
            };
            // Below the lower, every part would be 1; above the upper, 0.
            let lower = edge(|s| -(-s).exp_m1(), f64::min, f64::INFINITY);
            let upper = edge(f64::exp_m1, f64::max, 0.0);
            best(lower.ln(), upper.ln(), |log_nu| self.bound(lambda, log_nu.exp(), seen, bar))
        };
        best((1e-6 / largest).ln(), (LARGEST / largest).ln(), at).clamp(0.0, seen)
    }

    fn bound(&self, lambda: f64, nu: f64, seen: f64, bar: f64) -> f64 {
        let most = self.0.iter().map(|&(c, count)| {
            let (gain, price) = ((lambda * c).exp_m1(), nu * c);
            let p = (1.0 / price - 1.0 / gain).clamp(0.0, 1.0);
            count * ((p * gain).ln_1p() - price * p)
        });
        (lambda * seen - most.sum::<f64>() - bar) / nu
    }
}

/// The largest value of something that rises and then falls, by golden section.
fn best(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let place = |low: f64, high: f64, part: f64| low + part * (high - low);
    let (mut left, mut right) = (place(low, high, 1.0 - GOLDEN), place(low, high, GOLDEN));
    let (mut at_left, mut at_right) = (of(left), of(right));
    for _ in 0..STEPS {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = place(low, high, GOLDEN);
            at_right = of(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = place(low, high, 1.0 - GOLDEN);
            at_left = of(left);
        }
    }
    at_left.max(at_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One stratum: the bound is Chernoff's, n · KL(seen, p) = bar.
    #[test]
    fn one_stratum_is_the_bound_of_the_binomial() {
        let sample = Sample(vec![(0.01, 100.0)]);
        for seen in [0.02, 0.2, 0.7, 1.0] {
            let p = sample.least(seen, 3.689);
            let part = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
            let divergence = part(seen, p) + part(1.0 - seen, 1.0 - p);
            assert!((100.0 * divergence - 3.689).abs() < 1e-3, "{p} of {seen}: {divergence}");
        }
        assert_eq!(sample.least(0.0, 3.689), 0.0);
    }
}

//! The error of a strategy without the luck of single draws: the variance of each draw given the draws before it.
//!
//! Simulated errors are noisy: 400 runs leave 3.5 % in a root mean square. All losses are known here, so the variance that a
//! draw adds has a formula. Its mean over a few dozen runs ranks strategies that differ by 1 %.

use super::run::Run;
use super::{AllLabels, Simulation, Strategy};
use crate::error::Result;
use crate::spec::names::EstimatorName;
use crate::task::StudyTask;
use labelwise::{Classification, Evaluation, Regression, Seed};
use rayon::prelude::*;

/// ℒ, g and 1 of an item.
type Row = [f64; 3];

/// Sums over the items that a proposal can draw, with weights w.
#[derive(Debug, Clone, Default)]
pub(super) struct ProposalSums {
    /// Draws before it.
    drawn: usize,
    /// Number of items.
    items: f64,
    /// Σ w.
    mass: f64,
    /// Σ x.
    plain: Row,
    /// Σ x xᵀ / w.
    squares: [Row; 3],
}

impl ProposalSums {
    /// The sums of the proposal of the moment.
    pub(super) fn of<T: StudyTask>(evaluation: &mut Evaluation<T>, known: &[T::Label]) -> Result<Self> {
        let beliefs = evaluation.beliefs()?.clone();
        let (pool, loss) = (evaluation.pool(), evaluation.loss());
        let (mut predictions, mut rows) = (pool.predictions().reader(), beliefs.rows().reader());
        let mut sums = Self { drawn: evaluation.draws().len(), ..Self::default() };
        let weights = evaluation.weights().iter().zip(known).enumerate();
        for (item, (&weight, &label)) in weights.filter(|(_, (weight, _))| **weight > 0.0) {
            let prediction = T::prediction(predictions.row(item));
            let control = loss.moments(prediction, T::belief(rows.row(item))).first;
            sums.add([loss.loss(prediction, label), control, 1.0], weight);
        }
        Ok(sums)
    }

    fn add(&mut self, row: Row, weight: f64) {
        self.items += 1.0;
        self.mass += weight;
        for ((sum, squares), x) in self.plain.iter_mut().zip(&mut self.squares).zip(row) {
            *sum += x;
            squares.iter_mut().zip(row).for_each(|(square, y)| *square += x * y / weight);
        }
    }

    /// Covariances of x/q for one draw: Σ w · Σ x xᵀ / w − Σ x Σ xᵀ.
    fn covariances(&self) -> [Row; 3] {
        let mut found = self.squares;
        for (row, x) in found.iter_mut().zip(self.plain) {
            row.iter_mut().zip(self.plain).for_each(|(cell, y)| *cell = self.mass * *cell - x * y);
        }
        found
    }
}

/// The variance of an estimate from `labels` draws, given the proposals: Σ over proposals of Σ_m (c_m n_m / n_0)² times the
/// variance of one draw, where n_m items could be drawn at m and n_0 at the start of the proposal.
fn variance(proposals: &[ProposalSums], labels: usize, size: usize, controlled: bool) -> f64 {
    let n = size as f64;
    let coefficient = |m: usize| {
        let left = n - m as f64;
        n * (n - labels as f64) / (labels as f64 * (left - 1.0) * left)
    };
    let ends = proposals.iter().skip(1).map(|next| next.drawn).chain([labels]);
    let mut total = [[0.0; 3]; 3];
    for (proposal, end) in proposals.iter().zip(ends) {
        let shares = (proposal.drawn..end.min(labels))
            .map(|m| (coefficient(m) * (n - m as f64) / (n - proposal.drawn as f64)).powi(2));
        let share: f64 = shares.sum::<f64>() / (n * n);
        for (total, row) in total.iter_mut().zip(proposal.covariances()) {
            total.iter_mut().zip(row).for_each(|(total, cell)| *total += share * cell);
        }
    }
    if controlled { unexplained(total) } else { total[0][0] }
}

/// What is left of the first variance after the best linear combination of the others.
fn unexplained([[own, with_1, with_2], [_, one, both], [_, _, two]]: [Row; 3]) -> f64 {
    let left = if one > 1e-300 { own - with_1 * with_1 / one } else { own };
    let (two_left, with_left) =
        if one > 1e-300 { (two - both * both / one, with_2 - with_1 * both / one) } else { (two, with_2) };
    // Of a control that the other one is, nothing is left but rounding.
    if two_left > 1e-9 * two { left - with_left * with_left / two_left } else { left }
}

impl Simulation {
    /// Root of the mean variance of a strategy's estimates at each number of labels, given the proposals of `runs` runs and
    /// with the best linear controls. `None` for strategies without such a formula: stratified samples, and those with moments
    /// of their own at which the floor is applied.
    pub fn conditional_error(
        &self,
        strategy: &Strategy,
        labels: &[usize],
        runs: usize,
        seed: u64,
    ) -> Result<Option<Vec<f64>>> {
        if strategy.strata.is_some() || strategy.rescore.is_some() || !self.is_mean() {
            return Ok(None);
        }
        labels.iter().try_for_each(|labels| self.check_labels(*labels))?;
        let variances = match &self.known {
            AllLabels::Classes(known) => {
                self.variances::<Classification>(known, strategy, labels, runs, seed)
            }
            AllLabels::Values(known) => self.variances::<Regression>(known, strategy, labels, runs, seed),
        };
        let mut sums = vec![0.0; labels.len()];
        for run in variances? {
            sums.iter_mut().zip(run).for_each(|(sum, variance)| *sum += variance);
        }
        Ok(Some(sums.into_iter().map(|sum| (sum / runs.max(1) as f64).sqrt()).collect()))
    }

    fn variances<T: StudyTask>(
        &self,
        known: &[T::Label],
        strategy: &Strategy,
        labels: &[usize],
        runs: usize,
        seed: u64,
    ) -> Result<Vec<Vec<f64>>> {
        let setup = self.setup::<T>(strategy, known)?;
        let most = labels.iter().copied().max().unwrap_or(1);
        let controlled = matches!(strategy.estimator, EstimatorName::Suited | EstimatorName::Regression);
        let size = self.settings.drawable();
        let runs = (0..runs).into_par_iter().map(|run| {
            let seed = Seed(seed).repetition(run as u64);
            let mut run = Run::new(&setup, &self.gauge, seed.0)?.watched()?;
            run.label(most)?;
            let at = |&labels: &usize| variance(run.seen(), labels, size, controlled);
            Ok(labels.iter().map(at).collect())
        });
        runs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(drawn: usize, items: &[(f64, f64, f64)]) -> ProposalSums {
        let mut sums = ProposalSums { drawn, ..ProposalSums::default() };
        items.iter().for_each(|&(loss, control, weight)| sums.add([loss, control, 1.0], weight));
        sums
    }

    #[test]
    fn uniform_draws_have_the_variance_of_uniform_samples() {
        let losses = [0.0, 1.0, 4.0, 2.0, 7.0, 3.0];
        let items: Vec<(f64, f64, f64)> = losses.iter().map(|loss| (*loss, 0.0, 1.0)).collect();
        let mean = losses.iter().sum::<f64>() / 6.0;
        let spread = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 5.0;
        // Given the first proposal, later draws are from fewer items: the formula takes their variance to shrink in proportion.
        let found = variance(&[sums(0, &items)], 1, 6, false);
        assert!((found - spread * (1.0 - 1.0 / 6.0)).abs() < 1e-12, "{found}");
        // A constant is explained by nothing, and everything by itself.
        assert!(
            (variance(&[sums(0, &items)], 3, 6, true) / variance(&[sums(0, &items)], 3, 6, false) - 1.0)
                .abs()
                < 1e-12
        );
        let itself: Vec<(f64, f64, f64)> = losses.iter().map(|loss| (*loss, *loss, 1.0)).collect();
        assert!(variance(&[sums(0, &itself)], 3, 6, true).abs() < 1e-12);
    }

    #[test]
    fn each_proposal_counts_for_its_own_draws() {
        let items = [(0.0, 0.1, 0.5), (1.0, 0.6, 1.0), (0.0, 0.2, 2.0), (1.0, 0.9, 1.5), (0.0, 0.4, 1.0)];
        let flat: Vec<(f64, f64, f64)> =
            items.iter().map(|(loss, control, _)| (*loss, *control, 1.0)).collect();
        let (one, other) = (sums(0, &items), sums(0, &flat));
        let (first, second) = (
            variance(std::slice::from_ref(&one), 2, 5, false),
            variance(std::slice::from_ref(&other), 2, 5, false),
        );
        // A proposal that no draw is made from changes nothing.
        let unused = ProposalSums { drawn: 2, ..other.clone() };
        assert_eq!(variance(&[one.clone(), unused], 2, 5, false), first);
        let later = ProposalSums { drawn: 1, ..other };
        let both = variance(&[one, later], 2, 5, false);
        assert!(both > first.min(second) * 0.9 && both < first.max(second) * 1.4, "{first} {second} {both}");
    }
}

//! How many labels each stratum gets: Neyman's allocation, in whole numbers that sum to the budget.

use super::error::DesignError;

/// Minimum number of labels per stratum, or all of its items: with fewer there is no variance.
const LEAST: usize = 2;

/// The part of the allocation that follows what is expected of each stratum. The rest follows size alone, so that a
/// surrogate that is sure of a stratum and wrong about it cannot starve it.
const TRUSTED: f64 = 0.7;

/// Remainders are compared in steps of this, so that rounding on another machine does not move a label.
const STEP: f64 = 1e-9;

/// A stratum as the allocation sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// N_h.
    pub(super) size: usize,
    /// S_h, the standard deviation of the loss of one of its items, drawn at random with its label.
    pub(super) spread: f64,
}

impl Part {
    fn least(&self) -> usize {
        LEAST.min(self.size)
    }
}

/// n_h ∝ N_h (0.7 S_h + 0.3 S̄), at least two and at most all of each stratum, `budget` in total.
pub(super) fn neyman(parts: &[Part], budget: usize) -> Result<Vec<usize>, DesignError> {
    let least: usize = parts.iter().map(Part::least).sum();
    if least > budget {
        return Err(DesignError::BudgetOfStrata { budget, strata: parts.len(), least });
    }
    let items: f64 = parts.iter().map(|part| part.size as f64).sum();
    let mean = parts.iter().map(|part| part.size as f64 * part.spread).sum::<f64>() / items;
    let weight = |part: &Part| {
        let spread = TRUSTED * part.spread + (1.0 - TRUSTED) * mean;
        // Where no loss is expected to vary, size is all there is.
        part.size as f64 * if mean > 0.0 { spread } else { 1.0 }
    };
    let share = |part: &Part, scale: f64| (scale * weight(part)).clamp(part.least() as f64, part.size as f64);
    // The scale at which all shares sum to the budget: they grow with it.
    let total = |scale: f64| parts.iter().map(|part| share(part, scale)).sum::<f64>();
    let slightest = parts.iter().map(weight).fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (0.0, items / slightest.max(f64::MIN_POSITIVE));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if total(middle) < budget as f64 { low = middle } else { high = middle }
    }
    Ok(whole(parts, &parts.iter().map(|part| share(part, high)).collect::<Vec<f64>>(), budget))
}

/// Whole numbers for shares that sum to the budget: the largest remainders are rounded up.
fn whole(parts: &[Part], shares: &[f64], budget: usize) -> Vec<usize> {
    let steps: Vec<u64> = shares.iter().map(|share| (share / STEP).round() as u64).collect();
    let unit = (1.0 / STEP).round() as u64;
    let mut counts: Vec<usize> = steps.iter().map(|steps| (steps / unit) as usize).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&part| std::cmp::Reverse(steps.get(part).map(|steps| steps % unit)));
    let mut left = budget.saturating_sub(counts.iter().sum());
    while left > 0 {
        let before = left;
        for &place in &order {
            if let (Some(count), Some(part)) = (counts.get_mut(place), parts.get(place))
                && *count < part.size
                && left > 0
            {
                *count += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(of: &[(usize, f64)]) -> Vec<Part> {
        of.iter().map(|&(size, spread)| Part { size, spread }).collect()
    }

    #[test]
    fn labels_go_where_losses_are_many_and_vary() {
        // 0.7 S + 0.3 · 0.4 is 0.19, 0.33 and 0.68, of which 100 labels are 15.8, 27.5 and 56.7.
        let counts = neyman(&parts(&[(100, 0.1), (100, 0.3), (100, 0.8)]), 100).unwrap();
        assert_eq!(counts, [16, 27, 57]);
    }

    #[test]
    fn every_stratum_has_two_and_none_more_than_all() {
        assert_eq!(neyman(&parts(&[(1000, 0.0), (5, 9.0), (1, 0.0)]), 20).unwrap(), [14, 5, 1]);
        assert_eq!(neyman(&parts(&[(50, 0.0), (50, 1.0)]), 4).unwrap(), [2, 2]);
        assert_eq!(neyman(&parts(&[(50, 0.0), (50, 0.0)]), 30).unwrap(), [15, 15]);
        let error = DesignError::BudgetOfStrata { budget: 4, strata: 3, least: 5 };
        assert_eq!(neyman(&parts(&[(9, 1.0), (9, 1.0), (1, 1.0)]), 4), Err(error));
    }

    #[test]
    fn labels_sum_to_the_budget_whatever_the_strata() {
        let spreads = [0.0, 1e-12, 0.3, 1.0, 7.0, 1e9];
        for first in spreads {
            for second in spreads {
                for sizes in [[3, 4, 5], [1, 1, 90], [40, 2, 1]] {
                    let parts = parts(&[(sizes[0], first), (sizes[1], second), (sizes[2], 0.5)]);
                    let all: usize = sizes.iter().sum();
                    let least: usize = parts.iter().map(Part::least).sum();
                    for budget in least..=all {
                        let counts = neyman(&parts, budget).unwrap();
                        assert_eq!(counts.iter().sum::<usize>(), budget, "{parts:?}");
                        for (count, part) in counts.iter().zip(&parts) {
                            assert!((part.least()..=part.size).contains(count), "{counts:?} of {parts:?}");
                        }
                    }
                }
            }
        }
    }
}

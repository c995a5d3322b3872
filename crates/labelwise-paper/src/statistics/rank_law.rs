//! The exact law of a sum of signed ranks: each rank counts or does not, like the sides of a fair coin.

/// The probability that the ranks which counted sum to `sum` or less. Ranks and sum are doubled, so that ranks shared
/// by ties are whole numbers.
pub(super) fn at_most(doubled_ranks: &[usize], sum: usize) -> f64 {
    // Place s holds the probability that the ranks so far sum to s; more than `sum` is of no interest. The
    // probabilities are whole numbers over a power of two, and no number is ever taken from another, so that small
    // ones lose no digits.
    let mut law = vec![0.0; sum + 1];
    if let Some(nothing) = law.first_mut() {
        *nothing = 1.0;
    }
    for &rank in doubled_ranks {
        law = (0..=sum)
            .map(|s| {
                let without = law.get(s).copied().unwrap_or(0.0);
                let with = s.checked_sub(rank).and_then(|rest| law.get(rest)).copied().unwrap_or(0.0);
                0.5 * (without + with)
            })
            .collect();
    }
    law.iter().sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::at_most;

    #[test]
    fn the_law_is_that_of_all_signs() {
        for ranks in [vec![2, 4, 6, 8, 10, 12], vec![3, 3, 6, 9, 9, 12, 14], vec![2]] {
            let total: usize = ranks.iter().sum();
            for sum in 0..=total {
                let fits = (0..1_u32 << ranks.len()).filter(|signs| {
                    let counted = ranks.iter().enumerate().filter(|(place, _)| signs >> place & 1 == 1);
                    counted.map(|(_, rank)| rank).sum::<usize>() <= sum
                });
                let share = fits.count() as f64 / f64::from(1_u32 << ranks.len());
                assert_eq!(at_most(&ranks, sum), share, "{sum} of {ranks:?}");
            }
        }
    }
}

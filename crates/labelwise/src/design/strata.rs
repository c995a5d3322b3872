//! A pool in parts: by what is expected of the items, and in which order the parts take their turns.

use super::error::DesignError;

/// Expected losses that differ by less than this part of them are the same: on another machine they may be in another
/// order.
const SAME: f64 = 1e-9;

/// How many items each stratum has, and whose turn each draw was. With it, draws within strata make estimates.
///
/// ```
/// use labelwise::design::Strata;
/// let strata = Strata::new(vec![80, 20], vec![0, 1, 0, 1, 1])?;
/// assert_eq!(strata.counts(), [2, 3]);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strata {
    sizes: Vec<usize>,
    turns: Vec<usize>,
}

impl Strata {
    /// Strata of these sizes, and the stratum of each draw in draw order, counted from 0.
    pub fn new(sizes: Vec<usize>, turns: Vec<usize>) -> crate::Result<Self> {
        if sizes.is_empty() {
            return Err(DesignError::NoStrata.into());
        }
        let strata = Self { sizes, turns };
        let counts = strata.counts();
        let missing = strata.turns.iter().find(|turn| **turn >= strata.sizes.len());
        if let Some(&turn) = missing {
            return Err(DesignError::Turns { stratum: turn + 1, size: 0, draws: 1 }.into());
        }
        for (place, (&size, &draws)) in strata.sizes.iter().zip(&counts).enumerate() {
            if draws > size {
                return Err(DesignError::Turns { stratum: place + 1, size, draws }.into());
            }
        }
        Ok(strata)
    }

    /// Strata that take turns so that all of them are there early: one draw of each, a second of each, and then each in
    /// step with its number of draws.
    pub(super) fn in_turns(sizes: Vec<usize>, counts: &[usize]) -> Self {
        let mut turns: Vec<(usize, f64, usize)> = Vec::with_capacity(counts.iter().sum());
        for (stratum, &count) in counts.iter().enumerate() {
            let turn = |draw: usize| (draw.min(2), (draw as f64 + 0.5) / count as f64, stratum);
            turns.extend((0..count).map(turn).map(|(round, time, stratum)| {
                // In the first rounds, all are at the same time.
                (round, if round < 2 { 0.0 } else { time }, stratum)
            }));
        }
        turns.sort_by(|one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        Self { sizes, turns: turns.into_iter().map(|(_, _, stratum)| stratum).collect() }
    }

    /// N_h, the items of each stratum.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The stratum of each draw, in draw order.
    pub fn turns(&self) -> &[usize] {
        &self.turns
    }

    /// n_h, the draws of each stratum.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.sizes.len()];
        for &turn in &self.turns {
            if let Some(count) = counts.get_mut(turn) {
                *count += 1;
            }
        }
        counts
    }
}

/// Items in at most `strata` strata of about the same size, by increasing value. Equal values stay together, so there may
/// be fewer strata, of different sizes; none is empty.
pub(super) fn by_quantiles(values: &[f64], strata: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |item: &usize| values.get(*item).copied().unwrap_or(0.0);
    order.sort_by(|one, other| value(one).total_cmp(&value(other)).then(one.cmp(other)));
    let same = |place: usize| {
        let (Some(before), Some(after)) = (place.checked_sub(1).and_then(|p| order.get(p)), order.get(place))
        else {
            return false;
        };
        let (before, after) = (value(before), value(after));
        after - before <= SAME * before.abs().max(after.abs())
    };
    let mut ends: Vec<usize> = (1..strata)
        .map(|end| {
            let wanted = end * order.len() / strata;
            // Within a run of equal values, the nearer end of it.
            let down = (0..=wanted).rev().find(|&place| place == 0 || !same(place)).unwrap_or(0);
            let up = (wanted..=order.len()).find(|&place| !same(place)).unwrap_or(order.len());
            if wanted - down < up - wanted { down } else { up }
        })
        .filter(|end| (1..order.len()).contains(end))
        .collect();
    ends.push(order.len());
    ends.dedup();
    let mut start = 0;
    let parts = ends.into_iter().map(|end| {
        let mut part = order.get(start..end).unwrap_or_default().to_vec();
        part.sort_unstable();
        start = end;
        part
    });
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_are_quantiles_and_equal_values_stay_together() {
        let apart = [0.5, 0.1, 0.4, 0.2, 0.3, 0.6];
        assert_eq!(by_quantiles(&apart, 3), [vec![1, 3], vec![2, 4], vec![0, 5]]);
        assert_eq!(by_quantiles(&apart, 1), [vec![0, 1, 2, 3, 4, 5]]);
        assert_eq!(by_quantiles(&apart, 100).len(), 6);
        assert_eq!(by_quantiles(&[0.3; 5], 4), [vec![0, 1, 2, 3, 4]]);
        // Rounding makes no stratum.
        assert_eq!(by_quantiles(&[0.3, 0.1 + 0.2, 0.3, 0.7], 2), [vec![0, 1, 2], vec![3]]);
        assert_eq!(by_quantiles(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.9], 3), [vec![0, 1, 2, 3, 4], vec![5]]);
    }

    #[test]
    fn no_stratum_is_empty_and_no_item_lost() {
        for size in 1..40_usize {
            for kinds in 1..8 {
                let values: Vec<f64> = (0..size).map(|item| ((item * 7) % kinds) as f64).collect();
                for strata in 1..12 {
                    let parts = by_quantiles(&values, strata);
                    assert!(!parts.is_empty() && parts.len() <= strata, "{} of {strata}", parts.len());
                    assert!(parts.iter().all(|part| !part.is_empty()));
                    let mut all: Vec<usize> = parts.concat();
                    all.sort_unstable();
                    assert_eq!(all, (0..size).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn all_strata_come_early_and_stay_in_step() {
        let strata = Strata::in_turns(vec![100; 3], &[2, 4, 12]);
        assert_eq!(strata.turns()[..6], [0, 1, 2, 0, 1, 2]);
        assert_eq!(strata.counts(), [2, 4, 12]);
        let half: Vec<usize> =
            (0..3).map(|h| strata.turns()[..12].iter().filter(|t| **t == h).count()).collect();
        assert_eq!(half, [2, 3, 7]);
    }

    #[test]
    fn turns_that_cannot_be_are_refused() {
        assert!(Strata::new(vec![], vec![]).is_err());
        assert!(Strata::new(vec![2], vec![0, 0, 0]).is_err());
        assert!(Strata::new(vec![2], vec![1]).is_err());
    }
}

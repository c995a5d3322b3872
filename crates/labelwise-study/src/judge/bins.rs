//! Classes of verdicts, and how much more often each comes in another batch.

/// Expected values that differ by less are one.
const SAME: f64 = 1e-9;

/// If there are more different expected values than this, they are put into this number of classes of equal size.
const MOST_BINS: usize = 10;

/// The value that a row of a pool expects: of classes by their worths, otherwise its mean.
pub(super) fn expected(row: &[f64], worths: &[f64]) -> f64 {
    match worths {
        [] => row.first().copied().unwrap_or(0.0),
        worths => row.iter().zip(worths).map(|(p, worth)| p * worth).sum(),
    }
}

/// Classes of verdicts, with their weight in the next batch relative to this one.
#[derive(Debug, Clone)]
pub(super) struct Bins {
    pub(super) worths: Vec<f64>,
    /// The lower ends, ascending.
    starts: Vec<f64>,
    weights: Vec<f64>,
    /// The share of the next batch in classes that this batch does not have.
    pub(super) unseen: f64,
}

impl Bins {
    pub(super) fn new(here: &[f64], there: &[f64]) -> Self {
        let mut sorted = here.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut starts: Vec<f64> = Vec::new();
        for value in &sorted {
            if starts.last().is_none_or(|last| value - last > SAME) {
                starts.push(*value);
                if starts.len() > MOST_BINS {
                    break;
                }
            }
        }
        if starts.len() > MOST_BINS {
            let at = |part: usize| sorted.get(part * sorted.len() / MOST_BINS).copied();
            starts = (0..MOST_BINS).filter_map(at).collect();
            starts.dedup_by(|later, first| *later - *first <= SAME);
        } else {
            // Between two verdicts, the nearer one is meant.
            let middle = |pair: &[f64]| pair.iter().sum::<f64>() / 2.0;
            let between: Vec<f64> = starts.windows(2).map(middle).collect();
            starts = starts.iter().take(1).copied().chain(between).collect();
        }
        let mut bins = Self { worths: Vec::new(), weights: vec![0.0; starts.len()], starts, unseen: 0.0 };
        let count = |values: &[f64]| {
            let mut counts = vec![0.0; bins.starts.len()];
            for value in values {
                if let Some(count) = counts.get_mut(bins.place(*value)) {
                    *count += 1.0 / values.len() as f64;
                }
            }
            counts
        };
        let (old, new) = (count(here), count(there));
        let weights =
            old.iter().zip(&new).map(|(old, new)| if *old > 0.0 { new / old } else { 0.0 }).collect();
        let outside = |value: &&f64| {
            let (low, high) = (sorted.first().copied().unwrap_or(0.0), sorted.last().copied().unwrap_or(0.0));
            **value < low - SAME || **value > high + SAME
        };
        bins.unseen = there.iter().filter(outside).count() as f64 / there.len().max(1) as f64;
        bins.weights = weights;
        bins
    }

    fn place(&self, value: f64) -> usize {
        self.starts.partition_point(|start| *start <= value + SAME).saturating_sub(1)
    }

    pub(super) fn weight(&self, prediction: &[f64]) -> f64 {
        self.weights.get(self.place(expected(prediction, &self.worths))).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_weighed_as_often_as_they_come() {
        let here = [vec![0.2; 6], vec![0.8; 4]].concat();
        let there = [vec![0.2; 3], vec![0.8; 9]].concat();
        let bins = Bins::new(&here, &there);
        assert!(
            (bins.weight(&[0.2]) - 0.25 / 0.6).abs() < 1e-12
                && (bins.weight(&[0.8]) - 0.75 / 0.4).abs() < 1e-12
        );
        let mean = here.iter().map(|g| bins.weight(&[*g])).sum::<f64>() / 10.0;
        assert!((mean - 1.0).abs() < 1e-12 && bins.unseen == 0.0);
        assert!((Bins::new(&here, &[0.1, 0.2]).unseen - 0.5).abs() < 1e-12);
    }

    #[test]
    fn scores_are_weighed_in_tenths() {
        let here: Vec<f64> = (0..1000).map(|i| f64::from(i) / 1000.0).collect();
        let there: Vec<f64> = (0..500).map(|i| 0.5 + f64::from(i) / 1000.0).collect();
        let bins = Bins::new(&here, &there);
        assert!(bins.weight(&[0.25]) == 0.0 && (bins.weight(&[0.75]) - 2.0).abs() < 1e-9);
    }
}

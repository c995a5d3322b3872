//! Sums of weights that stay exact as items are taken away.

#![allow(clippy::indexing_slicing, reason = "a kernel: every index is below a length the constructor fixed")]

/// Children of a node: wide enough that the tree adds little memory, narrow enough that a sum over them is one or two
/// cache lines.
const WIDTH: usize = 32;

/// Weights and, above them, sums over each 32 of the level below. Taking an item away sums its 32-groups again rather
/// than subtracting: with one huge weight, subtraction would leave 0 where small weights remain.
#[derive(Debug, Clone)]
pub(crate) struct SumTree {
    levels: Vec<Vec<f64>>,
}

impl SumTree {
    pub(crate) fn new(weights: Vec<f64>) -> Self {
        let mut levels = vec![weights];
        while let Some(top) = levels.last()
            && top.len() > 1
        {
            let sums = top.chunks(WIDTH).map(|group| group.iter().sum()).collect();
            levels.push(sums);
        }
        Self { levels }
    }

    pub(crate) fn total(&self) -> f64 {
        self.levels.last().and_then(|top| top.first()).copied().unwrap_or(0.0)
    }

    /// The weights; those taken are 0.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.levels[0]
    }

    /// Takes an item away, in O(log N).
    pub(crate) fn take(&mut self, item: usize) {
        self.levels[0][item] = 0.0;
        let mut node = item / WIDTH;
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let below = &below[level - 1];
            let group = &below[node * WIDTH..below.len().min((node + 1) * WIDTH)];
            above[0][node] = group.iter().sum();
            node /= WIDTH;
        }
    }

    /// The item at which the running sum of weights passes `target`, for a target in [0, total). O(log N).
    pub(crate) fn find(&self, mut target: f64) -> usize {
        let mut node = 0;
        for level in self.levels.iter().rev().skip(1) {
            let start = node * WIDTH;
            let group = &level[start..level.len().min(start + WIDTH)];
            // Rounding may leave the target past the end; the last child with weight takes it.
            let mut chosen = (0, target);
            for (child, &sum) in group.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
                chosen = (child, target);
                if target < sum {
                    break;
                }
                target -= sum;
            }
            target = chosen.1;
            node = start + chosen.0;
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_huge_weight_leaves_the_small_ones_whole() {
        let mut weights = vec![1.0; 6];
        weights[2] = 1e30;
        let mut tree = SumTree::new(weights);
        tree.take(2);
        for left in (1..=5).rev() {
            assert_eq!(tree.total(), left as f64);
            let item = tree.find(0.5);
            tree.take(item);
        }
        assert_eq!(tree.total(), 0.0);
    }

    #[test]
    fn find_is_the_inverse_of_the_running_sum() {
        let weights: Vec<f64> = (0..5000).map(|i| f64::from(i % 7)).collect();
        let tree = SumTree::new(weights.clone());
        let mut sum = 0.0;
        for (item, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            assert_eq!(tree.find(sum), item);
            assert_eq!(tree.find(sum + 0.5 * weight), item);
            sum += weight;
        }
        assert_eq!(tree.total(), sum);
        // Past the end, the last item with a weight.
        assert_eq!(Some(tree.find(sum)), weights.iter().rposition(|weight| *weight > 0.0));
    }
}

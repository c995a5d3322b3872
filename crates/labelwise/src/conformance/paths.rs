//! Every ordered draw of a small pool, with its probability: expectations without a random number.

/// One order of draws: items with the q each was drawn with, and the probability of the whole order.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// (i_m, q(i_m)) for m = 1, 2, ...
    pub draws: Vec<(usize, f64)>,
    /// The product of all q.
    pub probability: f64,
}

/// All orders of `budget` draws without replacement from `pool_size` items. `scores` gives one weight an item, and may
/// look at the draws before; those of items already drawn are ignored.
///
/// ```
/// use labelwise::conformance::every_path;
/// let paths = every_path(4, 2, |_past| vec![1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(paths.len(), 12);
/// assert!((paths.iter().map(|path| path.probability).sum::<f64>() - 1.0).abs() < 1e-12);
/// ```
pub fn every_path(
    pool_size: usize,
    budget: usize,
    scores: impl Fn(&[(usize, f64)]) -> Vec<f64>,
) -> Vec<Path> {
    let mut paths = vec![Path { draws: Vec::new(), probability: 1.0 }];
    for _ in 0..budget.min(pool_size) {
        let longer = |path: &Path| {
            let left = |item: &usize| path.draws.iter().all(|(drawn, _)| drawn != item);
            longer(path, (0..pool_size).filter(left), &scores(&path.draws))
        };
        paths = paths.iter().flat_map(longer).collect();
    }
    paths
}

/// All orders of `budget` draws with replacement from `pool_size` items.
pub(super) fn every_repeated_path(
    pool_size: usize,
    budget: usize,
    scores: impl Fn(&[(usize, f64)]) -> Vec<f64>,
) -> Vec<Path> {
    let mut paths = vec![Path { draws: Vec::new(), probability: 1.0 }];
    for _ in 0..budget {
        let longer = |path: &Path| longer(path, 0..pool_size, &scores(&path.draws));
        paths = paths.iter().flat_map(longer).collect();
    }
    paths
}

/// A path with one more of these items.
fn longer(path: &Path, items: impl Iterator<Item = usize>, scores: &[f64]) -> Vec<Path> {
    let left: Vec<(usize, f64)> =
        items.filter_map(|item| scores.get(item).map(|score| (item, *score))).collect();
    let sum: f64 = left.iter().map(|(_, score)| score).sum();
    let next = left.into_iter().filter(|(_, score)| *score > 0.0);
    next.map(|(item, score)| {
        let mut draws = path.draws.clone();
        draws.push((item, score / sum));
        Path { draws, probability: path.probability * score / sum }
    })
    .collect()
}

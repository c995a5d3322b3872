//! What forests of both tasks share: trees grown side by side, and rows that visit all of them.

use labelwise::rng::ChaCha8Rng;
use labelwise::task::Table;
use labelwise::{Error, Matrix, Result};
use rayon::prelude::*;

use super::Forest;
use super::bag::{self, Bag};
use super::columns::{Columns, all_finite, not_finite};
use super::grow::{Grower, Limits};
use super::judge::Judge;
use super::options::Bagging;
use super::random::Streams;
use super::tree::{Tree, Walk};

/// Grown trees, and the features they expect.
pub(super) struct Grown {
    pub(super) trees: Vec<Tree>,
    /// The rows that each tree saw; empty without bagging.
    pub(super) bags: Vec<Bag>,
    columns: usize,
    /// How many numbers a leaf holds.
    width: usize,
}

/// The most rows a fit takes: sums of squared counts then fit into whole numbers and are exact as f64.
const MOST_ROWS: usize = 1 << 25;

/// Number of feature values that are read at a time: they fit into a cache near the processor.
const NUMBERS_AT_ONCE: usize = 1 << 15;
/// Maximum number of rows that are read at a time, so that there is work to share among threads.
const ROWS_AT_ONCE: usize = 256;

impl Grown {
    /// Grows the trees of a forest.
    pub(super) fn grow<J: Judge + Clone + Send + Sync>(
        forest: &Forest,
        features: &Matrix,
        limits: Limits,
        judge: &J,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let (rows, columns) = (features.rows(), Columns::new(features)?);
        let streams = Streams::new(rng);
        let start = || (Grower::new(&columns, limits, judge.clone()), vec![0; rows]);
        let grown = (0..forest.trees).into_par_iter().map_init(start, |(grower, counts), place| {
            let mut random = streams.tree(place);
            bag::draw(counts, forest.bagging, &mut random);
            (grower.grow(counts, &mut random), Bag::new(counts))
        });
        let (trees, mut bags): (Vec<_>, Vec<_>) = grown.collect();
        if forest.bagging == Bagging::Off {
            bags.clear();
        }
        Ok(Self { trees, bags, columns: features.columns(), width: judge.width() })
    }

    /// Refuses rows without the features that the forest was grown on.
    pub(super) fn check(&self, features: &Matrix) -> Result<()> {
        if features.columns() == self.columns {
            return Ok(());
        }
        let expected = format!("{} (as in the training rows)", self.columns);
        Err(Error::Columns { what: Table::Features, columns: features.columns(), expected })
    }

    /// Starts with `width` zeros per row, and calls `add` with (tree, row, the row's numbers, its leaf's numbers) for the
    /// trees in order. Rows are taken in blocks, and a block visits one tree after the other, so that both the rows
    /// and the tree are near the processor.
    pub(super) fn visit(
        &self,
        features: &Matrix,
        width: usize,
        add: impl Fn(usize, usize, &mut [f64], &[f64]) + Sync,
    ) -> Result<Vec<f64>> {
        self.check(features)?;
        let rows = features.rows();
        let at_once = (NUMBERS_AT_ONCE / self.columns).clamp(1, ROWS_AT_ONCE);
        let mut numbers = vec![0.0; rows * width];
        let visited = numbers.par_chunks_mut(at_once * width).enumerate().try_for_each(|(block, numbers)| {
            let start = block * at_once;
            let mut reader = features.reader();
            let values = reader.rows(start..rows.min(start + at_once)).values();
            if !all_finite(values) {
                return None;
            }
            let mut walk = Walk::default();
            for (place, tree) in self.trees.iter().enumerate() {
                let nodes = tree.walk(values, self.columns, &mut walk);
                for (row, (target, &node)) in numbers.chunks_exact_mut(width).zip(nodes).enumerate() {
                    add(place, start + row, target, tree.prediction(node, self.width));
                }
            }
            Some(())
        });
        visited.map(|()| numbers).ok_or_else(|| not_finite(Table::Features, features))
    }
}

/// Refuses data that no forest grows on.
pub(super) fn check_rows(features: &Matrix, labels: usize) -> Result<()> {
    let rows = features.rows();
    if rows != labels {
        return Err(Error::TrainingRows { features: rows, labels });
    }
    if rows == 0 {
        let why = "a forest needs training rows: give at least one labelled row";
        return Err(Error::Surrogate(why.to_owned()));
    }
    if rows > MOST_ROWS {
        let name = "the number of training rows of a forest";
        return Err(Error::Option { name, value: rows as f64, range: "at most 33554432" });
    }
    Ok(())
}

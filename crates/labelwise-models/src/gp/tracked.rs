//! The posterior at fixed items, kept up to date label by label: what a surrogate needs of a Gaussian process.

#![allow(
    clippy::indexing_slicing,
    reason = "rows of one table are cut by arithmetic, which its constructor fixes"
)]

use labelwise::task::Table;
use std::fmt;
use std::ops::Range;

use labelwise::{Error, Matrix, Result};
use rayon::prelude::*;

use super::cholesky::Pivot;
use super::fitted::{FittedProcess, too_large};
use super::kernel::Kernel;
use super::process::GaussianProcess;

/// So many items are in a block: what is solved for them lies together, and mostly stays in the processor's caches.
pub(super) const BLOCK: usize = 128;

/// Number of multiplications that are worth a second thread.
const WORTH_THREADS: usize = 1 << 18;

/// A [`FittedProcess`] together with N items that it believes something about.
///
/// It keeps V = L⁻¹ K(X, items), of which the label of an item appends one row: column i of V is the row that item i
/// would have in L, so nothing is solved again, and one more label costs O(n N). V takes 8 n N bytes.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::Data;
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::{GaussianProcess, TrackedProcess};
/// let train = Data::new(Matrix::f64(vec![0.0, 1.0], 1)?, vec![0.0, 1.0])?;
/// let fitted = GaussianProcess::paper().fit_process(&train, &mut Seed(1).stream(Stream::Fit, 0))?;
/// let mut tracked = TrackedProcess::new(&fitted, Matrix::f64(vec![0.2, 0.4, 0.6], 1)?)?;
/// tracked.observe(1, 0.3)?;
/// assert!((tracked.means()[1] - 0.3).abs() < 1e-6);
/// assert!(tracked.variances()[1] < tracked.variances()[2]);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Clone)]
pub struct TrackedProcess {
    process: GaussianProcess,
    items: Matrix,
    /// V, cut into blocks of columns.
    blocks: Vec<Block>,
    means: Vec<f64>,
    /// As subtracted; rounding may leave one a little below 0.
    variances: Vec<f64>,
    /// Column i of V, while a label of item i is taken in.
    column: Vec<f64>,
    /// The features of that item.
    point: Vec<f64>,
}

/// An observation as V needs it: its features, its row of L with the root of its pivot, and z.
#[derive(Clone, Copy)]
struct Observation<'a> {
    point: &'a [f64],
    row: &'a [f64],
    root: f64,
    z: f64,
}

impl TrackedProcess {
    /// The posterior of `fitted` at each row of `items`.
    pub fn new(fitted: &FittedProcess, items: Matrix) -> Result<Self> {
        fitted.check_items(&items)?;
        Ok(Self::unchecked(fitted, items))
    }

    pub(super) fn unchecked(fitted: &FittedProcess, items: Matrix) -> Self {
        let (process, count) = (fitted.process().fixed(), items.rows());
        let starts = (0..count).step_by(BLOCK);
        let block = |start| Block::new(start..(start + BLOCK).min(count), fitted.labels());
        let mut tracked = Self {
            blocks: starts.map(block).collect(),
            means: vec![process.prior_mean; count],
            variances: vec![process.kernel.variance(); count],
            column: Vec::new(),
            point: Vec::new(),
            process,
            items,
        };
        tracked.in_blocks(fitted.labels().pow(2), |block, prior, means, variances| {
            for (point, row, root, z) in fitted.observations() {
                block.append(prior, Observation { point, row, root, z }, means, variances);
            }
        });
        tracked
    }

    /// Takes in the label of one of the items.
    pub fn observe(&mut self, item: usize, label: f64) -> Result<()> {
        let (Some(&mean), Some(&variance)) = (self.means.get(item), self.variances.get(item)) else {
            return Err(Error::UnknownItem { item, pool_size: self.means.len() });
        };
        if !label.is_finite() {
            return Err(Error::LabelNotFinite { item, label });
        }
        let (signal, noise) = (self.process.kernel.variance(), self.process.noise());
        let root = Pivot::new(variance, noise, signal + noise).root;
        let z = (label - mean) / root;
        if !z.is_finite() {
            return Err(too_large(label));
        }
        // Both buffers are lent to the observation and taken back, so that a step allocates nothing.
        let (mut row, mut point) = (std::mem::take(&mut self.column), std::mem::take(&mut self.point));
        row.clear();
        row.extend(self.blocks[item / BLOCK].column(item));
        point.clear();
        point.extend_from_slice(self.items.reader().row(item));
        let observation = Observation { point: &point, row: &row, root, z };
        self.in_blocks(row.len(), |block, prior, means, variances| {
            block.append(prior, observation, means, variances);
        });
        (self.column, self.point) = (row, point);
        Ok(())
    }

    /// The expected label of each item.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The variance of the function at each item, without noise. Rounding can leave one that is 0 a little below; the
    /// beliefs have 0 there.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// Mean, noise variance and variance of the function, one row per item, as
    /// [`Beliefs::new`](labelwise::surrogate::Beliefs::new) takes them.
    pub fn beliefs(&self) -> Result<Matrix> {
        Matrix::f64(self.belief_values()?, 3)
    }

    pub(super) fn belief_values(&self) -> Result<Vec<f64>> {
        let noise = self.process.noise_variance;
        let mut values = Vec::with_capacity(3 * self.means.len());
        for (item, (&mean, variance)) in self.means.iter().zip(&self.variances).enumerate() {
            if !mean.is_finite() {
                return Err(Error::NotFinite {
                    what: Table::Other("the predicted mean"),
                    item,
                    column: 0,
                    value: mean,
                });
            }
            values.extend([mean, noise, variance.max(0.0)]);
        }
        Ok(values)
    }

    /// Works on each block with its means and variances; an item needs about this number of multiplications.
    fn in_blocks(
        &mut self,
        multiplications: usize,
        run: impl Fn(&mut Block, Prior<'_>, &mut [f64], &mut [f64]) + Sync,
    ) {
        let (means, variances) = (&mut self.means, &mut self.variances);
        let prior = Prior { kernel: &self.process.kernel, items: &self.items };
        if self.blocks.len() > 1 && multiplications.saturating_mul(means.len()) > WORTH_THREADS {
            let blocks = self.blocks.par_iter_mut().zip(means.par_chunks_mut(BLOCK));
            let blocks = blocks.zip(variances.par_chunks_mut(BLOCK));
            blocks.for_each(|((block, means), variances)| run(block, prior, means, variances));
        } else {
            let blocks = self.blocks.iter_mut().zip(means.chunks_mut(BLOCK));
            let blocks = blocks.zip(variances.chunks_mut(BLOCK));
            blocks.for_each(|((block, means), variances)| run(block, prior, means, variances));
        }
    }
}

/// What the covariance of an item follows from.
#[derive(Clone, Copy)]
struct Prior<'a> {
    kernel: &'a Kernel,
    items: &'a Matrix,
}

/// Some columns of V, row after row.
#[derive(Clone)]
struct Block {
    items: Range<usize>,
    solved: Vec<f64>,
}

impl Block {
    fn new(items: Range<usize>, rows: usize) -> Self {
        Self { solved: Vec::with_capacity(rows * items.len()), items }
    }

    /// The column of an item.
    fn column(&self, item: usize) -> impl Iterator<Item = f64> {
        let place = item - self.items.start;
        self.solved.chunks_exact(self.items.len()).map(move |row| row[place])
    }

    /// Appends a row, v = (k - Σ_j L_nj v_j) / L_nn; means and variances follow.
    fn append(
        &mut self,
        prior: Prior<'_>,
        observation: Observation<'_>,
        means: &mut [f64],
        variances: &mut [f64],
    ) {
        let (old, width) = (self.solved.len(), self.items.len());
        self.solved.resize(old + width, 0.0);
        let (earlier, v) = self.solved.split_at_mut(old);
        prior.kernel.row(observation.point, prior.items.reader().rows(self.items.clone()).values(), v);
        subtract(earlier, observation.row, v);
        for ((v, mean), variance) in v.iter_mut().zip(means).zip(variances) {
            *v /= observation.root;
            *mean += observation.z * *v;
            *variance -= *v * *v;
        }
    }
}

/// v - Σ_j l_j v_j. Four rows at a time, so that v is not stored after each; the order of the subtractions is that of
/// the rows all the same.
fn subtract(earlier: &[f64], l: &[f64], v: &mut [f64]) {
    let width = v.len();
    let (mut rows, mut factors) = (earlier.chunks_exact(4 * width), l.chunks_exact(4));
    for (four, l) in rows.by_ref().zip(factors.by_ref()) {
        let ((a, b), (c, d)) = (four[..2 * width].split_at(width), four[2 * width..].split_at(width));
        for ((((v, a), b), c), d) in v.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *v = *v - l[0] * a - l[1] * b - l[2] * c - l[3] * d;
        }
    }
    for (row, l) in rows.remainder().chunks_exact(width).zip(factors.remainder()) {
        v.iter_mut().zip(row).for_each(|(v, row)| *v -= l * row);
    }
}

impl fmt::Debug for TrackedProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackedProcess")
            .field("process", &self.process)
            .field("items", &self.items)
            .finish_non_exhaustive()
    }
}

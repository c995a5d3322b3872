//! The posterior given labels: the factor of their covariances, and the labels as that factor sees them.

use labelwise::task::Table;
use std::fmt;
use std::ops::Range;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Model};
use labelwise::{Error, Matrix, Regression, Result};
use rayon::prelude::*;

use super::cholesky::{Cholesky, Pivot, dot};
use super::kernel::check_features;
use super::normal::standard_normal;
use super::process::GaussianProcess;
use super::tracked::{BLOCK, TrackedProcess};

/// A [`GaussianProcess`] that has seen labels. It takes more of them, one by one, in O(n²).
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::Data;
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::GaussianProcess;
/// let train = Data::new(Matrix::f64(vec![0.0, 1.0], 1)?, vec![0.0, 1.0])?;
/// let mut rng = Seed(1).stream(Stream::Fit, 0);
/// let mut fitted = GaussianProcess::paper().fit_process(&train, &mut rng)?;
/// fitted.observe(&[0.5], 0.4)?;
/// assert_eq!(fitted.labels(), 3);
/// assert!(fitted.log_marginal_likelihood().is_finite());
/// assert!((fitted.draw_posterior(&Matrix::f64(vec![0.5], 1)?, &mut rng)?[0] - 0.4).abs() < 1e-3);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Clone)]
pub struct FittedProcess {
    process: GaussianProcess,
    inputs: Vec<f64>,
    columns: usize,
    factor: Cholesky,
    /// z = L⁻¹ (y - m): independent standard normal numbers, if the prior is right.
    whitened: Vec<f64>,
}

impl FittedProcess {
    pub(super) fn new(process: GaussianProcess, data: &Data<Regression>) -> Result<Self> {
        process.check()?;
        let (rows, labels) = (data.features.rows(), data.labels.len());
        if rows != labels {
            return Err(Error::TrainingRows { features: rows, labels });
        }
        if rows == 0 {
            return Err(Error::TooFewLabels { what: "fitting a Gaussian process", needed: 1, labels });
        }
        check_features(Table::TrainingFeatures, &data.features, &process.kernel, None)?;
        let bad = data.labels.iter().enumerate().find(|(_, label)| !label.is_finite());
        if let Some((item, &value)) = bad {
            return Err(Error::NotFinite { what: Table::TrainingLabels, item, column: 0, value });
        }
        let mut fitted = Self::prior(process, data.features.columns());
        let mut features = data.features.reader();
        for (row, &label) in data.labels.iter().enumerate() {
            fitted.append(features.row(row), label)?;
        }
        Ok(fitted)
    }

    /// One that has seen nothing yet.
    pub(super) fn prior(process: GaussianProcess, columns: usize) -> Self {
        Self { process, inputs: Vec::new(), columns, factor: Cholesky::default(), whitened: Vec::new() }
    }

    /// Takes one more label in.
    pub fn observe(&mut self, features: &[f64], label: f64) -> Result<()> {
        let item = self.labels();
        if features.len() != self.columns {
            let expected = format!("{} (as in the training features)", self.columns);
            return Err(Error::Columns { what: Table::Features, columns: features.len(), expected });
        }
        let bad = features.iter().enumerate().find(|(_, value)| !value.is_finite());
        if let Some((column, &value)) = bad {
            return Err(Error::NotFinite { what: Table::Features, item, column, value });
        }
        if !label.is_finite() {
            return Err(Error::LabelNotFinite { item, label });
        }
        self.append(features, label)
    }

    fn append(&mut self, features: &[f64], label: f64) -> Result<()> {
        let pivot = self.append_row(features, self.process.noise());
        let row = self.factor.row(self.labels());
        let prior_mean = self.process.prior_mean;
        let mean = row.iter().zip(&self.whitened).fold(prior_mean, |mean, (v, z)| mean + z * v);
        let whitened = (label - mean) / pivot.root;
        if !whitened.is_finite() {
            self.factor.pop();
            return Err(too_large(label));
        }
        self.inputs.extend_from_slice(features);
        self.whitened.push(whitened);
        Ok(())
    }

    fn append_row(&mut self, features: &[f64], noise: f64) -> Pivot {
        let (kernel, inputs) = (&self.process.kernel, &self.inputs);
        self.factor.append(kernel.variance(), noise, |row| kernel.row(features, inputs, row))
    }

    /// The hyperparameters: those given, or those learnt.
    pub fn process(&self) -> &GaussianProcess {
        &self.process
    }

    /// How many labels it has seen.
    pub fn labels(&self) -> usize {
        self.whitened.len()
    }

    /// log p(labels | features, hyperparameters).
    pub fn log_marginal_likelihood(&self) -> f64 {
        let normalisation = 0.5 * (2.0 * std::f64::consts::PI).ln() * self.whitened.len() as f64;
        -0.5 * dot(&self.whitened, &self.whitened) - self.factor.half_log_determinant() - normalisation
    }

    /// Draws a function from the posterior and gives its values, without noise, at each row of features.
    ///
    /// The draw is exact: the factor gains one row per value, and in place of its label is a standard normal
    /// number. A value that follows from earlier ones (a repeated row, say) is what they make it.
    pub fn draw_posterior(&self, features: &Matrix, rng: &mut ChaCha8Rng) -> Result<Vec<f64>> {
        let whose = (self.columns, "the training features");
        check_features(Table::Features, features, &self.process.kernel, Some(whose))?;
        let mut longer = self.clone();
        let mut reader = features.reader();
        let mut draw = Vec::with_capacity(features.rows());
        for item in 0..features.rows() {
            let row = reader.row(item);
            let pivot = longer.append_row(row, self.process.least_jitter());
            // The number is taken in any case, so that no draw depends on another.
            let number = standard_normal(rng);
            longer.whitened.push(if pivot.raised { 0.0 } else { number });
            longer.inputs.extend_from_slice(row);
            draw.push(
                self.process.prior_mean + dot(longer.factor.row(longer.labels() - 1), &longer.whitened),
            );
        }
        Ok(draw)
    }

    /// Row i of L up to its pivot, the pivot's root and z_i, for each observation and its features.
    pub(super) fn observations(&self) -> impl Iterator<Item = (&[f64], &[f64], f64, f64)> {
        let rows = (0..self.factor.size()).filter_map(|row| self.factor.row(row).split_last());
        let inputs = self.inputs.chunks_exact(self.columns.max(1));
        inputs.zip(rows).zip(&self.whitened).map(|((input, (&root, row)), &z)| (input, row, root, z))
    }

    /// What maximum likelihood needs: inputs, row after row, and how many numbers are in a row.
    pub(super) fn inputs(&self) -> (&[f64], usize) {
        (&self.inputs, self.columns)
    }

    pub(super) fn check_items(&self, items: &Matrix) -> Result<()> {
        let whose = (self.columns, "the training features");
        check_features(Table::Features, items, &self.process.kernel, Some(whose))
    }

    fn predict_block(&self, features: &Matrix, items: Range<usize>) -> Result<Vec<f64>> {
        let values = features.reader().rows(items).values().to_vec();
        TrackedProcess::unchecked(self, Matrix::f64(values, self.columns)?).belief_values()
    }
}

pub(super) fn too_large(label: f64) -> Error {
    Error::Surrogate(format!(
        "label {label:e} is too large for the kernel's variance: scale the labels, or raise the variance or the \
         noise"
    ))
}

impl Model<Regression> for FittedProcess {
    /// Mean, noise variance (aleatoric) and variance of the function (epistemic) for each row.
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        self.check_items(features)?;
        if features.rows() <= BLOCK {
            return TrackedProcess::unchecked(self, features.clone()).beliefs();
        }
        // What was solved for a block is let go with it, so that memory does not grow with the pool.
        let starts: Vec<usize> = (0..features.rows()).step_by(BLOCK).collect();
        let blocks: Result<Vec<Vec<f64>>> = starts
            .into_par_iter()
            .map(|start| self.predict_block(features, start..(start + BLOCK).min(features.rows())))
            .collect();
        Matrix::f64(blocks?.concat(), 3)
    }
}

impl fmt::Debug for FittedProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FittedProcess")
            .field("process", &self.process)
            .field("labels", &self.labels())
            .finish_non_exhaustive()
    }
}

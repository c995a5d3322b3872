//! A forest that has learnt values. Its belief is a mean with its variance in two parts: how labels scatter within
//! leaves (aleatoric), and how the trees' means differ (epistemic).

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Model};
use labelwise::{Error, Matrix, Regression, Result};

use super::Forest;
use super::grown::{Grown, check_rows};
use super::options::MaxFeatures;
use super::variance::Variance;

/// A forest fitted to values by [`Forest::regression`]. It predicts three columns, as beliefs have them: mean over the
/// trees, aleatoric variance (the mean of the variances within leaves) and epistemic variance (of the trees' means).
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Model};
/// use labelwise::{Matrix, Regression, Seed};
/// use labelwise_models::Forest;
///
/// let x: Vec<f64> = (0..40).map(f64::from).collect();
/// let y = x.iter().map(|x| x * x).collect();
/// let data = Data::<Regression>::new(Matrix::f64(x, 1)?, y)?;
/// let forest = Forest::default().min_samples_leaf(3).regression(&data, &mut Seed(7).stream(Stream::Fit, 0))?;
/// let beliefs = forest.predict(&Matrix::f64(vec![20.0], 1)?)?;
/// let mut reader = beliefs.reader();
/// let row = reader.row(0);
/// assert!((row[0] - 400.0).abs() < 60.0 && row[1] > 0.0 && row[2] > 0.0);
/// # Ok::<(), labelwise::Error>(())
/// ```
pub struct RegressionForest(Grown);

impl RegressionForest {
    pub(super) fn fit(forest: &Forest, data: &Data<Regression>, rng: &mut ChaCha8Rng) -> Result<Self> {
        let (features, labels) = (&data.features, &data.labels);
        check_rows(features, labels.len())?;
        if let Some((item, &label)) = labels.iter().enumerate().find(|(_, label)| !label.is_finite()) {
            return Err(Error::LabelNotFinite { item, label });
        }
        let limits = forest.limits(features.columns(), MaxFeatures::All)?;
        Ok(Self(Grown::grow(forest, features, limits, &Variance::new(labels), rng)?))
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.0.trees.len()
    }
}

impl Model<Regression> for RegressionForest {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        // Running means and a running sum of squares (Welford), which stay precise far from zero.
        let mut beliefs = self.0.visit(features, 3, |tree, _, running, leaf| {
            if let ([mean, aleatoric, squares], &[value, variance]) = (running, leaf) {
                let count = tree as f64 + 1.0;
                let before = value - *mean;
                *mean += before / count;
                *aleatoric += (variance - *aleatoric) / count;
                *squares += before * (value - *mean);
            }
        })?;
        let trees = self.trees() as f64;
        beliefs.iter_mut().skip(2).step_by(3).for_each(|squares| *squares /= trees);
        Matrix::f64(beliefs, 3)
    }
}

impl std::fmt::Debug for RegressionForest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RegressionForest({} trees)", self.trees())
    }
}

//! The random forest: the surrogate of the paper's two moons, grown again after every label. See [`Forest`].

mod bag;
mod classification;
mod columns;
mod counts;
mod grow;
mod grown;
mod judge;
mod options;
mod order;
mod purity;
mod random;
mod regression;
mod tree;
mod variance;

pub use classification::ClassificationForest;
pub use options::{Bagging, Criterion, MaxFeatures, Splitter};
pub use regression::RegressionForest;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Regression, Result};

use options::at_least;

/// A random forest's hyperparameters; it learns classes ([`ClassificationForest`]) and values ([`RegressionForest`]).
///
/// The defaults are scikit-learn's and the paper's: 100 trees without limits, on bootstrap samples. The same generator
/// gives the same forest on any number of threads.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Model};
/// use labelwise::{Classification, Matrix, Seed};
/// use labelwise_models::{Criterion, Forest};
///
/// let features = Matrix::f64(vec![0.0, 1.0, 2.0, 7.0, 8.0, 9.0], 1)?;
/// let data = Data::<Classification>::new(features, vec![0, 0, 0, 1, 1, 1])?;
/// let forest = Forest::default().trees(20).criterion(Criterion::Entropy);
/// let fitted = forest.classification(&data, 2, &mut Seed(7).stream(Stream::Fit, 0))?;
/// let beliefs = fitted.predict(&Matrix::f64(vec![0.5, 8.5], 1)?)?;
/// assert!(beliefs.reader().row(0)[0] > 0.8 && beliefs.reader().row(1)[1] > 0.8);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    trees: usize,
    criterion: Criterion,
    max_features: Option<MaxFeatures>,
    max_depth: Option<usize>,
    min_samples_split: usize,
    min_samples_leaf: usize,
    bagging: Bagging,
    splitter: Splitter,
}

impl Default for Forest {
    fn default() -> Self {
        Self {
            trees: 100,
            criterion: Criterion::default(),
            max_features: None,
            max_depth: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            bagging: Bagging::default(),
            splitter: Splitter::default(),
        }
    }
}

impl Forest {
    /// Extremely randomised trees: random cuts, and all rows for each tree.
    pub fn extremely_randomised() -> Self {
        Self::default().splitter(Splitter::Random).bagging(Bagging::Off)
    }

    /// Number of trees. The default is 100.
    pub fn trees(self, trees: usize) -> Self {
        Self { trees, ..self }
    }

    /// How the purity of classes is measured. The default is Gini's index. Regression uses the variance.
    pub fn criterion(self, criterion: Criterion) -> Self {
        Self { criterion, ..self }
    }

    /// How many features a split is chosen from. The default is the square root of their number for classes,
    /// and all for values. If all of them are constant in a node, more are drawn until one is not.
    pub fn max_features(self, max_features: MaxFeatures) -> Self {
        Self { max_features: Some(max_features), ..self }
    }

    /// Maximum number of splits that a row meets. The default is no limit.
    pub fn max_depth(self, max_depth: usize) -> Self {
        Self { max_depth: Some(max_depth), ..self }
    }

    /// Minimum number of rows of a node that is split, repeats counted once. The default is 2.
    pub fn min_samples_split(self, min_samples_split: usize) -> Self {
        Self { min_samples_split, ..self }
    }

    /// Minimum number of rows on each side of a split, repeats counted once. The default is 1.
    pub fn min_samples_leaf(self, min_samples_leaf: usize) -> Self {
        Self { min_samples_leaf, ..self }
    }

    /// Which rows a tree grows on. The default is a bootstrap sample.
    pub fn bagging(self, bagging: Bagging) -> Self {
        Self { bagging, ..self }
    }

    /// How a feature is cut. The default is at the best place.
    pub fn splitter(self, splitter: Splitter) -> Self {
        Self { splitter, ..self }
    }

    /// Learns classes from 0 to `classes` − 1; those absent from the data get probability 0.
    pub fn classification(
        &self,
        data: &Data<Classification>,
        classes: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<ClassificationForest> {
        ClassificationForest::fit(self, data, classes, rng)
    }

    /// Learns values.
    pub fn regression(&self, data: &Data<Regression>, rng: &mut ChaCha8Rng) -> Result<RegressionForest> {
        RegressionForest::fit(self, data, rng)
    }

    /// The limits of a tree, with `default` if the number of features was not given; refuses options out of range.
    fn limits(&self, features: usize, default: MaxFeatures) -> Result<grow::Limits> {
        at_least("the number of trees", self.trees, 1, "at least 1")?;
        at_least("max_depth", self.max_depth.unwrap_or(usize::MAX), 1, "at least 1")?;
        at_least("min_samples_split", self.min_samples_split, 2, "at least 2")?;
        at_least("min_samples_leaf", self.min_samples_leaf, 1, "at least 1")?;
        Ok(grow::Limits {
            features: self.max_features.unwrap_or(default).of(features)?,
            depth: self.max_depth.unwrap_or(usize::MAX),
            split: self.min_samples_split,
            leaf: self.min_samples_leaf,
            splitter: self.splitter,
        })
    }
}

impl Learner<Classification> for Forest {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        Ok(Box::new(self.classification(data, columns, rng)?))
    }
}

impl Learner<Regression> for Forest {
    fn fit(
        &self,
        data: &Data<Regression>,
        _columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Regression>>> {
        Ok(Box::new(self.regression(data, rng)?))
    }
}

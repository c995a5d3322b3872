//! A forest that has learnt classes. Its belief is the mean of its trees' leaf frequencies, not a count of votes.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Model};
use labelwise::task::Table;
use labelwise::{Classification, Error, Matrix, Result};

use super::Forest;
use super::counts::{Counts, MOST_CLASSES};
use super::grown::{Grown, check_rows};
use super::options::{Criterion, MaxFeatures};
use super::purity::{Entropy, Gini};

/// A forest fitted to classes by [`Forest::classification`]. It predicts one probability per class.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::Data;
/// use labelwise::{Classification, Matrix, Seed};
/// use labelwise_models::Forest;
///
/// let features = Matrix::f64((0..40).map(f64::from).collect::<Vec<_>>(), 1)?;
/// let data = Data::<Classification>::new(features, (0..40).map(|x| usize::from(x >= 20)).collect())?;
/// let forest = Forest::default().classification(&data, 2, &mut Seed(7).stream(Stream::Fit, 0))?;
/// let unseen = forest.out_of_bag()?; // what it believes about rows that it did not learn from
/// assert!(unseen.reader().row(0)[0] > 0.9 && unseen.reader().row(39)[1] > 0.9);
/// # Ok::<(), labelwise::Error>(())
/// ```
pub struct ClassificationForest {
    grown: Grown,
    classes: usize,
    /// What it learnt from, shared with whoever owns it: out-of-bag rows are looked up only when they are asked for.
    features: Matrix,
    labels: Vec<usize>,
}

impl ClassificationForest {
    pub(super) fn fit(
        forest: &Forest,
        data: &Data<Classification>,
        classes: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let (features, labels) = (&data.features, &data.labels);
        if !(2..=MOST_CLASSES).contains(&classes) {
            let expected = format!("2 to {MOST_CLASSES} (one per class)");
            return Err(Error::Columns {
                what: Table::Other("the forest's probabilities"),
                columns: classes,
                expected,
            });
        }
        check_rows(features, labels.len())?;
        if let Some((item, &label)) = labels.iter().enumerate().find(|(_, label)| **label >= classes) {
            return Err(Error::LabelOutOfRange { item, label, classes });
        }
        let limits = forest.limits(features.columns(), MaxFeatures::Sqrt)?;
        let grown = match forest.criterion {
            Criterion::Gini => {
                Grown::grow(forest, features, limits, &Counts::new(Gini, labels, classes), rng)?
            }
            Criterion::Entropy => {
                let purity = Entropy::new(labels.len());
                Grown::grow(forest, features, limits, &Counts::new(purity, labels, classes), rng)?
            }
        };
        Ok(Self { grown, classes, features: features.clone(), labels: labels.clone() })
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.grown.trees.len()
    }

    /// Whether a tree saw a training row; without bagging every tree saw every row.
    pub fn saw(&self, tree: usize, row: usize) -> bool {
        self.grown.bags.is_empty() || self.grown.bags.get(tree).is_some_and(|bag| bag.holds(row))
    }

    /// What the forest believes about its own training rows without having seen them: for each row the mean over the
    /// trees that did not see it. A row that every tree saw, which is next to impossible with many trees, has the
    /// class frequencies of the training labels. Refused without bagging, where every tree saw every row.
    pub fn out_of_bag(&self) -> Result<Matrix> {
        if self.grown.bags.is_empty() {
            let why = "out-of-bag beliefs need trees that did not see every row: grow the forest with Bagging::Bootstrap";
            return Err(Error::Surrogate(why.to_owned()));
        }
        // One more number per row counts the trees.
        let width = self.classes + 1;
        let sums = self.grown.visit(&self.features, width, |tree, row, sums, leaf| {
            if !self.saw(tree, row) {
                sums.iter_mut().zip(leaf.iter().chain(&[1.0])).for_each(|(sum, value)| *sum += value);
            }
        })?;
        let prior = self.prior();
        let mut beliefs = Vec::with_capacity(self.labels.len() * self.classes);
        for sums in sums.chunks_exact(width) {
            match sums.split_last() {
                Some((&trees, sums)) if trees > 0.0 => beliefs.extend(sums.iter().map(|sum| sum / trees)),
                _ => beliefs.extend_from_slice(&prior),
            }
        }
        Matrix::f64(beliefs, self.classes)
    }

    /// The beliefs of each tree, one table per tree. [`Model::members`] does not give them, since a hundred
    /// tables of a large pool are seldom wanted.
    pub fn tree_beliefs(&self, features: &Matrix) -> Result<Vec<Matrix>> {
        let trees = self.grown.trees.len();
        let all = self.grown.visit(features, self.classes * trees, |tree, _, row, leaf| {
            if let Some(own) = row.chunks_exact_mut(self.classes).nth(tree) {
                own.copy_from_slice(leaf);
            }
        })?;
        let member = |tree| {
            let rows = all.chunks_exact(self.classes).skip(tree).step_by(trees);
            Matrix::f64(rows.flatten().copied().collect::<Vec<_>>(), self.classes)
        };
        (0..trees).map(member).collect()
    }

    fn prior(&self) -> Vec<f64> {
        let mut prior = vec![0.0; self.classes];
        for &label in &self.labels {
            if let Some(count) = prior.get_mut(label) {
                *count += 1.0;
            }
        }
        prior.iter_mut().for_each(|count| *count /= self.labels.len() as f64);
        prior
    }
}

impl Model<Classification> for ClassificationForest {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let mut beliefs = self.grown.visit(features, self.classes, |_, _, sums, leaf| {
            sums.iter_mut().zip(leaf).for_each(|(sum, p)| *sum += p);
        })?;
        let trees = self.trees() as f64;
        beliefs.iter_mut().for_each(|sum| *sum /= trees);
        Matrix::f64(beliefs, self.classes)
    }
}

impl std::fmt::Debug for ClassificationForest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClassificationForest({} trees, {} classes)", self.trees(), self.classes)
    }
}

//! A surrogate of your own: it learns from the labels how often each kind of item is of class 1.

use labelwise::loss::ZeroOne;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model, Retrained, Schedule};
use labelwise::{Classification, Evaluation, Matrix, Pool, Result, Seed, Target};

/// Labels of class 1, and all labels, of five kinds of items.
struct Rates([(f64, f64); 5]);

type Fitted = Result<Box<dyn Model<Classification>>>;

fn kind(features: &[f64]) -> usize {
    features.first().map_or(0, |kind| *kind as usize)
}

impl Learner<Classification> for Rates {
    fn fit(&self, seen: &Data<Classification>, _: usize, _: &mut ChaCha8Rng) -> Fitted {
        let (mut rates, mut rows) = (self.0, seen.features.reader());
        for (row, label) in seen.labels.iter().enumerate() {
            if let Some((ones, all)) = rates.get_mut(kind(rows.row(row))) {
                (*ones, *all) = (*ones + *label as f64, *all + 1.0);
            }
        }
        Ok(Box::new(Rates(rates)))
    }
}

impl Model<Classification> for Rates {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let mut rows = features.reader();
        let rate = |row| self.0.get(kind(rows.row(row))).map_or(0.5, |(ones, all)| ones / all);
        Matrix::f64((0..features.rows()).map(rate).flat_map(|p| [1.0 - p, p]).collect::<Vec<f64>>(), 2)
    }
}

pub(crate) fn main() -> Result<()> {
    // The model is sure of class 0 everywhere. It is wrong about every other item of kind 3.
    let kinds = Matrix::f64((0..5_000).map(|item| (item % 5) as f64).collect::<Vec<f64>>(), 1)?;
    let pool = Pool::classification(Matrix::f64([0.95, 0.05].repeat(5_000), 2)?)?.with_features(kinds)?;
    // Two labels of each kind to start from, one of each class, so that no belief is ever certain.
    let start = Rates([(1.0, 2.0); 5]);
    let no_training = Data::new(Matrix::f64(Vec::new(), 1)?, Vec::new())?;
    let surrogate = Retrained::new(start, no_training).schedule(Schedule::Every(20));
    let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(7)).build()?;
    evaluation.run(300, &mut |item| Ok(usize::from(item % 10 == 3)))?;
    println!("error rate, 0.1 in truth: {}", evaluation.report(Target::Pool, 0.95)?);
    Ok(())
}

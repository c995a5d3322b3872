//! Logistic regression: the cheapest surrogate π(y | x) of a classification pool, and often a good one.

mod newton;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Error, Matrix, Result, Task};

use crate::linear::features::{Centred, check_training, dot, predict_rows};
use newton::Problem;

/// Multinomial logistic regression with an L2 penalty, as scikit-learn's `LogisticRegression(C=...)`.
///
/// The fit minimises C times the sum of the cross-entropies plus half the sum of the squared weights; intercepts are
/// free. As there, C is 1 by default, and two classes have one vector of weights between them, which pays
/// the penalty once. The minimum is found by Newton's method, until a further step would move no probability by more
/// than about 1e-8.
///
/// A class that the data lack is left out of the fit and gets probability 0. That is where a fit with it would go:
/// nothing holds its intercept, so its likelihood grows for ever as the intercept falls, and its probability falls to 0.
/// If one class is all there is, its probability is 1.
///
/// ```
/// use labelwise::surrogate::{Data, Model};
/// use labelwise::Matrix;
/// use labelwise_models::LogisticRegression;
///
/// let data = Data::new(Matrix::f64(vec![-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], 1)?, vec![0, 0, 2, 0, 2, 2])?;
/// let model = LogisticRegression::default().learn(&data, 3)?; // the data lack class 1
/// let beliefs = model.predict(&Matrix::f64(vec![0.0, 3.0], 1)?)?;
/// assert_eq!(beliefs.reader().row(0)[1], 0.0);
/// assert!(beliefs.reader().row(1)[2] > 0.9);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticRegression {
    c: f64,
}

impl Default for LogisticRegression {
    /// scikit-learn's: C = 1.
    fn default() -> Self {
        Self { c: 1.0 }
    }
}

impl LogisticRegression {
    /// With another C: the smaller, the stronger the penalty.
    ///
    /// ```
    /// use labelwise_models::LogisticRegression;
    /// assert!(LogisticRegression::with_c(0.1).is_ok());
    /// assert!(LogisticRegression::with_c(0.0).is_err());
    /// ```
    pub fn with_c(c: f64) -> Result<Self> {
        // 1 / C has to be a number too.
        if !(1e-300..=1e300).contains(&c) {
            return Err(Error::Option { name: "C", value: c, range: "above 0 (from 1e-300 to 1e300)" });
        }
        Ok(Self { c })
    }

    /// What [`Learner::fit`] does, as the model's own type. Nothing about it is random.
    pub fn learn(&self, data: &Data<Classification>, classes: usize) -> Result<LogisticModel> {
        Classification::check_prediction_columns(classes)?;
        let (rows, columns) = check_training(data)?;
        if rows == 0 {
            return Err(Error::TooFewLabels { what: "logistic regression", needed: 1, labels: 0 });
        }
        let mut slots = vec![None; classes];
        for (item, &label) in data.labels.iter().enumerate() {
            let slot = slots.get_mut(label).ok_or(Error::LabelOutOfRange { item, label, classes })?;
            *slot = Some(0);
        }
        slots.iter_mut().flatten().enumerate().for_each(|(place, slot)| *slot = place);
        let present = slots.iter().flatten().count();
        let centred = Centred::new(&data.features);
        let (weights, intercepts) = match present {
            1 => (vec![0.0; columns], vec![0.0]),
            _ => {
                let labels = data.labels.iter().filter_map(|&label| slots.get(label).copied().flatten());
                Problem::new(&centred, labels.collect(), present, self.c).solve()?
            }
        };
        Ok(LogisticModel { slots, means: centred.means, weights, intercepts })
    }
}

impl Learner<Classification> for LogisticRegression {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        Ok(Box::new(self.learn(data, columns)?))
    }
}

/// A fitted [`LogisticRegression`]: the softmax of one linear function a class.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticModel {
    /// For each class its place among those with weights; `None` for classes that the data lacked.
    slots: Vec<Option<usize>>,
    means: Vec<f64>,
    /// One after the other, the vectors of the classes that the data had.
    weights: Vec<f64>,
    /// At the means of the features.
    intercepts: Vec<f64>,
}

impl LogisticModel {
    /// The weights of a class, one a feature; `None` if the data lacked it. Of two classes the first has zeros.
    pub fn weights(&self, class: usize) -> Option<&[f64]> {
        let slot = self.slots.get(class).copied().flatten()?;
        self.weights.chunks_exact(self.means.len()).nth(slot)
    }

    /// The intercept of a class, where every feature is 0; `None` if the data lacked it.
    pub fn intercept(&self, class: usize) -> Option<f64> {
        let slot = self.slots.get(class).copied().flatten()?;
        Some(self.intercepts.get(slot)? - dot(self.weights(class)?, &self.means))
    }
}

impl Model<Classification> for LogisticModel {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        predict_rows(features, &self.means, self.slots.len(), |row, belief| {
            let mut scores = self.weights.chunks_exact(row.len()).zip(&self.intercepts);
            // A class without weights has the score of an intercept that has fallen all the way.
            for (score, slot) in belief.iter_mut().zip(&self.slots) {
                let next = if slot.is_some() { scores.next() } else { None };
                *score = next.map_or(f64::NEG_INFINITY, |(weights, b)| b + dot(row, weights));
            }
            softmax(belief);
        })
    }
}

/// Scores to probabilities, in place. Taking the largest off first keeps every exponential at or below 1. What comes
/// back is the logarithm of the sum of exponentials, as the largest score and the rest, which may be far smaller.
fn softmax(scores: &mut [f64]) -> (f64, f64) {
    let (place, top) = scores
        .iter()
        .copied()
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    let mut others = 0.0;
    for (k, score) in scores.iter_mut().enumerate() {
        *score = (*score - top).exp();
        others += if k == place { 0.0 } else { *score };
    }
    scores.iter_mut().for_each(|score| *score /= 1.0 + others);
    (top, others.ln_1p())
}

//! A learner whose probabilities are tempered by how right it is on data it did not learn from.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Error, Matrix, Result};

use super::Temperature;

/// Fewer rows than this do not tell a temperature.
const ENOUGH: usize = 20;

/// A classifier that can say what it would have predicted for each training row without having seen that row.
pub trait OutOfSample: Learner<Classification> {
    /// The fitted model, and its out-of-sample probabilities for the rows of the data, in their order.
    fn fit_out_of_sample(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Box<dyn Model<Classification>>, Matrix)>;

    /// The smallest probability that it can tell from zero.
    fn resolution(&self) -> f64 {
        1e-6
    }
}

/// Any learner, with out-of-sample probabilities by cross-fitting: each fold is predicted by a model fitted to the
/// others.
#[derive(Debug, Clone, Copy)]
pub struct CrossFitted<L> {
    learner: L,
    folds: usize,
}

impl<L> CrossFitted<L> {
    /// With this number of folds, at least 2.
    pub fn new(learner: L, folds: usize) -> Result<Self> {
        if folds < 2 {
            return Err(Error::Option { name: "folds", value: folds as f64, range: "at least 2" });
        }
        Ok(Self { learner, folds })
    }
}

impl<L: Learner<Classification>> Learner<Classification> for CrossFitted<L> {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        self.learner.fit(data, columns, rng)
    }
}

impl<L: Learner<Classification>> OutOfSample for CrossFitted<L> {
    fn fit_out_of_sample(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Box<dyn Model<Classification>>, Matrix)> {
        let model = self.learner.fit(data, columns, rng)?;
        let rows = data.labels.len();
        let folds = self.folds.min(rows.max(1));
        let mut values = vec![0.0; rows * columns];
        for fold in 0..folds {
            // Rows are dealt out in turn, so that a fold has a part of whatever order the rows came in.
            let inside = |row: usize| row % folds == fold;
            let part = |keep: &dyn Fn(usize) -> bool| {
                take(data, &(0..rows).filter(|row| keep(*row)).collect::<Vec<_>>())
            };
            let others = part(&|row| !inside(row))?;
            let predicted = self.learner.fit(&others, columns, rng)?.predict(&part(&inside)?.features)?;
            let mut reader = predicted.reader();
            for (place, row) in (0..rows).filter(|row| inside(*row)).enumerate() {
                if let Some(values) = values.get_mut(row * columns..(row + 1) * columns) {
                    values.copy_from_slice(reader.row(place));
                }
            }
        }
        Ok((model, Matrix::f64(values, columns)?))
    }
}

/// Some rows of the data.
fn take(data: &Data<Classification>, rows: &[usize]) -> Result<Data<Classification>> {
    let mut reader = data.features.reader();
    let features: Vec<f64> = rows.iter().flat_map(|row| reader.row(*row).to_vec()).collect();
    let labels = rows.iter().filter_map(|row| data.labels.get(*row).copied()).collect();
    Data::new(Matrix::f64(features, data.features.columns())?, labels)
}

/// A learner with its temperature fitted to out-of-sample probabilities at every fit. Retrained on train and observed,
/// it learns the temperature from the paid labels too.
#[derive(Debug, Clone, Copy)]
pub struct Calibrated<L> {
    learner: L,
}

impl<L: OutOfSample> Calibrated<L> {
    /// A calibrated form of a learner.
    pub fn new(learner: L) -> Self {
        Self { learner }
    }
}

impl<L: OutOfSample> Learner<Classification> for Calibrated<L> {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        if data.labels.len() < ENOUGH {
            return self.learner.fit(data, columns, rng);
        }
        let (model, probabilities) = self.learner.fit_out_of_sample(data, columns, rng)?;
        let temperature = Temperature::fit(&probabilities, &data.labels, self.learner.resolution())?;
        Ok(Box::new(Tempered { model, temperature }))
    }
}

/// A model whose probabilities are tempered.
struct Tempered {
    model: Box<dyn Model<Classification>>,
    temperature: Temperature,
}

impl Model<Classification> for Tempered {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        self.temperature.apply(&self.model.predict(features)?)
    }

    fn members(&self, features: &Matrix) -> Result<Vec<Matrix>> {
        self.model.members(features)?.iter().map(|member| self.temperature.apply(member)).collect()
    }
}

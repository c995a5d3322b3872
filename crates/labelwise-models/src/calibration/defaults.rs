//! The forest's out-of-sample probabilities, and the surrogates we would take.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Model, Retrained, Schedule};
use labelwise::{Classification, Matrix, Result};

use super::{Blended, Calibrated, CrossFitted, OutOfSample};
use crate::Forest;

/// Labels between two refits of the default surrogate: it gains little from more, and a refit costs a pass over the pool.
const REFIT_EVERY: usize = 25;

impl OutOfSample for Forest {
    /// Out of bag: each row by the trees that did not see it. Trees that all saw all rows are cross-fitted instead.
    fn fit_out_of_sample(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Box<dyn Model<Classification>>, Matrix)> {
        let forest = self.classification(data, columns, rng)?;
        let unseen = (0..forest.trees()).any(|tree| (0..data.labels.len()).any(|row| !forest.saw(tree, row)));
        if !unseen {
            return CrossFitted::new(self.clone(), 5)?.fit_out_of_sample(data, columns, rng);
        }
        let out_of_bag = forest.out_of_bag()?;
        Ok((Box::new(forest), out_of_bag))
    }

    /// A tenth of what one tree in a hundred says.
    fn resolution(&self) -> f64 {
        1e-3
    }
}

/// Our default surrogate for a classifier with training data: the mean of a calibrated forest and the model's own
/// probabilities, refitted on train and observed after every 25 labels. The pool must have features.
pub fn default_surrogate(train: Data<Classification>) -> Blended<Retrained<Classification>> {
    let forest = Calibrated::new(Forest::default());
    Blended::new(Retrained::new(forest, train).schedule(Schedule::Every(REFIT_EVERY)))
}

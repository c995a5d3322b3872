//! From a table of a pool to something that strategies can be tried on.

use labelwise::{Classification, Regression, Task};
use labelwise_study::{AnyTrial, Labels, PoolTable, Predictions, Trial};

use crate::error::Error;

/// An evaluation to be, and all the labels.
pub(super) struct Problem<T: Task> {
    /// The pool, and how evaluations of it begin.
    pub(super) trial: Trial<T>,
    /// All the labels.
    pub(super) labels: Vec<T::Label>,
}

/// A problem of either task.
pub(super) enum Kind {
    /// Labels are classes.
    Classes(Problem<Classification>),
    /// Labels are numbers.
    Values(Problem<Regression>),
}

impl Kind {
    /// Puts the labels of the table beside a trial of it.
    pub(super) fn new(table: &PoolTable, trial: AnyTrial) -> Result<Self, Error> {
        Ok(match trial {
            AnyTrial::Classes(trial) => Self::Classes(Problem { trial, labels: classes(table)? }),
            AnyTrial::Values(trial) => Self::Values(Problem { trial, labels: values(table)? }),
        })
    }
}

fn classes(table: &PoolTable) -> Result<Vec<usize>, Error> {
    let Some(Labels::Classes(classes)) = &table.labels else {
        return Err(Error::Labels { are: "numbers", predictions: "classes" });
    };
    Ok(match &table.predictions {
        // Right or wrong is all there is: class 0 is what was predicted, and class 1 anything else.
        Predictions::Hard { classes: predicted, .. } => {
            let wrong = |(label, predicted): (&u32, &u32)| usize::from(label != predicted);
            classes.iter().zip(predicted).map(wrong).collect()
        }
        _ => classes.iter().map(|&label| label as usize).collect(),
    })
}

fn values(table: &PoolTable) -> Result<Vec<f64>, Error> {
    match &table.labels {
        Some(Labels::Values(values)) => Ok(values.clone()),
        _ => Err(Error::Labels { are: "classes", predictions: "numbers" }),
    }
}

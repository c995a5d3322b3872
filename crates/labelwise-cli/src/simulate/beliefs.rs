//! Beliefs from tables: those of the model itself, of other models, and of nobody.

use labelwise::{Beliefs, Classification, Error, Matrix, Pool, Regression, Task};
use labelwise_store::Predictions;

use crate::failure::Failure;

/// Probabilities of other models, in the order of the pool's classes; several are an ensemble.
pub(super) fn of_classes(
    given: &[Predictions],
    names: &[String],
    pool: &Pool<Classification>,
) -> Result<Beliefs<Classification>, Failure> {
    let members: Result<Vec<Matrix>, Failure> = given.iter().map(|given| in_order(given, names)).collect();
    Ok(Beliefs::<Classification>::from_members(members?, pool)?)
}

/// Probabilities of other models that each prediction is right and that it is wrong.
pub(super) fn of_right_or_wrong(
    given: &[Predictions],
    names: &[String],
    predicted: &[u32],
    pool: &Pool<Classification>,
) -> Result<Beliefs<Classification>, Failure> {
    let mut members = Vec::new();
    for given in given {
        let rows = in_order(given, names)?;
        let mut reader = rows.reader();
        let right =
            |(item, class): (usize, &u32)| reader.row(item).get(*class as usize).copied().unwrap_or(0.0);
        let right: Vec<f64> = predicted.iter().enumerate().map(right).collect();
        let pairs: Vec<f64> = right.into_iter().flat_map(|right| [right, 1.0 - right]).collect();
        members.push(Matrix::f64(pairs, 2)?);
    }
    Ok(Beliefs::<Classification>::from_members(members, pool)?)
}

/// Values of other models; where one gives no variances, it is taken at its word.
pub(super) fn of_values(
    given: &[Predictions],
    pool: &Pool<Regression>,
) -> Result<Beliefs<Regression>, Failure> {
    let members: Result<Vec<Matrix>, Failure> = given.iter().map(values).collect();
    Ok(Beliefs::<Regression>::from_members(&members?, pool)?)
}

/// Predicted values, with their variances where there are any.
pub(super) fn values(predictions: &Predictions) -> Result<Matrix, Failure> {
    match predictions {
        Predictions::Values { means, variances: Some(variances) } => {
            let pairs = means.iter().zip(variances).flat_map(|(mean, variance)| [*mean, *variance]);
            Ok(Matrix::f64(pairs.collect::<Vec<f64>>(), 2)?)
        }
        Predictions::Values { means, variances: None } => Ok(Matrix::f64(means.clone(), 1)?),
        _ => Err(Failure::SurrogateKind { expected: "values" }),
    }
}

/// Beliefs that say the same of every item, or nothing at all.
pub(super) fn of_nothing<T: Alike>(pool: &Pool<T>) -> Result<Beliefs<T>, Error> {
    let predictions = pool.predictions();
    let (columns, mut reader) = (T::columns(predictions), predictions.reader());
    let mut values = Vec::with_capacity(pool.pool_size() * columns);
    for item in 0..pool.pool_size() {
        T::alike(reader.row(item), &mut values);
    }
    Beliefs::new(Matrix::f64(values, columns)?, pool)
}

/// A task with a belief that says nothing.
pub(super) trait Alike: Task {
    /// The columns of a belief.
    fn columns(predictions: &Matrix) -> usize;
    /// Adds a belief about one item.
    fn alike(prediction: &[f64], values: &mut Vec<f64>);
}

impl Alike for Classification {
    fn columns(predictions: &Matrix) -> usize {
        predictions.columns()
    }

    fn alike(prediction: &[f64], values: &mut Vec<f64>) {
        values.extend(prediction.iter().map(|_| 1.0 / prediction.len() as f64));
    }
}

impl Alike for Regression {
    fn columns(_predictions: &Matrix) -> usize {
        2
    }

    fn alike(prediction: &[f64], values: &mut Vec<f64>) {
        values.extend([prediction.first().copied().unwrap_or(0.0), 1.0]);
    }
}

/// A model's probabilities with its classes in another's order.
fn in_order(given: &Predictions, names: &[String]) -> Result<Matrix, Failure> {
    let Predictions::Classes { names: theirs, rows } = given else {
        return Err(Failure::SurrogateKind { expected: "class probabilities" });
    };
    if theirs == names {
        return Ok(rows.clone());
    }
    if let Some(unknown) = theirs.iter().find(|name| !names.contains(name)) {
        return Err(Failure::SurrogateClass { class: unknown.clone(), known: names.join(", ") });
    }
    // A class that the surrogate does not know is one that it gives no chance.
    let places: Vec<Option<usize>> =
        names.iter().map(|name| theirs.iter().position(|other| other == name)).collect();
    let mut reader = rows.reader();
    let mut values = Vec::with_capacity(rows.rows() * names.len());
    for item in 0..rows.rows() {
        let row = reader.row(item);
        values.extend(
            places.iter().map(|place| place.and_then(|place| row.get(place)).copied().unwrap_or(0.0)),
        );
    }
    Ok(Matrix::f64(values, names.len())?)
}

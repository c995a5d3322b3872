//! What every acquisition must do.

use super::{Violation, failed, hold};
use crate::acquisition::{Acquisition, Candidates};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::pool::Pool;
use crate::surrogate::Beliefs;
use crate::task::Task;

/// Checks that an acquisition keeps the contract on this pool: one score an item, each finite and not negative, the
/// same for the same candidates, and belonging to the item rather than to its place.
///
/// `make` makes a new acquisition for the items in an order it is told, so that one which knows labels can follow.
pub fn check_acquisition<T: Task>(
    make: impl Fn(&[usize]) -> Box<dyn Acquisition<T>>,
    pool: &Pool<T>,
    loss: &dyn Loss<T>,
    beliefs: &Beliefs<T>,
    observed: &[(usize, T::Label)],
) -> Result<(), Violation> {
    let size = pool.pool_size();
    let here: Vec<usize> = (0..size).collect();
    let scores = score(&mut *make(&here), pool, loss, beliefs, observed)?;
    hold("one score per item", scores.len() == size, || format!("{} scores for {size} items", scores.len()))?;
    for (item, score) in scores.iter().enumerate() {
        let usable = score.is_finite() && *score >= 0.0;
        hold("scores are finite and not negative", usable, || format!("item {item} has {score}"))?;
    }
    let again = score(&mut *make(&here), pool, loss, beliefs, observed)?;
    hold("the same candidates have the same scores", again == scores, || "they changed".to_owned())?;

    let turned: Vec<usize> = here.iter().rev().copied().collect();
    let law = "tables can be reversed";
    let mut other = Pool::from_predictions(turn(pool.predictions())?).map_err(failed(law))?;
    if let Some(features) = pool.features() {
        other = other.with_features(turn(features)?).map_err(failed(law))?;
    }
    let members = beliefs.members().iter().map(turn).collect::<Result<Vec<_>, _>>()?;
    let other_beliefs = Beliefs::from_parts(turn(beliefs.rows())?, members);
    let other_observed: Vec<_> = observed.iter().map(|&(item, label)| (size - 1 - item, label)).collect();
    let mut other_scores = score(&mut *make(&turned), &other, loss, &other_beliefs, &other_observed)?;
    other_scores.reverse();
    for (item, (score, other)) in scores.iter().zip(&other_scores).enumerate() {
        let same = (score - other).abs() <= 1e-9 * (1.0 + score.abs());
        hold("scores belong to items, not to places", same, || {
            format!("item {item} had {score}, elsewhere {other}")
        })?;
    }
    Ok(())
}

fn score<T: Task>(
    acquisition: &mut dyn Acquisition<T>,
    pool: &Pool<T>,
    loss: &dyn Loss<T>,
    beliefs: &Beliefs<T>,
    observed: &[(usize, T::Label)],
) -> Result<Vec<f64>, Violation> {
    let (mut predictions, mut rows) = (pool.predictions().reader(), beliefs.rows().reader());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for item in 0..pool.pool_size() {
        let moments = loss.moments(T::prediction(predictions.row(item)), T::belief(rows.row(item)));
        first.push(moments.first);
        second.push(moments.second);
    }
    let open = vec![true; pool.pool_size()];
    let candidates = Candidates { pool, loss, beliefs, first: &first, second, open: &open, observed };
    acquisition.scores(candidates).map_err(failed("scores for valid candidates"))
}

/// The rows in the opposite order.
fn turn(table: &Matrix) -> Result<Matrix, Violation> {
    let mut reader = table.reader();
    let values: Vec<f64> = (0..table.rows()).rev().flat_map(|row| reader.row(row).to_vec()).collect();
    Matrix::f64(values, table.columns()).map_err(failed("tables can be reversed"))
}

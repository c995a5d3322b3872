//! Measure what a model's decisions cost, by a loss of your own.

use labelwise::loss::Custom;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Result, Seed, Target};

/// The model's probability that a payment is fraud.
fn probability(item: usize) -> f64 {
    0.001 + 0.6 * ((item % 101) as f64 / 100.0).powi(4)
}

/// Whether it is: class 1 is fraud.
fn label(item: usize) -> usize {
    usize::from(item % 101 > 85 && item.is_multiple_of(3))
}

/// Every payment above 20 % is reviewed, which costs 4. A fraud that is not reviewed costs 100.
fn cost(prediction: &[f64], label: usize) -> f64 {
    let reviewed = prediction.get(1).is_some_and(|fraud| *fraud > 0.2);
    match (reviewed, label) {
        (true, _) => 4.0,
        (false, 1) => 100.0,
        (false, _) => 0.0,
    }
}

pub(crate) fn main() -> Result<()> {
    let rows = (0..5_000).flat_map(|item| [1.0 - probability(item), probability(item)]);
    let pool = Pool::classification(Matrix::f64(rows.collect::<Vec<f64>>(), 2)?)?;
    let surrogate = Fixed(pool.own_beliefs()?);
    // A function is enough: expected losses and bounds follow. `labelwise::loss::Loss` is for losses that have formulas for them.
    let mut evaluation =
        Evaluation::builder(pool, Custom::non_negative(cost), surrogate).seed(Seed(7)).build()?;
    evaluation.run(400, &mut |item| Ok(label(item)))?;
    println!("cost per payment: {}", evaluation.report(Target::Pool, 0.95)?);
    Ok(())
}

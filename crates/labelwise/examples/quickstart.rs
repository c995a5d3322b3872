//! Estimate a classifier's loss on 10,000 items from 300 labels.

use labelwise::{CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Result, Seed, Target};

/// The model's probability of class 0 for an item. You would read it from a file.
fn probability(item: usize) -> f64 {
    0.02 + 0.96 * (item % 97) as f64 / 96.0
}

/// The true class of an item. You would ask a person. Here, the model is wrong about one item in twenty.
fn label(item: usize) -> usize {
    let predicted = usize::from(probability(item) < 0.5);
    if item % 20 == 7 { 1 - predicted } else { predicted }
}

pub(crate) fn main() -> Result<()> {
    let rows = (0..10_000).flat_map(|item| [probability(item), 1.0 - probability(item)]);
    let pool = Pool::classification(Matrix::f64(rows.collect::<Vec<f64>>(), 2)?)?;
    // The surrogate says which items are likely to have a large loss. The simplest one is the model itself.
    let surrogate = Fixed(pool.own_beliefs()?);
    let mut evaluation =
        Evaluation::builder(pool, CrossEntropy::default(), surrogate).seed(Seed(7)).build()?;

    for _ in 0..300 {
        let draw = evaluation.ask()?;
        evaluation.tell(draw.index, label(draw.index))?;
    }

    println!("LURE: {:.4}", evaluation.estimate(&Lure)?.value); // the paper's estimator
    // The default estimator, with an interval and with warnings where the numbers are not to be trusted yet.
    println!("{}", evaluation.report(Target::Pool, 0.95)?);
    Ok(())
}

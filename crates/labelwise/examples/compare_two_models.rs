//! Which of two models is better, from labels that serve both.
//!
//! ```sh
//! cargo run -p labelwise --example compare_two_models
//! ```

use labelwise::compare::{Question, Rivals, compare};
use labelwise::loss::ZeroOne;
use labelwise::{Classification, Evaluation, Fixed, Matrix, Pool, Result, Seed};

/// A model's probability of class 0. The models differ on one item in three.
fn probability(model: usize, item: usize) -> f64 {
    0.05 + 0.9 * ((item * 7 + 5 * model * (item % 3)) % 20) as f64 / 20.0
}

fn label(item: usize) -> usize {
    usize::from((item * 7) % 20 < 9)
}

pub(crate) fn main() -> Result<()> {
    let model = |model| {
        let rows = (0..4_000).map(|item| probability(model, item)).flat_map(|zero| [zero, 1.0 - zero]);
        Matrix::f64(rows.collect::<Vec<f64>>(), 2)
    };
    let pool = Pool::<Rivals<Classification>>::rivals(&[model(0)?, model(1)?])?;
    let surrogate = Fixed(pool.own_beliefs()?); // the mean of both models
    // Items on which no label can part the models are never asked for: their difference is known to be 0.
    let mut evaluation = Evaluation::comparison(pool, ZeroOne, surrogate)?.seed(Seed(7)).build()?;
    println!("{} of 4000 items can decide", evaluation.left());
    evaluation.run(150, &mut |item| Ok(label(item)))?;

    let verdict = compare(evaluation.ledger(), &Question::default())?;
    println!("error rate of the first minus that of the second: {:.4}", verdict.difference());
    if let Some(p) = verdict.p_value {
        println!("p-value: {p:.4}");
    }
    println!("{}", verdict.report);
    Ok(())
}

//! Pages of a made-up regression, whose loss has no bounds and whose metric is no mean.

use labelwise::surrogate::Beliefs;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Regression, SquaredError, Target};

use super::ledgers::{Fates, drawn, page};
use crate::metric::{Better, Form, Metric};
use crate::page::Page;

/// The root mean squared error, from so many draws of a pool of so many.
pub(super) fn root_mean_squared_error(pool_size: usize, draws: usize, target: Target) -> Page {
    // A model that is off by as much as it says on the whole, in an order that looks like chance.
    let noise = |item: usize| ((item * 7919 % 1000) as f64 - 499.5) / 289.0;
    let width = |item: usize| 0.2 + (item * 31 % 97) as f64 / 60.0;
    let rows = |variance: f64| -> Vec<f64> {
        (0..pool_size).flat_map(|item| [170.0, variance * width(item).powi(2)]).collect()
    };
    let pool: Pool<Regression> = Pool::regression(Matrix::f64(rows(1.0), 2).unwrap()).unwrap();
    let beliefs = Beliefs::new(Matrix::f64(rows(1.3), 2).unwrap(), &pool).unwrap();
    let metric = Metric {
        name: "root mean squared error".to_owned(),
        loss: "squared error".to_owned(),
        of: f64::sqrt,
        better: Better::Lower,
        form: Form::Number,
    };
    let builder = Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs));
    let evaluation = drawn(builder, draws, &Fates::default(), |item| 170.0 + width(item) * noise(item));
    page(evaluation.ledger(), metric, target, |item| format!("person-{item}"))
}

//! Small pools that the laws are tried on.

use labelwise::conformance::Path;
use labelwise::estimator::Sample;
use labelwise::evaluation::Builder;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::surrogate::Beliefs;
use labelwise::task::Gaussian;
use labelwise::{Classification, Evaluation, Fixed, Matrix, Pool, Regression, Seed, Task};

/// Rows of class probabilities, from a number that only has to differ.
pub(crate) fn probabilities(rows: usize, classes: usize, salt: u64) -> Vec<f64> {
    let mut state = salt.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut values = Vec::new();
    for _ in 0..rows {
        let row: Vec<f64> = (0..classes).map(|_| (4.0 * next()).exp()).collect();
        let sum: f64 = row.iter().sum();
        values.extend(row.iter().map(|value| value / sum));
    }
    values
}

pub(crate) fn pool(rows: usize, classes: usize) -> Pool<Classification> {
    Pool::classification(Matrix::f64(probabilities(rows, classes, 1), classes).unwrap()).unwrap()
}

pub(crate) fn beliefs(pool: &Pool<Classification>) -> Beliefs<Classification> {
    let classes = pool.predictions().columns();
    let values = probabilities(pool.pool_size(), classes, 2);
    Beliefs::new(Matrix::f64(values, classes).unwrap(), pool).unwrap()
}

/// Labels that follow the item in some way.
pub(crate) fn label(item: usize, classes: usize) -> usize {
    (item * 7 + item / 3) % classes
}

/// A builder on a three-class pool with another surrogate than the model.
pub(crate) fn builder(rows: usize, loss: impl Loss<Classification> + 'static) -> Builder<Classification> {
    let pool = pool(rows, 3);
    let beliefs = beliefs(&pool);
    Evaluation::builder(pool, loss, Fixed(beliefs)).seed(Seed(3))
}

pub(crate) fn zero_one(rows: usize) -> Evaluation<Classification> {
    builder(rows, ZeroOne).build().unwrap()
}

/// A regression pool whose predictions and beliefs differ.
pub(crate) fn regression(rows: usize) -> (Pool<Regression>, Beliefs<Regression>) {
    let predictions =
        (0..rows).flat_map(|i| [(i as f64 * 0.7).sin(), 0.1 + (i % 3) as f64]).collect::<Vec<_>>();
    let pool = Pool::regression(Matrix::f64(predictions, 2).unwrap()).unwrap();
    let rows = (0..rows).flat_map(|i| [(i as f64 * 0.7).sin() + 0.3, 0.2, 0.1 * (1 + i % 4) as f64]);
    let beliefs = Beliefs::new(Matrix::f64(rows.collect::<Vec<_>>(), 3).unwrap(), &pool).unwrap();
    (pool, beliefs)
}

/// The losses of a whole pool.
pub(crate) fn losses<T: Task>(
    pool: &Pool<T>,
    loss: &dyn Loss<T>,
    label: impl Fn(usize) -> T::Label,
) -> Vec<f64> {
    let mut reader = pool.predictions().reader();
    (0..pool.pool_size()).map(|item| loss.loss(T::prediction(reader.row(item)), label(item))).collect()
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The samples of an enumerated path. `control` is the surrogate's expectation before each draw, given the past.
pub(crate) fn samples(
    path: &Path,
    losses: &[f64],
    control: impl Fn(&[(usize, f64)]) -> Vec<f64>,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (m, &(index, q)) in path.draws.iter().enumerate() {
        let past = &path.draws[..m];
        let g = control(past);
        let left = (0..losses.len()).filter(|item| past.iter().all(|(drawn, _)| drawn != item));
        let control_total = left.map(|item| g[item]).sum();
        samples.push(Sample {
            index,
            q,
            loss: losses[index],
            control: g[index],
            control_total,
            ratio_bounds: None,
        });
    }
    samples
}

pub(crate) fn gaussian(mean: f64) -> Gaussian {
    Gaussian { mean, variance: 0.5 }
}

pub(crate) fn assert_close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}: {a} is not {b}");
}

//! Every bit of draws and estimates, to compare machines: a test compares them with `bits.txt`.

use std::sync::Arc;

use labelwise::loss::{CrossEntropy, SquaredError, ZeroOne};
use labelwise::surrogate::{Data, Recalibrated, Retrained, Schedule};
use labelwise::{Classification, Evaluation, Lure, Matrix, Pool, Regression, Result, Seed, Target, Task};
use labelwise_models::{Forest, GaussianProcess, LinearRegression, LogisticRegression};

const ITEMS: usize = 2_000;

/// Numbers in [0, 1) that look random, by whole numbers alone.
fn random(item: usize, salt: u64) -> f64 {
    let mut hash =
        (item as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
    hash = (hash ^ (hash >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

fn classes() -> Result<(Pool<Classification>, Data<Classification>)> {
    let rows = (0..ITEMS).flat_map(|item| {
        let [a, b, c] = [1, 2, 3].map(|salt| 0.01 + random(item, salt));
        [a, b, c].map(|part| part / (a + b + c))
    });
    let features = |items: usize| Matrix::f64((0..2 * items).map(|i| random(i, 4)).collect::<Vec<f64>>(), 2);
    let pool =
        Pool::classification(Matrix::f64(rows.collect::<Vec<f64>>(), 3)?)?.with_features(features(ITEMS)?)?;
    Ok((pool, Data::new(features(60)?, (0..60).map(|item| item % 3).collect())?))
}

/// Spends 150 labels; the draws as one number, and estimates with all their bits.
fn line<T: Task>(
    name: &str,
    mut evaluation: Evaluation<T>,
    label: impl Fn(usize) -> T::Label,
) -> Result<String> {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..150 {
        let draw = evaluation.ask()?;
        for bits in [draw.index as u64, draw.q.to_bits()] {
            digest = (digest ^ bits).wrapping_mul(0x0100_0000_01B3);
        }
        evaluation.tell(draw.index, label(draw.index))?;
    }
    let report = evaluation.report(Target::Pool, 0.95)?;
    let ends = report.interval.map_or([0.0; 2], |interval| [interval.low, interval.high]);
    let numbers = [evaluation.estimate(&Lure)?.value, report.estimate.value, ends[0], ends[1]];
    Ok(format!("{name}: draws {digest:016x}, numbers {:016x?}\n", numbers.map(f64::to_bits)))
}

/// A line for each surrogate.
pub(crate) fn text() -> Result<String> {
    let class = |item| (3.0 * random(item, 5)) as usize;
    let (pool, train) = classes()?;
    let every = Schedule::Every(50);
    let own = Recalibrated::new(vec![pool.own_beliefs()?], &pool, Arc::new(CrossEntropy::default()))?;
    let own = line(
        "own",
        Evaluation::builder(pool.clone(), CrossEntropy::default(), own).seed(Seed(1)).build()?,
        class,
    )?;
    let forest = Retrained::new(Forest::default(), train.clone()).schedule(every.clone());
    let forest =
        line("forest", Evaluation::builder(pool.clone(), ZeroOne, forest).seed(Seed(2)).build()?, class)?;
    let logistic = Retrained::new(LogisticRegression::default(), train.clone()).schedule(every.clone());
    let logistic = line(
        "logistic",
        Evaluation::builder(pool, CrossEntropy::default(), logistic).seed(Seed(3)).build()?,
        class,
    )?;

    let value = |item: usize| random(item, 4) * random(item, 6);
    let features = Matrix::f64((0..ITEMS).map(|item| random(item, 4)).collect::<Vec<f64>>(), 1)?;
    let halves = Matrix::f64((0..ITEMS).map(|item| 0.5 * random(item, 4)).collect::<Vec<f64>>(), 1)?;
    let pool = Pool::<Regression>::regression(halves)?.with_features(features)?;
    let seen = || {
        Data::new(
            Matrix::f64((0..40).map(|i| random(i, 7)).collect::<Vec<f64>>(), 1)?,
            (0..40).map(value).collect(),
        )
    };
    let gp = Retrained::new(GaussianProcess::paper(), seen()?).schedule(every.clone());
    let process = line(
        "process",
        Evaluation::builder(pool.clone(), SquaredError::default(), gp).seed(Seed(4)).build()?,
        value,
    )?;
    let linear = Retrained::new(LinearRegression::default(), seen()?).schedule(every);
    let linear = line(
        "linear",
        Evaluation::builder(pool, SquaredError::default(), linear).seed(Seed(5)).build()?,
        value,
    )?;
    Ok([own, forest, logistic, process, linear].concat())
}

pub(crate) fn main() -> Result<()> {
    print!("{}", text()?);
    Ok(())
}

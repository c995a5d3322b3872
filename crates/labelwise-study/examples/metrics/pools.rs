//! The pools: predictions, beliefs and all labels.

use std::error::Error;
use std::path::Path;

use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, Matrix, Pool, Regression, Seed, Task};
use labelwise_study::{Labels, PoolTable, Predictions, Reading};
use rand_chacha::rand_core::Rng;

/// A pool with all its labels.
pub(crate) struct Known<T: Task> {
    pub(crate) name: String,
    pub(crate) pool: Pool<T>,
    pub(crate) beliefs: Beliefs<T>,
    pub(crate) labels: Vec<T::Label>,
    /// The class that metrics of one class are about, where there is one.
    pub(crate) positive: usize,
}

pub(crate) enum World {
    Classes(Known<Classification>),
    Values(Known<Regression>),
}

impl World {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Classes(world) => &world.name,
            Self::Values(world) => &world.name,
        }
    }
}

/// The digits that the program bundles: a logistic regression, and a forest as surrogate.
pub(crate) fn digits() -> Result<World, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../labelwise-cli/data/digits.csv");
    let reading = Reading::new().probabilities("model_*").surrogate("surrogate_*").labels("label");
    of_table("digits", &PoolTable::open(path, &reading)?)
}

/// A file with predictions and labels; the model is its own surrogate unless the file has another.
pub(crate) fn file(path: &Path) -> Result<World, Box<dyn Error>> {
    let name = path.file_stem().map_or_else(|| "pool".into(), |stem| stem.to_string_lossy());
    of_table(&name, &PoolTable::open(path, &Reading::new().labels("label"))?)
}

fn of_table(name: &str, table: &PoolTable) -> Result<World, Box<dyn Error>> {
    match (&table.predictions, &table.labels) {
        (Predictions::Classes { rows, .. }, Some(Labels::Classes(labels))) => {
            let pool = Pool::classification(rows.clone())?;
            let beliefs = match table.surrogates.first() {
                Some(Predictions::Classes { rows, .. }) => Beliefs::new(rows.clone(), &pool)?,
                _ => pool.own_beliefs()?,
            };
            let labels: Vec<usize> = labels.iter().map(|&label| label as usize).collect();
            let classes = rows.columns();
            let name = format!("{name}: {} items, {classes} classes", labels.len());
            // Of two classes the rarer one, of more the last.
            let second = labels.iter().filter(|label| **label == 1).count();
            let positive = if classes > 2 { classes - 1 } else { usize::from(2 * second <= labels.len()) };
            Ok(World::Classes(Known { name, pool, beliefs, labels, positive }))
        }
        (Predictions::Values { means, variances }, Some(Labels::Values(labels))) => {
            let rows: Vec<f64> = match variances {
                Some(variances) => means.iter().zip(variances).flat_map(|(m, v)| [*m, *v]).collect(),
                None => means.iter().flat_map(|mean| [*mean, 1.0]).collect(),
            };
            let pool = Pool::regression(Matrix::f64(rows, 2)?)?;
            let name = format!("{name}: {} items, values", labels.len());
            let beliefs = pool.own_beliefs()?;
            Ok(World::Values(Known { name, pool, beliefs, labels: labels.clone(), positive: 0 }))
        }
        _ => {
            Err(format!("{} needs probabilities or values, and labels of that kind", table.path.display())
                .into())
        }
    }
}

/// Two classes, one of them 1 % of the items, and a model that sees most of it but not how rare it is in places.
pub(crate) fn imbalanced(seed: Seed) -> Result<World, Box<dyn Error>> {
    let rng = &mut seed.stream(Stream::Data, 0);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..5000 {
        // The logits of the truth are normal about −7.25, so that few items have most of the probability.
        let logit = -7.25 + 2.3 * normal(rng);
        let positive = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        labels.push(usize::from(uniform(rng) < positive(logit)));
        let predicted = positive(logit + 0.5 * normal(rng));
        rows.extend([1.0 - predicted, predicted]);
    }
    let share = labels.iter().sum::<usize>() as f64 / 50.0;
    let name = format!("imbalanced: 5000 items, two classes, {share:.1} % positives");
    let pool = Pool::classification(Matrix::f64(rows, 2)?)?;
    let beliefs = pool.own_beliefs()?;
    Ok(World::Classes(Known { name, pool, beliefs, labels, positive: 1 }))
}

/// Values with errors of many sizes, of which the model knows the size but for noise.
pub(crate) fn values(seed: Seed) -> Result<World, Box<dyn Error>> {
    let rng = &mut seed.stream(Stream::Data, 1);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..5000 {
        let (mean, deviation) = (2.0 * normal(rng), (0.7 * normal(rng)).exp());
        labels.push(mean + deviation * normal(rng));
        rows.extend([mean, (deviation * (0.3 * normal(rng)).exp()).powi(2)]);
    }
    let pool = Pool::regression(Matrix::f64(rows, 2)?)?;
    let beliefs = pool.own_beliefs()?;
    let name = "values: 5000 items, errors of many sizes".to_owned();
    Ok(World::Values(Known { name, pool, beliefs, labels, positive: 0 }))
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Box and Muller's, with one of the pair thrown away.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

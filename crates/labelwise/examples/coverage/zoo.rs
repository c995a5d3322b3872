//! The pools: predictions, beliefs and labels made so that the losses and the scores are what they should be.

use labelwise::loss::Loss;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Matrix, Pool, Regression, Task};
use rand_chacha::rand_core::Rng;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Zoo {
    ZeroOne,
    CrossEntropy,
    SquaredError,
}

impl Zoo {
    pub(crate) const ALL: [Self; 3] = [Self::ZeroOne, Self::CrossEntropy, Self::SquaredError];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ZeroOne => "zero-one",
            Self::CrossEntropy => "cross-entropy",
            Self::SquaredError => "squared error",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scores {
    /// Beliefs whose root mean square of the loss is the right one, but for 30 % of noise.
    Good,
    /// Beliefs that have nothing to do with the items: the scores are noise.
    Poor,
    /// The good beliefs, and draws that do not heed them.
    Uniform,
}

impl Scores {
    pub(crate) const ALL: [Self; 3] = [Self::Good, Self::Poor, Self::Uniform];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Poor => "poor",
            Self::Uniform => "uniform",
        }
    }

    /// The score to believe in: the right one with noise, or `usual` with all noise.
    fn score(self, right: f64, usual: f64, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Self::Poor => usual * normal(rng).exp(),
            Self::Good | Self::Uniform => right * (0.3 * normal(rng)).exp(),
        }
    }
}

/// Predictions, beliefs and all labels of a pool.
pub(crate) struct World<T: Task> {
    pub(crate) pool: Pool<T>,
    pub(crate) beliefs: Beliefs<T>,
    pub(crate) labels: Vec<T::Label>,
}

/// Two classes. The model always decides for class 0, and is wrong with a probability of the item's own: 5 % on
/// average, and below 1 % for half of the items.
pub(crate) fn zero_one(
    size: usize,
    scores: Scores,
    rng: &mut ChaCha8Rng,
) -> labelwise::Result<World<Classification>> {
    let wrong: Vec<f64> = (0..size).map(|_| beta(0.25, 4.75, rng)).collect();
    let labels = wrong.iter().map(|p| usize::from(uniform(rng) < *p)).collect();
    let mut beliefs = Vec::with_capacity(2 * size);
    for p in &wrong {
        // The mean of a squared lognormal is e², so that unrelated beliefs, too, expect 5 % of errors.
        let score = scores.score(p.sqrt(), (0.05 * (-2.0_f64).exp()).sqrt(), rng);
        let believed = (score * score).min(1.0);
        beliefs.extend([1.0 - believed, believed]);
    }
    let pool = Pool::classification(Matrix::f64([0.9, 0.1].repeat(size), 2)?)?;
    Ok(World { beliefs: Beliefs::new(Matrix::f64(beliefs, 2)?, &pool)?, pool, labels })
}

/// The least probability that the model of the cross-entropy pools gives: no loss is above −log of it, 6.9.
pub(crate) const TINY: f64 = 1e-3;

/// Three classes. The model is right about how often the second class comes, and holds the third one impossible; on a
/// fifth of the items it comes in one of ten cases. So two items in a hundred carry losses of 6.9.
pub(crate) fn cross_entropy(
    size: usize,
    scores: Scores,
    rng: &mut ChaCha8Rng,
) -> labelwise::Result<World<Classification>> {
    let (mut predictions, mut truths, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size {
        let second = 0.2 * uniform(rng).powi(2);
        let third = if uniform(rng) < 0.2 { beta(0.5, 4.5, rng).min(0.7) } else { TINY };
        predictions.extend([1.0 - second - TINY, second, TINY]);
        truths.push((second, third));
        let place = uniform(rng);
        labels.push(if place < third { 2 } else { usize::from(place < third + second) });
    }
    let pool = Pool::classification(Matrix::f64(predictions, 3)?)?;
    let loss = CrossEntropy::with_epsilon(TINY)?;
    let mut rows = pool.predictions().reader();
    let mut beliefs = Vec::with_capacity(3 * size);
    for (item, &(second, third)) in truths.iter().enumerate() {
        let row = rows.row(item);
        let right = loss.moments(row, &[1.0 - second - third, second, third]).second;
        // What is believed of the two rare classes: the truth or something else, times what gives the score wanted.
        let (second, third) = if scores == Scores::Poor { (0.0, 1.0) } else { (second, third) };
        let none = loss.loss(row, 0).powi(2);
        let rare = loss.moments(row, &[1.0 - second - third, second, third]).second - none;
        let wanted = scores.score(right.sqrt(), 0.5, rng).powi(2);
        let times = ((wanted - none) / rare).clamp(0.0, 1.0 / (second + third));
        beliefs.extend([1.0 - times * (second + third), times * second, times * third]);
    }
    let beliefs = Beliefs::new(Matrix::f64(beliefs, 3)?, &pool)?;
    Ok(World { pool, beliefs, labels })
}

/// The model predicts 0, and labels are normal with a lognormal variance: losses are that times a chi-square with one
/// degree of freedom, and without a bound.
pub(crate) fn squared_error(
    size: usize,
    scores: Scores,
    rng: &mut ChaCha8Rng,
) -> labelwise::Result<World<Regression>> {
    let variances: Vec<f64> = (0..size).map(|_| normal(rng).exp()).collect();
    let labels = variances.iter().map(|variance| variance.sqrt() * normal(rng)).collect();
    // The root mean square of the loss is √3 times the variance, and only ratios of scores count.
    let beliefs =
        variances.iter().flat_map(|variance| [0.0, scores.score(*variance, 1.0, rng)]).collect::<Vec<_>>();
    let pool = Pool::regression(Matrix::f64(vec![0.0; size], 1)?)?;
    Ok(World { beliefs: Beliefs::new(Matrix::f64(beliefs, 2)?, &pool)?, pool, labels })
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Box and Muller's, with one of the pair thrown away.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// Marsaglia and Tsang's; a shape below 1 is one above it, times a power of a uniform number.
fn gamma(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * uniform(rng).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let x = normal(rng);
        let v = (1.0 + x / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

fn beta(a: f64, b: f64, rng: &mut ChaCha8Rng) -> f64 {
    let (a, b) = (gamma(a, rng), gamma(b, rng));
    a / (a + b)
}

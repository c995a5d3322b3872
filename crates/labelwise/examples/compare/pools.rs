//! Pools of two models with all labels known.

use std::error::Error;
use std::fs;

use labelwise::compare::Rivals;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::{Classification, Matrix, Pool, Seed};
use rand_chacha::rand_core::Rng;

/// Two models on one pool, and its labels.
pub(crate) struct Models {
    pub(crate) name: &'static str,
    pub(crate) pool: Pool<Rivals<Classification>>,
    pub(crate) labels: Vec<usize>,
}

/// Handwritten digits: a logistic regression and a random forest, as the program's demo has them.
pub(crate) fn digits() -> Result<Models, Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../labelwise-cli/data/digits.csv");
    let text = fs::read_to_string(path)?;
    let (mut one, mut other, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let numbers = cells.iter().skip(1).map(|cell| cell.parse::<f64>()).collect::<Result<Vec<_>, _>>()?;
        labels.push(numbers.first().map_or(0, |label| *label as usize));
        one.extend(numbers.iter().skip(1).take(10));
        other.extend(numbers.iter().skip(11).take(10));
    }
    let pool = Pool::rivals(&[Matrix::f64(one, 10)?, Matrix::f64(other, 10)?])?;
    Ok(Models { name: "digits", pool, labels })
}

/// Five classes; labels follow probabilities that two models see through noise, the second through more of it.
pub(crate) fn synthetic(size: usize, seed: u64) -> Result<Models, Box<dyn Error>> {
    let mut rng = Seed(seed).stream(Stream::Fit, 0);
    let (mut one, mut other, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size {
        let logits: Vec<f64> = (0..5).map(|_| 2.5 * normal(&mut rng)).collect();
        let truth = softmax(&logits);
        let mut left = uniform(&mut rng);
        let label = truth.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        labels.push(label.unwrap_or(4));
        let mut seen = |noise: f64| -> Vec<f64> {
            softmax(&logits.iter().map(|logit| logit + noise * normal(&mut rng)).collect::<Vec<f64>>())
        };
        one.extend(seen(0.4));
        other.extend(seen(0.6));
    }
    let pool = Pool::rivals(&[Matrix::f64(one, 5)?, Matrix::f64(other, 5)?])?;
    Ok(Models { name: "synthetic", pool, labels })
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|logit| (logit - top).exp()).sum();
    logits.iter().map(|logit| (logit - top).exp() / sum).collect()
}

/// In [0, 1).
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal number.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

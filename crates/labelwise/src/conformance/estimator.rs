//! What every estimator must do.

use super::{Path, Violation, every_path, every_repeated_path, failed, hold};
use crate::estimator::{Bias, Estimator, Replacement, Sample};

/// Losses of a pool of five, and what a surrogate expected of them.
const LOSSES: [f64; 5] = [0.3, 2.0, 0.0, 1.1, 0.7];
const EXPECTED: [f64; 5] = [0.5, 1.4, 0.2, 1.0, 0.1];

/// A way to draw: scores that may look at the past.
type Design = fn(&[(usize, f64)]) -> Vec<f64>;

const DESIGNS: [(&str, Design); 3] = [
    ("uniform", |_| vec![1.0; 5]),
    ("fixed scores", |_| vec![0.2, 1.0, 0.3, 2.0, 0.5]),
    ("scores that follow the labels", |past| {
        let seen: f64 = past.iter().filter_map(|(item, _)| LOSSES.get(*item)).sum();
        (0..5_u32)
            .map(|item| 0.2 + (seen + f64::from(item) * (1.0 + past.len() as f64)).sin().powi(2))
            .collect()
    }),
];

/// Checks that an estimator keeps the contract: terms whose weighted sum is the estimate, coefficients that sum to
/// one, a variance that is not negative, no change when items are renamed, estimates that scale with the loss, errors
/// for samples that cannot be; and, if it claims to have no bias, none in any of three designs, by enumeration of
/// every order of draws, with or without replacement as it wants them. One for strata is to be given the pool as one.
pub fn check_estimator(estimator: &dyn Estimator) -> Result<(), Violation> {
    for budget in 1..=5 {
        for (design, scores) in DESIGNS {
            let mut expectation = 0.0;
            let paths = match estimator.replacement() {
                Replacement::Without | Replacement::WithinStrata => every_path(5, budget, scores),
                Replacement::With => every_repeated_path(5, budget, scores),
            };
            for path in paths {
                expectation += path.probability * check_path(estimator, &samples(&path))?;
            }
            let risk = LOSSES.iter().sum::<f64>() / 5.0;
            let within = estimator.replacement() == Replacement::WithinStrata;
            let unbiased = (estimator.bias() == Bias::None && (!within || design == "uniform"))
                || (estimator.bias() == Bias::UnlessUniform && design == "uniform");
            let found =
                || format!("with {design} and {budget} labels it is {expectation} on average, not {risk}");
            hold("no bias if none is claimed", !unbiased || (expectation - risk).abs() < 1e-10, found)?;
        }
    }
    check_refusals(estimator)
}

/// The samples of a path.
fn samples(path: &Path) -> Vec<Sample> {
    let mut left: f64 = EXPECTED.iter().sum();
    let mut samples = Vec::with_capacity(path.draws.len());
    for &(item, q) in &path.draws {
        let (loss, control) = LOSSES.iter().zip(EXPECTED).nth(item).map_or((0.0, 0.0), |(l, g)| (*l, g));
        samples.push(Sample { index: item, q, loss, control, control_total: left, ratio_bounds: None });
        left -= control;
    }
    samples
}

/// The laws that hold on every path; answers the estimate.
fn check_path(estimator: &dyn Estimator, samples: &[Sample]) -> Result<f64, Violation> {
    let terms = estimator.terms(samples, 5).map_err(failed("terms for every order of draws"))?;
    let value = estimator.estimate(samples, 5).map_err(failed("an estimate for every order of draws"))?;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
    let sum: f64 = terms.c().iter().sum();
    hold("coefficients sum to one", close(sum, 1.0), || format!("they sum to {sum}"))?;
    let found = || format!("the terms make {}, the estimate is {value}", terms.value());
    hold("the estimate is the weighted sum of its terms", close(terms.value(), value), found)?;
    let given = estimator.value(samples, 5, &terms);
    let found = || format!("with its terms given it is {given}, alone it is {value}");
    hold("the estimate alone is the same number", given.to_bits() == value.to_bits(), found)?;
    if let Some(variance) = terms.variance() {
        hold("variances are not negative", variance >= 0.0, || format!("the variance is {variance}"))?;
    }

    let renamed: Vec<Sample> = samples.iter().map(|s| Sample { index: 4 - s.index, ..*s }).collect();
    let other = estimator.estimate(&renamed, 5).map_err(failed("an estimate for renamed items"))?;
    hold("names of items do not matter", other == value, || format!("{value} became {other}"))?;

    let scaled: Vec<Sample> = samples
        .iter()
        .map(|s| Sample {
            loss: 8.0 * s.loss,
            control: 8.0 * s.control,
            control_total: 8.0 * s.control_total,
            ..*s
        })
        .collect();
    let other = estimator.estimate(&scaled, 5).map_err(failed("an estimate for larger losses"))?;
    hold("eight times the loss is eight times the estimate", close(other, 8.0 * value), || {
        format!("{value} became {other}")
    })?;
    Ok(value)
}

fn check_refusals(estimator: &dyn Estimator) -> Result<(), Violation> {
    const LAW: &str = "impossible samples are refused";
    let fine = Sample::plain(0, 0.2, 1.0);
    hold(LAW, estimator.estimate(&[], 5).is_err(), || "no sample at all gave an estimate".to_owned())?;
    for (q, loss) in
        [(0.0, 1.0), (-0.1, 1.0), (1.5, 1.0), (f64::NAN, 1.0), (0.2, f64::NAN), (0.2, f64::INFINITY)]
    {
        let samples = [fine, Sample::plain(1, q, loss)];
        let found = || format!("q = {q} and loss = {loss} gave an estimate");
        hold(LAW, estimator.estimate(&samples, 5).is_err(), found)?;
    }
    Ok(())
}

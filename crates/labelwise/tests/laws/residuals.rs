//! Intervals about squared errors that expect residuals like those seen.

use labelwise::estimator::{CentredLure, Estimator, RegressionLure};
use labelwise::interval::{Basis, Interval, Method};
use labelwise::surrogate::{Beliefs, Residuals};
use labelwise::{Evaluation, Fixed, Matrix, Pool, Regression, Seed, SquaredError, Target};

const SIZE: usize = 90;

/// Numbers that look random, and are the same on every machine.
fn noise(item: usize, stream: usize) -> f64 {
    let x = ((item * 7 + stream * 131 + 1) as f64 * 12.9898).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

fn variance(item: usize) -> f64 {
    0.2 + (item % 9) as f64 / 4.0
}

/// A label in units that are `unit` times as small; large errors are rare.
fn label(item: usize, unit: f64) -> f64 {
    let large = if item % 23 == 5 { 6.0 } else { 1.0 };
    unit * large * variance(item).sqrt() * noise(item, 2)
}

fn pool(unit: f64) -> (Pool<Regression>, Beliefs<Regression>) {
    let means: Vec<f64> = (0..SIZE).map(|item| unit * 0.4 * noise(item, 0)).collect();
    let pool = Pool::regression(Matrix::f64(means, 1).unwrap()).unwrap();
    let beliefs = (0..SIZE).flat_map(|item| [unit * 0.2 * noise(item, 1), unit * unit * variance(item)]);
    let beliefs = Matrix::f64(beliefs.collect::<Vec<_>>(), 2).unwrap();
    let beliefs = Beliefs::new(beliefs, &pool).unwrap();
    (pool, beliefs)
}

fn evaluation(unit: f64, budget: usize) -> Evaluation<Regression> {
    let (pool, beliefs) = pool(unit);
    let builder = Evaluation::builder(pool, SquaredError::default(), Residuals::new(beliefs));
    let mut evaluation = builder.seed(Seed(3)).build().unwrap();
    evaluation.run(budget, &mut |item: usize| Ok(label(item, unit))).unwrap();
    evaluation
}

fn interval(evaluation: &Evaluation<Regression>, estimator: &dyn Estimator) -> Interval {
    evaluation.interval(estimator, Method::Ordinary, Target::Pool, 0.95).unwrap()
}

#[test]
fn draws_and_estimates_are_those_of_fixed_beliefs() {
    let (pool, beliefs) = pool(1.0);
    let builder = Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs));
    let mut fixed = builder.seed(Seed(3)).build().unwrap();
    fixed.run(60, &mut |item: usize| Ok(label(item, 1.0))).unwrap();
    let found = evaluation(1.0, 60);
    assert_eq!(found.draws(), fixed.draws());
    assert_eq!(found.estimate(&RegressionLure).unwrap(), fixed.estimate(&RegressionLure).unwrap());
    let (found, fixed) = (interval(&found, &RegressionLure), interval(&fixed, &RegressionLure));
    assert!(found.high > fixed.high && found.low <= fixed.low, "{found:?} and {fixed:?}");
}

/// The variance that is expected, item by item, against the sums that a refresh keeps.
#[test]
fn the_expected_variance_is_the_sum_over_items() {
    for estimator in [&RegressionLure as &dyn Estimator, &CentredLure] {
        let weights = evaluation(1.0, 0).weights().to_vec();
        let evaluation = evaluation(1.0, 60);
        let (pool, beliefs) = pool(1.0);
        let (mut predictions, mut rows) = (pool.predictions().reader(), beliefs.rows().reader());
        let mut item = |item: usize| (predictions.row(item)[0], rows.row(item)[0], rows.row(item)[1]);
        let all: Vec<(f64, f64, f64)> = (0..SIZE).map(&mut item).collect();
        let offset = 0.02 * all.iter().map(|item| item.2).sum::<f64>() / SIZE as f64;
        let sizes: Vec<f64> = evaluation
            .observed()
            .iter()
            .map(|(item, label)| (label - all[*item].1).powi(2) / (all[*item].2 + offset).sqrt())
            .collect();
        let most = sizes.iter().copied().fold(0.0, f64::max);
        let k2 = (sizes.iter().sum::<f64>() + most) / 61.0;
        let k4 = (sizes.iter().map(|size| size * size).sum::<f64>() + 4.0 * most * most) / 61.0;
        let evidence = evaluation.evidence(labelwise::ledger::Imputed::Expected).unwrap();
        let terms = estimator.terms(&evidence.samples, SIZE).unwrap();
        let controls = terms.controls().unwrap();
        let (mut mass, mut square, mut first, mut unseen) = (0.0, 0.0, 0.0, 0.0);
        for (item, &(f, mean, v)) in all.iter().enumerate() {
            let (d2, w) = ((f - mean).powi(2), weights[item]);
            let (e2, e4) = (k2 * (v + offset).sqrt(), k4 * (v + offset));
            let (g, g2) = (d2 + e2, d2 * d2 + 6.0 * d2 * e2 + e4);
            let h = controls.b1 * (d2 + v) + controls.b0;
            mass += w;
            square += (g2 - 2.0 * h * g + h * h) / w;
            first += g - h;
            if !evaluation.observed().iter().any(|(seen, _)| *seen == item) {
                unseen += g;
            }
        }
        let one = mass * square - first * first;
        let n = SIZE as f64;
        let squares: f64 = terms.c().iter().enumerate().map(|(m, c)| (c * (n - m as f64) / n).powi(2)).sum();
        let belief = evidence.belief.as_ref().unwrap();
        let expected = squares * one / (n * n);
        let found = belief.variance(&terms, SIZE);
        assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
        assert!((belief.unseen / unseen - 1.0).abs() < 1e-9, "{}, not {unseen}", belief.unseen);
    }
}

#[test]
fn units_do_not_matter() {
    let (one, other) = (evaluation(1.0, 60), evaluation(1000.0, 60));
    assert_eq!(one.draws().len(), other.draws().len());
    let (one, other) = (interval(&one, &RegressionLure), interval(&other, &RegressionLure));
    for (one, other) in [(one.low, other.low), (one.high, other.high)] {
        assert!((other / (1e6 * one) - 1.0).abs() < 1e-6, "{one} and {other}");
    }
}

#[test]
fn every_label_gives_the_exact_risk() {
    let evaluation = evaluation(1.0, SIZE);
    let found = interval(&evaluation, &RegressionLure);
    assert_eq!(found.basis, Basis::WholePool);
    assert!((found.high - found.low).abs() < 1e-12);
}

#[test]
fn beliefs_without_variances_have_the_intervals_of_fixed_ones() {
    let means: Vec<f64> = (0..SIZE).map(|item| noise(item, 0)).collect();
    let rows: Vec<f64> = (0..SIZE).flat_map(|item| [0.5 * noise(item, 1), 0.0]).collect();
    let pool = Pool::regression(Matrix::f64(means, 1).unwrap()).unwrap();
    let beliefs = Beliefs::new(Matrix::f64(rows, 2).unwrap(), &pool).unwrap();
    let builder = Evaluation::builder(pool, SquaredError::default(), Residuals::new(beliefs));
    let mut evaluation = builder.build().unwrap();
    evaluation.run(60, &mut |item: usize| Ok(label(item, 1.0))).unwrap();
    assert!(evaluation.mixtures().is_empty());
}

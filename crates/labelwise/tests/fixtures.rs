//! The core against numbers that NumPy and SciPy computed from the formulas a second time
//! (`scripts/make_core_fixtures.py`), with nothing shared but the formulas.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use labelwise::estimator::{ControlledLure, Estimator, Pure, RatioBounds, RegressionLure, Sample};
use labelwise::interval::{Basis, Method, interval};
use labelwise::ledger::{Evidence, KnownItems};
use labelwise::loss::{AbsoluteError, Bounds, Brier, Custom, GaussianNll, Loss, Pinball, Sign};
use labelwise::task::{Gaussian, GaussianBelief};
use labelwise::{CrossEntropy, Lure, SquaredError, Target};

/// Closed forms against integrals, bisection against Brent's method: all of them agree to eleven digits.
const EXACT: f64 = 1e-9;

fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = file.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect())
}

fn number(field: &str) -> f64 {
    field.parse().unwrap()
}

/// An empty field means that there is none.
fn optional(field: &str) -> Option<f64> {
    (!field.is_empty()).then(|| number(field))
}

#[track_caller]
fn assert_close(value: f64, expected: f64, relative: f64, what: &[&str]) {
    let error = (value - expected).abs();
    assert!(error <= relative * expected.abs(), "{value}, not {expected} (off by {error:e}), for {what:?}");
}

#[test]
fn moments_of_regression_losses() {
    let log_cosh = |f: Gaussian, y: f64| {
        let distance = (y - f.mean).abs();
        distance + (-2.0 * distance).exp().ln_1p() - std::f64::consts::LN_2
    };
    for row in rows(include_str!("fixtures/moments.csv")) {
        let values: Vec<f64> = row[1..].iter().map(|field| number(field)).collect();
        let &[mean, variance, mu, v, first, second] = values.as_slice() else { panic!("{row:?}") };
        let prediction = Gaussian { mean, variance };
        let belief = GaussianBelief { mean: mu, variance: v, epistemic: None };
        let (moments, relative) = match row[0] {
            "absolute" => (AbsoluteError::default().moments(prediction, belief), EXACT),
            "squared" => (SquaredError::default().moments(prediction, belief), EXACT),
            "pinball_0.9" => (Pinball::new(0.9).unwrap().moments(prediction, belief), EXACT),
            // The far part is a difference, which loses two of the eleven digits that `erfc` has.
            "pinball_0.001" => (Pinball::new(0.001).unwrap().moments(prediction, belief), 1e-7),
            "nll" => (GaussianNll::default().moments(prediction, belief), EXACT),
            // Forty nodes see less of a bend that is narrow beside the belief.
            "log_cosh" if v > 2.0 => (Custom::non_negative(log_cosh).moments(prediction, belief), 1e-3),
            "log_cosh" => (Custom::non_negative(log_cosh).moments(prediction, belief), 1e-6),
            other => panic!("no loss is called {other}"),
        };
        assert_close(moments.first, first, relative, &row);
        assert_close(moments.second, second, relative, &row);
    }
}

#[test]
fn losses_of_class_probabilities() {
    for row in rows(include_str!("fixtures/classification.csv")) {
        let values: Vec<f64> = row[1..].iter().map(|field| number(field)).collect();
        let (prediction, losses, belief) = (&values[..3], &values[3..6], &values[6..9]);
        let (cross_entropy, brier) = (CrossEntropy::default(), Brier);
        let loss: &dyn Loss<labelwise::Classification> = match row[0] {
            "cross_entropy" => &cross_entropy,
            "brier" => &brier,
            other => panic!("no loss is called {other}"),
        };
        for (label, &expected) in losses.iter().enumerate() {
            // A sure hit costs the rounding of one minus a hair, for which no digit is promised.
            let error = (loss.loss(prediction, label) - expected).abs();
            assert!(error <= 1e-12 * expected.max(1e-3), "label {label} is off by {error:e} for {row:?}");
        }
        let moments = loss.moments(prediction, belief);
        assert_close(moments.first, values[9], 1e-12, &row);
        assert_close(moments.second, values[10], 1e-12, &row);
        let (low, high) = (losses.iter().copied().reduce(f64::min), losses.iter().copied().reduce(f64::max));
        let bounds = loss.bounds(prediction).unwrap();
        assert!((bounds.low - low.unwrap()).abs() < 1e-12, "{row:?}");
        assert!((bounds.high - high.unwrap()).abs() < 1e-12, "{row:?}");
    }
}

/// Of `labels` uniform draws, `hits` have loss 1: the interval is the estimate and Student's t, and few hits make few
/// degrees of freedom.
#[test]
fn students_t_in_the_ordinary_interval() {
    for row in rows(include_str!("fixtures/quantiles.csv")) {
        let whole = |field: &str| field.parse::<usize>().unwrap();
        let (labels, hits, pool_size) = (whole(row[0]), whole(row[1]), whole(row[2]));
        let sample = |m: usize| {
            let loss = if (m * hits) % labels < hits { 1.0 } else { 0.0 };
            Sample::plain(m - 1, 1.0 / (pool_size - m + 1) as f64, loss)
        };
        let evidence = Evidence::from_samples((1..=labels).map(sample).collect(), pool_size);
        let found = interval(&evidence, &Lure, Method::Ordinary, Target::Pool, number(row[3])).unwrap();
        let Basis::LogT { freedom } = found.basis else { panic!("{:?} for {row:?}", found.basis) };
        assert_close(freedom, number(row[4]), EXACT, &row);
        assert_close(found.low, number(row[6]), EXACT, &row);
        assert_close(found.high, number(row[7]), EXACT, &row);

        // The upper end is value · e^k or, from k = 1 on, value · e · k: it gives the quantile back.
        let terms = Lure.terms(&evidence.samples, pool_size).unwrap();
        let ratio = found.high / terms.value();
        let k = if ratio <= std::f64::consts::E { ratio.ln() } else { ratio / std::f64::consts::E };
        assert_close(k * terms.value() / terms.variance().unwrap().sqrt(), number(row[5]), EXACT, &row);
    }
}

/// The sample set of that name.
fn evidence(name: &str) -> Evidence {
    let mut pools = rows(include_str!("fixtures/pools.csv"));
    let pool = pools.find(|row| row[0] == name).unwrap();
    let samples = rows(include_str!("fixtures/samples.csv")).filter(|row| row[0] == name).enumerate();
    let samples = samples.map(|(index, row)| Sample {
        index,
        q: number(row[1]),
        loss: number(row[2]),
        control: number(row[3]),
        control_total: number(row[4]),
        ratio_bounds: optional(row[5]).zip(optional(row[6])).map(|(low, high)| RatioBounds { low, high }),
    });
    let bounds =
        |low: &str, high: &str| optional(low).zip(optional(high)).map(|(low, high)| Bounds { low, high });
    Evidence {
        samples: samples.collect(),
        pool_size: pool[1].parse().unwrap(),
        known: KnownItems {
            count: pool[3].parse().unwrap(),
            sum: number(pool[4]),
            square_sum: number(pool[5]),
        },
        unlabelled: bounds(pool[6], pool[7]),
        range: bounds(pool[8], pool[9]),
        sign: if pool[2] == "signed" { Sign::Signed } else { Sign::NonNegative },
        imputed: 0,
        belief: None,
        noise: 0.0,
    }
}

fn estimator(name: &str) -> &'static dyn Estimator {
    match name {
        "lure" => &Lure,
        "pure" => &Pure,
        "controlled" => &ControlledLure,
        "regression" => &RegressionLure,
        other => panic!("no estimator is called {other}"),
    }
}

#[test]
fn estimates_variances_and_degrees_of_freedom() {
    for row in rows(include_str!("fixtures/estimates.csv")) {
        let evidence = evidence(row[0]);
        let (estimator, samples) = (estimator(row[1]), &evidence.samples);
        let terms = estimator.terms(samples, evidence.pool_size).unwrap();
        assert_close(terms.value(), number(row[2]), EXACT, &row);
        assert_close(estimator.estimate(samples, evidence.pool_size).unwrap(), number(row[2]), EXACT, &row);
        assert_close(terms.variance().unwrap(), number(row[3]), EXACT, &row);
        match (terms.degrees_of_freedom(), optional(row[4])) {
            (Some(freedom), Some(expected)) => assert_close(freedom, expected, EXACT, &row),
            (freedom, expected) => assert_eq!(freedom, expected, "{row:?}"),
        }
    }
}

/// Compares the intervals of one kind, and says how many there were.
fn compare_intervals(kind: &str) -> usize {
    let mut compared = 0;
    for row in rows(include_str!("fixtures/intervals.csv")).filter(|row| row[2] == kind) {
        let evidence = evidence(row[0]);
        let method = match row[2] {
            "ordinary" => Method::Ordinary,
            "guaranteed" => Method::Guaranteed,
            "at_budget" => Method::GuaranteedAtBudget,
            "anytime" => Method::Anytime { planned: row[3].parse().unwrap() },
            other => panic!("no method is called {other}"),
        };
        let target = if row[4] == "pool" { Target::Pool } else { Target::Population };
        let found = interval(&evidence, estimator(row[1]), method, target, number(row[5])).unwrap();
        assert_close(found.low, number(row[6]), EXACT, &row);
        assert_close(found.high, number(row[7]), EXACT, &row);
        compared += 1;
    }
    compared
}

#[test]
fn ordinary_intervals_with_their_guard() {
    assert_eq!(compare_intervals("ordinary"), 126);
    // The sets are made so that some need the guard and some do not.
    for (set, guarded) in
        [("weighted", false), ("known", false), ("rare", true), ("early", true), ("clean", true)]
    {
        let found = interval(&evidence(set), &RegressionLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
        assert_eq!(found.basis == Basis::BettingAtBudget, guarded, "{set}");
        assert_eq!(found.caution.is_some(), guarded, "{set}");
    }
}

#[test]
fn anytime_intervals() {
    assert_eq!(compare_intervals("anytime"), 252);
}

#[test]
fn betting_intervals_at_any_time() {
    assert_eq!(compare_intervals("guaranteed"), 36);
}

#[test]
fn betting_intervals_for_a_fixed_budget() {
    assert_eq!(compare_intervals("at_budget"), 36);
}

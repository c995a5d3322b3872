//! With every item labelled, whatever the draws were, each metric is what it is.

use labelwise::estimator::Bias;
use labelwise::loss::ZeroOne;
use labelwise::metric::{Calibration, IntervalKind, Judged, Valued, WeightedDraws};
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, Evaluation, Fixed, Matrix, Pool, Regression, Seed, SquaredError, Target};

use crate::reference::{judged, metric, of_values, shown, valued, values};

/// The pool "four all alike" with so many labels, and the draws of its draws.
pub(crate) fn draws(labels: usize, seed: u64) -> (WeightedDraws<Judged>, Vec<usize>) {
    let (evaluation, points) = evaluated(labels, seed);
    let items = evaluation.ledger().draws().iter().map(|draw| draw.index).collect();
    let point = |_, draw: &labelwise::ledger::Draw, _| Ok(points[draw.index].0.clone());
    (WeightedDraws::new(evaluation.ledger(), point).unwrap(), items)
}

fn evaluated(labels: usize, seed: u64) -> (Evaluation<Classification>, Vec<(Judged, f64)>) {
    let points = judged("four all alike");
    let rows: Vec<f64> = points.iter().flat_map(|(point, _)| point.probabilities.clone()).collect();
    let pool = Pool::classification(Matrix::f64(rows, 4).unwrap()).unwrap();
    let surrogate = Fixed(pool.own_beliefs().unwrap());
    let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(seed)).build().unwrap();
    evaluation.run(labels, &mut |item: usize| Ok(points[item].0.label)).unwrap();
    (evaluation, points)
}

#[test]
fn classes_are_exact() {
    let (draws, _) = draws(200, 5);
    let mut compared = 0;
    for (name, expected) in values("four all alike") {
        let Some(metric) = metric(name, 4) else { continue };
        let figure = draws.measure(&*metric, Target::Pool, 0.95).unwrap();
        let found = shown(name, figure.value.unwrap());
        assert!((found - expected).abs() < 1e-12, "{name} is {found}, not {expected}");
        let span = figure.interval.unwrap();
        assert_eq!((span.low, span.high, span.kind), (span.high, span.low, IntervalKind::Exact), "{name}");
        assert!(figure.bias == Bias::None && figure.notes.is_empty(), "{name}: {:?}", figure.notes);
        // The population is another matter: this pool is one of many.
        let population = draws.measure(&*metric, Target::Population, 0.95).unwrap().interval.unwrap();
        assert!(population.high - population.low > 0.01, "{name}: {population:?}");
        compared += 1;
    }
    assert_eq!(compared, 28);
    // One label less, and something is open.
    let (draws, _) = self::draws(199, 5);
    let figure = draws.measure(&*metric("macro f1", 4).unwrap(), Target::Pool, 0.95).unwrap();
    let span = figure.interval.unwrap();
    assert!(span.low < span.high && figure.bias == Bias::Vanishing);
}

#[test]
fn calibration_is_exact() {
    let (draws, _) = draws(200, 5);
    let expected =
        values("four all alike").into_iter().find(|(name, _)| *name == "squared calibration").unwrap().1;
    let rows: Vec<Vec<f64>> = draws.points().iter().map(|point| point.probabilities.clone()).collect();
    let counts = Calibration::count(rows.iter().map(Vec::as_slice), 10);
    for counts in [None, Some(&counts[..])] {
        let found = Calibration::new(&draws, 10, counts, Target::Pool, 0.95).unwrap();
        assert!((found.squared_error.unwrap() - expected).abs() < 1e-12, "{found:?}");
        assert_eq!(found.interval.unwrap().0, found.interval.unwrap().1);
        assert_eq!(found.bins.iter().map(|bin| bin.gap.labels).sum::<usize>(), 200);
        assert!((found.bins.iter().map(|bin| bin.mass).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn numbers_are_exact() {
    let points = valued("all alike");
    let means: Vec<f64> = points.iter().map(|(point, _)| point.prediction.mean).collect();
    let pool = Pool::regression(Matrix::f64(means.clone(), 1).unwrap()).unwrap();
    let beliefs: Vec<f64> =
        means.iter().enumerate().flat_map(|(i, f)| [f + 0.5, 0.1 + (i % 4) as f64]).collect();
    let beliefs: Beliefs<Regression> = Beliefs::new(Matrix::f64(beliefs, 2).unwrap(), &pool).unwrap();
    let mut evaluation =
        Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs)).seed(Seed(2)).build().unwrap();
    evaluation.run(150, &mut |item: usize| Ok(points[item].0.label)).unwrap();
    let point = |_, draw: &labelwise::ledger::Draw, label| {
        assert_eq!(label, points[draw.index].0.label);
        Ok::<Valued, labelwise::Error>(points[draw.index].0)
    };
    let draws = WeightedDraws::new(evaluation.ledger(), point).unwrap();
    for (name, expected) in values("all alike") {
        let figure = draws.measure(&of_values(name), Target::Pool, 0.95).unwrap();
        assert!((figure.value.unwrap() - expected).abs() < 1e-12, "{name}");
        assert_eq!(figure.interval.unwrap().kind, IntervalKind::Exact);
    }
}

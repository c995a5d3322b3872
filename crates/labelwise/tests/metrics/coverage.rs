//! Intervals cover about as often as they say, with draws that are far from uniform.

use labelwise::acquisition::ForMetrics;
use labelwise::loss::ZeroOne;
use labelwise::metric::{ClassMetric, Judged, Measure, ValueMetric, Valued, WeightedDraws};
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::Beliefs;
use labelwise::task::Gaussian;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Seed, SquaredError, Target};
use rand_chacha::rand_core::Rng;

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

const RUNS: u64 = 300;

/// Two classes, a quarter of them positive, and a model that knows how sure it may be.
fn judged(rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<usize>) {
    let positives: Vec<f64> = (0..2000).map(|_| uniform(rng).powi(3)).collect();
    let labels = positives.iter().map(|p| usize::from(uniform(rng) < *p)).collect();
    (positives.iter().flat_map(|p| [1.0 - p, *p]).collect(), labels)
}

/// With 300 runs the standard error of a coverage of 0.95 is 0.013.
#[test]
fn of_classes() {
    let metrics = [
        ClassMetric::F1 { class: 1 },
        ClassMetric::Precision { class: 1 },
        ClassMetric::Recall { class: 1 },
        ClassMetric::MacroRecall { classes: 2 },
        ClassMetric::Matthews { classes: 2 },
        ClassMetric::Auc { class: 1 },
        ClassMetric::AveragePrecision { class: 1 },
        ClassMetric::PrecisionAtRecall { class: 1, recall: 0.7 },
        ClassMetric::RecallAtPrecision { class: 1, precision: 0.7 },
    ];
    let mut covered = [0.0; 9];
    for run in 0..RUNS {
        let rng = &mut Seed(21).stream(Stream::Data, run);
        let (rows, labels) = judged(rng);
        let point = |item: usize| Judged::new(rows[2 * item..2 * item + 2].to_vec(), labels[item]);
        let all: Vec<Judged> = (0..2000).map(|item| point(item).unwrap()).collect();
        let all: Vec<(&Judged, f64)> = all.iter().map(|point| (point, 1.0)).collect();
        let pool = Pool::classification(Matrix::f64(rows.clone(), 2).unwrap()).unwrap();
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        let aims = ForMetrics::new(ClassMetric::F1 { class: 1 });
        let builder = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(run)).acquisition(aims);
        let mut evaluation = builder.build().unwrap();
        evaluation.run(200, &mut |item: usize| Ok(labels[item])).unwrap();
        let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, _| point(draw.index)).unwrap();
        for (count, metric) in covered.iter_mut().zip(&metrics) {
            let truth = metric.linearised(&all).unwrap().value;
            let span = draws.measure(metric, Target::Pool, 0.95).unwrap().interval.unwrap();
            *count += if span.covers(truth) { 1.0 / RUNS as f64 } else { 0.0 };
        }
    }
    println!("{covered:?}");
    for (metric, covered) in metrics.iter().zip(covered) {
        let least = if metric.is_of_ranks() { 0.85 } else { 0.91 };
        assert!((least..=0.99).contains(&covered), "{}: {covered}", metric.name());
    }
}

#[test]
fn of_numbers() {
    let metrics = [ValueMetric::RootMeanSquaredError, ValueMetric::RSquared];
    let mut covered = [0.0; 2];
    for run in 0..RUNS {
        let rng = &mut Seed(22).stream(Stream::Data, run);
        let mut normal = || (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos();
        let items: Vec<(f64, f64, f64)> = (0..2000)
            .map(|_| {
                let (mean, deviation) = (2.0 * normal(), (0.5 * normal()).exp());
                (mean, deviation, mean + deviation * normal())
            })
            .collect();
        let point = |item: usize| Valued {
            prediction: Gaussian { mean: items[item].0, variance: 0.0 },
            label: items[item].2,
        };
        let all: Vec<Valued> = (0..2000).map(point).collect();
        let all: Vec<(&Valued, f64)> = all.iter().map(|point| (point, 1.0)).collect();
        let pool =
            Pool::regression(Matrix::f64(items.iter().map(|i| i.0).collect::<Vec<_>>(), 1).unwrap()).unwrap();
        let beliefs: Vec<f64> =
            items.iter().flat_map(|(mean, deviation, _)| [*mean, deviation * deviation]).collect();
        let surrogate = Fixed(Beliefs::new(Matrix::f64(beliefs, 2).unwrap(), &pool).unwrap());
        let aims = ForMetrics::new(ValueMetric::RSquared).and(ValueMetric::RootMeanSquaredError);
        let builder =
            Evaluation::builder(pool, SquaredError::default(), surrogate).seed(Seed(run)).acquisition(aims);
        let mut evaluation = builder.build().unwrap();
        evaluation.run(200, &mut |item: usize| Ok(items[item].2)).unwrap();
        let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, _| Ok(point(draw.index))).unwrap();
        for (count, metric) in covered.iter_mut().zip(&metrics) {
            let truth = metric.linearised(&all).unwrap().value;
            let span = draws.measure(metric, Target::Pool, 0.95).unwrap().interval.unwrap();
            *count += if span.covers(truth) { 1.0 / RUNS as f64 } else { 0.0 };
        }
    }
    println!("{covered:?}");
    assert!(covered.iter().all(|covered| (0.91..=0.99).contains(covered)), "{covered:?}");
}

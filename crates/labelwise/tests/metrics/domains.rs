//! Estimates by predicted class: intervals cover, and classes of which nearly all predicted items are labelled are known better.

use labelwise::acquisition::ForMetrics;
use labelwise::loss::ZeroOne;
use labelwise::metric::{ClassMetric, Judged, Measure, PredictedClasses, WeightedDraws};
use labelwise::surrogate::Schedule;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Seed, Target};

const SIZE: usize = 1000;
const RUNS: usize = 300;

/// About 120 of the items are predicted as class 1, in a pool where the probabilities are about right.
fn probability(item: usize) -> f64 {
    let place = (item * 389 % SIZE) as f64 / SIZE as f64;
    0.01 + 0.97 * place.powi(5)
}

fn label(item: usize) -> usize {
    let coin = (item * 7919 % 10_007 * 31 % 997) as f64 / 997.0;
    usize::from(coin < probability(item))
}

/// Coverage and root mean squared error, with what is known of predictions and without.
fn simulate(metric: ClassMetric, labels: usize) -> [(f64, f64); 2] {
    let rows: Vec<f64> = (0..SIZE).flat_map(|item| [1.0 - probability(item), probability(item)]).collect();
    let points: Vec<Judged> =
        (0..SIZE).map(|i| Judged::new(rows[2 * i..2 * i + 2].to_vec(), label(i)).unwrap()).collect();
    let all: Vec<(&Judged, f64)> = points.iter().map(|point| (point, 1.0)).collect();
    let truth = metric.linearised(&all).unwrap().value;
    let predicted = points.iter().filter(|point| point.predicted == 1).count();
    assert!((100..150).contains(&predicted), "{predicted}");
    let mut sums = [(0.0, 0.0); 2];
    for seed in 0..RUNS {
        let pool = Pool::classification(Matrix::f64(rows.clone(), 2).unwrap()).unwrap();
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate)
            .acquisition(ForMetrics::new(ClassMetric::F1 { class: 1 }).refreshed(Schedule::Never))
            .seed(Seed(seed as u64))
            .build()
            .unwrap();
        let of = |class: usize| {
            let weights = evaluation.weights().iter().zip(&points);
            weights.filter(|(_, point)| point.predicted == class).map(|(weight, _)| weight).sum::<f64>()
        };
        let classes = PredictedClasses::new(vec![SIZE - predicted, predicted]);
        let classes = classes.with_proposal(0, vec![of(0), of(1), 0.0]).unwrap();
        evaluation.run(labels, &mut |item| Ok(label(item))).unwrap();
        let draws =
            WeightedDraws::new(evaluation.ledger(), |_, draw, _| Ok(points[draw.index].clone())).unwrap();
        for (draws, sum) in [draws.clone().with_predicted(classes), draws].iter().zip(&mut sums) {
            let found = draws.measure(&metric, Target::Pool, 0.95).unwrap();
            sum.0 += f64::from(u8::from(found.interval.unwrap().covers(truth)));
            sum.1 += (found.value.unwrap() - truth).powi(2);
        }
    }
    sums.map(|(covered, squares)| (covered / RUNS as f64, (squares / RUNS as f64).sqrt()))
}

/// With 300 runs at a coverage of 0.95, fewer than 0.91 come once in 500.
#[test]
fn estimates_by_predicted_class_cover_and_are_no_worse() {
    for (metric, labels, times) in [
        (ClassMetric::Precision { class: 1 }, 100, 1.05),
        (ClassMetric::Precision { class: 1 }, 600, 0.95),
        (ClassMetric::Recall { class: 1 }, 100, 1.05),
        (ClassMetric::Recall { class: 1 }, 250, 1.05),
        (ClassMetric::F1 { class: 1 }, 250, 1.05),
        (ClassMetric::MacroF1 { classes: 2 }, 250, 1.05),
    ] {
        let [by_class, whole] = simulate(metric, labels);
        assert!(by_class.0 > 0.91, "{metric:?} with {labels} labels: {by_class:?}");
        assert!(by_class.1 < times * whole.1, "{metric:?} with {labels} labels: {by_class:?} and {whole:?}");
    }
}

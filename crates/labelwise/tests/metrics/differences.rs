//! The difference of a metric between two models on the same labels: exact with every label, its variance by enumeration, within
//! what is certain, and intervals that cover.

use labelwise::acquisition::ForMetrics;
use labelwise::conformance::every_path;
use labelwise::estimator::{Estimator, Lure, Sample};
use labelwise::loss::ZeroOne;
use labelwise::metric::{
    ClassMetric, Difference, IntervalKind, Judged, Measure, PredictedClasses, WeightedDraws,
};
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::Schedule;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Seed, Target};
use rand_chacha::rand_core::Rng;

use crate::influence::check;
use crate::reference::judged;
use crate::skips;

fn metrics() -> Vec<ClassMetric> {
    vec![
        ClassMetric::Precision { class: 1 },
        ClassMetric::Recall { class: 1 },
        ClassMetric::F1 { class: 1 },
        ClassMetric::MacroF1 { classes: 2 },
        ClassMetric::MacroRecall { classes: 2 },
        ClassMetric::Matthews { classes: 2 },
    ]
}

fn direct(metric: ClassMetric, points: &[Judged]) -> f64 {
    let points: Vec<(&Judged, f64)> = points.iter().map(|point| (point, 1.0)).collect();
    metric.linearised(&points).unwrap().value
}

/// What another model says of an item: mostly the same.
fn another(item: usize, point: &Judged) -> Judged {
    let classes = point.probabilities.len();
    let mut row = point.probabilities.clone();
    if item.is_multiple_of(4) {
        row.rotate_left(1 + item % (classes - 1).max(1));
    }
    Judged::new(row, point.label).unwrap()
}

#[test]
fn its_influence_is_its_derivative() {
    let points = judged("even");
    let pairs: Vec<((Judged, Judged), f64)> = points
        .into_iter()
        .enumerate()
        .map(|(item, (point, weight))| ((point.clone(), another(item, &point)), weight))
        .collect();
    for metric in metrics() {
        check(&Difference(metric), &pairs, &Difference(metric).name());
    }
}

#[test]
fn with_every_label_it_is_exact() {
    let (own, items) = crate::whole::draws(200, 5);
    let other = own.with_points(|item, point| Ok(another(item, point))).unwrap();
    let mut sorted = items;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..200).collect::<Vec<_>>());
    for metric in [
        ClassMetric::F1 { class: 2 },
        ClassMetric::MacroF1 { classes: 4 },
        ClassMetric::MacroRecall { classes: 4 },
        ClassMetric::Matthews { classes: 4 },
    ] {
        let found = own.paired(&other).unwrap().measure(&Difference(metric), Target::Pool, 0.95).unwrap();
        let expected = direct(metric, own.points()) - direct(metric, other.points());
        assert!((found.value.as_ref().unwrap() - expected).abs() < 1e-12 && expected.abs() > 0.01);
        let interval = found.interval.unwrap();
        assert_eq!(
            (interval.low, interval.high, interval.kind),
            (interval.high, interval.low, IntervalKind::Exact)
        );
        assert_eq!(found.p_value(), Some(0.0));
    }
}

/// Nine items with the labels and predictions of two models, and what they are drawn by.
const LABELS: [usize; 9] = [1, 0, 1, 1, 0, 1, 0, 1, 1];
const FIRST: [usize; 9] = [1, 1, 1, 0, 0, 1, 0, 1, 1];
const SECOND: [usize; 9] = [1, 0, 0, 1, 0, 1, 1, 1, 0];
const SCORES: [f64; 9] = [1.0, 2.0, 1.5, 1.0, 0.7, 1.2, 1.0, 0.8, 1.4];

fn pair(item: usize) -> (Judged, Judged) {
    (Judged::hard(FIRST[item], LABELS[item]), Judged::hard(SECOND[item], LABELS[item]))
}

/// To first order the error of the estimate is that of LURE on the influences at the pool's value: every order of draws says that
/// this has no bias, and that its variance is estimated without bias. That the estimate itself follows is a matter of
/// size: with 6 of 9 labels, the mean of its squared standard error is within a quarter of its mean squared error.
#[test]
fn its_variance_is_that_of_every_order_of_draws() {
    let all: Vec<(Judged, Judged)> = (0..9).map(pair).collect();
    let weighted: Vec<(&(Judged, Judged), f64)> = all.iter().map(|pair| (pair, 1.0 / 9.0)).collect();
    let paths = every_path(9, 6, |_| SCORES.to_vec());
    for metric in
        [ClassMetric::F1 { class: 1 }, ClassMetric::Recall { class: 1 }, ClassMetric::Precision { class: 1 }]
    {
        let measure = Difference(metric);
        let truth = measure.linearised(&weighted).unwrap();
        let (mut bias, mut variance, mut expected, mut squares, mut estimated) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for path in &paths {
            let at = |value: &dyn Fn(usize) -> f64| -> Vec<Sample> {
                path.draws.iter().map(|(item, q)| Sample::plain(*item, *q, value(*item))).collect()
            };
            let terms = Lure.terms(&at(&|item| truth.influence[item]), 9).unwrap();
            let first_order = terms.value();
            bias += path.probability * first_order;
            variance += path.probability * first_order * first_order;
            // About the pool's value, which is 0 for influences.
            let variation = terms.a().iter().zip(terms.c()).map(|(a, c)| (a * c).powi(2));
            expected += path.probability * variation.sum::<f64>();
            let points = path.draws.iter().map(|(item, _)| pair(*item)).collect();
            let draws = WeightedDraws::from_samples(at(&|_| 0.0), points, 9).unwrap();
            let found = draws.measure(&measure, Target::Pool, 0.95).unwrap();
            squares += path.probability * (found.value.unwrap() - truth.value).powi(2);
            estimated += path.probability * found.standard_error.unwrap().powi(2);
        }
        let name = measure.name();
        assert!(bias.abs() < 1e-12, "{name}: {bias}");
        assert!((variance - expected).abs() < 1e-12 * variance, "{name}: {variance}, {expected}");
        let ratio = estimated / squares;
        println!("{name}: first order {variance}, mean squared error {squares}, estimated {estimated}");
        assert!((0.75..=1.25).contains(&ratio), "{name}: {ratio}");
    }
}

/// Uniform draws of the first items, with the numbers of items that each model predicts as each class.
fn counted(labels: usize) -> WeightedDraws<(Judged, Judged)> {
    let samples = (0..labels).map(|m| Sample::plain(m, 1.0 / (9 - m) as f64, 0.0)).collect();
    let points = (0..labels).map(|item| pair(item).0).collect();
    let own: WeightedDraws<Judged> = WeightedDraws::from_samples(samples, points, 9).unwrap();
    let counts =
        |of: [usize; 9]| (0..2).map(|class| of.iter().filter(|said| **said == class).count()).collect();
    let other = own.with_points(|item, _| Ok(pair(item).1)).unwrap().with_counts(counts(SECOND));
    own.with_counts(counts(FIRST)).paired(&other).unwrap()
}

#[test]
fn every_choice_of_the_other_labels_is_within_what_is_certain() {
    for labels in [5, 7, 8] {
        let pairs = counted(labels);
        let open = 9 - labels;
        for metric in metrics().into_iter().filter(|metric| *metric != ClassMetric::Matthews { classes: 2 }) {
            let measure = Difference(metric);
            let certain = pairs.all().certain(&measure).unwrap();
            let found = pairs.measure(&measure, Target::Pool, 0.95).unwrap();
            let interval = found.interval.unwrap();
            assert!(certain.low <= interval.low && interval.high <= certain.high, "{metric:?}");
            assert!(interval.covers(found.value.unwrap()), "{metric:?}");
            assert!(-1.0 < certain.low && certain.high < 1.0, "{metric:?}: {certain:?}");
            for choice in 0..1_usize << open {
                let label = |item: usize| {
                    if item < labels { LABELS[item] } else { choice >> (item - labels) & 1 }
                };
                let of = |said: [usize; 9]| -> Vec<Judged> {
                    (0..9).map(|item| Judged::hard(said[item], label(item))).collect()
                };
                let value = direct(metric, &of(FIRST)) - direct(metric, &of(SECOND));
                assert!(
                    certain.low - 1e-12 <= value && value <= certain.high + 1e-12,
                    "{metric:?}: {value}, {certain:?}"
                );
            }
        }
    }
    // With every label nothing is open.
    let pairs = counted(9).measure(&Difference(ClassMetric::F1 { class: 1 }), Target::Pool, 0.95).unwrap();
    assert_eq!(pairs.interval.unwrap().kind, IntervalKind::Exact);
}

#[test]
fn models_that_agree_so_far_may_still_differ() {
    let samples = (0..6).map(|m| Sample::plain(m, 1.0 / (30 - m) as f64, 0.0)).collect();
    let points: Vec<Judged> = (0..6).map(|item| Judged::hard(item % 2, item % 2)).collect();
    let own: WeightedDraws<Judged> = WeightedDraws::from_samples(samples, points, 30).unwrap();
    let pairs = own.paired(&own.clone()).unwrap();
    let found = pairs.measure(&Difference(ClassMetric::F1 { class: 1 }), Target::Pool, 0.95).unwrap();
    let interval = found.interval.unwrap();
    assert_eq!((found.value.as_ref().unwrap(), interval.kind), (&0.0, IntervalKind::Edge));
    assert!((interval.low + interval.high).abs() < 1e-12 && interval.high > 0.2, "{interval:?}");
    assert_eq!(found.p_value(), Some(1.0));
}

#[test]
fn skipped_items_may_have_any_label() {
    let pairs = |skipped: Option<[usize; 3]>| {
        let own = skips::sheet(33, skipped);
        let other = own.with_points(|item, point| Ok(another(item, point))).unwrap();
        let classes = |item: usize| {
            let mut row = vec![0.1; 3];
            row[skips::predicted(item)] = 0.8;
            another(item, &Judged::new(row, 0).unwrap()).predicted
        };
        let counts = (0..3).map(|class| (0..40).filter(|item| classes(*item) == class).count()).collect();
        own.paired(&other.with_counts(counts)).unwrap()
    };
    let open = pairs(None);
    for metric in [ClassMetric::F1 { class: 0 }, ClassMetric::MacroRecall { classes: 3 }] {
        let measure = Difference(metric);
        let found = open.measure(&measure, Target::Pool, 0.95).unwrap();
        let (bounds, interval) = (found.skipped.unwrap(), found.interval.unwrap());
        assert!(bounds.low < bounds.high && interval.low <= bounds.low && bounds.high <= interval.high);
        for choice in 0..27 {
            let told = pairs(Some([choice % 3, choice / 3 % 3, choice / 9]));
            let value = told.measure(&measure, Target::Pool, 0.95).unwrap().value.unwrap();
            assert!(
                bounds.low - 1e-12 <= value && value <= bounds.high + 1e-12,
                "{metric:?} with {choice}: {value}, {bounds:?}"
            );
        }
    }
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

const RUNS: u64 = 300;
const SIZE: usize = 1500;

/// Two models of two classes, drawn for the F1 of the first. With 300 runs the standard error of a coverage of 0.95 is 0.013. The
/// estimate of the difference is that of the one model minus that of the other, to rounding.
#[test]
fn its_intervals_cover() {
    let metrics = metrics();
    let mut covered = [0.0; 6];
    for run in 0..RUNS {
        let rng = &mut Seed(31).stream(Stream::Data, run);
        let truth: Vec<f64> = (0..SIZE).map(|_| uniform(rng).powi(2)).collect();
        let labels: Vec<usize> = truth.iter().map(|p| usize::from(uniform(rng) < *p)).collect();
        let mut model = |noise: f64| -> Vec<Judged> {
            let points = truth.iter().zip(&labels).map(|(p, label)| {
                let said = (p + noise * (uniform(rng) - 0.5)).clamp(0.02, 0.98);
                Judged::new(vec![1.0 - said, said], *label).unwrap()
            });
            points.collect()
        };
        let (first, second) = (model(0.4), model(0.9));
        let rows: Vec<f64> = first.iter().flat_map(|point| point.probabilities.clone()).collect();
        let pool = Pool::classification(Matrix::f64(rows, 2).unwrap()).unwrap();
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate)
            .seed(Seed(run))
            .acquisition(ForMetrics::new(ClassMetric::F1 { class: 1 }).refreshed(Schedule::Never))
            .build()
            .unwrap();
        let counts = |points: &[Judged]| -> Vec<usize> {
            (0..2).map(|class| points.iter().filter(|point| point.predicted == class).count()).collect()
        };
        let weight = |class: usize| -> f64 {
            let weights = evaluation.weights().iter().zip(&first);
            weights.filter(|(_, point)| point.predicted == class).map(|(weight, _)| weight).sum()
        };
        let classes = PredictedClasses::new(counts(&first));
        let classes = classes.with_proposal(0, vec![weight(0), weight(1), 0.0]).unwrap();
        evaluation.run(250, &mut |item: usize| Ok(labels[item])).unwrap();
        let own =
            WeightedDraws::new(evaluation.ledger(), |_, draw, _| Ok(first[draw.index].clone())).unwrap();
        let own = own.with_predicted(classes);
        let other = own.with_points(|item, _| Ok(second[item].clone())).unwrap().with_counts(counts(&second));
        let pairs = own.paired(&other).unwrap();
        for (sum, metric) in covered.iter_mut().zip(&metrics) {
            let difference = direct(*metric, &first) - direct(*metric, &second);
            let found = pairs.measure(&Difference(*metric), Target::Pool, 0.95).unwrap();
            let of = |draws: &WeightedDraws<Judged>| {
                draws.measure(metric, Target::Pool, 0.95).unwrap().value.unwrap()
            };
            assert!((found.value.as_ref().unwrap() - (of(&own) - of(&other))).abs() < 1e-12, "{metric:?}");
            let interval = found.interval.unwrap();
            *sum += if interval.covers(difference) { 1.0 / RUNS as f64 } else { 0.0 };
            let outside = interval.low > 0.0 || interval.high < 0.0;
            assert_eq!(found.p_value().unwrap() < 0.05, outside, "{metric:?}: {interval:?}");
        }
    }
    println!("{covered:?}");
    assert!(covered.iter().all(|covered| (0.915..=0.99).contains(covered)), "{covered:?}");
}

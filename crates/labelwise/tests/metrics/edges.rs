//! What cannot be said is said so.

use labelwise::acquisition::Uniform;
use labelwise::estimator::{Sample, lure_weight};
use labelwise::loss::ZeroOne;
use labelwise::metric::{
    Calibration, ClassMetric, Gap, IntervalKind, Judged, MeanLoss, Measure, Note, Undefined, ValueMetric,
    Valued, WeightedDraws, simultaneous,
};
use labelwise::task::Gaussian;
use labelwise::{Evaluation, Fixed, Matrix, Pool, Seed, Target};

/// Uniform draws of these points from a pool of so many.
pub(crate) fn drawn<P>(points: Vec<P>, pool_size: usize) -> WeightedDraws<P> {
    let sample = |m: usize| Sample::plain(m, 1.0 / (pool_size - m) as f64, 0.0);
    let samples = (0..points.len()).map(sample).collect();
    WeightedDraws::from_samples(samples, points, pool_size).unwrap()
}

#[test]
fn undefined_is_a_value_of_its_own() {
    let none_predicted = vec![Judged::hard(0, 0), Judged::hard(0, 1), Judged::hard(0, 0)];
    let none_seen = vec![Judged::hard(0, 0); 3];
    let judged = |label| Judged::new(vec![0.3, 0.7], label).unwrap();
    let (all_other, all_own) = (vec![judged(0); 3], vec![judged(1); 3]);
    let cases: [(&[Judged], ClassMetric, &str); 11] = [
        (&none_predicted, ClassMetric::Precision { class: 1 }, "no labelled item is predicted as class 1"),
        (&none_seen, ClassMetric::Recall { class: 1 }, "no item is labelled class 1"),
        (&none_seen, ClassMetric::F1 { class: 1 }, "no labelled item is predicted or labelled as class 1"),
        (
            &none_seen,
            ClassMetric::MacroF1 { classes: 4 },
            "no labelled item is predicted or labelled as class 1 and 2 other classes",
        ),
        (&none_predicted, ClassMetric::MacroRecall { classes: 3 }, "no item is labelled class 2"),
        (
            &none_predicted,
            ClassMetric::Matthews { classes: 2 },
            "every labelled item is predicted as class 0",
        ),
        (&none_seen, ClassMetric::Matthews { classes: 2 }, "every item is labelled class 0"),
        (&none_predicted, ClassMetric::Auc { class: 1 }, "the predictions are classes without probabilities"),
        (
            &none_predicted,
            ClassMetric::AveragePrecision { class: 1 },
            "the predictions are classes without probabilities",
        ),
        (&all_other, ClassMetric::AveragePrecision { class: 1 }, "no item is labelled class 1"),
        (&all_other, ClassMetric::PrecisionAtRecall { class: 1, recall: 0.5 }, "no item is labelled class 1"),
    ];
    // Where every item is of the class, all of it is found and all that is found is of it.
    for metric in [
        ClassMetric::AveragePrecision { class: 1 },
        ClassMetric::PrecisionAtRecall { class: 1, recall: 1.0 },
        ClassMetric::RecallAtPrecision { class: 1, precision: 1.0 },
    ] {
        let found = drawn(all_own.clone(), 20).measure(&metric, Target::Pool, 0.95).unwrap();
        assert_eq!(found.value, Ok(1.0), "{}", metric.name());
    }
    // No threshold reaches this precision, so it finds nothing.
    let mixed = vec![judged(0), judged(1), judged(0)];
    let precise = ClassMetric::RecallAtPrecision { class: 1, precision: 0.9 };
    assert_eq!(drawn(mixed, 20).measure(&precise, Target::Pool, 0.95).unwrap().value, Ok(0.0));
    for (points, metric, reason) in cases {
        let figure = drawn(points.to_vec(), 20).measure(&metric, Target::Pool, 0.95).unwrap();
        assert_eq!(figure.value.unwrap_err().to_string(), reason);
        assert_eq!((figure.interval, figure.standard_error), (None, None), "{reason}");
    }
    // Recall is 0 where the class is there and was never predicted: that is a number.
    let figure =
        drawn(none_predicted, 20).measure(&ClassMetric::Recall { class: 1 }, Target::Pool, 0.95).unwrap();
    assert_eq!(figure.value, Ok(0.0));
    let one_sided = vec![Judged::new(vec![0.3, 0.7], 0).unwrap(); 4];
    let figure = drawn(one_sided, 20).measure(&ClassMetric::Auc { class: 1 }, Target::Pool, 0.95).unwrap();
    assert_eq!(figure.value, Err(Undefined::NeverLabelled { class: 1, others: 0 }));
    let constant = vec![Valued { prediction: Gaussian { mean: 1.0, variance: 0.0 }, label: 2.0 }; 5];
    let figure = drawn(constant, 20).measure(&ValueMetric::RSquared, Target::Pool, 0.95).unwrap();
    assert_eq!(figure.value, Err(Undefined::ConstantLabels));
}

#[test]
fn no_error_seen_is_no_proof() {
    // 40 uniform draws of the positive class, all found: by the binomial law recall is at least 0.025^(1/40).
    let points = vec![Judged::hard(1, 1); 40].into_iter().chain(vec![Judged::hard(0, 0); 40]);
    let draws = drawn(points.collect(), 1_000_000);
    let figure = draws.measure(&ClassMetric::Recall { class: 1 }, Target::Pool, 0.95).unwrap();
    let span = figure.interval.unwrap();
    assert_eq!((figure.value, span.high, span.kind), (Ok(1.0), 1.0, IntervalKind::Edge));
    assert!((span.low - 0.025_f64.powf(1.0 / 40.0)).abs() < 1e-9, "{span:?}");
    assert_eq!(figure.notes, [Note::Edge]);
    let figure = draws.measure(&ClassMetric::Matthews { classes: 2 }, Target::Pool, 0.95).unwrap();
    assert!(figure.value.unwrap() > 1.0 - 1e-12 && figure.interval.unwrap().low < 0.9, "{figure:?}");
    // An error of 0 may be anything above.
    let exact = vec![Valued { prediction: Gaussian { mean: 1.0, variance: 0.0 }, label: 1.0 }; 60];
    let figure = drawn(exact, 100).measure(&ValueMetric::RootMeanSquaredError, Target::Pool, 0.95).unwrap();
    assert_eq!((figure.value, figure.interval), (Ok(0.0), None));
}

/// By rounding, a correlation of 1 may come out a hair below it, with a variance of next to nothing.
#[test]
fn rounding_is_no_error_seen() {
    let points: Vec<Judged> = (0..50).map(|i| Judged::hard(i % 7 % 3, i % 7 % 3)).collect();
    for size in [60, 200, 997, 10_000] {
        let figure = drawn(points.clone(), size);
        let figure = figure.measure(&ClassMetric::Matthews { classes: 3 }, Target::Pool, 0.95).unwrap();
        let span = figure.interval.unwrap();
        assert!((figure.value.unwrap() - 1.0).abs() < 1e-12);
        assert!(span.kind == IntervalKind::Edge && span.low < 0.99, "of {size}: {span:?}");
    }
}

#[test]
fn what_is_not_known_well_is_said() {
    let point = |i: usize| {
        Judged::new(vec![0.2 + 0.01 * (i % 60) as f64, 0.8 - 0.01 * (i % 60) as f64], i % 2).unwrap()
    };
    let draws = |count| drawn((0..count).map(point).collect(), 10_000);
    let auc = ClassMetric::Auc { class: 1 };
    let notes = |count| draws(count).measure(&auc, Target::Pool, 0.95).unwrap().notes;
    assert_eq!(notes(399), [Note::Experimental { labels: 399, needed: 400, relevant: 199 }]);
    assert_eq!(notes(400), []);
    let few = draws(20).measure(&ClassMetric::F1 { class: 1 }, Target::Pool, 0.95).unwrap();
    assert!(few.notes.contains(&Note::FewLabels { labels: 20 }), "{:?}", few.notes);
    let groups = draws(60).with_groups((0..60).map(|i| i % 4).collect()).unwrap();
    let figure = groups.measure(&ClassMetric::F1 { class: 1 }, Target::Population, 0.95).unwrap();
    assert!(figure.notes.contains(&Note::FewGroups { groups: 4 }), "{:?}", figure.notes);
    let rare = (0..200).map(|i| Judged::hard(usize::from(i < 5), usize::from(i % 40 == 0)));
    let figure =
        drawn(rare.collect(), 10_000).measure(&ClassMetric::Recall { class: 1 }, Target::Pool, 0.95).unwrap();
    assert!(figure.notes.iter().any(|note| matches!(note, Note::FewRelevant { .. })), "{:?}", figure.notes);
    // One label has a value, and nothing to tell its error by.
    let one = draws(1).measure(&MeanLoss(ZeroOne), Target::Pool, 0.95).unwrap();
    assert!(one.value.is_ok() && one.interval.is_none() && one.standard_error.is_none());
}

#[test]
fn skipped_and_known_items_are_refused_and_missing_ones_are_left_out() {
    let rows: Vec<f64> =
        (0..30).flat_map(|i| [0.02 * f64::from(i) + 0.2, 0.8 - 0.02 * f64::from(i)]).collect();
    let pool = Pool::classification(Matrix::f64(rows, 2).unwrap()).unwrap();
    let builder = || {
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        Evaluation::builder(pool.clone(), ZeroOne, surrogate).seed(Seed(4)).acquisition(Uniform)
    };
    let label = |item: usize| usize::from(item.is_multiple_of(3));
    let f1 = ClassMetric::F1 { class: 1 };
    let mut evaluation = builder().build().unwrap();
    let draws = evaluation.ask_batch(20).unwrap();
    for draw in &draws[1..] {
        evaluation.tell(draw.index, label(draw.index)).unwrap();
    }
    let read = |evaluation: &Evaluation<_>| {
        let mut rows = pool.predictions().reader();
        WeightedDraws::new(evaluation.ledger(), |_, draw, label| {
            Judged::new(rows.row(draw.index).to_vec(), label)
        })
    };
    let mut skipped = evaluation.ledger().clone();
    skipped.settle(0, labelwise::ledger::Outcome::Skipped);
    let error =
        WeightedDraws::new(&skipped, |_, _, label| Ok(Judged::hard(0, label))).unwrap_err().to_string();
    assert!(error.starts_with(&format!("item {} was skipped", draws[0].index)), "{error}");
    evaluation.missing_at_random(draws[0].index).unwrap();
    let draws = read(&evaluation).unwrap();
    assert_eq!((draws.points().len(), draws.pool_size()), (19, 29));
    // Uniform draws weigh the same when one of them is taken out.
    let weights = draws.weights();
    assert!(weights.iter().all(|w| (w - 1.0 / 19.0).abs() < 1e-9), "{weights:?}");
    assert!(draws.measure(&f1, Target::Pool, 0.95).unwrap().value.is_ok());
    let known = builder().known([(3, 0.0)]).build().unwrap();
    let error = read(&known).unwrap_err().to_string();
    assert!(error.starts_with("known losses (1) come without labels"), "{error}");
}

#[test]
fn weights_are_those_of_lure() {
    let samples = vec![Sample::plain(3, 0.2, 0.0), Sample::plain(1, 0.4, 0.0)];
    let draws =
        WeightedDraws::from_samples(samples, vec![Judged::hard(0, 0), Judged::hard(1, 0)], 7).unwrap();
    assert_eq!(draws.weights(), [lure_weight(1, 2, 7, 0.2) / 2.0, lure_weight(2, 2, 7, 0.4) / 2.0]);
    assert_eq!(
        draws.measure(&MeanLoss(ZeroOne), Target::Pool, 0.95).unwrap().value,
        Err(Undefined::NoProbabilities)
    );
}

#[test]
fn wrong_arguments_are_refused() {
    let draws = drawn(vec![Judged::new(vec![0.5, 0.5], 0).unwrap(); 5], 10);
    let refused = [
        draws.measure(&Gap, Target::Pool, 1.0).unwrap_err(),
        Judged::new(vec![0.5, 0.5], 2).unwrap_err(),
        Calibration::new(&draws, 0, None, Target::Pool, 0.95).unwrap_err(),
        Calibration::new(&draws, 3, Some(&[1, 2]), Target::Pool, 0.95).unwrap_err(),
        draws.clone().with_groups(vec![0; 4]).unwrap_err(),
        WeightedDraws::from_samples(vec![Sample::plain(0, 0.5, 0.0)], Vec::<Judged>::new(), 5).unwrap_err(),
        WeightedDraws::<Judged>::from_samples(Vec::new(), Vec::new(), 5).unwrap_err(),
    ];
    let sentences: Vec<String> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        [
            "level is 1, but must be between 0 and 1, such as 0.95",
            "class 2 is not one of the 2 classes: give a number from 0 to 1",
            "0 bins of calibration are not possible: give 1 to 1000, such as 10",
            "bins: 2 entries, but 3 are needed",
            "groups: 4 entries, but 5 are needed",
            "points: 0 entries, but 1 are needed",
            "no labelled draw to estimate from: ask and tell first",
        ]
    );
    assert!((simultaneous(0.9, 4) - 0.975).abs() < 1e-12);
    assert_eq!(Gap.name(), "confidence minus accuracy");
}

#[test]
fn a_bin_whose_few_labels_are_all_right_is_not_known() {
    let point = |sure: f64, right: bool| Judged::new(vec![sure, 1.0 - sure], usize::from(!right)).unwrap();
    let points: Vec<Judged> =
        (0..40).map(|i| point(0.91, i % 8 != 0)).chain((0..5).map(|_| point(0.62, true))).collect();
    let found = Calibration::new(&drawn(points, 10_000), 5, None, Target::Pool, 0.95).unwrap();
    let small = &found.bins[1].gap;
    let span = small.interval.unwrap();
    assert_eq!((small.labels, span.low), (5, span.low.min(-0.38)));
    // Five of five right may be 0.025^(1/5) = 0.48 of all: an interval from 0.62 − 1 to 0.62 − 0.48.
    assert!(
        (span.low + 0.38).abs() < 1e-9 && (span.high - (0.62 - 0.025_f64.powf(0.2))).abs() < 1e-9,
        "{span:?}"
    );
    let empty = &found.bins[0];
    assert_eq!((empty.gap.value, empty.mass, empty.confidence), (Err(Undefined::NoLabels), 0.0, None));
    // Without its noise, the squared error is below the sum of squared gaps.
    let plain: f64 = found.bins.iter().map(|bin| bin.mass * bin.gap.value.map_or(0.0, |gap| gap * gap)).sum();
    assert!(found.squared_error.unwrap() < plain);
}

/// If every label of the only bin is right, draws say nothing of how far its gap may be off; the squared error is no better
/// known than the gap is.
#[test]
fn a_squared_error_of_labels_that_are_all_right_is_not_known() {
    let points: Vec<Judged> = (0..80).map(|_| Judged::new(vec![0.9, 0.1], 0).unwrap()).collect();
    let found = Calibration::new(&drawn(points, 120), 1, Some(&[120]), Target::Pool, 0.95).unwrap();
    let (low, high) = found.interval.unwrap();
    // A gap of 0.09 instead of 0.1 is well within what was missed.
    assert!(low < 0.0081 && high > 0.0101, "{low} to {high}");
}

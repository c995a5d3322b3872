//! Skipped items: whatever labels they have, the metric is within what is said of it.

use labelwise::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use labelwise::loss::{Sign, ZeroOne};
use labelwise::metric::{
    ClassMetric, ErrorRate, IntervalKind, Judged, MeanLoss, Measure, MetricEstimate, Note, PredictedClasses,
    WeightedDraws,
};
use labelwise::{Classification, Target};

const SIZE: usize = 40;
const SKIPPED: [usize; 3] = [3, 17, 30];

pub(crate) fn predicted(item: usize) -> usize {
    item * 7 % 3
}

fn label(item: usize) -> usize {
    if item.is_multiple_of(5) { (predicted(item) + 1) % 3 } else { predicted(item) }
}

/// Uniform draws in the order of items. The skipped ones have these labels, or none.
pub(crate) fn sheet(draws: usize, skipped: Option<[usize; 3]>) -> WeightedDraws<Judged> {
    let known = KnownItems::default();
    let facts = PoolFacts { pool_size: SIZE, known, bounds: None, range: None, sign: Sign::NonNegative };
    let mut ledger: Ledger<Classification> = Ledger::new(facts);
    for index in 0..draws {
        let left = (SIZE - index) as f64;
        let (q, mass) = (1.0 / left, left);
        let draw = Draw {
            index,
            q,
            mass,
            control: 0.0,
            control_total: 0.0,
            ratio_bounds: None,
            bounds: None,
            refresh: 0,
        };
        ledger.push(draw);
        let own = SKIPPED.iter().position(|other| *other == index);
        let label = match (own, skipped) {
            (Some(place), Some(labels)) => Some(labels[place]),
            (Some(_), None) => None,
            (None, _) => Some(label(index)),
        };
        let outcome = label.map_or(Outcome::Skipped, |label| Outcome::Labelled { label, loss: 0.0 });
        ledger.settle(index, outcome);
    }
    let counts = (0..3).map(|class| (0..SIZE).filter(|item| predicted(*item) == class).count());
    let counts: Vec<usize> = counts.collect();
    let weights = counts.iter().map(|count| *count as f64).chain([0.0]).collect();
    let classes = PredictedClasses::new(counts).with_proposal(0, weights).unwrap();
    WeightedDraws::with_skipped(&ledger, |_, draw, label| {
        let predicted = predicted(draw.index);
        let mut probabilities = vec![0.1; 3];
        probabilities[predicted] = 0.8;
        Ok(Judged { predicted, label: label.unwrap_or(predicted), probabilities })
    })
    .unwrap()
    .with_predicted(classes)
}

fn metrics() -> Vec<Box<dyn Measure<Judged>>> {
    vec![
        Box::new(ClassMetric::Precision { class: 1 }),
        Box::new(ClassMetric::Recall { class: 1 }),
        Box::new(ClassMetric::F1 { class: 0 }),
        Box::new(ClassMetric::MacroPrecision { classes: 3 }),
        Box::new(ClassMetric::MacroRecall { classes: 3 }),
        Box::new(ClassMetric::MacroF1 { classes: 3 }),
        Box::new(ErrorRate),
        Box::new(MeanLoss(ZeroOne)),
    ]
}

fn measured(sheet: &WeightedDraws<Judged>, metric: &dyn Measure<Judged>) -> MetricEstimate {
    sheet.measure(metric, Target::Pool, 0.95).unwrap()
}

#[test]
fn every_labelling_of_skipped_items_is_within() {
    for draws in [34, SIZE] {
        for metric in metrics() {
            let found = measured(&sheet(draws, None), &*metric);
            let (value, span, bounds) =
                (found.value.unwrap(), found.interval.unwrap(), found.skipped.unwrap());
            assert!(bounds.low <= value && value <= bounds.high, "{}: {bounds:?}, {value}", metric.name());
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for code in 0..27 {
                let labels = [code % 3, code / 3 % 3, code / 9];
                let other = measured(&sheet(draws, Some(labels)), &*metric);
                let (own, ends) = (other.value.unwrap(), other.interval.unwrap());
                assert!(bounds.low - 1e-12 <= own && own <= bounds.high + 1e-12, "{}", metric.name());
                (least, most) = (least.min(own), most.max(own));
                // With every item drawn, the interval is the set of values that labels can lead to.
                let slack = if draws == SIZE { 1e-12 } else { 0.02 };
                assert!(span.low <= ends.low + slack && ends.high <= span.high + slack, "{}", metric.name());
            }
            let sharp = !metric.name().starts_with("macro") && metric.name() != "balanced accuracy";
            if sharp {
                assert!((least - bounds.low).abs() < 1e-9 && (most - bounds.high).abs() < 1e-9);
            }
            assert_eq!(span.kind == IntervalKind::Skipped, draws == SIZE);
            assert_eq!(found.labels, draws - SKIPPED.len());
            assert!(found.notes.contains(&Note::Skipped { items: 3 }), "{:?}", found.notes);
        }
    }
}

#[test]
fn metrics_without_bounds_are_refused_and_slices_without_skipped_items_are_not() {
    let sheet = sheet(34, None);
    for metric in [ClassMetric::Matthews { classes: 3 }, ClassMetric::Auc { class: 1 }] {
        let error = sheet.measure(&metric, Target::Pool, 0.95).unwrap_err().to_string();
        assert!(error.starts_with("item 3 was skipped"), "{error}");
        let inside = (0..34).map(|draw| !SKIPPED.contains(&draw)).collect();
        let found = sheet.slice(inside, None).unwrap().measure(&metric, Target::Pool, 0.95).unwrap();
        assert!(found.value.is_ok() && found.skipped.is_none());
    }
}

#[test]
fn what_is_certain_counts_skipped_items_as_unlabelled() {
    let metric = ClassMetric::Precision { class: predicted(SKIPPED[0]) };
    let certain = sheet(SIZE, None).all().certain(&metric).unwrap();
    let found = measured(&sheet(SIZE, None), &metric).skipped.unwrap();
    assert!((certain.low - found.low).abs() < 1e-12 && (certain.high - found.high).abs() < 1e-12);
    assert!(certain.low < certain.high);
}

//! What labels say with certainty of metrics that are ratios of sums, by enumeration: every order of draws from a small pool,
//! every labelling, every number of labels.

use labelwise::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use labelwise::loss::Sign;
use labelwise::metric::{
    ClassMetric, ErrorRate, IntervalKind, Judged, Measure, PredictedClasses, Slice, WeightedDraws,
};
use labelwise::{Classification, Target};

/// What the items are predicted as, of three classes.
const PREDICTED: [usize; 5] = [0, 0, 1, 1, 2];

/// The weights they are drawn with.
const WEIGHTS: [f64; 5] = [1.6, 0.4, 1.0, 1.7, 0.3];

const METRICS: [ClassMetric; 9] = [
    ClassMetric::Precision { class: 0 },
    ClassMetric::Precision { class: 1 },
    ClassMetric::Recall { class: 0 },
    ClassMetric::Recall { class: 1 },
    ClassMetric::F1 { class: 0 },
    ClassMetric::F1 { class: 1 },
    ClassMetric::MacroPrecision { classes: 3 },
    ClassMetric::MacroRecall { classes: 3 },
    ClassMetric::MacroF1 { classes: 3 },
];

/// Every way to draw `count` of the items, one after another.
fn paths(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|path: &Vec<usize>| {
            let next = (0..PREDICTED.len()).filter(|item| !path.contains(item));
            next.map(|item| path.iter().copied().chain([item]).collect()).collect::<Vec<Vec<usize>>>()
        });
        all = longer.collect();
    }
    all
}

/// Every labelling with three classes.
fn labellings() -> impl Iterator<Item = Vec<usize>> {
    (0..3_usize.pow(5)).map(|code| (0..5).map(|item| code / 3_usize.pow(item) % 3).collect())
}

fn sheet(path: &[usize], labels: &[usize]) -> WeightedDraws<Judged> {
    let facts = PoolFacts {
        pool_size: PREDICTED.len(),
        known: KnownItems::default(),
        bounds: None,
        range: None,
        sign: Sign::NonNegative,
    };
    let mut ledger: Ledger<Classification> = Ledger::new(facts);
    let mut mass: f64 = WEIGHTS.iter().sum();
    for (place, &index) in path.iter().enumerate() {
        let q = (WEIGHTS[index] / mass).min(1.0);
        ledger.push(Draw {
            index,
            q,
            mass,
            control: 0.0,
            control_total: 0.0,
            ratio_bounds: None,
            bounds: None,
            refresh: 0,
        });
        ledger.settle(place, Outcome::Labelled { label: labels[index], loss: 0.0 });
        mass -= WEIGHTS[index];
    }
    let classes = |of: fn(usize) -> f64| {
        (0..3)
            .map(|class| (0..5).filter(|item| PREDICTED[*item] == class).map(of).sum())
            .collect::<Vec<f64>>()
    };
    let weights = classes(|item| WEIGHTS[item]).into_iter().chain([0.0]).collect();
    let predicted = PredictedClasses::new(vec![2, 2, 1]).with_proposal(0, weights).unwrap();
    WeightedDraws::new(&ledger, |_, draw, label| Ok(Judged::hard(PREDICTED[draw.index], label)))
        .unwrap()
        .with_predicted(predicted)
}

fn truth(metric: &dyn Measure<Judged>, items: &[usize], labels: &[usize]) -> Option<f64> {
    let points: Vec<Judged> =
        items.iter().map(|item| Judged::hard(PREDICTED[*item], labels[*item])).collect();
    let weighted: Vec<(&Judged, f64)> = points.iter().map(|point| (point, 1.0)).collect();
    metric.linearised(&weighted).ok().map(|found| found.value)
}

/// Holds an estimate to what is certain, and that to the truth; says whether both bounds are one number.
fn check(slice: &Slice<'_, Judged>, metric: &dyn Measure<Judged>, items: &[usize], labels: &[usize]) -> bool {
    let certain = slice.certain(metric).unwrap();
    let truth = truth(metric, items, labels);
    let context = || format!("{}: {certain:?}, {truth:?}, labels {labels:?}, {slice:?}", metric.name());
    if let Some(truth) = truth {
        assert!(certain.low <= truth + 1e-12 && truth <= certain.high + 1e-12, "{}", context());
    }
    for target in [Target::Pool, Target::Population] {
        let found = slice.measure(metric, target, 0.95).unwrap();
        let Ok(value) = found.value else { continue };
        assert!(certain.low <= value && value <= certain.high, "{value}, {}", context());
        let Some(span) = found.interval.filter(|_| target == Target::Pool) else { continue };
        assert!(certain.low <= span.low && span.high <= certain.high, "{span:?}, {}", context());
        assert!(span.low <= value && value <= span.high, "{span:?}, {value}, {}", context());
        if certain.low == certain.high {
            assert_eq!((span.kind, span.low, span.high), (IntervalKind::Exact, value, value));
            assert_eq!(found.standard_error, Some(0.0));
            assert!(truth.is_none_or(|truth| (truth - value).abs() < 1e-12), "{value}, {}", context());
        }
    }
    certain.low == certain.high
}

#[test]
fn certain_bounds_hold_on_every_path_and_estimates_stay_within() {
    for labels in labellings() {
        for count in 1..=5 {
            // Orders matter to estimates alone, not to bounds: of long paths every third is enough.
            for path in paths(count).iter().step_by(if count > 2 { 3 } else { 1 }) {
                let sheet = sheet(path, &labels);
                let items: Vec<usize> = (0..5).collect();
                let all = |item: usize| path.contains(&item);
                let whole = |class: usize| (0..5).filter(|i| PREDICTED[*i] == class).all(all);
                for metric in METRICS {
                    let exact = check(&sheet.all(), &metric, &items, &labels);
                    if let ClassMetric::Precision { class } = metric {
                        assert_eq!(exact, whole(class), "{metric:?} after {path:?}");
                    }
                    let defined = truth(&metric, &items, &labels).is_some();
                    assert!(exact || count < 5 || !defined, "{metric:?} with every label");
                }
                check(&sheet.all(), &ErrorRate, &items, &labels);
                // The slice of the first, third and fifth item.
                let inside = path.iter().map(|item| item % 2 == 0).collect();
                let slice = sheet.slice(inside, Some(3)).unwrap().with_predicted(&[1, 1, 1]);
                for metric in METRICS {
                    check(&slice, &metric, &[0, 2, 4], &labels);
                }
                check(&slice, &ErrorRate, &[0, 2, 4], &labels);
            }
        }
    }
}

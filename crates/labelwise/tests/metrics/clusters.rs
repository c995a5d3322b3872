//! Groups of like items: what is known of the population is less than the number of items says.

use labelwise::estimator::{Estimator, Sample};
use labelwise::metric::{ClassMetric, Judged, Measure, WeightedDraws};
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::{Lure, Seed, Target};
use rand_chacha::rand_core::Rng;

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

const GROUPS: usize = 60;
const EACH: usize = 20;

/// A pool of documents with sentences: whether a sentence is of the class, and whether the model sees it, is mostly the
/// document's. Returns what is predicted and what is for every item; item i is of group i / EACH.
fn pool(rng: &mut ChaCha8Rng) -> Vec<Judged> {
    let mut items = Vec::new();
    for _ in 0..GROUPS {
        let positives = if uniform(rng) < 0.5 { 0.9 } else { 0.1 };
        let seen = if uniform(rng) < 0.5 { 0.95 } else { 0.55 };
        for _ in 0..EACH {
            let label = usize::from(uniform(rng) < positives);
            let predicted = if uniform(rng) < seen { label } else { 1 - label };
            items.push(Judged::hard(predicted, label));
        }
    }
    items
}

/// In expectation over documents: P(label 1, predicted 1) = 0.375, and so is F1.
const TRUTH: f64 = 0.75;

fn draws(items: &[Judged], labels: usize, rng: &mut ChaCha8Rng) -> WeightedDraws<Judged> {
    let size = items.len();
    let mut left: Vec<usize> = (0..size).collect();
    let draws: Vec<usize> =
        (0..labels).map(|_| left.swap_remove((uniform(rng) * left.len() as f64) as usize)).collect();
    let sample = |(m, &item): (usize, &usize)| Sample::plain(item, 1.0 / (size - m) as f64, 0.0);
    let samples = draws.iter().enumerate().map(sample).collect();
    let points = draws.iter().map(|item| items[*item].clone()).collect();
    let groups = draws.iter().map(|item| item / EACH).collect();
    WeightedDraws::from_samples(samples, points, size).unwrap().with_groups(groups).unwrap()
}

/// How often the 95 % interval covers F1 of the population, with the groups and without, in 400 runs: the standard error
/// of a coverage of 0.95 is 0.011.
fn coverage(labels: usize) -> (f64, f64) {
    let f1 = ClassMetric::F1 { class: 1 };
    let mut covered = [0.0; 2];
    for run in 0..400 {
        let rng = &mut Seed(11).stream(Stream::Data, run);
        let items = pool(rng);
        let draws = draws(&items, labels, rng);
        let alone = draws.clone().with_groups((0..labels).collect()).unwrap();
        for (count, draws) in covered.iter_mut().zip([&draws, &alone]) {
            let span = draws.measure(&f1, Target::Population, 0.95).unwrap().interval.unwrap();
            *count += if span.covers(TRUTH) { 1.0 / 400.0 } else { 0.0 };
        }
    }
    (covered[0], covered[1])
}

#[test]
fn groups_widen_the_interval_for_the_population_to_what_it_must_be() {
    for labels in [300, GROUPS * EACH] {
        let (with, without) = coverage(labels);
        assert!((0.92..=0.985).contains(&with), "{with} with groups at {labels}");
        assert!(without < 0.85, "{without} without groups at {labels}");
    }
}

/// By hand at M = N: the squares of the sums over groups.
#[test]
fn with_everything_labelled_it_is_the_variance_of_group_sums() {
    let rng = &mut Seed(3).stream(Stream::Data, 0);
    let items = pool(rng);
    let size = items.len();
    let draws = draws(&items, size, rng);
    let f1 = ClassMetric::F1 { class: 1 };
    let points: Vec<(&Judged, f64)> = items.iter().map(|item| (item, 1.0 / size as f64)).collect();
    let u = f1.linearised(&points).unwrap().influence;
    let sums: Vec<f64> = u.chunks(EACH).map(|group| group.iter().sum()).collect();
    let groups = GROUPS as f64;
    let variance =
        sums.iter().map(|sum| sum * sum).sum::<f64>() / (size * size) as f64 * groups / (groups - 1.0);
    let figure = draws.measure(&f1, Target::Population, 0.95).unwrap();
    let found = figure.standard_error.unwrap();
    assert!((found - variance.sqrt()).abs() < 1e-12, "{found} and not {}", variance.sqrt());
    // The pool itself does not care for groups.
    assert_eq!(draws.measure(&f1, Target::Pool, 0.95).unwrap().standard_error, Some(0.0));
}

/// The part of the variance that comes from drawing is that of LURE's terms.
#[test]
fn for_the_pool_it_is_the_variance_of_the_terms() {
    let rng = &mut Seed(4).stream(Stream::Data, 0);
    let items = pool(rng);
    let draws = draws(&items, 100, rng);
    let f1 = ClassMetric::F1 { class: 1 };
    let weights = draws.weights();
    let points: Vec<(&Judged, f64)> = draws.points().iter().zip(weights).collect();
    let u = f1.linearised(&points).unwrap().influence;
    let size = items.len();
    let samples = u.iter().enumerate().map(|(m, u)| Sample::plain(m, 1.0 / (size - m) as f64, *u));
    let terms = Lure.terms(&samples.collect::<Vec<_>>(), size).unwrap();
    let found = draws.measure(&f1, Target::Pool, 0.95).unwrap().standard_error.unwrap();
    assert!((found - terms.variance().unwrap().sqrt()).abs() < 1e-12);
}

//! The laws of the sketch: it does not depend on how the pool is cut, and its draws follow the recorded q.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, reason = "tests")]

use std::collections::HashMap;

use labelwise_sketch::{Error, ExactSum, Fault, Key, Sketch, uniforms};
use proptest::prelude::*;

const KEY: Key = Key { seed: 7, refresh: 2 };

type Item = (String, Option<f64>);

fn sketch(items: &[Item], keep: usize) -> Sketch {
    let mut sketch = Sketch::new(KEY, keep);
    let ids: Vec<&str> = items.iter().map(|(id, _)| id.as_str()).collect();
    let scores: Vec<Option<f64>> = items.iter().map(|(_, score)| *score).collect();
    sketch.add_all(&ids, &scores, |row| format!("row of {}", items[row].0).into_bytes());
    sketch
}

fn one_by_one(items: &[Item], keep: usize) -> Sketch {
    let mut sketch = Sketch::new(KEY, keep);
    for (id, score) in items {
        sketch.add(id, *score, || format!("row of {id}").into_bytes());
    }
    sketch
}

fn merged(mut one: Sketch, other: Sketch) -> Sketch {
    one.merge(other).unwrap();
    one
}

fn score() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        8 => (0.0..1.0).prop_map(Some),
        2 => Just(Some(0.0)),
        2 => (-300.0..300.0).prop_map(|power: f64| Some(10_f64.powf(power))),
        1 => Just(None),
        1 => prop_oneof![Just(f64::NAN), Just(-1.0), Just(f64::INFINITY)].prop_map(Some),
    ]
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(("[a-f]{1,3}|[x-z]{40,90}", score()), 0..60)
}

proptest! {
    #[test]
    fn bytes_do_not_depend_on_parts_order_or_merges(
        items in items(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        order in prop::collection::vec(any::<u32>(), 60),
        keep in 1_usize..20,
    ) {
        let whole = sketch(&items, keep);
        let bytes = whole.to_bytes();
        prop_assert_eq!(&one_by_one(&items, keep).to_bytes(), &bytes);
        // Any order.
        let mut places: Vec<usize> = (0..items.len()).collect();
        places.sort_by_key(|&place| order[place]);
        let moved: Vec<Item> = places.iter().map(|&place| items[place].clone()).collect();
        // Any cuts, empty parts among them.
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(items.len() + 1)).collect();
        ends.extend([0, items.len()]);
        ends.sort_unstable();
        let parts: Vec<Sketch> = ends.windows(2).map(|ends| sketch(&moved[ends[0]..ends[1]], keep)).collect();
        // Any tree of merges: from the left, from the right, and through bytes.
        let empty = || Sketch::new(KEY, keep);
        let left = parts.iter().cloned().fold(empty(), merged);
        let right = parts.iter().cloned().rfold(empty(), |all, part| merged(part, all));
        let read = parts.iter().map(|part| Sketch::from_bytes(&part.to_bytes()).unwrap()).fold(empty(), merged);
        for other in [left, right, read] {
            prop_assert_eq!(&other.to_bytes(), &bytes);
        }
        if items.iter().all(|(_, score)| Fault::of(*score).is_none()) && !items.is_empty() {
            prop_assert_eq!(
                Sketch::from_bytes(&bytes).unwrap().draws(0.3), whole.draws(0.3)
            );
        }
    }

    #[test]
    fn sums_are_exact(terms in prop::collection::vec(any::<f64>().prop_filter("finite", |term| term.is_finite()), 0..40)) {
        let sum: ExactSum = terms.iter().copied().collect();
        let mut backwards: ExactSum = terms.iter().rev().copied().collect();
        prop_assert_eq!(&sum, &backwards);
        // Every term taken away again leaves nothing, which rounding anywhere would not.
        terms.iter().for_each(|&term| backwards.add(-term));
        prop_assert_eq!(backwards.value(), 0.0);
        for (place, &term) in terms.iter().enumerate() {
            let mut one: ExactSum = [term].into_iter().collect();
            prop_assert_eq!(one.value(), term);
            one.merge(&terms[..place].iter().copied().collect());
            prop_assert_eq!(one, terms[..=place].iter().copied().collect());
        }
    }

    #[test]
    fn the_nearest_float(one in any::<f64>(), other in any::<f64>()) {
        prop_assume!(one.is_finite() && other.is_finite() && (one + other).is_finite());
        // The sum of two floats is the nearest float by the standard of floats.
        prop_assert_eq!([one, other].into_iter().collect::<ExactSum>().value(), one + other);
    }

    #[test]
    fn no_bytes_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        prop_assert!(Sketch::from_bytes(&bytes).is_err());
        let items: Vec<Item> = (0..9).map(|i| (format!("i{i}"), Some(f64::from(i)))).collect();
        bytes = sketch(&items, 4).to_bytes();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        if let Ok(mut read) = Sketch::from_bytes(&bytes) {
            let _ = read.draws(0.3);
            let _ = read.merge(sketch(&items, 4));
        }
        prop_assert!(Sketch::from_bytes(&bytes[..place]).is_err());
    }
}

#[test]
fn sums_at_the_edges() {
    for (terms, value) in [
        (vec![f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
        (vec![f64::MAX, f64::MAX], f64::INFINITY),
        (vec![5e-324, 5e-324], 1e-323),
        (vec![1.0, f64::EPSILON / 2.0], 1.0),
        (vec![1.0, f64::EPSILON / 2.0, 5e-324], 1.0 + f64::EPSILON),
        (vec![-1.0, -f64::EPSILON / 2.0, -5e-324], -1.0 - f64::EPSILON),
        (vec![1.0 + f64::EPSILON, f64::EPSILON / 2.0], 1.0 + 2.0 * f64::EPSILON),
        (vec![f64::MIN_POSITIVE, -5e-324], f64::MIN_POSITIVE - 5e-324),
        (vec![], 0.0),
    ] {
        assert_eq!(terms.iter().copied().collect::<ExactSum>().value(), value, "{terms:?}");
    }
    assert!([1.0, f64::NAN].into_iter().collect::<ExactSum>().value().is_nan());
    // Parts as SQL sums them: whole numbers, then 32 bits after the point, then 32 more.
    let score = 1234.567_f64;
    let mut parts = ExactSum::default();
    let mut rest = score;
    for places in 0..4 {
        parts.add_parts(rest.floor() as i128, places);
        rest = (rest - rest.floor()) * 2_f64.powi(32);
    }
    assert_eq!(parts, [score].into_iter().collect());
    parts.add_parts(-(1_i128 << 80), 0);
    assert_eq!(parts, [score, -(2_f64.powi(80))].into_iter().collect());
}

/// Every ordered pair of draws without replacement from the mixture, with its probability.
fn pairs(scores: &[f64], rho: f64) -> HashMap<(usize, usize), f64> {
    let (n, sum) = (scores.len() as f64, scores.iter().sum::<f64>());
    let q: Vec<f64> = scores.iter().map(|score| (1.0 - rho) * score / sum + rho / n).collect();
    let all = (0..scores.len()).flat_map(|first| (0..scores.len()).map(move |second| (first, second)));
    let pairs = all.filter(|(first, second)| first != second);
    pairs.map(|(first, second)| ((first, second), q[first] * q[second] / (1.0 - q[first]))).collect()
}

#[test]
fn draws_follow_the_recorded_q() {
    let scores = [0.0, 0.1, 0.2, 0.4, 3.0];
    let keys = 40_000_u64;
    for rho in [0.3, 1.0] {
        let expected = pairs(&scores, rho);
        let mut counts: HashMap<(usize, usize), f64> = HashMap::new();
        let mut inverse = 0.0;
        for seed in 0..keys {
            // Two are kept of five, so that the lists are cut.
            let mut sketch = Sketch::new(Key { seed, refresh: 1 }, 2);
            for (item, score) in scores.iter().enumerate() {
                sketch.add(&item.to_string(), Some(*score), Vec::new);
            }
            let draws = sketch.draws(rho).unwrap();
            let place = |draw: usize| draws.drawn[draw].item.id.parse::<usize>().unwrap();
            let pair = (place(0), place(1));
            // What is recorded is the probability of the pair.
            let recorded = draws.drawn[0].q * draws.drawn[1].q;
            assert!((recorded / expected[&pair] - 1.0).abs() < 1e-12, "{pair:?}");
            inverse += 1.0 / recorded / keys as f64;
            *counts.entry(pair).or_default() += 1.0;
        }
        // Chi-square with 19 degrees of freedom: above 43.8 in one of 1,000 cases; seeds are fixed.
        let chi: f64 = expected
            .iter()
            .map(|(pair, p)| {
                let expected = p * keys as f64;
                (counts.get(pair).unwrap_or(&0.0) - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < 43.8, "ρ = {rho}: {chi}");
        // E(1/q) is the number of pairs.
        assert!((inverse / 20.0 - 1.0).abs() < 0.05, "{inverse}");
    }
}

#[test]
fn every_item_is_drawn_in_the_end_and_the_last_for_certain() {
    let items: Vec<Item> = (0..50).map(|i| (format!("item {i}"), Some(f64::from(i % 7)))).collect();
    let draws = sketch(&items, 64).draws(0.3).unwrap();
    assert_eq!((draws.size, draws.total, draws.drawn.len()), (50, 147.0, 50));
    assert_eq!(draws.drawn[49].q, 1.0);
    assert!((draws.drawn[0].mass - 50.0).abs() < 1e-12);
    // The first draws of a smaller sketch are the same, with the same q but for rounding.
    let few = sketch(&items, 10).draws(0.3).unwrap();
    for (one, other) in few.drawn.iter().zip(&draws.drawn) {
        assert_eq!(one.item, other.item);
        assert!((one.q / other.q - 1.0).abs() < 1e-12);
    }
    // Scores that are all zero: all alike.
    let zeros: Vec<Item> = items.iter().map(|(id, _)| (id.clone(), Some(0.0))).collect();
    let draws = sketch(&zeros, 3).draws(0.3).unwrap();
    assert!((draws.drawn[0].q - 0.02).abs() < 1e-15 && draws.total == 0.0);
    // A score times a constant changes nothing but the total.
    let huge: Vec<Item> =
        items.iter().map(|(id, score)| (id.clone(), score.map(|s| s * 2_f64.powi(1000)))).collect();
    let tiny: Vec<Item> =
        items.iter().map(|(id, score)| (id.clone(), score.map(|s| s * 2_f64.powi(-1000)))).collect();
    for scaled in [huge, tiny] {
        let scaled = sketch(&scaled, 10).draws(0.3).unwrap();
        assert!(
            scaled
                .drawn
                .iter()
                .zip(&few.drawn)
                .all(|(one, other)| one.item.id == other.item.id && one.q == other.q)
        );
    }
}

#[test]
fn bad_scores_and_duplicated_ids_are_named() {
    let mut items: Vec<Item> = (0..30).map(|i| (format!("item {i:02}"), Some(1.0))).collect();
    for (place, score) in
        [(21, None), (3, Some(f64::NAN)), (9, Some(-0.5)), (1, Some(f64::INFINITY)), (8, None), (7, None)]
    {
        items[place].1 = score;
    }
    let parts = (sketch(&items[..10], 4), sketch(&items[10..], 4));
    let error = merged(parts.1, parts.0).draws(0.3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "6 items have a score that cannot be used: \"item 01\" (infinite), \"item 03\" (NaN), \"item 07\" (null), \
         \"item 08\" (null), \"item 09\" (negative); give them a score of 0 or more, or leave them out"
    );
    // Of a pool that is read twice, and of ids that come back with another score.
    let items: Vec<Item> = (0..300).map(|i| (format!("item {i}"), Some(f64::from(i)))).collect();
    let twice = merged(sketch(&items, 8), sketch(&items, 8)).draws(0.3).unwrap_err();
    assert!(matches!(twice, Error::Duplicates { ref first } if first.len() == 5), "{twice}");
    let other = |(id, score): &Item| (id.clone(), score.map(|score| 3.0 * score + 0.1));
    let other: Vec<Item> = items.iter().map(other).collect();
    let again = merged(sketch(&items, 8), sketch(&other, 8)).draws(0.3).unwrap_err();
    assert!(matches!(again, Error::Duplicates { .. }), "{again}");
}

#[test]
fn what_cannot_be_drawn_from_is_said() {
    let some = sketch(&[("a".to_owned(), Some(1.0))], 2);
    assert_eq!(Sketch::new(KEY, 2).draws(0.3), Err(Error::Empty));
    assert_eq!(some.draws(0.0), Err(Error::Rho(0.0)));
    assert!(some.draws(1.5).is_err() && some.draws(f64::NAN).is_err());
    let much = sketch(&[("a".to_owned(), Some(f64::MAX)), ("b".to_owned(), Some(f64::MAX))], 2);
    assert_eq!(much.draws(0.3), Err(Error::Overflow));
    for (key, keep) in [(Key { seed: 8, ..KEY }, 2), (Key { refresh: 0, ..KEY }, 2), (KEY, 3)] {
        assert_eq!(some.clone().merge(Sketch::new(key, keep)), Err(Error::Different));
    }
}

#[test]
fn the_numbers_of_an_item_stay_what_they_are() {
    // Python: hashlib.md5(b"42:3:request 17").hexdigest() and the formula of `uniforms`.
    assert_eq!(
        uniforms(Key { seed: 42, refresh: 3 }, "request 17"),
        [0.6963005994508081, 0.17641611928694922]
    );
}

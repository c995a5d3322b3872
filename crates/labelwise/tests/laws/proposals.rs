//! What q is, and that draws follow it.

use std::collections::HashMap;

use labelwise::loss::ZeroOne;
use labelwise::proposal::{BadScore, Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::{Error, Seed};

use crate::pools::{assert_close, builder};

fn proposal(scores: &[f64], floor: Floor, seed: u64) -> Proposal {
    let open = vec![true; scores.len()];
    Proposal::new(scores.to_vec(), &open, floor, Seed(seed).stream(Stream::Draw, 0)).unwrap()
}

fn all_q(proposal: &Proposal, size: usize) -> Vec<f64> {
    (0..size).map(|item| proposal.q(item)).collect()
}

const FLOORS: [Floor; 4] =
    [Floor::Mixture { rho: 0.3 }, Floor::Mixture { rho: 1.0 }, Floor::Clip { alpha: 0.2 }, Floor::Unguarded];

#[test]
fn q_sums_to_one_keeps_the_order_and_the_floor() {
    let scores: Vec<f64> = (0..200).map(|i| f64::from(i * i % 97)).collect();
    for floor in FLOORS {
        let q = all_q(&proposal(&scores, floor, 1), 200);
        assert_close(q.iter().sum(), 1.0, 1e-12, "the sum");
        let least = q.iter().copied().fold(f64::INFINITY, f64::min) * 200.0;
        match floor {
            Floor::Mixture { rho } => assert!(least >= rho - 1e-12, "{least}"),
            Floor::Clip { alpha } => assert!(least >= alpha / (1.0 + alpha) - 1e-12, "{least}"),
            Floor::Unguarded => assert_eq!(least, 0.0),
        }
        for (a, b) in (0..200).zip(1..200) {
            assert!((scores[a] - scores[b]) * (q[a] - q[b]) >= 0.0, "order of {a} and {b}");
        }
    }
    // The mixture by hand.
    let q = all_q(&proposal(&[1.0, 3.0], Floor::Mixture { rho: 0.3 }, 1), 2);
    assert_close(q[0], 0.7 * 0.25 + 0.15, 1e-15, "mixture");
    // The paper's clip by hand: max(q, α/n), then normalised.
    let q = all_q(&proposal(&[0.01, 0.99], Floor::PAPER, 1), 2);
    assert_close(q[0], 0.1 / 1.09, 1e-15, "clip");
}

#[test]
fn scores_at_the_edges() {
    // All zero: alike. One huge: the others keep their floor. Near the largest and the smallest float: no overflow.
    assert!(all_q(&proposal(&[0.0; 5], Floor::Unguarded, 1), 5).iter().all(|q| (q - 0.2).abs() < 1e-15));
    let huge = proposal(&[1.0, 1e300, 1.0], Floor::Mixture { rho: 0.3 }, 1);
    assert_close(huge.q(0), 0.1, 1e-12, "beside a huge score");
    for scale in [f64::MAX, 1e-310, 5e-324] {
        let q = all_q(&proposal(&[scale, 0.5 * scale, scale], Floor::Unguarded, 1), 3);
        assert_close(q.iter().sum(), 1.0, 1e-12, "the sum");
        assert!(q[0] >= 1.0 / 3.0 && q[0] <= 0.5, "{q:?}");
    }
    // Drawn to the end, the last has q = 1 and none is drawn twice; the tiniest weights come last and in random order.
    let mut orders = HashMap::new();
    for seed in 0..300 {
        let mut proposal = proposal(&[1.0, 1e-320, 1e-320, 1e-320], Floor::Unguarded, seed);
        let order: Vec<_> = std::iter::from_fn(|| proposal.draw()).collect();
        assert_eq!((order[0].index, order.len(), order[3].q), (0, 4, 1.0));
        assert_close(order[1].q, 1.0 / 3.0, 1e-12, "a third each");
        *orders.entry(order[1].index).or_insert(0) += 1;
    }
    assert!((1..4).all(|item| orders[&item] > 60), "{orders:?}");
}

#[test]
fn bad_scores_are_named() {
    for (value, why) in
        [(f64::NAN, BadScore::NotANumber), (f64::INFINITY, BadScore::Infinite), (-1.0, BadScore::Negative)]
    {
        let stream = Seed(1).stream(Stream::Draw, 0);
        let error =
            Proposal::new(vec![1.0, value], &[true; 2], Floor::default(), stream.clone()).unwrap_err();
        assert!(matches!(error, Error::Score { item: 1, why: found, .. } if found == why), "{error}");
        // Of an item that is not open nobody asks.
        assert!(Proposal::new(vec![1.0, value], &[true, false], Floor::default(), stream).is_ok());
    }
    for floor in [Floor::Mixture { rho: 0.0 }, Floor::Mixture { rho: 1.1 }, Floor::Clip { alpha: f64::NAN }] {
        let stream = Seed(1).stream(Stream::Draw, 0);
        assert!(matches!(Proposal::new(vec![1.0], &[true], floor, stream), Err(Error::Option { .. })));
    }
}

/// Pearson's statistic of counts against probabilities.
fn chi_square(counts: &[f64], probabilities: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    counts.iter().zip(probabilities).map(|(count, p)| (count - total * p).powi(2) / (total * p)).sum()
}

/// 40,000 first draws among 12 items: above 31.3 once in a thousand seeds (11 degrees of freedom).
#[test]
fn first_draws_follow_q() {
    let scores: Vec<f64> = (1..=12).map(f64::from).collect();
    let (mut counts, mut replaced) = (vec![0.0; 12], vec![0.0; 12]);
    let reference = proposal(&scores, Floor::default(), 0);
    let mut rng = Seed(9).stream(Stream::Data, 0);
    for seed in 0..40_000 {
        counts[proposal(&scores, Floor::default(), seed).draw().unwrap().index] += 1.0;
        replaced[reference.draw_with_replacement(&mut rng).unwrap().index] += 1.0;
    }
    let q = all_q(&reference, 12);
    assert!(chi_square(&counts, &q) < 31.3, "{}", chi_square(&counts, &q));
    assert!(chi_square(&replaced, &q) < 31.3, "with replacement: {}", chi_square(&replaced, &q));
}

/// The joint law of two draws through `Evaluation`, against the product of q it reports for them: 60,000 pairs among
/// 5 items, 20 cells; above 43.8 once in a thousand seeds (19 degrees of freedom).
#[test]
fn two_draws_have_the_exact_joint_law() {
    let mut counts: HashMap<(usize, usize), f64> = HashMap::new();
    let mut law: HashMap<(usize, usize), f64> = HashMap::new();
    for seed in 0..60_000 {
        let mut evaluation = builder(5, ZeroOne).seed(Seed(seed)).build().unwrap();
        let (one, two) = (evaluation.ask().unwrap(), evaluation.ask().unwrap());
        *counts.entry((one.index, two.index)).or_insert(0.0) += 1.0;
        law.insert((one.index, two.index), one.q * two.q);
    }
    let cells: Vec<_> = law.keys().copied().collect();
    assert_eq!(cells.len(), 20);
    assert_close(law.values().sum(), 1.0, 1e-12, "the law sums to one");
    let (counts, law): (Vec<f64>, Vec<f64>) = cells.iter().map(|cell| (counts[cell], law[cell])).unzip();
    assert!(chi_square(&counts, &law) < 43.8, "{}", chi_square(&counts, &law));
}

#[test]
fn a_long_race_goes_on_where_a_heat_ended() {
    // More draws than the first heat holds: every item once, and each q that of its turn.
    let scores: Vec<f64> = (0..5000).map(|i| f64::from(i % 50)).collect();
    let mut proposal = proposal(&scores, Floor::default(), 4);
    let mut left: f64 = 5000.0;
    let mut seen = vec![false; 5000];
    let weights: Vec<f64> = all_q(&proposal, 5000).iter().map(|q| q * 5000.0).collect();
    let mut order = Vec::new();
    while let Some(drawn) = proposal.draw() {
        assert!(!std::mem::replace(&mut seen[drawn.index], true), "{} twice", drawn.index);
        assert_close(drawn.q, weights[drawn.index] / left, 1e-6, "q");
        left -= weights[drawn.index];
        order.push(drawn.index);
    }
    assert_eq!(order.len(), 5000);
}

//! The laws of stratified samples, by enumeration of every sample of a small pool. That LURE of a one-shot batch has no
//! bias is the law of LURE with scores that stay, which `check_estimator` enumerates.

use std::collections::HashMap;

use labelwise::conformance::check_estimator;
use labelwise::design::{DesignError, Strata, Stratification};
use labelwise::estimator::{Estimator, Sample, Stratified};
use labelwise::interval::{Basis, Caution, Method, interval};
use labelwise::ledger::{Evidence, Imputed, Ledger, Outcome};
use labelwise::loss::{AbsoluteError, Bounds, GaussianNll, Loss, Sign, ZeroOne};
use labelwise::{Classification, CrossEntropy, Error, Lure, Regression, Seed, Target};

use crate::pools::{assert_close, beliefs, label, losses, mean, pool, regression};

const LOSSES: [f64; 8] = [0.1, 0.0, 0.4, 2.0, 1.1, 0.7, 0.9, 3.5];
const STRATUM: [usize; 8] = [0, 0, 0, 1, 1, 1, 1, 2];
const SIZES: [usize; 3] = [3, 4, 1];

fn stratified() -> Stratified {
    Stratified::new(SIZES.to_vec(), STRATUM.into_iter().enumerate())
}

fn sample(items: &[usize]) -> Vec<Sample> {
    items.iter().map(|&item| Sample::plain(item, 1.0, LOSSES[item])).collect()
}

/// All subsets of so many of these items.
fn subsets(items: &[usize], count: usize) -> Vec<Vec<usize>> {
    let all = 0..1_usize << items.len();
    let chosen =
        |bits: usize| (0..items.len()).filter(|at| bits >> at & 1 == 1).map(|at| items[at]).collect();
    all.filter(|bits| bits.count_ones() as usize == count).map(chosen).collect()
}

/// Every stratified sample with these numbers of draws; all are as likely.
fn every_sample(counts: [usize; 3]) -> Vec<Vec<usize>> {
    let mut samples = vec![Vec::new()];
    for (stratum, count) in counts.into_iter().enumerate() {
        let items: Vec<usize> = (0..8).filter(|item| STRATUM[*item] == stratum).collect();
        let more = subsets(&items, count);
        samples = samples.iter().flat_map(|s| more.iter().map(move |more| [&s[..], more].concat())).collect();
    }
    samples
}

#[test]
fn the_stratified_mean_has_no_bias_for_any_allocation_and_neither_has_its_variance() {
    for first in 1..=3 {
        for second in 1..=4 {
            let samples = every_sample([first, second, 1]);
            let terms = samples.iter().map(|items| stratified().terms(&sample(items), 8).unwrap());
            let (values, variances): (Vec<f64>, Vec<Option<f64>>) =
                terms.map(|terms| (terms.value(), terms.variance())).unzip();
            assert_close(mean(&values), mean(&LOSSES), 1e-12, "the mean of all estimates");
            let squares: Vec<f64> = values.iter().map(|value| (value - mean(&LOSSES)).powi(2)).collect();
            if first > 1 && second > 1 {
                let variances: Vec<f64> = variances.into_iter().flatten().collect();
                assert_eq!(variances.len(), values.len());
                assert_close(mean(&variances), mean(&squares), 1e-12, "the mean of all variances");
            } else {
                assert!(variances.iter().all(Option::is_none), "one of many has no variance");
            }
        }
    }
}

#[test]
fn the_whole_pool_is_exact_and_keeps_the_contract_of_estimators() {
    let all: Vec<usize> = (0..8).collect();
    let terms = stratified().terms(&sample(&all), 8).unwrap();
    assert_close(terms.value(), mean(&LOSSES), 1e-15, "the whole pool");
    assert_eq!(terms.variance(), Some(0.0));
    let exact = interval(
        &Evidence::from_samples(sample(&all), 8),
        &stratified(),
        Method::Ordinary,
        Target::Pool,
        0.95,
    )
    .unwrap();
    assert_eq!(exact.basis, Basis::WholePool);
    assert_close(exact.low, mean(&LOSSES), 1e-15, "its lower end");
    assert_close(exact.high, mean(&LOSSES), 1e-15, "its upper end");
    check_estimator(&Stratified::new(vec![5], (0..5).map(|item| (item, 0)))).unwrap();
}

#[test]
fn one_stratum_is_uniform_sampling() {
    let one = Stratified::new(vec![8], (0..8).map(|item| (item, 0)));
    let samples = sample(&[6, 1, 3, 4]);
    let (stratified, plain) =
        (one.terms(&samples, 8).unwrap(), labelwise::estimator::Iid.terms(&samples, 8).unwrap());
    assert_close(stratified.value(), plain.value(), 1e-15, "the mean");
    assert_close(stratified.variance().unwrap(), plain.variance().unwrap(), 1e-12, "its variance");
    assert!(one.weights(&samples, 8).unwrap().iter().all(|v| (v - 1.0).abs() < 1e-12));
}

#[test]
fn samples_that_cannot_be_are_refused_in_words() {
    let of = |items: &[usize]| stratified().estimate(&sample(items), 8).unwrap_err();
    let unlabelled = DesignError::Unlabelled { stratum: 3, strata: 3 };
    assert_eq!(of(&[0, 3]), unlabelled.into());
    let few = Stratified::new(vec![1, 7], [(0, 0), (1, 0), (3, 1)]);
    let turns = DesignError::Turns { stratum: 1, size: 1, draws: 2 };
    assert_eq!(few.estimate(&sample(&[0, 1, 3]), 8).unwrap_err(), turns.into());
    let stranger = DesignError::Stranger { item: 7 };
    assert_eq!(few.estimate(&sample(&[0, 3, 7]), 8).unwrap_err(), stranger.into());
    let sizes = DesignError::Sizes { items: 8, pool_size: 9 };
    assert_eq!(stratified().estimate(&sample(&[0, 3, 7]), 9).unwrap_err(), sizes.into());
    for method in [Method::Guaranteed, Method::Anytime { planned: 3 }] {
        let evidence = Evidence::from_samples(sample(&[0, 1, 3, 4, 7]), 8);
        let error = interval(&evidence, &stratified(), method, Target::Pool, 0.95).unwrap_err();
        assert_eq!(error, DesignError::NotAtAnyTime.into());
    }
}

/// Every pool of eight with losses 0 and 1, every sample of it, counted: the guaranteed interval covers as often as it
/// says, whatever the losses are.
#[test]
fn the_guaranteed_interval_covers_every_pool() {
    let certain = |losses: &[f64], items: &[usize], level: f64| {
        let samples: Vec<Sample> = items.iter().map(|&item| Sample::plain(item, 1.0, losses[item])).collect();
        let left = (8 - items.len()) as f64;
        let evidence = Evidence {
            range: Some(Bounds { low: 0.0, high: 1.0 }),
            unlabelled: Some(Bounds { low: 0.0, high: left }),
            ..Evidence::from_samples(samples, 8)
        };
        let method = Method::GuaranteedAtBudget;
        interval(&evidence, &stratified(), method, Target::Pool, level).unwrap()
    };
    let mut lowest = 1.0_f64;
    for level in [0.5, 0.8, 0.95] {
        for counts in [[1, 2, 1], [2, 1, 1], [2, 3, 1]] {
            let samples = every_sample(counts);
            // Of the same losses seen there is the same interval.
            let mut found = HashMap::new();
            for pattern in 0..256_usize {
                let losses: Vec<f64> = (0..8).map(|item| (pattern >> item & 1) as f64).collect();
                let mut covers = |items: &Vec<usize>| {
                    let seen: Vec<bool> = items.iter().map(|item| losses[*item] > 0.0).collect();
                    let key = (items.clone(), seen);
                    found.entry(key).or_insert_with(|| certain(&losses, items, level)).covers(mean(&losses))
                };
                let covered = samples.iter().filter(|items| covers(items)).count();
                let coverage = covered as f64 / samples.len() as f64;
                assert!(coverage >= level, "{coverage} of {losses:?} at {level}");
                lowest = lowest.min(coverage);
            }
        }
    }
    // It is not the whole range that covers.
    assert!(lowest < 1.0);
}

#[test]
fn all_zero_losses_are_guarded() {
    let strata = Stratified::new(vec![100, 100], (0..200).map(|item| (item, item / 100)));
    let samples: Vec<Sample> = (0..60).map(|item| Sample::plain(item * 3, 1.0, 0.0)).collect();
    let bare = Evidence::from_samples(samples, 200);
    let range = Some(Bounds { low: 0.0, high: 1.0 });
    let unlabelled = Some(Bounds { low: 0.0, high: 140.0 });
    let evidence = Evidence { range, unlabelled, ..bare.clone() };
    let guarded = interval(&evidence, &strata, Method::Ordinary, Target::Pool, 0.95).unwrap();
    assert_eq!((guarded.basis, guarded.caution), (Basis::Chernoff, Some(Caution::FewHits)));
    // Sixty uniform draws without a hit leave 1 − (0.025)^(1/60) by the binomial, and strata of 34 and 26 a little more.
    assert!(guarded.low == 0.0 && (0.059..0.075).contains(&guarded.high), "{guarded:?}");
    let wider = interval(&evidence, &strata, Method::Ordinary, Target::Population, 0.95).unwrap();
    assert!(wider.high > guarded.high);
    let error = interval(&bare, &strata, Method::GuaranteedAtBudget, Target::Pool, 0.95).unwrap_err();
    assert_eq!(error, Error::Unbounded);
}

/// All of a budget drawn and labelled.
fn labelled(
    budget: usize,
    strata: usize,
    seed: u64,
) -> (Stratification<Classification>, Ledger<Classification>) {
    let (pool, loss) = (pool(120, 3), CrossEntropy::default());
    let design = Stratification::new(&pool, &loss, &beliefs(&pool), budget, strata, Seed(seed)).unwrap();
    let mut ledger = design.ledger();
    for (place, draw) in design.draws().iter().enumerate() {
        let label = label(draw.index, 3);
        let loss = loss.loss(pool.predictions().reader().row(draw.index), label);
        ledger.settle(place, Outcome::Labelled { label, loss });
    }
    (design, ledger)
}

/// Strata, allocation and draws together. The mean of 3,000 errors has a standard error of 0.018 standard deviations; a
/// bias of 0.1 would be seen, and nothing taken for it but once in millions of seeds.
#[test]
fn a_stratified_sample_has_no_bias_and_its_variance_is_right() {
    let pool = pool(120, 3);
    let risk = mean(&losses(&pool, &CrossEntropy::default(), |item| label(item, 3)));
    let (mut errors, mut variances) = (Vec::new(), Vec::new());
    for seed in 0..3000 {
        let estimate = {
            let (_, ledger) = labelled(40, 5, seed);
            ledger.estimate(&ledger.by_strata().unwrap()).unwrap()
        };
        errors.push(estimate.value - risk);
        variances.push(estimate.standard_error.unwrap().powi(2));
    }
    let square = mean(&errors.iter().map(|e| e * e).collect::<Vec<_>>());
    assert!(mean(&errors).abs() < 0.1 * square.sqrt(), "bias {} of {}", mean(&errors), square.sqrt());
    assert!((mean(&variances) / square - 1.0).abs() < 0.1, "{} and {square}", mean(&variances));
}

#[test]
fn draws_are_the_budget_of_different_items_and_follow_the_seed() {
    let (design, ledger) = labelled(40, 5, 1);
    let strata = design.strata();
    assert_eq!((design.draws().len(), strata.counts().iter().sum::<usize>()), (40, 40));
    assert_eq!(strata.sizes().iter().sum::<usize>(), 120);
    let mut items: Vec<usize> = design.draws().iter().map(|draw| draw.index).collect();
    items.sort_unstable();
    items.dedup();
    assert_eq!(items.len(), 40);
    assert_eq!(labelled(40, 5, 1).0, design);
    assert_ne!(labelled(40, 5, 2).0.draws(), design.draws());
    // More of each stratum are the same first.
    let larger = labelled(60, 5, 1).0;
    for stratum in 0..5 {
        let of = |design: &Stratification<Classification>| -> Vec<usize> {
            let draws = design.draws().iter().zip(design.strata().turns());
            draws.filter(|(_, turn)| **turn == stratum).map(|(draw, _)| draw.index).collect()
        };
        let (few, many) = (of(&design), of(&larger));
        let shared = few.len().min(many.len());
        assert_eq!(few[..shared], many[..shared]);
    }
    assert_eq!(ledger.report(Target::Pool, 0.95).unwrap().estimator, "stratified mean");
}

#[test]
fn the_whole_pool_as_a_budget_is_exact() {
    let risk = mean(&losses(&pool(120, 3), &CrossEntropy::default(), |item| label(item, 3)));
    let (_, ledger) = labelled(120, 7, 3);
    let report = ledger.report(Target::Pool, 0.95).unwrap();
    assert_close(report.estimate.value, risk, 1e-12, "the estimate");
    assert_eq!(report.estimate.standard_error, Some(0.0));
    let interval = report.interval.unwrap();
    assert!(interval.covers(risk) && interval.high - interval.low < 1e-12);
    // Of the population, the pool is but a sample.
    let population = ledger.report(Target::Population, 0.95).unwrap().interval.unwrap();
    assert!(population.high - population.low > 0.1);
}

#[test]
fn the_population_is_wider_by_the_variance_of_the_pool() {
    let (_, ledger) = labelled(60, 5, 3);
    let estimator = ledger.by_strata().unwrap();
    let [pool, population] = [Target::Pool, Target::Population]
        .map(|target| ledger.interval(&estimator, Method::Ordinary, target, 0.95).unwrap());
    assert!(population.low < pool.low && population.high > pool.high);
}

#[test]
fn designs_that_cannot_be_are_refused() {
    let (pool, loss) = (pool(30, 3), ZeroOne);
    let beliefs = beliefs(&pool);
    let design = |budget, strata| Stratification::new(&pool, &loss, &beliefs, budget, strata, Seed(1));
    assert_eq!(design(31, 3).unwrap_err(), Error::Budget { budget: 31, left: 30, pool_size: 30 });
    assert_eq!(design(10, 0).unwrap_err(), DesignError::NoStrata.into());
    let budget = DesignError::BudgetOfStrata { budget: 9, strata: 5, least: 10 };
    assert_eq!(design(9, 5).unwrap_err(), budget.into());
    assert_eq!(design(10, 5).unwrap().strata().counts(), [2; 5]);
    assert!(design(30, 30).unwrap().strata().sizes().iter().all(|size| *size > 0));
}

#[test]
fn each_stratum_counts_as_far_as_it_waits_for_nothing() {
    let strata = Strata::new(vec![10, 20], vec![0, 1, 0, 1, 1]).unwrap();
    let (pool, loss) = (pool(30, 3), CrossEntropy::default());
    let design = Stratification::new(&pool, &loss, &beliefs(&pool), 20, 2, Seed(1)).unwrap();
    let facts = *design.ledger().facts();
    let mut ledger: Ledger<Classification> = Ledger::stratified(facts, strata);
    design.draws().iter().take(5).for_each(|draw| ledger.push(*draw));
    let settle = |ledger: &mut Ledger<_>, place: usize, loss: f64| {
        ledger.settle(place, Outcome::Labelled { label: 0, loss });
    };
    let estimate = |ledger: &Ledger<_>| ledger.estimate(&ledger.by_strata().unwrap());
    settle(&mut ledger, 1, 0.2);
    settle(&mut ledger, 4, 9.0);
    assert_eq!(estimate(&ledger).unwrap_err(), DesignError::Unlabelled { stratum: 1, strata: 2 }.into());
    settle(&mut ledger, 0, 0.5);
    // The last label waits for the one before it in its stratum.
    let early = estimate(&ledger).unwrap();
    assert_close(early.value, (10.0 * 0.5 + 20.0 * 0.2) / 30.0, 1e-12, "one of each");
    assert_eq!((early.standard_error, early.labels), (None, 2));
    assert_eq!(ledger.report(Target::Pool, 0.95).unwrap().waiting, 1);
    settle(&mut ledger, 3, 0.4);
    let more = estimate(&ledger).unwrap();
    assert_close(
        more.value,
        (10.0 * 0.5 + 20.0 * (0.2 + 0.4 + 9.0) / 3.0) / 30.0,
        1e-12,
        "three of the second",
    );
    // An item that was missing at random was never in its stratum.
    ledger.settle(2, Outcome::MissingAtRandom);
    let fewer = estimate(&ledger).unwrap();
    assert_close(fewer.value, (9.0 * 0.5 + 20.0 * 3.2) / 29.0, 1e-12, "one fewer");
    // One that was skipped may be anything.
    ledger.settle(2, Outcome::Skipped);
    let skipped = estimate(&ledger).unwrap().skipped.unwrap();
    let bounds = ledger.draws()[2].bounds.unwrap();
    assert_close(skipped.low, (10.0 * (0.5 + bounds.low) / 2.0 + 20.0 * 3.2) / 30.0, 1e-12, "at its lowest");
    assert_close(
        skipped.high,
        (10.0 * (0.5 + bounds.high) / 2.0 + 20.0 * 3.2) / 30.0,
        1e-12,
        "at its highest",
    );
}

#[test]
fn nothing_else_is_made_of_draws_within_strata() {
    let (_, ledger) = labelled(40, 5, 1);
    let refused = DesignError::DrawnWithinStrata { estimator: "LURE" };
    assert_eq!(ledger.estimate(&Lure).unwrap_err(), refused.clone().into());
    assert_eq!(ledger.report_by(&Lure, Method::Ordinary, Target::Pool, 0.95).unwrap_err(), refused.into());
    assert!(ledger.evidence(Imputed::Expected).is_err());
    let mut evaluation = crate::pools::zero_one(30);
    evaluation.run(5, &mut |item| Ok(label(item, 3))).unwrap();
    let error = evaluation.estimate(&stratified()).unwrap_err();
    assert_eq!(error, DesignError::DrawnFromWholePool.into());
}

/// Losses that may be negative, and losses without bounds.
#[test]
fn every_loss_has_a_stratified_mean() {
    let (pool, beliefs) = regression(90);
    let own: [&dyn Loss<Regression>; 2] = [&GaussianNll::default(), &AbsoluteError::default()];
    for loss in own {
        let design = Stratification::new(&pool, loss, &beliefs, 60, 4, Seed(5)).unwrap();
        let mut ledger = design.ledger();
        let label = |item: usize| (item as f64 * 0.7).sin() + 0.4 * (item as f64).cos();
        let all = losses(&pool, loss, label);
        for (place, draw) in design.draws().iter().enumerate() {
            let label = label(draw.index);
            ledger.settle(place, Outcome::Labelled { label, loss: all[draw.index] });
        }
        let interval = ledger.report(Target::Pool, 0.999).unwrap().interval.unwrap();
        let log = matches!(interval.basis, Basis::LogT { .. });
        assert_eq!(log, loss.sign() == Sign::NonNegative);
        assert!(interval.covers(mean(&all)), "{interval:?} of {}", mean(&all));
    }
}

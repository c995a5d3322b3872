//! Comparing models: the difference of two losses is a loss, paired draws have no bias, and ties count
//! exactly.

use labelwise::acquisition::{Acquisition, Candidates};
use labelwise::compare::{CompareError, Contest, Question, Rival, Rivals, Versus, compare, standings, ties};
use labelwise::conformance::every_path;
use labelwise::estimator::{ControlledLure, Estimator};
use labelwise::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use labelwise::loss::{
    AbsoluteError, Bounds, Brier, CostMatrix, Custom, ExpectedLosses, GaussianNll, Loss, Sign, ZeroOne,
};
use labelwise::task::GaussianBelief;
use labelwise::{
    Classification, CrossEntropy, Error, Evaluation, Fixed, Lure, Matrix, Pool, Regression, Seed,
    SquaredError,
};

use crate::pools::{assert_close, label, mean, probabilities};

pub(crate) type Pair = Pool<Rivals<Classification>>;

/// Scores that may look at the past.
type Design<'a> = &'a dyn Fn(&[(usize, f64)]) -> Vec<f64>;

/// Models of three classes; the second is the first but for the items that `differs` names.
pub(crate) fn rivals(rows: usize, models: u64, differs: impl Fn(usize) -> bool) -> Pair {
    let first = probabilities(rows, 3, 1);
    let models: Vec<Matrix> = (0..models)
        .map(|model| {
            let other = probabilities(rows, 3, 11 + model);
            let row = |item: usize| if model > 0 && differs(item) { &other } else { &first };
            let values = (0..rows).flat_map(|item| row(item)[3 * item..3 * item + 3].to_vec());
            Matrix::f64(values.collect::<Vec<f64>>(), 3).unwrap()
        })
        .collect();
    Pool::rivals(&models).unwrap()
}

/// The losses of every item by a loss of the pool.
fn losses<T: Rival>(pool: &Pool<Rivals<T>>, loss: &Versus<T>, label: impl Fn(usize) -> T::Label) -> Vec<f64> {
    let mut reader = pool.predictions().reader();
    (0..pool.pool_size()).map(|item| loss.loss(reader.row(item), label(item))).collect()
}

fn class_losses() -> Vec<Box<dyn Loss<Classification>>> {
    let costs = Matrix::f64(vec![0.0, 1.0, 5.0, 2.0, -1.0, 0.5, 3.0, 1.0, 0.0], 3).unwrap();
    vec![
        Box::new(CrossEntropy::default()),
        Box::new(ZeroOne),
        Box::new(Brier),
        Box::new(CostMatrix::new(&costs).unwrap()),
        Box::new(Custom::non_negative(|f: &[f64], y: usize| (1.0 - f[y]).sqrt())),
    ]
}

#[test]
fn moments_and_bounds_of_class_differences_are_over_the_classes() {
    let (pool, beliefs) = (rivals(60, 3, |item| item % 4 > 0), probabilities(60, 3, 2));
    for plain in class_losses() {
        let each: Vec<f64> = (0..3).map(|y| plain.loss(&[0.2, 0.3, 0.5], y)).collect();
        let mut table = Vec::new();
        if plain.of_every_class(&[0.2, 0.3, 0.5], &mut table) {
            assert!(each.iter().zip(&table).all(|(a, b)| (a - b).abs() < 1e-14), "{}", plain.name());
        }
        let name = plain.name();
        let versus = Versus::between(plain, 3, 2, 1);
        let alone = versus.of(2, None);
        let mut reader = pool.predictions().reader();
        let mut together = ExpectedLosses::new(60);
        let belief_rows = Matrix::f64(beliefs.clone(), 3).unwrap();
        versus.expected_losses(reader.rows(0..60), belief_rows.reader().rows(0..60), &mut together);
        for item in 0..60 {
            let row = pool.predictions().reader().row(item).to_vec();
            let pi = &beliefs[3 * item..3 * item + 3];
            let difference = |y: usize| alone.loss(&row, y) - versus.of(1, None).loss(&row, y);
            let each: Vec<f64> = (0..3).map(difference).collect();
            assert!((0..3).all(|y| (versus.loss(&row, y) - each[y]).abs() < 1e-12), "{name} of {item}");
            let moments = versus.moments(&row, pi);
            assert_close(moments.first, pi.iter().zip(&each).map(|(p, d)| p * d).sum(), 1e-12, name);
            assert_close(moments.second, pi.iter().zip(&each).map(|(p, d)| p * d * d).sum(), 1e-12, name);
            let Bounds { low, high } = versus.bounds(&row).unwrap();
            assert_close(low, each.iter().copied().fold(f64::INFINITY, f64::min), 1e-12, name);
            assert_close(high, each.iter().copied().fold(f64::NEG_INFINITY, f64::max), 1e-12, name);
            if let Some(range) = versus.range() {
                assert!(range.low <= low && high <= range.high, "{name}: {low} to {high}");
            }
            // To the last bit: the draws depend on it.
            let expected = (moments.first, moments.second, low, high);
            let ExpectedLosses { first, second, low, high } = &together;
            assert_eq!((first[item], second[item], low[item], high[item]), expected, "{name} of {item}");
        }
    }
}

#[test]
fn moments_and_bounds_of_value_differences() {
    let range = |name: &str| -> Box<dyn Loss<Regression>> {
        match name {
            "squared" => Box::new(SquaredError::with_label_range(-2.0, 3.0).unwrap()),
            "absolute" => Box::new(AbsoluteError::with_label_range(-2.0, 3.0).unwrap()),
            _ => Box::new(GaussianNll::with_label_range(-2.0, 3.0).unwrap()),
        }
    };
    let row = [0.4, 0.5, 1.1, 0.2];
    let belief = GaussianBelief { mean: 0.9, variance: 0.3, epistemic: None };
    for (name, tolerance) in [("squared", 1e-9), ("absolute", 1e-2), ("likelihood", 1e-9)] {
        let versus = Versus::between(range(name), 2, 0, 1);
        let (mut first, mut second) = (0.0, 0.0);
        let (steps, width) = (100_000, 24.0 / 100_000.0);
        for step in 0..steps {
            let z = -12.0 + (f64::from(step) + 0.5) * width;
            let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt() * width;
            let difference = versus.loss(&row, belief.mean + belief.variance.sqrt() * z);
            first += density * difference;
            second += density * difference * difference;
        }
        let moments = versus.moments(&row, belief);
        assert_close(moments.first, first, tolerance, name);
        assert_close(moments.second, second, tolerance, name);
        let all: Vec<f64> =
            (0..=5000).map(|step| versus.loss(&row, -2.0 + f64::from(step) * 0.001)).collect();
        let Bounds { low, high } = versus.bounds(&row).unwrap();
        assert_close(low, all.iter().copied().fold(f64::INFINITY, f64::min), 1e-5, name);
        assert_close(high, all.iter().copied().fold(f64::NEG_INFINITY, f64::max), 1e-5, name);
    }
    // Without a range there are bounds for items that say the same, and for no others.
    let free = Versus::between(SquaredError::default(), 2, 0, 1);
    assert_eq!(free.bounds(&row), None);
    assert_eq!(free.bounds(&[0.4, 0.5, 0.4, 0.5]), Some(Bounds { low: 0.0, high: 0.0 }));
}

#[test]
fn the_score_is_the_root_mean_square_of_all_pairs() {
    let pool = rivals(50, 3, |_| true);
    let versus = Versus::between(Brier, 3, 0, 1);
    let beliefs = pool.own_beliefs().unwrap();
    let scores = |models: usize, baseline: Option<usize>| {
        let candidates = Candidates {
            pool: &pool,
            loss: &versus,
            beliefs: &beliefs,
            first: &[],
            second: vec![0.0; 50],
            open: &[true; 50],
            observed: &[],
        };
        Contest::new(&versus, models, baseline).scores(candidates).unwrap()
    };
    let (all, against, two) = (scores(3, None), scores(3, Some(1)), scores(2, None));
    let (mut rows, mut believed) = (pool.predictions().reader(), beliefs.rows().reader());
    for item in 0..50 {
        let (row, belief) = (rows.row(item), believed.row(item));
        let second = |one, other| versus.of(one, Some(other)).moments(row, belief).second;
        assert_close(all[item].powi(2), second(0, 1) + second(0, 2) + second(1, 2), 1e-12, "all pairs");
        assert_close(against[item].powi(2), second(0, 1) + second(2, 1), 1e-12, "against the second");
        assert_close(two[item].powi(2), second(0, 1), 1e-12, "two models");
        // The surrogate is the mean of all three.
        let mean = |y: usize| (row[y] + row[3 + y] + row[6 + y]) / 3.0;
        assert!((0..3).all(|y| (belief[y] - mean(y)).abs() < 1e-15));
    }
}

/// Every order of draws from the items that are not tied, as the ledger of a comparison has it.
fn ledgers(
    pool: &Pair,
    loss: &Versus<Classification>,
    budget: usize,
    scores: impl Fn(&[(usize, f64)]) -> Vec<f64>,
) -> Vec<(f64, Ledger<Rivals<Classification>>)> {
    let tied = ties(pool, loss);
    let open: Vec<usize> = (0..pool.pool_size()).filter(|item| !tied.contains(item)).collect();
    let differences = losses(pool, loss, |item| label(item, 3));
    let beliefs = probabilities(pool.pool_size(), 3, 2);
    let expected: Vec<f64> = (0..pool.pool_size())
        .map(|item| {
            let row = pool.predictions().reader().row(item).to_vec();
            loss.moments(&row, &beliefs[3 * item..3 * item + 3]).first
        })
        .collect();
    let paths = every_path(open.len(), budget, |past| {
        let past: Vec<(usize, f64)> = past.iter().map(|&(item, q)| (open[item], q)).collect();
        let scores = scores(&past);
        open.iter().map(|&item| scores[item]).collect()
    });
    let known = KnownItems { count: tied.len(), sum: 0.0, square_sum: 0.0 };
    let (pool_size, sign) = (pool.pool_size(), Sign::Signed);
    paths
        .into_iter()
        .map(|path| {
            let mut ledger = Ledger::new(PoolFacts { pool_size, known, bounds: None, range: None, sign });
            let mut left: f64 = open.iter().map(|&item| expected[item]).sum();
            for (place, &(at, q)) in path.draws.iter().enumerate() {
                let index = open[at];
                let (control, control_total) = (expected[index], left);
                left -= control;
                let (ratio_bounds, bounds) = (None, None);
                ledger.push(Draw {
                    index,
                    q,
                    mass: 1.0,
                    control,
                    control_total,
                    ratio_bounds,
                    bounds,
                    refresh: 0,
                });
                let label = label(index, 3);
                ledger.settle(place, Outcome::Labelled { label, loss: differences[index] });
            }
            (path.probability, ledger)
        })
        .collect()
}

#[test]
fn the_paired_difference_has_no_bias_whatever_the_proposal() {
    let pool = rivals(8, 2, |item| item != 2 && item != 5);
    for plain in class_losses() {
        let name = plain.name();
        let versus = Versus::between(plain, 3, 0, 1);
        let differences = losses(&pool, &versus, |item| label(item, 3));
        let own = pool.own_beliefs().unwrap();
        let second = |item: usize| {
            let (row, belief) =
                (pool.predictions().reader().row(item).to_vec(), own.rows().reader().row(item).to_vec());
            versus.moments(&row, &belief).second.sqrt() + 0.05
        };
        let scored: Vec<f64> = (0..8).map(second).collect();
        let adaptive = |past: &[(usize, f64)]| -> Vec<f64> {
            let seen: f64 = past.iter().map(|(item, _)| differences[*item]).sum();
            (0..8).map(|item| 0.1 + (seen * 1.7 + f64::from(item)).sin().powi(2)).collect()
        };
        let designs: [(&str, Design<'_>); 3] =
            [("its own", &|_| scored.clone()), ("uniform", &|_| vec![1.0; 8]), ("labels", &adaptive)];
        for (design, scores) in designs {
            for budget in 1..=4 {
                let paths = ledgers(&pool, &versus, budget, scores);
                for estimator in [&Lure as &dyn Estimator, &ControlledLure] {
                    let value = |ledger: &Ledger<_>| ledger.estimate(estimator).unwrap().value;
                    let found: f64 = paths.iter().map(|(p, ledger)| p * value(ledger)).sum();
                    let what = format!("{name}, {design}, {budget} labels, {}", estimator.name());
                    assert_close(found, mean(&differences), 1e-10, &what);
                }
            }
        }
        // With every item that is not tied labelled, nothing is left to estimate.
        let untied = 8 - ties(&pool, &versus).len();
        for (_, ledger) in ledgers(&pool, &versus, untied, |_| scored.clone()).iter().step_by(97) {
            let verdict = compare(ledger, &Question::default()).unwrap();
            assert_close(verdict.difference(), mean(&differences), 1e-12, name);
            let interval = verdict.report.interval.unwrap();
            assert_close(interval.low, mean(&differences), 1e-12, name);
            assert_close(interval.high, mean(&differences), 1e-12, name);
        }
    }
}

#[test]
fn ties_are_never_drawn_and_count_exactly() {
    let pool = rivals(200, 2, |item| item % 3 == 0);
    let versus = Versus::between(ZeroOne, 3, 0, 1);
    let tied = ties(&pool, &versus);
    let agree = |item: &usize| {
        let row = pool.predictions().reader().row(*item).to_vec();
        let top = |row: &[f64]| (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        top(&row[..3]) == top(&row[3..])
    };
    assert_eq!(tied, (0..200).filter(agree).collect::<Vec<usize>>());
    assert!(tied.len() > 133 && tied.len() < 190, "{} ties test something", tied.len());
    // By cross-entropy only rows that are the same tie.
    let same = ties(&pool, &Versus::between(CrossEntropy::default(), 3, 0, 1));
    assert_eq!(same, (0..200).filter(|item| item % 3 > 0).collect::<Vec<usize>>());

    let surrogate = Fixed(pool.own_beliefs().unwrap());
    let exact = mean(&losses(&pool, &versus, |item| label(item, 3)));
    let mut evaluation =
        Evaluation::comparison(pool, ZeroOne, surrogate).unwrap().seed(Seed(3)).build().unwrap();
    let untied = 200 - tied.len();
    assert_eq!(evaluation.left(), untied);
    evaluation.run(untied, &mut |item| Ok(label(item, 3))).unwrap();
    assert!(evaluation.draws().iter().all(|draw| !tied.contains(&draw.index)));
    let verdict = compare(evaluation.ledger(), &Question::default()).unwrap();
    assert_close(verdict.difference(), exact, 1e-12, "the whole pool");
    assert!(exact != 0.0 && verdict.decided() && verdict.p_value.unwrap() < 1e-8, "{:?}", verdict.p_value);
}

#[test]
fn values_are_compared_too() {
    let rows = 300;
    let model = |shift: f64| {
        let mean = move |i: usize| (i as f64 * 0.7).sin() + if i.is_multiple_of(5) { 0.0 } else { shift };
        Matrix::f64((0..rows).map(mean).collect::<Vec<f64>>(), 1).unwrap()
    };
    let truth = |item: usize| (item as f64 * 0.7).sin() + 0.4 * (item as f64 * 1.3).cos();
    let pool = Pool::<Rivals<Regression>>::rivals(&[model(0.0), model(0.3)]).unwrap();
    let versus = Versus::between(SquaredError::default(), 1, 0, 1);
    let exact = mean(&losses(&pool, &versus, truth));
    assert_eq!(ties(&pool, &versus).len(), 60);
    // Of 400 intervals at 95 %, 380 ± 4.4 cover; fewer than 364 would be seen once in thousands of seeds.
    let mut covered = 0;
    for seed in 0..400 {
        let own = Fixed(pool.own_beliefs().unwrap());
        let builder = Evaluation::comparison(pool.clone(), SquaredError::default(), own).unwrap();
        let mut evaluation = builder.seed(Seed(seed)).build().unwrap();
        evaluation.run(100, &mut |item| Ok(truth(item))).unwrap();
        let verdict = compare(evaluation.ledger(), &Question::default()).unwrap();
        assert_eq!(verdict.report.usefulness, 1.0, "an expectation of 0 everywhere explains nothing");
        assert!(verdict.difference() < 0.0 && verdict.decided());
        covered += usize::from(verdict.report.interval.unwrap().covers(exact));
        if seed % 100 == 0 {
            evaluation.run(140, &mut |item| Ok(truth(item))).unwrap();
            let whole = compare(evaluation.ledger(), &Question::default()).unwrap();
            assert_close(whole.difference(), exact, 1e-12, "all");
        }
    }
    assert!((364..=396).contains(&covered), "{covered} of 400");
}

#[test]
fn several_models_stand_against_a_baseline_or_the_leader() {
    let pool = rivals(300, 4, |_| true);
    let truth = |item: usize| {
        // The third model is right more often than not.
        let row = pool.predictions().reader().row(item).to_vec();
        let third = &row[6..9];
        if item % 5 < 3 {
            (0..3).max_by(|&a, &b| third[a].total_cmp(&third[b])).unwrap()
        } else {
            label(item, 3)
        }
    };
    let own = Fixed(pool.own_beliefs().unwrap());
    let mut evaluation = Evaluation::comparison(pool.clone(), ZeroOne, own).unwrap().build().unwrap();
    evaluation.run(200, &mut |item| Ok(truth(item))).unwrap();
    let versus = Versus::between(ZeroOne, 3, 0, 1);
    let question = Question::default();
    let mut by = |one: usize, other: usize| evaluation.ledger_for(&pool, &versus.of(one, Some(other)));
    let led = standings(4, None, &question, &mut by).unwrap();
    assert_eq!(led.reference, 2);
    assert_eq!(led.others.iter().map(|(model, _)| *model).collect::<Vec<_>>(), [0, 1, 3]);
    let named = standings(4, Some(0), &question, &mut by).unwrap();
    assert_eq!(named.reference, 0);
    for (standings, count) in [(&led, 6), (&named, 3)] {
        for (model, verdict) in &standings.others {
            let other = standings.reference;
            assert_eq!(verdict.comparisons, count);
            let difference = losses(&pool, &versus.of(*model, Some(other)), truth);
            let interval = verdict.report.interval.unwrap();
            assert!(interval.covers(mean(&difference)), "{model} against {other}: {interval:?}");
            assert_close(interval.level, 1.0 - 0.05 / f64::from(count as u32), 1e-12, "the corrected level");
            assert_eq!(verdict.decided(), verdict.p_value.unwrap() < 0.05);
        }
    }
    assert!(led.others.iter().all(|(_, verdict)| verdict.difference() > 0.0 && verdict.decided()));
    assert!(matches!(
        standings(4, Some(4), &question, &mut by),
        Err(Error::Compare(CompareError::NoSuchModel { model: 4, models: 4 }))
    ));
}

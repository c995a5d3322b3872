//! Intervals: exact guarantees by enumeration, and what the report says about them.

use labelwise::acquisition::Uniform;
use labelwise::conformance::every_path;
use labelwise::estimator::{Estimator, Iid, RatioBounds, RegressionLure, Sample};
use labelwise::interval::{Basis, Caution, Interval, Method, interval};
use labelwise::ledger::{Evidence, KnownItems};
use labelwise::loss::{Bounds, Sign, ZeroOne};
use labelwise::report::Warning;
use labelwise::{CrossEntropy, Error, Lure, Seed, SquaredError, Target};

use crate::pools::{assert_close, builder, label, losses, mean, regression, zero_one};

const LOSSES: [f64; 6] = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
const SCORES: [f64; 6] = [0.5, 1.0, 2.0, 0.4, 0.8, 1.3];

/// The evidence of the first draws of an enumerated path, with losses known to lie between 0 and 1.
fn evidence(draws: &[(usize, f64)]) -> Evidence {
    let mut samples = Vec::new();
    for (m, &(index, q)) in draws.iter().enumerate() {
        let left = (0..6).filter(|item| draws[..m].iter().all(|(drawn, _)| drawn != item));
        let (sum, least) = left.fold((0.0, f64::INFINITY), |(sum, least), item| {
            (sum + SCORES[item], f64::min(least, SCORES[item]))
        });
        let ratio_bounds = Some(RatioBounds { low: 0.0, high: sum / least });
        samples.push(Sample {
            index,
            q,
            loss: LOSSES[index],
            control: 0.0,
            control_total: 0.0,
            ratio_bounds,
        });
    }
    let unlabelled = Some(Bounds { low: 0.0, high: (6 - draws.len()) as f64 });
    let range = Some(Bounds { low: 0.0, high: 1.0 });
    Evidence {
        samples,
        pool_size: 6,
        known: KnownItems::default(),
        unlabelled,
        range,
        sign: Sign::NonNegative,
        imputed: 0,
        belief: None,
        noise: 0.0,
    }
}

fn covers(draws: &[(usize, f64)], method: Method, level: f64) -> bool {
    let Interval { low, high, .. } = interval(&evidence(draws), &Lure, method, Target::Pool, level).unwrap();
    low <= mean(&LOSSES) + 1e-12 && mean(&LOSSES) <= high + 1e-12
}

/// The promise of the confidence sequence, exactly: the probability that it ever misses is at most 1 − level. At a
/// low level, where it is not kept merely by being wide.
#[test]
fn the_betting_sequence_covers_at_all_times_at_once() {
    for level in [0.05, 0.3, 0.6, 0.95] {
        let paths = every_path(6, 6, |_| SCORES.to_vec());
        let always = |draws: &[(usize, f64)]| (1..=6).all(|t| covers(&draws[..t], Method::Guaranteed, level));
        let covered: f64 = paths.iter().filter(|path| always(&path.draws)).map(|path| path.probability).sum();
        assert!(covered >= level, "{covered} at level {level}");
    }
}

#[test]
fn betting_at_a_budget_covers_there() {
    for level in [0.05, 0.3, 0.6, 0.95] {
        for budget in 1..=6 {
            let paths = every_path(6, budget, |_| SCORES.to_vec());
            let covered = paths.iter().filter(|path| covers(&path.draws, Method::GuaranteedAtBudget, level));
            let covered: f64 = covered.map(|path| path.probability).sum();
            assert!(covered >= level - 1e-12, "{covered} at level {level} with {budget}");
        }
    }
}

#[test]
fn guaranteed_intervals_shrink_to_the_point() {
    for path in every_path(6, 6, |_| SCORES.to_vec()).iter().step_by(53) {
        for method in [Method::Guaranteed, Method::GuaranteedAtBudget, Method::Ordinary] {
            let found = interval(&evidence(&path.draws), &Lure, method, Target::Pool, 0.95).unwrap();
            assert_close(found.low, 0.5, 1e-9, "low");
            assert_close(found.high, 0.5, 1e-9, "high");
        }
    }
}

#[test]
fn intervals_lie_within_what_is_certain_and_around_the_estimate() {
    let mut evaluation = builder(400, CrossEntropy::default()).build().unwrap();
    evaluation.run(150, &mut |item| Ok(label(item, 3))).unwrap();
    let evidence = evaluation.evidence(labelwise::ledger::Imputed::Expected).unwrap();
    let certain = evidence.certain();
    for method in
        [Method::Ordinary, Method::Guaranteed, Method::GuaranteedAtBudget, Method::Anytime { planned: 150 }]
    {
        let found = evaluation.interval(&RegressionLure, method, Target::Pool, 0.95).unwrap();
        let value = evaluation.estimate(&RegressionLure).unwrap().value;
        assert!(certain.low <= found.low && found.high <= certain.high, "{method:?}");
        assert!(found.low < value && value < found.high, "{method:?}: {found:?} and {value}");
        let wider = evaluation.interval(&RegressionLure, method, Target::Pool, 0.99).unwrap();
        assert!(wider.low <= found.low && found.high <= wider.high, "{method:?} at 0.99");
        let population = evaluation.interval(&RegressionLure, method, Target::Population, 0.95).unwrap();
        assert!(
            population.low <= found.low && found.high <= population.high,
            "{method:?} for the population"
        );
    }
    let width = |method| {
        let found: Interval = evaluation.interval(&RegressionLure, method, Target::Pool, 0.95).unwrap();
        found.high - found.low
    };
    assert!(width(Method::Ordinary) < width(Method::Anytime { planned: 150 }));
    assert!(width(Method::GuaranteedAtBudget) < width(Method::Guaranteed));
}

#[test]
fn the_guard_acts_below_fifty_labels_and_three_hits() {
    let mut evaluation = zero_one(2000);
    evaluation.run(49, &mut |item| Ok(label(item, 3))).unwrap();
    let interval = |evaluation: &labelwise::Evaluation<_>| {
        evaluation.interval(&RegressionLure, Method::Ordinary, Target::Pool, 0.95).unwrap()
    };
    let found = interval(&evaluation);
    assert_eq!((found.basis, found.caution), (Basis::BettingAtBudget, Some(Caution::FewLabels)));
    evaluation.run(1, &mut |item| Ok(label(item, 3))).unwrap();
    assert!(matches!(interval(&evaluation), Interval { basis: Basis::LogT { .. }, caution: None, .. }));
    // Not one error seen: the surrogate's expectations make terms vary, but nothing was hit.
    let mut lucky = zero_one(2000);
    let pool = lucky.pool().clone();
    lucky.run(80, &mut |item| Ok(first_of_largest(pool.predictions().reader().row(item)))).unwrap();
    let found = interval(&lucky);
    assert_eq!((found.basis, found.caution), (Basis::BettingAtBudget, Some(Caution::FewHits)));
    assert!(found.low == 0.0 && found.high > 0.03, "{found:?}");
}

fn first_of_largest(row: &[f64]) -> usize {
    (0..row.len()).rev().max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap()
}

#[test]
fn without_bounds_there_is_no_guarantee_and_the_guard_marks() {
    let (pool, beliefs) = regression(200);
    let surrogate = labelwise::Fixed(beliefs);
    let mut evaluation =
        labelwise::Evaluation::builder(pool, SquaredError::default(), surrogate).build().unwrap();
    evaluation.run(20, &mut |item| Ok((item as f64).cos())).unwrap();
    let ask = |method, target| evaluation.interval(&RegressionLure, method, target, 0.95);
    assert_eq!(ask(Method::Guaranteed, Target::Pool), Err(Error::Unbounded));
    assert_eq!(ask(Method::GuaranteedAtBudget, Target::Population), Err(Error::Unbounded));
    let found = ask(Method::Ordinary, Target::Pool).unwrap();
    assert!(matches!(found, Interval { basis: Basis::LogT { .. }, caution: Some(Caution::FewLabels), .. }));
    assert!(matches!(ask(Method::Anytime { planned: 0 }, Target::Pool), Err(Error::Option { .. })));
    assert!(matches!(
        evaluation.interval(&Lure, Method::Ordinary, Target::Pool, 1.0),
        Err(Error::Option { name: "level", .. })
    ));
}

/// Coverage of the pool risk by the ordinary interval over 600 runs: at 0.95 a true coverage would give fewer than
/// 0.915 once in ten thousand seeds. The wider zoo is measured by the example `coverage`.
#[test]
fn the_ordinary_interval_covers() {
    let covered = (0..600).filter(|seed| {
        let mut evaluation = builder(1000, ZeroOne).seed(Seed(*seed)).build().unwrap();
        evaluation.run(100, &mut |item| Ok(label(item, 3))).unwrap();
        let risk = mean(&losses(evaluation.pool(), evaluation.loss(), |item| label(item, 3)));
        let found = evaluation.interval(&RegressionLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
        found.low <= risk && risk <= found.high
    });
    let covered = covered.count() as f64 / 600.0;
    assert!(covered > 0.915, "{covered}");
}

#[test]
fn reports_say_what_is_wrong() {
    let report = |evaluation: &labelwise::Evaluation<_>, estimator: &dyn Estimator| {
        evaluation.report_by(estimator, Method::Ordinary, Target::Pool, 0.95).unwrap()
    };
    let mut evaluation = zero_one(2000);
    evaluation.run(700, &mut |item| Ok(label(item, 3))).unwrap();
    assert!(report(&evaluation, &Iid).warnings().contains(&Warning::Biased));
    let found = report(&evaluation, &RegressionLure);
    // Beliefs here have nothing to do with the labels, and the report finds out.
    assert!(found.warnings().iter().any(|warning| matches!(warning, Warning::Useless { .. })), "{found}");
    assert!(found.smallest_nq > 0.29 && found.weight_ess <= 700.0 && (found.mean_v - 1.0).abs() < 0.5);

    let mut uniform = builder(1000, ZeroOne).acquisition(Uniform).build().unwrap();
    uniform.run(120, &mut |item| Ok(label(item, 3))).unwrap();
    let found = report(&uniform, &Iid);
    assert_eq!(found.warnings(), [], "{found}");
    assert_close(found.weight_ess, 120.0, 1e-9, "equal weights");
    assert_close(found.smallest_nq, 1.0, 1e-9, "uniform");
}

#[test]
fn a_report_reads_well() {
    let mut evaluation = zero_one(1000);
    evaluation.run(30, &mut |item| Ok(label(item, 3))).unwrap();
    let draws = evaluation.ask_batch(3).unwrap();
    evaluation.skip(draws[0].index).unwrap();
    evaluation.tell(draws[2].index, 0).unwrap();
    insta::assert_snapshot!(evaluation.report(Target::Pool, 0.95).unwrap().to_string());
    evaluation.tell(draws[1].index, 0).unwrap();
    evaluation.run(90, &mut |item| Ok(label(item, 3))).unwrap();
    evaluation.tell(draws[0].index, 1).unwrap();
    insta::assert_snapshot!(evaluation.report(Target::Population, 0.9).unwrap().to_string());
}

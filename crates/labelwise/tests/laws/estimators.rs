//! The exact statistics of the estimators, by enumeration of every order of draws of a pool of six.

use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise::compare::{Question, compare};
use labelwise::conformance::{check_estimator, every_path};
use labelwise::estimator::{
    Bias, ControlledLure, Estimator, HansenHurwitz, Iid, ImportanceSampling, Pure, RegressionLure,
    RunningLure, Sample, Terms, lure_weight,
};
use labelwise::interval::Method;
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::{CrossEntropy, Lure, Seed, Target};
use rand_chacha::rand_core::Rng;

use crate::pools::{assert_close, builder, label, losses, mean, samples};

const LOSSES: [f64; 6] = [0.4, 2.5, 0.0, 1.0, 0.1, 0.7];

/// Scores that look at the labels seen so far, as a retrained surrogate's do.
fn adaptive(past: &[(usize, f64)]) -> Vec<f64> {
    let seen: f64 = past.iter().map(|(item, _)| LOSSES[*item]).sum();
    (0..6).map(|item| 0.1 + (seen * 1.7 + item as f64 + past.len() as f64 * 0.3).sin().powi(2)).collect()
}

/// Expectations that do so too.
fn adaptive_control(past: &[(usize, f64)]) -> Vec<f64> {
    let seen: f64 = past.iter().map(|(item, _)| LOSSES[*item]).sum();
    (0..6).map(|item| 0.5 + 0.4 * (seen - item as f64).cos()).collect()
}

fn no_control(_past: &[(usize, f64)]) -> Vec<f64> {
    vec![0.0; 6]
}

fn expectation(estimator: &dyn Estimator, budget: usize) -> f64 {
    let paths = every_path(6, budget, adaptive);
    let value = |path| estimator.estimate(&samples(path, &LOSSES, adaptive_control), 6).unwrap();
    paths.iter().map(|path| path.probability * value(path)).sum()
}

#[test]
fn lure_pure_and_controlled_lure_have_no_bias() {
    for budget in 1..=6 {
        for estimator in [&Lure as &dyn Estimator, &Pure, &ControlledLure] {
            let found = expectation(estimator, budget);
            assert_close(found, mean(&LOSSES), 1e-10, &format!("{} at {budget}", estimator.name()));
        }
    }
}

#[test]
fn the_plain_mean_has() {
    for budget in 1..6 {
        assert!((expectation(&Iid, budget) - mean(&LOSSES)).abs() > 1e-3, "at {budget}");
    }
}

/// The bias of order 1/M, against the standard deviation. The mean of 2,000 errors has a standard error of 0.022
/// standard deviations, so a bias of 0.1 would be missed, or nothing taken for it, once in thousands of seeds.
#[test]
fn the_regression_estimator_has_little() {
    let errors: Vec<f64> = (0..2000)
        .map(|seed| {
            let mut evaluation = builder(300, CrossEntropy::default()).seed(Seed(seed)).build().unwrap();
            evaluation.run(60, &mut |item| Ok(label(item, 3))).unwrap();
            let risk = mean(&losses(evaluation.pool(), evaluation.loss(), |item| label(item, 3)));
            evaluation.estimate(&RegressionLure).unwrap().value - risk
        })
        .collect();
    let std_dev = mean(&errors.iter().map(|e| e * e).collect::<Vec<_>>()).sqrt();
    assert!(mean(&errors).abs() < 0.15 * std_dev, "bias {} of {std_dev}", mean(&errors));
}

#[test]
fn true_loss_is_exact_on_every_path() {
    // The item without a loss cannot be drawn while there is another, and need not be.
    for budget in 1..=5 {
        for path in every_path(6, budget, |_| LOSSES.to_vec()) {
            let estimate = Lure.estimate(&samples(&path, &LOSSES, no_control), 6).unwrap();
            assert_close(estimate, mean(&LOSSES), 1e-12, "true loss");
        }
    }
}

#[test]
fn uniform_draws_give_the_plain_mean() {
    for budget in 1..=6 {
        for path in every_path(6, budget, |_| vec![1.0; 6]) {
            let samples = samples(&path, &LOSSES, no_control);
            let plain = mean(&samples.iter().map(|s| s.loss).collect::<Vec<_>>());
            for estimator in [&Lure as &dyn Estimator, &ControlledLure, &RegressionLure, &Iid] {
                assert_close(estimator.estimate(&samples, 6).unwrap(), plain, 1e-12, estimator.name());
            }
        }
    }
}

#[test]
fn the_whole_pool_gives_its_mean_and_no_variance() {
    for path in every_path(6, 6, adaptive) {
        let samples = samples(&path, &LOSSES, adaptive_control);
        for estimator in [&Lure as &dyn Estimator, &ControlledLure, &RegressionLure, &Iid] {
            assert_close(estimator.estimate(&samples, 6).unwrap(), mean(&LOSSES), 1e-12, estimator.name());
            assert_eq!(estimator.terms(&samples, 6).unwrap().variance(), Some(0.0), "{}", estimator.name());
        }
        assert!((1..=6).all(|m| lure_weight(m, 6, 6, samples[m - 1].q) == 1.0));
    }
}

#[test]
fn the_variance_is_the_sum_of_squared_coefficients_times_conditional_variances() {
    let risk = mean(&LOSSES);
    for budget in 1..6 {
        for (estimator, control) in [
            (&Lure as &dyn Estimator, no_control as fn(&[(usize, f64)]) -> Vec<f64>),
            (&ControlledLure, adaptive_control),
        ] {
            let (mut variance, mut by_steps, mut by_variation) = (0.0, 0.0, 0.0);
            for path in every_path(6, budget, adaptive) {
                let samples = samples(&path, &LOSSES, control);
                let terms = estimator.terms(&samples, 6).unwrap();
                variance += path.probability * (terms.value() - risk).powi(2);
                for (m, c) in terms.c().iter().enumerate() {
                    by_steps += path.probability * c * c * conditional_variance(&path.draws[..m], control);
                    by_variation += path.probability * c * c * (terms.a()[m] - risk).powi(2);
                }
            }
            assert_close(by_steps, variance, 1e-10, "Σ c² E[s²]");
            assert_close(by_variation, variance, 1e-10, "E[Σ c² (a − R)²]");
        }
    }
}

/// s_m²: the variance of the next term given the past.
fn conditional_variance(past: &[(usize, f64)], control: fn(&[(usize, f64)]) -> Vec<f64>) -> f64 {
    let (scores, g) = (adaptive(past), control(past));
    let left: Vec<usize> = (0..6).filter(|item| past.iter().all(|(drawn, _)| drawn != item)).collect();
    let sum: f64 = left.iter().map(|&item| scores[item]).sum();
    let residual = |item: usize| LOSSES[item] - g[item];
    let squares: f64 = left.iter().map(|&item| residual(item).powi(2) / (scores[item] / sum)).sum();
    (squares - left.iter().map(|&item| residual(item)).sum::<f64>().powi(2)) / 36.0
}

#[test]
fn running_lure_is_lure_after_every_label() {
    for path in every_path(6, 6, adaptive).iter().step_by(37) {
        let samples = samples(path, &LOSSES, no_control);
        let mut running = RunningLure::new(6);
        for labels in 1..=6 {
            let value = running.push(samples[labels - 1].q, samples[labels - 1].loss);
            assert_close(value, Lure.estimate(&samples[..labels], 6).unwrap(), 1e-12, "running");
        }
    }
}

#[test]
fn a_control_in_proportion_to_q_changes_nothing() {
    for path in every_path(6, 4, |_| vec![1.0, 2.0, 0.5, 1.5, 0.3, 0.7]) {
        let samples = samples(&path, &LOSSES, |_| vec![1.0, 2.0, 0.5, 1.5, 0.3, 0.7]);
        let lure = Lure.estimate(&samples, 6).unwrap();
        assert_close(ControlledLure.estimate(&samples, 6).unwrap(), lure, 1e-12, "controlled LURE");
    }
}

#[test]
fn degenerate_controls_drop_out() {
    let uniform: Vec<Sample> = (0..4).map(|m| Sample::plain(m, 1.0 / (6 - m) as f64, LOSSES[m])).collect();
    // Constant q and no control at all: the plain mean. A constant control is a copy of the constant.
    assert_close(RegressionLure.estimate(&uniform, 6).unwrap(), mean(&LOSSES[..4]), 1e-12, "nothing to fit");
    for path in every_path(6, 4, adaptive).iter().step_by(11) {
        let plain = samples(path, &LOSSES, no_control);
        let constant = samples(path, &LOSSES, |_| vec![2.0; 6]);
        let proportional = samples(path, &LOSSES, |past| adaptive(past).iter().map(|s| 3.0 * s).collect());
        let value = RegressionLure.estimate(&plain, 6).unwrap();
        assert!(value.abs() < 10.0 && RegressionLure.estimate(&constant, 6).unwrap().abs() < 10.0);
        // In proportion to q the control is zero but for rounding, which must not be fitted.
        assert_close(RegressionLure.estimate(&proportional, 6).unwrap(), value, 1e-9, "in proportion to q");
    }
}

#[test]
fn the_regression_estimator_moves_with_a_constant() {
    for path in every_path(6, 4, adaptive).iter().step_by(7) {
        let samples = samples(path, &LOSSES, adaptive_control);
        let moved: Vec<Sample> = samples
            .iter()
            .zip(0..)
            .map(|(s, m)| {
                let left = 6.0 - f64::from(m);
                Sample {
                    loss: s.loss + 10.0,
                    control: s.control + 10.0,
                    control_total: s.control_total + 10.0 * left,
                    ..*s
                }
            })
            .collect();
        let (before, after) =
            (RegressionLure.terms(&samples, 6).unwrap(), RegressionLure.terms(&moved, 6).unwrap());
        assert_close(after.value(), before.value() + 10.0, 1e-9, "the estimate");
        assert_close(after.variance().unwrap(), before.variance().unwrap(), 1e-9, "the variance");
    }
}

#[test]
fn importance_sampling_is_the_self_normalised_mean() {
    let samples = [Sample::plain(1, 0.5, 2.0), Sample::plain(1, 0.5, 2.0), Sample::plain(0, 0.25, 1.0)];
    let expected = (2.0 / 0.5 + 2.0 / 0.5 + 1.0 / 0.25) / (2.0 + 2.0 + 4.0);
    // An item drawn twice counts twice, and there may be more draws than items.
    assert_close(ImportanceSampling.estimate(&samples, 2).unwrap(), expected, 1e-15, "R_IS");
}

/// Every ordered pair of draws with replacement, weighted by its probability.
#[test]
fn the_known_normaliser_leaves_no_bias_with_replacement() {
    let (losses, q) = ([0.3, 2.0, 0.0, 1.1], [0.1, 0.4, 0.3, 0.2]);
    let risk = losses.iter().sum::<f64>() / 4.0;
    let expectation = |estimator: &dyn Estimator| {
        let pairs = (0..16).map(|pair| [pair / 4, pair % 4]);
        let each = pairs.map(|pair| {
            let samples = pair.map(|item| Sample::plain(item, q[item], losses[item]));
            q[pair[0]] * q[pair[1]] * estimator.estimate(&samples, 4).unwrap()
        });
        each.sum::<f64>()
    };
    assert_close(expectation(&HansenHurwitz), risk, 1e-15, "Hansen-Hurwitz");
    assert!((expectation(&ImportanceSampling) - risk).abs() > 1e-2, "self-normalised weights are biased");
}

#[test]
fn every_estimator_keeps_the_contract() {
    let estimators: [&dyn Estimator; 7] =
        [&Lure, &Pure, &Iid, &ControlledLure, &RegressionLure, &ImportanceSampling, &HansenHurwitz];
    for estimator in estimators {
        check_estimator(estimator).unwrap_or_else(|violation| panic!("{}: {violation}", estimator.name()));
    }
}

#[test]
fn one_label_has_an_estimate_and_no_variance() {
    let sample = [Sample::plain(2, 0.3, 1.5)];
    for estimator in [&Lure as &dyn Estimator, &ControlledLure, &RegressionLure, &Pure, &Iid] {
        let terms = estimator.terms(&sample, 6).unwrap();
        assert!(terms.value().is_finite() && terms.variance().is_none(), "{}", estimator.name());
    }
    // A pool of one is known once it is labelled.
    let alone = [Sample::plain(0, 1.0, 1.5)];
    assert_eq!(Lure.terms(&alone, 1).unwrap().variance(), Some(0.0));
    assert_eq!(Lure.estimate(&alone, 1).unwrap(), 1.5);
}

/// With two to five labels there is next to nothing to fit controls to; the estimate must not run away with it.
#[test]
fn the_regression_estimator_is_tame_from_the_first_label() {
    for budget in 1..=5 {
        let mut largest = 0.0_f64;
        for seed in 0..300 {
            let mut evaluation = builder(300, CrossEntropy::default()).seed(Seed(seed)).build().unwrap();
            evaluation.run(budget, &mut |item| Ok(label(item, 3))).unwrap();
            let evidence = evaluation.evidence(labelwise::ledger::Imputed::Expected).unwrap();
            largest = largest.max(RegressionLure.estimate(&evidence.samples, 300).unwrap().abs());
            let kept = evidence.estimate(&RegressionLure).unwrap();
            assert!(evidence.certain().low <= kept && kept <= evidence.certain().high);
        }
        assert!(largest < 12.0, "{largest} with {budget} labels; no loss is above 5");
    }
}

/// Expectations of nearly all items are nearly the same, and a few are sure. Where the sample has none of the few, controls
/// are nearly a copy of each other and all on one side of zero: their slopes would be guesses, and the estimate with them.
#[test]
fn the_regression_estimator_does_not_trust_controls_on_one_side() {
    const SIZE: usize = 200;
    const BUDGET: usize = 60;
    let (mut squares, mut largest, mut uniform) = (0.0, 0.0_f64, 0.0);
    for seed in 0..200 {
        let mut rng = Seed(seed).stream(Stream::Fit, 0);
        let mut random = || f64::from(rng.next_u32()) / 2_f64.powi(32);
        let expected: Vec<f64> =
            (0..SIZE).map(|item| if item < 4 { 0.01 } else { 0.53 + 0.1 * random() }).collect();
        let losses: Vec<f64> =
            expected.iter().map(|expected| if random() < *expected { 1.0 } else { 0.0 }).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / SIZE as f64;
        let (centre, truth) = (mean(&expected), mean(&losses));
        let score = |g: &f64| (g * (1.0 - g) + 0.2 * (g - centre).powi(2)).sqrt();
        let scores = expected.iter().map(score).collect();
        let stream = Seed(seed).stream(Stream::Draw, 0);
        let mut proposal = Proposal::new(scores, &[true; SIZE], Floor::Mixture { rho: 0.2 }, stream).unwrap();
        let mut left: f64 = expected.iter().sum();
        let mut samples = Vec::new();
        for _ in 0..BUDGET {
            let drawn = proposal.draw().unwrap();
            let (control, control_total) = (expected[drawn.index], left);
            left -= control;
            let plain = Sample::plain(drawn.index, drawn.q, losses[drawn.index]);
            samples.push(Sample { control, control_total, ..plain });
        }
        let error = RegressionLure.estimate(&samples, SIZE).unwrap() - truth;
        squares += error * error;
        largest = largest.max(error.abs());
        uniform += truth * (1.0 - truth) * (1.0 / BUDGET as f64 - 1.0 / SIZE as f64);
    }
    // Without care the ratio is 1.6, and the largest error 0.3.
    let ratio = (squares / uniform).sqrt();
    assert!(ratio < 1.15 && largest < 0.24, "{ratio} of uniform sampling, {largest} at most");
}

/// Regression LURE that counts how often it is fitted.
struct Counting(AtomicUsize);

impl Estimator for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn bias(&self) -> Bias {
        Bias::Vanishing
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> labelwise::Result<Terms> {
        self.0.fetch_add(1, Ordering::Relaxed);
        RegressionLure.terms(samples, pool_size)
    }
}

#[test]
fn an_estimator_is_fitted_once_per_report_and_per_comparison() {
    let mut evaluation = builder(400, CrossEntropy::default()).build().unwrap();
    evaluation.run(80, &mut |item| Ok(label(item, 3))).unwrap();
    let counting = Counting(AtomicUsize::new(0));
    let report = evaluation.report_by(&counting, Method::Ordinary, Target::Pool, 0.95).unwrap();
    assert!(report.interval.is_some());
    assert_eq!(counting.0.swap(0, Ordering::Relaxed), 1);
    compare(evaluation.ledger(), &Question { estimator: &counting, ..Question::default() }).unwrap();
    assert_eq!(counting.0.load(Ordering::Relaxed), 1);
}

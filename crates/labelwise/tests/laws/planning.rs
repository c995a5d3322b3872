//! Forecasts are the expected variances, and plans turn them round.

use labelwise::acquisition::Uniform;
use labelwise::conformance::every_path;
use labelwise::estimator::{ControlledLure, Estimator, Iid, RegressionLure};
use labelwise::interval::Method;
use labelwise::ledger::{Evidence, Imputed};
use labelwise::loss::{Loss, ZeroOne};
use labelwise::plan::{Assurance, Diagnosis, DrawVariance, LabelForecast, Reason, WidthRule};
use labelwise::{Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};

use crate::pools::{assert_close, beliefs, builder, label, mean, pool, samples};

/// What a forecast is an expectation over: every way in which the items of a small pool can be right or wrong, with its
/// probability under the beliefs.
fn worlds(wrong: &[f64]) -> Vec<(f64, Vec<f64>)> {
    (0..1_usize << wrong.len())
        .map(|world| {
            let losses: Vec<f64> =
                (0..wrong.len()).map(|item| f64::from((world >> item & 1) as u8)).collect();
            let chances = losses.iter().zip(wrong).map(|(loss, p)| if *loss == 1.0 { *p } else { 1.0 - p });
            (chances.product(), losses)
        })
        .collect()
}

/// The variance of an estimator over all draws and all worlds, about the risk of each.
fn variance(estimator: &dyn Estimator, budget: usize, q: &[f64], wrong: &[f64]) -> f64 {
    let paths = every_path(wrong.len(), budget, |_| q.to_vec());
    let of_world = |losses: &[f64]| {
        let risk = mean(losses);
        let squares = paths.iter().map(|path| {
            let samples = samples(path, losses, |_| wrong.to_vec());
            path.probability * (estimator.estimate(&samples, wrong.len()).unwrap() - risk).powi(2)
        });
        squares.sum::<f64>()
    };
    worlds(wrong).iter().map(|(chance, losses)| chance * of_world(losses)).sum()
}

/// Five items that are wrong with these probabilities, and what is drawn of them.
const WRONG: [f64; 5] = [0.02, 0.3, 0.1, 0.6, 0.05];

fn five(uniform: bool) -> Evaluation<labelwise::Classification> {
    let pool = Pool::classification(Matrix::f64([0.9, 0.1].repeat(5), 2).unwrap()).unwrap();
    let rows: Vec<f64> = WRONG.iter().flat_map(|p| [1.0 - p, *p]).collect();
    let beliefs = labelwise::surrogate::Beliefs::new(Matrix::f64(rows, 2).unwrap(), &pool).unwrap();
    let builder = Evaluation::builder(pool, ZeroOne, Fixed(beliefs)).seed(Seed(3));
    if uniform { builder.acquisition(Uniform) } else { builder }.build().unwrap()
}

fn proposal() -> Vec<f64> {
    let scores: Vec<f64> = WRONG.iter().map(|p| p.sqrt()).collect();
    let sum: f64 = scores.iter().sum();
    scores.iter().map(|score| 0.7 * score / sum + 0.3 / 5.0).collect()
}

#[test]
fn one_draw_varies_as_forecast() {
    let forecast = five(false).forecast().unwrap();
    assert_close(forecast.risk, mean(&WRONG), 1e-14, "the expected risk");
    assert_close(forecast.plain, variance(&Lure, 1, &proposal(), &WRONG), 1e-12, "LURE");
    assert_close(
        forecast.controlled,
        variance(&ControlledLure, 1, &proposal(), &WRONG),
        1e-12,
        "controlled LURE",
    );
    assert_close(forecast.uniform, variance(&Iid, 1, &[0.2; 5], &WRONG), 1e-12, "uniform sampling");
    let gain = forecast.gain().unwrap();
    assert_close(gain, forecast.uniform / forecast.controlled, 1e-14, "the gain");
    assert_eq!(
        forecast.max_ratio.map(|max_ratio| (1e9 * max_ratio).round()),
        Some((1e9 * largest_reach()).round())
    );
}

fn largest_reach() -> f64 {
    proposal().iter().map(|q| 1.0 / (5.0 * q)).fold(0.0, f64::max)
}

#[test]
fn many_draws_vary_as_forecast_exactly_if_uniform_and_nearly_if_not() {
    let forecast = five(true).forecast().unwrap();
    assert_close(forecast.plain, forecast.uniform, 1e-12, "a uniform proposal is uniform sampling");
    let (uniform, forecast) =
        (DrawVariance::exact(forecast.uniform, 5), five(false).forecast().unwrap().label_forecast());
    for budget in 1..=5 {
        let expected = variance(&Iid, budget, &[0.2; 5], &WRONG);
        assert_close(uniform.variance(budget), expected, 1e-12, "uniform sampling");
        let exact = variance(&ControlledLure, budget, &proposal(), &WRONG);
        let said = forecast.spread.variance(budget);
        assert!((said - exact).abs() <= exact / 3.0, "{budget} of 5 draws: {said} is not nearly {exact}");
    }
}

#[test]
fn known_items_have_no_part_in_what_is_drawn() {
    let pool = pool(40, 3);
    let beliefs = beliefs(&pool);
    let known = (0..10).map(|item| (item, 1.0));
    let mut evaluation = Evaluation::builder(pool, ZeroOne, Fixed(beliefs)).known(known).build().unwrap();
    let forecast = evaluation.forecast().unwrap();
    assert_eq!(forecast.open, 30);
    assert!(forecast.risk > 0.25);
    // The same thirty without the others: their risk varies by (40/30)² as much.
    let rows = |values: Vec<f64>| Matrix::f64(values[30..].to_vec(), 3).unwrap();
    let alone = Pool::classification(rows(crate::pools::probabilities(40, 3, 1))).unwrap();
    let beliefs =
        labelwise::surrogate::Beliefs::new(rows(crate::pools::probabilities(40, 3, 2)), &alone).unwrap();
    let alone = Evaluation::builder(alone, ZeroOne, Fixed(beliefs)).build().unwrap().forecast().unwrap();
    assert_close(forecast.controlled, alone.controlled * (30.0_f64 / 40.0).powi(2), 1e-12, "their part");
    assert_close(forecast.plain, alone.plain * (30.0_f64 / 40.0).powi(2), 1e-12, "their part of LURE");
    assert_close(
        forecast.uniform,
        alone.uniform * (30.0_f64 / 40.0).powi(2),
        1e-12,
        "their part of uniform sampling",
    );
}

#[test]
fn a_forecast_does_not_depend_on_threads() {
    let with = |threads: usize| {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| builder(20_000, ZeroOne).build().unwrap().forecast().unwrap())
    };
    assert_eq!(with(1), with(3));
    // And it is what the formula says, over all blocks.
    let (pool, size) = (pool(20_000, 3), 20_000.0);
    let (mut rows, beliefs) = (pool.predictions().reader(), beliefs(&pool));
    let mut believed = beliefs.rows().reader();
    let wrong: Vec<f64> =
        (0..20_000).map(|item| ZeroOne.moments(rows.row(item), believed.row(item)).first).collect();
    let scores: f64 = wrong.iter().map(|p| p.sqrt()).sum();
    let q = |p: f64| 0.7 * p.sqrt() / scores + 0.3 / size;
    let variance: f64 = wrong.iter().map(|p| p * (1.0 - p)).sum();
    let drawn = |of: &dyn Fn(f64) -> f64| wrong.iter().map(|p| of(*p) / q(*p)).sum::<f64>();
    let forecast = with(1);
    assert_close(
        forecast.controlled,
        (drawn(&|p| p * (1.0 - p)) - variance) / (size * size),
        1e-9,
        "controlled LURE",
    );
    let sum: f64 = wrong.iter().sum();
    assert_close(forecast.plain, (drawn(&|p| p) - variance - sum * sum) / (size * size), 1e-9, "LURE");
}

#[test]
fn labels_for_a_half_width_turn_the_variance_round() {
    let spread = DrawVariance { value: 0.04, low: 0.02, high: 0.09, pool_size: 1000 };
    for half in [0.005, 0.02, 0.1, 1.0] {
        let labels = spread.labels_for(half, 0.0, |_| 1.96).unwrap();
        let half_at =
            |value: f64, labels: usize| 1.96 * DrawVariance::exact(value, 1000).variance(labels).sqrt();
        for (labels, value) in [(labels.expected, 0.04), (labels.low, 0.02), (labels.high, 0.09)] {
            assert!(half_at(value, labels) <= half, "{labels} labels are not enough for {half}");
            assert!(
                labels == 1 || half_at(value, labels - 1) > half,
                "{labels} labels are too many for {half}"
            );
            let exact = 1000.0 / (1.0 + (half / 1.96_f64).powi(2) * 999.0 / value);
            assert_eq!(labels, exact.ceil() as usize);
        }
    }
    // What the pool cannot tell of its population, no label does.
    assert_eq!(spread.labels_for(0.01, 1e-4, |_| 1.96), None);
    let expected = |aside: f64| spread.labels_for(0.03, aside, |_| 1.96).unwrap().expected;
    assert!(expected(1e-4) > expected(0.0));
}

/// An evaluation of a pool with labels told, and the risk of the pool.
pub(crate) fn told(rows: usize, budget: usize) -> (Evaluation<labelwise::Classification>, f64) {
    let mut evaluation = builder(rows, ZeroOne).build().unwrap();
    evaluation.run(budget, &mut |item: usize| Ok(label(item, 3))).unwrap();
    let labels: Vec<usize> = (0..rows).map(|item| label(item, 3)).collect();
    let risk = evaluation.pool().risk(&ZeroOne, &labels).unwrap();
    (evaluation, risk)
}

#[test]
fn the_variance_that_labels_show_is_theirs_again() {
    let (evaluation, _) = told(800, 200);
    let evidence = evaluation.evidence(Imputed::Expected).unwrap();
    let forecast = LabelForecast::of(&evidence).unwrap().unwrap();
    let error = evaluation.estimate(&RegressionLure).unwrap().standard_error.unwrap();
    assert_close(forecast.spread.variance(200).sqrt(), error, 1e-12, "the standard error");
    let DrawVariance { value, low, high, .. } = forecast.spread;
    assert!(low < value && value < high && low > 0.6 * value && high < 1.7 * value, "{low} {value} {high}");
    // With all labels there is nothing to plan, and with few of them nothing to go by.
    for budget in [800, 20] {
        let (evaluation, _) = told(800, budget);
        assert_eq!(LabelForecast::of(&evaluation.evidence(Imputed::Expected).unwrap()).unwrap(), None);
    }
}

#[test]
fn a_width_rule_waits_for_its_labels() {
    let rule = |half_width| WidthRule { half_width, level: 0.95, target: Target::Pool };
    let (few, enough) = (told(2000, 90).0, told(2000, 400).0);
    // Ninety are narrow enough, and too few.
    let progress = few.ledger().width(&rule(0.3)).unwrap();
    assert!(!progress.reached && progress.half_width.unwrap() < 0.3);
    assert_eq!(progress.more.unwrap().expected, 10);
    let interval = enough.interval(&RegressionLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
    let half = 0.5 * (interval.high - interval.low);
    assert!(enough.ledger().width(&rule(1.0001 * half)).unwrap().reached);
    let short = enough.ledger().width(&rule(0.5 * half)).unwrap();
    assert!(!short.reached && short.half_width == Some(half));
    // Half of the width takes about four times the labels, less for the finite pool.
    let more = short.more.unwrap();
    assert!(
        (500..1200).contains(&more.expected) && more.low < more.expected && more.expected < more.high,
        "{more:?}"
    );
    assert!(told(60, 60).0.ledger().width(&rule(1e-9)).unwrap().reached, "all of a small pool");
}

#[test]
fn a_plan_for_a_bar_grows_with_its_nearness_and_its_assurance() {
    let (evaluation, _) = told(3000, 300);
    let forecast = LabelForecast::of(&evaluation.evidence(Imputed::Expected).unwrap()).unwrap().unwrap();
    let labels = |distance: f64, assurance| {
        let bar = forecast.risk + distance;
        forecast.for_threshold(bar, 0.95, assurance, Target::Pool).unwrap().unwrap().expected
    };
    for assurance in [Assurance::Once, Assurance::Anytime, Assurance::Guaranteed] {
        assert!(labels(0.02, assurance) > labels(0.1, assurance), "{assurance:?}");
        assert!(labels(-0.02, assurance) > labels(-0.1, assurance), "{assurance:?}");
    }
    assert!(labels(0.05, Assurance::Once) < labels(0.05, Assurance::Anytime));
    assert!(labels(0.05, Assurance::Anytime) <= labels(0.05, Assurance::Guaranteed));
    assert_eq!(forecast.for_threshold(forecast.risk, 0.95, Assurance::Once, Target::Pool).unwrap(), None);
    // A bet that losses are low can lose as much as the largest loss; one that they are high, no more than the bar.
    let far = LabelForecast { max_ratio: forecast.max_ratio.map(|max_ratio| 20.0 * max_ratio), ..forecast };
    let both = |distance: f64| {
        [forecast, far].map(|of| {
            let bar = forecast.risk + distance;
            of.for_threshold(bar, 0.95, Assurance::Guaranteed, Target::Pool).unwrap().unwrap().expected
        })
    };
    let ([near_low, far_low], [near_high, far_high]) = (both(0.2), both(-0.2));
    assert!(far_low > 2 * near_low && far_high == near_high);
    let unbounded = LabelForecast { max_ratio: None, ..forecast };
    assert_eq!(unbounded.for_threshold(0.9, 0.95, Assurance::Guaranteed, Target::Pool).unwrap(), None);
}

/// Samples of a pool of 1,000 drawn in order with these q, losses and controls.
fn evidence(rows: impl Iterator<Item = (f64, f64, f64)>) -> Evidence {
    let samples = rows.enumerate().map(|(index, (nq, loss, control))| labelwise::estimator::Sample {
        index,
        q: nq / (1000 - index) as f64,
        loss,
        control,
        control_total: 0.3 * (1000 - index) as f64,
        ratio_bounds: None,
    });
    Evidence::from_samples(samples.collect(), 1000)
}

#[test]
fn small_gains_have_their_reasons() {
    let wave = |i: usize| 0.3 + 0.25 * (i as f64 * 1.7).sin();
    let noise = |i: usize| 0.3 + 0.25 * (i as f64 * 5.1 + 2.0).cos();
    let diagnosed = |evidence: &Evidence| Diagnosis::of(evidence, &RegressionLure).unwrap().unwrap();
    let uniform = diagnosed(&evidence((0..200).map(|i| (1.0, wave(i), 0.3))));
    assert_eq!(uniform.reasons, [Reason::Uniform]);
    assert!(!uniform.is_small() && (0.9..1.1).contains(&uniform.gain), "{}", uniform.gain);
    let helpful = diagnosed(&evidence((0..200).map(|i| (1.0 + 0.1 * (i % 2) as f64, wave(i), wave(i)))));
    assert!(helpful.gain > 4.0 && helpful.reasons.is_empty(), "{helpful:?}");
    let nq = |i: usize| if i.is_multiple_of(2) { 0.5 } else { 2.0 };
    let useless = diagnosed(&evidence((0..200).map(|i| (nq(i), wave(i), noise(i)))));
    assert!(matches!(useless.reasons[..], [Reason::Useless { .. }, ..]) && useless.is_small(), "{useless:?}");
    let constant = diagnosed(&evidence((0..200).map(|i| (nq(i), wave(i), 0.3))));
    assert!(matches!(constant.reasons[..], [Reason::Constant { .. }, ..]), "{constant:?}");
    let alike = diagnosed(&evidence((0..200).map(|i| (nq(i), 5.0 + 0.1 * wave(i), noise(i)))));
    assert!(matches!(alike.reasons[..], [Reason::Alike { .. }, ..]), "{alike:?}");
    let low = diagnosed(&evidence((0..200).map(|i| (if i == 7 { 0.05 } else { nq(i) }, wave(i), noise(i)))));
    assert!(
        low.reasons
            .iter()
            .any(|reason| matches!(reason, Reason::LowFloor { smallest } if (smallest - 0.05).abs() < 1e-9)),
        "{low:?}"
    );
    let near = diagnosed(&evidence((0..200).map(|i| (0.9 + 0.2 * (i % 2) as f64, wave(i), noise(i)))));
    assert!(near.reasons.iter().any(|reason| matches!(reason, Reason::HighFloor { .. })), "{near:?}");
    let most = diagnosed(&evidence((0..700).map(|i| (0.9 + 0.2 * (i % 2) as f64, wave(i), noise(i)))));
    assert!(most.reasons.iter().any(|reason| matches!(reason, Reason::Exhausted { .. })), "{most:?}");
    // Too few to tell.
    assert_eq!(
        Diagnosis::of(&evidence((0..40).map(|i| (1.0, wave(i), 0.3))), &RegressionLure).unwrap(),
        None
    );
}

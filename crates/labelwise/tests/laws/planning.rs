//! Forecasts are the expected variances, plans turn them round, and verdicts say what intervals say.

use labelwise::{
    Assurance, Bar, ControlledLure, Diagnosis, Error, Estimator, Evaluation, Evidence, Fixed, Iid, Imputed,
    Loss, Lure, Matrix, Method, Pool, Prospect, Reason, RegressionLure, Seed, Side, Spread, SquaredError,
    Target, Uniform, Verdict, WidthRule, ZeroOne, conformance::every_path,
};

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
    let beliefs = labelwise::Beliefs::new(Matrix::f64(rows, 2).unwrap(), &pool).unwrap();
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
    assert_eq!(forecast.reach.map(|reach| (1e9 * reach).round()), Some((1e9 * largest_reach()).round()));
}

fn largest_reach() -> f64 {
    proposal().iter().map(|q| 1.0 / (5.0 * q)).fold(0.0, f64::max)
}

#[test]
fn many_draws_vary_as_forecast_exactly_if_uniform_and_nearly_if_not() {
    let forecast = five(true).forecast().unwrap();
    assert_close(forecast.plain, forecast.uniform, 1e-12, "a uniform proposal is uniform sampling");
    let (uniform, prospect) =
        (Spread::exact(forecast.uniform, 5), five(false).forecast().unwrap().prospect());
    for budget in 1..=5 {
        let expected = variance(&Iid, budget, &[0.2; 5], &WRONG);
        assert_close(uniform.variance(budget), expected, 1e-12, "uniform sampling");
        let exact = variance(&ControlledLure, budget, &proposal(), &WRONG);
        let said = prospect.spread.variance(budget);
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
    let beliefs = labelwise::Beliefs::new(rows(crate::pools::probabilities(40, 3, 2)), &alone).unwrap();
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
    let spread = Spread { value: 0.04, low: 0.02, high: 0.09, pool_size: 1000 };
    for half in [0.005, 0.02, 0.1, 1.0] {
        let labels = spread.labels_for(half, 0.0, |_| 1.96).unwrap();
        let half_at = |value: f64, labels: usize| 1.96 * Spread::exact(value, 1000).variance(labels).sqrt();
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
fn told(rows: usize, budget: usize) -> (Evaluation<labelwise::Classification>, f64) {
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
    let prospect = Prospect::of(&evidence).unwrap().unwrap();
    let error = evaluation.estimate(&RegressionLure).unwrap().standard_error.unwrap();
    assert_close(prospect.spread.variance(200).sqrt(), error, 1e-12, "the standard error");
    let Spread { value, low, high, .. } = prospect.spread;
    assert!(low < value && value < high && low > 0.6 * value && high < 1.7 * value, "{low} {value} {high}");
    // With all labels there is nothing to plan, and with few of them nothing to go by.
    for budget in [800, 20] {
        let (evaluation, _) = told(800, budget);
        assert_eq!(Prospect::of(&evaluation.evidence(Imputed::Expected).unwrap()).unwrap(), None);
    }
}

fn bar(value: f64, side: Side, assurance: Assurance) -> Bar {
    Bar { value, side, level: 0.95, assurance, target: Target::Pool }
}

#[test]
fn a_verdict_says_what_its_interval_does() {
    let (evaluation, _) = told(3000, 700);
    let ledger = evaluation.ledger();
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let mut seen = Vec::new();
        for value in (0..=20).map(|bar| f64::from(bar) / 20.0) {
            let below = ledger.check(&bar(value, Side::Below, assurance)).unwrap();
            let above = ledger.check(&bar(value, Side::Above, assurance)).unwrap();
            assert_eq!(below.labels, 700);
            let (low, high) = below.interval.unwrap();
            let expected = match below.verdict {
                Verdict::Met => high <= value,
                Verdict::NotMet => low > value,
                Verdict::Undecided => low <= value && value < high,
            };
            assert!(expected, "{value} against {low} to {high}: {:?}", below.verdict);
            // What is below is not above.
            let mirrored = match below.verdict {
                Verdict::Met => Verdict::NotMet,
                Verdict::NotMet => Verdict::Met,
                Verdict::Undecided => Verdict::Undecided,
            };
            assert_eq!(above.verdict, mirrored, "{value}");
            seen.push(below.verdict);
        }
        assert!(seen.is_sorted_by_key(|verdict| match verdict {
            Verdict::NotMet => 0,
            Verdict::Undecided => 1,
            Verdict::Met => 2,
        }));
        assert!(
            [Verdict::Met, Verdict::NotMet, Verdict::Undecided].iter().all(|verdict| seen.contains(verdict))
        );
    }
    let (low, high) = ledger.check(&bar(0.5, Side::Below, Assurance::Guaranteed)).unwrap().interval.unwrap();
    let interval = ledger.interval(&Lure, Method::Guaranteed, Target::Pool, 0.9).unwrap();
    assert_eq!((low, high), (interval.low, interval.high), "each side has all of the error");
}

#[test]
fn the_whole_pool_decides_everything() {
    let (evaluation, risk) = told(60, 60);
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let check = |value, side| evaluation.ledger().check(&bar(value, side, assurance)).unwrap().verdict;
        assert_eq!(check(risk, Side::Below), Verdict::Met);
        assert_eq!(check(risk, Side::Above), Verdict::Met);
        assert_eq!(check(risk.next_down(), Side::Below), Verdict::Met, "but for rounding");
        assert_eq!(check(risk.next_up(), Side::Above), Verdict::Met, "but for rounding");
        assert_eq!(check(risk - 1e-6, Side::Below), Verdict::NotMet);
        assert_eq!(check(risk + 1e-6, Side::Above), Verdict::NotMet);
    }
}

#[test]
fn an_answer_is_not_taken_back_by_more_labels() {
    let mut evaluation = builder(3000, ZeroOne).build().unwrap();
    let (mut decided, mut first) = ([Verdict::Undecided; 4], [0; 4]);
    let bars = [0.55, 0.6, 0.75, 0.8];
    for labels in (100..=1500).step_by(100) {
        evaluation.run(100, &mut |item: usize| Ok(label(item, 3))).unwrap();
        for ((value, decided), first) in bars.iter().zip(&mut decided).zip(&mut first) {
            let verdict =
                evaluation.ledger().check(&bar(*value, Side::Below, Assurance::Anytime)).unwrap().verdict;
            assert!(
                *decided == Verdict::Undecided || verdict == *decided,
                "{value} after {labels}: {verdict:?}"
            );
            if *decided == Verdict::Undecided && verdict != Verdict::Undecided {
                *first = labels;
            }
            *decided = verdict;
        }
    }
    assert_eq!(decided, [Verdict::NotMet, Verdict::NotMet, Verdict::Met, Verdict::Met]);
    assert!(first[3] < first[2] && first[0] < first[1], "{first:?}");
}

#[test]
fn an_answer_stays_whatever_comes_later() {
    let rows = 3000;
    let pool = Pool::regression(Matrix::f64(vec![0.0; rows], 1).unwrap()).unwrap();
    let beliefs = labelwise::Beliefs::new(Matrix::f64([0.0, 1.0].repeat(rows), 2).unwrap(), &pool).unwrap();
    let mut evaluation = Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs)).build().unwrap();
    // Small losses at first, large ones later: as no labels in fact come, or one sequence in twenty.
    let mut told = 0;
    let mut label = |item: usize| {
        told += 1;
        let size = if told <= 900 { 1.0 } else { 4.0 };
        Ok(size * (1.0 + 0.5 * (item as f64).sin()))
    };
    let check = |evaluation: &Evaluation<labelwise::Regression>| {
        evaluation.ledger().check(&bar(2.0, Side::Below, Assurance::Anytime)).unwrap().verdict
    };
    evaluation.run(700, &mut label).unwrap();
    assert_eq!(check(&evaluation), Verdict::Undecided, "too early for a loss without bounds");
    evaluation.run(200, &mut label).unwrap();
    assert_eq!(check(&evaluation), Verdict::Met);
    evaluation.run(900, &mut label).unwrap();
    assert!(evaluation.estimate(&RegressionLure).unwrap().value > 5.0);
    assert_eq!(check(&evaluation), Verdict::Met);
}

#[test]
fn skipped_losses_may_be_anything() {
    let mut evaluation = builder(3000, ZeroOne).build().unwrap();
    for (place, draw) in evaluation.ask_batch(700).unwrap().iter().enumerate() {
        if place % 10 == 3 {
            evaluation.skip(draw.index).unwrap();
        } else {
            evaluation.tell(draw.index, label(draw.index, 3)).unwrap();
        }
    }
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let interval = |evaluation: &Evaluation<labelwise::Classification>| {
            let decision = evaluation.ledger().check(&bar(0.5, Side::Below, assurance)).unwrap();
            (decision.interval.unwrap(), decision.labels)
        };
        let ((low, high), labels) = interval(&evaluation);
        let ((least, most), _) = interval(&told(3000, 700).0);
        assert_eq!(labels, 630);
        // One in ten losses may be 0 or 1, and two in three are 1.
        assert!(
            low < least - 0.03 && high > most + 0.015,
            "{assurance:?}: {low} to {high}, {least} to {most}"
        );
    }
}

#[test]
fn bars_and_levels_without_sense_are_refused() {
    let (evaluation, _) = told(60, 30);
    let ledger = evaluation.ledger();
    let refused = |bar: Bar| matches!(ledger.check(&bar), Err(Error::Option { .. }));
    let usual = bar(0.1, Side::Below, Assurance::Once);
    for level in [0.0, 0.5, 1.0, f64::NAN] {
        assert!(refused(Bar { level, ..usual }), "{level}");
    }
    assert!(refused(Bar { value: f64::NAN, ..usual }) && refused(Bar { value: f64::INFINITY, ..usual }));
    for half_width in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let rule = WidthRule { half_width, level: 0.95, target: Target::Pool };
        assert!(matches!(ledger.width(&rule), Err(Error::Option { .. })), "{half_width}");
    }
    assert!(matches!(
        builder(60, ZeroOne).build().unwrap().ledger().check(&usual),
        Err(Error::NoSamples { .. })
    ));
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
    let prospect = Prospect::of(&evaluation.evidence(Imputed::Expected).unwrap()).unwrap().unwrap();
    let labels = |distance: f64, assurance| {
        let bar = prospect.risk + distance;
        prospect.for_bar(bar, 0.95, assurance, Target::Pool).unwrap().unwrap().expected
    };
    for assurance in [Assurance::Once, Assurance::Anytime, Assurance::Guaranteed] {
        assert!(labels(0.02, assurance) > labels(0.1, assurance), "{assurance:?}");
        assert!(labels(-0.02, assurance) > labels(-0.1, assurance), "{assurance:?}");
    }
    assert!(labels(0.05, Assurance::Once) < labels(0.05, Assurance::Anytime));
    assert!(labels(0.05, Assurance::Anytime) <= labels(0.05, Assurance::Guaranteed));
    assert_eq!(prospect.for_bar(prospect.risk, 0.95, Assurance::Once, Target::Pool).unwrap(), None);
    // A bet that losses are low can lose as much as the largest loss; one that they are high, no more than the bar.
    let far = Prospect { reach: prospect.reach.map(|reach| 20.0 * reach), ..prospect };
    let both = |distance: f64| {
        [prospect, far].map(|of| {
            let bar = prospect.risk + distance;
            of.for_bar(bar, 0.95, Assurance::Guaranteed, Target::Pool).unwrap().unwrap().expected
        })
    };
    let ([near_low, far_low], [near_high, far_high]) = (both(0.2), both(-0.2));
    assert!(far_low > 2 * near_low && far_high == near_high);
    let unbounded = Prospect { reach: None, ..prospect };
    assert_eq!(unbounded.for_bar(0.9, 0.95, Assurance::Guaranteed, Target::Pool).unwrap(), None);
}

/// Samples of a pool of 1,000 drawn in order with these q, losses and controls.
fn evidence(rows: impl Iterator<Item = (f64, f64, f64)>) -> Evidence {
    let samples = rows.enumerate().map(|(index, (nq, loss, control))| labelwise::Sample {
        index,
        q: nq / (1000 - index) as f64,
        loss,
        control,
        control_total: 0.3 * (1000 - index) as f64,
        reach: None,
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

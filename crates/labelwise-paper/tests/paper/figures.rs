//! The paper's claims at smoke scale, with a margin.

use labelwise_paper::statistics::Summary;
use labelwise_paper::strategy::{Strategy, strategies};
use labelwise_paper::{CurveSummary, ExperimentSummary, Verdict};

use crate::made::made;

fn steps(experiment: &ExperimentSummary, curve: Strategy) -> &[Summary] {
    &experiment.curve(curve).unwrap().steps
}

/// A mean error in standard errors.
fn off(step: &Summary) -> f64 {
    step.mean / step.mean_std_error.unwrap()
}

/// The regressions that the paper's claims are plain in.
const REGRESSIONS: [&str; 3] = ["gp-on-gp", "gp-on-quadratic", "linear-on-quadratic"];

fn regressions() -> impl Iterator<Item = &'static ExperimentSummary> {
    REGRESSIONS.into_iter().map(|name| made("a1").experiment(name))
}

#[test]
fn lure_of_the_surrogate_s_draws_is_unbiased() {
    for experiment in regressions().chain([made("1").experiment("gp-on-gp")]) {
        assert_eq!(experiment.runs, 200);
        // At the last step the error is rounding.
        for (step, m) in steps(experiment, strategies::PROCESS)[..44].iter().zip(1..) {
            assert!(off(step).abs() < 4.0, "{} at {m}: {:.1} standard errors", experiment.name, off(step));
        }
    }
}

#[test]
fn active_testing_has_well_below_the_standard_deviation_of_uniform_sampling() {
    for experiment in regressions().chain([made("1").experiment("gp-on-gp")]) {
        let deviations = |curve| experiment.curve(curve).unwrap().std_devs();
        let (active, uniform) = (deviations(strategies::PROCESS), deviations(strategies::UNIFORM));
        for m in 5..=40 {
            let ratio = active[m - 1] / uniform[m - 1];
            assert!(ratio < 0.6, "{} at {m}: {ratio:.2} of uniform's", experiment.name);
        }
    }
}

#[test]
fn draws_by_the_true_loss_are_exact() {
    let figures = [made("a1"), made("are")];
    for experiment in figures.into_iter().flat_map(|figure| &figure.summary.experiments) {
        // The oracle is not among the curves of the larger pool.
        let Some(curve) = experiment.curve(strategies::TRUE_LOSS) else { continue };
        for step in &curve.steps {
            assert!(step.mean_squared_error.sqrt() < 1e-9 * experiment.pool_risk.mean, "{}", experiment.name);
        }
    }
}

#[test]
fn without_weights_active_draws_are_biased_upwards() {
    for experiment in regressions() {
        for m in [5, 10, 20] {
            let off = off(&steps(experiment, strategies::PROCESS_IID)[m - 1]);
            assert!(off > 4.0, "{} at {m}: {off:.1} standard errors", experiment.name);
        }
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn on_two_moons_the_surrogate_s_median_squared_error_is_below_uniform_s_over_the_steps() {
    let experiment = made("a1").experiment("two-moons");
    assert_eq!((experiment.runs, experiment.pool_size), (24, 450));
    let medians = |curve| average(&experiment.curve(curve).unwrap().median_squared_errors());
    let ratio = medians(strategies::FOREST) / medians(strategies::UNIFORM);
    assert!(ratio < 0.8, "{ratio:.2} of uniform's");
}

fn root(step: &Summary) -> f64 {
    step.mean_squared_error.sqrt()
}

#[test]
fn active_testing_is_ahead_of_active_risk_estimation() {
    let experiment = made("are").experiment("risk-estimation");
    let at = |curve, m: usize| root(&steps(experiment, curve)[m - 1]);
    for are in [strategies::ARE, strategies::ARE_NOVEL] {
        let ratio = at(strategies::PROCESS, 10) / at(are, 10);
        assert!(ratio < 0.9, "{ratio:.2} of {}", are.key);
    }
}

#[test]
fn active_risk_estimation_is_exact_neither_at_first_nor_with_the_whole_pool_queried() {
    let experiment = made("are").experiment("risk-estimation");
    let risk = experiment.pool_risk.mean;
    for curve in [strategies::ARE, strategies::ARE_OPTIMAL] {
        for m in [1, 45, 90] {
            let error = root(&steps(experiment, curve)[m - 1]);
            assert!(error > 0.01 * risk, "{} at {m}: {error:e} of {risk:e}", curve.key);
        }
    }
}

#[test]
fn the_naive_extension_does_not_converge_with_weights_and_does_without() {
    let experiment = made("are").experiment("risk-estimation");
    let risk = experiment.pool_risk.mean;
    let last = |curve| root(&steps(experiment, curve)[44]);
    assert!(last(strategies::ARE_REMOVED) > 0.1 * risk);
    assert!(last(strategies::ARE_REMOVED_IID) < 1e-9 * risk);
    assert!(last(strategies::UNIFORM) < 1e-9 * risk);
}

#[test]
fn queries_with_replacement_are_many_times_the_pool() {
    let experiment = made("are").experiment("risk-estimation");
    let queries =
        experiment.queries.iter().find(|queries| queries.strategy == strategies::ARE_QUERIES).unwrap();
    assert!((8.0..12.0).contains(&queries.per_item.mean), "{}", queries.per_item.mean);
    assert_eq!(queries.mean_by_item.len(), 45);
    assert_eq!(queries.mean_by_item[0], 1.0);
    let last = queries.mean_by_item[44] / 45.0;
    assert!((last - queries.per_item.mean).abs() < 1e-9 * last);
    assert!(queries.per_item.std_dev > 0.0);
}

#[test]
fn the_large_pool_s_practice_is_there_and_its_optimum_is_not() {
    let experiment = made("are").experiment("risk-estimation-295");
    assert_eq!((experiment.runs, experiment.pool_size), (10, 295));
    assert!(experiment.curve(strategies::TRUE_LOSS).is_none());
    let lengths: Vec<usize> = experiment.curves.iter().map(|curve| curve.steps.len()).collect();
    assert_eq!(lengths, [295, 295, 295, 295, 590, 590, 295]);
}

#[test]
fn claims_say_what_the_summary_says() {
    let figure = made("a1");
    let claim = |experiment: &str, words: &str| {
        let mut claims = figure.summary.claims.iter();
        claims.find(|claim| claim.experiment == experiment && claim.claim.contains(words)).unwrap()
    };
    for name in REGRESSIONS {
        for words in ["unbiased", "exact", "smaller standard deviation", "is biased"] {
            assert_eq!(claim(name, words).verdict, Verdict::Agrees, "{name}: {words}");
        }
    }
    let experiment = figure.experiment("gp-on-gp");
    let forty = experiment.curve(strategies::UNIFORM).unwrap().std_devs()[39];
    let deviations = experiment.curve(strategies::PROCESS).unwrap().std_devs();
    let reached = deviations.iter().position(|std_dev| *std_dev <= forty).unwrap() + 1;
    let five = claim("gp-on-gp", "five active labels");
    assert_eq!(five.verdict, Verdict::from(reached <= 5));
    assert!(five.measured.ends_with(&format!("reached after {reached} labels")), "{}", five.measured);
    let ratio = |curve: &CurveSummary, m: usize| curve.std_devs()[m - 1];
    let tenth = ratio(experiment.curve(strategies::PROCESS).unwrap(), 10)
        / ratio(experiment.curve(strategies::UNIFORM).unwrap(), 10);
    let smaller = claim("gp-on-gp", "smaller standard deviation");
    assert!(smaller.measured.contains(&format!("{tenth:.2} at step 10")), "{}", smaller.measured);
    // A claim that does not hold is told as well: one rare sparse point decides the sinusoid's deviation.
    assert!(figure.summary.claims.iter().any(|claim| claim.verdict == Verdict::Undecided));
}

#[test]
fn curves_are_compared_with_uniform_draws_of_the_same_runs() {
    let experiment = made("1").experiment("gp-on-gp");
    assert_eq!(experiment.curve(strategies::UNIFORM).unwrap().against_uniform, None);
    let against = experiment.curve(strategies::PROCESS).unwrap().against_uniform.as_ref().unwrap();
    assert_eq!(against.relative_labelling_cost.len(), 44);
    for m in [10, 20, 40] {
        let cost = against.relative_labelling_cost[m - 1].unwrap();
        assert!(0.05 < cost && cost < 0.6, "{cost} at {m}");
        let p_value = against.signed_rank_log10_p_value[m - 1].unwrap();
        assert!(p_value < -5.0, "{p_value} at {m}");
    }
}

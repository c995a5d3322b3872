//! What holds exactly, or as far as the runs can tell, whatever the networks are.

use labelwise::Seed;
use labelwise_paper::Scale;
use labelwise_paper::figure::{Acquisitions, figure};
use labelwise_paper::problem::{Experiment, FromArchives, Scored, Settings, Trace};
use labelwise_paper::statistics::Summary;
use labelwise_paper::strategy::{Strategy, strategies};

use crate::digits::{archives, workshop};

/// An experiment with its networks.
fn prepared(name: &str, place: usize) -> Box<dyn Experiment> {
    let jobs = figure(name).unwrap().jobs(Settings::Text, Scale::Smoke, None, Acquisitions::First50).unwrap();
    let (mut experiment, _) = jobs.into_iter().nth(place).unwrap();
    experiment.prepare(&workshop(archives(), None)).unwrap();
    experiment
}

fn bits(trace: &Trace) -> (u64, Vec<Vec<u64>>) {
    let values = trace.values.iter().map(|values| values.iter().map(|value| value.to_bits()).collect());
    (trace.pool_risk.to_bits(), values.collect())
}

#[test]
fn a_run_is_a_function_of_its_seed_and_its_network() {
    let of_threads = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, three) = (of_threads(1), of_threads(3));
    for (name, place) in [("6", 0), ("6", 3), ("7", 0), ("8", 0)] {
        let experiment = prepared(name, place);
        let first = one.install(|| bits(&experiment.nth(0, Seed(8)).unwrap()));
        assert_eq!(first, three.install(|| bits(&experiment.nth(0, Seed(8)).unwrap())), "{name}");
        assert_ne!(first, bits(&experiment.nth(0, Seed(9)).unwrap()), "{name}");
        // One network takes every turn; of two, the second takes the second and the fourth.
        let (second, third) = (experiment.nth(1, Seed(8)).unwrap(), experiment.nth(2, Seed(8)).unwrap());
        assert_eq!(name == "8", first != bits(&second), "{name}");
        assert_eq!(first, bits(&third), "{name}");
    }
}

#[test]
fn a_run_records_what_its_columns_say() {
    for (name, place) in [("6", 0), ("6", 3), ("7", 0), ("8", 0), ("a2", 0)] {
        let experiment = prepared(name, place);
        let (trace, columns) = (experiment.nth(0, Seed(1)).unwrap(), experiment.columns());
        assert_eq!(trace.values.len(), columns.len());
        for (values, column) in trace.values.iter().zip(columns) {
            assert_eq!(values.len(), column.steps, "{}", column.strategy.key);
            assert!(values.iter().all(|value| value.is_finite()), "{}", column.strategy.key);
        }
    }
}

#[test]
fn draws_by_the_true_loss_are_exact_from_the_first_label() {
    let experiment = prepared("8", 0);
    let place =
        experiment.columns().iter().position(|column| column.strategy == strategies::TRUE_LOSS).unwrap();
    for seed in 0..10 {
        let trace = experiment.nth(seed, Seed(seed)).unwrap();
        for value in &trace.values[place] {
            assert!(
                (value - trace.pool_risk).abs() < 1e-9 * trace.pool_risk,
                "{value}, not {}",
                trace.pool_risk
            );
        }
    }
}

#[test]
fn with_the_whole_test_set_labelled_every_estimate_is_exact() {
    let recipe = figure("8").unwrap().recipes(Settings::Text, Scale::Smoke).remove(0);
    let ensemble: Vec<_> = vec![recipe.clone()];
    for scored in [Scored::CrossEntropy, Scored::Accuracy] {
        let mut experiment = FromArchives::new("whole", Settings::Text, vec![recipe.clone()]);
        (experiment.pool_size, experiment.steps, experiment.scored) = (50, 50, scored);
        experiment.judged = 50..=50;
        experiment.ensembles = vec![ensemble.clone()];
        let all = [
            strategies::UNIFORM,
            strategies::ENTROPY,
            strategies::INFORMATION,
            strategies::ENSEMBLE,
            strategies::OURS_ENSEMBLE,
        ];
        experiment.strategies = all.to_vec();
        experiment.prepare(&workshop(archives(), None)).unwrap();
        for seed in 0..5 {
            let trace = experiment.run(Seed(seed)).unwrap();
            for (values, curve) in trace.values.iter().zip(all) {
                let (last, early) = (values[49], values[4]);
                let close = |value: f64| (value - trace.pool_risk).abs() <= 1e-9 * trace.pool_risk;
                assert!(close(last), "{}: {last}, not {}", curve.key, trace.pool_risk);
                assert!(!close(early), "{}: five labels do not say it all", curve.key);
            }
        }
    }
}

/// The mean of errors, in standard errors.
fn off(errors: &[f64]) -> f64 {
    let summary = Summary::of(errors).unwrap();
    summary.mean / summary.mean_std_error.unwrap()
}

#[test]
fn without_weights_draws_by_entropy_overestimate_and_with_weights_they_do_not() {
    let experiment = prepared("8", 0);
    let traces: Vec<Trace> = (0..400).map(|n| experiment.nth(n, Seed(n)).unwrap()).collect();
    let at = |curve: Strategy, m: usize| {
        let place = experiment.columns().iter().position(|column| column.strategy == curve).unwrap();
        let errors: Vec<f64> =
            traces.iter().map(|trace| trace.values[place][m - 1] - trace.pool_risk).collect();
        off(&errors)
    };
    for m in [30, 60] {
        let naive = at(strategies::ENTROPY_IID, m);
        assert!(naive > 6.0, "{naive:.1} standard errors at {m}");
        for curve in [strategies::ENTROPY, strategies::INFORMATION, strategies::UNIFORM] {
            let weighted = at(curve, m);
            assert!(weighted.abs() < 4.0, "{}: {weighted:.1} standard errors at {m}", curve.key);
        }
    }
}

#[test]
fn settings_differ_in_clip_and_size_of_test_sets() {
    let released = |name: &str| {
        let jobs = figure(name).unwrap();
        jobs.jobs(Settings::Released, Scale::Laptop, None, Acquisitions::First50).unwrap()
    };
    assert_eq!(released("6")[0].0.pool_size(), 999);
    assert_eq!(released("6")[3].1, 1000);
    // The same archives, the same seed, other draws wherever scores are clipped in another way.
    let recipe = figure("8").unwrap().recipes(Settings::Text, Scale::Smoke).remove(0);
    let run = |settings| {
        let mut experiment = FromArchives::new("clipped", settings, vec![recipe.clone()]);
        // All items, so that both are drawn from the same test set.
        (experiment.pool_size, experiment.steps, experiment.judged) = (400, 40, 40..=40);
        experiment.ensembles = vec![vec![recipe.clone()]];
        experiment.strategies =
            vec![strategies::UNIFORM, strategies::ENTROPY, strategies::ENSEMBLE, strategies::OURS_ENSEMBLE];
        experiment.prepare(&workshop(archives(), None)).unwrap();
        bits(&experiment.run(Seed(4)).unwrap()).1
    };
    let (text, released) = (run(Settings::Text), run(Settings::Released));
    assert_eq!((&text[0], &text[3]), (&released[0], &released[3]));
    assert_ne!(text[1], released[1]);
    assert_ne!(text[2], released[2]);
}

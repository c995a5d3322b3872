//! `labelwise simulate`: its texts, and whether its numbers are the library's.

use std::fs;
use std::sync::Arc;

use insta::assert_snapshot;
use labelwise::acquisition::{Centred, ExpectedLoss};
use labelwise::design::Stratification;
use labelwise::estimator::CentredLure;
use labelwise::interval::Method;
use labelwise::ledger::Outcome;
use labelwise::loss::Loss;
use labelwise::proposal::Floor;
use labelwise::surrogate::{Recalibrated, Schedule};
use labelwise::{CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};
use serde_json::Value;

use crate::run::{Folder, command, round, told, transcript};

const POOL: &str = "../../examples/pool.csv";

/// A simulation of the example pool.
fn example(arguments: &[&str]) -> String {
    transcript(&[&["simulate", POOL, "--label-column", "label"], arguments].concat()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let all = [&["simulate", POOL, "--label-column", "label", "--json"], arguments].concat();
    let output = command(&all).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stderr, b"");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn short_help() {
    assert_snapshot!("help_short", transcript(&["simulate", "-h"]).unwrap());
}

#[test]
fn texts() {
    assert_snapshot!("usual", example(&["--budget", "60", "--runs", "40"]));
    let accuracy = ["--budget", "60", "--runs", "40", "--loss", "accuracy", "--level", "0.9"];
    assert_snapshot!("accuracy", example(&accuracy));
    assert_snapshot!("whole_pool", example(&["--budget", "300", "--runs", "2"]));
    let few = ["--budget", "20", "--runs", "3", "--loss", "neg_brier_score"];
    assert_snapshot!("no_difference", example(&few));
    assert_snapshot!("one_run", example(&["--budget", "1", "--runs", "1"]));
    assert_snapshot!("half_of_a_smaller_pool", example(&["--runs", "5", "--loss", "zero-one"]));
}

#[test]
fn a_strategy_may_cost_more() {
    // The surrogate expects every loss to be in a twentieth of the items, and they are everywhere.
    let row = |i: u32| {
        let label = if i.wrapping_mul(2_654_435_761) % 7 < 3 { "a" } else { "b" };
        let expected = if i.is_multiple_of(20) { "0,1" } else { "1,0" };
        format!("{i},0.999,0.001,{expected},{label}\n")
    };
    let rows: String = (0..1500).map(row).collect();
    let pool = format!("id,prob_a,prob_b,other_a,other_b,label\n{rows}");
    let folder = Folder::new().with("pool.csv", &pool);
    let arguments = ["simulate", "pool.csv", "--label-column", "label", "--budget", "60", "--runs", "100"];
    let text = folder.transcript(&[&arguments[..], &["--surrogate-probs", "other_*"]].concat());
    // Labels soon say that this surrogate knows nothing. Without them, it costs.
    assert_snapshot!("costs_more", text);
}

#[test]
fn losses_that_are_all_the_same_need_one_label() {
    let pool = "prob_a,prob_b,label\n0.9,0.1,a\n0.9,0.1,a\n0.9,0.1,a\n0.9,0.1,a\n";
    let folder = Folder::new().with("pool.csv", pool);
    let arguments = ["simulate", "pool.csv", "--label-column", "label", "--runs", "2"];
    assert_snapshot!("all_the_same", folder.transcript(&arguments));
}

#[test]
fn as_json() {
    let mut found = json(&["--budget", "60", "--runs", "20"]);
    round(&mut found);
    assert_snapshot!("json", serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn the_same_seed_prints_the_same_bytes_on_any_number_of_threads() {
    let print = |threads: &str, seed: &str, rest: &[&str]| {
        let all =
            ["simulate", POOL, "--label-column", "label", "--budget", "40", "--runs", "30", "--seed", seed];
        let all = [&all[..], rest].concat();
        command(&all).env("RAYON_NUM_THREADS", threads).output().unwrap().stdout
    };
    assert_eq!(print("1", "3", &[]), print("3", "3", &[]));
    assert_eq!(print("1", "3", &["--json"]), print("2", "3", &["--json"]));
    assert_ne!(print("1", "3", &["--json"]), print("1", "4", &["--json"]));
    // A forest has threads of its own.
    let forest = ["--json", "--features", "prob_*", "--retrain", "20"];
    assert_eq!(print("1", "3", &forest), print("3", "3", &forest));
}

/// The pool as a stranger would read it.
fn pool() -> (Pool<labelwise::Classification>, Vec<usize>) {
    let text = fs::read_to_string(POOL).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let numbers: Vec<f64> =
        rows.iter().flat_map(|row| row[1..11].iter().map(|text| text.parse().unwrap())).collect();
    let labels = rows.iter().map(|row| row[11].parse().unwrap()).collect();
    (Pool::classification(Matrix::f64(numbers, 10).unwrap()).unwrap(), labels)
}

#[test]
fn the_numbers_are_the_library_s() {
    let (pool, labels) = pool();
    let risk = pool.risk(&CrossEntropy::default(), &labels).unwrap();
    let runs = 12;
    let (mut errors, mut paper, mut covered, mut widths) = (Vec::new(), Vec::new(), 0, Vec::new());
    let mut strata = Vec::new();
    for run in 0..runs {
        let surrogate = || Fixed(pool.own_beliefs().unwrap());
        let begin = || Evaluation::builder(pool.clone(), CrossEntropy::default(), surrogate());
        let experts = vec![pool.own_beliefs().unwrap()];
        let recalibrated = Recalibrated::new(experts, &pool, Arc::new(CrossEntropy::default())).unwrap();
        // As by default, but never after more than a twentieth of the pool.
        let recalibrated = recalibrated.schedule(Schedule::At(vec![10, 20, 50]));
        let ours = Evaluation::builder(pool.clone(), CrossEntropy::default(), recalibrated);
        let ours = ours.acquisition(Centred).floor(Floor::Mixture { rho: 0.2 });
        let mut ours = ours.seed(Seed(5).repetition(run)).build().unwrap();
        ours.run(60, &mut |item: usize| Ok(labels[item])).unwrap();
        errors.push(ours.estimate(&CentredLure).unwrap().value - risk);
        let interval = ours.interval(&CentredLure, Method::Ordinary, Target::Pool, 0.8).unwrap();
        covered += i32::from(interval.covers(risk));
        widths.push(interval.high - interval.low);
        let theirs = begin().acquisition(ExpectedLoss).floor(Floor::PAPER).seed(Seed(5).repetition(run));
        // The paper's clip is of the items left, at every step.
        let mut theirs = theirs.rescore(Schedule::Every(1)).build().unwrap();
        theirs.run(60, &mut |item: usize| Ok(labels[item])).unwrap();
        paper.push(theirs.estimate(&Lure).unwrap().value - risk);
        let (loss, seed) = (CrossEntropy::default(), Seed(5).repetition(run));
        let sample = Stratification::new(&pool, &loss, &pool.own_beliefs().unwrap(), 60, 10, seed).unwrap();
        let mut ledger = sample.ledger();
        for (place, draw) in sample.draws().iter().enumerate() {
            let label = labels[draw.index];
            let loss = loss.loss(pool.predictions().reader().row(draw.index), label);
            ledger.settle(place, Outcome::Labelled { label, loss });
        }
        strata.push(ledger.estimate(&ledger.by_strata().unwrap()).unwrap().value - risk);
    }
    let found = json(&["--budget", "60", "--runs", "12", "--seed", "5", "--level", "0.8"]);
    let last = &found["budgets"][2];
    assert_eq!((&last["labels"], &last["strategies"][4]["strategy"]), (&60.into(), &"labelwise".into()));
    let near = |found: &Value, expected: f64| {
        let found = found.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let square = |errors: &[f64]| mean(&errors.iter().map(|error| error * error).collect::<Vec<_>>());
    near(&found["pool"]["truth"], risk);
    let ours = &last["strategies"][4];
    near(&ours["bias"]["value"], mean(&errors));
    near(&ours["root_mean_squared_error"], square(&errors).sqrt());
    near(&ours["coverage"], f64::from(covered) / runs as f64);
    near(&ours["mean_width"], mean(&widths));
    near(&last["strategies"][2]["root_mean_squared_error"], square(&paper).sqrt());
    near(&last["strategies"][1]["root_mean_squared_error"], square(&strata).sqrt());

    // σ²/M · (1 − M/N) · N/(N − 1), and solved for M.
    let mut reader = pool.predictions().reader();
    let losses: Vec<f64> = (0..300).map(|i| CrossEntropy::default().loss(reader.row(i), labels[i])).collect();
    let population = mean(&losses.iter().map(|loss| (loss - risk).powi(2)).collect::<Vec<_>>());
    let exact = (population / 60.0 * (1.0 - 60.0 / 300.0) * 300.0 / 299.0).sqrt();
    near(&last["strategies"][0]["exact_root_mean_squared_error"], exact);
    let uniform = ours["uniform_labels"]["value"].as_f64().unwrap();
    let as_good = population / uniform * (1.0 - uniform / 300.0) * 300.0 / 299.0;
    assert!((as_good / square(&errors) - 1.0).abs() < 1e-9);
    near(&ours["relative_labelling_cost"], 60.0 / uniform);
}

#[test]
fn uniform_sampling_is_as_far_off_as_the_formula_says() {
    let found = json(&["--budget", "60", "--runs", "2000"]);
    for at in found["budgets"].as_array().unwrap() {
        let uniform = &at["strategies"][0];
        let [measured, exact] = ["root_mean_squared_error", "exact_root_mean_squared_error"]
            .map(|name| uniform[name].as_f64().unwrap());
        // The standard error of the ratio is 2 to 3 % here; the seed is fixed.
        assert!((measured / exact - 1.0).abs() < 0.1, "{measured} and {exact}");
        let bias = &uniform["bias"];
        let errors = bias["value"].as_f64().unwrap() / bias["standard_error"].as_f64().unwrap();
        assert!(errors.abs() < 4.0, "{errors} standard errors");
    }
}

#[test]
fn accuracy_is_the_other_side_of_the_error_rate() {
    let arguments = |loss: &'static str| ["--budget", "60", "--runs", "10", "--loss", loss];
    let (accuracy, errors) = (json(&arguments("accuracy")), json(&arguments("zero-one")));
    let number = |found: &Value, name: &str| {
        let ours = &found["budgets"][2]["strategies"][3];
        if name == "bias" { ours["bias"]["value"].as_f64() } else { ours[name].as_f64() }.unwrap()
    };
    let truth = |found: &Value| found["pool"]["truth"].as_f64().unwrap();
    assert!((truth(&accuracy) + truth(&errors) - 1.0).abs() < 1e-12);
    assert_eq!(number(&accuracy, "bias"), -number(&errors, "bias"));
    for name in ["root_mean_squared_error", "coverage", "mean_width", "relative_labelling_cost"] {
        assert_eq!(number(&accuracy, name), number(&errors, name), "{name}");
    }
    assert_eq!((&accuracy["loss"], &errors["loss"]), (&"accuracy".into(), &"zero-one".into()));
}

#[test]
fn a_picture() {
    let folder = Folder::new().with("pool.csv", &fs::read_to_string(POOL).unwrap());
    let arguments = ["simulate", "pool.csv", "--label-column", "label", "--budget", "60", "--runs", "10"];
    let with = |rest: &[&str]| {
        let all = [&arguments[..], rest].concat();
        let output = folder.command(&all).output().unwrap();
        assert!(output.status.success(), "{}", told(&all, &output).unwrap());
        output.stdout
    };
    let (svg, png) = (folder.path("curve.svg"), folder.path("curve.PNG"));
    let drawn = with(&["--plot", "curve.svg"]);
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg"));
    for text in [
        "uniform sampling, plain mean",
        "labelwise, centred regression LURE",
        "RMSE of the mean cross-entropy",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    with(&["--plot", "curve.PNG"]);
    assert!(fs::read(png).unwrap().starts_with(b"\x89PNG"));
    // What is said is the same with a picture and without.
    assert_eq!(drawn, with(&[]));
    assert_eq!(with(&["--json"]), with(&["--json", "--plot", "curve.svg"]));
}

#[test]
fn errors() {
    let refused: [(&str, &[&str]); 12] = [
        ("budget_zero", &["--budget", "0"]),
        ("budget_above_pool", &["--budget", "301"]),
        ("budget_word", &["--budget", "many"]),
        ("runs_zero", &["--runs", "0"]),
        ("runs_too_many", &["--runs", "100001"]),
        ("level_in_per_cent", &["--level", "95"]),
        ("seed_negative", &["--seed", "-1"]),
        ("loss_unknown", &["--loss", "f1"]),
        ("loss_of_values", &["--loss", "squared-error"]),
        ("plot_name", &["--plot", "curve.pdf"]),
        ("plot_folder", &["--plot", "nowhere/curve.svg", "--runs", "1", "--budget", "1"]),
        ("json_loss", &["--loss", "value", "--json"]),
    ];
    for (name, arguments) in refused {
        let text = example(arguments);
        assert!(text.contains("exit code: 2\n"), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
    }
}

//! Designs that choose every item before the first label: from a pool to a number, and what they refuse.

use std::collections::BTreeMap;
use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, label};

const EVALUATION: &str = "batch.labelwise";

/// Ids that were asked, in draw order.
fn asked(folder: &Folder, count: usize) -> Vec<String> {
    let asked = folder.run(&["ask", EVALUATION, "-n", &count.to_string(), "--format", "csv"]);
    asked.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect()
}

fn answers(ids: &[String]) -> String {
    let row = |id: &String| format!("{id},{}\n", label(id.trim_start_matches("row-").parse().unwrap()));
    format!("id,label\n{}", ids.iter().map(row).collect::<String>())
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run(arguments)).unwrap()
}

/// The mean cross-entropy by all labels.
fn truth(folder: &Folder) -> f64 {
    let simulated =
        json(folder, &["simulate", "pool.csv", "--label-column", "label", "--runs", "1", "--json"]);
    simulated["pool"]["truth"].as_f64().unwrap()
}

#[test]
fn a_stratified_sample_from_a_pool_to_a_report() {
    let folder = Folder::new();
    let mut story = Vec::new();
    let mut say = |arguments: &[&str]| story.push(folder.transcript(arguments));
    say(&["new", "pool.csv", "--out", EVALUATION, "--design", "stratified", "--budget", "70", "--seed", "4"]);
    say(&["ask", EVALUATION, "-n", "71"]);
    let ids = asked(&folder, 70);
    // The labels of a morning, one of which nobody was sure of.
    let some: Vec<String> = ids.iter().take(45).filter(|id| **id != ids[21]).cloned().collect();
    folder.write("some.csv", &answers(&some));
    folder.write("all.csv", &answers(&ids));
    say(&["tell", EVALUATION, "some.csv"]);
    say(&["estimate", EVALUATION]);
    say(&["estimate", EVALUATION, "--interval", "guaranteed-at-budget"]);
    say(&["status", EVALUATION]);
    say(&["tell", EVALUATION, "all.csv"]);
    say(&["estimate", EVALUATION, "--loss", "cross-entropy,accuracy,brier"]);
    say(&["estimate", EVALUATION, "--target", "population", "--json"]);
    say(&["estimate", EVALUATION, "--loss", "accuracy", "--interval", "guaranteed-at-budget"]);
    say(&["estimate", EVALUATION, "--interval", "guaranteed"]);
    say(&["estimate", EVALUATION, "--estimator", "regression"]);
    say(&["estimate", EVALUATION, "--estimator", "iid", "--json"]);
    say(&["ask", EVALUATION]);
    say(&["verify", EVALUATION]);
    say(&["status", EVALUATION, "--json"]);
    say(&["report", EVALUATION, "--target", "population", "--json"]);
    assert_snapshot!("stratified_story", story.join("\n"));
    let page = fs::read_to_string(folder.path("batch.html")).unwrap();
    for words in [
        "<h2>Strata</h2>",
        "on the population that this pool of 200 items was drawn from",
        "that of the population the pool was drawn from",
        "drawn from strata, more from those whose losses were expected to differ",
        "70 before the first label, within strata",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn every_stratum_comes_early_and_draws_do_not_depend_on_how_they_are_asked() {
    let folder = Folder::new();
    let new = ["new", "pool.csv", "--out", EVALUATION, "--design", "stratified", "--budget", "60"];
    folder.run(&new);
    let one_by_one: Vec<String> = (0..25).flat_map(|_| asked(&folder, 1)).collect();
    let export = folder.run(&["export", EVALUATION]);
    assert!(export.starts_with("draw,id,row,q,refresh,state,label,asked_at,asked_by,stratum\n"));
    let mut early = BTreeMap::new();
    for line in export.lines().skip(1).take(20) {
        *early.entry(line.rsplit(',').next().unwrap().to_owned()).or_insert(0) += 1;
    }
    assert_eq!((early.len(), early.values().all(|count| *count == 2)), (10, true), "{early:?}");
    folder.run(&["verify", EVALUATION]);
    fs::remove_file(folder.path(EVALUATION)).unwrap();
    folder.run(&new);
    assert_eq!(asked(&folder, 60)[..25], one_by_one);
}

#[test]
fn a_one_shot_batch_has_all_that_other_draws_have() {
    let folder = Folder::new();
    let mut story = Vec::new();
    let mut say = |arguments: &[&str]| story.push(folder.transcript(arguments));
    say(&[
        "new",
        "pool.csv",
        "--out",
        EVALUATION,
        "--design",
        "one-shot",
        "--budget",
        "60",
        "--features",
        "x*",
    ]);
    let ids = asked(&folder, 60);
    folder.write("some.csv", &answers(&ids[..50]));
    folder.write("all.csv", &answers(&ids));
    say(&["tell", EVALUATION, "some.csv"]);
    say(&["estimate", EVALUATION, "--interval", "guaranteed-at-budget"]);
    say(&["tell", EVALUATION, "all.csv"]);
    say(&["estimate", EVALUATION, "--interval", "guaranteed-at-budget", "--loss", "zero-one"]);
    say(&["estimate", EVALUATION]);
    say(&["ask", EVALUATION, "-n", "1", "--json"]);
    say(&["verify", EVALUATION]);
    say(&["status", EVALUATION]);
    assert_snapshot!("one_shot_story", story.join("\n"));
    folder.run(&["report", EVALUATION]);
    let page = fs::read_to_string(folder.path("batch.html")).unwrap();
    assert!(
        page.contains("60 before the first label, from one proposal") && !page.contains("<h2>Strata</h2>")
    );
}

#[test]
fn the_whole_pool_is_exact_by_either_design() {
    let folder = Folder::new();
    let truth = truth(&folder);
    for design in ["stratified", "one-shot"] {
        folder.run(&["new", "pool.csv", "--out", EVALUATION, "--design", design, "--budget", "200"]);
        folder.label(EVALUATION, 200, |item| label(item).to_owned());
        let estimate = json(&folder, &["estimate", EVALUATION, "--json"]);
        for end in ["estimate", "low", "high"] {
            assert!((estimate[end].as_f64().unwrap() - truth).abs() < 1e-7, "{design}: {estimate}");
        }
        assert_eq!(estimate["interval"], "exact");
        fs::remove_file(folder.path(EVALUATION)).unwrap();
    }
}

#[test]
fn rows_to_learn_from_make_a_surrogate_that_learns_once() {
    let folder = Folder::new();
    let mut new = vec!["new", "pool.csv", "--out", EVALUATION, "--design", "stratified", "--budget", "60"];
    new.extend(["--features", "x*", "--train", "pool.csv", "--train-label", "label"]);
    let said = folder.run(&new);
    assert!(said.contains("a random forest on the features") && !said.contains("learns again"), "{said}");
    folder.label(EVALUATION, 60, |item| label(item).to_owned());
    folder.run(&["verify", EVALUATION]);
    assert_eq!(json(&folder, &["status", EVALUATION, "--json"])["refreshes"], 1);
}

/// What was given up counts as it does for other draws: as anything it could be, or not at all.
#[test]
fn labels_that_never_come() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", EVALUATION, "--design", "stratified", "--budget", "60"]);
    let ids = asked(&folder, 60);
    let (given_up, rest) = ids.split_at(2);
    folder.write("rest.csv", &answers(rest));
    folder.run(&["tell", EVALUATION, "rest.csv"]);
    folder.run(&["skip", EVALUATION, &given_up[0]]);
    let missing = ["skip", EVALUATION, &given_up[1], "--at-random"];
    folder.run(&missing);
    let estimate = json(&folder, &["estimate", EVALUATION, "--json"]);
    assert_eq!((&estimate["labels"], &estimate["pool_size"]), (&58.into(), &199.into()));
    assert!(estimate["notes"].to_string().contains("some items were skipped"));
    let zero_one =
        ["estimate", EVALUATION, "--loss", "zero-one", "--interval", "guaranteed-at-budget", "--json"];
    assert_eq!(json(&folder, &zero_one)["interval"], "guaranteed");
    folder.run(&["report", EVALUATION]);
}

#[test]
fn nonsense_about_designs_is_refused_in_sentences() {
    let folder = Folder::new();
    let mut story = Vec::new();
    for options in [
        &["--design", "stratified"][..],
        &["--design", "one-shot"],
        &["--budget", "50"],
        &["--strata", "5"],
        &["--design", "one-shot", "--budget", "50", "--strata", "5"],
        &["--design", "stratified", "--budget", "201"],
        &["--design", "one-shot", "--budget", "0"],
        &["--design", "stratified", "--budget", "19", "--strata", "10"],
        &["--design", "stratified", "--budget", "1"],
        &["--design", "stratified", "--budget", "50", "--strata", "0"],
        &["--design", "stratified", "--budget", "some"],
        &["--design", "stratified", "--budget", "50", "--acquisition", "uniform"],
        &["--design", "stratified", "--budget", "50", "--floor", "none"],
        &["--design", "one-shot", "--budget", "50", "--rescore", "10"],
        &["--design", "one-shot", "--budget", "50", "--features", "x*", "--retrain", "10"],
        &["--design", "one-shot", "--budget", "50", "--features", "x*", "--surrogate", "forest"],
        &["--design", "poisson", "--budget", "50"],
        &["--design", "stratified", "--budget", "201", "--json"],
    ] {
        let arguments = [&["new", "pool.csv", "--out", EVALUATION], options].concat();
        story.push(folder.transcript(&arguments));
        assert!(!folder.path(EVALUATION).exists(), "{options:?}");
    }
    assert_snapshot!("nonsense_about_designs", story.join("\n"));
}

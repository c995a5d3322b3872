//! What the doctor advises for judges, labels that are also columns of a history, and what a stratified sample was worth.

use std::fmt::Write;

use crate::folder::{Folder, spread};
use crate::judges::{SIZE, folder, json, label, score, work};

#[test]
fn a_doctor_knows_votes_and_several_judges() {
    let folder = Folder::new();
    let mut rows = String::from("id,prompt,opinion,human\n");
    let mut stars = String::from("id,prompt,gpt,claude,label\n");
    for item in 0..60 {
        let vote = |stream| ["A", "B", "tie"][(3.0 * spread(item, stream)) as usize];
        writeln!(rows, "v{item},prompt {item},{},{}", vote(1), vote(2)).unwrap();
        let star = |stream| 1 + (5.0 * spread(item, stream)) as usize % 5;
        writeln!(stars, "v{item},prompt {},{},{},{}", item / 2, star(1), star(2), star(3)).unwrap();
    }
    folder.write("votes.csv", &rows);
    folder.write("stars.csv", &stars);
    let commands = |file: &str| -> Vec<String> {
        let found = json(&folder, &["doctor", file]);
        let next = found["next"].as_array().unwrap().iter();
        next.map(|advice| advice["command"].as_str().unwrap().to_owned()).collect()
    };
    let votes = commands("votes.csv");
    assert_eq!(votes[0], "labelwise new votes.csv --judge opinion --loss value --worth A=1,tie=0.5,B=0");
    let stars = commands("stars.csv");
    assert_eq!(stars[0], "labelwise new stars.csv --judge gpt --judge claude --loss value --range 1,5");
    for command in votes.iter().chain(&stars) {
        folder.run(&command.split(' ').skip(1).collect::<Vec<&str>>());
    }
    // Only prompts that repeat are groups.
    let uses = |file: &str| json(&folder, &["doctor", file])["columns"][1]["uses"][0].clone();
    assert_eq!(
        (uses("votes.csv"), uses("stars.csv")),
        ("text for the labeller".into(), "groups (--group)".into())
    );
}

#[test]
fn one_column_of_probabilities_is_a_model_of_two_classes() {
    let folder = Folder::new();
    let mut rows = String::from("review,p_positive,truth\n");
    for item in 0..60 {
        let truth = if spread(item, 1) < spread(item, 2) { "positive" } else { "negative" };
        writeln!(rows, "review number {item},{:.3},{truth}", spread(item, 2)).unwrap();
    }
    folder.write("reviews.csv", &rows);
    let found = json(&folder, &["doctor", "reviews.csv"]);
    let command = found["next"][0]["command"].as_str().unwrap();
    assert_eq!(command, "labelwise new reviews.csv --prob p_positive --loss accuracy");
    folder.run(&command.split(' ').skip(1).collect::<Vec<&str>>());
}

#[test]
fn labels_are_no_history_of_their_own() {
    let folder = Folder::new();
    let mut matrix = String::from("id,m_1,m_2,m_3\n");
    for item in 0..SIZE {
        let result = |model: usize| u8::from(score(item) + 0.3 * spread(item, 4 + model) > 0.6);
        writeln!(matrix, "{item},{},{},{}", result(0), result(1), result(2)).unwrap();
    }
    folder.write("matrix.csv", &matrix);
    const SIMULATE: [&str; 10] =
        ["simulate", "matrix.csv", "--loss", "value", "--range", "0,1", "--runs", "5", "--budget", "30"];
    fn with<'a>(options: &[&'a str]) -> Vec<&'a str> {
        SIMULATE.iter().chain(options).copied().collect()
    }
    let found = json(&folder, &with(&["--history", "m_*", "--label-column", "m_2"]));
    assert_eq!(found["surrogate"]["judge"], "the results of 2 other models");
    let labelwise = &found["budgets"][2]["strategies"];
    let own = labelwise.as_array().unwrap().iter().find(|result| result["strategy"] == "labelwise").unwrap();
    let uniform = labelwise[0]["exact_root_mean_squared_error"].as_f64().unwrap();
    let worth = (uniform / own["root_mean_squared_error"].as_f64().unwrap()).powi(2);
    assert!((own["worth"]["value"].as_f64().unwrap() - worth).abs() < 1e-9, "{own}");
    for options in [["--history", "m_2"], ["--judge", "m_2"]] {
        let output = folder.output(&with(&[&options[..], &["--label-column", "m_2"]].concat()));
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("`m_2` of matrix.csv has the labels"));
    }
}

#[test]
fn a_stratified_sample_says_what_it_was_worth() {
    let folder = folder();
    let new = ["new", "answers.csv", "--judge", "judge_score", "--loss", "rate", "--positive", "pass"];
    let stratified = ["--design", "stratified", "--budget", "60", "--out", "st.labelwise"];
    folder.run(&[&new[..], &stratified].concat());
    work(&folder, "st.labelwise", 60, 60, |item| label(item).to_owned());
    let found = json(&folder, &["estimate", "st.labelwise"]);
    assert_eq!(found["worth"]["labels"], 60, "{found}");
    let said = folder.run(&["estimate", "st.labelwise"]);
    assert!(said.contains("by 60 labels") && !said.contains("--design stratified"), "{said}");
}

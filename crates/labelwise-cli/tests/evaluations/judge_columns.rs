//! Columns of judges and histories: what the doctor says of them, histories in files, and bad input.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::folder::{Folder, spread};
use crate::judges::{SIZE, folder, json, score, work};

#[test]
fn bad_input_is_named_with_the_way_out() {
    let folder = folder();
    folder.write("constant.csv", "id,judge\na,0.5\nb,0.5\nc,\n");
    folder.write("odd.csv", "id,judge\na,pass\nb,maybe\nc,fail\n");
    folder.write("stars.csv", "id,stars,m_a\na,4,1\nb,7,0\nc,1,3\n");
    folder.write("votes.csv", "id,vote,label\na,X,X\nb,Y,tie\nc,X,Y\n");
    let mut said = String::new();
    for arguments in [
        vec!["new", "constant.csv", "--judge", "judge", "--loss", "rate", "--positive", "pass"],
        vec!["new", "odd.csv", "--judge", "judge", "--loss", "value", "--worth", "pass=1,fail=0"],
        vec!["new", "votes.csv", "--judge", "vote", "--loss", "rate"],
        vec!["new", "odd.csv", "--judge", "judge", "--loss", "rate", "--positive", "good"],
        vec!["new", "stars.csv", "--judge", "stars", "--loss", "value", "--range", "1,5"],
        vec!["new", "stars.csv", "--judge", "stars", "--loss", "value"],
        vec!["new", "stars.csv", "--history", "m_*", "--loss", "value", "--range", "0,1"],
        vec!["new", "stars.csv", "--judge", "points", "--loss", "rate", "--positive", "1"],
        vec![
            "simulate",
            "votes.csv",
            "--judge",
            "vote",
            "--loss",
            "value",
            "--worth",
            "X=1,Y=0",
            "--label-column",
            "label",
        ],
        vec!["new", "votes.csv", "--judge", "vote", "--loss", "value", "--worth", "X=1,Y=1"],
        vec!["new", "pool.csv", "--loss", "rate"],
        vec!["new", "pool.csv", "--loss", "value"],
    ] {
        let output = folder.output(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        said += &folder.transcript(&arguments);
        said += "\n";
    }
    assert_snapshot!("bad_judges", said);
}

#[test]
fn values_that_few_items_have_are_mentioned() {
    let folder = Folder::new();
    let (mut rows, mut history) = (String::from("id,score,verdict\n"), String::from("id,result\nelse,1\n"));
    for item in 0..SIZE {
        let said = if item == 7 { "1.7".to_owned() } else { format!("{:.3}", score(item)) };
        let verdict = if item == 9 { "maybe" } else { ["fail", "pass"][usize::from(score(item) > 0.5)] };
        writeln!(rows, "a{item},{said},{verdict}").unwrap();
        writeln!(history, "a{item},{}", u8::from(score(item) > 0.4)).unwrap();
    }
    folder.write("few.csv", &rows);
    folder.write("old.csv", &history);
    let new = |judge: &[&str]| {
        let rest = ["--loss", "rate", "--positive", "pass", "--out"];
        let out = format!("{}.labelwise", judge[1].replace('.', "-"));
        folder.run(&[&["new", "few.csv"], judge, &rest[..], &[&out]].concat())
    };
    let said = new(&["--judge", "score"]);
    let sentence =
        "says 1.7 of item a7, so its numbers are not taken for scores from 0 to 1: correct it, if they are";
    assert!(said.contains(sentence), "{said}");
    let said = new(&["--judge", "verdict"]);
    assert!(said.contains("the judge verdict says maybe of 1 item, which counts as not pass"), "{said}");
    let said = new(&["--history", "old.csv"]);
    assert!(said.contains("1 item of old.csv is ignored, because the pool does not have it"), "{said}");
}

#[test]
fn a_doctor_names_the_command() {
    let folder = folder();
    let found = json(&folder, &["doctor", "answers.csv"]);
    let uses = |name: &str| {
        let column =
            found["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).unwrap();
        column["uses"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(
        [uses("id"), uses("judge_score"), uses("label"), uses("text")],
        ["ids", "judge", "label", "text for the labeller"]
    );
    let next: Vec<&str> =
        found["next"].as_array().unwrap().iter().map(|advice| advice["command"].as_str().unwrap()).collect();
    assert_eq!(next[0], "labelwise new answers.csv --judge judge_score --loss rate --positive pass");
    assert!(next[1].starts_with(
        "labelwise simulate answers.csv --judge judge_score --loss rate --positive pass --label-column label"
    ));
    // The commands work as they are printed.
    for command in next {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        folder.run(&words);
    }
}

#[test]
fn histories_come_from_files() {
    let folder = Folder::new();
    let mut pool = String::from("id,text,target\n");
    let mut old = [String::from("id,result\n"), String::from("id,result\n")];
    for item in 0..SIZE {
        let result = |model: usize| u8::from(score(item) + 0.3 * spread(item, 4 + model) > 0.6);
        writeln!(pool, "i{item},text {item},{}", result(0)).unwrap();
        for (model, file) in old.iter_mut().enumerate() {
            if item % 10 != model {
                writeln!(file, "i{item},{}", result(model + 1)).unwrap();
            }
        }
    }
    folder.write("pool.csv", &pool);
    folder.write("old-1.csv", &old[0]);
    folder.write("old-2.csv", &old[1]);
    let new = [
        "new",
        "pool.csv",
        "--history",
        "old-*.csv",
        "--loss",
        "value",
        "--range",
        "0,1",
        "--out",
        "h.labelwise",
    ];
    let said = folder.run(&new);
    assert!(said.contains("results of 108 of the 120 items"), "{said}");
    assert!(said.contains("the results of 2 other models"), "{said}");
    let simulated =
        ["simulate", "pool.csv", "--history", "old-1.csv:result", "--loss", "value", "--range", "0,1"];
    json(
        &folder,
        &[&simulated[..], &["--label-column", "target", "--budget", "30", "--runs", "10"]].concat(),
    );
}

#[test]
fn numbers_of_a_judge_stay_in_their_range() {
    let folder = folder();
    folder.run(&[
        "new",
        "answers.csv",
        "--judge",
        "judge_score",
        "--loss",
        "rate",
        "--positive",
        "pass",
        "--out",
        "s.labelwise",
    ]);
    // Labels that contradict the judge: its kappa is near -1, and no interval ends below that.
    let turned = |item: usize| if score(item) > 0.5 { "fail" } else { "pass" }.to_owned();
    let mut lowest = f64::INFINITY;
    for _ in 0..8 {
        work(&folder, "s.labelwise", 4, 4, turned);
        let found = json(&folder, &["estimate", "s.labelwise", "--loss", "kappa"]);
        if let Some(low) = found["low"].as_f64() {
            assert!(low >= -1.0, "{found}");
            lowest = lowest.min(low);
        }
    }
    assert!(lowest < -0.9, "{lowest}");
    let status = json(&folder, &["status", "s.labelwise"]);
    assert_eq!(status["surrogate"], "the judge judge_score (scores from 0 to 1)");
}

#[test]
fn infinite_scores_are_no_verdicts() {
    let folder = Folder::new();
    folder.write("rewards.csv", "id,judge\na,-1.5\nb,inf\nc,2\nd,\n");
    let said = folder.transcript(&[
        "new",
        "rewards.csv",
        "--judge",
        "judge",
        "--loss",
        "rate",
        "--positive",
        "pass",
    ]);
    assert!(
        said.contains("exit code: 2")
            && said.contains("says \"inf\" of item \"b\", which is not a finite number"),
        "{said}"
    );
}

//! What people read on the way from a pool to a report.

use insta::assert_snapshot;

use crate::folder::{Folder, label};

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    for command in [
        "new", "ask", "tell", "skip", "amend", "status", "estimate", "plan", "check", "report", "export",
        "verify", "backup",
    ] {
        assert_snapshot!(format!("help_of_{command}"), folder.transcript(&[command, "--help"]));
    }
}

#[test]
fn from_a_pool_to_a_report() {
    let folder = Folder::new();
    let mut story = Vec::new();
    let mut tell = |arguments: &[&str]| story.push(folder.transcript(arguments));
    tell(&[
        "new",
        "pool.csv",
        "--out",
        "pets.labelwise",
        "--loss",
        "cross-entropy",
        "--seed",
        "7",
        "--carry",
        "text",
    ]);
    tell(&["status", "pets.labelwise"]);
    tell(&["ask", "pets.labelwise", "-n", "3", "--format", "csv"]);
    tell(&["ask", "pets.labelwise", "-n", "2", "--format", "table"]);
    tell(&["ask", "pets.labelwise", "-n", "1", "--jsonl"]);
    tell(&["ask", "pets.labelwise", "--json"]);
    tell(&["estimate", "pets.labelwise"]);
    let waiting = folder.run(&["ask", "pets.labelwise", "--waiting", "--format", "csv"]);
    let ids: Vec<&str> = waiting.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let answers: Vec<String> = ids
        .iter()
        .map(|id| format!("{id}={}", label(id.trim_start_matches("row-").parse().unwrap())))
        .collect();
    tell(&["tell", "pets.labelwise", &answers[1], &answers[2]]);
    tell(&["status", "pets.labelwise"]);
    tell(&["tell", "pets.labelwise", &answers[0], &answers[1]]);
    tell(&["skip", "pets.labelwise", ids[3], "--note", "too dark"]);
    tell(&["skip", "pets.labelwise", ids[4], "--at-random"]);
    tell(&["amend", "pets.labelwise", &format!("{}=owl", ids[0])]);
    tell(&["tell", "pets.labelwise", &answers[5], &answers[6], "--json"]);
    tell(&["estimate", "pets.labelwise"]);
    tell(&["status", "pets.labelwise"]);
    tell(&["status", "pets.labelwise", "--json"]);
    tell(&["export", "pets.labelwise"]);
    tell(&["export", "pets.labelwise", "--what", "events"]);
    tell(&["export", "pets.labelwise", "--json"]);
    folder.label("pets.labelwise", 80, |item| label(item).to_owned());
    tell(&["estimate", "pets.labelwise", "--loss", "cross-entropy,accuracy,neg_brier_score"]);
    tell(&["estimate", "pets.labelwise", "--json", "--target", "population", "--level", "0.9"]);
    tell(&["estimate", "pets.labelwise", "--interval", "guaranteed", "--estimator", "lure"]);
    tell(&["verify", "pets.labelwise"]);
    tell(&["verify", "pets.labelwise", "--json"]);
    tell(&["report", "pets.labelwise", "--out", "report.html"]);
    assert_snapshot!("story", story.join("\n"));
    let page = std::fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("cross-entropy")
            && !page.contains("http://")
            && !page.contains("NaN")
    );
    assert!(page.contains("skipped"));
}

#[test]
fn a_pipe_from_ask_to_tell() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv"]);
    let asked = folder.run(&["ask", "pool.labelwise", "-n", "20", "--jsonl"]);
    let mut labels = String::new();
    for (n, line) in asked.lines().enumerate() {
        let id = line.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
        let label = label(id.trim_start_matches("row-").parse().unwrap());
        labels += &match n {
            3 => format!("{{\"id\":\"{id}\",\"skip\":true,\"note\":\"a blot\"}}\n"),
            4 => format!("{{\"id\":\"{id}\",\"label\":null}}\n"),
            _ => format!("{{\"id\":\"{id}\",\"label\":\"{label}\"}}\n"),
        };
    }
    folder.write("answers.jsonl", &labels);
    let stdin = std::fs::File::open(folder.path("answers.jsonl")).unwrap();
    let output = folder.command(&["tell", "pool.labelwise", "-"]).stdin(stdin).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "19 recorded, 1 without a label ignored; 18 of 20 asked items are labelled\n");
}

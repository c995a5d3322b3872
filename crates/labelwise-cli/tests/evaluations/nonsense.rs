//! Nonsense in: a sentence, exit code 2, and the evaluation as it was.

use std::fs;

use insta::assert_snapshot;

use crate::folder::{Folder, label};

#[test]
fn nonsense_is_refused_in_sentences() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise"]);
    let asked = folder.run(&["ask", "pets.labelwise", "-n", "7", "--format", "csv"]);
    let ids: Vec<&str> = asked.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let before = fs::read(folder.path("pets.labelwise")).unwrap();
    let rows: String = ids.iter().map(|id| format!("{id},a kettle\n")).collect();
    folder.write("kettles.csv", &format!("id,label\n{rows}row-9999,cat\n"));
    folder.write("columns.csv", "item,class\nrow-1,cat\n");
    folder.write("broken.jsonl", "{\"id\": \"row-1\", \"label\": \"cat\"}\n{\"id\": oops}\n");
    folder.write("ragged.csv", "id,label\nrow-1,cat,and more\n");
    folder.write(
        "garbage.labelwise",
        "this is no database, but it is long enough to look at for a while, is it not?",
    );
    fs::write(folder.path("binary.csv"), [0x80, 0xfe, 0, 1]).unwrap();
    let twice = format!("{}=cat", ids[0]);
    let (other, unasked) = (format!("{}=dog", ids[0]), "row-9999=cat");
    let long = format!("{}={}", ids[0], "x".repeat(20));
    let mut story = Vec::new();
    for arguments in [
        &["new", "pool.csv", "--out", "pets.labelwise"][..],
        &["new", "nowhere.csv"],
        &["new", "pool.csv", "--out", "no/such/folder/pets.labelwise"],
        &["new", "pool.csv", "--out", "b.labelwise", "--loss", "beauty"],
        &["new", "pool.csv", "--out", "b.labelwise", "--loss", "squared-error"],
        &["new", "pool.csv", "--out", "b.labelwise", "--surrogate", "forest"],
        &["new", "pool.csv", "--out", "b.labelwise", "--surrogate", "given"],
        &["new", "pool.csv", "--out", "b.labelwise", "--surrogate", "gp", "--features", "x*"],
        &["new", "pool.csv", "--out", "b.labelwise", "--floor", "carpet"],
        &["new", "pool.csv", "--out", "b.labelwise", "--retrain", "0"],
        &["new", "pool.csv", "--out", "b.labelwise", "--range", "0,1"],
        &["new", "pool.csv", "--out", "b.labelwise", "--train", "pool.csv", "--train-label", "label"],
        &["ask", "nowhere.labelwise"],
        &["ask", "garbage.labelwise"],
        &["ask", "pool.csv"],
        &["ask", "pets.labelwise", "-n", "1000"],
        &["ask", "pets.labelwise", "-n", "some"],
        &["tell", "pets.labelwise", "kettles.csv"],
        &["tell", "pets.labelwise", "columns.csv"],
        &["tell", "pets.labelwise", "broken.jsonl"],
        &["tell", "pets.labelwise", "ragged.csv"],
        &["tell", "pets.labelwise", "binary.csv"],
        &["tell", "pets.labelwise", "nowhere.csv"],
        &["tell", "pets.labelwise", unasked],
        &["tell", "pets.labelwise", &twice, &other],
        &["tell", "pets.labelwise", &long, "--json"],
        &["skip", "pets.labelwise", "row-9999"],
        &["amend", "pets.labelwise", &twice],
        &["estimate", "pets.labelwise"],
        &["estimate", "pets.labelwise", "--level", "95"],
        &["estimate", "pets.labelwise", "--loss", "gaussian-nll"],
        &["report", "pets.labelwise"],
        &["report", "pets.labelwise", "--out", "no/such/folder/report.html"],
        &["export", "garbage.labelwise", "--salvage"],
    ] {
        let said = folder.transcript(arguments);
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
    }
    assert_snapshot!("nonsense", story.join("\n"));
    assert_eq!(fs::read(folder.path("pets.labelwise")).unwrap(), before, "something was written");
    assert!(!folder.path("b.labelwise").exists());
}

#[test]
fn a_label_that_was_told_is_not_told_otherwise() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise"]);
    let asked = folder.run(&["ask", "pets.labelwise", "--format", "csv"]);
    let id = asked.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    let right = label(id.trim_start_matches("row-").parse().unwrap());
    let wrong = if right == "cat" { "dog" } else { "cat" };
    folder.run(&["tell", "pets.labelwise", &format!("{id}={right}")]);
    for (verb, answer) in [("tell", format!("{id}={wrong}")), ("skip", id.clone())] {
        let said = folder.transcript(&[verb, "pets.labelwise", &answer]);
        assert!(said.contains("exit code: 2") && said.contains("already has label"), "{said}");
    }
    folder.run(&["amend", "pets.labelwise", &format!("{id}={wrong}")]);
    assert!(folder.run(&["export", "pets.labelwise"]).contains(wrong));
}

#[test]
fn a_page_for_nobody_is_not_opened() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise"]);
    for option in ["--overlap", "--batch", "--lease", "--goal"] {
        // A page that opens all the same would wait for Ctrl-C.
        let said = folder.transcript(&["label", "pets.labelwise", "--terminal", option, "0"]);
        assert!(said.contains("exit code: 2") && said.contains("give a number above 0"), "{said}");
    }
}

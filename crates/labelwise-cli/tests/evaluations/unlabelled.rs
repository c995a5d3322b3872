//! Drawn items without a label: what they stop, what they do not, and the ways out.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{Folder, label, spread};

/// Asks for some items, labels all but the first, and says which that is.
fn all_but_one(folder: &Folder, evaluation: &str, count: usize) -> String {
    let asked = folder.run(&["ask", evaluation, "-n", &count.to_string(), "--format", "csv"]);
    let ids: Vec<&str> = asked.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let mut labels = String::from("id,label\n");
    for id in &ids[1..] {
        writeln!(labels, "{id},{}", label(id.trim_start_matches("row-").parse().unwrap())).unwrap();
    }
    folder.write("labels.csv", &labels);
    folder.run(&["tell", evaluation, "labels.csv"]);
    ids[0].to_owned()
}

#[test]
fn a_skipped_item_does_not_stop_what_has_bounds() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise", "--loss", "accuracy", "--seed", "2"]);
    let id = all_but_one(&folder, "pets.labelwise", 80);
    folder.run(&["skip", "pets.labelwise", &id]);
    let question = ["estimate", "pets.labelwise", "--loss", "accuracy,f1_macro,precision_per_class,mcc"];
    let said = folder.run(&question);
    assert!(said.contains("accuracy  0.") && said.contains("f1_macro  0."), "{said}");
    assert!(said.contains("mcc  undefined: item") && said.contains("has no bounds"), "{said}");
    assert!(said.contains(&format!("labelwise skip --at-random pets.labelwise {id}")), "{said}");
    let json: Vec<Value> = serde_json::from_str(&folder.run(&[&question[..], &["--json"]].concat())).unwrap();
    let skipped = json[1]["skipped"].as_array().unwrap();
    let (low, high) = (skipped[0].as_f64().unwrap(), skipped[1].as_f64().unwrap());
    assert!(low < high && json[1]["low"].as_f64().unwrap() < low && json[1]["labels"] == 79, "{json:?}");
    // Alone, a metric without bounds is refused, with the same way out.
    let said = folder.transcript(&["estimate", "pets.labelwise", "--loss", "mcc"]);
    assert!(said.contains("exit code: 2") && said.contains("skip --at-random"), "{said}");
    folder.run(&["skip", "--at-random", "pets.labelwise", &id]);
    let said = folder.run(&question);
    assert!(!said.contains("undefined") && !said.contains("skipped"), "{said}");
}

#[test]
fn a_late_label_is_named_with_the_ways_out() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "my pets.labelwise", "--loss", "accuracy", "--seed", "2"]);
    folder.label("my pets.labelwise", 10, |item| label(item).to_owned());
    let id = all_but_one(&folder, "my pets.labelwise", 30);
    for command in [
        &["estimate", "my pets.labelwise", "--loss", "accuracy,f1_macro"][..],
        &["status", "my pets.labelwise"],
    ] {
        let said = folder.run(command);
        assert_eq!(said.matches("29 labels do not count yet").count(), 1, "{said}");
        assert!(said.contains(&format!("because an earlier item has no label: {id};")), "{said}");
        assert!(said.contains(&format!("`labelwise skip 'my pets.labelwise' {id}`")), "{said}");
        assert!(said.contains("`labelwise ask --waiting 'my pets.labelwise'`"), "{said}");
    }
    folder.run(&["skip", "my pets.labelwise", &id]);
    assert!(!folder.run(&["status", "my pets.labelwise"]).contains("count yet"));
}

/// If even the first label is late, nothing counts; the refusal says how many labels there are, and what to do.
#[test]
fn a_late_first_label_is_named_too() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise", "--loss", "accuracy", "--seed", "2"]);
    let id = all_but_one(&folder, "pets.labelwise", 30);
    let said = folder.transcript(&["estimate", "pets.labelwise"]);
    assert!(said.contains(&format!("\"{id}\", has none; 29 labels wait for it")), "{said}");
    assert!(said.contains(&format!("labelwise skip EVALUATION {id}")), "{said}");
    assert!(said.contains("labelwise ask --waiting EVALUATION"), "{said}");
}

/// Twenty classes and hundreds of slices: few lines, and numbers in their order.
#[test]
fn many_classes_and_slices_are_short() {
    let folder = Folder::new();
    let classes = 20;
    let mut text = String::from("id");
    (0..classes).for_each(|class| write!(text, ",prob_news.{class}").unwrap());
    text += ",author\n";
    let winner = |item: usize| item * 7 % classes;
    for item in 0..600 {
        write!(text, "row-{item}").unwrap();
        for class in 0..classes {
            write!(text, ",{}", if class == winner(item) { 0.62 } else { 0.02 }).unwrap();
        }
        writeln!(text, ",{}", item % 300).unwrap();
    }
    folder.write("news.csv", &text);
    folder.run(&[
        "new",
        "news.csv",
        "--out",
        "news.labelwise",
        "--loss",
        "f1_per_class",
        "--carry",
        "author",
    ]);
    folder.label("news.labelwise", 100, |item| {
        let class = if spread(item, 1) < 0.7 { winner(item) } else { (winner(item) + 1) % classes };
        format!("news.{class}")
    });
    let said = folder.run(&["estimate", "news.labelwise"]);
    let notes: Vec<&str> = said.lines().filter(|line| line.contains("note")).collect();
    assert!(said.contains("news.19") && notes.len() <= 5, "{said}");
    assert!(
        notes.iter().all(|note| note.len() < 160) && notes.iter().any(|note| note.contains("of 20 rows")),
        "{said}"
    );
    let said = folder.run(&["estimate", "news.labelwise", "--loss", "accuracy", "--by", "author"]);
    assert!(
        said.lines().count() < 60 && said.contains("more with fewer labels; --json prints all"),
        "{said}"
    );
    let rows = said.lines().skip(2).filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    let rows: Vec<usize> = rows.collect();
    assert!(rows.len() == 40 && rows.is_sorted(), "{said}");
    let json: Vec<Value> = serde_json::from_str(&folder.run(&[
        "estimate",
        "news.labelwise",
        "--loss",
        "accuracy",
        "--by",
        "author",
        "--json",
    ]))
    .unwrap();
    let values: Vec<&str> = json[1..].iter().map(|row| row["slice"]["value"].as_str().unwrap()).collect();
    assert_eq!((values.len(), values[2], values[299]), (300, "2", "299"));
}

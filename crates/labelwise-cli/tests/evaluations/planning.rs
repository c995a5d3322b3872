//! How many labels, whether there are enough, and why they were worth no more.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{CLASSES, Folder};

/// Numbers between 0 and 1 that look random.
fn uniform(item: usize, salt: u64) -> f64 {
    let mut state =
        (item as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
    for _ in 0..3 {
        state = (state ^ state >> 31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}

/// How likely the model thinks it is wrong about an item: hardly, of most.
fn doubt(item: usize) -> f64 {
    0.005 + 0.6 * uniform(item, 1).powi(5)
}

/// A pool of which the model is mostly sure.
fn pool(rows: usize) -> String {
    let row = |item: usize| {
        let doubt = format!("{:.6}", doubt(item) / 2.0).parse::<f64>().unwrap();
        format!("row-{item},{:.6},{doubt:.6},{doubt:.6},\"photo {item}\"\n", 1.0 - 2.0 * doubt)
    };
    format!("id,prob_cat,prob_dog,prob_owl,text\n{}", (0..rows).map(row).collect::<String>())
}

/// What an item is: a cat, but for as often as the model doubts it.
fn label(item: usize) -> &'static str {
    CLASSES[if uniform(item, 2) < doubt(item) { 1 + item % 2 } else { 0 }]
}

/// A folder with a larger pool, and an evaluation of it.
fn folder(arguments: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("large.csv", &pool(2000));
    let new = ["new", "large.csv", "--out", "pets.labelwise", "--carry", "text", "--seed", "7"];
    folder.run(&[&new[..], arguments].concat());
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_slice(&folder.output(&[arguments, &["--json"]].concat()).stdout).unwrap()
}

fn code(folder: &Folder, arguments: &[&str]) -> i32 {
    folder.output(arguments).status.code().unwrap()
}

#[test]
fn from_a_forecast_to_an_answer() {
    let folder = folder(&["--loss", "zero-one"]);
    let mut story = Vec::new();
    for (labels, more) in [(0, 0), (30, 30), (150, 120), (600, 450)] {
        folder.label("pets.labelwise", more, |item| label(item).to_owned());
        story.push(format!("after {labels} labels"));
        for arguments in [
            &["plan", "pets.labelwise", "--half-width", "0.02"][..],
            &["plan", "pets.labelwise", "--half-width", "0.03", "--bar", "0.2", "--level", "0.9"],
            &["plan", "pets.labelwise", "--half-width", "0.01", "--target", "population"],
            &["plan", "pets.labelwise", "--bar", "0.95", "--loss", "accuracy", "--json"],
            &["check", "pets.labelwise", "--below", "0.2"],
            &["check", "pets.labelwise", "--above", "0.98", "--loss", "accuracy", "--method", "guaranteed"],
            &["check", "pets.labelwise", "--below", "0.15", "--method", "once"],
            &["check", "pets.labelwise", "--below", "0.12", "--json"],
            &["check", "pets.labelwise", "--above", "-2", "--loss", "neg_log_loss"],
        ] {
            story.push(folder.transcript(arguments));
        }
    }
    assert_snapshot!("plan_and_check", story.join("\n"));
}

#[test]
fn the_exit_code_is_the_answer() {
    let folder = folder(&["--loss", "zero-one"]);
    let check = |arguments: &[&str]| code(&folder, &[&["check", "pets.labelwise"], arguments].concat());
    assert_eq!(check(&["--below", "0.3"]), 3);
    folder.label("pets.labelwise", 500, |item| label(item).to_owned());
    assert_eq!(check(&["--below", "0.9"]), 0);
    assert_eq!(check(&["--below", "0.01"]), 1);
    assert_eq!(check(&["--above", "0.1", "--loss", "accuracy"]), 0);
    assert_eq!(check(&["--above", "0.99", "--loss", "accuracy"]), 1);
    let verdict = |bar: &str| json(&folder, &["check", "pets.labelwise", "--below", bar])["verdict"].clone();
    assert_eq!([verdict("0.9"), verdict("0.01")], ["met", "not met"]);
    let estimate = json(&folder, &["estimate", "pets.labelwise"])["estimate"].to_string();
    assert_eq!((check(&["--below", &estimate]), verdict(&estimate)), (3, "undecided".into()));
}

#[test]
fn plans_without_sense_are_refused() {
    let folder = folder(&["--loss", "zero-one"]);
    folder.run(&["new", "pool.csv", "--out", "bare.labelwise", "--surrogate", "none"]);
    folder.write("values.csv", "id,mean,variance\na,1,0.1\nb,2,0.2\nc,3,0.1\n");
    folder.run(&["new", "values.csv", "--mean", "mean", "--variance", "variance"]);
    folder.label("values.labelwise", 0, |_| String::new());
    let asked = folder.run(&["ask", "values.labelwise", "--format", "csv"]);
    let id = asked.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    folder.run(&["tell", "values.labelwise", &format!("{id}=1.5")]);
    let mut story = Vec::new();
    for arguments in [
        &["plan", "pets.labelwise"][..],
        &["plan", "pets.labelwise", "--half-width", "0"],
        &["plan", "pets.labelwise", "--half-width", "-0.1"],
        &["plan", "pets.labelwise", "--half-width", "narrow"],
        &["plan", "pets.labelwise", "--bar", "NaN"],
        &["plan", "pets.labelwise", "--bar", "0.1", "--level", "0.3"],
        &["plan", "pets.labelwise", "--bar", "0.1", "--loss", "squared-error"],
        &["plan", "nowhere.labelwise", "--bar", "0.1"],
        &["check", "pets.labelwise"],
        &["check", "pets.labelwise", "--below", "0.1", "--above", "0.2"],
        &["check", "pets.labelwise", "--below", "low"],
        &["check", "pets.labelwise", "--below", "0.1", "--level", "0.5"],
        &["check", "pets.labelwise", "--below", "0.1", "--level", "95", "--json"],
        &["check", "pets.labelwise", "--below", "0.1", "--method", "hope"],
        &["check", "pets.labelwise", "--below", "0.1", "--loss", "squared-error"],
        &["check", "values.labelwise", "--below", "0.1", "--method", "guaranteed"],
    ] {
        let said = folder.transcript(arguments);
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
    }
    // No error, but nothing to say either.
    for arguments in [
        &["plan", "bare.labelwise", "--half-width", "0.1"][..],
        &["plan", "bare.labelwise", "--bar", "0.1", "--json"],
        &["check", "bare.labelwise", "--below", "0.1"],
        &["check", "values.labelwise", "--below", "0.1"],
    ] {
        story.push(folder.transcript(arguments));
    }
    assert_snapshot!("plan_nonsense", story.join("\n"));
}

#[test]
fn a_new_evaluation_says_what_to_expect() {
    let folder = Folder::new();
    folder.write("large.csv", &pool(2000));
    folder.write("alike.csv", &alike(500));
    let mut story = Vec::new();
    for arguments in [
        &["new", "large.csv", "--out", "a.labelwise", "--loss", "accuracy"][..],
        &["new", "large.csv", "--out", "b.labelwise", "--loss", "accuracy", "--json"],
        &["new", "large.csv", "--out", "c.labelwise", "--loss", "accuracy", "--acquisition", "uniform"],
        &["new", "large.csv", "--out", "d.labelwise", "--surrogate", "none"],
        &["new", "alike.csv", "--out", "e.labelwise", "--loss", "zero-one"],
        &["new", "alike.csv", "--out", "f.labelwise", "--loss", "zero-one", "--json"],
    ] {
        story.push(folder.transcript(arguments));
    }
    assert_snapshot!("new_expects", story.join("\n"));
}

/// A pool of whose items the model is all equally sure.
fn alike(rows: usize) -> String {
    let rows: String = (0..rows).map(|item| format!("row-{item},0.8,0.1,0.1\n")).collect();
    format!("id,prob_cat,prob_dog,prob_owl\n{rows}")
}

#[test]
fn a_small_gain_has_its_reason() {
    let folder = folder(&["--loss", "zero-one"]);
    // Labels that have nothing to do with what the model says.
    folder.label("pets.labelwise", 200, |item| CLASSES[(3.0 * uniform(item, 4)) as usize].to_owned());
    let said = folder.transcript(&["estimate", "pets.labelwise"]);
    assert_snapshot!("estimate_small_gain", said);
    let estimate = json(&folder, &["estimate", "pets.labelwise"]);
    assert!(
        estimate["gain"].as_f64().unwrap() < 1.2 && !estimate["why_small"].as_array().unwrap().is_empty()
    );
    folder.run(&["report", "pets.labelwise", "--out", "report.html"]);
    let page = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.contains("Why the gain was small"));
    let helped = self::folder(&["--loss", "zero-one"]);
    helped.label("pets.labelwise", 200, |item| label(item).to_owned());
    let estimate = json(&helped, &["estimate", "pets.labelwise"]);
    assert!(
        estimate["gain"].as_f64().unwrap() > 1.2 && estimate["why_small"].as_array().unwrap().is_empty(),
        "{estimate}"
    );
    helped.run(&["report", "pets.labelwise", "--out", "report.html"]);
    assert!(!fs::read_to_string(helped.path("report.html")).unwrap().contains("Why the gain was small"));
}

#[test]
fn files_from_before_there_were_forecasts_have_them_made() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durability/golden/schema-1.labelwise");
    let folder = Folder::new();
    fs::copy(golden, folder.path("old.labelwise")).unwrap();
    let plan = json(&folder, &["plan", "old.labelwise", "--half-width", "0.1"]);
    assert_eq!(plan["rests_on"], "surrogate");
    assert!(plan["half_width"]["needed"]["expected"].as_u64().unwrap() > 10, "{plan}");
}

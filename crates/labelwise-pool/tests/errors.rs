//! Every sentence that a person may read about a pool file.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use labelwise_pool::{Error, Format, Notation, Place, PoolTable, Reading};

const ROUNDED: Notation = Notation { percent: false, normalise: true };

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools").join(name)
}

/// Writes the sentence of a file that cannot be read, without the folders that differ between machines.
fn say(said: &mut String, path: &Path, reading: &Reading) {
    let error = PoolTable::open(path, reading).expect_err(&path.display().to_string());
    let folder = path.parent().unwrap().display().to_string();
    writeln!(said, "{}\n", error.to_string().replace(&format!("{folder}/"), "")).unwrap();
}

#[test]
fn sentences_about_files_that_people_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = String::new();
    let plain = Reading::new;
    let probabilities = "id,prob_a,prob_b\n";
    let many: String = (0..9).map(|row| format!("{row},0.{row},0.5\n")).collect();
    let long = format!("id,{}\n", (0..30).map(|n| format!("c{n}")).collect::<Vec<_>>().join(","));
    let cases: Vec<(&str, String, Reading)> = vec![
        ("none.csv", String::new(), plain()),
        ("empty.csv", probabilities.to_owned(), plain()),
        ("empty.jsonl", "\n\n".to_owned(), plain()),
        ("columns.csv", "id,a,b\n1,0.5,0.5\n".to_owned(), plain()),
        ("wide.csv", long, plain()),
        ("one.csv", "id,p_value\n1,0.5\n".to_owned(), plain()),
        ("two.csv", "id,prob_a,prob_b,p_a,p_b\n1,0.5,0.5,0.5,0.5\n".to_owned(), plain()),
        ("pattern.csv", format!("{probabilities}1,0.5,0.5\n"), plain().probabilities("score_*")),
        ("pattern.csv", format!("{probabilities}1,0.5,0.5\n"), plain().logits("*_a,x")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().labels("truth")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().ids("key")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().carry("text")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().features("x*")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().mean("mean")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().hard("class")),
        ("column.csv", format!("{probabilities}1,0.5,0.5\n"), plain().scores("score")),
        ("twice.csv", "id,prob_a,prob_a\n1,0.5,0.5\n".to_owned(), plain()),
        ("sums.csv", format!("{probabilities}{many}"), plain()),
        ("few.csv", format!("{probabilities}1,0.5,0.5\n2,nan,1\n3,-0.5,1.5\n"), plain()),
        ("cells.csv", format!("{probabilities}1,0.5,\n2,half,0.5\n\n3,0.5\n,0.5,0.5\n"), plain()),
        ("quoted.csv", format!("{probabilities}\"two\nlines\",0.5,0.5\n2,0.5,0.6\n"), plain()),
        ("twins.csv", format!("{probabilities}a,0.5,0.5\nb,0.5,0.5\na,0.5,0.5\na,1,0\n"), plain()),
        ("labels.csv", "prob_a,prob_b,y\n0.5,0.5,a\n0.5,0.5,c\n".to_owned(), plain().labels("y")),
        ("logits.csv", "a,b\n1,nan\n-inf,-inf\n".to_owned(), plain().logits("a,b")),
        ("values.csv", "m,v\n1,-1\ninf,1\n2,nan\n".to_owned(), plain().mean_and_variance("m", "v")),
        ("scores.csv", "s\n1\n-1\n".to_owned(), plain().scores("s")),
        ("percent.csv", format!("{probabilities}1,97,3\n2,40.5,59.5\n"), plain()),
        ("percent.csv", format!("{probabilities}1,97,3\n2,40.5,59.5\n"), plain().logits("prob_*")),
        ("already.csv", format!("{probabilities}1,0.97,0.03\n2,0.4,0.6\n"), plain().logits("prob_*")),
        ("rounded.csv", format!("{probabilities}1,0.97,0.04\n2,0.4,0.6\n"), plain()),
        ("scores.csv", format!("{probabilities}1,-1.5,0.4\n2,3,0.5\n"), plain()),
        ("scores.csv", format!("{probabilities}1,8,9\n"), plain().notation(ROUNDED)),
        ("single.csv", "id,prob_1\n1,0.16\n".to_owned(), plain()),
        ("single.csv", "id,prob_1\n1,0.16\n".to_owned(), plain().probabilities("prob_1")),
        ("single.csv", "id,prob_1\n1,16\n2,97\n".to_owned(), plain().probability("prob_1")),
        ("single.csv", "id,prob_1\n1,-2\n2,nan\n".to_owned(), plain().probability("prob_1")),
        ("single.csv", "id,z\n1,0.5\n2,0.25\n".to_owned(), plain().logits("z")),
        ("std.csv", "m,std\n1,2\n".to_owned(), plain().mean_and_variance("m", "std")),
        ("std.csv", "m,var\n1,2\n".to_owned(), plain().mean_and_deviation("m", "var")),
        ("std.csv", "m,s\n1,-2\n".to_owned(), plain().mean_and_deviation("m", "s")),
        ("std.csv", "m,s\n1,-2\n".to_owned(), plain().mean("m").notation(ROUNDED)),
        ("many.csv", format!("id,prob_a,prob_b\n{many}"), plain().classes(["a", "b"])),
        (
            "decimals.csv",
            format!("judge\n{}", (0..90).map(|n| format!("0.{n}1\n")).collect::<String>()),
            plain().hard("judge"),
        ),
        ("features.csv", "prob_a,prob_b,x\n0,1,inf\n".to_owned(), plain().features("x")),
        ("broken.jsonl", "{\"probs\": [0.5, 0.5]}\n{\"probs\": [0.5\n{}\n[1]\n".to_owned(), plain()),
        (
            "lists.jsonl",
            "{\"probs\": [0.5, 0.5]}\n{\"probs\": [1]}\n{\"probs\": \"x\"}\n".to_owned(),
            plain(),
        ),
        ("nan.jsonl", "{\"probs\": [0.5, NaN]}\n".to_owned(), plain()),
        ("number.jsonl", "7\n".to_owned(), plain()),
        ("kinds.jsonl", "{\"probs\": {\"a\": 1}}\n".to_owned(), plain().probabilities("probs")),
        ("table.json", "{\"columns\": [\"p_a\", \"p_b\"], \"data\": [[0.5, 0.5], [1]]}".to_owned(), plain()),
        ("other.json", "{\"rows\": []}".to_owned(), plain()),
        ("cut.json", "{\"columns\": [\"p_a\", \"p_b\"], \"data\": [[0.5".to_owned(), plain()),
        ("text.parquet", "not Parquet".to_owned(), plain()),
        ("text.arrow", "not Arrow".to_owned(), plain()),
        ("text.npy", "not NumPy".to_owned(), plain()),
        ("text.npz", "not a ZIP archive".to_owned(), plain()),
        ("text.eval", "not a ZIP archive".to_owned(), plain()),
        ("pool.xlsx", String::new(), plain()),
    ];
    for (name, text, reading) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        say(&mut said, &path, &reading);
    }
    say(&mut said, &folder.path().join("missing.csv"), &plain());
    writeln!(said, "{}", "excel".parse::<Format>().unwrap_err()).unwrap();
    insta::assert_snapshot!("texts", said);
}

#[test]
fn sentences_about_files_that_programs_write() {
    let mut said = String::new();
    let plain = Reading::new;
    for (name, reading) in [
        ("holes.parquet", plain()),
        ("objects.npy", plain()),
        ("values.npy", plain()),
        ("pool.npz", plain().probabilities("ids")),
        ("lists.parquet", plain().mean("probs")),
        ("pool.parquet", plain().features("text")),
        ("pool.parquet", plain().scores("mean")),
        ("lm_eval_filters.jsonl", plain()),
        ("lm_eval_filters.jsonl", plain().filter("none")),
        ("inspect_epochs.eval", plain()),
        ("inspect_epochs.eval", plain().epoch(7)),
        ("inspect_failed.json", plain().labels("match")),
    ] {
        say(&mut said, &fixture(name), &reading);
    }
    insta::assert_snapshot!("binary", said);
}

#[test]
fn sentences_about_surrogates() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, text: &str, reading: &Reading| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        PoolTable::open(&path, reading).unwrap()
    };
    let pool = || open("pool.csv", "id,p_a,p_b\n1,0.5,0.5\n2,0.5,0.5\n3,1,0\n", &Reading::new());
    let mut said = String::new();
    for surrogate in [
        open("short.csv", "id,p_a,p_b\n2,0.5,0.5\n", &Reading::new()),
        open("other.csv", "id,p_a,p_c\n1,0.5,0.5\n2,0.5,0.5\n3,1,0\n", &Reading::new()),
        open("values.csv", "id,m\n1,0.5\n2,0.5\n3,1\n", &Reading::new().mean("m")),
    ] {
        let error = pool().with_surrogate(surrogate).unwrap_err();
        let folder = format!("{}/", folder.path().display());
        writeln!(said, "{}\n", error.to_string().replace(&folder, "")).unwrap();
    }
    insta::assert_snapshot!("surrogates", said);
}

#[test]
fn the_first_five_rows_are_named_by_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    // Two lines more than rows: one blank, one inside of quotes.
    let mut text = "id,p_a,p_b\n\n\"a\nb\",1,0\n".to_owned();
    for row in 0..100 {
        let second = if row % 10 == 3 { 0.75 } else { 0.5 };
        writeln!(text, "{row},0.5,{second}").unwrap();
    }
    // An unreadable cell late in the file does not hide the rows before it.
    text = text.replace("\n20,0.5,", "\n20,x,");
    std::fs::write(&path, text).unwrap();
    let Err(Error::Rows { rows, more, .. }) = PoolTable::open(&path, &Reading::new()) else { panic!() };
    let places: Vec<Place> = rows.iter().map(|offence| offence.place).collect();
    assert_eq!(places, [8, 18, 25, 28, 38].map(Place::Line));
    assert!(more);
    assert_eq!(rows[2].fault.to_string(), "`p_a` is `x`, not a number");
}

#[test]
fn bare_names_are_never_taken_for_probabilities_but_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    std::fs::write(&path, "truth,cat,dog,.pred_class\ncat,0.5,0.5,cat\n").unwrap();
    assert!(matches!(PoolTable::open(&path, &Reading::new()), Err(Error::NoFamily { .. })));
    let pool = PoolTable::open(&path, &Reading::new().probabilities("cat, dog")).unwrap();
    assert_eq!(pool.predictions.classes().unwrap(), ["cat", "dog"]);
    // tidymodels puts the predicted class beside the probabilities.
    std::fs::write(&path, ".pred_class,.pred_cat,.pred_dog\ncat,0.5,0.5\n").unwrap();
    let pool = PoolTable::open(&path, &Reading::new()).unwrap();
    assert_eq!(pool.predictions.classes().unwrap(), ["cat", "dog"]);
}

#[test]
fn sentences_that_would_take_huge_or_odd_files() {
    let path = PathBuf::from("pool.parquet");
    let errors = [
        Error::TooLarge { path: path.clone(), bytes: 900, most: 1 << 26 },
        Error::TooWide { path: path.clone(), columns: 2_000_000, most: 100_000 },
        Error::NoFormat { name: "excel".to_owned(), known: "csv, tsv".to_owned() },
        Error::Folder { path: "pools".into(), files: vec!["pools/a.csv".to_owned()] },
        Error::Memory { rows: 1 << 40, columns: 10 },
        Error::ClassNames { path, names: 3, probabilities: 2 },
    ];
    insta::assert_snapshot!("rare", errors.map(|error| error.to_string()).join("\n\n"));
}

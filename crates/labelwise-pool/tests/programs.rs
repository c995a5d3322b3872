//! Results of promptfoo, DeepEval, Langfuse and AlpacaEval, and histories in files of their own.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::path::PathBuf;

use labelwise_pool::{Error, PoolTable, Reading, Survey, Values};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/programs").join(name)
}

/// Ids and what a judge says of them.
fn judged(name: &str, judge: &str, reading: &Reading) -> Vec<(String, String)> {
    let pool = PoolTable::open(path(name), &reading.clone().judge(judge)).unwrap();
    let column = &pool.judged.as_ref().unwrap().judges[0].orders[0];
    (0..pool.rows()).map(|row| (pool.ids.get(row).unwrap(), column.text(row).unwrap())).collect()
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(id, said)| ((*id).to_owned(), (*said).to_owned())).collect()
}

fn carried(pool: &PoolTable, name: &str, row: usize) -> String {
    let column = pool.carried.iter().find(|(column, _)| column == name);
    column
        .unwrap_or_else(|| panic!("{name} of {:?}", pool.carried.iter().map(|c| &c.0).collect::<Vec<_>>()))
        .1
        .text(row)
        .unwrap()
}

#[test]
fn promptfoo_has_a_pool_per_system() {
    for name in ["promptfoo.json", "promptfoo.jsonl"] {
        let error = PoolTable::open(path(name), &Reading::new().judge("success")).unwrap_err().to_string();
        assert!(error.contains("`answer`, `echo`"), "{error}");
        let echo = Reading::new().filter("echo");
        assert_eq!(
            judged(name, "success", &echo),
            pairs(&[("0", "false"), ("1", "true"), ("2", "true")]),
            "{name}"
        );
        assert_eq!(judged(name, "score", &echo), pairs(&[("0", "0.5"), ("1", "1"), ("2", "0.27")]));
        assert_eq!(judged(name, "score.prime", &echo)[1].1, "1");
        assert_eq!(judged(name, "assert 1 contains", &echo), pairs(&[("0", "0"), ("1", "1"), ("2", "")]));
        // A model that failed was not judged.
        let answer = Reading::new().filter("answer");
        assert_eq!(judged(name, "success", &answer), pairs(&[("0", "true"), ("1", ""), ("2", "false")]));
        let pool = PoolTable::open(path(name), &answer.judge("success").carry_texts()).unwrap();
        assert_eq!(carried(&pool, "output", 0), "It is 30.");
        assert_eq!(carried(&pool, "vars.question", 2), "Say nothing");
        assert!(pool.carried.iter().all(|(name, _)| !name.contains("reason") && !name.contains("score")));
        assert!(pool.notes.iter().any(|note| note.contains("results of promptfoo")), "{:?}", pool.notes);
    }
}

#[test]
fn deepeval_has_a_judge_per_metric() {
    let plain = Reading::new();
    let said = judged("deepeval.json", "contains", &plain);
    assert_eq!(said, pairs(&[("test_case_0", "1"), ("test_case_1", "0"), ("test_case_2", "1")]));
    // A metric that failed has no score.
    assert_eq!(judged("deepeval.json", "length", &plain)[2].1, "");
    assert_eq!(judged("deepeval.json", "length success", &plain)[0].1, "false");
    let pool =
        PoolTable::open(path("deepeval.json"), &Reading::new().judge("contains").carry_texts()).unwrap();
    assert_eq!(carried(&pool, "actual_output", 1), "Nine.");
}

#[test]
fn langfuse_scores_are_lists() {
    for name in ["langfuse.json", "langfuse.jsonl", "langfuse.csv"] {
        let said = judged(name, "quality", &Reading::new());
        assert_eq!(said, pairs(&[("trace-0", "0.75"), ("trace-1", "0.375"), ("trace-2", "")]), "{name}");
        // Two texts that differ are no verdict.
        let said: Vec<String> =
            judged(name, "verdict", &Reading::new()).into_iter().map(|(_, said)| said).collect();
        assert_eq!(said, ["good", "bad", ""], "{name}");
        let pool = PoolTable::open(path(name), &Reading::new().judge("quality").carry("output")).unwrap();
        assert_eq!(carried(&pool, "output", 1), "Nine.");
    }
}

#[test]
fn alpaca_eval_is_won_by_the_second_answer() {
    let said: Vec<String> =
        judged("alpaca_eval.json", "win", &Reading::new()).into_iter().map(|(_, said)| said).collect();
    assert_eq!(said.len(), 5);
    let wins: Vec<Option<f64>> = said.iter().map(|said| said.parse().ok()).collect();
    assert!((wins[0].unwrap() - 0.02).abs() < 1e-12);
    assert_eq!(wins[1..], [Some(1.0), Some(0.5), None, Some(0.5)]);
    let pool = PoolTable::open(path("alpaca_eval.json"), &Reading::new().judge("win").carry_texts()).unwrap();
    assert_eq!(carried(&pool, "instruction", 3), "Question 3");
    assert!(!pool.carried.iter().any(|(name, _)| name == "preference" || name == "annotator"));
}

#[test]
fn a_list_of_objects_is_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.json");
    std::fs::write(
        &file,
        r#"[{"id": "a", "judge": 0.25, "meta": {"lang": "de"}}, {"id": "b", "judge": null}]"#,
    )
    .unwrap();
    let pool = PoolTable::open(&file, &Reading::new().judge("judge").carry("meta.lang")).unwrap();
    assert_eq!(pool.judged.unwrap().judges[0].orders[0].text(0).as_deref(), Some("0.25"));
    std::fs::write(&file, r#"[{"id": "a", "judge": 0.25}, 7]"#).unwrap();
    let error = PoolTable::open(&file, &Reading::new().judge("judge")).unwrap_err().to_string();
    assert!(error.contains("item 1 of the list is not an object"), "{error}");
    std::fs::write(&file, "[]").unwrap();
    assert!(matches!(PoolTable::open(&file, &Reading::new()), Err(Error::Empty { .. })));
    std::fs::write(&file, "[{\"id\": 1,").unwrap();
    assert!(matches!(PoolTable::open(&file, &Reading::new()), Err(Error::Damaged { .. })));
    let table = r#"[{"id": "a", "prob_x": 0.25, "prob_y": 0.75}, {"id": "b", "prob_x": 0.5, "prob_y": 0.5}]"#;
    std::fs::write(&file, table).unwrap();
    assert_eq!(PoolTable::open(&file, &Reading::new()).unwrap().rows(), 2);
}

#[test]
fn histories_are_joined_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let pool = file("pool.csv", "id,own\na,0.1\nb,0.9\nc,0.5\n");
    let old = file("old.csv", "id,acc\nc,1\na,0\nz,1\n");
    let matrix = file("matrix.csv", "id,text,m_1,m_2\nb,words,0.5,1\na,more,0.25,\n");
    let history = |patterns: &[&str]| {
        let reading = patterns.iter().fold(Reading::new(), |reading, pattern| reading.history(*pattern));
        PoolTable::open(&pool, &reading)
    };
    let columns = |pool: PoolTable| -> Vec<(String, Vec<String>)> {
        let judged = pool.judged.unwrap();
        let texts = |column: &labelwise_pool::Column| (0..3).map(|row| column.text(row).unwrap()).collect();
        judged.history.iter().map(|(name, column)| (name.clone(), texts(column))).collect()
    };
    let found = history(&[&old, &matrix]).unwrap();
    assert!(found.notes.iter().any(|note| note.contains("results of 2 of the 3 items")), "{:?}", found.notes);
    assert!(
        found.notes.iter().any(|note| note.contains("1 item of") && note.contains("ignored")),
        "{:?}",
        found.notes
    );
    let found = columns(found);
    assert_eq!(found[0], ("old".to_owned(), ["0", "", "1"].map(str::to_owned).to_vec()));
    assert_eq!(found[1], ("matrix:m_1".to_owned(), ["0.25", "0.5", ""].map(str::to_owned).to_vec()));
    assert_eq!(found.len(), 3);
    let one = columns(history(&[&format!("{matrix}:m_2")]).unwrap());
    assert_eq!(one[0].1, ["", "1", ""]);
    let stars = format!("{}/*.csv:m_*", folder.path().display());
    let error = history(&[&stars]).unwrap_err().to_string();
    assert!(error.contains("no column that can be results"), "{error}");
    let other = file("other.csv", "id,acc\n7,1\n8,0\n");
    let error = history(&[&other]).unwrap_err().to_string();
    assert!(error.contains("begin with 7, those of the pool with a"), "{error}");
    assert!(matches!(history(&["missing.csv"]), Err(Error::File { .. })));
    // Logs: the score is the result, if there is one.
    let logs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools");
    let log = logs.join("lm_eval_choices.jsonl");
    let error =
        PoolTable::open(&log, &Reading::new().history(log.display().to_string())).unwrap_err().to_string();
    assert!(
        error.contains("name one of them as the result") && error.contains("lm_eval_choices.jsonl:acc"),
        "{error}"
    );
    let found = PoolTable::open(&log, &Reading::new().history(format!("{}:acc", log.display()))).unwrap();
    assert_eq!(found.judged.unwrap().history[0].1.text(2).as_deref(), Some("0"));
    // The grades of a judge stay as they are; as a history they are numbers.
    let log = logs.join("inspect.json");
    let survey = Survey::of(&log, &Reading::new()).unwrap();
    let scorer = survey.columns.iter().find(|column| column.values == Values::Scores).unwrap().name.clone();
    let reading = Reading::new().judge(&scorer).history(format!("{}:{scorer}", log.display()));
    let judged = PoolTable::open(&log, &reading).unwrap().judged.unwrap();
    let (verdict, result) =
        (judged.judges[0].orders[0].text(0).unwrap(), judged.history[0].1.text(0).unwrap());
    assert!(
        ["C", "I", "P", "N"].contains(&verdict.as_str()) && result.parse::<f64>().is_ok(),
        "{verdict} {result}"
    );
}

#[test]
fn a_survey_says_what_columns_hold() {
    let survey = Survey::of(path("langfuse.csv"), &Reading::new()).unwrap();
    let of = |name: &str| survey.columns.iter().find(|column| column.name == name).unwrap();
    assert_eq!((survey.rows, survey.ids.as_deref()), (3, Some("id")));
    assert_eq!((of("quality").blank, of("userId").values), (1, Values::Nothing));
    let survey = Survey::of(path("deepeval.json"), &Reading::new()).unwrap();
    let length = survey.columns.iter().find(|column| column.name == "length").unwrap();
    assert_eq!((length.blank, length.values), (1, Values::Numbers { low: 0.125, high: 0.2, whole: false }));
}

//! Exports that the tools' own libraries wrote: keys kept, statuses mapped, several annotators kept apart.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use labelwise_connect::formats::{self, Export, TakenOver, Tool};
use labelwise_connect::{Error, Wish};
use labelwise_study::{Author, Choices, Fate, PoolTable, Reading, Study};
use proptest::prelude::*;

const EVERY: [(&str, Tool); 8] = [
    ("argilla-flat.json", Tool::Argilla),
    ("argilla-whole.json", Tool::Argilla),
    ("doccano-ada/ada.jsonl", Tool::Doccano),
    ("doccano-ben/ben.jsonl", Tool::Doccano),
    ("langfuse-v2.json", Tool::Langfuse),
    ("langfuse-v3.json", Tool::Langfuse),
    ("prodigy.jsonl", Tool::Prodigy),
    ("label-studio.json", Tool::LabelStudio),
];

fn by() -> Author {
    Author { who: "max".to_owned(), at: 1_000_000, key: None }
}

/// A study whose six items, pet-0 to pet-5, are all asked.
fn pets() -> Study {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    let rows: String = (0..6).map(|i| format!("pet-{i},0.5,0.3,0.2,pet {i} purrs\n")).collect();
    fs::write(&path, format!("id,prob_cat,prob_dog,prob_owl,text\n{rows}")).unwrap();
    let pool = PoolTable::open(&path, &Reading::new().carry("text")).unwrap();
    let mut study = Study::in_memory(pool, &Choices::default()).unwrap().evaluation;
    study.ask(6, &by()).unwrap();
    study
}

fn fixture(name: &str, study: &Study) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    fs::read_to_string(path).unwrap().replace("EVALUATION", &study.settings().identity())
}

fn take_over(study: &mut Study, name: &str) -> Result<TakenOver, Error> {
    let text = fixture(name, study);
    formats::take_over(study, Export { name, text: &text, question: None }, &by())
}

/// The fate of each item, by its id.
fn fates(study: &Study) -> BTreeMap<String, String> {
    let fate = |fate: &Fate| match fate {
        Fate::Open => "waits".to_owned(),
        Fate::Labelled(label) => label.clone(),
        Fate::Skipped => "skipped".to_owned(),
        Fate::MissingAtRandom => "missing".to_owned(),
    };
    study.history().unwrap().map(|draw| (draw.id.to_owned(), fate(draw.fate))).collect()
}

fn expected(fates: [&str; 6]) -> BTreeMap<String, String> {
    fates.iter().enumerate().map(|(item, fate)| (format!("pet-{item}"), (*fate).to_owned())).collect()
}

/// The second opinions: item, person, label.
fn opinions(study: &Study) -> Vec<(String, String, Option<String>)> {
    study.opinions().unwrap().into_iter().map(|opinion| (opinion.id, opinion.who, opinion.label)).collect()
}

#[test]
fn every_export_is_recognised_by_its_contents() {
    let study = pets();
    for (name, tool) in EVERY {
        assert_eq!(formats::recognise(&fixture(name, &study)), Some(tool), "{name}");
    }
    for text in [
        "id,label\na,cat\n",
        "{\"id\":\"a\",\"label\":\"cat\"}",
        "[]",
        "{}",
        "",
        "[{\"id\":1}]",
        "id,label,lw_item",
    ] {
        assert_eq!(formats::recognise(text), None, "{text}");
    }
}

#[test]
fn argilla_says_which_responses_were_submitted() {
    let mut study = pets();
    let taken = take_over(&mut study, "argilla-flat.json").unwrap();
    assert_eq!(
        (taken.heard.labelled, taken.heard.skipped, taken.heard.opinions, taken.waiting),
        (2, 1, 1, 2)
    );
    assert_eq!(fates(&study), expected(["cat", "dog", "skipped", "waits", "waits", "waits"]));
    let ben = "3c1b4b7f-a6b4-4c2d-85a9-7c8d4e1e4b22";
    assert_eq!(opinions(&study), [("pet-1".to_owned(), ben.to_owned(), Some("owl".to_owned()))]);
    assert_eq!(taken.heard.set_aside[0].id, "pet-4");
    let again = take_over(&mut study, "argilla-flat.json").unwrap();
    assert_eq!((again.heard.labelled, again.heard.opinions, again.heard.corrected), (0, 0, 0));
    // The other form does not say whether a response was submitted.
    let refused = take_over(&mut pets(), "argilla-whole.json").unwrap_err();
    assert!(refused.to_string().contains("flatten=True"), "{refused}");
}

#[test]
fn doccano_has_a_file_per_person() {
    let mut study = pets();
    let taken = take_over(&mut study, "doccano-ada/ada.jsonl").unwrap();
    assert_eq!((taken.heard.labelled, taken.waiting), (2, 3));
    let taken = take_over(&mut study, "doccano-ben/ben.jsonl").unwrap();
    assert_eq!((taken.heard.labelled, taken.heard.opinions, taken.heard.taken_back), (0, 1, 0));
    assert!(taken.heard.set_aside[0].reason.contains("2 labels"), "{:?}", taken.heard.set_aside);
    assert_eq!(fates(&study), expected(["cat", "dog", "waits", "waits", "waits", "waits"]));
    assert_eq!(opinions(&study), [("pet-1".to_owned(), "ben".to_owned(), Some("owl".to_owned()))]);
}

#[test]
fn prodigy_accepts_rejects_and_ignores() {
    let mut study = pets();
    let taken = take_over(&mut study, "prodigy.jsonl").unwrap();
    assert_eq!((taken.heard.labelled, taken.heard.skipped, taken.heard.opinions), (2, 2, 1));
    assert_eq!(fates(&study), expected(["cat", "dog", "skipped", "skipped", "waits", "waits"]));
    assert_eq!(opinions(&study)[0].1, "pets-ben");
}

#[test]
fn langfuse_counts_the_scores_of_people() {
    for name in ["langfuse-v2.json", "langfuse-v3.json"] {
        let mut study = pets();
        let taken = take_over(&mut study, name).unwrap();
        assert_eq!((taken.heard.labelled, taken.heard.opinions), (2, 1), "{name}");
        assert_eq!(fates(&study), expected(["cat", "dog", "waits", "waits", "waits", "waits"]), "{name}");
        assert_eq!(opinions(&study)[0].1, "ben");
    }
    let mut study = pets();
    let text = fixture("langfuse-v2.json", &study).replacen("\"class\"", "\"tone\"", 1);
    let export = |question| Export { name: "", text: &text, question };
    let refused = formats::take_over(&mut study, export(None), &by()).unwrap_err();
    assert!(refused.to_string().contains("--question"), "{refused}");
    let taken = formats::take_over(&mut study, export(Some("class")), &by()).unwrap();
    assert_eq!(taken.heard.labelled, 1);
}

#[test]
fn label_studio_exports_skips_too() {
    let mut study = pets();
    let taken = take_over(&mut study, "label-studio.json").unwrap();
    assert_eq!((taken.heard.labelled, taken.heard.skipped, taken.heard.opinions), (2, 1, 1));
    assert_eq!(fates(&study), expected(["cat", "dog", "skipped", "waits", "waits", "waits"]));
    assert_eq!(taken.heard.set_aside.len(), 2, "a class that is not one, and an answer without a class");
}

#[test]
fn items_of_another_evaluation_are_refused() {
    let mut study = pets();
    for (name, tool) in
        EVERY.into_iter().filter(|(name, tool)| *tool != Tool::Langfuse && !name.contains("whole"))
    {
        let text = fixture(name, &study).replace(&study.settings().identity(), "0123456789abcdef");
        let refused = formats::take_over(&mut study, Export { name, text: &text, question: None }, &by());
        assert_eq!(refused.unwrap_err().code(), "other-evaluation", "{tool:?}");
    }
    assert_eq!(study.labels(), 0);
}

#[test]
fn what_is_handed_out_has_the_keys_and_no_prediction() {
    let mut study = pets();
    let items = study.waiting().unwrap();
    for tool in Tool::ALL {
        let text = formats::write(&mut study, tool, &items, &Wish::default(), &by()).unwrap();
        assert!(!text.contains("prob_") && !text.contains("0.5"), "{text}");
        let places: Vec<usize> =
            items.iter().map(|item| text.find(&format!("\"{}\"", item.id)).unwrap()).collect();
        assert!(places.is_sorted(), "{tool:?}: the order of the draws");
        let key = study.settings().identity();
        assert_eq!(text.contains(&key), tool != Tool::Langfuse, "{tool:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_exports_never_panic(which in 0..EVERY.len(), from in 0.0..1.0, count in 0_usize..40, with in "[\\[\\]{}\",:a-z0-9é]{0,8}") {
        let mut study = pets();
        let (name, _) = EVERY[which];
        let letters: Vec<char> = fixture(name, &study).chars().collect();
        let start = ((letters.len() as f64) * from) as usize;
        let end = (start + count).min(letters.len());
        let text: String = letters[..start].iter().chain(with.chars().collect::<Vec<_>>().iter()).chain(&letters[end..]).collect();
        let _ = formats::take_over(&mut study, Export { name, text: &text, question: None }, &by());
    }
}

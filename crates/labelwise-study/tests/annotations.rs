//! Annotations of labelling tools: all are kept, a rule says which counts, and hearing the same twice changes nothing.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::path::Path;

use labelwise_study::{
    Annotation, Answer, Author, Choices, EstimateOptions, Fate, OpinionRule, PoolTable, Reading, Reply,
    Report, Said, Study,
};

const TOOL: &str = "tool";

fn by(who: &str, at: i64) -> Author {
    Author { who: who.to_owned(), at, key: None }
}

/// A study in a file and one in memory, each with 20 asked items.
fn studies(folder: &Path) -> [Study; 2] {
    let rows: String = (0..60).map(|i| format!("pet-{i},0.{},0.{}\n", 10 + i, 90 - i)).collect();
    let path = folder.join("pool.csv");
    std::fs::write(&path, format!("id,prob_cat,prob_dog\n{rows}")).unwrap();
    let pool = || PoolTable::open(&path, &Reading::new()).unwrap();
    let choices = Choices::default();
    let studies = [
        Study::create(folder.join("pets.labelwise"), pool(), &choices).unwrap().evaluation,
        Study::in_memory(pool(), &choices).unwrap().evaluation,
    ];
    studies.map(|mut study| {
        study.ask(20, &by("", 1)).unwrap();
        study
    })
}

fn said(who: &str, said: Said, since: i64, at: i64) -> Annotation {
    Annotation { who: who.to_owned(), said, since, at }
}

fn label(who: &str, text: &str, at: i64) -> Annotation {
    said(who, Said::Label(text.to_owned()), at, at)
}

fn report(id: &str, annotations: &[Annotation]) -> Report {
    Report { id: id.to_owned(), annotations: annotations.to_vec(), is_whole: true }
}

fn ids(study: &Study) -> Vec<String> {
    study.history().unwrap().map(|draw| draw.id.to_owned()).collect()
}

fn fate(study: &Study, place: usize) -> Fate {
    study.fates().unwrap()[place].clone()
}

fn labelled(text: &str) -> Fate {
    Fate::Labelled(text.to_owned())
}

#[test]
fn what_a_tool_says_is_recorded_once_and_followed() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let ids = ids(&study);
        let skip = said("ada", Said::Skip, 5, 5);
        let first = [
            report(&ids[0], &[label("ada", "cat", 5)]),
            report(&ids[1], &[label("ada", "cow", 5)]),
            report(&ids[2], std::slice::from_ref(&skip)),
            report(&ids[3], &[label("ada", "dog", 5)]),
            report("pet-never", &[label("ada", "dog", 5)]),
            report("pet-never-2", &[]),
        ];
        let heard = study.hear(TOOL, &first, &by("sync", 10)).unwrap();
        assert_eq!(
            (heard.labelled, heard.skipped, heard.opinions, heard.labels, heard.asked),
            (2, 1, 0, 2, 20)
        );
        assert_eq!(heard.set_aside.len(), 1);
        assert_eq!(
            (heard.set_aside[0].id.as_str(), heard.set_aside[0].who.as_str()),
            (ids[1].as_str(), "ada")
        );
        assert!(heard.set_aside[0].reason.contains("\"cow\""), "{}", heard.set_aside[0].reason);
        assert_eq!(heard.never_asked, ["pet-never"]);
        assert_eq!((fate(&study, 1), fate(&study, 2)), (Fate::Open, Fate::Skipped));
        // Again, and again after a restart.
        let before = study.events().unwrap().count();
        let heard = study.hear(TOOL, &first, &by("sync", 11)).unwrap();
        assert_eq!((heard.labelled, heard.skipped, heard.corrected, heard.set_aside.len()), (0, 0, 0, 1));
        assert_eq!(study.events().unwrap().count(), before);
        // A correction, a label after a skip, a deletion, and a label that fits at last. One that is not named stays.
        let second = [
            report(&ids[0], &[said("ada", Said::Label("dog".to_owned()), 5, 12)]),
            report(&ids[1], &[said("ada", Said::Label("cat".to_owned()), 5, 12)]),
            report(&ids[2], &[said("ada", Said::Label("cat".to_owned()), 5, 12)]),
            report(&ids[3], &[]),
        ];
        let heard = study.hear(TOOL, &second, &by("sync", 13)).unwrap();
        assert_eq!((heard.labelled, heard.corrected, heard.taken_back, heard.labels), (2, 1, 1, 3));
        assert_eq!((fate(&study, 0), fate(&study, 3)), (labelled("dog"), Fate::Skipped));
        // A part of a file deletes nothing.
        let part = Report { is_whole: false, ..report(&ids[0], &[label("ben", "dog", 14)]) };
        let heard = study.hear(TOOL, &[part], &by("sync", 15)).unwrap();
        assert_eq!((heard.taken_back, heard.opinions), (0, 1));
        assert_eq!(study.opinions().unwrap().len(), 1);
        study.ask(10, &by("", 20)).unwrap();
        study.verify(&|_, _| ()).unwrap();
    }
    let again = Study::read(folder.path().join("pets.labelwise")).unwrap();
    assert_eq!((again.labels(), again.opinions().unwrap().len()), (3, 1));
}

#[test]
fn a_rule_says_which_of_several_labels_counts() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let ids = ids(&study);
        let all: Vec<Report> = ids
            .iter()
            .map(|id| report(id, &[label("ada", "cat", 5), label("ben", "dog", 6), label("cem", "dog", 7)]))
            .collect();
        let heard = study.hear(TOOL, &all, &by("sync", 10)).unwrap();
        assert_eq!((heard.labelled, heard.opinions), (20, 40));
        assert_eq!((study.opinion_rule().unwrap(), fate(&study, 0)), (OpinionRule::First, labelled("cat")));
        let value =
            |study: &Study| study.estimate(&EstimateOptions::default()).unwrap()[0].report.estimate.value;
        let first = value(&study);
        assert!(study.choose_opinion_rule(OpinionRule::Majority, &by("head", 11)).unwrap());
        assert!(!study.choose_opinion_rule(OpinionRule::Majority, &by("head", 11)).unwrap());
        assert_eq!(fate(&study, 19), labelled("dog"));
        let dogs = value(&study);
        // Cem thinks again: nobody has more than one other on his side.
        let change =
            report(&ids[0], &[label("ada", "cat", 5), label("ben", "dog", 6), label("cem", "cat", 12)]);
        let heard = study.hear(TOOL, &[change], &by("sync", 13)).unwrap();
        assert_eq!((heard.corrected, fate(&study, 0)), (1, labelled("cat")));
        study.choose_opinion_rule(OpinionRule::Newest, &by("head", 14)).unwrap();
        assert_eq!((fate(&study, 0), fate(&study, 1)), (labelled("cat"), labelled("dog")));
        // The author of the newest label deletes it: the one before counts, and is that person's.
        let change = report(&ids[1], &[label("ada", "cat", 5), label("ben", "dog", 6)]);
        study.hear(TOOL, &[change], &by("sync", 15)).unwrap();
        let last = study.events().unwrap().filter(|event| event.place == 1).last().unwrap();
        assert_eq!((last.label, last.who), (Some("dog"), "ben"));
        study.choose_opinion_rule(OpinionRule::Mean, &by("head", 16)).unwrap();
        let mean = value(&study);
        assert_eq!(fate(&study, 1), labelled("cat"));
        let (low, high) = (first.min(dogs), first.max(dogs));
        assert!(low < mean && mean < high, "{first} {mean} {dogs}");
        study.choose_opinion_rule(OpinionRule::First, &by("head", 17)).unwrap();
        assert_eq!(value(&study).to_bits(), first.to_bits());
        study.verify(&|_, _| ()).unwrap();
    }
}

#[test]
fn the_mean_is_over_the_losses_of_all_annotators() {
    let folder = tempfile::tempdir().unwrap();
    let [mut study, _] = studies(folder.path());
    study.ask(40, &by("", 2)).unwrap();
    // All items have labels of two people, so the estimate is the mean of their mean losses over the pool.
    let ids = ids(&study);
    let texts = |at: usize| [["cat", "dog"][at % 2], ["cat", "cat", "dog"][at % 3]];
    let all: Vec<Report> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| report(id, &[label("ada", texts(at)[0], 5), label("ben", texts(at)[1], 6)]))
        .collect();
    study.hear(TOOL, &all, &by("sync", 10)).unwrap();
    study.choose_opinion_rule(OpinionRule::Mean, &by("head", 11)).unwrap();
    let found = study.estimate(&EstimateOptions::default()).unwrap()[0].report.estimate.value;
    let loss = |at: usize| {
        let item: usize = ids[at].trim_start_matches("pet-").parse().unwrap();
        let cat = (10 + item) as f64 / 100.0;
        texts(at).iter().map(|text| -(if *text == "cat" { cat } else { 1.0 - cat }).ln()).sum::<f64>() / 2.0
    };
    let expected = (0..60).map(loss).sum::<f64>() / 60.0;
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn labels_of_other_doors_are_voices_too_and_corrections_by_hand_stay() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let ids = ids(&study);
        study.tell(&[Answer::new(&ids[0], "cat"), Answer::new(&ids[1], "cat")], &by("max", 3)).unwrap();
        let all = [
            report(&ids[0], &[label("ada", "dog", 5), label("ben", "dog", 6)]),
            report(&ids[1], &[label("ada", "dog", 5)]),
        ];
        let heard = study.hear(TOOL, &all, &by("sync", 10)).unwrap();
        assert_eq!((heard.labelled, heard.corrected, heard.opinions), (0, 0, 3), "max was first");
        study.choose_opinion_rule(OpinionRule::Majority, &by("head", 11)).unwrap();
        assert_eq!((fate(&study, 0), fate(&study, 1)), (labelled("dog"), labelled("cat")));
        study.amend(&[Answer::new(&ids[0], "cat")], &by("head", 12)).unwrap();
        let more =
            report(&ids[0], &[label("ada", "dog", 5), label("ben", "dog", 6), label("cem", "dog", 13)]);
        study.hear(TOOL, &[more], &by("sync", 14)).unwrap();
        assert_eq!(fate(&study, 0), labelled("cat"), "what somebody corrected by hand stays");
        // A second opinion by tell follows the rule as well.
        for who in ["dan", "eva"] {
            study.tell(&[Answer::new(&ids[1], "dog")], &by(who, 15)).unwrap();
        }
        assert_eq!(fate(&study, 1), labelled("dog"));
        study.verify(&|_, _| ()).unwrap();
    }
}

#[test]
fn a_skip_counts_while_nobody_labels() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let ids = ids(&study);
        let skip = |who: &str, at| said(who, Said::Skip, at, at);
        study.hear(TOOL, &[report(&ids[0], &[skip("ada", 3)])], &by("sync", 4)).unwrap();
        assert_eq!(fate(&study, 0), Fate::Skipped);
        study
            .hear(TOOL, &[report(&ids[0], &[skip("ada", 3), label("ben", "cat", 5)])], &by("sync", 6))
            .unwrap();
        assert_eq!(fate(&study, 0), labelled("cat"));
        study.hear(TOOL, &[report(&ids[0], &[skip("ada", 3), skip("ben", 7)])], &by("sync", 8)).unwrap();
        assert_eq!(fate(&study, 0), Fate::Skipped);
        // What is missing at random stays so, unless a label comes.
        let missing = Answer { reply: Reply::MissingAtRandom, ..Answer::new(&ids[1], "") };
        study.tell(&[missing], &by("max", 9)).unwrap();
        study.hear(TOOL, &[report(&ids[1], &[skip("ada", 10)])], &by("sync", 11)).unwrap();
        assert_eq!(fate(&study, 1), Fate::MissingAtRandom);
    }
}

#[test]
fn numbers_have_no_majority() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values.csv");
    let rows: String = (0..60).map(|i| format!("v-{i},{i}.5\n")).collect();
    std::fs::write(&path, format!("id,mean\n{rows}")).unwrap();
    let pool = PoolTable::open(&path, &Reading::new().mean("mean")).unwrap();
    let mut study = Study::in_memory(pool, &Choices::default()).unwrap().evaluation;
    let refused = study.choose_opinion_rule(OpinionRule::Majority, &by("head", 1)).unwrap_err();
    assert_eq!(refused.code(), "majority-of-numbers");
    assert!(study.choose_opinion_rule(OpinionRule::Newest, &by("head", 1)).unwrap());
}

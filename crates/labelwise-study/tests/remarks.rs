//! Second opinions, guides and looks: kept on disk, and never part of an estimate. Labels that are taken back.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::path::Path;

use labelwise_study::{Answer, Author, Choices, EstimateOptions, Fate, PoolTable, Reading, Reply, Study};

fn by(who: &str, at: i64) -> Author {
    Author { who: who.to_owned(), at, key: None }
}

fn pool(folder: &Path) -> PoolTable {
    let rows: String = (0..60).map(|i| format!("pet-{i},0.{},0.{}\n", 10 + i, 90 - i)).collect();
    let path = folder.join("pool.csv");
    std::fs::write(&path, format!("id,prob_cat,prob_dog\n{rows}")).unwrap();
    PoolTable::open(&path, &Reading::new()).unwrap()
}

/// A study in a file and one in memory.
fn studies(folder: &Path) -> [Study; 2] {
    let path = folder.join("pets.labelwise");
    [
        Study::create(path, pool(folder), &Choices::default()).unwrap().evaluation,
        Study::in_memory(pool(folder), &Choices::default()).unwrap().evaluation,
    ]
}

fn skip(id: &str) -> Answer {
    Answer { reply: Reply::Skip, ..Answer::new(id, "") }
}

#[test]
fn second_opinions_are_kept_and_change_no_estimate() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let asked = study.ask(10, &by("ada", 1)).unwrap();
        for (at, item) in (2..).zip(&asked) {
            let label = if at % 2 == 0 { "cat" } else { "dog" };
            study.tell(&[Answer::new(&item.id, label)], &by("ada", at)).unwrap();
        }
        let before = study.estimate(&EstimateOptions::default()).unwrap()[0].report.estimate.value;
        // Agrees, agrees, differs; then the last one is changed, and repeated.
        for (place, label) in [(0, "cat"), (1, "dog"), (2, "dog"), (2, "cat"), (2, "cat")] {
            study.give_opinion(&Answer::new(&asked[place].id, label), &by("ben", 20)).unwrap();
        }
        study.give_opinion(&Answer::new(&asked[3].id, "cat"), &by("ben", 21)).unwrap();
        study.give_opinion(&skip(&asked[4].id), &by("ben", 22)).unwrap();
        assert_eq!(study.opinions().unwrap().len(), 5);
        let agreement = study.agreement().unwrap();
        assert_eq!((agreement.both, agreement.agree), (4, 3));
        assert_eq!(agreement.pairs[0].who, ("ada".to_owned(), "ben".to_owned()));
        assert_eq!(agreement.differing[0].id, asked[3].id);
        assert_eq!(agreement.differing[0].opinion, ("cat".to_owned(), "ben".to_owned()));
        let after = study.estimate(&EstimateOptions::default()).unwrap()[0].report.estimate.value;
        assert_eq!(before.to_bits(), after.to_bits());
        let refused = study.give_opinion(&Answer::new(&asked[0].id, "cow"), &by("ben", 23)).unwrap_err();
        assert_eq!(refused.code(), "refused");
        let never = study.give_opinion(&Answer::new("pet-x", "cat"), &by("ben", 23)).unwrap_err();
        assert_eq!(never.code(), "refused");
        assert_eq!(study.opinions().unwrap().len(), 5);
    }
    let again = Study::read(folder.path().join("pets.labelwise")).unwrap();
    assert_eq!(again.opinions().unwrap().len(), 5);
    assert_eq!(again.agreement().unwrap().agree, 3);
    again.verify(&|_, _| ()).unwrap();
}

#[test]
fn a_guide_cannot_change_under_labels() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        assert!(study.record_guide("guide.md", "Cats purr.", &by("ada", 1)).unwrap());
        assert!(!study.record_guide("guide.md", "Cats purr.", &by("ada", 2)).unwrap());
        assert!(
            study.record_guide("guide.md", "Cats meow.", &by("ada", 3)).unwrap(),
            "there is no label yet"
        );
        let asked = study.ask(1, &by("ada", 4)).unwrap();
        study.tell(&[Answer::new(&asked[0].id, "cat")], &by("ada", 5)).unwrap();
        assert!(!study.record_guide("other.md", "Cats meow.", &by("ada", 6)).unwrap());
        let refused = study.record_guide("new.md", "Cats bark.", &by("ada", 6)).unwrap_err();
        assert_eq!(refused.code(), "guide-differs");
        assert_eq!(study.guide().unwrap().unwrap().text, "Cats meow.");
        study.record_look(&by("ada", 7)).unwrap();
        study.record_look(&by("ada", 8)).unwrap();
        assert_eq!(study.looks().unwrap().len(), 2);
    }
}

#[test]
fn a_label_can_be_taken_back_by_a_skip() {
    let folder = tempfile::tempdir().unwrap();
    for mut study in studies(folder.path()) {
        let asked = study.ask(12, &by("ada", 1)).unwrap();
        let labels: Vec<Answer> = asked.iter().map(|item| Answer::new(&item.id, "cat")).collect();
        study.tell(&labels, &by("ada", 2)).unwrap();
        let refused = study.tell(&[skip(&asked[0].id)], &by("ada", 3)).unwrap_err();
        assert_eq!(refused.code(), "refused", "only an amendment takes a label back");
        study.amend(&[skip(&asked[0].id)], &by("ada", 4)).unwrap();
        assert_eq!(study.fates().unwrap()[0], Fate::Skipped);
        assert_eq!((study.labels(), study.counts().skipped), (11, 1));
        study.tell(&[Answer::new(&asked[0].id, "dog")], &by("ada", 5)).unwrap();
        assert_eq!((study.labels(), study.counts().skipped), (12, 0));
        study.ask(20, &by("ada", 6)).unwrap();
        study.verify(&|_, _| ()).unwrap();
    }
    let again = Study::read(folder.path().join("pets.labelwise")).unwrap();
    assert_eq!((again.labels(), again.counts().skipped), (12, 0));
    let events: Vec<&str> = again.events().unwrap().map(|event| event.what).collect();
    assert_eq!(events[12..], ["skipped", "told"]);
}

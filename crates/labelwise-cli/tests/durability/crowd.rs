//! Several at once: writers that wait for each other, readers that nobody waits for, requests said twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::evaluation::{SIZE, Tried, answer, label};
use crate::tally::{NOTHING_LOST, report, times};

#[test]
fn two_writers_and_ten_readers_get_along() {
    crowd(2, 10);
}

#[test]
fn eight_writers_get_along() {
    for _ in 0..times() {
        crowd(8, 4);
    }
    let labels = SIZE / 8 / 2 * 2 * 8 * times();
    report("8 writers and 4 readers at once", &format!("{labels} labels told"), NOTHING_LOST);
}

/// Two labellers tell different labels of one item at the same moment: one of them wins, and the other is told.
#[test]
fn of_two_labels_for_one_item_one_is_recorded() {
    let mut races = 0;
    for _ in 0..times() {
        let tried = Tried::new(10);
        for id in tried.ids() {
            let labels = ["cat", "dog"].map(|label| format!("{id}={label}"));
            let done: Vec<bool> = thread::scope(|scope| {
                let tell = |label: &String| tried.output("tell", &[label]).status.success();
                let tellers = labels.each_ref().map(|label| scope.spawn(move || tell(label)));
                tellers.into_iter().map(|teller| teller.join().unwrap()).collect()
            });
            assert_eq!(done.iter().filter(|done| **done).count(), 1, "{id}: {done:?}");
            let winner = if done[0] { "cat" } else { "dog" };
            assert_eq!(tried.labels()[&id], winner);
            races += 1;
        }
        tried.verify();
    }
    report(
        "two different labels for one item at once",
        &format!("{races} races"),
        "1 recorded and 1 refused in each",
    );
}

/// Ends what looks on, also when a writer fails: else the test would wait for its readers forever.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writers ask and tell until most of the pool is labelled; readers look on.
fn crowd(writers: usize, readers: usize) {
    let tried = Tried::new(0);
    let done = AtomicBool::new(false);
    let asked: Vec<Vec<String>> = thread::scope(|scope| {
        let end = End(&done);
        let looking: Vec<_> = (0..readers)
            .map(|_| {
                scope.spawn(|| {
                    let mut last = 0;
                    while !done.load(Ordering::Relaxed) {
                        let output = tried.output("status", &["--json"]);
                        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
                        let labels = status["labels"].as_u64().unwrap();
                        assert!(labels >= last, "a label is gone");
                        last = labels;
                    }
                })
            })
            .collect();
        let asking: Vec<_> = (0..writers)
            .map(|writer| {
                let tried = &tried;
                scope.spawn(move || {
                    let mut mine = Vec::new();
                    for _ in 0..SIZE / writers / 2 {
                        let who = format!("writer {writer}");
                        let output = tried.output("ask", &["-n", "2", "--jsonl", "--who", &who]);
                        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                        for line in String::from_utf8(output.stdout).unwrap().lines() {
                            let item: Value = serde_json::from_str(line).unwrap();
                            let id = item["id"].as_str().unwrap().to_owned();
                            let told = tried.output("tell", &[&answer(&id)]);
                            assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
                            mine.push(id);
                        }
                    }
                    mine
                })
            })
            .collect();
        let asked = asking.into_iter().map(|writer| writer.join().unwrap()).collect();
        drop(end);
        looking.into_iter().for_each(|reader| reader.join().unwrap());
        asked
    });
    let all: BTreeSet<&String> = asked.iter().flatten().collect();
    assert_eq!(all.len(), SIZE / writers / 2 * 2 * writers, "an item was given to two");
    let labels = tried.labels();
    assert_eq!(labels.len(), all.len());
    assert!(labels.iter().all(|(id, told)| told == label(id)));
    tried.verify();
}

#[test]
fn a_request_under_a_key_happens_once() {
    let tried = Tried::new(0);
    let ask = || {
        let output = tried.output("ask", &["-n", "3", "--format", "csv", "--key", "monday"]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    // The first answer was lost on its way, so it is asked for again: by several at once, in processes of their own.
    let answers: Vec<String> = thread::scope(|scope| {
        let askers: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let ids = tried.ids();
    assert_eq!(ids.len(), 3);

    let tell = |id: &str, key: &str| tried.output("tell", &[&answer(id), "--key", key, "--json"]);
    let counts = |output: std::process::Output| {
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        (told["recorded"].as_u64(), told["already"].as_u64())
    };
    assert_eq!(counts(tell(&ids[0], "a")), (Some(1), Some(0)));
    assert_eq!(counts(tell(&ids[0], "a")), (Some(1), Some(0)), "the same request, the same answer");
    assert_eq!(counts(tell(&ids[0], "b")), (Some(0), Some(1)), "the same label under another key");
    let reused = tell(&ids[1], "a");
    assert_eq!(reused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&reused.stderr).contains("was used for a different `tell` request"));
    assert_eq!(tried.labels().len(), 1);

    let different = tried.output("tell", &[&format!("{}=owl", ids[0])]);
    let same = label(&ids[0]) == "owl";
    assert_eq!(different.status.success(), same, "another label for the same item");
}

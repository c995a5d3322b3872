//! Evaluations that are moved, deleted or copied while somebody works with them.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::evaluation::{Tried, answer, label, run, text};
use crate::tally::report;

/// A `tell` that waits for its pipe has nothing open, so it notices when it is its turn.
#[test]
fn a_file_that_is_moved_while_a_pipe_is_read_takes_no_label() {
    let tried = Tried::new(1);
    let id = tried.ids().remove(0);
    let away = tried.folder.path().join("away.labelwise");
    for delete in [false, true] {
        let mut telling = tried.command("tell", &["-"]);
        let mut telling =
            telling.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = telling.stdin.take().unwrap();
        pipe.write_all(b"id,label\n").unwrap();
        thread::sleep(Duration::from_millis(100));
        match delete {
            true => fs::remove_file(&tried.path).unwrap(),
            false => fs::rename(&tried.path, &away).unwrap(),
        }
        writeln!(pipe, "{id},{}", label(&id)).unwrap();
        drop(pipe);
        let output = telling.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(output.stdout.is_empty() && said.contains("does not exist"), "{said}");
        fs::copy(&away, &tried.path).unwrap();
        assert!(tried.labels().is_empty());
        assert!(!tried.folder.path().join("pets.labelwise-wal").exists());
    }
    report("file moved or deleted while tell waits for its pipe", "2 processes", "0 labels acknowledged");
}

/// Somebody who only waits keeps nothing in the log, so even a plain copy has every label; a backup has it in any case.
#[test]
fn a_backup_has_every_acknowledged_label() {
    let tried = Tried::new(20);
    let ids = tried.ids();
    let mut waiting = tried.command("tell", &["-"]);
    let mut waiting = waiting.stdin(Stdio::piped()).spawn().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            for id in &ids {
                assert!(tried.output("tell", &[&answer(id)]).status.success());
            }
        });
        let begun = Instant::now();
        for copy in 0.. {
            let name = tried.folder.path().join(format!("copy {copy}.labelwise"));
            let acknowledged = tried.labels();
            run(&["backup", tried.file(), text(&name)]);
            run(&["verify", text(&name)]);
            let copied = Tried { path: name, ..Tried::new(0) }.labels();
            assert!(acknowledged.iter().all(|(id, label)| copied.get(id) == Some(label)), "{copy}");
            assert!(begun.elapsed() < Duration::from_secs(60));
            if copied.len() == ids.len() {
                break;
            }
        }
    });
    drop(waiting.stdin.take());
    waiting.wait().unwrap();
    let said = tried.output("backup", &[text(&tried.folder.path().join("copy 0.labelwise"))]);
    assert_eq!(said.status.code(), Some(2));
}

/// A killed `tell` leaves its label in the log; a log that is damaged afterwards is said to be.
#[test]
fn a_damaged_log_is_a_warning() {
    let tried = Tried::new(3);
    let ids = tried.ids();
    let mut waiting = tried.command("ask", &["--waiting"]);
    assert!(waiting.stdout(Stdio::null()).status().unwrap().success());
    let before = fs::read(&tried.path).unwrap();
    let log = tried.folder.path().join("pets.labelwise-wal");
    // As if killed after the answer: the file as it was, and the log of the write.
    let mut study = labelwise_study::Study::open(&tried.path).unwrap();
    let told = labelwise_study::Answer::new(ids[0].clone(), label(&ids[0]));
    study.tell(&[told], &labelwise_study::Author::default()).unwrap();
    let mut frames = fs::read(&log).unwrap();
    drop(study);
    fs::write(&tried.path, before).unwrap();
    let middle = frames.len() / 2;
    frames[middle] ^= 8;
    fs::write(&log, &frames).unwrap();
    let verified = tried.output("verify", &[]);
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success() && said.contains("last labels are lost"), "{said}");
    let status = tried.output("status", &[]);
    let said = String::from_utf8_lossy(&status.stderr).into_owned();
    assert!(status.status.success() && said.starts_with("warning: the last"), "{said}");
}

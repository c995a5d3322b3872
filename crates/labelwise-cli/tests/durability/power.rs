//! The power goes: what was synced is on the disk, and of what was written since, some pieces are and some are not.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::evaluation::{Tried, answer, label};
use crate::fault::watched;
use crate::tally::{NOTHING_LOST, report};

/// Something that was done to a file.
#[derive(Debug, Clone)]
enum Done {
    Wrote { path: PathBuf, offset: u64, bytes: Vec<u8> },
    Synced { path: PathBuf },
    Cut { path: PathBuf, length: u64 },
    Removed { path: PathBuf },
}

/// What `fault.c` wrote down.
fn read_log(bytes: &[u8]) -> Vec<Done> {
    let (mut rest, mut done) = (bytes, Vec::new());
    while let Some((&what, after)) = rest.split_first() {
        let (head, after) = after.split_at(24);
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
        let (name, after) = after.split_at(number(0) as usize);
        let (content, after) = after.split_at(number(16) as usize);
        let path = PathBuf::from(std::str::from_utf8(name).unwrap());
        done.push(match what {
            b'w' => Done::Wrote { path, offset: number(8), bytes: content.to_vec() },
            b's' => Done::Synced { path },
            b't' => Done::Cut { path, length: number(8) },
            b'u' => Done::Removed { path },
            other => panic!("{other} is nothing that fault.c writes down"),
        });
        rest = after;
    }
    done
}

/// The files after a power cut: everything before `until` happened, and of the writes that no sync of their file followed,
/// those that `kept` says are on the disk.
fn after_power_cut(start: &Tried, log: &[Done], until: usize, kept: impl Fn(usize) -> bool) -> Tried {
    let tried = start.copy();
    let here = |path: &PathBuf| tried.folder.path().join(path.file_name().unwrap());
    let mut synced: BTreeMap<&PathBuf, usize> = BTreeMap::new();
    for (at, done) in log.iter().take(until).enumerate() {
        if let Done::Synced { path } = done {
            synced.insert(path, at);
        }
    }
    for (at, done) in log.iter().take(until).enumerate() {
        match done {
            Done::Wrote { path, offset, bytes } => {
                let safe = synced.get(path).is_some_and(|sync| *sync > at);
                // The index of the log is made again when nobody has the file open, and is never synced.
                if (safe || kept(at)) && !path.to_string_lossy().ends_with("-shm") {
                    let file =
                        OpenOptions::new().create(true).truncate(false).write(true).open(here(path)).unwrap();
                    file.write_all_at(bytes, *offset).unwrap();
                }
            }
            Done::Cut { path, length } => {
                let file =
                    OpenOptions::new().create(true).truncate(false).write(true).open(here(path)).unwrap();
                file.set_len(*length).unwrap();
            }
            Done::Removed { path } => {
                let _ = fs::remove_file(here(path));
            }
            Done::Synced { .. } => {}
        }
    }
    tried
}

#[test]
fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let original = Tried::new(5);
    let start = original.copy();
    let ids = original.ids();
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("log");
    let run = |verb: &str, rest: &[&str]| {
        let mut command = original.command(verb, rest);
        assert!(watched(&mut command, original.folder.path(), &log).output().unwrap().status.success());
        read_log(&fs::read(&log).unwrap()).len()
    };
    // After each of these, so much of the log had happened and so many labels were acknowledged.
    let acknowledged: Vec<usize> = (0..3).map(|n| run("tell", &[&answer(&ids[n])])).collect();
    let asked = run("ask", &["-n", "2"]);
    let whole = original.ids();
    let log = read_log(&fs::read(&log).unwrap());
    assert!(log.iter().filter(|done| matches!(done, Done::Synced { .. })).count() >= 4, "nothing is synced");
    for until in 0..=log.len() {
        for salt in 0..3_usize {
            // Nothing of what was not synced, all of it, and every other piece.
            let kept = |at: usize| [false, true, (at * 2_654_435_761).is_multiple_of(2)][salt];
            let tried = after_power_cut(&start, &log, until, kept);
            let labels = tried.labels();
            let promised = acknowledged.iter().filter(|end| **end <= until).count();
            let sent = acknowledged.iter().filter(|end| **end <= until).count() + 1;
            assert!((promised..=sent).contains(&labels.len()), "{} labels after {until} calls", labels.len());
            assert!(labels.iter().all(|(id, told)| told == label(id)));
            let drawn = tried.ids();
            assert!(drawn == whole || until < asked && drawn == ids, "draws after {until} calls: {drawn:?}");
            if until % 7 == 0 {
                tried.verify();
                assert!(tried.output("tell", &[&answer(&ids[4])]).status.success(), "and it goes on");
            }
        }
    }
    report(
        "power cut after every write, simulated",
        &format!("{} states of the disk", 3 * (log.len() + 1)),
        NOTHING_LOST,
    );
}

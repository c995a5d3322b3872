//! A crash, a failed call or a full disk at every single point at which a command writes.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use crate::evaluation::{Tried, after_tell, answer, program, text};
use crate::fault::{Kind, fails};
use crate::tally::{NOTHING_LOST, report};

/// Runs something with the disk failing at its first call, its second, ... until a run does not meet its fault any more.
/// Each run starts from the same files.
fn at_every_point(
    start: &Tried,
    kind: Kind,
    verb: &str,
    rest: &[&str],
    check: impl Fn(&Tried, bool),
) -> usize {
    let mut failed = 0;
    for at in 1.. {
        let tried = start.copy();
        let mut command = tried.command(verb, rest);
        let output = fails(&mut command, tried.folder.path(), kind, at).output().unwrap();
        let killed = output.status.signal() == Some(9);
        let done = output.status.success();
        if kind != Kind::Kill && !done {
            assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(kind != Kind::Kill || killed || done);
        check(&tried, done);
        failed += usize::from(!done);
        // A failing call that nobody needs (SQLite tidies up after the commit) does not fail the command.
        if done && (kind == Kind::Kill || at > 40) {
            assert!(failed > 3, "only {failed} faults were noticed");
            return at;
        }
    }
    unreachable!("the loop ends when a run is done")
}

#[test]
fn a_crash_at_any_point_of_tell_loses_nothing_that_was_acknowledged() {
    let start = Tried::new(5);
    let ids = start.ids();
    let answer = answer(&ids[2]);
    let check = |tried: &Tried, done: bool| after_tell(tried, done, &ids[2], &ids);
    let points = at_every_point(&start, Kind::Kill, "tell", &[&answer], check);
    assert!(points > 4, "only {points} points at which tell writes");
    report("crash in every write of tell, half of it done", &format!("{points} processes"), NOTHING_LOST);
}

#[test]
fn a_crash_at_any_point_of_ask_never_redraws() {
    let start = Tried::new(3);
    let expected = {
        let whole = start.copy();
        assert!(whole.output("ask", &["-n", "4"]).status.success());
        whole.ids()
    };
    let points = at_every_point(&start, Kind::Kill, "ask", &["-n", "4"], |tried, done| {
        let ids = tried.ids();
        assert!(ids == expected || !done && ids == expected[..3]);
        let missing = expected.len() - ids.len();
        assert!(tried.output("ask", &["-n", &missing.to_string()]).status.success());
        assert_eq!(tried.ids(), expected);
        tried.verify();
    });
    assert!(points > 4, "only {points} points at which ask writes");
    report("crash in every write of ask, half of it done", &format!("{points} processes"), NOTHING_LOST);
}

#[test]
fn calls_that_fail_are_told_and_nothing_is_half_recorded() {
    let start = Tried::new(5);
    let ids = start.ids();
    let answer = answer(&ids[2]);
    let mut calls = 0;
    for kind in [Kind::Eio, Kind::Full] {
        calls += at_every_point(&start, kind, "tell", &[&answer], |tried, done| {
            after_tell(tried, done, &ids[2], &ids)
        });
    }
    report("failing call or full disk at every write of tell", &format!("{calls} processes"), NOTHING_LOST);
}

#[test]
fn a_full_disk_is_named_and_space_makes_it_good() {
    let start = Tried::new(5);
    let answer = answer(&start.ids()[0]);
    let mut command = start.command("tell", &[&answer]);
    let output = fails(&mut command, start.folder.path(), Kind::Full, 1).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("is full: nothing was recorded; free some space"), "{said}");
    assert!(start.labels().is_empty());
    assert!(start.output("tell", &[&answer]).status.success());
    assert_eq!(start.labels().len(), 1);
}

/// A file system of 600 kB that is unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` for users who cannot mount.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=600k", "tmpfs"]).arg(folder.path());
        mount.output().is_ok_and(|output| output.status.success()).then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_can_be_read_and_not_written() {
    let start = Tried::new(5);
    let answer = answer(&start.ids()[0]);
    assert!(start.output("tell", &[&answer]).status.success());
    let readers = |run: &mut dyn FnMut(&str) -> std::process::Output| {
        for verb in ["status", "estimate", "export", "verify"] {
            let output = run(verb);
            assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
        }
    };
    // By a disk on which every write fails, for everybody; by one that is really full, for those who can mount one.
    readers(&mut |verb| {
        fails(&mut start.command(verb, &[]), start.folder.path(), Kind::Full, 1).output().unwrap()
    });
    let Some(disk) = SmallDisk::new() else { return };
    let path = disk.0.path().join("e.labelwise");
    std::fs::copy(start.file(), &path).unwrap();
    let mut fill = std::fs::File::create(disk.0.path().join("fill")).unwrap();
    while std::io::Write::write(&mut fill, &[0; 1024]).is_ok() {}
    let on_disk = |verb: &str, rest: &[&str]| program().arg(verb).arg(&path).args(rest).output().unwrap();
    readers(&mut |verb| on_disk(verb, &[]));
    let output = on_disk("ask", &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("is full: nothing was recorded"), "{said}");
    drop(fill);
    std::fs::remove_file(disk.0.path().join("fill")).unwrap();
    assert!(on_disk("ask", &[]).status.success());
}

#[test]
fn a_crash_at_any_point_of_new_leaves_a_whole_evaluation_or_none() {
    let start = Tried::new(0);
    for at in 1.. {
        let tried = start.copy();
        let (pool, path) =
            (tried.folder.path().join("pool.csv"), tried.folder.path().join("again.labelwise"));
        let mut command = program();
        command.args(["new", text(&pool), "--out", text(&path)]);
        let output = fails(&mut command, tried.folder.path(), Kind::Kill, at).output().unwrap();
        if path.exists() {
            assert!(program().arg("verify").arg(&path).output().unwrap().status.success());
        } else {
            assert!(!output.status.success());
            // What is left is in nobody's way.
            assert!(
                program().args(["new", text(&pool), "--out", text(&path)]).output().unwrap().status.success()
            );
        }
        if output.status.success() {
            assert!(at > 10, "only {at} points at which new writes");
            return;
        }
    }
}

#[test]
fn a_frozen_folder_can_be_read_and_not_written() {
    let start = Tried::new(5);
    let ids = start.ids();
    assert!(start.output("tell", &[&answer(&ids[0])]).status.success());
    let frozen = |verb: &str, rest: &[&str]| {
        let mut command = start.command(verb, rest);
        fails(&mut command, start.folder.path(), Kind::Frozen, 0).output().unwrap()
    };
    for verb in ["status", "estimate", "export", "verify"] {
        let output = frozen(verb, &[]);
        assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for (verb, rest) in [("tell", answer(&ids[1])), ("skip", ids[1].clone()), ("amend", answer(&ids[0]))] {
        let output = frozen(verb, &[&rest]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{verb}: {said}");
        assert!(said.contains("make the file and its folder writable"), "{verb}: {said}");
    }
    assert_eq!(start.labels().len(), 1);
}

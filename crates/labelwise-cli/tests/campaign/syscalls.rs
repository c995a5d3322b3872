//! `kill -9` at every system call, by strace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::evaluation::{Tried, after_tell, answer, program, text};
use crate::tally::{NOTHING_LOST, report};

/// A command under strace.
fn traced(command: &Command, options: &[&str]) -> Command {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq"]).args(options).arg(command.get_program()).args(command.get_args());
    traced.env("XDG_CONFIG_HOME", "/nowhere at all").env("RAYON_NUM_THREADS", "1");
    traced
}

/// How often a command makes each system call.
fn calls(command: &Command, log: &Path) -> BTreeMap<String, usize> {
    let status = traced(command, &["-o", text(log)]).output().unwrap().status;
    assert!(status.success(), "strace cannot run the program");
    let mut calls = BTreeMap::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        // "1234 pread64(5, ...": resumed calls and signals have no such name.
        let Some((name, _)) = line.split_once('(') else { continue };
        let name = name.rsplit(' ').next().unwrap_or_default();
        let is_name = name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        if is_name && !name.is_empty() && !["execve", "exit", "exit_group"].contains(&name) {
            *calls.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    calls
}

/// Kills a command at each of its system calls, each time from the same files, and checks what is left.
fn at_every_call(
    start: &Tried,
    command: impl Fn(&Tried) -> Command,
    check: impl Fn(&Tried, bool),
) -> (usize, usize) {
    let log = tempfile::tempdir().unwrap();
    let counts = calls(&command(&start.copy()), &log.path().join("log"));
    let (mut tried, mut killed) = (0, 0);
    for (name, count) in counts {
        for place in 1..=count {
            let at = start.copy();
            let inject = format!("inject={name}:signal=KILL:when={place}");
            let output = traced(&command(&at), &["-o", "/dev/null", "-e", &inject]).output().unwrap();
            let done = output.status.success();
            tried += 1;
            killed += usize::from(!done);
            check(&at, done);
        }
    }
    assert!(killed * 2 > tried && killed > 30, "only {killed} of {tried} processes were killed");
    (tried, killed)
}

#[test]
fn a_kill_at_any_system_call_of_tell() {
    let start = Tried::new(5);
    let ids = start.ids();
    let answer = answer(&ids[2]);
    let (tried, killed) = at_every_call(
        &start,
        |tried| tried.command("tell", &[&answer]),
        |tried, done| after_tell(tried, done, &ids[2], &ids),
    );
    report(
        "kill -9 at every system call of tell",
        &format!("{tried} processes, {killed} killed"),
        NOTHING_LOST,
    );
}

#[test]
fn a_kill_at_any_system_call_of_ask() {
    let start = Tried::new(3);
    let whole = start.copy();
    assert!(whole.output("ask", &["-n", "4"]).status.success());
    let expected = whole.ids();
    let (tried, killed) = at_every_call(
        &start,
        |tried| tried.command("ask", &["-n", "4"]),
        |tried, done| {
            let ids = tried.ids();
            assert!(ids == expected || !done && ids == expected[..3]);
            let missing = (expected.len() - ids.len()).to_string();
            assert!(missing == "0" || tried.output("ask", &["-n", &missing]).status.success());
            assert_eq!(tried.ids(), expected);
            tried.verify();
        },
    );
    report(
        "kill -9 at every system call of ask",
        &format!("{tried} processes, {killed} killed"),
        NOTHING_LOST,
    );
}

#[test]
fn a_kill_at_any_system_call_of_new() {
    let start = Tried::new(0);
    let new = |tried: &Tried| {
        let (pool, path) =
            (tried.folder.path().join("pool.csv"), tried.folder.path().join("again.labelwise"));
        let mut command = program();
        command.args(["new", text(&pool), "--out", text(&path)]);
        command
    };
    let (tried, killed) = at_every_call(&start, new, |tried, done| {
        let path = tried.folder.path().join("again.labelwise");
        assert!(path.exists() || !done);
        if !path.exists() {
            assert!(new(tried).output().unwrap().status.success(), "what is left is in the way");
        }
        assert!(program().arg("verify").arg(&path).output().unwrap().status.success());
    });
    report(
        "kill -9 at every system call of new",
        &format!("{tried} processes, {killed} killed"),
        "0 incomplete files, 0 files in the way of the next new",
    );
}

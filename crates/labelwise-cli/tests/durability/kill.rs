//! Real processes, really killed, at random moments.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::evaluation::{SIZE, Tried, answer};
use crate::tally::{NOTHING_LOST, report, times};

/// Rounds of kill -9.
const ROUNDS: usize = 200;

#[test]
fn nothing_acknowledged_is_lost_in_two_hundred_kills() {
    let counts = kill(|| Tried::new(0), ROUNDS * times());
    report("kill -9 at random times of ask and tell", &counts, NOTHING_LOST);
}

#[test]
fn nor_is_it_in_a_comparison() {
    let counts = kill(Tried::comparison, ROUNDS / 2 * times());
    report("the same in a comparison of two models", &counts, NOTHING_LOST);
}

/// Kills processes for a number of rounds. Starts a new evaluation when all items of one are labelled.
fn kill(make: impl Fn() -> Tried, rounds: usize) -> String {
    // A plain generator: the moments only have to differ.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut tried = make();
    let (mut acknowledged, mut killed, mut told_of, mut logs) = (Vec::new(), 0, 0, 0);
    // Microseconds that a process may live. The window follows the machine: it shrinks when a process ended first, and grows
    // when one was killed, so that about half of them are.
    let mut window = 25_000_u64;
    let mut order: Vec<String> = Vec::new();
    for round in 0..rounds {
        let draws = tried.draws();
        let open: Vec<&String> =
            draws.iter().filter(|(_, label)| label.is_none()).map(|(id, _)| id).collect();
        let ask = draws.len() < SIZE && (open.is_empty() || random(4) == 0);
        let told = (!ask).then(|| open.first().map(|id| (*id).clone())).flatten();
        let mut command = match &told {
            Some(id) => tried.command("tell", &[&answer(id)]),
            None if ask => tried.command("ask", &["-n", "1"]),
            None => {
                tried.verify();
                (tried, acknowledged, order) = (make(), Vec::new(), Vec::new());
                continue;
            }
        };
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_micros(random(window)));
        // The handle is ours and not waited for yet, so this is the process we started or a zombie of it.
        let _ = child.kill();
        let status = child.wait().unwrap();
        let was_killed = status.signal() == Some(9);
        killed += usize::from(was_killed);
        window =
            if was_killed { (window + window / 10).min(200_000) } else { (window - window / 10).max(1_000) };
        if status.success()
            && let Some(id) = told
        {
            acknowledged.push(id);
            told_of += 1;
        }
        logs += usize::from(was_killed && tried.folder.path().join("pets.labelwise-wal").exists());
        let now: Vec<(String, Option<String>)> = tried.draws();
        let ids: Vec<String> = now.iter().map(|(id, _)| id.clone()).collect();
        assert!(ids.starts_with(&order), "round {round}: a draw was redrawn");
        order = ids;
        let labels = tried.labels();
        for id in &acknowledged {
            assert_eq!(
                labels.get(id).map(String::as_str),
                Some(crate::evaluation::label(id)),
                "round {round}"
            );
        }
    }
    assert!(killed > rounds / 5, "only {killed} of the processes were killed in time");
    tried.verify();
    format!("{rounds} rounds, {killed} killed, {logs} with a log left, {told_of} labels acknowledged")
}

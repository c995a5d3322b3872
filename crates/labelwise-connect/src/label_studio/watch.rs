//! Looking again and again, with longer pauses while the server does not answer.

use std::time::{Duration, Instant};

use labelwise_study::{Author, Study, now};

use super::sync::{Bridge, Pulled, Pushed};
use crate::error::{Error, Result};

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// How often a pause asks whether it should end.
const NAP: Duration = Duration::from_millis(100);

/// How to look again and again.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The pause between two looks.
    pub every: Duration,
    /// Whether more items are put there when few wait.
    pub refill: bool,
    /// Who takes over labels and draws items.
    pub who: String,
}

/// What happened in one look.
#[derive(Debug)]
#[non_exhaustive]
pub enum Round {
    /// The server answered.
    Seen {
        /// What was taken over.
        pulled: Box<Pulled>,
        /// What was put there.
        pushed: Option<Pushed>,
    },
    /// The server did not answer; the next attempt follows after a pause.
    Trouble {
        /// Why.
        error: Error,
        /// The pause.
        pause: Duration,
    },
}

/// Opens something on the server, with longer pauses while the server does not answer; `said` gets each error and the pause after
/// it. `None` if `stop` ended a pause. Only errors that waiting cannot mend are returned.
pub fn opened<T>(
    every: Duration,
    stop: &dyn Fn() -> bool,
    said: &mut dyn FnMut(&Error, Duration),
    open: &mut dyn FnMut() -> Result<T>,
) -> Result<Option<T>> {
    let mut failures: u32 = 0;
    loop {
        let error = match open() {
            Ok(found) => return Ok(Some(found)),
            Err(error) => error,
        };
        let Some(longer) = pause_after(&error, failures, every) else { return Err(error) };
        failures = failures.saturating_add(1);
        said(&error, longer);
        if !pause(longer, stop) {
            return Ok(None);
        }
    }
}

/// Looks until every item that can be asked has an answer, or until `stop` says so. Only errors that waiting cannot mend end it.
pub fn watch(
    study: &mut Study,
    bridge: &mut Bridge,
    how: &Watch,
    stop: &dyn Fn() -> bool,
    said: &mut dyn FnMut(&Study, Round) -> Result<()>,
) -> Result<()> {
    let mut failures: u32 = 0;
    let mut is_first = true;
    loop {
        let by = Author { who: how.who.clone(), at: now(), key: None };
        match look(study, bridge, how, is_first || failures > 0, &by) {
            Ok((pulled, pushed)) => {
                (failures, is_first) = (0, false);
                let is_over = is_over(study, bridge.goal(), &pulled, pushed.as_ref());
                said(study, Round::Seen { pulled: Box::new(pulled), pushed })?;
                if is_over || !pause(how.every, stop) {
                    return Ok(());
                }
            }
            Err(error) => {
                let Some(longer) = pause_after(&error, failures, how.every) else { return Err(error) };
                failures = failures.saturating_add(1);
                said(study, Round::Trouble { error, pause: longer })?;
                if !pause(longer, stop) {
                    return Ok(());
                }
            }
        }
    }
}

fn look(
    study: &mut Study,
    bridge: &mut Bridge,
    how: &Watch,
    whole: bool,
    by: &Author,
) -> Result<(Pulled, Option<Pushed>)> {
    let pulled = if whole { bridge.pull(study, by)? } else { bridge.pull_changes(study, by)? };
    let pushed = if how.refill { bridge.refill(study, &pulled, by)? } else { None };
    Ok((pulled, pushed))
}

/// How long to wait after an error that may pass: twice as long after each, unless the server says how long. `None` if waiting
/// cannot mend it.
pub fn pause_after(error: &Error, failures: u32, every: Duration) -> Option<Duration> {
    let longer = every.max(Duration::from_secs(1)).saturating_mul(2_u32.saturating_pow(failures.min(16) + 1));
    error.may_pass().then(|| error.wait().unwrap_or(longer).min(LONGEST_PAUSE))
}

/// Whether nothing more can come: every item that can be asked was asked, and none waits.
pub fn is_over(study: &Study, goal: Option<usize>, pulled: &Pulled, pushed: Option<&Pushed>) -> bool {
    let asked = study.asked();
    let is_enough = study.left() == 0 || goal.is_some_and(|goal| asked >= goal);
    is_enough
        && study.counts().waiting == 0
        && pulled.open == 0
        && pushed.is_none_or(|pushed| pushed.open == 0)
}

/// Waits; returns whether to go on.
fn pause(time: Duration, stop: &dyn Fn() -> bool) -> bool {
    let end = Instant::now() + time;
    loop {
        if stop() {
            return false;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(NAP));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::opened;
    use crate::error::Error;

    fn busy() -> Error {
        Error::ServerBusy {
            address: "http://a".to_owned(),
            status: 503,
            wait: Some(Duration::from_millis(1)),
        }
    }

    #[test]
    fn a_server_that_is_down_at_the_start_is_waited_for() {
        let attempts = Cell::new(0);
        let mut pauses = Vec::new();
        let mut open = || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 4 { Err(busy()) } else { Ok("open") }
        };
        let every = Duration::from_secs(10);
        let found = opened(every, &|| false, &mut |_, pause| pauses.push(pause), &mut open);
        assert_eq!(found.unwrap(), Some("open"));
        assert_eq!(pauses, [Duration::from_millis(1); 3]);
    }

    #[test]
    fn a_wait_ends_when_it_should_and_hopeless_errors_end_it() {
        let every = Duration::from_secs(10);
        let unreachable = || Error::ServerBusy { address: "http://a".to_owned(), status: 502, wait: None };
        let mut pauses = Vec::new();
        let found =
            opened(every, &|| true, &mut |_, pause| pauses.push(pause), &mut || Err::<(), _>(unreachable()));
        assert_eq!(found.unwrap(), None);
        assert_eq!(pauses, [Duration::from_secs(20)]);
        let found = opened(every, &|| false, &mut |_, _| panic!("no pause mends it"), &mut || {
            Err::<(), _>(Error::BadToken)
        });
        assert_eq!(found.unwrap_err().code(), "bad-token");
    }
}

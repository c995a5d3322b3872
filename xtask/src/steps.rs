//! Announcing and timing the steps of a task.

use std::fs;
use std::time::{Duration, Instant};

use crate::process::Failure;

/// The steps of a task: the names of all, and the time that each took which has succeeded.
pub(crate) struct Steps {
    planned: Vec<&'static str>,
    done: Vec<Done>,
}

struct Done {
    name: &'static str,
    took: Took,
}

/// The time that passed, and the processors' time of all programs that ended in it.
#[derive(Clone, Copy)]
struct Took {
    elapsed: Duration,
    /// Known on Linux alone.
    cpu: Option<Duration>,
}

impl Steps {
    /// Starts a task of these steps, in this order.
    pub(crate) fn new(planned: &[&'static str]) -> Self {
        Self { planned: planned.to_vec(), done: Vec::new() }
    }

    /// Announces, runs and times one step; a failure is returned with the step's name.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let place = self.place(name);
        eprintln!("xtask: {place} ...");
        let clock = Clock::start();
        let value = step().map_err(|failure| Failure::new(format!("The step `{name}` failed. {failure}")))?;
        let took = clock.read();
        match took.cpu {
            Some(cpu) => eprintln!("xtask: {place}: {}, CPU {}", minutes(took.elapsed), minutes(cpu)),
            None => eprintln!("xtask: {place}: {}", minutes(took.elapsed)),
        }
        self.done.push(Done { name, took });
        Ok(value)
    }

    /// The step's name with its number among all; "?" for one that was not planned.
    fn place(&self, name: &str) -> String {
        let number = self.planned.iter().position(|planned| *planned == name);
        let number = number.map_or_else(|| "?".to_owned(), |before| (before + 1).to_string());
        format!("[{number}/{}] {name}", self.planned.len())
    }

    /// Prints how long each step took, and all of them together.
    pub(crate) fn print_times(&self) {
        eprintln!("xtask: every step passed");
        let total = Took {
            elapsed: self.done.iter().map(|done| done.took.elapsed).sum(),
            cpu: self.done.iter().map(|done| done.took.cpu).sum(),
        };
        eprintln!("{:>9}  {:>9}  step", "time", "CPU");
        let rows = self.done.iter().map(|done| (done.name, done.took));
        for (name, took) in rows.chain([("total", total)]) {
            let cpu = took.cpu.map_or_else(|| "-".to_owned(), seconds);
            eprintln!("{:>9}  {cpu:>9}  {name}", seconds(took.elapsed));
        }
    }
}

/// Times one step.
struct Clock {
    start: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self { start: Instant::now(), cpu: cpu_of_children() }
    }

    fn read(&self) -> Took {
        let cpu = self.cpu.zip(cpu_of_children()).map(|(before, after)| after.saturating_sub(before));
        Took { elapsed: self.start.elapsed(), cpu }
    }
}

/// The processors' time of all programs that this one has started and that have ended.
fn cpu_of_children() -> Option<Duration> {
    cpu_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// The time of children in Linux's account of a process, where it stands after eleven other numbers.
fn cpu_in(account: &str) -> Option<Duration> {
    // The program's name is in brackets and may contain anything, brackets too.
    let (_, fields) = account.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(13).map(|field| field.parse::<u64>().ok());
    let (user, system) = (fields.next()??, fields.next()??);
    // Linux counts these in hundredths of a second on every machine.
    Some(Duration::from_millis(10 * (user + system)))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn minutes(time: Duration) -> String {
    match time.as_secs() / 60 {
        0 => seconds(time),
        minutes => format!("{minutes} min {} s", time.as_secs() % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_found_behind_a_name_with_spaces_and_brackets() {
        let account = "17 (a) b (c)) S 1 17 17 0 -1 4194304 900 80000 0 3 5 6 1200 34 20 0 2 0 99 1000 200";
        assert_eq!(cpu_in(account), Some(Duration::from_millis(12_340)));
        assert_eq!(cpu_in("17 (short) S 1 17"), None);
        assert_eq!(cpu_in(""), None);
    }

    #[test]
    fn steps_are_numbered_by_the_plan() {
        let steps = Steps::new(&["lints", "tests"]);
        assert_eq!(steps.place("tests"), "[2/2] tests");
        assert_eq!(steps.place("other"), "[?/2] other");
    }

    #[test]
    fn times_are_read_as_minutes_from_the_first_on() {
        assert_eq!(minutes(Duration::from_millis(59_940)), "59.9 s");
        assert_eq!(minutes(Duration::from_secs(125)), "2 min 5 s");
    }
}

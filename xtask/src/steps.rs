//! Announcing and timing the steps of a task.

use std::time::{Duration, Instant};

use crate::process::Failure;

/// The steps that have succeeded so far, with the time each took.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(&'static str, Duration)>,
}

impl Steps {
    /// Announces and runs one step; a failure is returned with the step's name.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        eprintln!("xtask: {name}");
        let start = Instant::now();
        let value = step().map_err(|failure| Failure::new(format!("The step `{name}` failed. {failure}")))?;
        self.done.push((name, start.elapsed()));
        Ok(value)
    }

    /// Prints how long each step took, and all of them together.
    pub(crate) fn print_times(&self) {
        eprintln!("xtask: every step passed");
        let total = self.done.iter().map(|(_, time)| *time).sum();
        for (name, time) in self.done.iter().chain([&("total", total)]) {
            eprintln!("{:>8.1} s  {name}", time.as_secs_f64());
        }
    }
}

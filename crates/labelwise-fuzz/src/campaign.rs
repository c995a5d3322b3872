//! Many executions in a row, counted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::random::Random;
use crate::target::{Bench, Target};
use crate::{Reached, panics};

/// The counts of a campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Inputs that were run.
    pub executions: u64,
    /// Inputs that a reader took.
    pub read: u64,
    /// Inputs that led to an estimate.
    pub estimated: u64,
    /// Inputs that led through a simulation; of evaluations, through another `tell` and `ask`.
    pub simulated: u64,
    /// Inputs with panics, also with those that were caught.
    pub panics: u64,
    /// The longest execution.
    pub slowest: Duration,
}

impl Counts {
    /// Adds the counts of other executions.
    pub fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.read += other.read;
        self.estimated += other.estimated;
        self.simulated += other.simulated;
        self.panics += other.panics;
        self.slowest = self.slowest.max(other.slowest);
    }

    fn count(&mut self, reached: Reached, panicked: bool, took: Duration) {
        self.executions += 1;
        self.read += u64::from(reached.read);
        self.estimated += u64::from(reached.estimated);
        self.simulated += u64::from(reached.simulated);
        self.panics += u64::from(panicked);
        self.slowest = self.slowest.max(took);
    }
}

/// Runs executions of a target. `before` is told the counts before each one, and ends the campaign if it says false.
pub fn run(
    target: Target,
    seed: u64,
    executions: impl IntoIterator<Item = u64>,
    mut before: impl FnMut(u64, &Counts) -> bool,
) -> Counts {
    let _watch = panics::watch();
    let bench = Bench::new(target);
    let mut counts = Counts::default();
    for execution in executions {
        if !before(execution, &counts) {
            break;
        }
        let input = bench.input(&mut Random::of(seed, execution));
        let (seen, started) = (panics::count(), Instant::now());
        let reached = catch_unwind(AssertUnwindSafe(|| bench.run(&input))).unwrap_or_default();
        counts.count(reached, panics::count() > seen, started.elapsed());
    }
    counts
}

/// The input of one execution.
pub fn input(target: Target, seed: u64, execution: u64) -> Vec<u8> {
    Bench::new(target).input(&mut Random::of(seed, execution))
}

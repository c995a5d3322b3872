//! The command line, and a word now and then for whoever waits.

use std::error::Error;
use std::time::{Duration, Instant};

use labelwise::Seed;

use crate::SPARSE;

pub(crate) struct Options {
    pub(crate) runs: usize,
    pub(crate) seed: Seed,
    pub(crate) sizes: Vec<usize>,
    pub(crate) budgets: Vec<usize>,
    command: String,
}

impl Options {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let mut command = "cargo run --release -p labelwise --example coverage".to_owned();
        if !words.is_empty() {
            command += &format!(" -- {}", words.join(" "));
        }
        let (runs, sizes, budgets) = if words.iter().any(|word| word == "--quick") {
            (8, vec![200], vec![20, 50])
        } else {
            (400, vec![2000, 500], vec![20, 50, 100, 200, 500])
        };
        let mut options = Self { runs, seed: Seed(1), sizes, budgets, command };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a number"));
            match word.as_str() {
                "--runs" => options.runs = value()?.parse()?,
                "--seed" => options.seed = Seed(value()?.parse()?),
                "--quick" => {}
                other => {
                    return Err(format!("--runs R, --seed S and --quick are options, {other} is not").into());
                }
            }
        }
        if options.runs == 0 {
            return Err("at least one run is needed".into());
        }
        Ok(options)
    }

    pub(crate) fn print_head(&self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let sparse = self.runs.div_ceil(SPARSE);
        println!("`{}`: seed {}, {} runs of each setting", self.command, self.seed.0, self.runs);
        println!("({sparse} for the guaranteed and anytime intervals), on {cores} cores.\n");
        println!(
            "Coverage is the share of 95 % intervals that contain the pool risk; bold if it is below 0.95 by"
        );
        println!(
            "more than two standard errors. Width is the median, divided by 2 · 1.96 RMSE of the same estimator"
        );
        println!(
            "(LURE for guaranteed intervals). The guard acts below 50 labels or 3 effective hits: r is the share of"
        );
        println!(
            "runs in which it replaced the interval by the guaranteed one, m the share in which it could only mark it."
        );
        println!("A loss without a bound has no guaranteed interval.");
    }
}

/// A line now and then, for whoever waits.
pub(crate) struct Progress {
    settings: usize,
    done: usize,
    start: Instant,
    last: Instant,
}

impl Progress {
    pub(crate) fn new(settings: usize) -> Self {
        Self { settings, done: 0, start: Instant::now(), last: Instant::now() }
    }

    pub(crate) fn step(&mut self) {
        self.done += 1;
        if self.last.elapsed() > Duration::from_secs(2) {
            self.last = Instant::now();
            eprintln!(
                "{} of {} settings, {:.0} s",
                self.done,
                self.settings,
                self.start.elapsed().as_secs_f64()
            );
        }
    }
}

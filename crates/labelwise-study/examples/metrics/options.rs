//! The command line.

use std::error::Error;
use std::path::PathBuf;

use labelwise::Seed;

/// Labels at which everything is looked at.
pub(crate) const BUDGETS: [usize; 4] = [50, 100, 200, 400];

/// The probability with which intervals are to cover.
pub(crate) const LEVEL: f64 = 0.95;

pub(crate) struct Options {
    pub(crate) runs: usize,
    pub(crate) seed: Seed,
    pub(crate) pools: Vec<PathBuf>,
    command: String,
}

impl Options {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let mut command = "cargo run --release -p labelwise-study --example metrics".to_owned();
        if !words.is_empty() {
            command += &format!(" -- {}", words.join(" "));
        }
        let mut options = Self { runs: 400, seed: Seed(1), pools: Vec::new(), command };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a number"));
            match word.as_str() {
                "--runs" => options.runs = value()?.parse()?,
                "--seed" => options.seed = Seed(value()?.parse()?),
                option if option.starts_with('-') => {
                    return Err(format!("--runs R and --seed S are options, {option} is not").into());
                }
                path => options.pools.push(path.into()),
            }
        }
        if options.runs == 0 {
            return Err("at least one run is needed".into());
        }
        Ok(options)
    }

    pub(crate) fn print_head(&self) {
        println!("`{}`: seed {}, {} runs of each setting.\n", self.command, self.seed.0, self.runs);
        println!(
            "Own draws are made for the metric of the row, shared draws for all metrics of the table at once."
        );
        println!(
            "Bias is that of own draws, in units of their RMSE. RMSE is divided by that of uniform draws; below 1,"
        );
        println!(
            "labels are saved. Coverage is the share of 95 % intervals that contain the metric of the pool; bold if"
        );
        println!(
            "it is below 0.95 by more than two standard errors. Undefined is the share of runs with own draws in"
        );
        println!("which the metric had no value; the other columns ignore these runs.");
    }
}

//! `labelwise demo`: Algorithm 1 on a bundled pool of digits, beside uniform sampling and the truth.

mod comparison;
mod digits;
mod findings;
mod repetitions;
mod strategy;
mod text;

use std::io::Write;

use crate::args::parse::{self, probability, whole};
use crate::commands::start_threads;
use crate::error::Error;
use digits::Digits;
use findings::Findings;
use strategy::LossName;

/// More repetitions than this say nothing new, and are kept in memory.
const MOST_RUNS: usize = 1_000_000;

/// See active testing at work on bundled data.
///
/// A logistic regression that reads handwritten digits is tested on 1,597 images. Algorithm 1 of the paper "Active
/// Testing" (ICML 2021) chooses which of them to label, with a random forest as the surrogate that says where the model
/// may be wrong. All labels are bundled, so the estimate is shown beside the true loss, and beside what as many labels
/// of uniform sampling give: once in detail, then over many repetitions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, with the error rate in place of the cross-entropy:\n  \
                        labelwise demo --loss zero-one --budget 200")]
pub(crate) struct Options {
    /// How many items to label, from 1 to 1597
    #[arg(long, value_name = "LABELS", default_value = "100", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    budget: usize,
    /// The seed of all draws: the same seed prints the same numbers
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = whole::<u64>)]
    #[arg(allow_negative_numbers = true)]
    seed: u64,
    /// What to measure
    #[arg(long, value_name = "LOSS", default_value = "cross-entropy")]
    loss: LossName,
    /// The probability with which intervals are to cover the true loss
    #[arg(long, value_name = "PROBABILITY", default_value = "0.95", value_parser = probability)]
    #[arg(allow_negative_numbers = true)]
    level: f64,
    /// How often to repeat it all, each time with another seed
    #[arg(long, value_name = "TIMES", default_value = "1000", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    runs: usize,
    /// Print one JSON object (schema labelwise.demo/1) in place of text
    #[arg(long)]
    json: bool,
}

/// Runs the demonstration and prints what it found. The one evaluation is printed before the repetitions are done, so
/// that there is something to read meanwhile.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let digits = Digits::read()?;
    options.check(digits.pool.pool_size())?;
    start_threads()?;
    let mut findings = Findings::new(&digits, options)?;
    if !options.json {
        out.write_all(text::findings(&findings).as_bytes())?;
        out.flush()?;
    }
    let repetitions = repetitions::repeat(&digits, options, findings.pool.pool_risk)?;
    if options.json {
        findings.repetitions = Some(repetitions);
        writeln!(out, "{}", serde_json::to_string(&findings)?)?;
    } else {
        out.write_all(text::repetitions(&repetitions, &findings).as_bytes())?;
    }
    Ok(())
}

impl Options {
    /// Refuses what no pool, or not this one, can give.
    fn check(&self, pool_size: usize) -> Result<(), Error> {
        let &Self { budget, level, runs, .. } = self;
        parse::level(level)?;
        if !(1..=pool_size).contains(&budget) {
            return Err(Error::Budget { budget, pool_size });
        }
        if !(1..=MOST_RUNS).contains(&runs) {
            return Err(Error::Runs { runs, most: MOST_RUNS, usual: 1000 });
        }
        Ok(())
    }
}

//! `labelwise demo`: Algorithm 1 on a bundled pool of digits, compared with uniform sampling and the truth.

mod findings;
mod text;

use std::borrow::Cow;
use std::io::Write;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use labelwise_study::simulate::{Simulation, Strategy};
use labelwise_study::{Choices, LossName, Metric, PoolTable, Reading, UnknownMetric};

use crate::args::parse::{self, probability, whole};
use crate::commands::start_threads;
use crate::error::Error;
use findings::Findings;

/// See `data/README.md` for where it comes from.
const DIGITS: &str = include_str!("../../../data/digits.csv");

/// Our defaults, by the name that the paper gives to sampling with a surrogate.
const ACTIVE: Strategy =
    Strategy { key: Cow::Borrowed("active"), title: Cow::Borrowed("active sampling"), ..Strategy::LABELWISE };

/// Maximum number of repetitions. Their results are kept in memory, and more add no precision.
const MOST_RUNS: usize = 1_000_000;

/// See active testing at work on bundled data.
///
/// The command measures a logistic regression on 1,597 images of handwritten digits. Algorithm 1 of the paper
/// "Active Testing" (ICML 2021) chooses which images to label; a random forest is the surrogate, which predicts
/// where the model is wrong. All labels are bundled, so the command compares the estimates with the true loss
/// and with uniform sampling: one evaluation in detail, then many repetitions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, with the error rate instead of the cross-entropy:\n  \
                        labelwise demo --loss zero-one --budget 200")]
pub(crate) struct Options {
    /// Number of labels, from 1 to 1597
    #[arg(long, value_name = "LABELS", default_value = "100", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    budget: usize,
    /// Seed of all draws; the same seed prints the same numbers
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = whole::<u64>)]
    #[arg(allow_negative_numbers = true)]
    seed: u64,
    /// Loss to measure
    #[arg(long, value_name = "LOSS", default_value = "cross-entropy", value_parser = loss_parser())]
    loss: LossName,
    /// Probability that an interval covers the true loss
    #[arg(long, value_name = "PROBABILITY", default_value = "0.95", value_parser = probability)]
    #[arg(allow_negative_numbers = true)]
    level: f64,
    /// Number of repetitions, each with a seed of its own
    #[arg(long, value_name = "TIMES", default_value = "1000", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    runs: usize,
    /// Print one JSON object (schema labelwise.demo/1) instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the demonstration and prints what it found.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    start_threads()?;
    let reading = Reading::new().probabilities("model_*").surrogate("surrogate_*").labels("label");
    let digits = PoolTable::from_csv("the bundled pool", DIGITS.as_bytes(), &reading)?;
    options.check(digits.rows())?;
    let choices = Choices { metric: Some(Metric::plain(options.loss)), ..Choices::default() };
    let simulation = Simulation::new(&digits, &choices)?;
    let findings = Findings::new(&simulation, options)?;
    if options.json {
        writeln!(out, "{}", serde_json::to_string(&findings)?)?;
    } else {
        out.write_all(text::findings(&findings).as_bytes())?;
    }
    Ok(())
}

/// The losses of the demonstration, in words about digits.
fn loss_parser() -> impl TypedValueParser<Value = LossName> {
    let losses = [
        ("cross-entropy", "−log of the probability given to the true digit"),
        ("zero-one", "1 if the most probable digit is wrong: the error rate"),
        ("brier", "the squared distance of the probabilities from the truth"),
    ];
    let values = losses.map(|(loss, words)| PossibleValue::new(loss).help(words));
    PossibleValuesParser::new(values).try_map(|name| Ok::<_, UnknownMetric>(name.parse::<Metric>()?.loss))
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

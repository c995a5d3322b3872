//! `labelwise new`: a pool becomes an evaluation.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use labelwise_store::{
    AcquisitionName, Choices, Created, Durable, FloorChoice, LearnerName, Metric, PoolTable, Predictions,
    Reading, SurrogateWish, Times,
};
use serde::Serialize;

use crate::by;
use crate::config::Settings;
use crate::failure::Failure;
use crate::pool_options::PoolOptions;
use crate::progress::Spinner;
use crate::threads;
use crate::whole::whole;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.new/1";

/// Make an evaluation of a pool of predictions.
///
/// The pool is a file with what the model says of each item: CSV, TSV, JSON Lines, Parquet, Arrow, NumPy, or a log of
/// lm-evaluation-harness or Inspect. What is needed of it goes into one file, the evaluation; the pool is not needed
/// again. Whatever is not said is decided by what the pool holds, and printed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  labelwise new examples/pool.csv --out pool.labelwise --loss cross-entropy --seed 7"
)]
pub(crate) struct Options {
    /// The file with the model's predictions
    #[arg(value_name = "POOL")]
    pool: PathBuf,
    /// The evaluation to make [default: the pool's name, with .labelwise, in the current folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to measure: cross-entropy, zero-one, accuracy, brier, squared-error, absolute-error, gaussian-nll, value;
    /// names of scikit-learn such as neg_log_loss are understood
    #[arg(long, value_name = "NAME", value_parser = metric)]
    loss: Option<Metric>,
    /// The seed of all draws [default: the setting `seed`, or 0]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    seed: Option<u64>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    columns: PoolOptions,
    /// Print one JSON object (schema labelwise.new/1) in place of text
    #[arg(long)]
    json: bool,
}

/// How items are drawn.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How items are drawn")]
struct How {
    /// What says where the model may be wrong: self (the model), given (other predictions), none, or something that
    /// learns from features: forest, logistic, gp, linear
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    surrogate: Option<SurrogateName>,
    /// Columns of the pool with probabilities of a surrogate; several times for an ensemble
    #[arg(long, value_name = "PATTERN")]
    surrogate_probs: Vec<String>,
    /// A file with predictions of a surrogate, with the same ids and classes; several times for an ensemble
    #[arg(long, value_name = "FILE")]
    surrogate_file: Vec<PathBuf>,
    /// A file with labelled rows to learn from, with the same feature columns
    #[arg(long, value_name = "FILE", requires = "train_label")]
    train: Option<PathBuf>,
    /// The column of labels in it
    #[arg(long, value_name = "COLUMN", requires = "train")]
    train_label: Option<String>,
    /// When a surrogate that learns does so again: after so many labels, at numbers with commas between, or never
    #[arg(long, value_name = "LABELS", value_parser = times)]
    retrain: Option<Times>,
    /// How items are scored: root-mean-square (default), expected-loss (the paper's), standard-deviation, uniform
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    acquisition: Option<Scoring>,
    /// How draws are kept from ignoring items: mixture=0.3 (default), clip=0.2 (the paper's), or none
    #[arg(long, value_name = "FLOOR", value_parser = floor)]
    floor: Option<FloorChoice>,
    /// When scores are made anew although the surrogate did not change: as --retrain; 1 is the paper's
    #[arg(long, value_name = "LABELS", value_parser = times)]
    rescore: Option<Times>,
    /// What every label lies between, where labels are numbers: guaranteed intervals need it
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SurrogateName {
    #[value(name = "self")]
    Own,
    Given,
    Forest,
    Logistic,
    Gp,
    Linear,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scoring {
    RootMeanSquare,
    ExpectedLoss,
    StandardDeviation,
    Uniform,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    pool: &'a str,
    pool_size: usize,
    predictions: String,
    loss: &'a str,
    seed: u64,
    fingerprint: &'a str,
    decisions: &'a [String],
}

/// Makes the evaluation, and says what was decided.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let path = options.out.clone().unwrap_or_else(|| {
        let name = options.pool.file_name().map_or_else(|| "pool".into(), PathBuf::from);
        name.with_extension("labelwise")
    });
    // Said before a large file is read for nothing.
    if path.exists() {
        return Err(labelwise_store::Error::Exists { path }.into());
    }
    threads::start()?;
    let spinner = Spinner::new("reading the pool");
    let mut table = PoolTable::open(&options.pool, &options.reading())?;
    for file in &options.how.surrogate_file {
        table = table.with_surrogate(PoolTable::open(file, &options.columns.reading_of_surrogate())?)?;
    }
    let choices = options.choices(&table, settings)?;
    spinner.says("scoring and writing");
    let Created { evaluation, decisions, .. } = Durable::create(&path, table, &choices)?;
    drop(spinner);
    let made = evaluation.settings();
    if options.json {
        let document = Document {
            schema: SCHEMA,
            evaluation: &path,
            pool: &made.pool.path,
            pool_size: made.pool.size,
            predictions: made.subject.in_words(),
            loss: &made.metric.name,
            seed: made.seed,
            fingerprint: &made.pool.fingerprint,
            decisions: &decisions,
        };
        writeln!(out, "{}", serde_json::to_string(&document)?)?;
        return Ok(());
    }
    let (size, what) = (made.pool.size, made.subject.in_words());
    writeln!(out, "{}: {size} items, {what}; loss {}, seed {}", path.display(), made.metric.name, made.seed)?;
    for decision in &decisions {
        writeln!(out, "  {decision}")?;
    }
    writeln!(out, "Next: labelwise ask {} -n {}", path.display(), size.min(20))?;
    Ok(())
}

impl Options {
    fn reading(&self) -> Reading {
        let patterns = self.how.surrogate_probs.iter();
        let reading = self.columns.reading();
        // Without a word on what the labeller needs, all texts go along.
        let reading = if self.columns.carries() { reading } else { reading.carry_texts() };
        patterns.fold(reading, |reading, pattern| reading.surrogate(pattern))
    }

    fn choices(&self, table: &PoolTable, settings: &Settings) -> Result<Choices, Failure> {
        let how = &self.how;
        let train = match (&how.train, &how.train_label) {
            (Some(train), Some(label)) => {
                let reading = self.columns.reading_of_features();
                let reading = match table.predictions {
                    Predictions::Values { .. } => reading.mean(label),
                    _ => reading.hard(label),
                };
                Some(PoolTable::open(train, &reading)?)
            }
            _ => None,
        };
        Ok(Choices {
            metric: self.loss.clone(),
            range: how.range,
            surrogate: how.surrogate.map(Into::into),
            retrain: how.retrain.clone(),
            acquisition: how.acquisition.map(Into::into),
            floor: how.floor,
            rescore: how.rescore.clone(),
            seed: self.seed.unwrap_or(settings.seed.value),
            train,
            at: by::now(),
        })
    }
}

impl From<SurrogateName> for SurrogateWish {
    fn from(name: SurrogateName) -> Self {
        match name {
            SurrogateName::Own => Self::Own,
            SurrogateName::Given => Self::Given,
            SurrogateName::Forest => Self::Learnt(LearnerName::Forest),
            SurrogateName::Logistic => Self::Learnt(LearnerName::Logistic),
            SurrogateName::Gp => Self::Learnt(LearnerName::Gp),
            SurrogateName::Linear => Self::Learnt(LearnerName::Linear),
            SurrogateName::None => Self::Nothing,
        }
    }
}

impl From<Scoring> for AcquisitionName {
    fn from(scoring: Scoring) -> Self {
        match scoring {
            Scoring::RootMeanSquare => Self::RootMeanSquare,
            Scoring::ExpectedLoss => Self::ExpectedLoss,
            Scoring::StandardDeviation => Self::StandardDeviation,
            Scoring::Uniform => Self::Uniform,
        }
    }
}

/// A metric by its name.
pub(crate) fn metric(text: &str) -> Result<Metric, String> {
    text.parse().map_err(|error: labelwise_store::UnknownMetric| error.to_string())
}

fn times(text: &str) -> Result<Times, &'static str> {
    let wrong = "give a number of labels such as 25, numbers with commas between, or never";
    if text == "never" {
        return Ok(Times::Never);
    }
    let numbers: Vec<usize> =
        text.split(',').map(|part| part.trim().parse().map_err(|_| wrong)).collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [0] => Err("give a number above 0, or never"),
        [every] => Ok(Times::Every(*every)),
        _ => Ok(Times::At(numbers)),
    }
}

fn floor(text: &str) -> Result<FloorChoice, &'static str> {
    let wrong = "give mixture=0.3, clip=0.2 or none; the number is above 0 and at most 1";
    if text == "none" {
        return Ok(FloorChoice::Unguarded);
    }
    let (name, value) = text.split_once('=').ok_or(wrong)?;
    let value = value.parse().ok().filter(|value| *value > 0.0 && *value <= 1.0).ok_or(wrong)?;
    match name {
        "mixture" => Ok(FloorChoice::Mixture(value)),
        "clip" => Ok(FloorChoice::Clip(value)),
        _ => Err(wrong),
    }
}

fn range(text: &str) -> Result<(f64, f64), &'static str> {
    let wrong = "give two numbers with a comma between, the smaller first, such as 0,1";
    let (low, high) = text.split_once(',').ok_or(wrong)?;
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) if low < high => Ok((low, high)),
        _ => Err(wrong),
    }
}

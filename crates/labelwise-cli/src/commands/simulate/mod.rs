//! `labelwise simulate`: on a pool whose labels are all known, what each strategy would have cost.

mod best;
mod findings;
mod picture;
mod text;

use std::io::Write;
use std::path::PathBuf;

use labelwise_study::simulate::{Plan, Simulation, Stop};
use labelwise_study::{Choices, LossName, Measurable};

use crate::args::parse::{self, measurable, number, probability, whole};
use crate::args::{LabelOptions, PoolOptions, SurrogateOptions};
use crate::commands::start_threads;
use crate::error::Error;
use crate::output::say_notes;
use crate::settings::Settings;
use findings::Findings;

/// Maximum number of runs. Their results are kept in memory, and more add no precision.
const MOST_RUNS: usize = 100_000;

/// Default number of runs.
const USUAL_RUNS: usize = 200;

/// Default budget, if the pool is large enough.
const USUAL_BUDGET: usize = 200;

/// How many places a curve is drawn through.
const PLACES: usize = 24;

/// Try strategies on a pool whose labels are all known.
///
/// The command estimates the model's loss again and again from a few labels, by four strategies: labelwise, a
/// stratified sample, the recipe of the paper "Active Testing" (ICML 2021), and uniform sampling. Since all
/// labels are known, it measures the error of each strategy, the coverage of its intervals, and the number of
/// uniform labels that would be as good. It also names the options of `labelwise new` that give the best
/// strategy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, on the pool of the repository's folder examples:\n  \
                        labelwise simulate examples/pool.csv --label-column label --budget 60 --runs 100")]
#[command(mut_arg("carry", |carry| carry.hide(true)))]
pub(crate) struct Options {
    /// Pool file: CSV, TSV, JSON Lines, JSON, Parquet, Arrow, NPY or NPZ, or a log of lm-eval or Inspect
    #[arg(value_name = "POOL")]
    pool: PathBuf,
    /// Column of labels
    #[arg(long, value_name = "COLUMN")]
    label_column: String,
    /// Number of labels per run [default: 200, or half of a smaller pool]
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>, allow_negative_numbers = true)]
    budget: Option<usize>,
    /// Number of runs, each with a seed of its own
    #[arg(long, value_name = "TIMES", default_value_t = USUAL_RUNS, value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    runs: usize,
    #[arg(long, value_name = "NAME", value_parser = measurable)]
    #[arg(help = format!(
        "Metric: {}, {}, value; or one that is not an average, such as f1_macro; names of scikit-learn such as \
         neg_log_loss work too",
        LossName::OF_CLASSES, LossName::OF_VALUES,
    ))]
    loss: Option<Measurable>,
    /// Positive class, for metrics of one class [default: of two classes, the one named 1, true or yes]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    #[command(flatten)]
    told: LabelOptions,
    /// Seed of all draws; the same seed prints the same numbers [default: the setting `seed`, or 0]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Probability that an interval covers the truth [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Predict the positive class if its probability is at least this, for a model with two classes
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Cap of cross-entropy: smaller probabilities count as this one [default: 1e-15]
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    cap: Option<f64>,
    /// File to draw the error against the number of labels into, .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object (schema labelwise.simulate/1) instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    surrogate: SurrogateOptions,
    #[command(flatten)]
    columns: PoolOptions,
}

/// Repeats all strategies and says how they did.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let level = parse::level(options.level.unwrap_or(settings.level.value))?;
    let runs = options.runs;
    if !(1..=MOST_RUNS).contains(&runs) {
        return Err(Error::Runs { runs, most: MOST_RUNS, usual: USUAL_RUNS });
    }
    // Before anything takes its time.
    let picture = options.plot.as_deref().map(picture::Kind::of).transpose()?;
    start_threads()?;
    let reading = options.told.reading(options.columns.reading()).labels(&options.label_column);
    let table = options.surrogate.table(&options.pool, reading)?;
    let pool_size = table.rows();
    let budget = options.budget.unwrap_or_else(|| USUAL_BUDGET.min(pool_size.div_ceil(2)));
    if !(1..=pool_size).contains(&budget) {
        return Err(Error::Budget { budget, pool_size });
    }
    let seed = options.seed.unwrap_or(settings.seed.value);
    let choices = Choices {
        metric: options.loss.as_ref().and_then(Measurable::loss).cloned(),
        aims: options.loss.iter().filter(|metric| metric.score().is_some()).cloned().collect(),
        positive: options.positive.clone(),
        worths: options.told.worths(),
        labels: options.told.labels(),
        range: options.told.range(),
        group: options.told.group(),
        threshold: options.threshold,
        cap: options.cap,
        surrogate: options.surrogate.wish(),
        retrain: options.surrogate.retrain(),
        train: options.surrogate.training(&options.columns, &table)?,
        calibration: options.surrogate.calibration(&options.columns)?,
        ..Choices::default()
    };
    say_notes(
        table
            .notes
            .iter()
            .chain(choices.train.iter().chain(&choices.calibration).flat_map(|rows| &rows.notes)),
    );
    let simulation = Simulation::new(&table, &choices)?;
    let plan = Plan { stops: stops(budget, picture.is_some()), runs, seed, level };
    let findings = Findings::new(&table, &simulation, &plan)?;
    if let (Some(kind), Some(path)) = (picture, &options.plot) {
        kind.write(&findings, path)?;
    }
    if options.json {
        writeln!(out, "{}", serde_json::to_string(&findings)?)?;
    } else {
        out.write_all(text::findings(&findings).as_bytes())?;
    }
    Ok(())
}

/// A quarter, a half and all of the budget, with intervals; more places without where a curve is wanted.
fn stops(budget: usize, curve: bool) -> Vec<Stop> {
    let told = [budget / 4, budget / 2, budget];
    let places = (1..PLACES).map(|place| budget * place / PLACES).filter(|_| curve);
    let mut labels: Vec<usize> = told.into_iter().chain(places).filter(|&labels| labels > 0).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.into_iter().map(|labels| Stop { labels, interval: told.contains(&labels) }).collect()
}

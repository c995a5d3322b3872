//! The default compared with other strategies on every pool of a folder: error relative to uniform sampling, coverage, width.
//!
//! `defaults FOLDER [--losses NAMES] [--budgets NUMBERS] [--runs N] [--exact N] [--seed N] [--only TEXT] [--promises N]
//! [--also NAMES]`. A pool is a file with class probabilities (or predicted classes and a surrogate's probabilities) and a column
//! `label` or `labels`. Columns that begin with `surrogate` are other models: each pool is measured with the model alone and with
//! all of them. A file with the columns `mean`, `surrogate_mean` and `surrogate_variance` is a pool of numbers. The exact error is
//! that of the proposals of N runs, with the best linear controls. `--promises N` compares what `new` promises with what N labels
//! are worth and cost instead, and `--also NAMES` measures intervals of other losses than the one that draws are made for. docs/defaults.md
//! has what it printed.

mod also;
mod promises;
mod summary;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise_pool::{PoolTable, Predictions, Reading};
use labelwise_study::simulate::{Plan, Simulation, Stop, Strategy, StrategyResult};
use labelwise_study::{AcquisitionName, BeliefName, Choices, FloorChoice, Measurable};
use summary::{Cell, Summary};

const USAGE: &str = "defaults FOLDER [--losses NAMES] [--budgets NUMBERS] [--runs N] [--exact N] [--seed N] [--only TEXT] [--promises N] [--also NAMES]";

struct Options {
    folder: PathBuf,
    losses: Vec<String>,
    budgets: Vec<usize>,
    runs: usize,
    exact: usize,
    seed: u64,
    only: String,
    /// Number of labels to compare promises at, instead of measuring strategies.
    promises: Option<usize>,
    /// Other losses to estimate from the draws, instead of measuring strategies.
    also: Vec<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let folder = arguments.next().ok_or(USAGE)?.into();
        let losses = ["cross-entropy", "zero-one", "brier"].map(str::to_owned).to_vec();
        let budgets = vec![20, 50, 100, 200, 400];
        let mut options = Self {
            folder,
            losses,
            budgets,
            runs: 400,
            exact: 50,
            seed: 0,
            only: String::new(),
            promises: None,
            also: Vec::new(),
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value: {USAGE}"))?;
            let list = || value.split(',').map(str::to_owned);
            match name.as_str() {
                "--losses" => options.losses = list().collect(),
                "--budgets" => options.budgets = list().map(|n| n.parse()).collect::<Result<_, _>>()?,
                "--runs" => options.runs = value.parse()?,
                "--exact" => options.exact = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--only" => options.only = value,
                "--also" => options.also = list().collect(),
                "--promises" => options.promises = Some(value.parse()?),
                _ => return Err(format!("{name} is not an option: {USAGE}").into()),
            }
        }
        Ok(options)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&options.folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let out = &mut std::io::stdout().lock();
    if let Some(labels) = options.promises {
        return promises::table(&files, labels, &options, out);
    }
    if !options.also.is_empty() {
        return also::table(&files, &options, out);
    }
    writeln!(out, "{} runs, seed {}\n", options.runs, options.seed)?;
    writeln!(
        out,
        "| pool | loss | labels | strategy | RMSE / uniform | exact | covers | truth below | truth above | width / ideal |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
    let mut summary = Summary::default();
    for file in files.iter().filter(|file| file.display().to_string().contains(&options.only)) {
        for (name, table) in pools(file) {
            for loss in losses(&table, &options) {
                for cell in measure(&name, &table, loss, &options)? {
                    writeln!(out, "{cell}")?;
                    summary.add(cell);
                }
                out.flush()?;
            }
        }
    }
    writeln!(out, "\n{summary}")?;
    Ok(())
}

/// The losses of a pool.
fn losses<'a>(table: &PoolTable, options: &'a Options) -> Vec<&'a str> {
    match table.predictions {
        Predictions::Hard { .. } => vec!["zero-one"],
        Predictions::Values { .. } => vec!["squared-error"],
        _ => options.losses.iter().map(String::as_str).collect(),
    }
}

/// The pools of a file, none if it has none: with the model alone as surrogate, and with the others that it has.
fn pools(file: &Path) -> Vec<(String, PoolTable)> {
    let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let read = |reading: Reading| {
        let labels = ["labels", "label"].map(|labels| PoolTable::open(file, &reading.clone().labels(labels)));
        labels.into_iter().find_map(Result::ok)
    };
    let hard = Reading::new().hard("prediction").surrogate("prob_*");
    if let Some(table) = read(hard) {
        return vec![(name, table)];
    }
    if let Some(table) = read(Reading::new().mean("mean")) {
        let surrogate = Reading::new().mean_and_variance("surrogate_mean", "surrogate_variance");
        let surrogate =
            PoolTable::open(file, &surrogate).and_then(|surrogate| table.with_surrogate(surrogate));
        return surrogate.into_iter().map(|table| (name.clone(), table)).collect();
    }
    let own = read(Reading::new()).or_else(|| read(Reading::new().probabilities("probs")));
    let Some(own) = own else { return Vec::new() };
    let mut found = vec![(name.clone(), own)];
    let others = Reading::new().probabilities("probs").surrogate("surrogate*");
    found.extend(read(others).map(|table| (format!("{name} + others"), table)));
    found
}

fn measure(
    name: &str,
    table: &PoolTable,
    loss: &str,
    options: &Options,
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let aims = vec![loss.parse::<Measurable>()?];
    let simulation = Simulation::new(table, &Choices { aims, ..Choices::default() })?;
    let budgets: Vec<usize> =
        options.budgets.iter().copied().filter(|labels| *labels <= table.rows() / 2).collect();
    let stops = budgets.iter().map(|&labels| Stop { labels, interval: true }).collect();
    let (runs, seed) = (options.runs, options.seed);
    let plan = Plan { stops, runs, seed, level: 0.95 };
    // Of numbers, labels teach intervals alone: the same draws, with intervals by the variance seen.
    let given = Strategy {
        key: "as-given".into(),
        title: "as given".into(),
        belief: Some(BeliefName::AsGiven),
        ..Strategy::LABELWISE
    };
    let deviation = Strategy {
        key: "deviation".into(),
        title: "deviation".into(),
        acquisition: Some(AcquisitionName::StandardDeviation),
        floor: Some(FloorChoice::Mixture(0.2)),
        ..Strategy::LABELWISE
    };
    let all = match table.predictions {
        Predictions::Values { .. } => vec![Strategy::STRATIFIED, given, deviation, Strategy::LABELWISE],
        _ => vec![Strategy::STRATIFIED, Strategy::ROOT_MEAN_SQUARE, Strategy::LABELWISE],
    };
    let strategies: Vec<Strategy> =
        all.into_iter().filter(|strategy| strategy.unsuited(simulation.settings()).is_none()).collect();
    let exact = strategies
        .iter()
        .map(|strategy| simulation.conditional_error(strategy, &budgets, options.exact.max(1), seed));
    let exact = exact.collect::<Result<Vec<_>, _>>()?;
    let (truth, size) = (simulation.truth(), table.rows() as f64);
    let mut cells = Vec::new();
    for (at, stop) in simulation.run(&strategies, &plan, &|| ())?.iter().enumerate() {
        let uniform = (truth.variance * (1.0 / stop.labels as f64 - 1.0 / size)).sqrt();
        for (result, exact) in stop.strategies.iter().zip(&exact) {
            let StrategyResult { strategy, root_mean_squared_error: rmse, mean_width, outcomes, .. } = result;
            let share = |misses: &dyn Fn(f64, f64) -> bool| {
                let intervals = outcomes.iter().filter_map(|outcome| outcome.interval);
                let missed = intervals.filter(|interval| misses(interval.low, interval.high)).count();
                missed as f64 / outcomes.len() as f64
            };
            cells.push(Cell {
                pool: name.to_owned(),
                loss: loss.to_owned(),
                labels: stop.labels,
                strategy: strategy.to_string(),
                ratio: rmse / uniform,
                exact: exact.as_ref().and_then(|errors| errors.get(at)).map(|error| error / uniform),
                below: share(&|low, _| low > truth.risk + 1e-12),
                above: share(&|_, high| high < truth.risk - 1e-12),
                width: mean_width.map_or(f64::NAN, |width| width / (2.0 * 1.96 * rmse)),
            });
        }
    }
    Ok(cells)
}

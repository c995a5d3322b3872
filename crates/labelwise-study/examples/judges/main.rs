//! Judges and histories on every pool of a folder: the worth of one label, coverage and width, from both sides of a question.
//!
//! `judges FOLDER [--budgets NUMBERS] [--runs N] [--seed N] [--only TEXT]`. The folder has a file `pools.txt` with one line per
//! question: a name, a file, and the options of `labelwise simulate` that read it (`--judge`, `--history`, `--loss`,
//! `--positive`, `--range`, `--worth`, `--label-column`), separated by spaces. `scripts/make_judge_pools.py` writes such a folder.
//! docs/judges.md has what it printed.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use labelwise_pool::{PoolTable, Reading};
use labelwise_study::simulate::{Plan, Simulation, Stop, Strategy, StrategyResult};
use labelwise_study::{Choices, Measurable};

const USAGE: &str = "judges FOLDER [--budgets NUMBERS] [--runs N] [--seed N] [--only TEXT]";

struct Options {
    folder: PathBuf,
    budgets: Vec<usize>,
    runs: usize,
    seed: u64,
    only: String,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let folder = arguments.next().ok_or(USAGE)?.into();
        let budgets = vec![50, 100, 200, 400];
        let mut options = Self { folder, budgets, runs: 400, seed: 0, only: String::new() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value: {USAGE}"))?;
            match name.as_str() {
                "--budgets" => {
                    options.budgets = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--runs" => options.runs = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--only" => options.only = value,
                _ => return Err(format!("{name} is not an option: {USAGE}").into()),
            }
        }
        Ok(options)
    }
}

/// One question of a pool.
struct Question {
    name: String,
    table: PoolTable,
    choices: Choices,
}

impl Question {
    fn parse(line: &str, options: &Options) -> Result<Self, Box<dyn Error>> {
        let mut words = line.split_whitespace();
        let (name, file) = words.next().zip(words.next()).ok_or("a line is a name, a file and options")?;
        let (mut reading, mut choices) = (Reading::new(), Choices::default());
        while let Some((option, value)) = words.next().zip(words.next()) {
            match option {
                "--judge" => reading = reading.judge(value),
                "--history" => reading = reading.history(value),
                "--label-column" => reading = reading.labels(value),
                "--positive" => choices.positive = Some(value.to_owned()),
                "--loss" => choices.aims = vec![value.parse::<Measurable>()?],
                "--range" => {
                    let (low, high) = value.split_once(',').ok_or("a range is LOW,HIGH")?;
                    choices.range = Some((low.parse()?, high.parse()?));
                }
                "--worth" => {
                    for part in value.split(',') {
                        let (class, worth) = part.split_once('=').ok_or("a worth is CLASS=NUMBER")?;
                        choices.worths.push((class.to_owned(), worth.parse()?));
                    }
                }
                _ => return Err(format!("{option} is not an option of a pool").into()),
            }
        }
        let table = PoolTable::open(options.folder.join(file), &reading)?;
        Ok(Self { name: name.to_owned(), table, choices })
    }
}

/// Sums over the questions at one number of labels.
#[derive(Default, Clone)]
struct Summary {
    questions: usize,
    log_worth: f64,
    least: f64,
    covers: f64,
    least_covers: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let list = std::fs::read_to_string(options.folder.join("pools.txt"))?;
    let out = &mut std::io::stdout().lock();
    writeln!(out, "{} runs, seed {}\n", options.runs, options.seed)?;
    writeln!(
        out,
        "| question | items | truth | labels | worth of one label ± standard error | stratified | covers | width / uniform's |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    let empty = Summary { least: f64::INFINITY, least_covers: 1.0, ..Summary::default() };
    let mut summaries = vec![empty; options.budgets.len()];
    for line in list.lines().filter(|line| line.contains(&options.only) && !line.trim().is_empty()) {
        measure(&Question::parse(line, &options)?, &options, &mut summaries, out)?;
    }
    writeln!(out, "\n| labels | questions | worth (geometric mean) | least | covers (mean) | least |")?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for (labels, all) in options.budgets.iter().zip(&summaries).filter(|(_, all)| all.questions > 0) {
        let count = all.questions as f64;
        let (worth, covers) = ((all.log_worth / count).exp(), all.covers / count);
        writeln!(
            out,
            "| {labels} | {} | {worth:.2} | {:.2} | {covers:.3} | {:.3} |",
            all.questions, all.least, all.least_covers
        )?;
    }
    Ok(())
}

fn measure(
    question: &Question,
    options: &Options,
    summaries: &mut [Summary],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let simulation = Simulation::new(&question.table, &question.choices)?;
    let size = question.table.rows();
    let budgets = options.budgets.iter().copied().filter(|labels| 2 * labels < size);
    let stops: Vec<Stop> = budgets.map(|labels| Stop { labels, interval: true }).collect();
    let plan = Plan { stops, runs: options.runs, seed: options.seed, level: 0.95 };
    let truth = simulation.truth();
    let strategies = [Strategy::LABELWISE, Strategy::STRATIFIED];
    let of_mean = |labels: usize| truth.variance * (1.0 / labels as f64 - 1.0 / size as f64);
    for (stop, summary) in simulation.run(&strategies, &plan, &|| ())?.iter().zip(summaries) {
        let worth = |result: &StrategyResult| of_mean(stop.labels) / result.root_mean_squared_error.powi(2);
        let [own, stratified] = stop.strategies.as_slice() else { continue };
        let intervals: Vec<_> = own.outcomes.iter().filter_map(|outcome| outcome.interval).collect();
        let covers =
            intervals.iter().filter(|interval| interval.covers).count() as f64 / own.outcomes.len() as f64;
        let width =
            own.mean_width.map_or(f64::NAN, |width| width / (2.0 * 1.96 * of_mean(stop.labels).sqrt()));
        let own_worth = worth(own);
        // Of a mean of squares of errors that are about normal.
        let error = |worth: f64| worth * (2.0 / options.runs.max(1) as f64).sqrt();
        let other = worth(stratified);
        writeln!(
            out,
            "| {} | {size} | {:.3} | {} | {own_worth:.2} ± {:.2} | {other:.2} ± {:.2} | {covers:.3} | {width:.2} |",
            question.name,
            truth.risk,
            stop.labels,
            error(own_worth),
            error(other)
        )?;
        out.flush()?;
        summary.questions += 1;
        summary.log_worth += own_worth.ln();
        summary.least = summary.least.min(own_worth);
        summary.covers += covers;
        summary.least_covers = summary.least_covers.min(covers);
    }
    Ok(())
}

//! Today's default and the recalibrated belief on pools with known labels: error against uniform sampling, coverage, width.
//!
//! `defaults POOL --labels COLUMN [--probs PATTERN] [--surrogate PATTERN]... [--losses NAMES] [--budgets NUMBERS] [--runs N]
//! [--seed N]`. A surrogate is another model's predictions in the same file. docs/defaults.md has what it printed.

#![allow(clippy::indexing_slicing, reason = "a measurement may fail loudly")]

mod runs;

use std::error::Error;
use std::io::Write;

use labelwise_pool::{Labels, PoolTable, Predictions, Reading};

use runs::{LOSSES, Measured, Pools, STRATEGIES};

const USAGE: &str = "defaults POOL --labels COLUMN [--probs PATTERN] [--surrogate PATTERN]... [--losses NAMES] \
                     [--budgets NUMBERS] [--runs N] [--seed N]";

struct Options {
    path: String,
    reading: Reading,
    losses: Vec<String>,
    budgets: Vec<usize>,
    runs: u64,
    seed: u64,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let path = arguments.next().ok_or(USAGE)?;
        let losses = LOSSES.iter().map(|name| (*name).to_owned()).collect();
        let budgets = vec![20, 50, 100, 200, 400];
        let mut options = Self { path, reading: Reading::new(), losses, budgets, runs: 400, seed: 0 };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value: {USAGE}"))?;
            let list = || value.split(',').map(str::to_owned);
            match name.as_str() {
                "--labels" => options.reading = options.reading.labels(value),
                "--probs" => options.reading = options.reading.probabilities(value),
                "--surrogate" => options.reading = options.reading.surrogate(value),
                "--losses" => options.losses = list().collect(),
                "--budgets" => options.budgets = list().map(|n| n.parse()).collect::<Result<_, _>>()?,
                "--runs" => options.runs = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                _ => return Err(format!("{name} is not an option: {USAGE}").into()),
            }
        }
        Ok(options)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let table = PoolTable::open(&options.path, &options.reading)?;
    let pools = pools(&table)?;
    let out = &mut std::io::stdout().lock();
    let size = table.rows();
    writeln!(out, "{}: {size} items, {} runs, seed {}\n", options.path, options.runs, options.seed)?;
    writeln!(
        out,
        "| loss | labels | strategy | RMSE / uniform | covers | misses below | misses above | width / ideal |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for loss in &options.losses {
        let budgets: Vec<usize> = options.budgets.iter().copied().filter(|m| *m <= size / 2).collect();
        let measured = pools.measure(loss, &budgets, options.runs, options.seed)?;
        for (labels, of_labels) in budgets.iter().zip(measured) {
            for (strategy, Measured { ratio, below, above, width }) in STRATEGIES.iter().zip(of_labels) {
                let covers = 1.0 - below - above;
                writeln!(
                    out,
                    "| {loss} | {labels} | {strategy} | {ratio:.3} | {covers:.3} | {below:.3} | {above:.3} | {width:.2} |"
                )?;
            }
        }
    }
    Ok(())
}

fn pools(table: &PoolTable) -> Result<Pools, Box<dyn Error>> {
    let classes = |predictions: &Predictions| match predictions {
        Predictions::Classes { rows, .. } => Ok(rows.clone()),
        _ => Err("the pool needs class probabilities"),
    };
    let Some(Labels::Classes(labels)) = &table.labels else {
        return Err("the labels must be classes of the predictions; name their column with --labels".into());
    };
    let surrogates = table.surrogates.iter().map(classes).collect::<Result<_, _>>()?;
    let labels = labels.iter().map(|label| *label as usize).collect();
    Ok(Pools { predictions: classes(&table.predictions)?, surrogates, labels })
}

//! A model's probabilities on a real test set: what its loss costs to estimate on many random test sets of 1,000, and how
//! often intervals cover, for the paper's recipe and for our defaults, with the model as its own surrogate and with a
//! random forest on the images.
//!
//! `pools POOL.npz SET [--data FOLDER] [--train N] [--items N] [--runs N] [--seed N]`, where the pool has the arrays `probs`
//! and `labels`, in the order of the set's test images. docs/pools.md has what it printed.

#![allow(clippy::indexing_slicing, reason = "a measurement may fail loudly")]

mod beliefs;
mod curves;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use labelwise::Seed;
use labelwise_images::{Archive, Foreign, Provenance, Set};
use labelwise_paper::statistics::{mean, median, relative_labelling_cost};

use beliefs::Surrogates;
use curves::{Budgets, Curves, LOSSES, Measure};

/// What was asked for.
struct Options {
    pool: PathBuf,
    set: Set,
    data: PathBuf,
    /// Images that the forest learns from.
    train: usize,
    /// Items of a random test set.
    items: usize,
    runs: usize,
    seed: Seed,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let usage = "pools POOL.npz SET [--data FOLDER] [--train N] [--items N] [--runs N] [--seed N]";
        let (pool, set) = arguments.next().zip(arguments.next()).ok_or(usage)?;
        let data = std::env::var_os("LABELWISE_DATA").map_or_else(|| PathBuf::from("data"), PathBuf::from);
        let (pool, set) = (PathBuf::from(pool), set.parse()?);
        let mut options = Self { pool, set, data, train: 10_000, items: 1_000, runs: 1_000, seed: Seed(0) };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value: {usage}"))?;
            match name.as_str() {
                "--data" => options.data = PathBuf::from(value),
                "--train" => options.train = value.parse()?,
                "--items" => options.items = value.parse()?,
                "--runs" => options.runs = value.parse()?,
                "--seed" => options.seed = Seed(value.parse()?),
                _ => return Err(format!("{name} is no option: {usage}").into()),
            }
        }
        Ok(options)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout())
}

/// All of it; a test runs it on a small pool.
pub(crate) fn run(
    arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(arguments)?;
    let provenance = Provenance::new(options.set.name(), "test");
    let pool = Archive::foreign(&options.pool, &Foreign::new(provenance).labels("labels"))?;
    let surrogates = Surrogates::new(&options, &pool)?;
    writeln!(
        out,
        "{}: accuracy {:.4}, cross-entropy {:.4}; the forest's, from {} training images, {:.4} and {:.4}; {} runs, seed {}\n",
        options.set,
        pool.accuracy(),
        pool.cross_entropy(),
        options.train,
        surrogates.accuracy,
        surrogates.cross_entropy,
        options.runs,
        options.seed.0,
    )?;
    let budgets = Budgets::default();
    let heads = budgets.shown.map(|labels| format!(" cost at {labels} | covers |"));
    writeln!(
        out,
        "| set | measured | strategy | surrogate |{} by mean squares at {} |",
        heads.concat(),
        budgets.last()
    )?;
    writeln!(out, "|---|---|---|---|{}---|", "---|---|".repeat(heads.len()))?;
    for (name, loss) in LOSSES {
        let (items, loss) = (options.items, *loss);
        let measure = Measure { pool: &pool, surrogates: &surrogates, items, loss, budgets: &budgets };
        let all = measure.repeat(options.runs, options.seed)?;
        let Some((uniform, _)) = all.split_first() else { continue };
        for curves in &all {
            writeln!(out, "| {} | {name} | {} |", options.set, row(curves, uniform, &budgets)?)?;
        }
    }
    Ok(())
}

/// A row of the table: relative labelling costs by medians of squared errors, as the paper has them, and coverage.
fn row(curves: &Curves, uniform: &Curves, budgets: &Budgets) -> Result<String, Box<dyn Error>> {
    let costs = |summed: fn(&[f64]) -> Result<f64, labelwise_paper::statistics::Error>| {
        let curve =
            |curves: &Curves| curves.squares.iter().map(|runs| summed(runs)).collect::<Result<Vec<f64>, _>>();
        let uniform: Vec<f64> = curve(uniform)?.into_iter().take(budgets.last()).collect();
        Ok::<_, Box<dyn Error>>(relative_labelling_cost(&curve(curves)?, &uniform)?)
    };
    let (medians, means) = (costs(median)?, costs(mean)?);
    let shown = |costs: &[Option<f64>], labels: usize| match costs.get(labels - 1).copied().flatten() {
        Some(cost) => format!("{cost:.2}"),
        None => format!("> {:.1}", budgets.most as f64 / labels as f64),
    };
    let mut text = format!("{} | {} |", curves.strategy, curves.surrogate);
    for (labels, covered) in budgets.shown.into_iter().zip(&curves.covered) {
        text.push_str(&format!(" {} | {:.1} % |", shown(&medians, labels), 100.0 * covered));
    }
    text.push_str(&format!(" {}", shown(&means, budgets.last())));
    Ok(text)
}

//! Intervals of losses that the draws were not made for.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use labelwise::Seed;
use labelwise_pool::{Labels, PoolTable, Predictions};
use labelwise_study::simulate::{Simulation, Truth};
use labelwise_study::{Answer, Author, Choices, EstimateOptions, Measurable, Metric, Study};
use rayon::prelude::*;

use crate::{Options, losses, pools};

/// What one run says of a loss at a number of labels: the estimate, and the ends of its interval.
type Answers = Vec<Vec<(f64, Option<(f64, f64)>)>>;

/// One row per pool, loss of the draws, loss that is estimated and number of labels.
pub(crate) fn table(
    files: &[PathBuf],
    options: &Options,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "{} runs, seed {}\n", options.runs, options.seed)?;
    writeln!(
        out,
        "| pool | drawn for | estimated | labels | RMSE / uniform | covers | truth below | truth above | width / ideal |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
    for file in files.iter().filter(|file| file.display().to_string().contains(&options.only)) {
        for (name, table) in pools(file) {
            for loss in losses(&table, options) {
                measure(&name, &table, loss, options, out)?;
                out.flush()?;
            }
        }
    }
    Ok(())
}

fn choices(loss: &str) -> Result<Choices, Box<dyn Error>> {
    Ok(Choices { aims: vec![loss.parse::<Measurable>()?], ..Choices::default() })
}

fn measure(
    name: &str,
    table: &PoolTable,
    loss: &str,
    options: &Options,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let others: Vec<&String> = options.also.iter().filter(|also| *also != loss).collect();
    let metrics = others.iter().map(|also| also.parse::<Metric>()).collect::<Result<Vec<_>, _>>()?;
    let truths = others.iter().map(|also| Ok(Simulation::new(table, &choices(also)?)?.truth()));
    let truths: Vec<Truth> = truths.collect::<Result<_, Box<dyn Error>>>()?;
    let budgets: Vec<usize> =
        options.budgets.iter().copied().filter(|labels| *labels <= table.rows() / 2).collect();
    let runs: Vec<Answers> = (0..options.runs)
        .into_par_iter()
        .map(|run| {
            let seed = Seed(options.seed).repetition(run as u64).0;
            one(
                table,
                &Choices { seed, ..choices(loss).map_err(|error| error.to_string())? },
                &metrics,
                &budgets,
            )
            .map_err(|error| error.to_string())
        })
        .collect::<Result<_, String>>()?;
    let size = table.rows() as f64;
    for (at, labels) in budgets.iter().enumerate() {
        for ((which, also), truth) in others.iter().enumerate().zip(&truths) {
            let answers: Vec<(f64, Option<(f64, f64)>)> =
                runs.iter().filter_map(|run| run.get(at)?.get(which).copied()).collect();
            let count = answers.len() as f64;
            let squares: f64 = answers.iter().map(|(value, _)| (value - truth.risk).powi(2)).sum();
            let rmse = (squares / count).sqrt();
            let uniform = (truth.variance * (1.0 / *labels as f64 - 1.0 / size)).sqrt();
            let ends: Vec<(f64, f64)> = answers.iter().filter_map(|(_, ends)| *ends).collect();
            let share = |missed: &dyn Fn(&(f64, f64)) -> bool| {
                ends.iter().filter(|ends| missed(ends)).count() as f64 / count
            };
            let below = share(&|(low, _)| *low > truth.risk + 1e-12);
            let above = share(&|(_, high)| *high < truth.risk - 1e-12);
            let width = ends.iter().map(|(low, high)| high - low).sum::<f64>() / ends.len() as f64;
            let (ratio, covers, width) = (rmse / uniform, 1.0 - below - above, width / (3.92 * rmse));
            write!(out, "| {name} | {loss} | {also} | {labels} | {ratio:.3} | {covers:.3} ")?;
            writeln!(out, "| {below:.3} | {above:.3} | {width:.2} |")?;
        }
    }
    Ok(())
}

/// One evaluation, asked for estimates at every budget.
fn one(
    table: &PoolTable,
    choices: &Choices,
    metrics: &[Metric],
    budgets: &[usize],
) -> Result<Answers, Box<dyn Error>> {
    let by = Author::default();
    let mut study = Study::in_memory(table.clone(), choices)?.evaluation;
    let (Some(Labels::Classes(labels)), Predictions::Classes { names, .. }) =
        (&table.labels, &table.predictions)
    else {
        return Ok(Vec::new());
    };
    let mut answers = Vec::new();
    let mut told = 0;
    for &budget in budgets {
        while told < budget {
            // As few as a person would ask for, so that proposals are refreshed when they are due.
            let asked = study.ask((budget - told).min(10), &by)?;
            let label = |item: usize| names.get(labels.get(item).map_or(0, |label| *label as usize)).cloned();
            let batch: Vec<Answer> = asked
                .iter()
                .map(|asked| Answer::new(asked.id.clone(), label(asked.item).unwrap_or_default()))
                .collect();
            told += batch.len();
            study.tell(&batch, &by)?;
        }
        let wanted = EstimateOptions { metrics: metrics.to_vec(), ..EstimateOptions::default() };
        let found = study.estimate(&wanted)?;
        answers.push(found.iter().map(|found| (found.value, found.interval)).collect());
    }
    Ok(answers)
}

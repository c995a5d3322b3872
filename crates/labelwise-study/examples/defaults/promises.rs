//! What `new` promises before the first label, compared with what labels turn out to be worth.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use labelwise_pool::PoolTable;
use labelwise_study::simulate::{Simulation, Strategy};
use labelwise_study::{Choices, Measurable, Study};

use crate::{Options, losses, pools};

/// One row per pool and loss: the promised range of uniformly sampled labels that one label is worth, and the exact worth.
pub(crate) fn table(
    files: &[PathBuf],
    labels: usize,
    options: &Options,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "| pool | loss | promised | worth at {labels} labels | |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    let (mut less, mut kept, mut more) = (0, 0, 0);
    for file in files.iter().filter(|file| file.display().to_string().contains(&options.only)) {
        for (name, table) in pools(file) {
            for loss in losses(&table, options) {
                let Some([low, high, worth]) = compared(&table, loss, labels, options)? else { continue };
                let (count, word) = match worth {
                    worth if worth < low => (&mut less, "less"),
                    worth if worth > high => (&mut more, "more"),
                    _ => (&mut kept, "kept"),
                };
                *count += 1;
                writeln!(out, "| {name} | {loss} | {low:.2} to {high:.2} | {worth:.2} | {word} |")?;
                out.flush()?;
            }
        }
    }
    writeln!(out, "\nkept {kept}, worth less {less}, worth more {more}")?;
    Ok(())
}

/// The ends of the promised range, and the worth; `None` where nothing is promised.
fn compared(
    table: &PoolTable,
    loss: &str,
    labels: usize,
    options: &Options,
) -> Result<Option<[f64; 3]>, Box<dyn Error>> {
    let choices = Choices { aims: vec![loss.parse::<Measurable>()?], ..Choices::default() };
    let created = Study::in_memory(table.clone(), &choices)?;
    let Some((low, high)) = created.evaluation.expected_gain()? else { return Ok(None) };
    let simulation = Simulation::new(table, &choices)?;
    let errors =
        simulation.conditional_error(&Strategy::LABELWISE, &[labels], options.exact.max(1), options.seed)?;
    let Some(&[error]) = errors.as_deref() else { return Ok(None) };
    let size = table.rows() as f64;
    let uniform = simulation.truth().variance * (1.0 / labels as f64 - 1.0 / size);
    Ok(Some([low, high, uniform / (error * error)]))
}

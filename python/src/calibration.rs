//! Whether a model is as sure as it should be, bin by bin.

use labelwise::metric::{Calibration, Judged, WeightedDraws};
use labelwise::{Classification, Target};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::build::Running;
use crate::error::Outcome;

/// The calibration of an evaluation in memory.
pub(crate) fn of_running(
    running: &Running<Classification>,
    bins: usize,
    target: Target,
    level: f64,
) -> Outcome<Calibration> {
    let predictions = running.pool.predictions();
    let mut rows = predictions.reader();
    let sheet = WeightedDraws::new(running.evaluation.ledger(), |_, draw, label| {
        Judged::new(rows.row(draw.index).to_vec(), label)
    })?;
    let mut all = predictions.reader();
    let counts = Calibration::count(all.rows(0..predictions.rows()).iter(), bins);
    // Where items went missing, how many of each bin are left is not known.
    let counts = (sheet.pool_size() == predictions.rows()).then_some(&counts[..]);
    Ok(Calibration::new(&sheet, bins, counts, target, level)?)
}

/// As a dictionary.
pub(crate) fn dict<'py>(py: Python<'py>, found: &Calibration) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("squared_error", found.squared_error)?;
    dict.set_item("interval", found.interval)?;
    dict.set_item("labels", found.labels)?;
    let mut bins = Vec::with_capacity(found.bins.len());
    for bin in &found.bins {
        let row = PyDict::new(py);
        row.set_item("low", bin.low)?;
        row.set_item("high", bin.high)?;
        row.set_item("share", bin.mass)?;
        row.set_item("confidence", bin.confidence)?;
        row.set_item("gap", bin.gap.value.as_ref().ok())?;
        row.set_item("gap_low", bin.gap.interval.map(|span| span.low))?;
        row.set_item("gap_high", bin.gap.interval.map(|span| span.high))?;
        row.set_item("labels", bin.gap.labels)?;
        bins.push(row);
    }
    dict.set_item("bins", bins)?;
    Ok(dict)
}

//! Pool files as arrays of Python.

use std::path::PathBuf;

use labelwise_study::{Ids, Labels, PoolTable, Predictions};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::error::{Raised, detached};
use crate::options::Columns;

/// The columns of a pool file as arrays.
#[pyfunction]
pub(crate) fn read_pool<'py>(
    py: Python<'py>,
    path: PathBuf,
    columns: Columns,
) -> PyResult<Bound<'py, PyDict>> {
    let table = detached(py, &Raised::default(), || Ok(PoolTable::open(path, &columns.reading()?)?))?;
    let dict = PyDict::new(py);
    for name in ["classes", "probabilities", "mean", "variance", "predicted", "scores", "labels", "features"]
    {
        dict.set_item(name, py.None())?;
    }
    let ids: Option<Vec<String>> = match &table.ids {
        Ids::Column(_) => (0..table.rows()).map(|row| table.ids.get(row)).collect(),
        _ => None,
    };
    dict.set_item("ids", ids)?;
    match &table.predictions {
        Predictions::Classes { names, rows } => {
            dict.set_item("classes", names)?;
            dict.set_item("probabilities", arrays::lent(py, rows)?)?;
        }
        Predictions::Values { means, variances } => {
            dict.set_item("mean", PyArray1::from_slice(py, means))?;
            if let Some(variances) = variances {
                dict.set_item("variance", PyArray1::from_slice(py, variances))?;
            }
        }
        Predictions::Hard { names, classes } => {
            dict.set_item("classes", names)?;
            dict.set_item(
                "predicted",
                PyArray1::from_iter(py, classes.iter().map(|&class| i64::from(class))),
            )?;
        }
        Predictions::Scores(scores) => dict.set_item("scores", PyArray1::from_slice(py, scores))?,
    }
    match &table.labels {
        Some(Labels::Classes(labels)) => {
            dict.set_item("labels", PyArray1::from_iter(py, labels.iter().map(|&label| i64::from(label))))?;
        }
        Some(Labels::Values(labels)) => dict.set_item("labels", PyArray1::from_slice(py, labels))?,
        _ => {}
    }
    if let Some(features) = &table.features {
        dict.set_item("features", arrays::lent(py, &features.rows)?)?;
    }
    Ok(dict)
}

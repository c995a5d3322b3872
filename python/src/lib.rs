//! The engine of the Python package `labelwise`: what its Python side calls.
//!
//! The Python side (`labelwise/*.py`) makes arrays of whatever it is given, and sentences of what comes back; everything
//! that computes is here, or rather in the crates this one calls. Nothing here is for people to call: names and arguments
//! may change with every version.

mod arrays;
mod build;
mod calibration;
mod compare;
mod durable;
mod durable_options;
mod error;
mod estimates;
mod evaluation;
mod losses;
mod names;
mod page;
mod parts;
mod plan;
mod pool;
mod surrogates;
mod verbs;

use pyo3::prelude::*;

/// The module `labelwise._engine`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LabelwiseError", module.py().get_type::<error::LabelwiseError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<evaluation::Engine>()?;
    module.add_class::<durable::DurableEngine>()?;
    module.add_class::<compare::ComparisonEngine>()?;
    module.add_function(wrap_pyfunction!(pool::read_pool, module)?)?;
    module.add_function(wrap_pyfunction!(parts::draw, module)?)?;
    module.add_function(wrap_pyfunction!(parts::weights, module)?)?;
    module.add_function(wrap_pyfunction!(parts::estimate, module)?)?;
    Ok(())
}

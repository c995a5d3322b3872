//! The engine of the Python package `labelwise`: what its Python side calls.
//!
//! The Python side (`labelwise/*.py`) makes arrays of whatever it is given, and objects of what comes back. One class,
//! `study::Study`, holds an evaluation in memory or on disk; everything that computes is in the crates that it calls.
//! Nothing here is for people to call: names and arguments may change with every version.

mod answers;
mod arrays;
mod arrow;
mod connect;
mod error;
mod hints;
mod labels;
mod losses;
mod options;
mod page;
mod parts;
mod pool;
mod program;
mod record;
mod scan;
mod simulate;
mod steps;
mod study;
mod surrogate;

use pyo3::prelude::*;

/// The module `labelwise._engine`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LabelwiseError", module.py().get_type::<error::LabelwiseError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<study::Study>()?;
    module.add_class::<page::LabelPage>()?;
    module.add_class::<scan::Scan>()?;
    module.add_class::<scan::Part>()?;
    module.add_function(wrap_pyfunction!(scan::merge, module)?)?;
    module.add_function(wrap_pyfunction!(pool::read_pool, module)?)?;
    module.add_function(wrap_pyfunction!(program::run_program, module)?)?;
    module.add_function(wrap_pyfunction!(pool::doctor, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::judge_worth, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::disagreements, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::judges, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::apply, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::successor, module)?)?;
    module.add_function(wrap_pyfunction!(study::judge::pair_rates, module)?)?;
    module.add_function(wrap_pyfunction!(connect::label_studio_look, module)?)?;
    module.add_function(wrap_pyfunction!(connect::hand_out, module)?)?;
    module.add_function(wrap_pyfunction!(connect::take_over, module)?)?;
    module.add_function(wrap_pyfunction!(connect::opinion_rule, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::numbers, module)?)?;
    module.add_function(wrap_pyfunction!(parts::draw, module)?)?;
    module.add_function(wrap_pyfunction!(parts::weights, module)?)?;
    module.add_function(wrap_pyfunction!(parts::estimate, module)?)?;
    Ok(())
}

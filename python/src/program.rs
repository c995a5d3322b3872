//! The program `labelwise`, run in Python's process by the command that the package installs.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

/// Exit code of a defect, as that of a Rust program that panics.
const DEFECT: u8 = 101;

/// Runs a command line, of which the first word is the program's name, and returns the exit code. The interpreter's lock is
/// released: the program knows nothing of Python.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| catch_unwind(AssertUnwindSafe(|| labelwise_cli::run(&arguments))).unwrap_or(DEFECT))
}

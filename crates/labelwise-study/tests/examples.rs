//! The example of an evaluation in a file runs.

use std::error::Error;

#[path = "../examples/durable.rs"]
mod durable;

#[test]
fn durable_runs() -> Result<(), Box<dyn Error>> {
    durable::main()
}

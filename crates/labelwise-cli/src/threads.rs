//! Threads for work on whole pools, started by hand: where rayon cannot start them by itself, it panics.

use rayon::ThreadPoolBuilder;

use crate::failure::Failure;

/// Starts them, once a process.
pub(crate) fn start() -> Result<(), Failure> {
    Ok(ThreadPoolBuilder::new().build_global()?)
}

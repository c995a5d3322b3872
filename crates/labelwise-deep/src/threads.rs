//! One network, one thread; and panics of what computes, as errors.

use std::any::Any;
use std::panic;

use burn_tensor::Device;
use rayon::ThreadPoolBuilder;

use crate::error::{Error, Result};

/// Does the work on a separate thread, including what the work would spread over threads.
///
/// Whoever trains several networks at once, as ensembles do, fills the processor better than one network can, and sums
/// over pixels have one order only, so that results do not depend on the number of threads. The caller's thread waits
/// without taking up other work meanwhile: a pool's thread would begin the next network inside of this one.
pub(crate) fn alone<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| Error::Computation(error.to_string()))?;
    let done = std::thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
    done.unwrap_or_else(|panic| Err(told(&*panic)))
}

/// The device that the build prefers, or the one that the variable `BURN_DEVICE` names, which may be none that there is.
pub(crate) fn default_device() -> Result<Device> {
    panic::catch_unwind(Device::default).map_err(|panic| told(&*panic))
}

fn told(panic: &(dyn Any + Send)) -> Error {
    let why = panic.downcast_ref::<String>().map(String::as_str);
    let why = why.or_else(|| panic.downcast_ref::<&str>().copied());
    Error::Computation(why.unwrap_or("a thread stopped").to_owned())
}

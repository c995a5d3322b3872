//! Decoders of other crates, which panic at some damage.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread runs a decoder.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder of Arrow or Parquet. The decoders check their input, but some damage still makes them panic. The
/// reader of such a file needs the same error as for other damage, so the panic is caught here, and its text is not
/// printed; nothing of the interrupted decoder is used afterwards.
pub(crate) fn guarded<T, E: Display>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    silence();
    let outside = GUARDED.replace(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(outside);
    match decoded {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("its parts contradict one another".to_owned()),
    }
}

/// Keeps the hook that prints panics from printing those of decoders.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            if !GUARDED.get() {
                print(panicked);
            }
        }));
    });
}

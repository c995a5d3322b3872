//! Counts panics, including those that a reader catches: the program would print their text.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

/// Maximum number of panics that are kept as text.
const KEPT: usize = 20;

static SEEN: Mutex<(u64, Vec<String>)> = Mutex::new((0, Vec::new()));

/// Campaigns that are running.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// While this lives, panics are counted and not printed.
#[derive(Debug)]
pub(crate) struct Watch(());

impl Drop for Watch {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Begins to count panics.
pub(crate) fn watch() -> Watch {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let printed = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if RUNNING.load(Ordering::SeqCst) == 0 {
                return printed(info);
            }
            let mut seen = SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            seen.0 += 1;
            if seen.1.len() < KEPT {
                seen.1.push(info.to_string());
            }
        }));
    });
    RUNNING.fetch_add(1, Ordering::SeqCst);
    Watch(())
}

/// How many panics there were.
pub fn count() -> u64 {
    SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0
}

/// The texts of the first ones.
pub fn texts() -> Vec<String> {
    SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).1.clone()
}

//! How often the tests try, and what they print for `cargo xtask reliability`.

/// How many times as often the tests try as usual, by the variable `LABELWISE_TIMES`.
pub(crate) fn times() -> usize {
    std::env::var("LABELWISE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Prints what was tried, what came of it, and what held. A test calls it after its last assertion.
pub(crate) fn report(tried: &str, counts: &str, held: &str) {
    println!("reliability | {tried} | {counts} | {held}");
}

/// What holds after every write that was interrupted.
pub(crate) const NOTHING_LOST: &str = "0 acknowledged labels lost, 0 counted twice, 0 draws changed";

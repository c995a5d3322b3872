//! The tests of durability that take minutes, strace or root. `cargo xtask reliability` runs them; the suite has quicker ones
//! of the same kinds in `durability`, where a library stands for the disk that fails.

#![cfg(target_os = "linux")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]
#![allow(dead_code, reason = "not all that the tests of durability share is used here")]

mod disk;
#[path = "../durability/evaluation.rs"]
mod evaluation;
mod syscalls;
#[path = "../durability/tally.rs"]
mod tally;

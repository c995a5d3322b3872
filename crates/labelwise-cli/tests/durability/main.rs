//! What happens to paid labels when things go wrong: processes killed, disks full, files damaged, many at once. The real
//! program, real files, real signals.

#![cfg(target_os = "linux")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod crash;
mod crowd;
mod damage;
mod evaluation;
mod fault;
mod golden;
mod kill;
mod moved;
mod power;
mod tally;

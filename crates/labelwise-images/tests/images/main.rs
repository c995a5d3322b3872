//! Sets from folders, parts of them, and archives, as those who use the crate meet them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

#[cfg(test)]
mod addresses;
#[cfg(test)]
mod archives;
#[cfg(test)]
mod fetching;
#[cfg(test)]
mod files;
#[cfg(test)]
mod readers;
#[cfg(test)]
mod scaling;
#[cfg(test)]
mod sentences;
#[cfg(test)]
mod subsets;

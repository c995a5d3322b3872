//! The page of real evaluations of the bundled digits.

mod content;
mod digits;
mod heights;
mod ledgers;
mod structure;
mod tags;

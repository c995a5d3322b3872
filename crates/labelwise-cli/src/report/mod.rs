//! `labelwise report`: an evaluation as one HTML page that needs nothing else, to be read, mailed and printed.
//!
//! The page is made of plain data, so it knows no files: whoever has an evaluation fills a `Page` and calls `html`.

mod command;
mod counted;
mod course;
mod document;
mod draws;
mod gain;
mod headline;
mod influence;
mod metric;
mod origin;
mod others;
mod page;
mod picture;
mod prefixes;
mod scores;
mod strata;
mod surrogate;
#[cfg(test)]
mod tests;
mod uniform;
mod weights;
mod words;

pub(crate) use command::{Options, run};
pub(crate) use page::Error;

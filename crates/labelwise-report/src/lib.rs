//! An evaluation as one HTML page that needs nothing else, to be read, mailed and printed.
//!
//! [`html`] makes the page from a [`Page`], which is plain data: [`page`] fills it from an evaluation on disk, [`page_of`]
//! from one in memory.

mod course;
mod document;
mod draws;
mod durable;
mod memory;
mod metric;
mod origin;
mod page;
mod picture;
mod prefixes;
mod sections;
mod surrogate;
#[cfg(test)]
mod tests;
mod uniform;
mod weights;
mod words;

pub use document::html;
pub use durable::{Order, page};
pub use memory::{About, page_of};
pub use metric::{Better, Form, Metric};
pub use page::{DrawLine, Error, Fate, OtherMetric, Page, Provenance, ScoreLine, Skipped};
pub use prefixes::{Step, course};

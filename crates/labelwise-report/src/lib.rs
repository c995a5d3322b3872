//! An evaluation as one HTML page that needs nothing else, to be read, mailed and printed.
//!
//! [`html`] makes the page from a [`Page`], which is plain data: [`page`] fills it from a study, on disk or in memory.

mod about;
mod course;
mod document;
mod draws;
mod fill;
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

pub use about::About;
pub use document::html;
pub use fill::{Order, page};
pub use metric::{Better, Form, Metric};
pub use page::{DrawLine, Error, Fate, JudgeLines, OtherMetric, Page, Provenance, ScoreLine, Skipped};
pub use prefixes::{Step, course};

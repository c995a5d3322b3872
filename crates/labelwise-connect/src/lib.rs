//! Labels from the tools where people already label.
//!
//! ```text
//!   study ──draws──► view ──► Label Studio's API, or a file ──► people ──► annotations ──► study
//! ```
//!
//! A tool gets the items that were drawn, in draw order, and no prediction. It never chooses. What people say there comes back as
//! annotations, which the study records as they are; a rule of the study says which of several labels counts.

mod error;
pub mod formats;
mod http;
pub mod label_studio;
mod moment;
mod view;

pub use error::{Error, Result, Unreachable};
pub use http::Address;
pub use view::{View, Wish};

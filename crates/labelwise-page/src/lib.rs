//! The labelling page: one or several people label what an evaluation asks, in a browser, blind, with every label on disk
//! before the page says so.
//!
//! ```text
//!   browser ──► http (limits) ──► guard (host, origin) ──► sessions (cookie) ──► routes ──► desk (loans) ──► study
//! ```
//!
//! The server is a part of the program: threads and blocking sockets of the standard library, because a label ends with a
//! synchronous write and there are tens of connections, not thousands. It never fetches anything, and the page loads nothing
//! from anywhere else.

mod assets;
mod desk;
mod error;
mod guard;
mod http;
mod media;
mod owner;
mod routes;
mod server;
mod sessions;
mod show;
pub mod terminal;

pub use desk::{Rules, SharedStudy};
pub use error::Error;
pub use http::Method;
pub use routes::{Access, routes};
pub use server::{Options, Page, Summary};

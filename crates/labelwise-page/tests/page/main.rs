//! The page as a browser, a robot and an attacker meet it: over its socket.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

mod answers;
mod attacks;
mod client;
mod crowds;
mod people;
mod routes;
mod schemas;
mod terminal;

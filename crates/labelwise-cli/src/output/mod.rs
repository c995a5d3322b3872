//! What commands print, and the files that they write for people.

pub(crate) mod colour;
pub(crate) mod file;
pub(crate) mod label_count;
pub(crate) mod progress;
pub(crate) mod recorded;
pub(crate) mod scores;
pub(crate) mod table;
pub(crate) mod text;

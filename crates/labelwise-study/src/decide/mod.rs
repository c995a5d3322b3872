//! From choices and a pool to settings, with every decision in words.

pub(crate) mod choices;
mod recipe;
mod surrogate;
pub(crate) mod targets;
mod worths;
pub(crate) mod zeros;

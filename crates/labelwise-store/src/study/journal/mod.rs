//! What happened: draws, labels and refreshes.

pub(crate) mod record;
pub(crate) mod row;

//! Every question that can be asked of labelled draws.

pub(crate) mod agreement;
pub(crate) mod answers;
pub(crate) mod at_cap;
pub(crate) mod classes;
pub(crate) mod compare;
pub(crate) mod course;
pub(crate) mod estimate;
pub(crate) mod excess;
pub(crate) mod ledger;
pub(crate) mod metrics;
mod panel;
pub(crate) mod planning;
pub(crate) mod prospects;
pub(crate) mod reuse;
pub(crate) mod score_transfer;
pub(crate) mod scored;
pub(crate) mod sheet;
pub(crate) mod shown;
pub(crate) mod slices;
pub(crate) mod threshold;
pub(crate) mod waiting;
pub(crate) mod whole;

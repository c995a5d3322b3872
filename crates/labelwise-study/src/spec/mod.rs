//! What can be chosen, by name.

pub(crate) mod decision_threshold;
pub(crate) mod design;
pub(crate) mod measurable;
pub(crate) mod metric;
pub(crate) mod named;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod range;
pub(crate) mod settings;
pub(crate) mod share;
pub(crate) mod subject;
pub(crate) mod supplied;

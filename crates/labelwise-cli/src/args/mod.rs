//! Options that several commands share, and parsers of their values.

pub(crate) mod design;
mod evaluation;
mod label;
mod metric;
pub(crate) mod parse;
mod pool;
mod surrogate;

pub(crate) use design::DesignOptions;
pub(crate) use evaluation::{AuthorOptions, EvaluationArg, ignored_log, read};
pub(crate) use label::LabelOptions;
pub(crate) use metric::MetricArgs;
pub(crate) use pool::PoolOptions;
pub(crate) use surrogate::SurrogateOptions;

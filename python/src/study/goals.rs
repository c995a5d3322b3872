//! Plans and checks: how many labels goals need, and whether a threshold is met.

use labelwise::Target;
use labelwise::plan::{Side, Threshold};
use labelwise_study::{Named, PlanGoals};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Study;
use super::how::{assurance, one_metric};
use crate::answers;
use crate::error::Error;

/// What a goal is about.
pub(super) struct Asked<'a> {
    pub(super) metric: Option<String>,
    pub(super) level: f64,
    pub(super) target: &'a str,
    pub(super) method: Option<&'a str>,
    pub(super) positive: Option<String>,
}

/// How many labels a half-width or a threshold needs.
pub(super) fn plan<'py>(
    study: &Study,
    py: Python<'py>,
    (half_width, threshold): (Option<f64>, Option<f64>),
    asked: Asked<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let Asked { metric, level, target, method, positive } = asked;
    let target = Target::named(target).map_err(Error::from)?;
    let (plan, counts) = study.with(py, |kept| {
        let metric = one_metric(kept, metric.as_deref())?;
        let assurance = assurance(kept, &metric, method)?;
        let goals = PlanGoals { half_width, threshold, level, target, assurance };
        let counts = (kept.labels(), kept.settings().pool.size);
        Ok((kept.plan(&metric, positive.as_deref(), &goals)?, counts))
    })?;
    answers::plan(py, &plan, counts)
}

/// Whether a metric is below or above a value.
pub(super) fn check<'py>(
    study: &Study,
    py: Python<'py>,
    (value, side): (f64, Side),
    asked: Asked<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let Asked { metric, level, target, method, positive } = asked;
    let target = Target::named(target).map_err(Error::from)?;
    let checked = study.with(py, |kept| {
        let metric = one_metric(kept, metric.as_deref())?;
        let assurance = assurance(kept, &metric, method)?;
        let threshold = Threshold { value, side, level, assurance, target };
        Ok(kept.check(&metric, positive.as_deref(), &threshold)?)
    })?;
    answers::checked(py, &checked)
}

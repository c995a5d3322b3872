//! How a question is to be answered, and about what.

use labelwise::Target;
use labelwise::interval::Method;
use labelwise::plan::Assurance;
use labelwise_study::{
    Author, EstimateOptions, EstimatorName, Measurable, MethodName, Metric, Named, Study as Kept, now,
};
use pyo3::prelude::*;

use crate::answers::For;
use crate::error::{Error, Outcome};

/// How a question is to be answered.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct How {
    level: f64,
    target: String,
    interval: String,
    planned: Option<usize>,
    estimator: String,
}

impl How {
    /// The level and the target.
    pub(super) fn what(&self) -> Outcome<For> {
        Ok(For { level: self.level, target: Target::named(&self.target)? })
    }

    /// The same for a comparison with the models of a study.
    pub(super) fn compared(self, study: &Kept) -> Self {
        Self { planned: self.planned.or_else(|| Some(study.settings().comparison_plan())), ..self }
    }

    /// The method of the interval.
    pub(super) fn method(&self) -> Outcome<Method> {
        Ok(MethodName::named(&self.interval)?.method(self.planned))
    }

    /// The estimator.
    pub(super) fn estimator(&self) -> Outcome<EstimatorName> {
        Ok(EstimatorName::named(&self.estimator)?)
    }

    /// The same of a mean loss.
    pub(super) fn wanted(&self, metrics: Vec<Metric>) -> Outcome<EstimateOptions> {
        let For { level, target } = self.what()?;
        Ok(EstimateOptions { metrics, level, target, method: self.method()?, estimator: self.estimator()? })
    }
}

/// A metric by its name, or the one that the evaluation was made for.
pub(super) fn one_metric(study: &Kept, name: Option<&str>) -> Outcome<Measurable> {
    name.map_or_else(|| Ok(study.one_metric()?), one_name)
}

/// A metric by its name.
pub(super) fn one_name(name: &str) -> Outcome<Measurable> {
    name.parse::<Measurable>().map_err(|error| Error::Argument(error.to_string()))
}

/// The first metric that the evaluation was made for.
pub(super) fn first_metric(study: &Kept) -> Measurable {
    let recorded = || Measurable::Loss(study.settings().metric.clone());
    study.aims().into_iter().next().unwrap_or_else(recorded)
}

/// How a threshold is decided about: as named, or the best way that the metric has.
pub(super) fn assurance(study: &Kept, metric: &Measurable, name: Option<&str>) -> Outcome<Assurance> {
    match name {
        Some(name) => Ok(Assurance::named(name)?),
        None => Ok(study.usual_assurance(metric)),
    }
}

/// Who does something now. In memory nobody asks when: the clock is not read for every label.
pub(crate) fn by(kept: &Kept, who: String, key: Option<String>) -> Author {
    Author { who, at: if kept.is_durable() { now() } else { 0 }, key }
}

//! What can be chosen by name, and what the names are.

use labelwise::acquisition::{
    Acquisition, ActiveRiskEstimation, Distance, ExpectedLoss, MutualInformation, RootMeanSquare,
    StandardDeviation, Uniform,
};
use labelwise::estimator::{
    ControlledLure, Controls, Estimator, HansenHurwitz, Iid, ImportanceSampling, Pure, RegressionLure,
};
use labelwise::evaluation::Builder;
use labelwise::interval::Method;
use labelwise::proposal::{Floor, OnBadScore};
use labelwise::surrogate::Schedule;
use labelwise::{Lure, Target, Task};
use labelwise_study::EstimatorName;
use pyo3::prelude::*;

use crate::error::{Error, Outcome};

/// A name as the core spells it.
pub(crate) fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['_', ' '], "-")
}

/// A sentence about a name that is none.
pub(crate) fn unknown<T>(argument: &str, name: &str, known: &str) -> Outcome<T> {
    Err(Error::Argument(format!("{argument} is {name:?}, but must be one of {known}")))
}

pub(crate) fn target(name: &str) -> Outcome<Target> {
    match plain(name).as_str() {
        "pool" => Ok(Target::Pool),
        "population" => Ok(Target::Population),
        _ => unknown("target", name, "\"pool\" (this very pool) and \"population\" (what it was drawn from)"),
    }
}

pub(crate) fn method(name: &str, planned: Option<usize>) -> Outcome<Method> {
    Ok(match plain(name).as_str() {
        "ordinary" => Method::Ordinary,
        "guaranteed" => Method::Guaranteed,
        "guaranteed-at-budget" => Method::GuaranteedAtBudget,
        "anytime" => Method::Anytime { planned: planned.unwrap_or(100) },
        _ => {
            let known = "\"ordinary\", \"guaranteed\", \"guaranteed_at_budget\" and \"anytime\"";
            return unknown("interval", name, known);
        }
    })
}

pub(crate) fn estimator(name: &str) -> Outcome<&'static dyn Estimator> {
    Ok(match plain(name).as_str() {
        "regression" | "regression-lure" => &RegressionLure,
        "lure" => &Lure,
        "controlled" | "controlled-lure" => &ControlledLure,
        "pure" => &Pure,
        "iid" | "mean" => &Iid,
        "importance-sampling" => &ImportanceSampling,
        "hansen-hurwitz" => &HansenHurwitz,
        _ => {
            let known = "\"regression\" (the default), \"lure\", \"controlled\", \"pure\", \"iid\", \
                \"importance_sampling\" and \"hansen_hurwitz\"";
            return unknown("estimator", name, known);
        }
    })
}

/// The weights that regression LURE gave its controls.
pub(crate) fn controls(samples: &[labelwise::estimator::Sample], pool_size: usize) -> Outcome<Controls> {
    Ok(RegressionLure.controls(samples, pool_size)?)
}

/// How q is kept from zero: a kind and its number.
pub(crate) fn floor(kind: &str, value: f64) -> Outcome<Floor> {
    match kind {
        "mixture" => Ok(Floor::Mixture { rho: value }),
        "clip" => Ok(Floor::Clip { alpha: value }),
        "unguarded" => Ok(Floor::Unguarded),
        _ => unknown("floor", kind, "a number (the uniform part), (\"clip\", a number), \"paper\" and None"),
    }
}

pub(crate) fn on_bad_score(name: &str) -> Outcome<OnBadScore> {
    match plain(name).as_str() {
        "reject" => Ok(OnBadScore::Reject),
        "median" => Ok(OnBadScore::Median),
        _ => unknown("on_bad_score", name, "\"reject\" and \"median\""),
    }
}

/// The builder with an acquisition by name.
pub(crate) fn scored_by<T: Task>(builder: Builder<T>, name: &str) -> Outcome<Builder<T>>
where
    MutualInformation: Acquisition<T>,
{
    Ok(match plain(name).as_str() {
        "root-mean-square" => builder.acquisition(RootMeanSquare),
        "expected-loss" => builder.acquisition(ExpectedLoss),
        "standard-deviation" => builder.acquisition(StandardDeviation),
        "uniform" => builder.acquisition(Uniform),
        "distance" => builder.acquisition(Distance::default()),
        "mutual-information" => builder.acquisition(MutualInformation),
        "active-risk-estimation" => builder.acquisition(ActiveRiskEstimation),
        _ => {
            let known = "\"root_mean_square\" (the default), \"expected_loss\" (the paper's), \"standard_deviation\", \
                \"uniform\", \"distance\", \"mutual_information\" and \"active_risk_estimation\"";
            return unknown("acquisition", name, known);
        }
    })
}

/// An estimator of an evaluation on disk by its name.
pub(crate) fn durable_estimator(name: &str) -> Outcome<EstimatorName> {
    Ok(match plain(name).as_str() {
        "regression" | "regression-lure" => EstimatorName::Suited,
        "lure" => EstimatorName::Lure,
        "controlled" | "controlled-lure" => EstimatorName::Controlled,
        "iid" | "mean" => EstimatorName::Iid,
        _ => {
            return unknown(
                "estimator",
                name,
                "\"regression\" (the default), \"lure\", \"controlled\" and \"iid\"",
            );
        }
    })
}

/// When something happens, counted in labels: after every so many, or at these numbers.
#[derive(FromPyObject, Clone)]
pub(crate) enum When {
    /// After every so many.
    Every(usize),
    /// At these numbers.
    At(Vec<usize>),
}

impl When {
    /// The schedule; nothing is never.
    pub(crate) fn schedule(when: Option<Self>) -> Schedule {
        match when {
            Some(Self::Every(0)) | None => Schedule::Never,
            Some(Self::Every(labels)) => Schedule::Every(labels),
            Some(Self::At(labels)) => Schedule::At(labels),
        }
    }
}

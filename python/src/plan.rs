//! What labels will buy: from the surrogate before the first of them, from the labels after it.

use labelwise::ledger::Imputed;
use labelwise::plan::{Assurance, LabelForecast, LabelRange, Source, WidthRule};
use labelwise::{Target, Task};
use labelwise_study::{Metric, View};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::build::Running;
use crate::error::{Error, Outcome};
use crate::names;

/// What is wanted: an interval so narrow, or a side of a bar.
pub(crate) struct Wish {
    pub(crate) half_width: Option<f64>,
    pub(crate) bar: Option<f64>,
    pub(crate) level: f64,
    pub(crate) target: String,
    pub(crate) method: String,
}

/// How many labels that takes.
pub(crate) struct Plan {
    pub(crate) expected: Option<f64>,
    pub(crate) rests_on: Option<&'static str>,
    pub(crate) labels: usize,
    pub(crate) pool_size: usize,
    pub(crate) half_width: Option<(Option<LabelRange>, Option<LabelRange>)>,
    pub(crate) bar: Option<(Option<LabelRange>, Option<LabelRange>)>,
}

impl Plan {
    /// From what is known of the labels to come.
    pub(crate) fn new(
        prospect: Option<&LabelForecast>,
        wish: &Wish,
        metric: &Metric,
        labels: usize,
        pool_size: usize,
    ) -> Outcome<Self> {
        let target = names::target(&wish.target)?;
        let assurance = assurance(&wish.method)?;
        let both = |of: &dyn Fn(&LabelForecast) -> labelwise::Result<Option<LabelRange>>| match prospect {
            Some(prospect) => Ok((of(prospect)?, of(&prospect.by_uniform_sampling())?)),
            None => Ok::<_, Error>((None, None)),
        };
        let half_width = match wish.half_width {
            Some(half) => Some(both(&|prospect| {
                let labels = prospect.for_half_width(half, wish.level, target)?;
                Ok(labels.map(|labels| labels.at_least(WidthRule::least(pool_size))))
            })?),
            None => None,
        };
        let bar = match wish.bar {
            Some(bar) => Some(both(&|prospect| {
                prospect.for_threshold(metric.shown(bar), wish.level, assurance, target)
            })?),
            None => None,
        };
        let rests_on = prospect.map(|prospect| match prospect.source {
            Source::Surrogate => "surrogate",
            Source::Labels(_) => "labels",
        });
        let expected = prospect.map(|prospect| metric.shown(prospect.risk));
        Ok(Self { expected, rests_on, labels, pool_size, half_width, bar })
    }

    /// As a dictionary.
    pub(crate) fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("expected", self.expected)?;
        dict.set_item("rests_on", self.rests_on)?;
        dict.set_item("labels", self.labels)?;
        dict.set_item("pool_size", self.pool_size)?;
        let triple =
            |labels: Option<LabelRange>| labels.map(|labels| (labels.expected, labels.low, labels.high));
        for (name, goal) in [("half_width", self.half_width), ("bar", self.bar)] {
            dict.set_item(name, goal.map(|(active, uniform)| (triple(active), triple(uniform))))?;
        }
        Ok(dict)
    }
}

fn assurance(name: &str) -> Outcome<Assurance> {
    match names::plain(name).as_str() {
        "once" => Ok(Assurance::Once),
        "anytime" => Ok(Assurance::Anytime),
        "guaranteed" => Ok(Assurance::Guaranteed),
        _ => names::unknown("method", name, "\"once\", \"anytime\" and \"guaranteed\""),
    }
}

/// The plan of an evaluation in memory.
pub(crate) fn plan<T: Task>(running: &mut Running<T>, wish: &Wish) -> Outcome<Plan> {
    let _: Target = names::target(&wish.target)?;
    if running.aims.iter().all(|aim| aim.loss().is_none()) && !running.aims.is_empty() {
        return Err(Error::Argument(
            "plan goes by a mean loss, but draws are made for a metric that is none: plan an evaluation with a mean loss, \
             such as loss=\"accuracy\""
                .to_owned(),
        ));
    }
    let plain = Metric { name: "loss".to_owned(), loss: labelwise_study::LossName::Value, view: View::Plain };
    let metric = running.own.clone().unwrap_or(plain);
    let evaluation = &mut running.evaluation;
    let told = match evaluation.evidence(Imputed::Expected) {
        Ok(evidence) => LabelForecast::of(&evidence)?,
        Err(labelwise::Error::NoSamples { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let prospect = match told {
        Some(prospect) => Some(prospect),
        None if evaluation.left() > 0 => {
            let forecast = evaluation.forecast()?;
            (forecast.controlled > 0.0 && forecast.controlled.is_finite()).then(|| forecast.label_forecast())
        }
        None => None,
    };
    let (labels, size) = (running.evaluation.observed().len(), running.pool.pool_size());
    Plan::new(prospect.as_ref(), wish, &metric, labels, size)
}

//! What a study answers, as dictionaries of plain values.

use labelwise::Target;
use labelwise::compare::Comparison;
use labelwise::estimator::Bias;
use labelwise::metric::Calibration;
use labelwise::plan::{LabelRange, Source, Verdict};
use labelwise::report::Report;
use labelwise_study::{
    Answered, Checked, Estimated, GoalPlan, LabelPlan, Metric, Named, PairVerdict, ScoreTransfer, Scored,
    Standings, Transfer, basis_in_words,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, Outcome};

/// What every number is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct For {
    pub(crate) level: f64,
    pub(crate) target: Target,
}

/// An estimate in plain values.
struct Answer {
    metric: String,
    class: Option<String>,
    slice: Option<(String, String)>,
    value: Result<f64, String>,
    interval: Option<(f64, f64)>,
    basis: Option<&'static str>,
    standard_error: Option<f64>,
    labels: usize,
    pool_size: usize,
    bias: Bias,
    estimator: &'static str,
    skipped: Option<(f64, f64)>,
    diagnostics: Vec<(&'static str, f64)>,
    warnings: Vec<String>,
}

impl Answer {
    fn of_loss(found: Estimated) -> Self {
        let Estimated { metric, value, interval, basis, report, diagnosis, .. } = found;
        let gain = diagnosis.map(|diagnosis| ("gain", diagnosis.gain));
        let skipped = report.estimate.skipped.map(|bounds| metric.shown_interval(bounds.low, bounds.high));
        let mut answer = Self::of_report(metric.name, value, interval, basis, &report);
        answer.skipped = skipped;
        answer.diagnostics.extend(gain);
        answer
    }

    fn of_report(
        metric: String,
        value: f64,
        interval: Option<(f64, f64)>,
        basis: Option<&'static str>,
        report: &Report,
    ) -> Self {
        let mut diagnostics = vec![
            ("effective_hits", report.effective_hits),
            ("weight_ess", report.weight_ess),
            ("mean_weight", report.mean_v),
            ("smallest_nq", report.smallest_nq),
            ("usefulness", report.usefulness),
        ];
        diagnostics.extend(report.largest_share.map(|share| ("largest_share", share)));
        Self {
            metric,
            class: None,
            slice: None,
            value: Ok(value),
            interval,
            basis,
            standard_error: report.estimate.standard_error,
            labels: report.estimate.labels,
            pool_size: report.pool_size,
            bias: report.bias,
            estimator: report.estimator,
            skipped: None,
            diagnostics,
            warnings: report.warnings().iter().map(ToString::to_string).collect(),
        }
    }

    fn of_score(scored: Scored) -> Self {
        Self {
            metric: scored.name,
            class: scored.class,
            slice: scored.slice.map(|slice| (slice.column, slice.value)),
            value: scored.value,
            interval: scored.interval,
            basis: scored.basis,
            standard_error: scored.standard_error,
            labels: scored.labels,
            pool_size: scored.pool_size,
            bias: scored.bias,
            estimator: "LURE",
            skipped: None,
            diagnostics: vec![("effective_hits", scored.effective_hits)],
            warnings: scored.notes,
        }
    }

    fn dict<'py>(&self, py: Python<'py>, what: For) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("metric", &self.metric)?;
        dict.set_item("class", &self.class)?;
        dict.set_item("slice", &self.slice)?;
        dict.set_item("value", self.value.as_ref().ok())?;
        dict.set_item("undefined", self.value.as_ref().err())?;
        dict.set_item("low", self.interval.map(|(low, _)| low))?;
        dict.set_item("high", self.interval.map(|(_, high)| high))?;
        dict.set_item("level", what.level)?;
        dict.set_item("target", what.target.name())?;
        dict.set_item("basis", self.basis)?;
        dict.set_item("standard_error", self.standard_error)?;
        dict.set_item("labels", self.labels)?;
        dict.set_item("pool_size", self.pool_size)?;
        let bias = match self.bias {
            Bias::None => "none",
            Bias::Vanishing => "vanishing",
            Bias::UnlessUniform => "unless uniform",
        };
        dict.set_item("bias", bias)?;
        dict.set_item("estimator", self.estimator)?;
        dict.set_item("skipped", self.skipped)?;
        let diagnostics = PyDict::new(py);
        for (name, value) in &self.diagnostics {
            diagnostics.set_item(name, value)?;
        }
        dict.set_item("diagnostics", diagnostics)?;
        dict.set_item("warnings", &self.warnings)?;
        Ok(dict)
    }
}

/// Estimates, each as a dictionary.
pub(crate) fn estimates(py: Python<'_>, found: Vec<Answered>, what: For) -> Outcome<Vec<Bound<'_, PyDict>>> {
    let mut rows = Vec::with_capacity(found.len());
    for answered in found {
        match answered {
            Answered::Loss(found) => rows.push(Answer::of_loss(*found).dict(py, what)?),
            Answered::Scores(scores) => {
                for scored in scores {
                    rows.push(Answer::of_score(scored).dict(py, what)?);
                }
            }
            Answered::Calibration(_) => {
                let sentence = "calibration is a table of its own: use `calibration()`";
                return Err(Error::Argument(sentence.to_owned()));
            }
        }
    }
    Ok(rows)
}

/// A calibration with its bins.
pub(crate) fn calibration<'py>(py: Python<'py>, found: &Calibration) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("squared_error", found.squared_error)?;
    dict.set_item("interval", found.interval)?;
    dict.set_item("labels", found.labels)?;
    let mut bins = Vec::with_capacity(found.bins.len());
    for bin in &found.bins {
        let row = PyDict::new(py);
        row.set_item("low", bin.low)?;
        row.set_item("high", bin.high)?;
        row.set_item("share", bin.mass)?;
        row.set_item("confidence", bin.confidence)?;
        row.set_item("gap", bin.gap.value.as_ref().ok())?;
        row.set_item("gap_low", bin.gap.interval.map(|span| span.low))?;
        row.set_item("gap_high", bin.gap.interval.map(|span| span.high))?;
        row.set_item("labels", bin.gap.labels)?;
        bins.push(row);
    }
    dict.set_item("bins", bins)?;
    Ok(dict)
}

/// Expected, lowest and highest number of labels.
type Triple = (usize, usize, usize);

fn triple(labels: LabelRange) -> Triple {
    (labels.expected, labels.low, labels.high)
}

/// How many labels goals need.
pub(crate) fn plan<'py>(
    py: Python<'py>,
    plan: &LabelPlan,
    (labels, pool_size): (usize, usize),
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let LabelPlan { forecast, expected, width, threshold, .. } = plan;
    dict.set_item("expected", *expected)?;
    let rests_on = forecast.as_ref().map(|forecast| match forecast.source {
        Source::Surrogate => "surrogate",
        Source::Labels(_) => "labels",
    });
    dict.set_item("rests_on", rests_on)?;
    dict.set_item("labels", labels)?;
    dict.set_item("pool_size", pool_size)?;
    let goal = |goal: GoalPlan| (goal.needed.map(triple), goal.uniform.map(triple));
    dict.set_item("half_width", width.map(|width| goal(width.labels)))?;
    dict.set_item("bar", threshold.map(goal))?;
    Ok(dict)
}

/// Whether a threshold is met.
pub(crate) fn checked<'py>(py: Python<'py>, checked: &Checked) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let decision = &checked.decision;
    let verdict = match decision.verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "not met",
        Verdict::Undecided => "undecided",
    };
    dict.set_item("verdict", verdict)?;
    let finite = |end: Option<f64>| end.filter(|end| end.is_finite());
    let (low, high) = decision.interval.unzip();
    dict.set_item("low", finite(low))?;
    dict.set_item("high", finite(high))?;
    dict.set_item("labels", decision.labels)?;
    dict.set_item("certain", checked.certain)?;
    dict.set_item("more", checked.more.map(|(labels, _)| triple(labels)))?;
    Ok(dict)
}

/// What one model has more than another, as the metric is shown.
fn difference<'py>(
    py: Python<'py>,
    found: &Comparison,
    metric: &Metric,
    what: For,
) -> PyResult<Bound<'py, PyDict>> {
    let report = &found.report;
    let shown = |difference: f64| metric.shown_difference(difference);
    let interval = report.interval.map(|interval| (shown(interval.low), shown(interval.high)));
    let interval = interval.map(|(one, other)| (one.min(other), one.max(other)));
    let basis = report.interval.map(|interval| basis_in_words(interval.basis));
    let answer = Answer::of_report(metric.name.clone(), shown(found.difference()), interval, basis, report);
    let dict = PyDict::new(py);
    dict.set_item("estimate", answer.dict(py, what)?)?;
    dict.set_item("p_value", found.p_value)?;
    dict.set_item("decided", found.decided())?;
    Ok(dict)
}

/// Two models by a metric that is not an average, on the labels of one of them.
pub(crate) fn score_transfer<'py>(
    py: Python<'py>,
    found: ScoreTransfer,
    what: For,
) -> PyResult<Bound<'py, PyDict>> {
    let difference = PyDict::new(py);
    difference.set_item("p_value", found.p_value)?;
    difference.set_item("decided", found.first_is_better.is_some())?;
    difference.set_item("estimate", Answer::of_score(found.difference).dict(py, what)?)?;
    let dict = PyDict::new(py);
    dict.set_item("own", Answer::of_score(found.own).dict(py, what)?)?;
    dict.set_item("other", Answer::of_score(found.other).dict(py, what)?)?;
    dict.set_item("difference", difference)?;
    dict.set_item("other_cost", None::<f64>)?;
    dict.set_item("difference_cost", None::<f64>)?;
    dict.set_item("unknown", 0)?;
    Ok(dict)
}

/// One model by itself.
fn alone<'py>(py: Python<'py>, report: &Report, metric: &Metric, what: For) -> PyResult<Bound<'py, PyDict>> {
    let interval = report.interval.map(|interval| metric.shown_interval(interval.low, interval.high));
    let basis = report.interval.map(|interval| basis_in_words(interval.basis));
    let value = metric.shown(report.estimate.value);
    Answer::of_report(metric.name.clone(), value, interval, basis, report).dict(py, what)
}

/// The model that the others are compared with, and each model: its name, its difference and itself.
pub(crate) fn standings<'py>(
    py: Python<'py>,
    found: &Standings,
    metric: &Metric,
    what: For,
) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
    let mut models = Vec::with_capacity(found.models.len());
    for model in &found.models {
        let dict = PyDict::new(py);
        dict.set_item("model", &model.name)?;
        let against = model.against.as_ref().map(|found| difference(py, found, metric, what)).transpose()?;
        dict.set_item("difference", against)?;
        dict.set_item(
            "alone",
            model.alone.as_ref().map(|found| alone(py, found, metric, what)).transpose()?,
        )?;
        models.push(dict);
    }
    let reference = found.models.get(found.reference).map_or_else(String::new, |model| model.name.clone());
    Ok((reference, models))
}

/// Two systems whose answers each have a label: the first, and the second with its difference.
pub(crate) fn pair<'py>(
    py: Python<'py>,
    found: PairVerdict,
    what: For,
) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
    let [first, second] = found.systems;
    let difference = PyDict::new(py);
    difference.set_item("estimate", Answer::of_loss(found.difference).dict(py, what)?)?;
    difference.set_item("p_value", found.p_value)?;
    difference.set_item("decided", found.better.is_some())?;
    let dict = PyDict::new(py);
    dict.set_item("model", second)?;
    dict.set_item("difference", difference)?;
    Ok((first, vec![dict]))
}

/// Another model on the labels of this one.
pub(crate) fn transfer<'py>(py: Python<'py>, found: &Transfer, what: For) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("own", alone(py, &found.own, &found.metric, what)?)?;
    dict.set_item("other", alone(py, &found.other, &found.metric, what)?)?;
    dict.set_item("difference", difference(py, &found.difference, &found.metric, what)?)?;
    dict.set_item("other_cost", found.other_cost)?;
    dict.set_item("difference_cost", found.difference_cost)?;
    dict.set_item("unknown", found.unknown)?;
    Ok(dict)
}

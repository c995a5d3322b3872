//! What Python asks of labelled draws: any metric with its interval, as a dictionary of plain values.

use labelwise::estimator::Bias;
use labelwise::interval::Method;
use labelwise::loss::Loss;
use labelwise::metric::{
    ClassMetric, IntervalKind, Judged, MetricEstimate, ValueMetric, Valued, WeightedDraws,
};
use labelwise::report::Report;
use labelwise::{Classification, Pool, Regression, Target, Task};
use labelwise_study::{Average, Measurable, Metric, Score, ScoreName, View};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::build::Running;
use crate::error::{Error, Outcome};
use crate::{losses, names};

/// What is asked.
pub(crate) struct Asked {
    /// A metric by name; what the draws are made for, if nothing is said.
    pub(crate) metric: Option<String>,
    pub(crate) level: f64,
    pub(crate) target: String,
    pub(crate) interval: String,
    pub(crate) planned: Option<usize>,
    pub(crate) estimator: String,
    pub(crate) positive: Option<usize>,
}

/// An estimate, in plain values.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) metric: String,
    pub(crate) class: Option<usize>,
    pub(crate) value: Result<f64, String>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) level: f64,
    pub(crate) target: Target,
    pub(crate) basis: Option<String>,
    pub(crate) standard_error: Option<f64>,
    pub(crate) labels: usize,
    pub(crate) pool_size: usize,
    pub(crate) bias: Bias,
    pub(crate) estimator: String,
    pub(crate) skipped: Option<(f64, f64)>,
    pub(crate) diagnostics: Vec<(&'static str, f64)>,
    pub(crate) warnings: Vec<String>,
}

impl Answer {
    /// From a report of the core, as a metric is shown.
    pub(crate) fn of_report(shown: &Metric, report: &Report, level: f64, target: Target) -> Self {
        let interval = report.interval.map(|interval| shown.shown_interval(interval.low, interval.high));
        let mut diagnostics = vec![
            ("effective_hits", report.effective_hits),
            ("weight_ess", report.weight_ess),
            ("mean_weight", report.mean_v),
            ("smallest_nq", report.smallest_nq),
            ("usefulness", report.usefulness),
        ];
        diagnostics.extend(report.largest_share.map(|share| ("largest_share", share)));
        Self {
            metric: shown.name.clone(),
            class: None,
            value: Ok(shown.shown(report.estimate.value)),
            interval,
            level,
            target,
            basis: report.interval.map(|interval| interval.basis.to_string()),
            standard_error: report.estimate.standard_error,
            labels: report.estimate.labels,
            pool_size: report.pool_size,
            bias: report.bias,
            estimator: report.estimator.to_owned(),
            skipped: report.estimate.skipped.map(|bounds| shown.shown_interval(bounds.low, bounds.high)),
            diagnostics,
            warnings: report.warnings().iter().map(ToString::to_string).collect(),
        }
    }

    fn of_figure(
        score: &Score,
        class: Option<usize>,
        figure: MetricEstimate,
        pool_size: usize,
        asked: (f64, Target),
    ) -> Self {
        let sign = if score.negative { -1.0 } else { 1.0 };
        let basis = figure.interval.map(|span| match span.kind {
            IntervalKind::Exact => "exact",
            IntervalKind::Edge => "what may have been missed",
            _ => "ordinary",
        });
        let ends = figure.interval.map(|span| (sign * span.low, sign * span.high));
        Self {
            metric: score.name.clone(),
            class,
            value: figure
                .value
                .map(|value| sign * value)
                .map_err(|why| why.in_words(|class| format!("class {class}"))),
            interval: ends.map(|(one, other)| (one.min(other), one.max(other))),
            level: asked.0,
            target: asked.1,
            basis: basis.map(str::to_owned),
            standard_error: figure.standard_error,
            labels: figure.labels,
            pool_size,
            bias: figure.bias,
            estimator: "LURE".to_owned(),
            skipped: None,
            diagnostics: vec![("effective_hits", figure.effective_hits)],
            warnings: figure.notes.iter().map(ToString::to_string).collect(),
        }
    }

    /// As a dictionary.
    pub(crate) fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("metric", &self.metric)?;
        dict.set_item("class", self.class)?;
        dict.set_item("value", self.value.as_ref().ok())?;
        dict.set_item("undefined", self.value.as_ref().err())?;
        dict.set_item("low", self.interval.map(|(low, _)| low))?;
        dict.set_item("high", self.interval.map(|(_, high)| high))?;
        dict.set_item("level", self.level)?;
        dict.set_item("target", target_name(self.target))?;
        dict.set_item("basis", &self.basis)?;
        dict.set_item("standard_error", self.standard_error)?;
        dict.set_item("labels", self.labels)?;
        dict.set_item("pool_size", self.pool_size)?;
        dict.set_item("bias", bias_name(self.bias))?;
        dict.set_item("estimator", &self.estimator)?;
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

pub(crate) fn target_name(target: Target) -> &'static str {
    match target {
        Target::Pool => "pool",
        Target::Population => "population",
    }
}

pub(crate) fn bias_name(bias: Bias) -> &'static str {
    match bias {
        Bias::None => "none",
        Bias::Vanishing => "vanishing",
        Bias::UnlessUniform => "unless uniform",
    }
}

/// A metric that predictions of this kind do not have.
pub(crate) fn unfit(score: &Score, argument: &str) -> Error {
    let instead = if score.score == ScoreName::Calibration { ": use `calibration()`" } else { "" };
    Error::Argument(format!("metric \"{}\" is no number that `{argument}` has{instead}", score.name))
}

/// The metrics of the core behind a name, one a class where every class is wanted.
pub(crate) fn class_metrics(
    score: &Score,
    classes: usize,
    positive: Option<usize>,
) -> Outcome<Vec<ClassMetric>> {
    let of = |average: Average, one: fn(usize) -> ClassMetric, all: fn(usize) -> ClassMetric| {
        Ok(match average {
            Average::Macro => vec![all(classes)],
            Average::PerClass => (0..classes).map(one).collect(),
            Average::Positive => vec![one(positive_class(score, classes, positive)?)],
        })
    };
    match score.score {
        ScoreName::Precision(average) => of(
            average,
            |class| ClassMetric::Precision { class },
            |classes| ClassMetric::MacroPrecision { classes },
        ),
        ScoreName::Recall(average) => {
            of(average, |class| ClassMetric::Recall { class }, |classes| ClassMetric::MacroRecall { classes })
        }
        ScoreName::F1(average) => {
            of(average, |class| ClassMetric::F1 { class }, |classes| ClassMetric::MacroF1 { classes })
        }
        ScoreName::Matthews => Ok(vec![ClassMetric::Matthews { classes }]),
        ScoreName::RocAuc => Ok(vec![ClassMetric::Auc { class: positive_class(score, classes, positive)? }]),
        _ => Err(unfit(score, "probabilities")),
    }
}

fn positive_class(score: &Score, classes: usize, positive: Option<usize>) -> Outcome<usize> {
    match positive {
        Some(class) if class < classes => Ok(class),
        Some(class) => Err(Error::Argument(format!(
            "positive is {class}, but must be one of the {classes} classes, from 0"
        ))),
        None if classes == 2 => Ok(1),
        None => Err(Error::Argument(format!(
            "metric \"{}\" is about one class: say which of the {classes} with `positive`, or take \"{}_macro\"",
            score.name, score.name
        ))),
    }
}

/// A task whose metrics are known by name.
pub(crate) trait Shown: Task {
    /// The loss of a name.
    fn loss(metric: &Metric, pool: &Pool<Self>, range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>>;
    /// A metric that is no mean.
    fn score(running: &mut Running<Self>, score: &Score, asked: &Asked) -> Outcome<Vec<Answer>>;
}

impl Shown for Classification {
    fn loss(metric: &Metric, _pool: &Pool<Self>, _range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>> {
        losses::of_classes(metric.loss)
    }

    fn score(running: &mut Running<Self>, score: &Score, asked: &Asked) -> Outcome<Vec<Answer>> {
        let classes = running.pool.predictions().columns();
        let positive = asked.positive.or(running.positive);
        let metrics = class_metrics(score, classes, positive)?;
        let target = names::target(&asked.target)?;
        let mut rows = running.pool.predictions().reader();
        let sheet = WeightedDraws::new(running.evaluation.ledger(), |_, draw, label| {
            Judged::new(rows.row(draw.index).to_vec(), label)
        })?;
        let answer = |metric: ClassMetric| {
            let figure = sheet.measure(&metric, target, asked.level)?;
            Ok(Answer::of_figure(score, metric.class(), figure, sheet.pool_size(), (asked.level, target)))
        };
        metrics.into_iter().map(answer).collect()
    }
}

impl Shown for Regression {
    fn loss(metric: &Metric, pool: &Pool<Self>, range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>> {
        losses::of_values(metric.loss, pool.predictions().columns() > 1, range)
    }

    fn score(running: &mut Running<Self>, score: &Score, asked: &Asked) -> Outcome<Vec<Answer>> {
        let target = names::target(&asked.target)?;
        match score.score {
            ScoreName::RootMeanSquaredError => {
                let metric = Metric::plain(labelwise_study::LossName::SquaredError);
                let answer = mean(running, Some(&metric), asked)?;
                Ok(vec![rooted(answer, score)])
            }
            ScoreName::RSquared => {
                let mut rows = running.pool.predictions().reader();
                let sheet = WeightedDraws::new(running.evaluation.ledger(), |_, draw, label| {
                    Ok(Valued { prediction: Self::prediction(rows.row(draw.index)), label })
                })?;
                let figure = sheet.measure(&ValueMetric::RSquared, target, asked.level)?;
                Ok(vec![Answer::of_figure(score, None, figure, sheet.pool_size(), (asked.level, target))])
            }
            _ => Err(unfit(score, "mean")),
        }
    }
}

/// The root of a mean squared error.
fn rooted(answer: Answer, score: &Score) -> Answer {
    let sign = if score.negative { -1.0 } else { 1.0 };
    let root = |mean: f64| sign * mean.max(0.0).sqrt();
    let value = answer.value.map(root);
    let error = answer.standard_error.zip(value.clone().ok());
    let exact = answer.interval.is_some_and(|(low, high)| low == high);
    Answer {
        metric: score.name.clone(),
        interval: answer.interval.map(|(low, high)| (root(low).min(root(high)), root(low).max(root(high)))),
        standard_error: error
            .map(|(error, root)| if root == 0.0 { 0.0 } else { (error / (2.0 * root)).abs() }),
        bias: if exact { Bias::None } else { Bias::Vanishing },
        skipped: answer.skipped.map(|(low, high)| (root(low).min(root(high)), root(low).max(root(high)))),
        value,
        ..answer
    }
}

/// The mean of a loss: of the evaluation's own, or of another.
fn mean<T: Shown>(running: &mut Running<T>, metric: Option<&Metric>, asked: &Asked) -> Outcome<Answer> {
    let method = names::method(&asked.interval, asked.planned)?;
    let (estimator, target) = (names::estimator(&asked.estimator)?, names::target(&asked.target)?);
    let custom = Metric {
        name: running.evaluation.loss().name().to_owned(),
        loss: labelwise_study::LossName::Value,
        view: View::Plain,
    };
    let own = running.own.as_ref();
    let (shown, is_own) = match (metric, own) {
        (None, Some(own)) => (own.clone(), true),
        (None, None) => (custom, true),
        (Some(metric), own) => (metric.clone(), own.is_some_and(|own| own.loss == metric.loss)),
    };
    if matches!(method, Method::Guaranteed | Method::GuaranteedAtBudget)
        && estimator.bias() == Bias::UnlessUniform
    {
        return Err(Error::Argument(
            "estimator \"iid\" is biased unless draws are uniform, and has no guaranteed interval".to_owned(),
        ));
    }
    let report = if is_own {
        running.evaluation.report_by(estimator, method, target, asked.level)?
    } else {
        let loss = T::loss(&shown, &running.pool, running.range)?;
        let ledger = running.evaluation.ledger_for(&running.pool, &*loss)?;
        ledger.report_by(estimator, method, target, asked.level)?
    };
    Ok(Answer::of_report(&shown, &report, asked.level, target))
}

/// Estimates of a metric; several where it is wanted of every class.
pub(crate) fn estimate<T: Shown>(running: &mut Running<T>, asked: &Asked) -> Outcome<Vec<Answer>> {
    let wanted = match &asked.metric {
        Some(name) => Some(name.parse::<Measurable>().map_err(|error| Error::Argument(error.to_string()))?),
        None => running.aims.first().cloned(),
    };
    match wanted {
        Some(Measurable::Score(score)) => {
            if names::plain(&asked.interval) != "ordinary" || names::plain(&asked.estimator) != "regression" {
                return Err(Error::Argument(format!(
                    "metric \"{}\" is no mean of losses: it has the ordinary interval and its own estimator only",
                    score.name
                )));
            }
            T::score(running, &score, asked)
        }
        Some(Measurable::Loss(metric)) => Ok(vec![mean(running, Some(&metric), asked)?]),
        None => Ok(vec![mean(running, None, asked)?]),
    }
}

/// The report in the core's words.
pub(crate) fn report<T: Shown>(running: &Running<T>, asked: &Asked) -> Outcome<String> {
    let method = names::method(&asked.interval, asked.planned)?;
    let (estimator, target) = (names::estimator(&asked.estimator)?, names::target(&asked.target)?);
    Ok(running.evaluation.report_by(estimator, method, target, asked.level)?.to_string())
}

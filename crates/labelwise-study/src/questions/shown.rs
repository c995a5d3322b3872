//! What is measured, joined with how it is shown.

use labelwise::metric::{IntervalKind, MeanLoss, Measure, MetricEstimate, Scale};

use crate::error::{ChoiceError, Result};
use crate::questions::scored::Scored;
use crate::questions::slices::SliceOf;
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::metric::{LossName, Metric, View};
use crate::spec::settings::Settings;
use crate::task::StudyTask;

/// Something of the core to measure, and how it is shown.
pub(crate) struct Item<P> {
    pub(crate) name: String,
    pub(crate) class: Option<usize>,
    pub(crate) measure: Box<dyn Measure<P>>,
    pub(crate) view: View,
    /// The mean loss behind it, if it is one or the root of one.
    pub(crate) mean: Option<MeanOf>,
    pub(crate) higher_is_better: bool,
    /// The name behind it, if it is not a mean.
    pub(crate) score: Option<ScoreName>,
    /// The smallest and the largest value that it can have, as it is shown. Intervals end there.
    pub(crate) range: (f64, f64),
}

/// The range of a mean loss, whose intervals know its bounds, and of a difference.
pub(crate) const EVERYTHING: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// A mean loss, or its root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeanOf {
    pub(crate) loss: LossName,
    pub(crate) root: bool,
}

impl MeanOf {
    /// The metric, given the mean loss.
    pub(crate) fn of(self, mean: f64) -> f64 {
        if self.root { mean.max(0.0).sqrt() } else { mean }
    }

    /// The standard error of the metric, given its value and that of the mean loss.
    pub(crate) fn error(self, value: f64, error: f64) -> f64 {
        match self.root {
            true if value == 0.0 => 0.0,
            true => error / (2.0 * value),
            false => error,
        }
    }
}

impl<P> Item<P> {
    pub(crate) fn score(score: &Score, measure: Box<dyn Measure<P>>, class: Option<usize>) -> Self {
        let view = if score.negative { View::Negative } else { View::Plain };
        let (name, higher_is_better) = (score.name.clone(), score.higher_is_better());
        let (score, range) = (Some(score.score), score.range());
        Self { name, class, measure, view, mean: None, higher_is_better, score, range }
    }

    /// The root of the mean squared error.
    pub(crate) fn rooted(score: &Score, measure: Box<dyn Measure<P>>) -> Self {
        let mean = Some(MeanOf { loss: LossName::SquaredError, root: true });
        Self { mean, ..Self::score(score, measure, None) }
    }

    pub(crate) fn loss(metric: &Metric, measure: Box<dyn Measure<P>>) -> Self {
        let higher_is_better = Measurable::Loss(metric.clone()).higher_is_better();
        let mean = Some(MeanOf { loss: metric.loss, root: false });
        let (name, view) = (metric.name.clone(), metric.view);
        Self { name, class: None, measure, view, mean, higher_is_better, score: None, range: EVERYTHING }
    }

    pub(crate) fn of_loss<T: StudyTask>(metric: &Metric, settings: &Settings) -> Result<Self>
    where
        MeanLoss<Box<dyn labelwise::loss::Loss<T>>>: Measure<P>,
    {
        let loss =
            T::loss(metric.loss, settings).ok_or_else(|| ChoiceError::metric(metric.loss, settings))?;
        Ok(Self::loss(metric, Box::new(MeanLoss(loss))))
    }

    pub(crate) fn scored(
        &self,
        figure: MetricEstimate,
        slice: Option<SliceOf>,
        pool_size: usize,
        name: &impl Fn(usize) -> String,
    ) -> Scored {
        let shown = Metric { name: self.name.clone(), loss: LossName::Value, view: self.view };
        let span = figure.interval;
        let basis = span.map(|span| match (span.kind, self.measure.scale()) {
            (IntervalKind::Exact, _) => "exact",
            (IntervalKind::Edge, _) => "what may have been missed",
            (IntervalKind::Skipped, _) => "every label of the skipped items",
            (_, Scale::Unit) => "ordinary, on the logit scale",
            (_, Scale::Correlation) => "ordinary, on Fisher's scale",
            (_, Scale::Positive | Scale::AtMostOne) => "ordinary, on the log scale",
            _ => "ordinary",
        });
        Scored {
            name: self.name.clone(),
            class: self.class.map(name),
            slice,
            value: figure.value.map(|value| shown.shown(value)).map_err(|why| why.in_words(name)),
            interval: span.map(|span| {
                let (low, high) = shown.shown_interval(span.low, span.high);
                (low.max(self.range.0), high.min(self.range.1))
            }),
            basis,
            skipped: figure.skipped.map(|bounds| shown.shown_interval(bounds.low, bounds.high)),
            standard_error: figure.standard_error,
            labels: figure.labels,
            pool_size,
            bias: figure.bias,
            higher_is_better: self.higher_is_better,
            effective_hits: figure.effective_hits,
            notes: figure.notes.iter().map(ToString::to_string).collect(),
            kinds: figure.notes.iter().map(|note| note.in_general().to_owned()).collect(),
        }
    }
}

//! What is measured, joined with how it is shown.

use labelwise::metric::{Figure, Footing, MeanLoss, Measure, Scale};

use super::measured::Measured;
use super::metric::{LossName, Metric, View};
use super::score::Score;
use super::scored::Scored;
use super::settings::Settings;
use super::slices::SliceOf;
use crate::error::{Misfit, Result};

/// Something of the core to measure, and how it is shown.
pub(super) struct Item<P> {
    pub(super) name: String,
    pub(super) class: Option<usize>,
    pub(super) measure: Box<dyn Measure<P>>,
    pub(super) view: View,
    pub(super) higher_is_better: bool,
}

impl<P> Item<P> {
    pub(super) fn score(score: &Score, measure: Box<dyn Measure<P>>, class: Option<usize>) -> Self {
        let view = if score.negative { View::Negative } else { View::Plain };
        Self { name: score.name.clone(), class, measure, view, higher_is_better: score.higher_is_better() }
    }

    pub(super) fn loss(metric: &Metric, measure: Box<dyn Measure<P>>) -> Self {
        let higher_is_better = metric.view != View::Plain;
        Self { name: metric.name.clone(), class: None, measure, view: metric.view, higher_is_better }
    }

    pub(super) fn of_loss<T: Measured>(metric: &Metric, settings: &Settings) -> Result<Self>
    where
        MeanLoss<Box<dyn labelwise::Loss<T>>>: Measure<P>,
    {
        let loss = T::loss(metric.loss, settings).ok_or_else(|| Misfit::metric(metric.loss, settings))?;
        Ok(Self::loss(metric, Box::new(MeanLoss(loss))))
    }

    pub(super) fn scored(
        &self,
        figure: Figure,
        slice: Option<SliceOf>,
        pool_size: usize,
        name: &impl Fn(usize) -> String,
    ) -> Scored {
        let shown = Metric { name: self.name.clone(), loss: LossName::Value, view: self.view };
        let span = figure.interval;
        let basis = span.map(|span| match (span.footing, self.measure.scale()) {
            (Footing::Exact, _) => "exact",
            (Footing::Edge, _) => "what may have been missed",
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
            interval: span.map(|span| shown.shown_interval(span.low, span.high)),
            basis,
            standard_error: figure.standard_error,
            labels: figure.labels,
            pool_size,
            bias: figure.bias,
            higher_is_better: self.higher_is_better,
            effective_hits: figure.effective_hits,
            notes: figure.notes.iter().map(ToString::to_string).collect(),
        }
    }
}

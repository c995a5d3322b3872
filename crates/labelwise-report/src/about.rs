//! What a page is about: a mean loss, or a metric that is not an average.

use labelwise::interval::Basis;
use labelwise_study::{Measurable, ScoreCourse, Scored};

use super::metric::{Better, Form};
use super::page::Page;
use super::prefixes::Step;

/// A metric that is not an average, in the units in which it is shown.
pub struct About {
    /// Its name within a sentence, with the class it is about.
    pub name: String,
    /// Which way is good.
    pub better: Better,
    /// What it is now, and what it was.
    pub course: ScoreCourse,
    /// The smallest and the largest value that it can have.
    pub range: (f64, f64),
}

impl About {
    /// From its course.
    pub(super) fn new(metric: &Measurable, course: ScoreCourse) -> Self {
        let Scored { name, class, higher_is_better, .. } = &course.now;
        let name = class.as_ref().map_or(name.clone(), |class| format!("{name} of {class}"));
        let better = if *higher_is_better { Better::Higher } else { Better::Lower };
        let range = metric.score().map_or((f64::NEG_INFINITY, f64::INFINITY), |score| score.range());
        Self { name, better, course, range }
    }
}

impl Page {
    /// The name of what the page is about.
    pub(super) fn name(&self) -> &str {
        self.about.as_ref().map_or(&self.metric.name, |about| &about.name)
    }

    /// How its numbers are written.
    pub(super) fn form(&self) -> Form {
        if self.about.is_some() { Form::Number } else { self.metric.form }
    }

    /// Which way is good.
    pub(super) fn better(&self) -> Better {
        self.about.as_ref().map_or(self.metric.better, |about| about.better)
    }

    /// The estimate, or why there is none.
    pub(super) fn estimate(&self) -> Result<f64, String> {
        match &self.about {
            Some(about) => about.course.now.value.clone(),
            None => Ok(self.metric.shown(self.report.estimate.value)),
        }
    }

    /// The ends of its interval.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        match &self.about {
            Some(about) => about.course.now.interval,
            None => self.report.interval.map(|interval| self.metric.shown_ends(interval.low, interval.high)),
        }
    }

    /// Whether nothing is left to estimate.
    pub(super) fn is_exact(&self) -> bool {
        match &self.about {
            Some(about) => about.course.now.basis == Some("exact"),
            None => self.report.interval.is_some_and(|interval| interval.basis == Basis::WholePool),
        }
    }

    /// The estimates with skipped items at the worst on both sides.
    pub(super) fn skipped_ends(&self) -> Option<(f64, f64)> {
        match &self.about {
            Some(about) => about.course.now.skipped,
            None => {
                self.report.estimate.skipped.map(|bounds| self.metric.shown_ends(bounds.low, bounds.high))
            }
        }
    }

    /// The standard error, in the units that [`Uniform`](super::uniform::Uniform) has.
    pub(super) fn standard_error(&self) -> Option<f64> {
        match &self.about {
            Some(about) => about.course.now.standard_error,
            None => self.report.estimate.standard_error,
        }
    }

    /// What to keep in mind.
    pub(super) fn notes(&self) -> Vec<String> {
        match &self.about {
            Some(about) => about.course.now.notes.clone(),
            None => self.report.warnings().iter().map(ToString::to_string).collect(),
        }
    }

    /// The kind of the interval.
    pub(super) fn basis(&self) -> Option<String> {
        match &self.about {
            Some(about) => about.course.now.basis.map(str::to_owned),
            None => self.report.interval.map(|interval| interval.basis.to_string()),
        }
    }

    /// What made the estimate.
    pub(super) fn estimator(&self) -> &str {
        if self.about.is_some() { "the metric of the weighted draws" } else { self.report.estimator }
    }

    /// The steps of a metric that is not an average, with the intervals of uniform sampling.
    pub(super) fn score_steps(
        &self,
        about: &About,
        uniform: impl Fn(usize) -> Option<(f64, f64)>,
    ) -> Vec<Step> {
        let step = |step: &labelwise_study::ScoreStep| Step {
            draws: step.draws,
            estimate: step.value,
            ends: step.interval,
            uniform: uniform(step.draws),
            basis: None,
        };
        about.course.steps.iter().map(step).collect()
    }
}

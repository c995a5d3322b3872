//! Options of commands about one metric: the metric, its class, the level and the target.

use labelwise::Target;
use labelwise_study::{Measurable, Study};

use super::parse::{self, measurable, named};
use crate::error::Error;
use crate::settings::Settings;

/// The metric, the level, the target.
#[derive(Debug, clap::Args)]
pub(crate) struct MetricArgs {
    /// Metric to use: a mean loss, or one that is not an average [default: the metric that the evaluation was
    /// made for]
    #[arg(long, visible_alias = "metric", value_name = "NAME", value_parser = measurable)]
    loss: Option<Measurable>,
    /// Positive class, for metrics of one class [default: that of `new`; of two classes, the one named 1,
    /// true or yes]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Probability that an interval covers, or that an answer is right [default: the setting `level`, or
    /// 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Estimate the metric of this pool, or of the population that the pool is a sample of [default: the
    /// setting `target`, or pool]
    #[arg(long, value_name = "WHOSE", value_parser = named::<Target>())]
    target: Option<Target>,
}

impl MetricArgs {
    /// The metric. An evaluation that was made for several metrics has no default.
    pub(crate) fn metric(&self, evaluation: &Study) -> Result<Measurable, Error> {
        match &self.loss {
            Some(metric) => Ok(metric.clone()),
            None => Ok(evaluation.one_metric()?),
        }
    }

    /// The metric that was named, or the first one that the evaluation was made for.
    pub(crate) fn first(&self, evaluation: &Study) -> Measurable {
        let first = || evaluation.aims().into_iter().next();
        let recorded = || Measurable::Loss(evaluation.settings().metric.clone());
        self.loss.clone().or_else(first).unwrap_or_else(recorded)
    }

    pub(crate) fn positive(&self) -> Option<&str> {
        self.positive.as_deref()
    }

    pub(crate) fn level(&self, settings: &Settings) -> Result<f64, Error> {
        parse::level(self.level.unwrap_or(settings.level.value))
    }

    pub(crate) fn target(&self, settings: &Settings) -> Target {
        self.target.unwrap_or(settings.target.value)
    }
}

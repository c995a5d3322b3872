//! Options of commands about one mean loss: the loss, the level and the target.

use labelwise::Target;
use labelwise_study::{Metric, Settings as Made};

use super::parse::{self, metric, named};
use crate::error::Error;
use crate::settings::Settings;

/// The loss, the level, the target.
#[derive(Debug, clap::Args)]
pub(crate) struct MeanOptions {
    /// Mean loss to use [default: the loss that the evaluation was made for]
    #[arg(long, value_name = "NAME", value_parser = metric)]
    loss: Option<Metric>,
    /// Probability that an interval covers, or that an answer is right [default: the setting `level`, or
    /// 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Estimate the loss of this pool, or of the population that the pool is a sample of [default: the
    /// setting `target`, or pool]
    #[arg(long, value_name = "WHOSE", value_parser = named::<Target>())]
    target: Option<Target>,
}

impl MeanOptions {
    /// The loss. An evaluation that was made for metrics that are not averages has no default.
    pub(crate) fn metric<'a>(&'a self, made: &'a Made) -> Result<&'a Metric, Error> {
        match &self.loss {
            Some(metric) => Ok(metric),
            None => Ok(made.mean_metric().map_err(labelwise_study::Error::from)?),
        }
    }

    pub(crate) fn level(&self, settings: &Settings) -> Result<f64, Error> {
        parse::level(self.level.unwrap_or(settings.level.value))
    }

    pub(crate) fn target(&self, settings: &Settings) -> Target {
        self.target.unwrap_or(settings.target.value)
    }
}

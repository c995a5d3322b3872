//! What is chosen before the first run: what `labelwise new` would choose.

use labelwise_study::{
    AnyTrial, Choices, Metric, PoolTable, SurrogateChoice, SurrogateWish, Times, Tried, View,
};

use super::Options;
use crate::error::Error;

/// What was chosen.
pub(super) struct Chosen {
    /// What is measured.
    pub(super) metric: Metric,
    /// What is believed about labels.
    pub(super) surrogate: SurrogateWish,
    /// When a surrogate that learns does so again.
    pub(super) retrain: Option<Times>,
    /// The labelled rows that it starts from.
    pub(super) train: usize,
    /// What the predictions are, in words.
    pub(super) predictions: String,
}

impl Chosen {
    /// Takes what the options say, and otherwise what suits the table.
    pub(super) fn new(table: &PoolTable, options: &Options) -> Result<(Self, AnyTrial), Error> {
        let choices = Choices {
            metric: options.loss.clone(),
            surrogate: options.surrogate.wish(),
            retrain: options.surrogate.retrain(),
            train: options.surrogate.training(&options.columns, table)?,
            ..Choices::default()
        };
        let Tried { settings, trial, .. } = Tried::new(table, &choices)?;
        let (surrogate, retrain, train) = match settings.surrogate {
            SurrogateChoice::Own => (SurrogateWish::Own, None, 0),
            SurrogateChoice::Given { .. } => (SurrogateWish::Given, None, 0),
            SurrogateChoice::Nothing | SurrogateChoice::Supplied { .. } => (SurrogateWish::Nothing, None, 0),
            SurrogateChoice::Learnt { learner, retrain, train } => {
                (SurrogateWish::Learnt(learner), Some(retrain), train)
            }
        };
        let predictions = settings.subject.in_words();
        Ok((Self { metric: settings.metric, surrogate, retrain, train, predictions }, trial))
    }

    /// What is measured, in words.
    pub(super) fn in_words(&self) -> String {
        let mean = self.metric.loss.in_words();
        match self.metric.view {
            View::Plain => mean,
            View::Negative => format!("negative {mean}"),
            View::Complement => "accuracy".to_owned(),
        }
    }
}

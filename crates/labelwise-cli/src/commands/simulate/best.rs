//! The strategy that did best, and the options that give it.

use labelwise_study::simulate::{StopResult, Strategy, StrategyResult};
use labelwise_study::{EstimatorName, Named, RecipeName, Settings, SurrogateChoice};
use serde::Serialize;

/// A strategy by the options that give it.
#[derive(Debug, Serialize)]
pub(super) struct Best {
    strategy: String,
    #[serde(skip)]
    pub(super) title: String,
    /// Options of `labelwise new`.
    pub(super) new: Vec<String>,
    /// Options of `labelwise estimate`.
    pub(super) estimate: Vec<String>,
    /// Whether an evaluation with these options trains its surrogate more often than the simulation did.
    #[serde(skip)]
    pub(super) learns_more: bool,
}

impl Best {
    /// The strategy with the smallest error at the last stop.
    pub(super) fn of(
        strategies: &[Strategy],
        last: Option<&StopResult>,
        settings: &Settings,
    ) -> Option<Self> {
        let last = last?;
        let error = |result: &&StrategyResult| {
            result.exact_root_mean_squared_error.unwrap_or(result.root_mean_squared_error)
        };
        let result = last.strategies.iter().min_by(|one, two| error(one).total_cmp(&error(two)))?;
        let strategy = strategies.iter().find(|strategy| strategy.key == result.strategy)?;
        let learns = matches!(settings.surrogate, SurrogateChoice::Learnt { .. });
        Some(Self {
            strategy: result.strategy.clone(),
            title: result.title.clone(),
            new: options_of_new(strategy, last.labels),
            estimate: match strategy.estimator {
                // A recipe has its estimator.
                EstimatorName::Suited => Vec::new(),
                _ if recipe(strategy).is_some() => Vec::new(),
                estimator => vec!["--estimator".to_owned(), estimator.name().to_owned()],
            },
            learns_more: learns && strategy.rescore.is_some(),
        })
    }
}

/// The options of `labelwise new` that draw as a strategy does.
fn options_of_new(strategy: &Strategy, budget: usize) -> Vec<String> {
    let options = match recipe(strategy) {
        Some(recipe) => vec!["--recipe".to_owned(), recipe.name().to_owned()],
        None if strategy.strata.is_some() => {
            vec!["--design".to_owned(), "stratified".to_owned(), "--budget".to_owned(), budget.to_string()]
        }
        None => Vec::new(),
    };
    let acquisition = strategy.acquisition.filter(|_| recipe(strategy).is_none());
    let acquisition = acquisition.map(|name| ["--acquisition".to_owned(), name.name().to_owned()]);
    options.into_iter().chain(acquisition.into_iter().flatten()).collect()
}

/// The recipe that is a strategy, if it is not the default.
fn recipe(strategy: &Strategy) -> Option<RecipeName> {
    let recipes =
        [(Strategy::PAPER, RecipeName::Paper), (Strategy::ROOT_MEAN_SQUARE, RecipeName::RootMeanSquare)];
    recipes.into_iter().find(|(other, _)| other.key == strategy.key).map(|(_, recipe)| recipe)
}

//! The strategy that did best, and the options that give it.

use labelwise_study::simulate::{StopResult, Strategy, StrategyResult};
use labelwise_study::{EstimatorName, FloorChoice, Named, Settings, SurrogateChoice, Times};
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
            new: options_of_new(strategy, settings, last.labels),
            estimate: match strategy.estimator {
                EstimatorName::Suited => Vec::new(),
                estimator => vec!["--estimator".to_owned(), estimator.name().to_owned()],
            },
            learns_more: learns && strategy.rescore.is_some(),
        })
    }
}

/// The options of `labelwise new` that draw as a strategy does.
fn options_of_new(strategy: &Strategy, settings: &Settings, budget: usize) -> Vec<String> {
    let mut options = Vec::new();
    let mut add = |name: &str, value: String| options.extend([name.to_owned(), value]);
    if let Some(belief) = strategy.belief
        && settings.recalibrated.is_some()
        && strategy.strata.is_none()
    {
        add("--belief", belief.name().to_owned());
    }
    if let Some(acquisition) = strategy.acquisition {
        add("--acquisition", acquisition.name().to_owned());
    }
    match strategy.floor {
        Some(FloorChoice::Clip(alpha)) => add("--floor", format!("clip={alpha}")),
        Some(FloorChoice::Mixture(rho)) => add("--floor", format!("mixture={rho}")),
        Some(FloorChoice::Unguarded) => add("--floor", "none".to_owned()),
        None => {}
    }
    match &strategy.rescore {
        Some(Times::Every(labels)) => add("--rescore", labels.to_string()),
        Some(Times::At(labels)) => {
            let labels: Vec<String> = labels.iter().map(usize::to_string).collect();
            add("--rescore", labels.join(","));
        }
        Some(Times::Never) => add("--rescore", "never".to_owned()),
        None => {}
    }
    if strategy.strata.is_some() {
        add("--design", "stratified".to_owned());
        add("--budget", budget.to_string());
    }
    options
}

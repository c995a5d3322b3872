//! How the strategies did, in the shape that is also printed as JSON.

use std::path::PathBuf;

use labelwise::Task;
use labelwise_study::{LearnerName, PoolTable, SurrogateWish, Times};
use serde::{Serialize, Serializer};

use super::chosen::Chosen;
use super::problem::Problem;
use super::runs::{Outcome, Plan, Stop};
use super::strategy::Strategy;
use super::sums::{Measured, Sums};
use crate::error::Error;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.simulate/1";

/// Everything a simulation has to say.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    schema: &'static str,
    loss: String,
    pub(super) budget: usize,
    pub(super) runs: usize,
    pub(super) seed: u64,
    pub(super) level: f64,
    /// Whose risk intervals are for.
    target: &'static str,
    pub(super) pool: Described,
    pub(super) surrogate: Believed,
    pub(super) budgets: Vec<AtBudget>,
    pub(super) notes: Vec<String>,
    /// What is measured, in words.
    #[serde(skip)]
    pub(super) metric: String,
    /// The stops of the picture, these among them.
    #[serde(skip)]
    pub(super) curve: Vec<AtBudget>,
}

/// The pool, and what only a simulation knows about it.
#[derive(Debug, Serialize)]
pub(super) struct Described {
    file: PathBuf,
    pub(super) pool_size: usize,
    predictions: String,
    /// What all labels together say.
    pub(super) truth: f64,
}

/// The surrogate.
#[derive(Debug, Serialize)]
pub(super) struct Believed {
    #[serde(serialize_with = "by_name")]
    pub(super) kind: SurrogateWish,
    /// Models whose predictions were given.
    pub(super) members: usize,
    /// Columns that it learns from.
    pub(super) features: usize,
    /// Labelled rows that it starts from.
    pub(super) train: usize,
    /// When it learns again, if it learns.
    pub(super) retrain: Option<Times>,
}

/// How the strategies did with so many labels.
#[derive(Debug, Clone, Serialize)]
pub(super) struct AtBudget {
    pub(super) labels: usize,
    pub(super) strategies: Vec<Showing>,
}

/// How one of them did.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Showing {
    pub(super) strategy: Strategy,
    pub(super) estimator: &'static str,
    /// The mean of estimate less truth.
    pub(super) bias: Measured,
    /// √ of the mean squared distance from the truth.
    pub(super) root_mean_squared_error: f64,
    /// The same by the formula, which uniform sampling has.
    pub(super) exact_root_mean_squared_error: Option<f64>,
    /// How many of the intervals there were covered the truth.
    pub(super) coverage: Option<f64>,
    /// How wide they were on average.
    pub(super) mean_width: Option<f64>,
    /// How wide half of them were at most: a few that were guarded may be far wider.
    pub(super) median_width: Option<f64>,
    /// In how many runs there was none.
    pub(super) without_interval: usize,
    /// The labels that uniform sampling needs for the same root mean squared error.
    pub(super) uniform_labels: Option<Measured>,
    /// Labels over those.
    pub(super) relative_labelling_cost: Option<f64>,
}

impl Findings {
    /// Runs everything and sums it up.
    pub(super) fn new<T: Task>(
        problem: &Problem<T>,
        table: &PoolTable,
        chosen: &Chosen,
        plan: &Plan,
    ) -> Result<Self, Error> {
        let (pool_size, truth) = (problem.trial.pool.pool_size(), problem.truth()?);
        let (strategies, notes) = strategies(chosen);
        let runs = problem.repeat(&strategies, plan, truth.risk)?;
        let showing = |(which, &strategy): (usize, &Strategy), place: usize, stop: &Stop| {
            let outcomes = runs.iter().filter_map(|run| *run.get(which)?.get(place)?);
            let sums = Sums { strategy, stop: *stop, pool_size, truth, metric: &chosen.metric };
            let outcomes: Vec<Outcome> = outcomes.collect();
            // With some numbers of labels there is no stratified sample.
            (!outcomes.is_empty()).then(|| sums.of(&outcomes))
        };
        let at = |(place, stop): (usize, &Stop)| AtBudget {
            labels: stop.labels,
            strategies: strategies
                .iter()
                .enumerate()
                .filter_map(|which| showing(which, place, stop))
                .collect(),
        };
        let curve: Vec<AtBudget> = plan.stops.iter().enumerate().map(at).collect();
        let told = curve.iter().zip(&plan.stops).filter(|(_, stop)| stop.told);
        let learns = matches!(chosen.surrogate, SurrogateWish::Learnt(_));
        let features = table.features.as_ref().map_or(0, |features| features.rows.columns());
        let given = chosen.surrogate == SurrogateWish::Given;
        Ok(Self {
            schema: SCHEMA,
            loss: chosen.metric.name.clone(),
            budget: plan.stops.last().map_or(0, |stop| stop.labels),
            runs: plan.runs,
            seed: plan.seed,
            level: plan.level,
            target: "pool",
            pool: Described {
                file: table.path.clone(),
                pool_size,
                predictions: chosen.predictions.clone(),
                truth: chosen.metric.shown(truth.risk),
            },
            surrogate: Believed {
                kind: chosen.surrogate,
                members: if given { table.surrogates.len() } else { 0 },
                features: if learns { features } else { 0 },
                train: chosen.train,
                retrain: chosen.retrain.clone(),
            },
            budgets: told.map(|(at, _)| at.clone()).collect(),
            notes,
            metric: chosen.in_words(),
            curve,
        })
    }

    /// How a strategy did with the whole budget.
    pub(super) fn showing(&self, strategy: Strategy) -> Option<&Showing> {
        self.budgets.last()?.strategies.iter().find(|showing| showing.strategy == strategy)
    }
}

/// The strategies that can be compared, and what there is to say about those that cannot.
fn strategies(chosen: &Chosen) -> (Vec<Strategy>, Vec<String>) {
    let mut notes = Vec::new();
    let mut strategies = vec![Strategy::Uniform, Strategy::Stratified, Strategy::Paper, Strategy::Labelwise];
    if chosen.surrogate == SurrogateWish::Nothing {
        notes.push(
            "without a surrogate all items are alike: give --surrogate-probs, --surrogate-file or --features to see \
             what a choice of items saves"
                .to_owned(),
        );
        strategies.retain(|strategy| !matches!(strategy, Strategy::Paper | Strategy::Stratified));
    } else if chosen.metric.loss.is_signed() {
        notes.push("the paper's recipe is left out: it is for losses that are never negative".to_owned());
        strategies.retain(|strategy| *strategy != Strategy::Paper);
    }
    (strategies, notes)
}

/// A surrogate by the name that its option has.
fn by_name<S: Serializer>(wish: &SurrogateWish, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match wish {
        SurrogateWish::Own => "self",
        SurrogateWish::Given => "given",
        SurrogateWish::Nothing => "none",
        SurrogateWish::Learnt(LearnerName::Forest) => "forest",
        SurrogateWish::Learnt(LearnerName::Logistic) => "logistic",
        SurrogateWish::Learnt(LearnerName::Gp) => "gp",
        SurrogateWish::Learnt(LearnerName::Linear) => "linear",
    })
}

//! How the strategies did, in the shape that is also printed as JSON.

use std::path::PathBuf;

use labelwise_study::simulate::{Plan, Simulation, StopResult, Strategy, StrategyResult, Unsuited};
use labelwise_study::{Named, PoolTable, Result, Settings, SurrogateChoice, Times, View};
use serde::Serialize;

use super::best::Best;
use crate::output::progress::Progress;

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
    pub(super) budgets: Vec<StopResult>,
    /// The strategy with the smallest error, and how to get it.
    pub(super) best: Option<Best>,
    pub(super) notes: Vec<String>,
    /// What is measured, in words.
    #[serde(skip)]
    pub(super) metric: String,
    /// The stops of the picture, those of `budgets` among them.
    #[serde(skip)]
    pub(super) curve: Vec<StopResult>,
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
    /// The name that its option has.
    kind: &'static str,
    /// Models whose predictions were given.
    members: usize,
    /// Columns that it learns from.
    pub(super) features: usize,
    /// Labelled rows that it starts from.
    train: usize,
    /// When it learns again, if it learns.
    retrain: Option<Times>,
    /// The judges and the history in words, if they are the surrogate.
    pub(super) judge: Option<String>,
    #[serde(skip)]
    pub(super) choice: SurrogateChoice,
}

impl Findings {
    /// Runs everything.
    pub(super) fn new(table: &PoolTable, simulation: &Simulation, plan: &Plan) -> Result<Self> {
        let (settings, truth) = (simulation.settings(), simulation.truth());
        let (strategies, notes) = strategies(simulation);
        let progress = Progress::new(plan.runs, "Simulating", "runs");
        let curve = simulation.run(&strategies, plan, &|| progress.step())?;
        let told = curve.iter().zip(&plan.stops).filter(|(_, stop)| stop.interval);
        Ok(Self {
            schema: SCHEMA,
            loss: simulation.metric().name.clone(),
            budget: plan.stops.last().map_or(0, |stop| stop.labels),
            runs: plan.runs,
            seed: plan.seed,
            level: plan.level,
            target: "pool",
            pool: Described {
                file: table.path.clone(),
                pool_size: table.rows(),
                predictions: settings.subject.in_words(),
                truth: simulation.metric().shown(truth.risk),
            },
            surrogate: Believed::new(table, settings),
            best: Best::of(&strategies, curve.last(), settings),
            budgets: told.map(|(at, _)| at.clone()).collect(),
            notes,
            metric: in_words(simulation),
            curve,
        })
    }

    /// Whether some strategy can be better than another: something varies, and something is left to estimate.
    pub(super) fn saves(&self) -> bool {
        self.result(&Strategy::LABELWISE).is_some_and(|result| result.uniform_labels.is_some())
    }

    /// How a strategy did with the whole budget.
    pub(super) fn result(&self, strategy: &Strategy) -> Option<&StrategyResult> {
        self.budgets.last()?.strategies.iter().find(|result| result.strategy == strategy.key)
    }
}

impl Believed {
    fn new(table: &PoolTable, settings: &Settings) -> Self {
        let choice = &settings.surrogate;
        let judge = settings.judge.as_ref().map(|_| settings.surrogate_in_words());
        let columns = || table.features.as_ref().map_or(0, |features| features.rows.columns());
        let (kind, members, features, train, retrain) = match choice {
            SurrogateChoice::Own if judge.is_some() => ("judge", 0, 0, 0, None),
            SurrogateChoice::Own => ("self", 0, 0, 0, None),
            SurrogateChoice::Given { members } => ("given", *members, 0, 0, None),
            SurrogateChoice::Nothing | SurrogateChoice::Supplied { .. } => ("none", 0, 0, 0, None),
            SurrogateChoice::Learnt { learner, retrain, train } => {
                (learner.name(), 0, columns(), *train, Some(retrain.clone()))
            }
        };
        Self { kind, members, features, train, retrain, judge, choice: choice.clone() }
    }
}

/// The strategies that can be compared, and why the others cannot.
fn strategies(simulation: &Simulation) -> (Vec<Strategy>, Vec<String>) {
    let unsuited = |strategy: &Strategy| strategy.unsuited(simulation.settings());
    let fits = |strategy: &Strategy| strategy.strata.is_none() || simulation.is_mean();
    let strategies =
        Strategy::ALL.into_iter().filter(|strategy| unsuited(strategy).is_none() && fits(strategy)).collect();
    let note = match unsuited(&Strategy::PAPER) {
        Some(Unsuited::NoSurrogate) => {
            "without a surrogate all items are alike: give --surrogate-probs, --surrogate-file or --features to see \
             what a choice of items saves"
        }
        Some(_) => "the paper's recipe is left out: it is for losses that are never negative",
        None => return (strategies, Vec::new()),
    };
    (strategies, vec![note.to_owned()])
}

/// What is measured, in words.
fn in_words(simulation: &Simulation) -> String {
    let settings = simulation.settings();
    if !settings.aims.is_empty() {
        return simulation.metric().name.clone();
    }
    let mean = settings.metric.loss.in_words();
    match settings.metric.view {
        View::Plain => mean,
        View::Negative => format!("negative {mean}"),
        View::Complement => "accuracy".to_owned(),
    }
}

//! What a figure's runs came to, in numbers: the file `summary.json`.

mod against_uniform;
mod columns;

pub use against_uniform::AgainstUniform;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Serialize;

use crate::claims::Claim;
use crate::error::Result;
use crate::losses::Boxes;
use crate::problem::{Experiment, LOSS_VARIANCE, PATIENCE, Trace};
use crate::ranks::{self, Row};
use crate::run::{Manifest, Repeated, Traces};
use crate::statistics::{Ordered, Summary, mean};
use crate::strategy::{Strategy, Values};
use crate::workshop::ArchiveNote;

/// The name of this format.
const SCHEMA: &str = "labelwise.paper-summary/1";

/// A figure's runs in numbers.
#[derive(Debug, Serialize)]
pub struct FigureSummary {
    /// The name of this format.
    pub schema: &'static str,
    /// What was run, by which build, with which seed.
    #[serde(flatten)]
    pub manifest: FlatManifest,
    /// The threads it ran on; results do not depend on them.
    pub threads: usize,
    /// The seconds its runs took; summing up and drawing are not among them.
    pub wall_seconds: f64,
    /// The paper's claims about this figure, with the measurements.
    pub claims: Vec<Claim>,
    /// How curves compare with the authors' released code, where that was measured with the same settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors_code: Vec<Claim>,
    /// The archives that predictions came from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub archives: Vec<ArchiveNote>,
    /// Expected losses that are far too low, where the figure is about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<Boxes>,
    /// Wilcoxon's tests, where the figure is a table of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Row>,
    /// One entry an experiment.
    pub experiments: Vec<ExperimentSummary>,
}

/// The part of a manifest that a summary repeats.
#[derive(Debug, Serialize)]
pub struct FlatManifest {
    /// Which figure.
    pub figure: String,
    /// Whose settings.
    pub settings: String,
    /// The scale's name.
    pub scale: String,
    /// The seed.
    pub seed: u64,
    /// The version that made it.
    pub version: String,
    /// The commit of that version.
    pub commit: String,
}

/// The runs of one experiment in numbers.
#[derive(Debug, Serialize)]
pub struct ExperimentSummary {
    /// Its name.
    pub name: &'static str,
    /// N.
    pub pool_size: usize,
    /// How often it was repeated.
    pub runs: usize,
    /// The seconds it took.
    pub wall_seconds: f64,
    /// What the risk of the whole pool was.
    pub pool_risk: Spread,
    /// Estimates, a curve an entry.
    pub curves: Vec<CurveSummary>,
    /// Queries with replacement, where there were any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<QueriesSummary>,
    /// Whatever else runs recorded, by its name: of their pools, and of networks that they trained.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, Spread>,
    /// What curves are compared by pair by pair.
    #[serde(skip)]
    pub judged: Judged,
}

/// Squared errors of the same runs, for comparisons pair by pair.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The steps, from 1, that each value is the mean over.
    pub steps: RangeInclusive<usize>,
    /// One value per run, for each curve.
    pub squares: Vec<(Strategy, Vec<f64>)>,
    /// The expected squared error of uniform sampling in each run, by its exact law; empty where runs do not say it.
    pub uniform_law: Vec<f64>,
}

impl Judged {
    fn new(steps: RangeInclusive<usize>, traces: &Traces, pool_size: usize) -> Self {
        let columns = traces.columns.iter().enumerate();
        let estimates = columns.filter(|(_, column)| column.values == Values::Estimates);
        let long = estimates.filter(|(_, column)| column.steps >= *steps.end());
        let squares = long.map(|(place, column)| {
            let of_run = |trace: &Trace| {
                let values = trace.values.get(place).into_iter().flatten();
                let errors = values.skip(*steps.start() - 1).take(steps.clone().count());
                let squares = errors.map(|value| (value - trace.pool_risk).powi(2));
                squares.sum::<f64>() / steps.clone().count() as f64
            };
            (column.strategy, traces.runs.iter().map(of_run).collect())
        });
        let squares = squares.collect();
        // M of N items without replacement: their mean has the variance S²/M (1 − M/N).
        let share = steps.clone().map(|m| 1.0 / m as f64 - 1.0 / pool_size as f64).sum::<f64>();
        let share = share / steps.clone().count() as f64;
        let variance = |trace: &Trace| {
            let named = trace.recorded.iter().find(|(name, _)| name == LOSS_VARIANCE);
            named.map(|(_, variance)| variance * share)
        };
        let uniform_law = traces.runs.iter().map(variance).collect::<Option<_>>().unwrap_or_default();
        Self { steps, squares, uniform_law }
    }
}

/// Where the values of many runs lie.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub std_dev: f64,
    /// Their median.
    pub median: f64,
}

/// A curve in numbers.
#[derive(Debug, Serialize)]
pub struct CurveSummary {
    /// What was followed.
    #[serde(flatten)]
    pub strategy: Strategy,
    /// The errors after 1, 2, ... labels or queries.
    #[serde(serialize_with = "columns::columns")]
    pub steps: Vec<Summary>,
    /// How it compares with uniform draws of the same runs; nothing for those themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_uniform: Option<AgainstUniform>,
}

/// Number of queries with replacement until 1, 2, ... different items were seen.
#[derive(Debug, Serialize)]
pub struct QueriesSummary {
    /// Whose queries.
    #[serde(flatten)]
    pub strategy: Strategy,
    /// Queries until the whole pool was seen, an item of the pool.
    pub per_item: Spread,
    /// Runs that were given up before the whole pool was seen, and count with the queries they had made.
    pub given_up_runs: usize,
    /// The mean number of queries until 1, 2, ... different items were seen.
    pub mean_by_item: Vec<f64>,
}

impl ExperimentSummary {
    /// Sums up the traces of an experiment.
    pub fn new(experiment: &dyn Experiment, repeated: &Repeated) -> Result<Self> {
        let traces = &repeated.traces;
        let risks: Vec<f64> = traces.runs.iter().map(|trace| trace.pool_risk).collect();
        let (mut curves, mut queries) = (Vec::new(), Vec::new());
        for (place, column) in traces.columns.iter().enumerate() {
            match column.values {
                Values::Estimates => {
                    let errors = (0..column.steps).map(|step| Summary::of(&traces.errors(place, step)));
                    let steps = errors.collect::<std::result::Result<_, _>>()?;
                    curves.push(CurveSummary { strategy: column.strategy, steps, against_uniform: None });
                }
                Values::Queries => {
                    let size = experiment.pool_size() as f64;
                    let counts =
                        |step| traces.values(place, step).map(|(value, _)| value).collect::<Vec<f64>>();
                    let whole: Vec<f64> =
                        counts(column.steps - 1).into_iter().map(|count| count / size).collect();
                    let given_up_runs = whole.iter().filter(|count| **count >= PATIENCE as f64).count();
                    let means = (0..column.steps).map(|step| mean(&counts(step)));
                    queries.push(QueriesSummary {
                        strategy: column.strategy,
                        per_item: Spread::of(whole)?,
                        given_up_runs,
                        mean_by_item: means.collect::<std::result::Result<_, _>>()?,
                    });
                }
            }
        }
        for curve in &mut curves {
            curve.against_uniform = AgainstUniform::new(traces, curve.strategy, experiment.pool_size())?;
        }
        Ok(Self {
            name: experiment.name(),
            pool_size: experiment.pool_size(),
            runs: traces.runs.len(),
            wall_seconds: repeated.seconds,
            pool_risk: Spread::of(risks)?,
            curves,
            queries,
            recorded: recorded(traces)?,
            judged: Judged::new(experiment.judged(), traces, experiment.pool_size()),
        })
    }

    /// The curve of a strategy.
    pub fn curve(&self, strategy: Strategy) -> Option<&CurveSummary> {
        self.curves.iter().find(|summary| summary.strategy == strategy)
    }
}

impl CurveSummary {
    /// The standard deviation after 1, 2, ... labels.
    pub fn std_devs(&self) -> Vec<f64> {
        self.steps.iter().map(|step| step.std_dev.unwrap_or_default()).collect()
    }

    /// The median of the squared error after 1, 2, ... labels.
    pub fn median_squared_errors(&self) -> Vec<f64> {
        self.steps.iter().map(|step| step.median_squared_error).collect()
    }
}

/// What runs recorded beside estimates.
fn recorded(traces: &Traces) -> Result<BTreeMap<String, Spread>> {
    let names = traces.runs.first().map_or(&[][..], |run| &run.recorded);
    let mut spreads = BTreeMap::new();
    for (place, (name, _)) in names.iter().enumerate() {
        let values = traces.runs.iter().filter_map(|run| run.recorded.get(place));
        let values: Vec<f64> = values.map(|(_, value)| *value).filter(|value| value.is_finite()).collect();
        if !values.is_empty() {
            spreads.insert(name.clone(), Spread::of(values)?);
        }
    }
    Ok(spreads)
}

impl Spread {
    fn of(values: Vec<f64>) -> Result<Self> {
        let summary = Summary::of(&values)?;
        let median = Ordered::new(values)?.median();
        Ok(Self { mean: summary.mean, std_dev: summary.std_dev.unwrap_or_default(), median })
    }
}

impl FigureSummary {
    /// The table of Wilcoxon's tests as aligned text; empty where the figure has none.
    pub fn ranks_text(&self) -> String {
        if self.ranks.is_empty() { String::new() } else { ranks::text(&self.ranks) }
    }

    /// Puts a figure's experiments together.
    pub fn new(
        manifest: &Manifest,
        experiments: Vec<ExperimentSummary>,
        claims: Vec<Claim>,
        authors_code: Vec<Claim>,
    ) -> Self {
        let Manifest { figure, settings, scale, seed, version, commit, .. } = manifest.clone();
        Self {
            schema: SCHEMA,
            manifest: FlatManifest { figure, settings, scale, seed, version, commit },
            threads: rayon::current_num_threads(),
            wall_seconds: experiments.iter().fold(0.0, |sum, experiment| sum + experiment.wall_seconds),
            claims,
            authors_code,
            archives: Vec::new(),
            losses: None,
            ranks: Vec::new(),
            experiments,
        }
    }
}

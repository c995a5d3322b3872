//! What a figure's runs came to, in numbers: the file `summary.json`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::claims::Claim;
use crate::error::Result;
use crate::experiment::{Curve, Experiment, Values};
use crate::runner::{Manifest, Repeated};
use crate::statistics::{Ordered, Summary, mean};

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
    /// The seconds it took.
    pub wall_seconds: f64,
    /// What the paper says of this figure, beside what was measured.
    pub claims: Vec<Claim>,
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
    pub curve: Curve,
    /// The errors after 1, 2, ... labels or queries.
    #[serde(serialize_with = "columns")]
    pub steps: Vec<Summary>,
}

/// How many queries with replacement it took to see so many different items.
#[derive(Debug, Serialize)]
pub struct QueriesSummary {
    /// Whose queries.
    #[serde(flatten)]
    pub curve: Curve,
    /// Queries until the whole pool was seen, an item of the pool.
    pub per_item: Spread,
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
            let at = |step: usize| {
                traces.runs.iter().filter_map(move |trace| {
                    trace
                        .values
                        .get(place)
                        .and_then(|values| values.get(step))
                        .map(|value| (value, trace.pool_risk))
                })
            };
            match column.values {
                Values::Estimates => {
                    let errors = (0..column.steps)
                        .map(|step| at(step).map(|(value, risk)| value - risk).collect::<Vec<f64>>());
                    let steps =
                        errors.map(|errors| Summary::of(&errors)).collect::<std::result::Result<_, _>>()?;
                    curves.push(CurveSummary { curve: column.curve, steps });
                }
                Values::Queries => {
                    let size = experiment.pool_size() as f64;
                    let counts = |step| at(step).map(|(value, _)| *value).collect::<Vec<f64>>();
                    let whole = counts(column.steps - 1).into_iter().map(|count| count / size).collect();
                    let means = (0..column.steps).map(|step| mean(&counts(step)));
                    queries.push(QueriesSummary {
                        curve: column.curve,
                        per_item: Spread::of(whole)?,
                        mean_by_item: means.collect::<std::result::Result<_, _>>()?,
                    });
                }
            }
        }
        Ok(Self {
            name: experiment.name(),
            pool_size: experiment.pool_size(),
            runs: traces.runs.len(),
            wall_seconds: repeated.seconds,
            pool_risk: Spread::of(risks)?,
            curves,
            queries,
        })
    }

    /// The summary of a curve.
    pub fn curve(&self, curve: Curve) -> Option<&CurveSummary> {
        self.curves.iter().find(|summary| summary.curve == curve)
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

impl Spread {
    fn of(values: Vec<f64>) -> Result<Self> {
        let summary = Summary::of(&values)?;
        let median = Ordered::new(values)?.median();
        Ok(Self { mean: summary.mean, std_dev: summary.std_dev.unwrap_or_default(), median })
    }
}

impl FigureSummary {
    /// Puts a figure's experiments together.
    pub fn new(manifest: &Manifest, experiments: Vec<ExperimentSummary>, claims: Vec<Claim>) -> Self {
        let Manifest { figure, settings, scale, seed, version, commit, .. } = manifest.clone();
        Self {
            schema: SCHEMA,
            manifest: FlatManifest { figure, settings, scale, seed, version, commit },
            threads: rayon::current_num_threads(),
            wall_seconds: experiments.iter().map(|experiment| experiment.wall_seconds).sum(),
            claims,
            experiments,
        }
    }
}

/// A column a number, one entry a step, six digits each: a third of the size of an object a step, and what plots want.
fn columns<S: Serializer>(steps: &[Summary], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    type Number = fn(&Summary) -> Option<f64>;
    let numbers: [(&str, Number); 15] = [
        ("mean_error", |step| Some(step.mean)),
        ("mean_error_std_error", |step| step.mean_std_error),
        ("std_dev", |step| step.std_dev),
        ("std_dev_std_error", |step| step.std_dev_std_error),
        ("mean_squared_error", |step| Some(step.mean_squared_error)),
        ("mean_squared_error_std_error", |step| step.mean_squared_error_std_error),
        ("median_squared_error", |step| Some(step.median_squared_error)),
        ("median_squared_error_low", |step| step.median_squared_error_range.map(|range| range.low)),
        ("median_squared_error_high", |step| step.median_squared_error_range.map(|range| range.high)),
        ("squared_error_q05", |step| Some(step.squared_error_quantiles.q05)),
        ("squared_error_q25", |step| Some(step.squared_error_quantiles.q25)),
        ("squared_error_q75", |step| Some(step.squared_error_quantiles.q75)),
        ("squared_error_q95", |step| Some(step.squared_error_quantiles.q95)),
        ("mean_log_squared_error", |step| step.mean_log_squared_error),
        ("mean_log_squared_error_std_error", |step| step.mean_log_squared_error_std_error),
    ];
    let column = |number: Number| steps.iter().map(|step| number(step).map(six_digits)).collect::<Vec<_>>();
    let columns: BTreeMap<&str, Vec<Option<f64>>> =
        numbers.into_iter().map(|(name, number)| (name, column(number))).collect();
    columns.serialize(serializer)
}

/// The nearest number of six digits.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

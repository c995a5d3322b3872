//! A new evaluation on disk from what Python says: which columns of which files, and what is chosen.

use std::path::PathBuf;

use labelwise_study::{
    AcquisitionName, Choices, Created, DesignWish, FloorChoice, Format, LearnerName, PoolTable, Predictions,
    Reading, Study, SurrogateWish, Times,
};
use pyo3::prelude::*;

use crate::build::measurables;
use crate::error::{Error, Outcome};
use crate::names::{self, When};

/// Everything that Python says of an evaluation on disk.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DurableOptions {
    pool: PathBuf,
    columns: Columns,
    /// Whether texts that nothing else is made of go along to the labeller.
    carry_texts: bool,
    aims: Vec<String>,
    positive: Option<String>,
    range: Option<(f64, f64)>,
    surrogate: Option<String>,
    surrogate_columns: Vec<String>,
    surrogate_files: Vec<PathBuf>,
    train: Option<(PathBuf, String)>,
    /// `None` where nothing was said; a list of nothing is never.
    retrain: Option<When>,
    acquisition: Option<String>,
    floor: Option<(String, f64)>,
    rescore: Option<When>,
    seed: u64,
    design: String,
    budget: Option<usize>,
    strata: Option<usize>,
}

/// Which columns of the pool are what.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    format: Option<String>,
    probabilities: Option<String>,
    logits: Option<String>,
    mean: Option<String>,
    variance: Option<String>,
    hard: Option<String>,
    scores: Option<String>,
    ids: Option<String>,
    features: Vec<String>,
    carry: Vec<String>,
    labels: Option<String>,
}

impl Columns {
    /// What is to be read.
    pub(crate) fn reading(&self) -> Outcome<Reading> {
        let mut reading = Reading::new();
        if let Some(name) = &self.format {
            let format: Format = name.parse().map_err(|_| {
                let known: Vec<&str> = Format::ALL.map(Format::name).to_vec();
                Error::Argument(format!("format is {name:?}, but must be one of {}", known.join(", ")))
            })?;
            reading = reading.format(format);
        }
        if let Some(pattern) = &self.probabilities {
            reading = reading.probabilities(pattern);
        }
        if let Some(pattern) = &self.logits {
            reading = reading.logits(pattern);
        }
        if let Some(mean) = &self.mean {
            reading = match &self.variance {
                Some(variance) => reading.mean_and_variance(mean, variance),
                None => reading.mean(mean),
            };
        }
        if let Some(column) = &self.hard {
            reading = reading.hard(column);
        }
        if let Some(column) = &self.scores {
            reading = reading.scores(column);
        }
        if let Some(column) = &self.ids {
            reading = reading.ids(column);
        }
        if let Some(column) = &self.labels {
            reading = reading.labels(column);
        }
        reading = self.features.iter().fold(reading, |reading, pattern| reading.features(pattern));
        Ok(self.carry.iter().fold(reading, |reading, column| reading.carry(column)))
    }
}

fn times(when: Option<When>) -> Option<Times> {
    when.map(|when| match when {
        When::Every(0) => Times::Never,
        When::Every(labels) => Times::Every(labels),
        When::At(labels) if labels.is_empty() => Times::Never,
        When::At(labels) => Times::At(labels),
    })
}

impl DurableOptions {
    /// Makes the evaluation.
    pub(crate) fn create(self, path: PathBuf, at: i64) -> Outcome<Created> {
        // Said before a large file is read for nothing.
        if path.exists() {
            return Err(labelwise_study::Error::from(labelwise_study::FileError::Exists { path }).into());
        }
        let design = self.wish()?;
        let table = self.table()?;
        let choices = Choices {
            metric: None,
            aims: measurables(&self.aims)?,
            positive: self.positive.clone(),
            range: self.range,
            surrogate: self.surrogate.as_deref().map(surrogate).transpose()?,
            retrain: times(self.retrain.clone()),
            acquisition: self.acquisition.as_deref().map(acquisition).transpose()?,
            floor: self.floor.as_ref().map(|(kind, value)| floor(kind, *value)).transpose()?,
            rescore: times(self.rescore.clone()),
            seed: self.seed,
            train: self.training(&table)?,
            design,
            at,
            ..Choices::default()
        };
        Ok(Study::create(path, table, &choices)?)
    }

    fn wish(&self) -> Outcome<DesignWish> {
        let budget = || {
            self.budget.ok_or_else(|| {
                Error::Argument(format!(
                    "design {:?} chooses all items before the first label: give `budget`",
                    self.design
                ))
            })
        };
        match names::plain(&self.design).as_str() {
            "adaptive" if self.budget.is_some() => Err(Error::Argument(
                "budget is of a design that chooses beforehand: give design=\"one_shot\" or \"stratified\" with it".to_owned(),
            )),
            "adaptive" => Ok(DesignWish::Adaptive),
            "one-shot" => Ok(DesignWish::OneShot { budget: budget()? }),
            "stratified" => Ok(DesignWish::Stratified { budget: budget()?, strata: self.strata }),
            _ => names::unknown("design", &self.design, "\"adaptive\", \"one_shot\" and \"stratified\""),
        }
    }

    fn table(&self) -> Outcome<PoolTable> {
        let mut reading = self.columns.reading()?;
        if self.carry_texts && self.columns.carry.is_empty() {
            reading = reading.carry_texts();
        }
        if self.surrogate_files.is_empty() {
            reading =
                self.surrogate_columns.iter().fold(reading, |reading, pattern| reading.surrogate(pattern));
        }
        let mut table = PoolTable::open(&self.pool, &reading)?;
        let mut own =
            Columns { format: None, features: Vec::new(), carry: Vec::new(), ..self.columns.clone() };
        if own.hard.is_some() {
            // Of classes, a surrogate gives probabilities whatever the model gives.
            own.hard = None;
        }
        for file in &self.surrogate_files {
            table = table.with_surrogate(PoolTable::open(file, &own.reading()?)?)?;
        }
        Ok(table)
    }

    fn training(&self, table: &PoolTable) -> Outcome<Option<PoolTable>> {
        let Some((path, label)) = &self.train else { return Ok(None) };
        let features = self.columns.features.iter();
        let reading = features.fold(Reading::new(), |reading, pattern| reading.features(pattern));
        let reading = match table.predictions {
            Predictions::Values { .. } => reading.mean(label),
            _ => reading.hard(label),
        };
        Ok(Some(PoolTable::open(path, &reading)?))
    }
}

fn surrogate(name: &str) -> Outcome<SurrogateWish> {
    Ok(match names::plain(name).as_str() {
        "own" | "self" => SurrogateWish::Own,
        "given" => SurrogateWish::Given,
        "none" => SurrogateWish::Nothing,
        "forest" => SurrogateWish::Learnt(LearnerName::Forest),
        "logistic" => SurrogateWish::Learnt(LearnerName::Logistic),
        "gp" => SurrogateWish::Learnt(LearnerName::Gp),
        "linear" => SurrogateWish::Learnt(LearnerName::Linear),
        _ => {
            let known = "\"own\", \"given\", \"none\", \"forest\", \"logistic\", \"gp\" and \"linear\": one that Python \
                fits lives in memory only, in an Evaluation";
            return names::unknown("surrogate", name, known);
        }
    })
}

fn acquisition(name: &str) -> Outcome<AcquisitionName> {
    Ok(match names::plain(name).as_str() {
        "root-mean-square" => AcquisitionName::RootMeanSquare,
        "expected-loss" => AcquisitionName::ExpectedLoss,
        "standard-deviation" => AcquisitionName::StandardDeviation,
        "uniform" => AcquisitionName::Uniform,
        _ => {
            let known = "\"root_mean_square\", \"expected_loss\", \"standard_deviation\" and \"uniform\"";
            return names::unknown("acquisition", name, known);
        }
    })
}

fn floor(kind: &str, value: f64) -> Outcome<FloorChoice> {
    Ok(match kind {
        "mixture" => FloorChoice::Mixture(value),
        "clip" => FloorChoice::Clip(value),
        _ => FloorChoice::Unguarded,
    })
}

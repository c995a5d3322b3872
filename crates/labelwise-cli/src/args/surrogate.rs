//! What is believed about labels that nobody has paid for yet, as options. Every command that draws items has them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use labelwise_store::{Error, LearnerName, PoolTable, Predictions, Reading, SurrogateWish, Times};

use super::PoolOptions;
use super::parse::times;
use crate::error::Failure;

/// Where beliefs about labels come from.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The surrogate, which says where the model may be wrong")]
pub(crate) struct SurrogateOptions {
    /// What it is: self (the model), given (other predictions), none, or something that learns from features: forest,
    /// logistic, gp, linear [default: what is given; else a forest where there are features; else the model]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    surrogate: Option<SurrogateName>,
    /// Columns with probabilities of a surrogate, in the pool or, where that is given, in each --surrogate-file; several
    /// times for an ensemble
    #[arg(long, value_name = "PATTERN")]
    surrogate_probs: Vec<String>,
    /// A file with predictions of a surrogate, with the same ids and classes; several times for an ensemble
    #[arg(long, value_name = "FILE")]
    surrogate_file: Vec<PathBuf>,
    /// A file with labelled rows to learn from, with the same feature columns
    #[arg(long, value_name = "FILE", requires = "train_label")]
    train: Option<PathBuf>,
    /// The column of labels in it
    #[arg(long, value_name = "COLUMN", requires = "train")]
    train_label: Option<String>,
    /// When a surrogate that learns does so again: after so many labels, at numbers with commas between, or never
    #[arg(long, value_name = "LABELS", value_parser = times)]
    retrain: Option<Times>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SurrogateName {
    #[value(name = "self")]
    Own,
    Given,
    Forest,
    Logistic,
    Gp,
    Linear,
    None,
}

impl SurrogateOptions {
    /// What was asked for.
    pub(crate) fn wish(&self) -> Option<SurrogateWish> {
        self.surrogate.map(|name| match name {
            SurrogateName::Own => SurrogateWish::Own,
            SurrogateName::Given => SurrogateWish::Given,
            SurrogateName::Forest => SurrogateWish::Learnt(LearnerName::Forest),
            SurrogateName::Logistic => SurrogateWish::Learnt(LearnerName::Logistic),
            SurrogateName::Gp => SurrogateWish::Learnt(LearnerName::Gp),
            SurrogateName::Linear => SurrogateWish::Learnt(LearnerName::Linear),
            SurrogateName::None => SurrogateWish::Nothing,
        })
    }

    /// When a surrogate that learns does so again, where that was said.
    pub(crate) fn retrain(&self) -> Option<Times> {
        self.retrain.clone()
    }

    /// The pool as it is to be read, with the predictions of surrogates beside it.
    pub(crate) fn table(
        &self,
        pool: &Path,
        mut reading: Reading,
        columns: &PoolOptions,
    ) -> Result<PoolTable, Failure> {
        if self.surrogate_file.is_empty() {
            reading =
                self.surrogate_probs.iter().fold(reading, |reading, pattern| reading.surrogate(pattern));
        }
        let mut table = PoolTable::open(pool, &reading)?;
        let patterns: Vec<Option<&str>> = match self.surrogate_probs.as_slice() {
            [] => vec![None],
            patterns => patterns.iter().map(|pattern| Some(pattern.as_str())).collect(),
        };
        for file in &self.surrogate_file {
            for pattern in &patterns {
                let surrogate = PoolTable::open(file, &columns.reading_of_surrogate(*pattern))?;
                table = table.with_surrogate(surrogate)?;
            }
        }
        Ok(table)
    }

    /// The labelled rows: features, and labels that are read as if they were predictions.
    pub(crate) fn training(
        &self,
        columns: &PoolOptions,
        table: &PoolTable,
    ) -> Result<Option<PoolTable>, Failure> {
        let (Some(train), Some(label)) = (&self.train, &self.train_label) else { return Ok(None) };
        let reading = columns.reading_of_features();
        let reading = match table.predictions {
            Predictions::Values { .. } => reading.mean(label),
            _ => reading.hard(label),
        };
        let opened = PoolTable::open(train, &reading).map_err(|error| match error {
            // They must not be spoken of as predictions.
            Error::NoColumn { path, name, columns, .. } if name == *label => {
                Failure::TrainColumn { path, column: name, columns }
            }
            error => error.into(),
        });
        opened.map(Some)
    }
}

//! Options of the surrogate. Every command that draws items has them.

use std::path::{Path, PathBuf};

use labelwise_study::{ElsewhereError, PoolError, PoolTable, Predictions, Reading, SurrogateWish, Times};

use super::PoolOptions;
use super::parse::{named, times};
use crate::error::Error;

/// The surrogate and its training.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The surrogate, which predicts where the model is wrong")]
pub(crate) struct SurrogateOptions {
    /// Surrogate [default: given if there are other predictions, else forest if there are features, else
    /// self]
    #[arg(long, value_name = "NAME", value_parser = named::<SurrogateWish>())]
    surrogate: Option<SurrogateWish>,
    /// Columns of a surrogate's probabilities, in the pool or in each --surrogate-file; can be repeated for
    /// an ensemble
    #[arg(long, value_name = "PATTERN")]
    surrogate_probs: Vec<String>,
    /// File of a surrogate's predictions, with the same ids and classes; can be repeated for an ensemble
    #[arg(long, value_name = "FILE")]
    surrogate_file: Vec<PathBuf>,
    /// File of labelled rows to train on, with the same feature columns
    #[arg(long, value_name = "FILE", requires = "train_label")]
    train: Option<PathBuf>,
    /// Column of labels in the file of --train
    #[arg(long, value_name = "COLUMN", requires = "train")]
    train_label: Option<String>,
    /// When to retrain a surrogate that learns: every N labels, at comma-separated numbers of labels, or
    /// never
    #[arg(long, value_name = "LABELS", value_parser = times)]
    retrain: Option<Times>,
    /// File of labelled items that are not in the pool, with the pool's columns: they recalibrate the
    /// beliefs before the first draw
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Column of labels in the file of --calibration [default: label]
    #[arg(long, value_name = "COLUMN", requires = "calibration")]
    calibration_label: Option<String>,
}

impl SurrogateOptions {
    /// The surrogate that the options name.
    pub(crate) fn wish(&self) -> Option<SurrogateWish> {
        self.surrogate
    }

    /// The columns of surrogates in the pool, for a pool that is read in parts. Files of surrogates and rows to train on are refused.
    pub(crate) fn in_parts(&self) -> Result<Vec<String>, Error> {
        let whole = |what: &str, way_out| {
            let what = what.to_owned();
            Err(labelwise_study::Error::from(ElsewhereError::WholePool { what, way_out }).into())
        };
        if !self.surrogate_file.is_empty() {
            return whole(
                "a join with the file of --surrogate-file",
                "join its columns where the pool is made, and name them with --surrogate-probs",
            );
        }
        if self.train.is_some() || self.retrain.is_some() {
            return whole("a surrogate that learns", "give its predictions with --surrogate-probs");
        }
        Ok(self.surrogate_probs.clone())
    }

    /// When to retrain, if the options say it.
    pub(crate) fn retrain(&self) -> Option<Times> {
        self.retrain.clone()
    }

    /// Opens the pool and attaches the predictions of surrogates.
    pub(crate) fn table(&self, pool: &Path, mut reading: Reading) -> Result<PoolTable, Error> {
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
                table = table.with_surrogate(PoolTable::open(file, &reading.of_surrogate(*pattern))?)?;
            }
        }
        Ok(table)
    }

    /// Opens the labelled items of --calibration, whose columns are those of the pool.
    pub(crate) fn calibration(&self, columns: &PoolOptions) -> Result<Option<PoolTable>, Error> {
        let Some(file) = &self.calibration else { return Ok(None) };
        let reading = columns.reading().labels(self.calibration_label.as_deref().unwrap_or("label"));
        let patterns = self.surrogate_probs.iter();
        let reading = patterns.fold(reading, |reading, pattern| reading.surrogate(pattern));
        Ok(Some(PoolTable::open(file, &reading)?))
    }

    /// Opens the training rows: features, and labels that are read as if they were predictions.
    pub(crate) fn training(
        &self,
        columns: &PoolOptions,
        table: &PoolTable,
    ) -> Result<Option<PoolTable>, Error> {
        let (Some(train), Some(label)) = (&self.train, &self.train_label) else { return Ok(None) };
        let are_values = matches!(table.predictions, Predictions::Values { .. });
        let reading = columns.reading().of_training(label, are_values);
        let opened = PoolTable::open(train, &reading).map_err(|error| match error {
            // The error must call this column a label, not a prediction.
            PoolError::NoColumn { path, name, columns, .. } if name == *label => {
                Error::TrainColumn { path, column: name, columns }
            }
            error => error.into(),
        });
        opened.map(Some)
    }
}

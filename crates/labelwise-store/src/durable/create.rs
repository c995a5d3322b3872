//! A pool becomes an evaluation: decisions, columns, the first proposal; then the file is there, all of it at once.

use std::path::Path;

use labelwise::{Matrix, Pool};

use super::Durable;
use super::choices::{Choices, Decided};
use super::columns::{
    self, FEATURES, IDS, PREDICTED, PREDICTIONS, TRAIN_FEATURES, TRAIN_LABELS, write_column, write_matrix,
};
use super::measured::{self, Measured, with_task};
use super::prepare::{self, Prepared};
use super::settings::{Settings, Subject, SurrogateChoice};
use crate::column::Column;
use crate::error::{Error, Misfit, Result};
use crate::file::Draft;
use crate::ids::Ids;
use crate::predictions::{Predictions, rearranged};
use crate::strings::Strings;
use crate::table::PoolTable;

/// An evaluation that was just made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Created {
    /// The evaluation, open to ask and tell.
    pub evaluation: Durable,
    /// In sentences, what was decided where nothing had been said.
    pub decisions: Vec<String>,
}

impl Durable {
    /// Makes an evaluation of a pool. The file appears whole or not at all, and never in the place of another.
    pub fn create(path: impl AsRef<Path>, table: PoolTable, choices: &Choices) -> Result<Created> {
        let path = path.as_ref();
        let Decided { mut settings, mut decisions } = choices.decide(&table)?;
        let mut draft = Draft::new(path, bytes(&table))?;
        let parts = Parts::written(&mut draft, &mut settings, table, choices)?;
        let prepared = with_task!(settings, T => parts.prepare::<T>(&settings))?;
        draft.settings(&serde_json::to_string(&settings).map_err(Error::json)?)?;
        draft.refresh(&prepared.refresh, &prepared.ahead)?;
        draft.publish()?;
        let evaluation = Self::open(path)?;
        decisions.extend(evaluation.design_in_words()?);
        Ok(Created { evaluation, decisions })
    }
}

/// What an evaluation needs of a pool.
pub(super) struct Parts {
    pub(super) predictions: Matrix,
    predicted: Option<Column>,
    pub(super) beliefs: Vec<Matrix>,
    features: Option<Matrix>,
    pub(super) train: Option<(Matrix, Matrix)>,
}

impl Parts {
    /// From tables.
    pub(super) fn new(
        predictions: Predictions,
        surrogates: Vec<Predictions>,
        features: Option<Matrix>,
        settings: &Settings,
        choices: &Choices,
    ) -> Result<Self> {
        let train = choices.train.as_ref().map(|train| training(train, settings)).transpose()?;
        let beliefs: Vec<Matrix> =
            surrogates.into_iter().map(|belief| beliefs(belief, &predictions)).collect::<Result<_>>()?;
        let (predictions, predicted) = tables(predictions)?;
        Ok(Self { predictions, predicted, beliefs, features, train })
    }

    /// The same, with all columns of the pool in the draft.
    fn written(
        draft: &mut Draft,
        settings: &mut Settings,
        table: PoolTable,
        choices: &Choices,
    ) -> Result<Self> {
        let PoolTable { ids, predictions, surrogates, features, carried, .. } = table;
        let mut keep = |name: &str, layout| settings.columns.insert(name.to_owned(), layout);
        if let Ids::Column(column) = &ids {
            keep(IDS, write_column(draft, IDS, column)?);
        }
        for (name, column) in &carried {
            let name = columns::carried(name);
            keep(&name, write_column(draft, &name, column)?);
        }
        drop((ids, carried));
        let features = features.map(|features| features.rows);
        let parts = Self::new(predictions, surrogates, features, settings, choices)?;
        let mut keep = |name: &str, layout| settings.columns.insert(name.to_owned(), layout);
        match &parts.predicted {
            Some(column) => keep(PREDICTED, write_column(draft, PREDICTED, column)?),
            None => keep(PREDICTIONS, write_matrix(draft, PREDICTIONS, &parts.predictions)?),
        };
        for (member, rows) in parts.beliefs.iter().enumerate() {
            let name = columns::belief(member);
            keep(&name, write_matrix(draft, &name, rows)?);
        }
        if let Some(rows) = &parts.features {
            keep(FEATURES, write_matrix(draft, FEATURES, rows)?);
        }
        if let Some((rows, labels)) = &parts.train {
            keep(TRAIN_FEATURES, write_matrix(draft, TRAIN_FEATURES, rows)?);
            keep(TRAIN_LABELS, write_matrix(draft, TRAIN_LABELS, labels)?);
        }
        Ok(parts)
    }

    /// The pool, which takes predictions and features with it.
    pub(super) fn pool<T: Measured>(&mut self) -> Result<Pool<T>> {
        let predictions = std::mem::replace(&mut self.predictions, Matrix::f64(Vec::new(), 1)?);
        let pool = T::pool(predictions)?;
        match self.features.take() {
            Some(features) => Ok(pool.with_features(features)?),
            None => Ok(pool),
        }
    }

    fn prepare<T: Measured>(mut self, settings: &Settings) -> Result<Prepared> {
        let pool = self.pool::<T>()?;
        let surrogate = measured::surrogate_of(settings, &pool, &[], self.beliefs, self.train)?;
        let words = |items: &[usize]| {
            let predicted = self.predicted.as_ref();
            Ok(items.iter().map(|&item| predicted.and_then(|c| c.text(item)).unwrap_or_default()).collect())
        };
        prepare::first(settings, pool, surrogate, &words, settings.created)
    }
}

/// About how many bytes the columns of a pool take.
fn bytes(table: &PoolTable) -> u64 {
    let texts = |column: &Column| match column {
        Column::Texts(texts) => texts.bytes() as u64,
        Column::Integers(_) | Column::Numbers(_) => 0,
    };
    let numbers = match &table.predictions {
        Predictions::Classes { names, .. } => names.len() * (1 + table.surrogates.len()),
        _ => 2 + 2 * table.surrogates.len(),
    };
    let features = table.features.as_ref().map_or(0, |features| features.rows.columns());
    let carried: u64 = table.carried.iter().map(|(_, column)| texts(column)).sum();
    carried + 4 * (table.rows() * (1 + numbers + features)) as u64
}

/// The predictions as numbers, and in words where they are classes alone.
fn tables(predictions: Predictions) -> Result<(Matrix, Option<Column>)> {
    Ok(match predictions {
        Predictions::Classes { rows, .. } => (rows, None),
        Predictions::Hard { names, classes } => {
            let name = |&class: &u32| names.get(class as usize).map_or("", String::as_str);
            let words: Strings = classes.iter().map(name).collect();
            (measured::right_or_wrong(classes.len())?, Some(Column::Texts(words)))
        }
        Predictions::Values { means, variances: None } => (Matrix::f64(means, 1)?, None),
        Predictions::Values { means, variances: Some(variances) } => {
            let rows: Vec<f64> = means.into_iter().zip(variances).flat_map(|(m, v)| [m, v]).collect();
            (Matrix::f64(rows, 2)?, None)
        }
        // A score is what is expected of an item, and nothing is known of how sure that is.
        Predictions::Scores(scores) => {
            (Matrix::f64(scores.into_iter().flat_map(|score| [score, 0.0]).collect::<Vec<f64>>(), 2)?, None)
        }
    })
}

/// The beliefs of a surrogate, classes in the order of the pool's; for classes alone, what it says of the class that was
/// predicted.
fn beliefs(belief: Predictions, predictions: &Predictions) -> Result<Matrix> {
    if let (Predictions::Classes { names, rows }, Predictions::Hard { names: said, classes }) =
        (&belief, predictions)
    {
        let columns: Vec<Option<usize>> =
            said.iter().map(|class| names.iter().position(|name| name == class)).collect();
        let mut reader = rows.reader();
        let right = classes.iter().enumerate().flat_map(|(item, &class)| {
            let column = columns.get(class as usize).copied().flatten();
            let right = column.and_then(|column| reader.row(item).get(column).copied()).unwrap_or(0.0);
            [right, 1.0 - right]
        });
        return Ok(Matrix::f64(right.collect::<Vec<f64>>(), 2)?);
    }
    if let (Predictions::Classes { names, rows }, Predictions::Classes { names: pool, .. }) =
        (&belief, predictions)
    {
        let columns: Option<Vec<usize>> =
            pool.iter().map(|class| names.iter().position(|name| name == class)).collect();
        let columns = columns
            .filter(|columns| columns.len() == names.len())
            .ok_or_else(|| Misfit::SurrogateClasses { there: names.join(", "), here: pool.join(", ") })?;
        if names == pool {
            return Ok(rows.clone());
        }
        let all: Vec<usize> = (0..rows.rows()).collect();
        return rearranged(rows, &all, &columns);
    }
    Ok(tables(belief)?.0)
}

/// Labelled rows as a table of features and a column of label numbers.
fn training(train: &PoolTable, settings: &Settings) -> Result<(Matrix, Matrix)> {
    if !matches!(settings.surrogate, SurrogateChoice::Learnt { .. }) {
        return Err(Misfit::TrainingUnused.into());
    }
    let features =
        train.features.as_ref().ok_or_else(|| Misfit::TrainingFeatures { path: train.path.clone() })?;
    let labels: Vec<f64> = match (&train.predictions, &settings.subject) {
        (Predictions::Hard { names, classes }, Subject::Classes { names: known }) => {
            let place = |name: &String| known.iter().position(|other| other == name);
            let places: Vec<Option<usize>> = names.iter().map(place).collect();
            if let Some(at) = places.iter().position(Option::is_none) {
                let label = names.get(at).cloned().unwrap_or_default();
                return Err(Misfit::TrainingLabel { path: train.path.clone(), label }.into());
            }
            let number = |&class: &u32| places.get(class as usize).copied().flatten();
            #[allow(clippy::cast_precision_loss, reason = "classes are few")]
            classes.iter().filter_map(number).map(|place| place as f64).collect()
        }
        (Predictions::Values { means, .. }, Subject::Values) => means.clone(),
        _ => return Err(Misfit::TrainingKind { predictions: settings.subject.in_words() }.into()),
    };
    Ok((features.rows.clone(), Matrix::f64(labels, 1)?))
}

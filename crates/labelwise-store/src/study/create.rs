//! A pool becomes an evaluation: decisions, columns, the first proposal; then the file is there, all of it at once.

use std::path::Path;
use std::thread;

use labelwise::{Matrix, Pool};

use crate::column::Column;
use crate::error::{Error, Misfit, Result};
use crate::file::Draft;
use crate::ids::Ids;
use crate::predictions::{Predictions, rearranged};
use crate::strings::Strings;
use crate::study::Study;
use crate::study::columns::{
    self, FEATURES, IDS, Layout, PREDICTIONS, TRAIN_FEATURES, TRAIN_LABELS, column_layout, matrix_layout,
    write_column, write_matrix,
};
use crate::study::decide::choices::{Choices, Decided};
use crate::study::prepare::{self, Prepared};
use crate::study::rivals;
use crate::study::spec::settings::{Settings, Subject, SurrogateChoice};
use crate::study::task::{self, StudyTask, with_task};
use crate::table::PoolTable;

/// An evaluation that was just made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Created {
    /// The evaluation, open to ask and tell.
    pub evaluation: Study,
    /// In sentences, what was decided where nothing had been said.
    pub decisions: Vec<String>,
}

impl Study {
    /// Makes an evaluation of a pool. The file appears whole or not at all, and never in the place of another.
    pub fn create(path: impl AsRef<Path>, table: PoolTable, choices: &Choices) -> Result<Created> {
        let path = path.as_ref();
        let Decided { mut settings, mut decisions } = choices.decide(&table)?;
        let mut draft = Draft::new(path, bytes(&table))?;
        let (mut columns, pool) = split(table, choices, &mut settings)?;
        columns.write_values(&mut draft)?;
        if !settings.rivals.is_empty() {
            settings.ties = with_task!(settings, T => pool.ties::<T>(&settings))?;
            decisions.extend(rivals::ties_in_words(&settings));
        }
        // The disk has its work while the first proposal is made.
        let (written, prepared) = thread::scope(|scope| {
            let writing = scope.spawn(|| columns.write_tables(&mut draft));
            let prepared = with_task!(settings, T => pool.prepare::<T>(&settings));
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (written, prepared)
        });
        let prepared = prepared?;
        written?;
        draft.settings(&serde_json::to_string(&settings).map_err(Error::json)?)?;
        draft.refresh(&prepared.refresh, &prepared.ahead)?;
        draft.publish()?;
        let evaluation = Self::open(path)?;
        decisions.extend(evaluation.design_in_words()?);
        Ok(Created { evaluation, decisions })
    }
}

/// Columns for the file, each with its name.
#[derive(Default)]
pub(crate) struct Columns {
    values: Vec<(String, Column)>,
    tables: Vec<(String, Matrix)>,
}

impl Columns {
    /// Writes what nothing else is made of, and gives up its memory.
    fn write_values(&mut self, draft: &mut Draft) -> Result<()> {
        let values = std::mem::take(&mut self.values);
        values.into_iter().try_for_each(|(name, column)| write_column(draft, &name, &column))
    }

    fn write_tables(&self, draft: &mut Draft) -> Result<()> {
        self.tables.iter().try_for_each(|(name, table)| write_matrix(draft, name, table))
    }

    fn layouts(&self) -> impl Iterator<Item = (String, Layout)> {
        let values = self.values.iter().map(|(name, column)| (name.clone(), column_layout(column)));
        values.chain(self.tables.iter().map(|(name, table)| (name.clone(), matrix_layout(table))))
    }
}

/// What the first proposal needs of a pool.
pub(crate) struct Proposed {
    predictions: Matrix,
    /// A column a model, where predictions are words.
    predicted: Vec<Column>,
    pub(crate) beliefs: Vec<Matrix>,
    features: Option<Matrix>,
    pub(crate) train: Option<(Matrix, Matrix)>,
}

/// What goes into the file, and what the first proposal is made of; tables are shared.
pub(crate) fn split(
    table: PoolTable,
    choices: &Choices,
    settings: &mut Settings,
) -> Result<(Columns, Proposed)> {
    let train = choices.train.as_ref().map(|train| training(train, settings)).transpose()?;
    let PoolTable { ids, predictions, surrogates, features, carried, rivals, .. } = table;
    let mut columns = Columns::default();
    if let Ids::Column(column) = ids {
        columns.values.push((IDS.to_owned(), column));
    }
    columns.values.extend(carried.into_iter().map(|(name, column)| (columns::carried(&name), column)));
    let beliefs: Vec<Matrix> =
        surrogates.into_iter().map(|belief| beliefs(belief, &predictions)).collect::<Result<_>>()?;
    let (predictions, predicted) = match rivals {
        Some(rivals) => rivals::side_by_side(predictions, rivals.predictions)?,
        None => tables(predictions)?,
    };
    let words = predicted.iter().enumerate();
    columns.values.extend(words.map(|(model, column)| (columns::predicted(model), column.clone())));
    // Of one model that gives words there are no numbers to keep.
    if predicted.len() != 1 {
        columns.tables.push((PREDICTIONS.to_owned(), predictions.clone()));
    }
    let members = beliefs.iter().enumerate();
    columns.tables.extend(members.map(|(member, rows)| (columns::belief(member), rows.clone())));
    let features = features.map(|features| features.rows);
    columns.tables.extend(features.iter().map(|rows| (FEATURES.to_owned(), rows.clone())));
    if let Some((rows, labels)) = &train {
        columns.tables.push((TRAIN_FEATURES.to_owned(), rows.clone()));
        columns.tables.push((TRAIN_LABELS.to_owned(), labels.clone()));
    }
    settings.columns.extend(columns.layouts());
    Ok((columns, Proposed { predictions, predicted, beliefs, features, train }))
}

impl Proposed {
    /// On how many items the models cannot differ.
    fn ties<T: StudyTask>(&self, settings: &Settings) -> Result<usize> {
        let pool = T::pool(self.predictions.clone(), settings)?;
        Ok(T::known(&pool, settings)?.len())
    }

    /// The pool; its tables are shared.
    pub(crate) fn pool<T: StudyTask>(&self, settings: &Settings) -> Result<Pool<T>> {
        let pool = T::pool(self.predictions.clone(), settings)?;
        match &self.features {
            Some(features) => Ok(pool.with_features(features.clone())?),
            None => Ok(pool),
        }
    }

    fn prepare<T: StudyTask>(self, settings: &Settings) -> Result<Prepared> {
        let pool = self.pool::<T>(settings)?;
        let surrogate = task::surrogate_of(settings, &pool, &[], self.beliefs, self.train)?;
        let words = |items: &[usize]| {
            let said = |item: usize| self.predicted.iter().filter_map(|c| c.text(item)).collect();
            items.iter().map(|&item| rivals::in_one(said(item))).collect()
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
    let numbers = numbers * table.rivals.as_ref().map_or(1, |rivals| rivals.names.len());
    let carried: u64 = table.carried.iter().map(|(_, column)| texts(column)).sum();
    carried + 4 * (table.rows() * (1 + numbers + features)) as u64
}

/// The predictions as numbers, and in words where they are classes alone.
pub(crate) fn tables(predictions: Predictions) -> Result<(Matrix, Vec<Column>)> {
    Ok(match predictions {
        Predictions::Classes { rows, .. } => (rows, Vec::new()),
        Predictions::Hard { names, classes } => {
            let name = |&class: &u32| names.get(class as usize).map_or("", String::as_str);
            let words: Strings = classes.iter().map(name).collect();
            (task::right_or_wrong(classes.len())?, vec![Column::Texts(words)])
        }
        Predictions::Values { means, variances: None } => (Matrix::f64(means, 1)?, Vec::new()),
        Predictions::Values { means, variances: Some(variances) } => {
            let rows: Vec<f64> = means.into_iter().zip(variances).flat_map(|(m, v)| [m, v]).collect();
            (Matrix::f64(rows, 2)?, Vec::new())
        }
        // A score is what is expected of an item, and nothing is known of how sure that is.
        Predictions::Scores(scores) => (
            Matrix::f64(scores.into_iter().flat_map(|score| [score, 0.0]).collect::<Vec<f64>>(), 2)?,
            Vec::new(),
        ),
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

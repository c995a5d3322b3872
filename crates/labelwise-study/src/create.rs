//! Makes a study from a pool: decisions, columns, and for a file the first proposal. The file appears
//! complete or not at all.

use std::path::Path;
use std::thread;

use labelwise::Matrix;
use labelwise_file::Draft;
use labelwise_pool::{Column, Ids, PoolTable, Predictions, Strings, rearranged};

use super::Study;
use super::calibration;
use super::columns::{
    self, FEATURES, IDS, JUDGES, PREDICTIONS, TRAIN_FEATURES, TRAIN_LABELS, column_layout, matrix_layout,
    write_column, write_matrix,
};
use super::decide::choices::{Choices, Decided};
use super::guess::explained;
use super::journal::memory::Memory;
use super::journal::on_file::{ahead_rows, refresh_row};
use super::judge::plan::{self, JudgedPool};
use super::prepare::{self, Prepared};
use super::refresh_point::RefreshPoint;
use super::rivals;
use super::spec::settings::{Settings, SurrogateChoice};
use super::spec::subject::Subject;
use super::spec::supplied::Supplied;
use super::task::{self, StudyTask, with_task};
use crate::error::{ChoiceError, Error, Result};

/// A new evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Created {
    /// The evaluation, open to ask and tell.
    pub evaluation: Study,
    /// The decisions about options that were not given, as sentences.
    pub decisions: Vec<String>,
}

impl Study {
    /// Creates an evaluation in a file. The file appears complete or not at all, and never replaces another.
    pub fn create(path: impl AsRef<Path>, table: PoolTable, choices: &Choices) -> Result<Created> {
        let path = path.as_ref();
        if choices.supplied != Supplied::default() {
            return Err(ChoiceError::Supplied.into());
        }
        let (table, judged) = plan::resolved(&table, choices)?;
        let table = table.into_owned();
        let Decided { mut settings, mut decisions } = choices.decide(&table, judged.as_ref())?;
        let mut draft = Draft::new(path, bytes(&table))?;
        let mut memory = split(table, choices, judged, &mut settings)?;
        memory.becomes_file = true;
        settle_ties(&memory, &mut settings, &mut decisions)
            .map_err(|error| explained(error, &memory.tables, &settings))?;
        write_values(&mut memory, &settings, &mut draft)?;
        // The disk writes while the first proposal is computed.
        let tables = memory.tables.clone();
        let (written, prepared) = thread::scope(|scope| {
            let writing = scope
                .spawn(|| tables.iter().try_for_each(|(name, table)| write_matrix(&mut draft, name, table)));
            let prepared = with_task!(settings, T => {
                prepare::fresh::<T>(&memory, &settings, RefreshPoint::FIRST, 0, settings.created).map(|(first, _)| first)
            });
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (written, prepared)
        });
        let Prepared { refresh, rows } = prepared.map_err(|error| explained(error, &tables, &settings))?;
        written?;
        draft.settings(&serde_json::to_string(&settings).map_err(Error::json)?)?;
        if let Some(refresh) = refresh {
            draft.refresh(&refresh_row(0, &refresh)?, &ahead_rows(&rows))?;
        }
        draft.publish()?;
        let evaluation = Self::open(path)?;
        decisions.extend(evaluation.design_in_words()?);
        Ok(Created { evaluation, decisions })
    }

    /// Creates an evaluation in memory, for notebooks and simulations, where labels need not outlive the process.
    /// Decisions and draws are those of a file.
    pub fn in_memory(table: PoolTable, choices: &Choices) -> Result<Created> {
        let (table, judged) = plan::resolved(&table, choices)?;
        let table = table.into_owned();
        let Decided { mut settings, mut decisions } = choices.decide(&table, judged.as_ref())?;
        let memory = split(table, choices, judged, &mut settings)?;
        let tables = memory.tables.clone();
        settle_ties(&memory, &mut settings, &mut decisions)
            .map_err(|error| explained(error, &tables, &settings))?;
        let mut evaluation = Self::over(settings, Box::new(memory));
        evaluation.begin().map_err(|error| explained(error, &tables, evaluation.settings()))?;
        decisions.extend(evaluation.design_in_words()?);
        Ok(Created { evaluation, decisions })
    }
}

/// The columns of a pool; tables of numbers are shared.
pub(crate) fn split(
    table: PoolTable,
    choices: &Choices,
    judged: Option<JudgedPool>,
    settings: &mut Settings,
) -> Result<Memory> {
    let train = choices.train.as_ref().map(|train| training(train, settings)).transpose()?;
    let mut memory = Memory::default();
    if let Some(held_out) = &choices.calibration {
        calibration::split(held_out, &table.predictions, settings, &mut memory)?;
    }
    let PoolTable { ids, predictions, surrogates, features, carried, rivals, .. } = table;
    if let Ids::Column(column) = ids {
        memory.values.insert(IDS.to_owned(), column);
    }
    memory.values.extend(carried.into_iter().map(|(name, column)| (columns::carried(&name), column)));
    for (member, belief) in surrogates.into_iter().enumerate() {
        memory.tables.insert(columns::belief(member), beliefs(belief, &predictions)?);
    }
    let (predictions, predicted) = match rivals {
        Some(rivals) => rivals::side_by_side(predictions, rivals.predictions)?,
        None => tables(predictions)?,
    };
    // Predicted classes without probabilities have no numbers to store.
    if predicted.len() != 1 {
        memory.tables.insert(PREDICTIONS.to_owned(), predictions);
    }
    let words = predicted.into_iter().enumerate();
    memory.values.extend(words.map(|(model, column)| (columns::predicted(model), column)));
    memory.tables.extend(features.map(|features| (FEATURES.to_owned(), features.rows)));
    memory.tables.extend(judged.map(|judged| (JUDGES.to_owned(), judged.features)));
    if let Some((rows, labels)) = train {
        memory.tables.insert(TRAIN_FEATURES.to_owned(), rows);
        memory.tables.insert(TRAIN_LABELS.to_owned(), labels);
    }
    let values = memory.values.iter().map(|(name, column)| (name.clone(), column_layout(column)));
    settings.columns.extend(values);
    settings.columns.extend(memory.tables.iter().map(|(name, table)| (name.clone(), matrix_layout(table))));
    Ok(memory)
}

/// Counts the items on which models that are compared cannot differ.
fn settle_ties(memory: &Memory, settings: &mut Settings, decisions: &mut Vec<String>) -> Result<()> {
    if !settings.rivals.is_empty() {
        settings.ties =
            with_task!(settings, T => T::known(&task::pool::<T>(memory, settings)?, settings)?.len());
        decisions.extend(rivals::ties_in_words(settings));
    }
    Ok(())
}

/// Writes the columns of single values, and frees those that the first proposal does not need.
fn write_values(memory: &mut Memory, settings: &Settings, draft: &mut Draft) -> Result<()> {
    let predicted: Vec<String> = (0..settings.models()).map(columns::predicted).collect();
    for (name, column) in std::mem::take(&mut memory.values) {
        write_column(draft, &name, &column)?;
        if predicted.contains(&name) {
            memory.values.insert(name, column);
        }
    }
    Ok(())
}

/// Approximate size of the columns in bytes.
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

/// The predictions as numbers, and as text if they are classes without probabilities.
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
        // A score is an expected value without a variance.
        Predictions::Scores(scores) => (
            Matrix::f64(scores.into_iter().flat_map(|score| [score, 0.0]).collect::<Vec<f64>>(), 2)?,
            Vec::new(),
        ),
    })
}

/// The beliefs of a surrogate, with classes in the order of the pool. If the pool has no probabilities, only that of
/// the predicted class.
pub(crate) fn beliefs(belief: Predictions, predictions: &Predictions) -> Result<Matrix> {
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
            .ok_or_else(|| ChoiceError::SurrogateClasses { there: names.clone(), here: pool.clone() })?;
        if names == pool {
            return Ok(rows.clone());
        }
        let all: Vec<usize> = (0..rows.rows()).collect();
        return Ok(rearranged(rows, &all, &columns)?);
    }
    Ok(tables(belief)?.0)
}

/// Labelled rows as a table of features and a column of label numbers.
fn training(train: &PoolTable, settings: &Settings) -> Result<(Matrix, Matrix)> {
    if !matches!(settings.surrogate, SurrogateChoice::Learnt { .. }) {
        return Err(ChoiceError::TrainingUnused.into());
    }
    let features =
        train.features.as_ref().ok_or_else(|| ChoiceError::TrainingFeatures { path: train.path.clone() })?;
    let labels: Vec<f64> = match (&train.predictions, &settings.subject) {
        (Predictions::Hard { names, classes }, Subject::Classes { names: known }) => {
            let place = |name: &String| known.iter().position(|other| other == name);
            let places: Vec<Option<usize>> = names.iter().map(place).collect();
            if let Some(at) = places.iter().position(Option::is_none) {
                let label = names.get(at).cloned().unwrap_or_default();
                return Err(ChoiceError::TrainingLabel { path: train.path.clone(), label }.into());
            }
            let number = |&class: &u32| places.get(class as usize).copied().flatten();
            #[allow(clippy::cast_precision_loss, reason = "classes are few")]
            classes.iter().filter_map(number).map(|place| place as f64).collect()
        }
        (Predictions::Values { means, .. }, Subject::Values) => means.clone(),
        _ => return Err(ChoiceError::TrainingKind { predictions: settings.subject.in_words() }.into()),
    };
    Ok((features.rows.clone(), Matrix::f64(labels, 1)?))
}

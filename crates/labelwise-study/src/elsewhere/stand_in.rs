//! What is estimated from a uniform sample of the pool: prior weights, forecasts, and what beliefs expect of estimates. The sample
//! stands in for the pool in a study in memory, and its sums are scaled.

use std::collections::BTreeMap;
use std::path::Path;

use labelwise::Matrix;
use labelwise_pool::Strings;

use super::chunk::{Chunk, Shape};
use super::scoring::below;
use crate::calibration;
use crate::columns::{self, PREDICTED, PREDICTIONS, matrix_layout};
use crate::decide::choices::Choices;
use crate::error::Result;
use crate::journal::memory::Memory;
use crate::journal::record::{Drawn, Record, Refresh};
use crate::journal::{Journal, Row};
use crate::prepare;
use crate::refresh_point::RefreshPoint;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::task::{right_or_wrong, with_task};

/// Names of the tables of the sample in the file.
const PILOT: &str = "pilot ";

/// The tables of the sample, by their names in the file.
pub(crate) fn tables(
    sample: &Chunk,
    choices: &Choices,
    settings: &mut Settings,
) -> Result<BTreeMap<String, Matrix>> {
    let mut memory = Memory::default();
    if let Some(held_out) = &choices.calibration {
        calibration::split(held_out, &sample.table().predictions, settings, &mut memory)?;
    }
    let mut tables = memory.tables;
    if settings.subject != Subject::Hard {
        tables.insert(format!("{PILOT}{PREDICTIONS}"), sample.predictions.clone());
    }
    for (member, belief) in sample.given.iter().enumerate() {
        tables.insert(format!("{PILOT}{}", columns::belief(member)), belief.clone());
    }
    let layouts = tables.iter().map(|(name, table)| (name.clone(), matrix_layout(table)));
    settings.columns.extend(layouts);
    Ok(tables)
}

/// The sample of a file.
pub(crate) fn kept_tables(journal: &dyn Journal, settings: &Settings) -> Result<BTreeMap<String, Matrix>> {
    settings.columns.keys().map(|name| Ok((name.clone(), journal.matrix(name)?))).collect()
}

/// Whether a table is of the sample.
pub(crate) fn is_sample(name: &str) -> bool {
    name.starts_with(PILOT)
}

/// The sample again from its tables. Its ids and predicted texts are not kept.
pub(crate) fn sample(tables: &BTreeMap<String, Matrix>, settings: &Settings) -> Result<Chunk> {
    let shape = Shape::of_settings(settings);
    let given = (0..).map_while(|member| tables.get(&format!("{PILOT}{}", columns::belief(member))).cloned());
    let given: Vec<Matrix> = given.collect();
    let predictions = match tables.get(&format!("{PILOT}{PREDICTIONS}")) {
        Some(predictions) => predictions.clone(),
        None => right_or_wrong(given.first().map_or(0, Matrix::rows))?,
    };
    Ok(Chunk { ids: Strings::default(), predictions, given, said: None, shape })
}

/// The layout of the predictions, in the pool or in the sample.
pub(crate) fn predictions(settings: &Settings) -> Option<&columns::Layout> {
    let pilot = || settings.columns.get(&format!("{PILOT}{PREDICTIONS}"));
    settings.columns.get(PREDICTIONS).or_else(pilot)
}

/// The refresh that a study of the sample makes, and the number of items of the sample. Drawn items come after the sample.
pub(crate) fn refresh(
    tables: &BTreeMap<String, Matrix>,
    settings: &Settings,
    path: &Path,
    record: &Record,
    point: RefreshPoint,
    at: i64,
) -> Result<(Refresh, usize)> {
    let rows: Vec<&Row> = record.rows().collect();
    let sampled = tables
        .iter()
        .filter(|(name, _)| name.starts_with(PILOT))
        .map(|(_, table)| table.rows())
        .max()
        .unwrap_or(0);
    let mut memory = Memory::default();
    memory.becomes_file = true;
    for (name, table) in tables {
        let Some(own) = name.strip_prefix(PILOT) else {
            memory.tables.insert(name.clone(), table.clone());
            continue;
        };
        let drawn: Vec<Vec<f64>> = match own {
            PREDICTIONS => rows.iter().map(|row| row.prediction.clone()).collect(),
            belief => {
                let member = belief.rsplit(' ').next().and_then(|number| number.parse().ok());
                rows.iter().map(|row| row.given(member.unwrap_or_default(), table.columns())).collect()
            }
        };
        memory.tables.insert(own.to_owned(), below(table, &drawn)?);
    }
    if settings.subject == Subject::Hard {
        let texts = std::iter::repeat_n("", sampled).chain(rows.iter().map(|row| row.predicted.as_str()));
        memory.values.insert(PREDICTED.to_owned(), labelwise_pool::Column::Texts(texts.collect()));
    }
    let mut settings = settings.clone();
    settings.elsewhere = None;
    settings.pool.size = sampled + rows.len();
    settings.columns =
        memory.tables.iter().map(|(name, table)| (name.clone(), matrix_layout(table))).collect();
    let mut shifted = Record::default();
    shifted.refreshes = record.refreshes.clone();
    for drawn in &record.draws {
        let mut drawn: Drawn = drawn.clone();
        drawn.row.draw.index += sampled;
        shifted.draw(drawn);
    }
    for event in &record.events {
        let happened = shifted.happen(event.clone());
        happened.ok_or_else(|| crate::error::damaged(path, "event", event.place))?;
    }
    let memory = memory.with_record(shifted);
    let prepared = with_task!(settings, T => {
        prepare::fresh::<T>(&memory, &settings, point, 0, at).map(|(first, _)| first)
    })?;
    let refresh = prepared.refresh.ok_or_else(|| crate::error::damaged(path, "refresh", point.row))?;
    Ok((refresh, sampled))
}

//! Exports of Label Studio: JSON with whole annotations, and JSON_MIN or CSV with a row per annotation.

use labelwise_study::{Author, Said};
use serde_json::{Map, Value};

use super::{Found, Given, Told, keys, one_answer, scalar, time};
use crate::error::{Error, Result};
use crate::label_studio::config::{LABEL, OTHER};
use crate::label_studio::task::{ITEM, Task};
use crate::view::Question;

/// Whether the first line of a table has the columns of an export.
pub(super) fn is_table(text: &str) -> bool {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let has = |name: &str| header.iter().any(|column| column == name);
    has(ITEM) && has("annotation_id")
}

/// The rows of a CSV export.
pub(super) fn table(text: &str, _by: &Author) -> Result<Found> {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Error::File {
            what: "the export is not valid CSV".to_owned(),
            line: error.position().and_then(|at| usize::try_from(at.line()).ok()),
        })?;
        let cells = header.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
        let row: Map<String, Value> =
            cells.map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect();
        rows.push(Value::Object(row));
    }
    Ok(found(rows.iter().filter_map(flat).collect(), 0))
}

/// The tasks of a JSON export, or the rows of JSON_MIN.
pub(super) fn tasks(rows: Vec<Value>) -> Result<Found> {
    let (mut answers, mut waiting) = (Vec::new(), 0);
    for row in rows {
        if row.get("annotations").is_none() {
            answers.extend(flat(&row));
            continue;
        }
        let task: Task = serde_json::from_value(row)
            .map_err(|_| Error::File { what: "the export has a task that is none".to_owned(), line: None })?;
        let Some((item, evaluation)) = task.keys() else { continue };
        waiting += usize::from(!task.is_done());
        for annotation in task.annotations(&Question::anything(), 0) {
            let said = match annotation.said {
                Said::Label(text) => Told::Answer(text),
                Said::Unfit { reason, .. } => Told::Unfit(reason),
                Said::Skip | Said::Gone => Told::Skip,
            };
            answers.push(Given {
                item: item.to_owned(),
                evaluation: Some(evaluation.to_owned()),
                who: annotation.who,
                said,
                since: annotation.since,
                at: annotation.at,
            });
        }
    }
    Ok(found(answers, waiting))
}

fn found(answers: Vec<Given>, waiting: usize) -> Found {
    Found { answers, waiting }
}

/// One annotation with the values of its controls beside the columns.
fn flat(row: &Value) -> Option<Given> {
    let (item, evaluation) = keys(row)?;
    let texts = |key: &str| -> Vec<String> {
        match row.get(key) {
            Some(Value::Array(list)) => list.iter().filter_map(scalar).collect(),
            // Several choices are {"choices": [...]}.
            Some(Value::Object(object)) => {
                let list = object.get("choices").and_then(Value::as_array);
                list.into_iter().flatten().filter_map(scalar).collect()
            }
            Some(other) => scalar(other).into_iter().collect(),
            None => Vec::new(),
        }
    };
    let own = texts(LABEL);
    let said = one_answer(&if own.is_empty() { texts(OTHER) } else { own });
    let user = row.get("annotator").and_then(scalar);
    let who = user.map_or_else(|| "somebody".to_owned(), |user| format!("user {user}"));
    let (since, at) = (time(row, "created_at"), time(row, "updated_at"));
    Some(Given { item, evaluation, who, said, since, at: at.max(since) })
}

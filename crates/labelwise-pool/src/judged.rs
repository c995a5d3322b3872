//! Columns of judges and of other models' results, as they are in the file. What their values mean is decided later, when the
//! loss and the labels are known.

use std::path::Path;

use crate::column::Column;
use crate::error::{Error, Purpose, Result};
use crate::families;
use crate::history_files;
use crate::pairs::SecondSystem;
use crate::reading::Reading;
use crate::source::{Empty, Field, SelectedColumn, Selection};

/// What judges and other models said about the items.
#[derive(Debug, Clone, Default)]
pub struct JudgedColumns {
    /// The judges, in the order of the request.
    pub judges: Vec<JudgeColumn>,
    /// The results of other models, by name.
    pub history: Vec<(String, Column)>,
    /// Known labels, if they were asked for.
    pub labels: Option<Column>,
    /// The answers of a second system to the same prompts, each of which has a label of its own.
    pub second: Option<Box<SecondSystem>>,
}

/// A judge.
#[derive(Debug, Clone)]
pub struct JudgeColumn {
    /// Its name.
    pub name: String,
    /// Its scores or verdicts: one column, or one for each order in which it saw two answers. A blank is a missing one.
    pub orders: Vec<Column>,
}

impl JudgedColumns {
    /// The same of some rows, in this order.
    pub fn picked(&self, rows: &[usize]) -> Self {
        let judge = |judge: &JudgeColumn| JudgeColumn {
            name: judge.name.clone(),
            orders: judge.orders.iter().map(|column| column.picked(rows)).collect(),
        };
        Self {
            judges: self.judges.iter().map(judge).collect(),
            history: self.history.iter().map(|(name, column)| (name.clone(), column.picked(rows))).collect(),
            labels: self.labels.as_ref().map(|column| column.picked(rows)),
            second: None,
        }
    }
}

/// The wanted columns: number of orders of each judge, and the names of the history.
pub(crate) struct Wanted {
    judges: Vec<(String, usize)>,
    history: Vec<String>,
}

/// Adds the columns of judges and history to those that are read.
pub(crate) fn want(
    path: &Path,
    fields: &[Field],
    reading: &Reading,
    wanted: &mut Selection,
) -> Result<Option<Wanted>> {
    if !reading.is_judged() {
        return Ok(None);
    }
    let mut found = Wanted { judges: Vec::new(), history: Vec::new() };
    let mut push = |field| wanted.columns.push(SelectedColumn { field, empty: Empty::Kept });
    let is_label = |name: &str| reading.labels.as_deref() == Some(name);
    let place = |name: &str, purpose: Purpose| match is_label(name) {
        true => Err(Error::LabelsTwice { path: path.to_owned(), name: name.to_owned(), purpose }),
        false => families::place(path, fields, name, purpose),
    };
    for judge in &reading.judges {
        let whole = fields.iter().any(|field| field.name == *judge);
        let names: Vec<&str> = if whole { vec![judge] } else { judge.split('+').map(str::trim).collect() };
        for name in &names {
            push(place(name, Purpose::Judge)?);
        }
        found.judges.push((judge.clone(), names.len()));
    }
    for pattern in reading.history.iter().filter(|pattern| !history_files::is_file(pattern)) {
        // The results that are to be estimated are often among those that fit the pattern.
        let others = |at: &usize| fields.get(*at).is_some_and(|field| !is_label(&field.name));
        let places: Vec<usize> = match pattern.contains('*') {
            true => families::matching(pattern, fields).fields.into_iter().filter(others).collect(),
            false => Vec::new(),
        };
        let places = match places.is_empty() {
            true => vec![place(pattern, Purpose::History)?],
            false => places,
        };
        for place in places {
            push(place);
            found.history.extend(fields.get(place).map(|field| field.name.clone()));
        }
    }
    Ok(Some(found))
}

impl Wanted {
    /// The columns as they were read, in the order in which they were wanted.
    pub(crate) fn take(self, columns: &mut impl Iterator<Item = Column>) -> JudgedColumns {
        let mut next = || columns.next().map(unwrapped).unwrap_or_default();
        let mut judges = Vec::with_capacity(self.judges.len());
        for (name, orders) in self.judges {
            judges.push(JudgeColumn { name, orders: (0..orders).map(|_| next()).collect() });
        }
        let history = self.history.into_iter().map(|name| (name, next())).collect();
        JudgedColumns { judges, history, labels: None, second: None }
    }
}

fn is_list(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']')
}

/// Whether some cells are lists of one number or text, so that the column is not one of vectors.
pub(crate) fn has_single_lists(column: &Column) -> bool {
    let Column::Texts(texts) = column else { return false };
    let is_single = |text: &str| is_list(text) && !text.contains(',') && text.len() > "[]".len();
    texts.iter().map(str::trim).any(is_single)
}

/// A column of lists in texts, as of the scores in tables of Langfuse: the mean of numbers, or the text that all agree on.
pub(crate) fn unwrapped(column: Column) -> Column {
    let Column::Texts(texts) = &column else { return column };
    let known = || texts.iter().map(str::trim).filter(|text| !text.is_empty());
    if known().next().is_none() || !known().all(is_list) {
        return column;
    }
    let one = |text: &str| -> String {
        let Ok(parts) = serde_json::from_str::<Vec<serde_json::Value>>(text.trim()) else {
            return text.to_owned();
        };
        let numbers: Option<Vec<f64>> = parts.iter().map(serde_json::Value::as_f64).collect();
        #[allow(clippy::cast_precision_loss, reason = "scores of an item are few")]
        match (numbers, parts.as_slice()) {
            (_, []) => String::new(),
            (Some(numbers), _) => (numbers.iter().sum::<f64>() / numbers.len() as f64).to_string(),
            (None, [first, others @ ..]) if others.iter().all(|other| other == first) => {
                first.as_str().map_or_else(|| first.to_string(), str::to_owned)
            }
            _ => String::new(),
        }
    };
    let single: Vec<String> =
        texts.iter().map(|text| if text.trim().is_empty() { String::new() } else { one(text) }).collect();
    Column::Texts(single.iter().map(String::as_str).collect())
}

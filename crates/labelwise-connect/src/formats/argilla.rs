//! Argilla: records with fields, metadata and responses. The form for export is `dataset.records.to_list(flatten=True)`; the other
//! one does not say whether a response was submitted.

use std::collections::BTreeSet;

use labelwise_study::Asked;
use serde_json::{Map, Value, json};

use super::{Found, Given, Told, add_keys, keys, names, one_answer, scalar};
use crate::error::{Error, Result};
use crate::label_studio::task::EVALUATION;
use crate::view::{Kind, View, messages};

/// An item as `Record.from_dict` takes it.
pub(super) fn record(view: &View, asked: &Asked) -> Value {
    let mut fields = Map::new();
    for (place, (column, text)) in view.texts(asked).into_iter().enumerate() {
        let value = match column.kind {
            Kind::Chat => {
                let messages = messages(text).into_iter();
                messages.map(|(role, content)| json!({"role": role, "content": content})).collect()
            }
            Kind::Text | Kind::Image | Kind::Audio => json!(text),
        };
        fields.insert(view.title(place, column).to_owned(), value);
    }
    if fields.is_empty() {
        fields.insert("item".to_owned(), json!(asked.id));
    }
    let mut metadata = Map::new();
    add_keys(&mut metadata, view, asked);
    json!({"id": asked.id, "fields": fields, "metadata": metadata, "suggestions": {}, "responses": {}, "vectors": {}})
}

/// The responses in exported records.
pub(super) fn records(rows: &[Value], wanted: Option<&str>) -> Result<Found> {
    let questions: BTreeSet<String> = rows.iter().flat_map(questions).collect();
    let question = match (wanted, questions.len()) {
        (Some(wanted), _) if questions.contains(wanted) || questions.is_empty() => wanted.to_owned(),
        (None, 0 | 1) => questions.first().cloned().unwrap_or_default(),
        _ => {
            let what = format!(
                "the records have answers to the questions {}: name the one that is the label with --question",
                names(&questions)
            );
            return Err(Error::File { what, line: None });
        }
    };
    let mut found = Found::default();
    for row in rows {
        let metadata = row.get("metadata").unwrap_or(row);
        let item = keys(metadata).or_else(|| Some((row.get("id").and_then(scalar)?, None)));
        let Some((item, evaluation)) = item else { continue };
        let evaluation = evaluation.or_else(|| row.get(EVALUATION).and_then(scalar));
        let before = found.answers.len();
        for (who, value, status) in responses(row, &question)? {
            let said = match status.as_str() {
                "submitted" => value_of(&value),
                "discarded" => Told::Skip,
                // A draft, or one that is pending.
                _ => continue,
            };
            let (item, evaluation) = (item.clone(), evaluation.clone());
            found.answers.push(Given { item, evaluation, who, said, since: 0, at: 0 });
        }
        found.waiting += usize::from(found.answers.len() == before);
    }
    Ok(found)
}

/// The questions that a record has responses to.
fn questions(row: &Value) -> Vec<String> {
    let flat = row.as_object().into_iter().flatten();
    let flat =
        flat.filter(|(_, value)| value.is_array()).filter_map(|(key, _)| key.strip_suffix(".responses"));
    let nested = match row.get("responses") {
        Some(Value::Object(responses)) => responses.keys().cloned().collect(),
        Some(Value::Array(list)) => {
            let values = list.iter().filter_map(|one| one.get("values")?.as_object());
            values.flat_map(|values| values.keys().cloned()).collect()
        }
        _ => Vec::new(),
    };
    flat.map(str::to_owned).chain(nested).collect()
}

/// The responses to a question: who, what, and the status.
fn responses(row: &Value, question: &str) -> Result<Vec<(String, Value, String)>> {
    let list = |key: &str| row.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(scalar);
    let user = |who: Option<String>| who.unwrap_or_else(|| "somebody".to_owned());
    if let Some(Value::Object(responses)) = row.get("responses") {
        let given = responses.get(question).and_then(Value::as_array).cloned().unwrap_or_default();
        let read = |one: Value| {
            let status = text(one.get("status")).ok_or_else(|| Error::File {
                what: "the records do not say which responses were submitted: export them with \
                       `dataset.records.to_list(flatten=True)`"
                    .to_owned(),
                line: None,
            })?;
            Ok((user(text(one.get("user_id"))), one.get("value").cloned().unwrap_or_default(), status))
        };
        return given.into_iter().map(read).collect();
    }
    if row.get("responses").is_some_and(Value::is_array) {
        let one = |one: Value| {
            let value = one.get("values").and_then(|values| values.get(question)?.get("value")).cloned();
            (
                user(text(one.get("user_id"))),
                value.unwrap_or_default(),
                text(one.get("status")).unwrap_or_default(),
            )
        };
        return Ok(list("responses").into_iter().map(one).collect());
    }
    let values = list(&format!("{question}.responses"));
    let (users, statuses) =
        (list(&format!("{question}.responses.users")), list(&format!("{question}.responses.status")));
    let one = |(place, value): (usize, Value)| {
        (user(text(users.get(place))), value, text(statuses.get(place)).unwrap_or_default())
    };
    Ok(values.into_iter().enumerate().map(one).collect())
}

/// A label, a rating or a text; several labels are no answer.
fn value_of(value: &Value) -> Told {
    match value {
        Value::Array(list) => one_answer(&list.iter().filter_map(scalar).collect::<Vec<_>>()),
        other => one_answer(&scalar(other).into_iter().collect::<Vec<_>>()),
    }
}

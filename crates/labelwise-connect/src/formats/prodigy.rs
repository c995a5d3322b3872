//! Prodigy: a task per line. `answer` says accept, reject or ignore; keys of ours come back as they went.

use labelwise_study::{Asked, Author};
use serde_json::{Map, Value, json};

use super::{Found, Given, Told, add_keys, keys, one_answer, one_text, scalar};
use crate::view::{Kind, View};

/// An item as a line of JSONL, for the interface `choice`, or `text_input` where labels are numbers.
pub(super) fn task(view: &View, asked: &Asked) -> Value {
    let mut row = Map::new();
    let texts = view.texts(asked);
    match texts.as_slice() {
        [(column, address)] if column.kind == Kind::Image => row.insert("image".to_owned(), json!(address)),
        [(column, address)] if column.kind == Kind::Audio => row.insert("audio".to_owned(), json!(address)),
        _ => row.insert("text".to_owned(), json!(one_text(view, asked))),
    };
    match view.question.choices() {
        Some(choices) => {
            let options = choices.iter().map(|choice| json!({"id": choice, "text": choice}));
            row.insert("options".to_owned(), options.collect());
        }
        None => {
            row.insert("field_label".to_owned(), json!(view.words));
        }
    }
    row.insert("meta".to_owned(), json!({"draw": asked.place + 1}));
    add_keys(&mut row, view, asked);
    Value::Object(row)
}

/// The answers in an export (`prodigy db-out`).
pub(super) fn answers(rows: &[Value], by: &Author) -> Found {
    let mut found = Found::default();
    for row in rows {
        let Some((item, evaluation)) = keys(row) else { continue };
        let said = match row.get("answer").and_then(Value::as_str) {
            Some("accept") => accepted(row),
            // Rejected is the task, not one of its classes.
            Some("reject" | "ignore") => Told::Skip,
            _ => {
                found.waiting += 1;
                continue;
            }
        };
        let who = ["_annotator_id", "_session_id"].iter().find_map(|key| row.get(key).and_then(scalar));
        let seconds =
            row.get("_timestamp").and_then(Value::as_f64).filter(|seconds| (0.0..1e11).contains(seconds));
        #[allow(clippy::cast_possible_truncation, reason = "seconds of this age fit")]
        let at = seconds.map_or(0, |seconds| (seconds * 1e6) as i64);
        let who = who.unwrap_or_else(|| by.who.clone());
        found.answers.push(Given { item, evaluation, who, said, since: at, at });
    }
    found
}

/// The chosen option, the text that was typed, or the label that was accepted.
fn accepted(row: &Value) -> Told {
    let texts = |key: &str| -> Vec<String> {
        match row.get(key) {
            Some(Value::Array(list)) => list.iter().filter_map(scalar).collect(),
            Some(value) => scalar(value).into_iter().filter(|text| !text.trim().is_empty()).collect(),
            None => Vec::new(),
        }
    };
    let found =
        ["accept", "user_input", "label"].iter().map(|key| texts(key)).find(|found| !found.is_empty());
    one_answer(&found.unwrap_or_default())
}

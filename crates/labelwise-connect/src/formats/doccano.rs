//! doccano: a text with a list of labels per line. Exports of several people are a file per person, which has their name.

use labelwise_study::{Asked, Author};
use serde_json::{Map, Value, json};

use super::{Found, Given, add_keys, keys, one_answer, one_text, scalar};
use crate::view::View;

/// The name of the file in which doccano puts the labels of everybody.
const EVERYBODY: &str = "all";

/// An item as a line of JSONL. Other keys than text and label are kept as metadata.
pub(super) fn example(view: &View, asked: &Asked) -> Value {
    let mut row = Map::new();
    row.insert("text".to_owned(), json!(one_text(view, asked)));
    row.insert("label".to_owned(), json!([]));
    add_keys(&mut row, view, asked);
    Value::Object(row)
}

/// The labels in an export. An example without a label waits.
pub(super) fn examples(rows: &[Value], name: &str, by: &Author) -> Found {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
    let who = if stem.is_empty() || stem == EVERYBODY || stem == "stdin" { by.who.as_str() } else { stem };
    let mut found = Found::default();
    for row in rows {
        let Some((item, evaluation)) = keys(row) else { continue };
        let labels: Vec<String> =
            row.get("label").and_then(Value::as_array).into_iter().flatten().filter_map(scalar).collect();
        if labels.is_empty() {
            found.waiting += 1;
            continue;
        }
        let said = one_answer(&labels);
        found.answers.push(Given { item, evaluation, who: who.to_owned(), said, since: 0, at: 0 });
    }
    found
}

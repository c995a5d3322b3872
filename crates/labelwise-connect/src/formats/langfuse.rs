//! Langfuse: items of an annotation queue, and the scores that people gave there. An item is a trace, called by its id.

use std::collections::BTreeSet;

use labelwise_study::Asked;
use serde_json::{Value, json};

use super::{Found, Given, Told, keys, names, one_answer, scalar, time};
use crate::error::{Error, Result};

/// An item as a queue takes it (`POST /api/public/annotation-queues/QUEUE/items`).
pub(super) fn queue_item(asked: &Asked) -> Value {
    json!({"objectId": asked.id, "objectType": "TRACE"})
}

/// The scores of people. Scores of programs and of judges do not count.
pub(super) fn scores(rows: &[Value], wanted: Option<&str>) -> Result<Found> {
    let text = |row: &Value, key: &str| row.get(key).and_then(scalar).filter(|text| !text.is_empty());
    let by_people = |row: &&Value| text(row, "source").as_deref() == Some("ANNOTATION");
    let given: Vec<&Value> = rows.iter().filter(by_people).collect();
    let all: BTreeSet<String> = given.iter().filter_map(|row| text(row, "name")).collect();
    let name = match (wanted, all.len()) {
        (Some(wanted), _) => Some(wanted.to_owned()),
        (None, 0 | 1) => all.first().cloned(),
        (None, _) => {
            let what = format!(
                "people gave the scores {}: name the one that is the label with --question",
                names(&all)
            );
            return Err(Error::File { what, line: None });
        }
    };
    let mut found = Found::default();
    for row in given {
        if text(row, "name") != name {
            continue;
        }
        let subject = row.get("subject").and_then(|subject| text(subject, "id"));
        let metadata = row.get("metadata").and_then(keys);
        let trace = text(row, "traceId").or(subject);
        let Some((item, evaluation)) = metadata.or_else(|| Some((trace?, None))) else { continue };
        let who = text(row, "authorUserId").unwrap_or_else(|| "somebody".to_owned());
        let (since, at) = (time(row, "createdAt"), time(row, "updatedAt"));
        found.answers.push(Given { item, evaluation, who, said: said(row), since, at: at.max(since) });
    }
    Ok(found)
}

/// The words of a category, or the number.
fn said(row: &Value) -> Told {
    let words = row.get("stringValue").filter(|value| !value.is_null());
    let value = words.or_else(|| row.get("value"));
    one_answer(&value.and_then(scalar).into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>())
}

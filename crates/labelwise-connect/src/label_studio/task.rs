//! Tasks of Label Studio: an item on its way there, and what people said on its way back.

use std::collections::BTreeMap;

use labelwise_study::{Annotation, Asked, Report, Said};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::config::{OTHER, key};
use crate::moment::micros;
use crate::view::{Kind, Question, View, messages};

/// The keys of ours in the data of a task. They are in `data` and not in `meta`, because exports keep `data` alone.
pub(crate) const ITEM: &str = "lw_item";
pub(crate) const EVALUATION: &str = "lw_evaluation";
pub(crate) const DRAW: &str = "lw_draw";

/// Names of people are cut to this length.
const LONGEST_NAME: usize = 200;

/// An item as a task. It has no prediction: a person who sees the model's answer is led by it.
pub(crate) fn task(view: &View, asked: &Asked) -> Value {
    let mut data = Map::new();
    for (place, (column, text)) in view.texts(asked).into_iter().enumerate() {
        let value = match column.kind {
            Kind::Chat => {
                let messages = messages(text).into_iter();
                messages.map(|(role, content)| json!({"role": role, "content": content})).collect()
            }
            Kind::Text | Kind::Image | Kind::Audio => json!(text),
        };
        data.insert(key(place, &column.name), value);
    }
    data.insert(ITEM.to_owned(), json!(asked.id));
    data.insert(EVALUATION.to_owned(), json!(view.evaluation));
    data.insert(DRAW.to_owned(), json!(asked.place));
    json!({ "data": data })
}

/// A task as the server or an export has it. What is not needed is not read.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Task {
    pub(crate) id: u64,
    #[serde(default, rename = "data", deserialize_with = "keys")]
    keys: Option<(String, String)>,
    #[serde(default, deserialize_with = "lists")]
    annotations: Vec<Made>,
    #[serde(default)]
    pub(crate) updated_at: Option<String>,
}

/// An annotation as the server has it.
#[derive(Debug, Clone, Deserialize)]
struct Made {
    #[serde(default)]
    result: Value,
    #[serde(default)]
    was_cancelled: Option<bool>,
    #[serde(default)]
    completed_by: Value,
    #[serde(default)]
    created_username: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    updated_at: Option<String>,
}

/// The item and the evaluation of a task. Nothing else of its data is kept.
fn keys<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<(String, String)>, D::Error> {
    let data = Value::deserialize(deserializer)?;
    let of = |key: &str| data.get(key).and_then(text);
    Ok(of(ITEM).zip(of(EVALUATION)))
}

/// A list, or nothing.
fn lists<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Made>, D::Error> {
    Ok(Option::<Vec<Made>>::deserialize(deserializer)?.unwrap_or_default())
}

impl Task {
    /// The item and the evaluation that a task is of; `None` if labelwise did not make it.
    pub(crate) fn keys(&self) -> Option<(&str, &str)> {
        self.keys.as_ref().map(|(item, evaluation)| (item.as_str(), evaluation.as_str()))
    }

    /// What people said about it.
    pub(crate) fn annotations(&self, question: &Question, item: usize) -> Vec<Annotation> {
        self.annotations.iter().map(|made| made.annotation(question, item)).collect()
    }

    /// Whether somebody has done with it.
    pub(crate) fn is_done(&self) -> bool {
        !self.annotations.is_empty()
    }
}

/// What tasks say about items, one report per item, in the order of their tasks. `items` gives the row in the pool.
pub(crate) fn reports<'a>(
    tasks: impl IntoIterator<Item = &'a Task>,
    question: &Question,
    items: &BTreeMap<String, usize>,
) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for task in tasks {
        let Some((id, _)) = task.keys() else { continue };
        let item = items.get(id).copied().unwrap_or(0);
        let annotations = task.annotations(question, item);
        let place = *places.entry(id.to_owned()).or_insert_with(|| {
            reports.push(Report { id: id.to_owned(), annotations: Vec::new(), is_whole: true });
            reports.len() - 1
        });
        if let Some(report) = reports.get_mut(place) {
            report.annotations.extend(annotations);
        }
    }
    reports
}

impl Made {
    fn annotation(&self, question: &Question, item: usize) -> Annotation {
        let said = if self.was_cancelled == Some(true) {
            Said::Skip
        } else {
            match answer(&self.result) {
                Ok(answer) => Said::Label(question.label(&answer, item)),
                Err(reason) => Said::Unfit { text: String::new(), reason },
            }
        };
        let time = |text: &Option<String>| text.as_deref().and_then(micros);
        let at = time(&self.updated_at).or_else(|| time(&self.created_at)).unwrap_or(0);
        Annotation { who: self.who(), said, since: time(&self.created_at).unwrap_or(at), at }
    }

    /// The e-mail address of the author, or what else the server says.
    fn who(&self) -> String {
        // "Ada Lovelace ada@example.org, 7"
        let name = self.created_username.as_deref().unwrap_or_default().trim();
        let name = name.rsplit_once(", ").map_or(name, |(name, _)| name).trim();
        let mail = name.split_whitespace().rfind(|word| word.contains('@'));
        let of_user = |key: &str| self.completed_by.get(key).and_then(Value::as_str).map(str::to_owned);
        let id = match &self.completed_by {
            Value::Number(number) => Some(format!("user {number}")),
            Value::Object(user) => user.get("id").map(|id| format!("user {id}")),
            _ => None,
        };
        let found = mail.map(str::to_owned).or_else(|| of_user("email")).or(id);
        let found = found.or_else(|| Some(name.to_owned()).filter(|name| !name.is_empty()));
        found.unwrap_or_else(|| "somebody".to_owned()).chars().take(LONGEST_NAME).collect()
    }
}

/// The answer in the results of an annotation, or why there is none, as the end of a sentence that starts with the item.
fn answer(result: &Value) -> Result<String, String> {
    let mut answers: Vec<(bool, String)> = Vec::new();
    for one in result.as_array().map_or(&[][..], Vec::as_slice) {
        let is_other = one.get("from_name").and_then(Value::as_str) == Some(OTHER);
        let value = one.get("value").unwrap_or(&Value::Null);
        let texts = |key: &str| -> Vec<String> {
            match value.get(key) {
                Some(Value::Array(list)) => list.iter().filter_map(text).collect(),
                Some(other) => text(other).into_iter().collect(),
                None => Vec::new(),
            }
        };
        for key in ["choices", "number", "rating", "text"] {
            answers.extend(texts(key).into_iter().map(|text| (is_other, text)));
        }
    }
    answers.retain(|(_, text)| !text.trim().is_empty());
    // A class that is not listed is written into a field of its own.
    if answers.iter().any(|(is_other, _)| !is_other) {
        answers.retain(|(is_other, _)| !is_other);
    }
    match answers.as_slice() {
        [(_, answer)] => Ok(answer.clone()),
        [] => Err("was submitted without a label".to_owned()),
        several => Err(format!("has {} labels at once", several.len())),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Made, answer};

    fn made(value: serde_json::Value) -> Made {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn answers_are_found_in_every_control() {
        let of = |from: &str, value: serde_json::Value| answer(&json!([{"from_name": from, "value": value}]));
        assert_eq!(of("label", json!({"choices": ["cat"]})).unwrap(), "cat");
        assert_eq!(of("label", json!({"number": 3})).unwrap(), "3");
        assert_eq!(of("label", json!({"number": 2.5})).unwrap(), "2.5");
        assert_eq!(of("label", json!({"rating": 4})).unwrap(), "4");
        assert_eq!(of("other", json!({"text": ["newt"]})).unwrap(), "newt");
        assert_eq!(of("other", json!({"text": "newt"})).unwrap(), "newt");
        assert!(of("label", json!({"choices": ["cat", "dog"]})).unwrap_err().contains("2 labels"));
        assert!(answer(&json!([])).is_err());
        assert!(answer(&json!(null)).is_err());
        assert!(of("label", json!({"choices": [{"a": 1}]})).is_err());
        let both = json!([{"from_name": "other", "value": {"text": ["newt"]}}, {"from_name": "label", "value": {"choices": ["cat"]}}]);
        assert_eq!(answer(&both).unwrap(), "cat");
    }

    #[test]
    fn people_are_called_by_their_address() {
        let who = |name: &str, by: serde_json::Value| {
            made(json!({"created_username": name, "completed_by": by})).who()
        };
        assert_eq!(who(" test@example.com, 1", json!(1)), "test@example.com");
        assert_eq!(who("Ada Lovelace ada@example.org, 7", json!(7)), "ada@example.org");
        assert_eq!(who("", json!({"id": 3, "email": "b@c.org"})), "b@c.org");
        assert_eq!(who("", json!(7)), "user 7");
        assert_eq!(who("Ada, 7", json!(null)), "Ada");
        assert_eq!(who("", json!(null)), "somebody");
    }
}

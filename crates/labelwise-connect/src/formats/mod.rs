//! Files for people's tools: the items that were drawn, and exports with what people said about them.
//!
//! An export is recognised by its contents. It adds to what is on record, and deletes nothing: a file may hold a part.

mod argilla;
mod doccano;
mod label_studio;
mod langfuse;
mod prodigy;

use std::collections::{BTreeMap, BTreeSet};

use labelwise_study::{Annotation, Asked, Author, Heard, Link, Report, Said, Study};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::label_studio::task::{DRAW, EVALUATION, ITEM};
use crate::moment::micros;
use crate::view::{Question, View, Wish};

/// A tool that exchanges files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Label Studio.
    LabelStudio,
    /// Argilla.
    Argilla,
    /// doccano.
    Doccano,
    /// Prodigy.
    Prodigy,
    /// Langfuse.
    Langfuse,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Self; 5] =
        [Self::LabelStudio, Self::Argilla, Self::Doccano, Self::Prodigy, Self::Langfuse];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::LabelStudio => crate::label_studio::TOOL,
            Self::Argilla => "argilla",
            Self::Doccano => "doccano",
            Self::Prodigy => "prodigy",
            Self::Langfuse => "langfuse",
        }
    }

    /// The tool of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// Items as a tool imports them, in draw order. What people see is recorded with the evaluation, because answers can depend on it.
pub fn write(study: &mut Study, tool: Tool, items: &[Asked], wish: &Wish, by: &Author) -> Result<String> {
    let view = View::of(study, items, wish)?;
    let link = Link {
        tool: format!("{} file", tool.name()),
        address: String::new(),
        project: String::new(),
        view: view.to_keep(),
        at: by.at,
    };
    if !items.is_empty() {
        study.record_link(&link, by)?;
    }
    let rows: Vec<Value> = items
        .iter()
        .map(|asked| match tool {
            Tool::LabelStudio => crate::label_studio::task::task(&view, asked),
            Tool::Argilla => argilla::record(&view, asked),
            Tool::Doccano => doccano::example(&view, asked),
            Tool::Prodigy => prodigy::task(&view, asked),
            Tool::Langfuse => langfuse::queue_item(asked),
        })
        .collect();
    Ok(match tool {
        // These two import one JSON list.
        Tool::LabelStudio | Tool::Argilla => format!("{}\n", Value::Array(rows)),
        Tool::Doccano | Tool::Prodigy | Tool::Langfuse => rows.iter().map(|row| format!("{row}\n")).collect(),
    })
}

/// The label configuration of Label Studio for an evaluation.
pub fn label_config(study: &Study, wish: &Wish) -> Result<String> {
    let view = View::of(study, &study.waiting()?, wish)?;
    Ok(crate::label_studio::config::config(&view))
}

/// What an export did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TakenOver {
    /// The tool that wrote it.
    pub tool: Tool,
    /// What it changed.
    pub heard: Heard,
    /// Items in it that nobody has answered yet.
    pub waiting: usize,
    /// Number of answers in it.
    pub answers: usize,
}

/// A file that may be an export.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    /// Its name, for tools that call files by people.
    pub name: &'a str,
    /// Its contents.
    pub text: &'a str,
    /// The question in it that counts, if it has several.
    pub question: Option<&'a str>,
}

/// What an export says.
#[derive(Default)]
struct Found {
    answers: Vec<Given>,
    waiting: usize,
}

/// One answer in an export.
struct Given {
    item: String,
    /// The evaluation that the item is of, where it says so.
    evaluation: Option<String>,
    who: String,
    said: Told,
    /// When it was made and changed; 0 where the file does not say.
    since: i64,
    at: i64,
}

/// What was said, before the question is known.
enum Told {
    Answer(String),
    Skip,
    Unfit(String),
}

/// Whether a file is the export of a tool.
pub fn recognise(text: &str) -> Option<Tool> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with(['{', '[']) {
        return label_studio::is_table(start).then_some(Tool::LabelStudio);
    }
    first(start).and_then(|first| tool_of(&first))
}

/// Takes over what an export says.
pub fn take_over(study: &mut Study, export: Export<'_>, by: &Author) -> Result<TakenOver> {
    let not_one = || Error::File { what: "the file is not the export of a tool".to_owned(), line: None };
    let tool = recognise(export.text).ok_or_else(not_one)?;
    let found = match (tool, export.text.trim_start().starts_with(['{', '['])) {
        (Tool::LabelStudio, false) => label_studio::table(export.text, by)?,
        _ => {
            let rows = rows(export.text)?;
            match tool {
                Tool::LabelStudio => label_studio::tasks(rows)?,
                Tool::Argilla => argilla::records(&rows, export.question)?,
                Tool::Doccano => doccano::examples(&rows, export.name, by),
                Tool::Prodigy => prodigy::answers(&rows, by),
                Tool::Langfuse => langfuse::scores(&rows, export.question)?,
            }
        }
    };
    let own = study.settings().identity();
    if let Some(other) =
        found.answers.iter().filter_map(|given| given.evaluation.as_ref()).find(|of| **of != own)
    {
        return Err(Error::OtherEvaluation { own, other: other.clone() });
    }
    study.reload()?;
    // A project over HTTP may have been told another view than a file.
    let kept = match study.link(&format!("{} file", tool.name()))? {
        Some(link) => Some(link),
        None => study.link(tool.name())?,
    };
    let question = match kept {
        Some(link) => View::kept(study, &link.view, &Wish::default())?.question,
        None => View::of(study, &[], &Wish::default())?.question,
    };
    let reports = reports(study, &found.answers, &question)?;
    let heard = study.hear(tool.name(), &reports, by)?;
    Ok(TakenOver { tool, heard, waiting: found.waiting, answers: found.answers.len() })
}

fn reports(study: &Study, answers: &[Given], question: &Question) -> Result<Vec<Report>> {
    let rows: BTreeMap<&str, usize> = study.history()?.map(|draw| (draw.id, draw.item)).collect();
    let mut reports: Vec<Report> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for given in answers {
        let row = rows.get(given.item.as_str()).copied().unwrap_or(0);
        let said = match &given.said {
            Told::Answer(answer) => Said::Label(question.label(answer, row)),
            Told::Skip => Said::Skip,
            Told::Unfit(reason) => Said::Unfit { text: String::new(), reason: reason.clone() },
        };
        let annotation = Annotation { who: given.who.clone(), said, since: given.since, at: given.at };
        let place = *places.entry(&given.item).or_insert_with(|| {
            reports.push(Report { id: given.item.clone(), annotations: Vec::new(), is_whole: false });
            reports.len() - 1
        });
        if let Some(report) = reports.get_mut(place) {
            report.annotations.push(annotation);
        }
    }
    Ok(reports)
}

/// The first row of a file of JSON: an element of a list, a line, or an object.
fn first(text: &str) -> Option<Value> {
    let mut stream =
        serde_json::Deserializer::from_str(text.strip_prefix('[').unwrap_or(text)).into_iter::<Value>();
    let first = stream.next()?.ok()?;
    match first.get("data").and_then(Value::as_array) {
        Some(list) => list.first().cloned(),
        None => Some(first),
    }
}

fn tool_of(row: &Value) -> Option<Tool> {
    let has = |key: &str| row.get(key).is_some();
    let is_list = |key: &str| row.get(key).is_some_and(Value::is_array);
    if has("_task_hash") || has("_input_hash") || (has("answer") && has(ITEM)) {
        Some(Tool::Prodigy)
    } else if has("_server_id") || (has("fields") && has("responses")) {
        Some(Tool::Argilla)
    } else if (is_list("annotations") && has("data")) || (has("annotation_id") && has(ITEM)) {
        Some(Tool::LabelStudio)
    } else if is_list("label") && (has("text") || has("data") || has("filename")) {
        Some(Tool::Doccano)
    } else if has("dataType") && has("source") && has("name") {
        Some(Tool::Langfuse)
    } else {
        None
    }
}

/// The rows of a file of JSON.
fn rows(text: &str) -> Result<Vec<Value>> {
    let bad = |error: &serde_json::Error, line: usize| Error::File {
        what: "the export is not valid JSON".to_owned(),
        line: Some(line + error.line()),
    };
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('[') {
        return serde_json::from_str(start).map_err(|error| bad(&error, 0));
    }
    let mut rows = Vec::new();
    // One object may hold the list of rows, on one line or on many.
    if let Ok(Value::Object(mut object)) = serde_json::from_str::<Value>(start) {
        return Ok(match object.remove("data") {
            Some(Value::Array(list)) => list,
            Some(other) => {
                object.insert("data".to_owned(), other);
                vec![Value::Object(object)]
            }
            None => vec![Value::Object(object)],
        });
    }
    for (line, row) in start.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        rows.push(serde_json::from_str(row).map_err(|error| bad(&error, line))?);
    }
    Ok(rows)
}

/// A text or a number, as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The item of a row by our key, and its evaluation.
fn keys(row: &Value) -> Option<(String, Option<String>)> {
    let text = |key: &str| row.get(key).and_then(scalar);
    Some((text(ITEM)?, text(EVALUATION)))
}

/// A time in a row; 0 without one.
fn time(row: &Value, key: &str) -> i64 {
    row.get(key).and_then(Value::as_str).and_then(micros).unwrap_or(0)
}

/// The one answer of several texts.
fn one_answer(texts: &[String]) -> Told {
    match texts {
        [one] => Told::Answer(one.clone()),
        [] => Told::Unfit("was submitted without a label".to_owned()),
        several => Told::Unfit(format!("has {} labels at once", several.len())),
    }
}

/// The texts of an item as one text, for tools that show a single one.
fn one_text(view: &View, asked: &Asked) -> String {
    let texts = view.texts(asked);
    match texts.as_slice() {
        [] => asked.id.clone(),
        [(_, text)] => (*text).to_owned(),
        several => {
            let title = |place: usize, column| view.title(place, column);
            let parts = several
                .iter()
                .enumerate()
                .map(|(place, (column, text))| format!("{}:\n{text}", title(place, column)));
            parts.collect::<Vec<_>>().join("\n\n")
        }
    }
}

/// Our keys, added to an object.
fn add_keys(row: &mut serde_json::Map<String, Value>, view: &View, asked: &Asked) {
    row.insert(ITEM.to_owned(), Value::from(asked.id.clone()));
    row.insert(EVALUATION.to_owned(), Value::from(view.evaluation.clone()));
    row.insert(DRAW.to_owned(), Value::from(asked.place));
}

/// The names of people and questions in a file, for sentences.
fn names(names: &BTreeSet<String>) -> String {
    labelwise::words::listed(&names.iter().cloned().collect::<Vec<_>>())
}

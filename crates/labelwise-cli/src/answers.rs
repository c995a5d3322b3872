//! Labels as they come: `id=label` on the command line, a CSV or JSON Lines file, or a pipe.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use labelwise_store::{Answer, Durable, Reply};
use serde_json::Value;

use crate::failure::Failure;

/// Answers, and how many rows had no label yet.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) answers: Vec<Answer>,
    pub(crate) blank: usize,
}

impl Answers {
    /// Reads every source in order: `-` is stdin, a file is read, and `id=label` is one label.
    pub(crate) fn read(sources: &[String], evaluation: &Durable) -> Result<Self, Failure> {
        let mut answers = Self::default();
        for source in sources {
            let path = PathBuf::from(source);
            if source == "-" {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|source| Failure::Read { path: "stdin".into(), source })?;
                answers.take(&bytes, "stdin".into())?;
            } else if path.is_file() {
                let bytes = fs::read(&path).map_err(|source| Failure::Read { path: path.clone(), source })?;
                answers.take(&bytes, path)?;
            } else {
                answers.answers.push(single(source, evaluation)?);
            }
        }
        Ok(answers)
    }

    fn take(&mut self, bytes: &[u8], path: PathBuf) -> Result<(), Failure> {
        let text = std::str::from_utf8(bytes).map_err(|_| Failure::LabelsEncoding { path: path.clone() })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('{') {
            self.take_jsonl(text, path)
        } else {
            self.take_csv(text, path)
        }
    }

    fn take_jsonl(&mut self, text: &str, path: PathBuf) -> Result<(), Failure> {
        for (line, object) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| Failure::LabelsLine { path: path.clone(), line, why };
            let value: Value = serde_json::from_str(object).map_err(|error| wrong(error.to_string()))?;
            let id = value.get("id").and_then(scalar);
            let id = id.ok_or_else(|| wrong("has no `id`, a text or a number".to_owned()))?;
            let note = value.get("note").and_then(scalar);
            let skip = value.get("skip").and_then(Value::as_bool).unwrap_or(false);
            let reply = match value.get("label") {
                _ if skip => Reply::Skip,
                None | Some(Value::Null) => {
                    self.blank += 1;
                    continue;
                }
                Some(label) => {
                    let label = scalar(label);
                    Reply::Label(label.ok_or_else(|| wrong("`label` must be a text or a number".to_owned()))?)
                }
            };
            self.answers.push(Answer { id, reply, line: Some(line), note });
        }
        Ok(())
    }

    fn take_csv(&mut self, text: &str, path: PathBuf) -> Result<(), Failure> {
        let first = text.lines().next().unwrap_or_default();
        let delimiter = if first.contains('\t') && !first.contains(',') { b'\t' } else { b',' };
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).flexible(false).from_reader(text.as_bytes());
        let wrong = |error: csv::Error| {
            let line = error.position().map_or(1, |position| usize::try_from(position.line()).unwrap_or(1));
            Failure::LabelsLine { path: path.clone(), line, why: error.to_string() }
        };
        let header = reader.headers().map_err(wrong)?.clone();
        let column = |name: &str| header.iter().position(|column| column.trim() == name);
        let (Some(id), Some(label)) = (column("id"), column("label")) else {
            let columns = header.iter().collect::<Vec<_>>().join(", ");
            return Err(Failure::LabelsColumns { path, columns });
        };
        let (skip, note) = (column("skip"), column("note"));
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let cell =
                |column: Option<usize>| column.and_then(|column| record.get(column)).unwrap_or_default();
            let line = record.position().and_then(|position| usize::try_from(position.line()).ok());
            let skipped = matches!(cell(skip).trim(), "1" | "true" | "yes");
            let reply = match cell(Some(label)) {
                _ if skipped => Reply::Skip,
                "" => {
                    self.blank += 1;
                    continue;
                }
                label => Reply::Label(label.to_owned()),
            };
            let note = Some(cell(note)).filter(|note| !note.is_empty()).map(str::to_owned);
            self.answers.push(Answer { id: cell(Some(id)).to_owned(), reply, line, note });
        }
        Ok(())
    }
}

/// `id=label`. An id or a label may have an equals sign itself: the first that leaves an id which was asked counts.
fn single(text: &str, evaluation: &Durable) -> Result<Answer, Failure> {
    let splits = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let asked = splits.clone().find(|(id, _)| evaluation.was_asked(id));
    let (id, label) = asked
        .or_else(|| splits.clone().next())
        .ok_or_else(|| Failure::NoLabels { given: text.to_owned() })?;
    Ok(Answer::new(id, label))
}

/// A text or a number as people would write it.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

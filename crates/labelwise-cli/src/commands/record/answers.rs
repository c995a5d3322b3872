//! Reads labels: `id=label` on the command line, a CSV or JSON Lines file, or stdin.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use labelwise::words::quoted;
use labelwise_study::text::{RecordLines, delimiter, plain};
use labelwise_study::{Answer, Reply, Study};
use serde_json::Value;

use crate::error::Error;

/// Answers, and the rows that are none.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) answers: Vec<Answer>,
    /// The source of each answer, as a place in `sources`.
    origins: Vec<usize>,
    /// The number of rows without a label.
    pub(crate) blank: usize,
    /// Invalid rows.
    pub(crate) invalid: Vec<InvalidRow>,
    /// The names of the files that were read.
    sources: Vec<PathBuf>,
}

/// A row that cannot be read.
#[derive(Debug)]
pub(crate) struct InvalidRow {
    /// Its file, as a place among the sources.
    source: usize,
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// Something that labels are read from.
pub(crate) enum Source {
    /// The bytes of a file or of stdin.
    File { path: PathBuf, bytes: Vec<u8> },
    /// `id=label`.
    Single(String),
}

impl Source {
    /// Reads a source to its end: `-` is stdin, a file is read, and anything else is one label.
    pub(crate) fn read(source: &String) -> Result<Self, Error> {
        let path = PathBuf::from(source);
        if source == "-" {
            let (path, mut bytes) = (PathBuf::from("stdin"), Vec::new());
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|source| Error::Read { path: path.clone(), source })?;
            Ok(Self::File { path, bytes })
        } else if path.exists() && !path.is_dir() {
            let bytes = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
            Ok(Self::File { path, bytes })
        } else {
            Ok(Self::Single(source.clone()))
        }
    }
}

impl Answers {
    /// The answers of one file.
    pub(crate) fn of_file(path: PathBuf, bytes: &[u8]) -> Result<Self, Error> {
        let mut answers = Self::default();
        answers.take_file(path, bytes.to_vec(), false)?;
        Ok(answers)
    }

    /// The answers of every source, in order.
    pub(crate) fn of(sources: Vec<Source>, evaluation: &Study, partial: bool) -> Result<Self, Error> {
        let mut answers = Self::default();
        for source in sources {
            match source {
                Source::File { path, bytes } => answers.take_file(path, bytes, partial)?,
                Source::Single(text) => {
                    answers.sources.push(PathBuf::new());
                    answers.push(single(&text, evaluation)?);
                }
            }
        }
        Ok(answers)
    }

    /// The answers of a file. Its invalid rows are kept if they may be left out; otherwise they are an error.
    fn take_file(&mut self, path: PathBuf, bytes: Vec<u8>, partial: bool) -> Result<(), Error> {
        let before = self.invalid.len();
        self.take(bytes, path.clone())?;
        let invalid = self.invalid.get(before..).unwrap_or_default();
        if partial || invalid.is_empty() {
            return Ok(());
        }
        let lines = invalid.iter().map(|row| (row.line, row.reason.clone())).collect();
        Err(Error::LabelsLines { path, lines })
    }

    /// The file of an answer; `None` if it was given on the command line, or if only one file was read.
    pub(crate) fn source_of(&self, answer: usize) -> Option<&Path> {
        self.source(*self.origins.get(answer)?)
    }

    /// The file of an invalid row, by the same rule.
    pub(crate) fn source_of_row(&self, row: &InvalidRow) -> Option<&Path> {
        self.source(row.source)
    }

    fn source(&self, place: usize) -> Option<&Path> {
        let path = self.sources.get(place).filter(|_| self.sources.len() > 1)?;
        Some(path.as_path()).filter(|path| !path.as_os_str().is_empty())
    }

    fn push(&mut self, answer: Answer) {
        self.answers.push(answer);
        self.origins.push(self.sources.len().saturating_sub(1));
    }

    fn refuse(&mut self, line: usize, reason: String) {
        self.invalid.push(InvalidRow { source: self.sources.len().saturating_sub(1), line, reason });
    }

    fn take(&mut self, bytes: Vec<u8>, path: PathBuf) -> Result<(), Error> {
        self.sources.push(path.clone());
        let bytes = plain(&path, bytes)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::LabelsEncoding { path: path.clone() })?;
        match text.trim_start().chars().next() {
            None => Err(Error::LabelsEmpty { path }),
            Some('{') => {
                self.take_jsonl(text);
                Ok(())
            }
            Some('[') => self.take_list(text, path),
            Some(_) => self.take_csv(text, path),
        }
    }

    fn take_jsonl(&mut self, text: &str) {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        for (line, object) in lines {
            let value = serde_json::from_str(object).map_err(|_| "is not a JSON object".to_owned());
            if let Err(why) = value.and_then(|value| self.take_object(&value, line)) {
                self.refuse(line, why);
            }
        }
    }

    /// One JSON list of objects.
    fn take_list(&mut self, text: &str, path: PathBuf) -> Result<(), Error> {
        let list: Vec<Value> = serde_json::from_str(text)
            .map_err(|error| Error::LabelsLines { path, lines: vec![(error.line(), error.to_string())] })?;
        for (place, value) in (1..).zip(&list) {
            if let Err(why) = self.take_object(value, place) {
                self.refuse(place, why);
            }
        }
        Ok(())
    }

    fn take_object(&mut self, value: &Value, line: usize) -> Result<(), String> {
        let id = value.get("id").and_then(scalar).ok_or("has no `id` that is a text or a number")?;
        let note = value.get("note").and_then(scalar);
        let skip = value.get("skip").and_then(scalar).unwrap_or_default();
        let reply = match value.get("label") {
            _ if truth(&skip)? => Reply::Skip,
            None | Some(Value::Null) => {
                self.blank += 1;
                return Ok(());
            }
            Some(label) => {
                Reply::Label(scalar(label).ok_or("has a `label` that is not a text and not a number")?)
            }
        };
        let who = ["who", "annotator"].iter().find_map(|key| value.get(key).and_then(scalar));
        self.push(Answer {
            id,
            reply,
            line: Some(line),
            note,
            who: who.filter(|who| !who.trim().is_empty()),
        });
        Ok(())
    }

    fn take_csv(&mut self, text: &str, path: PathBuf) -> Result<(), Error> {
        let (delimiter, lines) = (delimiter(text.as_bytes(), b','), RecordLines::new(text.as_bytes()));
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
        let header = reader.headers().cloned().unwrap_or_default();
        let column = |name: &str| header.iter().position(|column| column.trim().eq_ignore_ascii_case(name));
        let (Some(id), Some(label)) = (column("id"), column("label")) else {
            let columns = header.iter().collect::<Vec<_>>().join(", ");
            return Err(Error::LabelsColumns { path, columns });
        };
        let columns = Columns {
            id,
            label,
            skip: column("skip"),
            note: column("note"),
            who: column("who").or_else(|| column("annotator")),
        };
        let mut record = StringRecord::new();
        loop {
            let read = reader.read_record(&mut record);
            let line = lines.first(record.as_byte_record(), reader.position().line());
            let line = usize::try_from(line).unwrap_or(0);
            let taken = match read {
                Ok(false) => break,
                Ok(true) => self.take_record(&record, &columns, line),
                Err(error) => Err(why(&error)),
            };
            if let Err(why) = taken {
                self.refuse(line, why);
            }
        }
        Ok(())
    }

    fn take_record(&mut self, record: &StringRecord, columns: &Columns, line: usize) -> Result<(), String> {
        let cell =
            |column: Option<usize>| column.and_then(|column| record.get(column)).unwrap_or_default().trim();
        let reply = match (truth(cell(columns.skip))?, cell(Some(columns.label))) {
            (true, _) => Reply::Skip,
            (false, "") => {
                self.blank += 1;
                return Ok(());
            }
            (false, label) => Reply::Label(label.to_owned()),
        };
        let note = Some(cell(columns.note)).filter(|note| !note.is_empty()).map(str::to_owned);
        let id = cell(Some(columns.id)).to_owned();
        let who = Some(cell(columns.who)).filter(|who| !who.is_empty()).map(str::to_owned);
        self.push(Answer { id, reply, line: Some(line), note, who });
        Ok(())
    }
}

/// Where the columns of labels are.
struct Columns {
    id: usize,
    label: usize,
    skip: Option<usize>,
    note: Option<usize>,
    who: Option<usize>,
}

/// The reason of an error, without its line.
fn why(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("has {len} cells, but the first line has {expected_len}")
        }
        _ => error.to_string(),
    }
}

/// Parses the value of `skip`.
fn truth(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "yes" => Ok(true),
        "" | "0" | "0.0" | "false" | "no" => Ok(false),
        _ => Err(format!("has {} for `skip`, which must be true or false", quoted(text))),
    }
}

/// Parses `id=label`. Ids and labels can contain an equals sign: the longest id that was asked is used.
fn single(text: &str, evaluation: &Study) -> Result<Answer, Error> {
    let splits = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let mut chosen = None;
    for (id, label) in splits {
        if chosen.is_none() || evaluation.was_asked(id)? {
            chosen = Some((id, label));
        }
    }
    let (id, label) = chosen.ok_or_else(|| Error::NoLabels { given: text.to_owned() })?;
    Ok(Answer::new(id, label))
}

/// A text, number or truth value as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Answers;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bad_bytes_are_refused_and_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Answers::default().take(bytes, "labels".into());
        }

        #[test]
        fn texts_that_look_like_labels_never_panic(text in "[{\\[]?[\"a-z:,;\\n\\t =0-9]{0,120}") {
            let _ = Answers::default().take(format!("id,label\n{text}").into_bytes(), "labels".into());
            let _ = Answers::default().take(text.into_bytes(), "labels".into());
        }

        #[test]
        fn labels_come_back_as_they_were_written(ids in prop::collection::vec("[a-z0-9,;\"=]{1,8}", 1..8)) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["id", "label"])?;
            for id in &ids {
                writer.write_record([id, "a cat"])?;
            }
            let mut answers = Answers::default();
            prop_assert!(answers.take(writer.into_inner()?, "labels".into()).is_ok());
            let read: Vec<&str> = answers.answers.iter().map(|answer| answer.id.as_str()).collect();
            prop_assert_eq!(read, ids);
        }
    }
}

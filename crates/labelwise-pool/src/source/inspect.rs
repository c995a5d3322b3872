//! Logs of Inspect: a ZIP archive with one JSON file per sample, or one JSON file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use zip::ZipArchive;

use super::cell::Cell;
use super::json_table::parse;
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;
use crate::reading::Reading;

/// The columns that every log has; each scorer adds one of its name.
const COLUMNS: [&str; 4] = ["id", "input", "target", "completion"];

/// A log, with the samples of one epoch.
pub(crate) struct InspectFile {
    fields: Vec<Field>,
    samples: Vec<Sample>,
}

/// The parts of a sample that are used.
#[derive(Deserialize)]
struct Sample {
    id: Value,
    #[serde(default = "first_epoch")]
    epoch: u64,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    target: Value,
    #[serde(default)]
    output: Option<Output>,
    #[serde(default)]
    scores: Option<BTreeMap<String, Score>>,
    #[serde(default)]
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    completion: Option<String>,
}

#[derive(Deserialize)]
struct Score {
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Log {
    #[serde(default)]
    samples: Vec<Sample>,
}

fn first_epoch() -> u64 {
    1
}

impl InspectFile {
    /// Reads the archive that ends in `.eval`.
    pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Self> {
        let damaged =
            |reason: String| Error::Damaged { path: path.to_owned(), format: Format::Inspect, reason };
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let mut archive =
            ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))?;
        let mut left = limits::expanded(bytes);
        let mut samples = Vec::new();
        for place in 0..archive.len() {
            let entry = archive.by_index(place).map_err(|error| damaged(error.to_string()))?;
            let name = entry.name().map_err(|error| damaged(error.to_string()))?.into_owned();
            if !name.starts_with("samples/") || !name.ends_with(".json") {
                continue;
            }
            let mut text = Vec::new();
            entry.take(left).read_to_end(&mut text).map_err(|error| damaged(format!("{name}: {error}")))?;
            left = left.saturating_sub(text.len() as u64);
            samples.push(serde_json::from_slice(&text).map_err(|error| damaged(format!("{name}: {error}")))?);
        }
        Self::of(path, samples, reading)
    }

    /// Reads the log that is one JSON file.
    pub(crate) fn open_json(path: &Path, reading: &Reading) -> Result<Self> {
        let log = parse(path, |deserializer| Log::deserialize(deserializer))?;
        Self::of(path, log.samples, reading)
    }

    fn of(path: &Path, mut samples: Vec<Sample>, reading: &Reading) -> Result<Self> {
        if samples.is_empty() {
            return Err(Error::Empty { path: path.to_owned() });
        }
        let epochs = samples.iter().map(|sample| sample.epoch).max().unwrap_or(1);
        match reading.epoch {
            None if epochs > 1 => return Err(Error::Epochs { path: path.to_owned(), epochs }),
            None => {}
            Some(epoch) => samples.retain(|sample| sample.epoch == epoch),
        }
        if let (true, Some(epoch)) = (samples.is_empty(), reading.epoch) {
            return Err(Error::NoEpoch { path: path.to_owned(), epoch, epochs });
        }
        // Archives list samples in the order in which they were done, which differs from run to run.
        samples.sort_by(|a, b| match (a.id.as_i64(), b.id.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.id.to_string().cmp(&b.id.to_string()),
        });
        let mut scorers: Vec<&String> =
            samples.iter().filter_map(|sample| sample.scores.as_ref()).flat_map(BTreeMap::keys).collect();
        scorers.sort();
        scorers.dedup();
        let scorers = scorers.into_iter().map(|name| Field { name: name.clone(), kind: Kind::Score });
        let columns = COLUMNS.map(|name| Field { name: name.to_owned(), kind: Kind::Cell });
        Ok(Self { fields: columns.into_iter().chain(scorers).collect(), samples })
    }
}

impl Source for InspectFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences);
        for sample in &self.samples {
            writer.begin()?;
            // A sample that failed is not an answer, right or wrong.
            if let Some(failure) = &sample.error {
                let (id, message) = (sample.id.to_string(), failure.message.clone());
                writer.refuse(|| RowFault::SampleFailed { id, message });
            }
            for (at, field) in self.fields.iter().enumerate() {
                writer.put(at, &sample.cell(&field.name, field.kind))?;
            }
            if !writer.end()? {
                break;
            }
        }
        Ok(writer.finish())
    }

    fn answer_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == "completion")
    }
}

impl Sample {
    fn cell(&self, name: &str, kind: Kind) -> Cell<'_> {
        if kind == Kind::Score {
            let score = self.scores.as_ref().and_then(|scores| scores.get(name));
            return score.map_or(Cell::Nothing, |score| grade(&score.value));
        }
        match name {
            "id" => plain(&self.id),
            "input" => plain(&self.input),
            "target" => plain(&self.target),
            _ => {
                let completion = self.output.as_ref().and_then(|output| output.completion.as_deref());
                completion.map_or(Cell::Nothing, |text| Cell::Text(Cow::Borrowed(text)))
            }
        }
    }
}

/// The numbers of Inspect for correct, partial, incorrect and no answer.
fn grade(value: &Value) -> Cell<'_> {
    match value.as_str() {
        Some("C") => Cell::Number(1.0),
        Some("P") => Cell::Number(0.5),
        Some("I" | "N") => Cell::Number(0.0),
        _ => match value {
            Value::Bool(truth) => Cell::Number(f64::from(u8::from(*truth))),
            value => value.as_f64().map_or(Cell::Other, Cell::Number),
        },
    }
}

/// A text or a number; a list of texts, as of a conversation or of several targets, is its JSON.
fn plain(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Nothing,
        Value::String(text) => Cell::Text(Cow::Borrowed(text)),
        value => match value.as_i64() {
            Some(whole) => Cell::Integer(whole),
            None => Cell::Text(Cow::Owned(value.to_string())),
        },
    }
}

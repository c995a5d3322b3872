//! Logs of Inspect: a ZIP archive with one JSON file per sample, or one JSON file.

use std::borrow::Cow;
use std::cell::Cell as Counter;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeSeed as _;
use zip::ZipArchive;

use super::cell::Cell;
use super::json_table::parse;
use super::json_value::{Json, Parse, Shape};
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::Budget;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::text::{TextFile, Unpacked};

/// The columns that every log has; each scorer adds one of its name.
const COLUMNS: [&str; 4] = ["id", "input", "target", "completion"];

/// The parts of a sample that are used. Its events and messages are most of a log, and are not kept.
const SAMPLE: Shape = Shape::Only(&[
    ("id", Shape::All),
    ("epoch", Shape::All),
    ("input", Shape::All),
    ("target", Shape::All),
    ("output", Shape::Only(&[("completion", Shape::All)])),
    ("scores", Shape::Each(&Shape::Only(&[("value", Shape::All)]))),
    ("error", Shape::Only(&[("message", Shape::All)])),
]);

const LOG: Shape = Shape::Only(&[("samples", Shape::Items(&SAMPLE))]);

/// A log, with the samples of one epoch.
pub(crate) struct InspectFile {
    fields: Vec<Field>,
    /// Whether grades stay as they are, because a judge's verdicts are wanted and not numbers.
    verdicts: bool,
    samples: Vec<Sample>,
    budget: Arc<Budget>,
}

struct Sample {
    id: Json,
    epoch: u64,
    input: Json,
    target: Json,
    completion: Json,
    /// Each scorer with the value that it gave.
    scores: Vec<(String, Json)>,
    /// The message of the error that ended the sample.
    failure: Option<String>,
}

impl Sample {
    fn new(mut json: Json) -> Result<Self, String> {
        let epoch = match json.get("epoch") {
            None => 1,
            Some(Json::Integer(epoch)) if *epoch > 0 => epoch.unsigned_abs(),
            Some(other) => return Err(format!("its epoch is {other}, not a number from 1")),
        };
        if json.get("id").is_none() {
            return Err("a sample has no id".to_owned());
        }
        let failure = json.get("error").filter(|error| **error != Json::Null);
        let failure = failure
            .map(|error| error.get("message").and_then(Json::text).unwrap_or("without a message").to_owned());
        let scores = match json.take("scores") {
            Json::Object(scores) => scores,
            _ => Vec::new(),
        };
        Ok(Self {
            scores: scores.into_iter().map(|(name, mut score)| (name, score.take("value"))).collect(),
            epoch,
            failure,
            id: json.take("id"),
            input: json.take("input"),
            target: json.take("target"),
            completion: json.take("output").take("completion"),
        })
    }
}

impl InspectFile {
    /// Reads the archive that ends in `.eval`.
    pub(crate) fn open(path: &Path, reading: &Reading, budget: &Arc<Budget>) -> Result<Self> {
        let damaged =
            |reason: String| Error::Damaged { path: path.to_owned(), format: Format::Inspect, reason };
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let mut archive =
            ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))?;
        let spent = Counter::new(0);
        let mut samples = Vec::new();
        for place in 0..archive.len() {
            let entry = archive.by_index(place).map_err(|error| damaged(error.to_string()))?;
            let name = entry.name().map_err(|error| damaged(error.to_string()))?.into_owned();
            if !name.starts_with("samples/") || !name.ends_with(".json") {
                continue;
            }
            let entry = Unpacked::new(entry, budget, budget.document());
            let mut parser = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, entry));
            let json = Parse::new(budget, &spent, SAMPLE).deserialize(&mut parser);
            let json = json.and_then(|json| parser.end().map(|()| json)).map_err(|error| error.to_string());
            samples.push(json.and_then(Sample::new).map_err(|error| damaged(format!("{name}: {error}")))?);
        }
        Self::of(path, samples, reading, budget)
    }

    /// Reads the log that is one JSON file.
    pub(crate) fn open_json(text: &TextFile, reading: &Reading) -> Result<Self> {
        let spent = Counter::new(0);
        let mut log = parse(text, |parser| Parse::new(text.budget(), &spent, LOG).deserialize(parser))?;
        let Json::List(samples) = log.take("samples") else {
            return Err(Error::Empty { path: text.path().to_owned() });
        };
        let samples: Result<Vec<Sample>, String> = samples.into_iter().map(Sample::new).collect();
        let damaged =
            |reason| Error::Damaged { path: text.path().to_owned(), format: Format::Inspect, reason };
        Self::of(text.path(), samples.map_err(damaged)?, reading, text.budget())
    }

    fn of(path: &Path, mut samples: Vec<Sample>, reading: &Reading, budget: &Arc<Budget>) -> Result<Self> {
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
        samples.sort_by(|a, b| match (&a.id, &b.id) {
            (Json::Integer(a), Json::Integer(b)) => a.cmp(b),
            _ => a.id.to_string().cmp(&b.id.to_string()),
        });
        let mut scorers: Vec<&String> =
            samples.iter().flat_map(|sample| &sample.scores).map(|(name, _)| name).collect();
        scorers.sort();
        scorers.dedup();
        let scorers = scorers.into_iter().map(|name| Field { name: name.clone(), kind: Kind::Score });
        let columns = COLUMNS.map(|name| Field { name: name.to_owned(), kind: Kind::Cell });
        let (fields, budget) = (columns.into_iter().chain(scorers).collect(), Arc::clone(budget));
        Ok(Self { fields, verdicts: reading.keeps_verdicts(), samples, budget })
    }
}

impl Source for InspectFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences, &self.budget);
        for sample in &self.samples {
            writer.begin()?;
            // A sample that failed is not an answer, right or wrong.
            if let Some(message) = &sample.failure {
                let (id, message) = (sample.id.to_string(), message.clone());
                writer.refuse(|| RowFault::SampleFailed { id, message });
            }
            for (at, field) in self.fields.iter().enumerate() {
                writer.put(at, &sample.cell(&field.name, field.kind, self.verdicts))?;
            }
            if !writer.end()? {
                break;
            }
        }
        writer.finish()
    }

    fn answer_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == "completion")
    }
}

impl Sample {
    fn cell(&self, name: &str, kind: Kind, verdicts: bool) -> Cell<'_> {
        if kind == Kind::Score {
            let score = self.scores.iter().find(|(scorer, _)| scorer == name);
            return score
                .map_or(Cell::Nothing, |(_, value)| if verdicts { plain(value) } else { grade(value) });
        }
        match name {
            "id" => plain(&self.id),
            "input" => plain(&self.input),
            "target" => plain(&self.target),
            _ => plain(&self.completion),
        }
    }
}

/// The numbers of Inspect for correct, partial, incorrect and no answer.
fn grade(value: &Json) -> Cell<'_> {
    match value.text() {
        Some("C") => Cell::Number(1.0),
        Some("P") => Cell::Number(0.5),
        Some("I" | "N") => Cell::Number(0.0),
        Some(_) => Cell::Other,
        None => value.cell().number().map_or(Cell::Other, Cell::Number),
    }
}

/// A text or a number; a list of texts, as of a conversation or of several targets, is its JSON.
fn plain(value: &Json) -> Cell<'_> {
    match value {
        Json::Null => Cell::Nothing,
        Json::Text(text) => Cell::Text(Cow::Borrowed(text)),
        Json::Integer(whole) => Cell::Integer(*whole),
        Json::Number(number) => Cell::Number(*number),
        value => Cell::Text(Cow::Owned(value.to_string())),
    }
}

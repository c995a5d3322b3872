//! Draws and totals that an engine made: two files, which the queries of [`Queries`](super::Queries) write.
//!
//! The draws are a table with the columns `list`, `id` and `score`; all others are passthrough columns. List 1 has the items with the
//! smallest E1 / score, list 2 those with the smallest E2, list 3 the first items whose score cannot be used. The totals are one JSON
//! object, `labelwise.totals/1`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use labelwise::loss::ExpectedLosses;
use labelwise::words::quoted;
use labelwise_pool::{Carried, Column, ColumnNames, Ids, PoolFiles, Reading, Strings};
use labelwise_sketch::{ExactSum, Key, Sketch, uniforms};
use serde::Deserialize;

use super::chunk::{KeptRow, Shape, chunk_of};
use super::scan::Scan;
use super::scoring::Scorer;
use super::sql::PARTS;
use super::totals::Totals;
use crate::create::Created;
use crate::decide::choices::Choices;
use crate::error::{ElsewhereError, Result};
use crate::study::Study;
use crate::task::with_task;

/// The version of the totals.
const SCHEMA: &str = "labelwise.totals/1";

/// The largest totals that are read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Repeated ids and unusable items that an error names.
const NAMED: usize = 5;

/// What an engine summed. Whole numbers may be written as texts.
#[derive(Debug, Deserialize)]
struct Summed {
    schema: String,
    seed: Whole,
    refresh: Whole,
    ahead: Whole,
    items: Whole,
    unusable: Whole,
    least: f64,
    rest: Whole,
    #[serde(flatten)]
    parts: BTreeMap<String, serde_json::Value>,
}

/// A whole number, or its text.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Whole {
    Number(u64),
    Text(String),
    Float(f64),
}

impl Whole {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared with what it was")]
    fn value(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            // Some engines sum whole numbers as decimal ones.
            Self::Float(number) => {
                (number.fract() == 0.0 && (0.0..9.0e15).contains(number)).then_some(*number as u64)
            }
        }
    }
}

/// Totals that were read.
struct Given {
    key: Key,
    ahead: usize,
    items: u64,
    unusable: u64,
    least: f64,
    total: ExactSum,
}

impl Given {
    fn read(path: &Path) -> Result<Self> {
        let wrong = |reason: String| ElsewhereError::Totals { path: path.to_owned(), reason };
        let unread = |error: &dyn std::fmt::Display| wrong(format!("cannot be read: {error}"));
        let size = fs::metadata(path).map_err(|error| unread(&error))?.len();
        if size > MOST_BYTES {
            return Err(wrong(format!("has {size} bytes, but totals are one short JSON object")).into());
        }
        let text = fs::read_to_string(path).map_err(|error| unread(&error))?;
        let text = text.trim();
        // Some engines write an array of rows.
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let summed: Summed = serde_json::from_str(text).map_err(|error| {
            wrong(format!("is not the JSON object of totals that `labelwise sql` makes ({error})"))
        })?;
        if summed.schema != SCHEMA {
            return Err(
                wrong(format!("has the schema {}, but must have {SCHEMA}", quoted(&summed.schema))).into()
            );
        }
        let whole = |name: &str, number: &Whole| {
            let sentence = || wrong(format!("has a field {name} that is not a whole number"));
            number.value().ok_or_else(sentence)
        };
        let rest = whole("rest", &summed.rest)?;
        if rest > 0 {
            return Err(wrong(format!(
                "{rest} scores are above 0 but below 1e-23, which cannot be summed exactly: set them to 0"
            ))
            .into());
        }
        let mut total = ExactSum::default();
        for part in 0..PARTS {
            let name = format!("part{part}");
            let number = match summed.parts.get(&name) {
                Some(serde_json::Value::String(text)) => text.trim().parse().ok(),
                Some(serde_json::Value::Number(number)) => number.as_i64().map(i128::from),
                _ => None,
            };
            let sentence = || wrong(format!("has a field {name} that is not a whole number"));
            total.add_parts(number.ok_or_else(sentence)?, part);
        }
        Ok(Self {
            key: Key { seed: whole("seed", &summed.seed)?, refresh: whole("refresh", &summed.refresh)? },
            ahead: usize::try_from(whole("ahead", &summed.ahead)?).unwrap_or(usize::MAX).max(1),
            items: whole("items", &summed.items)?,
            unusable: whole("unusable", &summed.unusable)?,
            least: summed.least,
            total,
        })
    }
}

/// A row of the draws.
struct Listed {
    list: u8,
    id: String,
    score: Option<f64>,
}

impl Study {
    /// Makes an evaluation of draws and totals that an engine made. The seed is that of the totals.
    pub fn create_given(
        path: impl AsRef<Path>,
        draws: &Path,
        totals: &Path,
        choices: Choices,
    ) -> Result<Created> {
        let given = Given::read(totals)?;
        let wrong = |reason: String| ElsewhereError::Totals { path: draws.to_owned(), reason };
        if given.key.refresh != 0 {
            return Err(wrong("draws of a new evaluation have the refresh 0".to_owned()).into());
        }
        let (listed, carried) = lists(draws)?;
        if given.unusable > 0 {
            let bad = listed.iter().filter(|row| row.list == 3).take(NAMED);
            let why = |score: Option<f64>| match score {
                None => "null".to_owned(),
                Some(score) => format!("{score}"),
            };
            let first = bad.map(|row| (row.id.clone(), why(row.score))).collect();
            let (there, count) = (draws.display().to_string(), given.unusable);
            return Err(ElsewhereError::Rows { there, count, first }.into());
        }
        check_lists(&listed, &given, draws)?;
        let choices = Choices { seed: given.key.seed, ..choices };
        let columns = ColumnNames {
            scores: Some("score".to_owned()),
            ids: Some("id".to_owned()),
            ..ColumnNames::default()
        };
        let mut scan = Scan::new(&draws.display().to_string(), columns, choices, Some(given.ahead))?;
        let shape = Shape::of_scores();
        let mut sketch = Sketch::new(given.key, given.ahead);
        let mut seen = BTreeSet::new();
        let mut rows = Vec::new();
        let mut ids = Strings::default();
        // Items of both lists are one item each.
        for row in listed.iter().filter(|row| seen.insert(&row.id)) {
            ids.push(&row.id);
            let prediction = vec![row.score.unwrap_or(f64::NAN), 0.0];
            rows.push(KeptRow { prediction, given: Vec::new(), said: String::new() });
        }
        let chunk = chunk_of(&rows, ids, &shape)?;
        let texts: Vec<&str> = chunk.ids.iter().collect();
        let scores: Vec<Option<f64>> = rows.iter().map(|row| row.prediction.first().copied()).collect();
        sketch.add_all(&texts, &scores, |row| chunk.payload(row));
        let sketch = sketch.with_totals(given.items, given.total.clone());
        let scoring = scan.scoring().ok_or(ElsewhereError::Order("scores are given"))?;
        let sums = with_task!(scoring.settings, T => {
            let scorer = Scorer::<T>::new(scoring.clone())?;
            scorer.totals_of_scores(&chunk, given.items, &given.total, given.least)
        })?;
        let sums = sums.ok_or_else(|| wrong("this loss cannot be made of scores alone".to_owned()))?;
        scan.take_lists(sketch, sums, shape)?;
        let carried: &[Carried] = if carried.1.is_empty() { &[] } else { &[carried] };
        scan.finish(path, carried)
    }
}

/// The rows of the draws, and the passthrough columns of lists 1 and 2, each item once.
fn lists(path: &Path) -> Result<(Vec<Listed>, Carried)> {
    let wrong = |reason: String| ElsewhereError::Totals { path: path.to_owned(), reason };
    let files = PoolFiles::every(path)?;
    let reading = Reading::new().ids("id").scores("id").carry("list").carry("score");
    let all = Reading::new().ids("id").scores("score").carry_texts();
    let (mut listed, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut ids, mut columns): (Strings, BTreeMap<String, Strings>) = (Strings::default(), BTreeMap::new());
    for part in files.file_parts(&reading)? {
        let (of_part, numbers) = part.passthrough(&reading)?;
        let (_, texts) = part.passthrough(&all)?;
        let find = |name: &str| numbers.iter().find(|(known, _)| known == name).map(|(_, column)| column);
        let (Some(list), Some(score)) = (find("list"), find("score")) else {
            return Err(wrong("needs the columns list, id and score".to_owned()).into());
        };
        for row in 0..of_part.len() {
            let number = list.number(row).filter(|number| [1.0, 2.0, 3.0].contains(number));
            let number =
                number.ok_or_else(|| wrong(format!("row {row} has a list that is not 1, 2 or 3")))?;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1, 2 or 3")]
            let list = number as u8;
            let id = of_part.get(row).unwrap_or_default();
            if list < 3 && seen.insert(id.clone()) {
                ids.push(&id);
                for (name, column) in &texts {
                    columns.entry(name.clone()).or_default().push(&column.text(row).unwrap_or_default());
                }
            }
            listed.push(Listed { list, id, score: score.number(row) });
        }
    }
    let columns = columns.into_iter().map(|(name, texts)| (name, Column::Texts(texts))).collect();
    Ok((listed, (Ids::Column(Column::Texts(ids)), columns)))
}

/// Refuses lists that are not complete, that name an id twice, or that another seed made.
#[allow(clippy::cast_precision_loss, reason = "a pool has fewer than 2^53 items")]
fn check_lists(listed: &[Listed], given: &Given, draws: &Path) -> Result<()> {
    let wrong = |reason: String| ElsewhereError::Totals { path: draws.to_owned(), reason };
    let (mut ids, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    let mut scores: BTreeMap<&str, Option<f64>> = BTreeMap::new();
    for row in listed.iter().filter(|row| row.list < 3) {
        let other = scores.insert(&row.id, row.score).is_some_and(|other| other != row.score);
        if !ids.insert((row.list, &row.id)) || other {
            repeated.insert(row.id.clone());
        }
    }
    if !repeated.is_empty() {
        return Err(ElsewhereError::Repeated { first: repeated.into_iter().take(NAMED).collect() }.into());
    }
    let of = |list: u8| listed.iter().filter(|row| row.list == list).count();
    let wanted = usize::try_from(given.items).unwrap_or(usize::MAX).min(given.ahead);
    if of(2) != wanted || of(1) > given.ahead {
        return Err(wrong(format!(
            "has {} items in list 1 and {} in list 2, but the totals are of {} items and {} draws: export all rows of the query",
            of(1),
            of(2),
            given.items,
            given.ahead
        ))
        .into());
    }
    // The smallest of n uniform numbers are near 0: others were made with another seed.
    let share = given.ahead as f64 / (given.items as f64).max(1.0);
    let late = |row: &&Listed| {
        let [_, second] = uniforms(given.key, &row.id);
        -second.ln() > 10.0 * share + 10.0 / (given.items as f64).max(1.0)
    };
    if share < 0.05
        && let Some(row) = listed.iter().filter(|row| row.list == 2).find(late)
    {
        let seed = given.key.seed;
        return Err(wrong(format!(
            "item {} is not among the first by seed {seed}: the files do not belong together",
            quoted(&row.id)
        ))
        .into());
    }
    Ok(())
}

impl<T: crate::task::StudyTask> Scorer<T> {
    /// Totals of a pool of scores, where every loss is expected to be the score; none where one is not.
    fn totals_of_scores(
        &self,
        chunk: &super::chunk::Chunk,
        items: u64,
        total: &ExactSum,
        least: f64,
    ) -> Result<Option<Totals>> {
        let mut totals = Totals::default();
        (totals.items, totals.least_score) = (items, least);
        let pool = self.pool(chunk)?;
        let beliefs = self.beliefs(chunk, &pool)?;
        let (mut predictions, mut believed) = (pool.predictions().reader(), beliefs.rows().reader());
        for (number, loss) in self.each_loss().enumerate() {
            let mut expected = ExpectedLosses::new(chunk.rows());
            loss.expected_losses(
                predictions.rows(0..chunk.rows()),
                believed.rows(0..chunk.rows()),
                &mut expected,
            );
            let scores = chunk.predictions.reader();
            let mut scores = scores;
            let own = (0..chunk.rows()).all(|row| scores.row(row).first() == expected.first.get(row));
            let same =
                |column: &[f64]| column.windows(2).all(|two| matches!(two, [one, other] if one == other));
            if !own || !same(&expected.low) || !same(&expected.high) {
                return Ok(None);
            }
            let (low, high) = (expected.low.first().copied(), expected.high.first().copied());
            totals.set_loss(number, total, (low.unwrap_or(f64::NAN), high.unwrap_or(f64::NAN)), items);
        }
        Ok(Some(totals))
    }
}

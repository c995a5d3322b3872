//! What is in a file: its format, its columns, and what their values look like. Nothing is interpreted.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use crate::column::Column;
use crate::content;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::judged;
use crate::limits::Budget;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::source::{self, Empty, Kind, SelectedColumn, Selection};

/// More different values than this are not counted.
const MOST_DISTINCT: usize = 50;

/// What is in a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// The format.
    pub format: Format,
    /// How it is read, if that is not the usual way.
    pub notes: Vec<String>,
    /// Number of rows.
    pub rows: usize,
    /// The column of ids that is used if none is named.
    pub ids: Option<String>,
    /// The column of predicted texts of a log.
    pub answers: Option<String>,
    /// The columns, in order.
    pub columns: Vec<SurveyedColumn>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SurveyedColumn {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub values: Values,
    /// Rows without a value.
    pub blank: usize,
    /// The different values in the order in which they appear, if they are few.
    pub distinct: Option<Vec<String>>,
    /// Whether a value comes more than once.
    pub repeats: bool,
    /// The first value.
    pub example: Option<String>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
        /// Whether all are whole.
        whole: bool,
    },
    /// Texts.
    Texts,
    /// Lists of numbers.
    Lists,
    /// Scores of a log.
    Scores,
    /// Nothing, or a type that is not read.
    Nothing,
}

impl Survey {
    /// Reads every column of a file. Filter and epoch of the reading choose the rows of a log.
    ///
    /// ```
    /// use labelwise_pool::{Reading, Survey, Values};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("answers.csv");
    /// std::fs::write(&path, "id,judge,text\na,0.25,one\nb,0.75,two\n")?;
    /// let survey = Survey::of(&path, &Reading::new())?;
    /// assert_eq!((survey.rows, survey.ids.as_deref()), (2, Some("id")));
    /// assert_eq!(survey.columns[1].values, Values::Numbers { low: 0.25, high: 0.75, whole: false });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(path: impl AsRef<Path>, reading: &Reading) -> Result<Self> {
        let path = path.as_ref();
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let bytes = std::fs::metadata(path).map_err(at_file)?.len();
        let budget = Arc::new(Budget::of_file(path, bytes));
        let read = || -> Result<Self> {
            let (format, note) = content::recognise(path, reading.format, &budget)?;
            let mut source = source::open(path, format, reading, &budget)?;
            let fields = source.fields().to_vec();
            source::check_names(path, &fields)?;
            let single = |kind: Kind| {
                matches!(kind, Kind::Single | Kind::Number | Kind::Text | Kind::Cell | Kind::Score)
            };
            let wanted: Vec<usize> =
                fields.iter().enumerate().filter(|(_, field)| single(field.kind)).map(|(at, _)| at).collect();
            let columns = wanted.iter().map(|&field| SelectedColumn { field, empty: Empty::Kept }).collect();
            let selection = Selection { columns, ..Selection::default() };
            // A cell that is not a single value becomes nothing; it is not an error here.
            let mut offences = Offences::default();
            let loaded = source.read(&selection, &mut offences)?;
            let mut read = wanted.into_iter().zip(loaded.columns).peekable();
            let mut columns = Vec::with_capacity(fields.len());
            for (at, field) in fields.iter().enumerate() {
                let column = read.next_if(|(place, _)| *place == at).map(|(_, column)| column);
                columns.push(surveyed(&field.name, field.kind, column));
            }
            let name = |field: Option<usize>| field.and_then(|at| Some(fields.get(at)?.name.clone()));
            let mut notes: Vec<String> = note.into_iter().chain(source.note()).collect();
            if !offences.is_empty() {
                notes.push(crate::assemble::refusal(path, offences, &loaded.places).to_string());
            }
            Ok(Self {
                format,
                notes,
                rows: loaded.rows,
                ids: name(source.id_field()),
                answers: name(source.answer_field()),
                columns,
            })
        };
        read().map_err(|error| budget.explain(error))
    }
}

fn surveyed(name: &str, kind: Kind, column: Option<Column>) -> SurveyedColumn {
    let name = name.to_owned();
    let Some(column) = column else {
        let values = match kind {
            Kind::List | Kind::SingleList => Values::Lists,
            _ => Values::Nothing,
        };
        return SurveyedColumn { name, values, blank: 0, distinct: None, repeats: false, example: None };
    };
    let column = if judged::has_single_lists(&column) { judged::unwrapped(column) } else { column };
    let (mut seen, mut repeats) = (HashSet::new(), false);
    let (mut low, mut high, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
    let (mut blank, mut words, mut example) = (0, false, None);
    let mut distinct: Option<Vec<String>> = Some(Vec::new());
    for row in 0..column.len() {
        let text = column.text(row).unwrap_or_default();
        let text = text.trim();
        if text.is_empty() || ["nan", "null", "none"].contains(&text.to_ascii_lowercase().as_str()) {
            blank += 1;
            continue;
        }
        repeats = repeats || !seen.insert(hash_of(text));
        if example.is_none() {
            example = Some(text.to_owned());
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                (low, high) = (low.min(number), high.max(number));
                whole &= number.fract() == 0.0;
            }
            _ => words = true,
        }
        if let Some(known) = &mut distinct
            && !known.iter().any(|other| other == text)
        {
            if known.len() == MOST_DISTINCT {
                distinct = None;
            } else {
                known.push(text.to_owned());
            }
        }
    }
    let values = match kind {
        _ if example.is_none() => Values::Nothing,
        Kind::Score if !words => Values::Scores,
        _ if words => Values::Texts,
        _ => Values::Numbers { low, high, whole },
    };
    SurveyedColumn { name, values, blank, distinct, repeats, example }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

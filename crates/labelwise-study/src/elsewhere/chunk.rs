//! Some rows of a pool as numbers, and one row as bytes.

use labelwise::Matrix;
use labelwise_pool::{Column, Ids, PoolTable, Predictions, Strings};
use labelwise_sketch::{Bytes, Rest};
use serde::{Deserialize, Serialize};

use crate::create;
use crate::error::{ElsewhereError, Result};
use crate::spec::settings::{Settings, SurrogateChoice};
use crate::spec::subject::Subject;

/// What every part of a pool must have in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    kind: Kind,
    /// The classes of probabilities.
    names: Vec<String>,
    /// The class whose probability the one column is.
    positive: Option<String>,
    /// Number of given predictions.
    given: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Classes,
    Hard,
    Means,
    Variances,
    Scores,
}

impl Shape {
    fn of(table: &PoolTable) -> Self {
        let (kind, names) = match &table.predictions {
            Predictions::Classes { names, .. } => (Kind::Classes, names.clone()),
            Predictions::Hard { .. } => (Kind::Hard, Vec::new()),
            Predictions::Values { variances: None, .. } => (Kind::Means, Vec::new()),
            Predictions::Values { variances: Some(_), .. } => (Kind::Variances, Vec::new()),
            Predictions::Scores(_) => (Kind::Scores, Vec::new()),
        };
        Self { kind, names, positive: table.positive.clone(), given: table.surrogates.len() }
    }

    /// Scores that were given.
    pub(crate) fn of_scores() -> Self {
        Self { kind: Kind::Scores, names: Vec::new(), positive: None, given: 0 }
    }

    /// The shape that the sample of an evaluation has.
    pub(crate) fn of_settings(settings: &Settings) -> Self {
        let (kind, names) = match &settings.subject {
            Subject::Classes { names } => (Kind::Classes, names.clone()),
            Subject::Hard => (Kind::Hard, Vec::new()),
            Subject::Values if settings.variances() => (Kind::Variances, Vec::new()),
            Subject::Values => (Kind::Means, Vec::new()),
            Subject::Scores => (Kind::Scores, Vec::new()),
        };
        let given = match settings.surrogate {
            SurrogateChoice::Given { members } => members,
            _ => 0,
        };
        Self { kind, names, positive: None, given }
    }

    /// Number of given predictions, at least 1.
    pub(crate) fn given_or_one(&self) -> usize {
        self.given.max(1)
    }

    /// In a few words, for errors.
    pub(crate) fn in_words(&self) -> String {
        let predictions = match self.kind {
            Kind::Classes => format!("probabilities of {}", self.names.join(", ")),
            Kind::Hard => "classes without probabilities".to_owned(),
            Kind::Means | Kind::Variances => "values".to_owned(),
            Kind::Scores => "scores".to_owned(),
        };
        match self.given {
            0 => predictions,
            given => format!("{predictions} and {given} other predictions"),
        }
    }
}

/// Some rows of a pool.
pub(crate) struct Chunk {
    pub(crate) ids: Strings,
    /// f(x_i), as the journal has it.
    pub(crate) predictions: Matrix,
    /// Given predictions.
    pub(crate) given: Vec<Matrix>,
    /// Predicted classes without probabilities.
    pub(crate) said: Option<Column>,
    pub(crate) shape: Shape,
}

impl Chunk {
    pub(crate) fn new(table: PoolTable) -> Result<Self> {
        let shape = Shape::of(&table);
        let PoolTable { path, ids, predictions, surrogates, .. } = table;
        let given = surrogates.into_iter().map(|belief| create::beliefs(belief, &predictions));
        let given = given.collect::<Result<_>>()?;
        let ids = match ids {
            Ids::Column(Column::Texts(texts)) => texts,
            Ids::Column(Column::Integers(whole)) => {
                let mut ids = Strings::default();
                let mut text = String::new();
                for number in whole {
                    text.clear();
                    let _ = std::fmt::Write::write_fmt(&mut text, format_args!("{number}"));
                    ids.push(&text);
                }
                ids
            }
            Ids::Column(Column::Numbers(_)) => {
                let what = "a column of ids that are numbers with a fraction".to_owned();
                return Err(ElsewhereError::WholePool {
                    what,
                    way_out: "write ids as texts or whole numbers",
                }
                .into());
            }
            Ids::Rows(_) => return Err(labelwise_pool::Error::NoIds { path }.into()),
        };
        let (predictions, mut said) = create::tables(predictions)?;
        Ok(Self { ids, predictions, given, said: said.pop(), shape })
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.predictions.rows()
    }

    /// A row as bytes: prediction, given predictions, predicted class.
    pub(crate) fn payload(&self, row: usize) -> Vec<u8> {
        let tables = || std::iter::once(&self.predictions).chain(&self.given);
        let size: usize = tables().map(|table| 8 + 8 * table.columns()).sum();
        let mut bytes = Bytes(Vec::with_capacity(size + 8));
        for table in tables() {
            let columns = table.columns();
            bytes.whole(columns as u64);
            match table.singles() {
                Some(singles) => {
                    let numbers = singles.get(row * columns..(row + 1) * columns).unwrap_or_default();
                    numbers.iter().for_each(|number| bytes.number(f64::from(*number)));
                }
                None => table.reader().row(row).iter().for_each(|number| bytes.number(*number)),
            }
        }
        let said = self.said.as_ref().and_then(|said| said.text(row)).unwrap_or_default();
        bytes.block(said.as_bytes());
        bytes.0
    }
}

/// A row that was kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeptRow {
    pub(crate) prediction: Vec<f64>,
    pub(crate) given: Vec<Vec<f64>>,
    pub(crate) said: String,
}

impl KeptRow {
    /// A row from its bytes.
    pub(crate) fn read(payload: &[u8], shape: &Shape) -> Option<Self> {
        let mut rest = Rest(payload);
        let mut table = || {
            let count = rest.whole().and_then(|count| usize::try_from(count).ok())?;
            let count = (count <= rest.0.len() / 8).then_some(count)?;
            (0..count).map(|_| rest.number()).collect::<Option<Vec<f64>>>()
        };
        let prediction = table()?;
        let given = (0..shape.given).map(|_| table()).collect::<Option<_>>()?;
        let said = rest.text()?;
        rest.0.is_empty().then_some(Self { prediction, given, said })
    }
}

/// Rows that were kept, as a chunk.
pub(crate) fn chunk_of(rows: &[KeptRow], ids: Strings, shape: &Shape) -> Result<Chunk> {
    let table = |row: &dyn Fn(&KeptRow) -> Vec<f64>| {
        let columns = rows.first().map_or(1, |first| row(first).len());
        matrix(rows.iter().flat_map(row).collect(), columns)
    };
    let given = (0..shape.given)
        .map(|member| table(&|row: &KeptRow| row.given.get(member).cloned().unwrap_or_default()));
    let said = (shape.kind == Kind::Hard)
        .then(|| Column::Texts(rows.iter().map(|row| row.said.as_str()).collect::<Strings>()));
    Ok(Chunk {
        ids,
        predictions: table(&|row: &KeptRow| row.prediction.clone())?,
        given: given.collect::<Result<_>>()?,
        said,
        shape: shape.clone(),
    })
}

/// A table in f32 where that loses nothing.
#[allow(clippy::cast_possible_truncation, reason = "compared with what it was")]
pub(crate) fn matrix(values: Vec<f64>, columns: usize) -> Result<Matrix> {
    let singles: Vec<f32> = values.iter().map(|value| *value as f32).collect();
    let same = singles.iter().zip(&values).all(|(single, value)| f64::from(*single) == *value);
    Ok(if same { Matrix::f32(singles, columns)? } else { Matrix::f64(values, columns)? })
}

impl Chunk {
    /// The rows as a pool, for decisions.
    pub(crate) fn table(&self) -> PoolTable {
        let values = |column: usize| -> Vec<f64> {
            let mut reader = self.predictions.reader();
            (0..self.rows()).filter_map(|row| reader.row(row).get(column).copied()).collect()
        };
        let predictions = match self.shape.kind {
            Kind::Classes => {
                Predictions::Classes { names: self.shape.names.clone(), rows: self.predictions.clone() }
            }
            Kind::Hard => {
                let texts = (0..self.rows()).filter_map(|row| self.said.as_ref()?.text(row));
                Predictions::hard(texts.collect::<Vec<_>>().iter().map(String::as_str))
            }
            Kind::Means => Predictions::Values { means: values(0), variances: None },
            Kind::Variances => Predictions::Values { means: values(0), variances: Some(values(1)) },
            Kind::Scores => Predictions::Scores(values(0)),
        };
        let names: Vec<String> = match self.shape.kind {
            Kind::Classes => self.shape.names.clone(),
            _ => ["right", "wrong"].map(str::to_owned).to_vec(),
        };
        let mut table = PoolTable::new(predictions);
        table.surrogates = (self.given.iter())
            .map(|rows| Predictions::Classes { names: names.clone(), rows: rows.clone() })
            .collect();
        table.positive = self.shape.positive.clone();
        table.ids = Ids::Column(Column::Texts(self.ids.clone()));
        table
    }
}

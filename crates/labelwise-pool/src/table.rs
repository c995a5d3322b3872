//! A pool that was read: ids, predictions and the other requested columns.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use labelwise::Matrix;

use crate::assemble;
use crate::block::Block;
use crate::column::Column;
use crate::content;
use crate::error::{Error, Purpose, Result};
use crate::files::{Carried, PoolFiles};
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::judged::JudgedColumns;
use crate::labels::Labels;
use crate::limits::Budget;
use crate::numbers::{ClassColumns, ClassNumbers, Notation};
use crate::offences::{Offences, Places};
use crate::predictions::{Predictions, rearranged};
use crate::reading::Reading;
use crate::rivals::RivalTables;
use crate::source::{self, CsvFile, InMemory};

/// A pool, in columns.
///
/// ```
/// use labelwise_pool::{PoolTable, Predictions, Reading};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pool.jsonl");
/// std::fs::write(&path, "{\"id\": 7, \"probs\": [0.25, 0.75]}\n{\"id\": 9, \"probs\": [0.5, 0.5]}\n")?;
/// let pool = PoolTable::open(&path, &Reading::new())?;
/// let Predictions::Classes { rows, .. } = &pool.predictions else { unreachable!() };
/// assert_eq!(rows.reader().row(0), [0.25, 0.75]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PoolTable {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Ids of the items.
    pub ids: Ids,
    /// f(x_i).
    pub predictions: Predictions,
    /// Beliefs of surrogates, each in the order of the pool.
    pub surrogates: Vec<Predictions>,
    /// Known labels, if they were asked for.
    pub labels: Option<Labels>,
    /// Features, if they were asked for.
    pub features: Option<Features>,
    /// Passthrough columns, by name.
    pub carried: Vec<(String, Column)>,
    /// The other models of a comparison.
    pub rivals: Option<RivalTables>,
    /// What judges and other models said, from which predictions are yet to be made.
    pub judged: Option<JudgedColumns>,
    /// The class whose probability the one column of a model with two classes is.
    pub positive: Option<String>,
    /// Sentences about how the columns were read.
    pub notes: Vec<String>,
    /// Fingerprint of the contents.
    pub fingerprint: Fingerprint,
}

/// Features of the items, one row per item.
#[derive(Debug, Clone)]
pub struct Features {
    /// The columns, in order; one name for a column of lists.
    pub names: Vec<String>,
    /// The numbers.
    pub rows: Matrix,
}

impl PoolTable {
    /// A pool of predictions in memory. Other fields are empty and can be set.
    ///
    /// ```
    /// use labelwise::Matrix;
    /// use labelwise_pool::{PoolTable, Predictions};
    /// let rows = Matrix::f64(vec![0.9, 0.1, 0.2, 0.8], 2)?;
    /// let names = vec!["cat".to_owned(), "dog".to_owned()];
    /// assert_eq!(PoolTable::new(Predictions::Classes { names, rows }).rows(), 2);
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn new(predictions: Predictions) -> Self {
        Self {
            path: PathBuf::from("(arrays)"),
            format: Format::Arrays,
            ids: Ids::Rows(predictions.len()),
            predictions,
            surrogates: Vec::new(),
            labels: None,
            features: None,
            carried: Vec::new(),
            rivals: None,
            judged: None,
            positive: None,
            notes: Vec::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// A pool of class numbers in memory: probabilities, percentages, rounded probabilities or logits. One column alone is of
    /// the second of two classes. Names are 0, 1, ... if none are given.
    ///
    /// ```
    /// use labelwise::Matrix;
    /// use labelwise_pool::{ClassNumbers, Notation, PoolTable, Predictions};
    /// let rows = Matrix::f64(vec![0.1, 0.8], 1)?;
    /// let pool = PoolTable::of_classes(&rows, None, ClassNumbers::Probabilities, Notation::default())?;
    /// let Predictions::Classes { rows, .. } = &pool.predictions else { unreachable!() };
    /// assert_eq!(rows.reader().row(0), [0.9, 0.1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_classes(
        rows: &Matrix,
        names: Option<Vec<String>>,
        numbers: ClassNumbers,
        notation: Notation,
    ) -> Result<Self> {
        let plain = numbers == ClassNumbers::Probabilities && notation == Notation::default();
        let single = rows.columns() == 1;
        let (rows, notes) = if plain && rows.columns() > 1 {
            // Plain probabilities are not copied; the first proposal checks them.
            (rows.clone(), Vec::new())
        } else {
            class_rows(rows, numbers, notation, Purpose::Probabilities)?
        };
        let names = names.unwrap_or_else(|| (0..rows.columns()).map(|class| class.to_string()).collect());
        let positive = names.get(1).filter(|_| single).cloned();
        Ok(Self { notes, positive, ..Self::new(Predictions::Classes { names, rows }) })
    }

    /// Adds a table of class numbers as a surrogate's beliefs about the classes of the pool, in their order.
    pub fn with_beliefs(mut self, rows: &Matrix, notation: Notation) -> Result<Self> {
        let names = self.predictions.classes().unwrap_or_default().to_vec();
        let plain = notation == Notation::default() && rows.columns() > 1;
        let rows = if plain {
            rows.clone()
        } else {
            class_rows(rows, ClassNumbers::Probabilities, notation, Purpose::SurrogateProbabilities)?.0
        };
        self.surrogates.push(Predictions::Classes { names, rows });
        Ok(self)
    }

    /// Reads a file, or the files of a folder or a pattern ([`PoolFiles`]). The format is that of the contents, unless `reading` fixes
    /// one.
    pub fn open(path: impl AsRef<Path>, reading: &Reading) -> Result<Self> {
        let path = path.as_ref();
        let table = match PoolFiles::find(path)? {
            Some(files) => files.open(reading),
            None => Self::of_file(path, reading),
        };
        table?.with_history_files(reading)
    }

    /// Reads a file.
    pub(crate) fn of_file(path: &Path, reading: &Reading) -> Result<Self> {
        let bytes = fs::metadata(path).map_err(|source| Error::File { path: path.to_owned(), source })?.len();
        let budget = Arc::new(Budget::of_file(path, bytes));
        let (format, note) = content::recognise(path, reading.format, &budget)?;
        // A large file is read and hashed in parallel, if there is a second thread.
        let mut table = thread::scope(|scope| {
            let started = thread::Builder::new().spawn_scoped(scope, || Fingerprint::of(path));
            let fingerprint = || match started.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(fingerprint)) => fingerprint,
                _ => Fingerprint::of(path),
            };
            let mut source = source::open(path, format, reading, &budget)?;
            assemble::assemble(path, format, source.as_mut(), reading, &budget, |_, _| fingerprint())
        })
        .map_err(|error| budget.explain(error))?;
        table.notes.splice(0..0, note);
        Ok(table)
    }

    /// Reads a table in memory, batch by batch, like a file with the same columns.
    ///
    /// The batches can come from any library with Arrow's C interface; `arrow_array::RecordBatchReader` is such an
    /// iterator, and has the schema. Only the columns that `reading` names are copied. `name` is the file's name in
    /// errors and in [`PoolTable::path`]. The fingerprint is that of the ids and predictions, and does not depend on
    /// the batches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
    /// use labelwise_pool::{PoolTable, Predictions, Reading};
    /// let columns: [(&str, ArrayRef); 3] = [
    ///     ("id", Arc::new(StringArray::from(vec!["x", "y"]))),
    ///     ("prob_cat", Arc::new(Float32Array::from(vec![0.25, 1.0]))),
    ///     ("prob_dog", Arc::new(Float32Array::from(vec![0.75, 0.0]))),
    /// ];
    /// let batch = RecordBatch::try_from_iter(columns)?;
    /// let pool = PoolTable::from_batches("pool", batch.schema(), [Ok(batch)], &Reading::new())?;
    /// let Predictions::Classes { rows, .. } = &pool.predictions else { unreachable!() };
    /// assert_eq!(rows.reader().row(0), [0.25, 0.75]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_batches(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        reading: &Reading,
    ) -> Result<Self> {
        let name = name.as_ref();
        let mut source = InMemory::new(name, schema, batches.into_iter());
        let budget = Budget::unlimited(name);
        assemble::assemble(name, Format::Arrow, &mut source, reading, &budget, |ids, predictions| {
            Ok(if reading.of_part { Fingerprint::default() } else { Fingerprint::of_rows(ids, predictions) })
        })
    }

    /// The names of the columns that `reading` reads as ids and predictions of a table with this schema; the ids are the first.
    pub fn wanted_columns(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        reading: &Reading,
    ) -> Result<Vec<String>> {
        let name = name.as_ref();
        let source = InMemory::new(name, schema, std::iter::empty());
        assemble::wanted_names(name, &source, reading)
    }

    /// The ids of a table in memory.
    pub fn ids_of(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        reading: &Reading,
    ) -> Result<Ids> {
        let mut source = InMemory::new(name.as_ref(), schema, batches.into_iter());
        Ok(assemble::passthrough(name.as_ref(), Format::Arrow, &mut source, &reading.of_part())?.0)
    }

    /// The ids and the passthrough columns of a table in memory.
    pub fn passthrough(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        ids: &str,
    ) -> Result<Carried> {
        let name = name.as_ref();
        let others = schema.fields().iter().map(|field| field.name()).filter(|other| *other != ids);
        let reading = Reading::new().ids(ids).scores(ids).carrying(others.cloned());
        let mut source = InMemory::new(name, Arc::clone(&schema), batches.into_iter());
        assemble::passthrough(name, Format::Arrow, &mut source, &reading)
    }

    /// Reads CSV text in memory. `name` is the file's name in errors and in [`PoolTable::path`]; the fingerprint is
    /// that of the ids and predictions.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Reading};
    /// let text = "id,prob_cat,prob_dog\nx,0.25,0.75\ny,1,0\n";
    /// let pool = PoolTable::from_csv("pool", text.as_bytes(), &Reading::new())?;
    /// assert_eq!(pool.rows(), 2);
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn from_csv(name: impl AsRef<Path>, text: impl Read + 'static, reading: &Reading) -> Result<Self> {
        let (name, format) = (name.as_ref(), Format::Csv);
        let budget = Arc::new(Budget::unlimited(name));
        let mut source = CsvFile::new(name, format, Box::new(text), &budget)?;
        assemble::assemble(name, format, &mut source, reading, &budget, |ids, predictions| {
            Ok(Fingerprint::of_rows(ids, predictions))
        })
    }

    /// Reads all columns of a table in memory as one table of numbers, such as features; a column of lists must be the
    /// only one. Types and nulls are treated as in [`from_batches`](Self::from_batches).
    pub fn numbers(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<Matrix> {
        source::read_numbers(name.as_ref(), schema, batches.into_iter())
    }

    /// The same pool with known labels, one per item, read like a column of labels.
    pub fn with_labels(mut self, labels: &Column) -> Result<Self> {
        if let Some(judged) = &mut self.judged {
            // What they mean is decided with the predictions.
            judged.labels = Some(labels.clone());
            return Ok(self);
        }
        let mut offences = Offences::default();
        let budget = Budget::unlimited(&self.path);
        let labels = crate::labels::labels(labels, &mut self.predictions, &mut offences, &budget)?;
        self.labels = Some(labels);
        if offences.is_empty() {
            return Ok(self);
        }
        Err(assemble::refusal(&self.path, offences, &Places::default()))
    }

    /// The same pool with the fingerprint of its ids and predictions. A pool of arrays has none until it is stored,
    /// because the fingerprint is a pass over all data.
    pub fn fingerprinted(mut self) -> Self {
        self.fingerprint = Fingerprint::of_rows(&self.ids, &self.predictions);
        self
    }

    /// Adds the notes of another file that are not there yet.
    pub(crate) fn take_notes(&mut self, notes: Vec<String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Number of items.
    pub fn rows(&self) -> usize {
        self.predictions.len()
    }

    /// Adds the predictions of another file as those of a surrogate; rows are joined by id, classes by name.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Predictions, Reading};
    /// # let folder = tempfile::tempdir()?;
    /// # let (pool, surrogate) = (folder.path().join("pool.csv"), folder.path().join("surrogate.csv"));
    /// std::fs::write(&pool, "id,prob_a,prob_b\nx,0.9,0.1\ny,0.2,0.8\n")?;
    /// std::fs::write(&surrogate, "id,prob_b,prob_a\ny,0.7,0.3\nx,0.4,0.6\n")?;
    /// let pool = PoolTable::open(&pool, &Reading::new())?;
    /// let pool = pool.with_surrogate(PoolTable::open(&surrogate, &Reading::new())?)?;
    /// let [Predictions::Classes { rows, .. }] = pool.surrogates.as_slice() else { unreachable!() };
    /// assert_eq!(rows.reader().row(0), [0.6, 0.4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_surrogate(mut self, surrogate: Self) -> Result<Self> {
        let rows = self.ids.rows_in(&surrogate.ids);
        let missing: Vec<usize> =
            rows.iter().enumerate().filter(|(_, found)| found.is_none()).map(|(row, _)| row).collect();
        if !missing.is_empty() {
            let first: Vec<String> = missing.iter().take(5).filter_map(|&row| self.ids.get(row)).collect();
            return Err(Error::SurrogateMisses {
                path: surrogate.path,
                missing: missing.len(),
                first: first.join(", "),
            });
        }
        let rows: Vec<usize> = rows.into_iter().flatten().collect();
        let joined = joined(&self.predictions, &surrogate.predictions, &rows)?;
        let joined = joined.ok_or_else(|| Error::SurrogateDiffers {
            path: surrogate.path,
            there: surrogate.predictions.kind(),
            here: self.predictions.kind(),
        })?;
        self.surrogates.push(joined);
        self.take_notes(surrogate.notes);
        Ok(self)
    }
}

/// Class numbers in memory as probabilities, and sentences about what was done.
fn class_rows(
    rows: &Matrix,
    numbers: ClassNumbers,
    notation: Notation,
    purpose: Purpose,
) -> Result<(Matrix, Vec<String>)> {
    let path = Path::new(match (purpose, numbers) {
        (Purpose::SurrogateProbabilities, _) => "surrogate",
        (_, ClassNumbers::Probabilities) => "probabilities",
        (_, ClassNumbers::Logits) => "logits",
    });
    let columns = ClassColumns { path, numbers, notation, purpose, columns: "" };
    let (mut offences, mut notes) = (Offences::default(), Vec::new());
    let block = columns.probabilities(Block::copied(rows)?, &mut offences, &mut notes)?;
    if !offences.is_empty() {
        return Err(assemble::refusal(path, offences, &Places::default()));
    }
    Ok((block.into_matrix()?, notes))
}

/// A surrogate's predictions in the order of the pool; none if they have another type.
fn joined(pool: &Predictions, surrogate: &Predictions, rows: &[usize]) -> Result<Option<Predictions>> {
    let gather =
        |values: &[f64]| rows.iter().filter_map(|&row| values.get(row).copied()).collect::<Vec<f64>>();
    Ok(match (pool.classes(), surrogate) {
        // If the pool has no probabilities, a surrogate can know more classes than the pool predicts.
        (Some(_), Predictions::Classes { names, rows: matrix })
            if matches!(pool, Predictions::Hard { .. }) =>
        {
            let columns: Vec<usize> = (0..names.len()).collect();
            Some(Predictions::Classes { names: names.clone(), rows: rearranged(matrix, rows, &columns)? })
        }
        (Some(names), Predictions::Classes { names: theirs, rows: matrix }) => {
            let columns: Option<Vec<usize>> =
                names.iter().map(|name| theirs.iter().position(|other| other == name)).collect();
            let Some(columns) = columns.filter(|columns| columns.len() == theirs.len()) else {
                return Ok(None);
            };
            let in_place = |places: &[usize]| places.iter().enumerate().all(|(at, &place)| at == place);
            let rows = if in_place(rows) && in_place(&columns) && rows.len() == matrix.rows() {
                matrix.clone()
            } else {
                rearranged(matrix, rows, &columns)?
            };
            Some(Predictions::Classes { names: names.to_vec(), rows })
        }
        (None, Predictions::Values { means, variances }) => Some(Predictions::Values {
            means: gather(means),
            variances: variances.as_ref().map(|variances| gather(variances)),
        }),
        _ => None,
    })
}

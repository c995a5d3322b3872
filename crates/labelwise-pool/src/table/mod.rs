//! A pool that was read: ids, predictions and the other requested columns.

mod classes;
mod in_memory;
mod surrogate;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use labelwise::Matrix;

use crate::assemble;
use crate::column::Column;
use crate::content;
use crate::error::{Error, Result};
use crate::files::PoolFiles;
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::judged::JudgedColumns;
use crate::labels::Labels;
use crate::limits::Budget;
use crate::offences::{Offences, Places};
use crate::predictions::Predictions;
use crate::reading::Reading;
use crate::rivals::RivalTables;
use crate::source;

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
}

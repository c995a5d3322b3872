//! Rows of numbers in f32 or f64, read without a copy: predictions, beliefs and features of a pool.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::numerics::{Lanes, Turned};

/// A table of numbers with one row per item, row after row in one piece of memory.
///
/// It takes over any owner of a slice (a `Vec`, an `Arc<[f64]>`, a memory map, an array of another language) without
/// copying it, and a clone shares that owner.
///
/// ```
/// use labelwise::Matrix;
/// let probabilities = Matrix::f32(vec![0.9_f32, 0.1, 0.25, 0.75], 2)?;
/// assert_eq!(probabilities.rows(), 2);
/// assert_eq!(probabilities.reader().row(1), [0.25, 0.75]);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Matrix {
    values: Values,
    rows: usize,
    columns: usize,
}

#[derive(Clone)]
enum Values {
    F32(Arc<dyn AsRef<[f32]> + Send + Sync>),
    F64(Arc<dyn AsRef<[f64]> + Send + Sync>),
    Computed(Arc<dyn Computed>),
}

/// Rows that are computed as they are read: for tables that a large pool has no memory for.
pub(crate) trait Computed: Send + Sync {
    /// A way to compute rows; each thread takes its own. It owns what it needs, so that readers of any table can be kept
    /// until the end of a scope.
    fn maker(self: Arc<Self>) -> Box<dyn RowMaker>;
}

/// Computes rows.
pub(crate) trait RowMaker {
    /// The rows of a range of items, one after the other, in place of what `values` holds.
    fn fill(&mut self, items: Range<usize>, values: &mut Vec<f64>);
    /// Hands every eight of these items to a function, until it says no: their place in the range, their predictions, and their
    /// rows, both by class. `false` if it said no, or if the rows are not made of these predictions.
    fn eights(&mut self, predictions: &Matrix, items: Range<usize>, take: &mut TakeEight<'_>) -> bool;
}

/// Takes eight items: their place, and two tables by class.
pub(crate) type TakeEight<'a> = dyn FnMut(usize, &[Lanes], &[Lanes]) -> bool + 'a;

impl Matrix {
    /// A table of f64 with this number of columns.
    pub fn f64(values: impl AsRef<[f64]> + Send + Sync + 'static, columns: usize) -> Result<Self> {
        let rows = rows(values.as_ref().len(), columns)?;
        Ok(Self { values: Values::F64(Arc::new(values)), rows, columns })
    }

    /// A table of f32 with this number of columns. Its values are widened one row at a time, as they are read.
    pub fn f32(values: impl AsRef<[f32]> + Send + Sync + 'static, columns: usize) -> Result<Self> {
        let rows = rows(values.as_ref().len(), columns)?;
        Ok(Self { values: Values::F32(Arc::new(values)), rows, columns })
    }

    /// A table whose rows are computed as they are read.
    pub(crate) fn computed(source: Arc<dyn Computed>, rows: usize, columns: usize) -> Self {
        Self { values: Values::Computed(source), rows, columns }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All numbers, row after row, where they are f32.
    pub fn singles(&self) -> Option<&[f32]> {
        match &self.values {
            Values::F32(values) => Some((**values).as_ref()),
            Values::F64(_) | Values::Computed(_) => None,
        }
    }

    /// Whether the other is this very table, and not only one with the same numbers.
    pub fn is(&self, other: &Self) -> bool {
        let same = match (&self.values, &other.values) {
            (Values::F32(one), Values::F32(other)) => std::ptr::eq((**one).as_ref(), (**other).as_ref()),
            (Values::F64(one), Values::F64(other)) => std::ptr::eq((**one).as_ref(), (**other).as_ref()),
            _ => false,
        };
        same && self.columns == other.columns
    }

    /// A way to read rows as f64; each thread takes its own.
    pub fn reader(&self) -> Reader<'_> {
        match &self.values {
            Values::F32(values) => Reader {
                source: Source::F32((**values).as_ref(), vec![0.0; self.columns]),
                columns: self.columns,
            },
            Values::F64(values) => Reader { source: Source::F64((**values).as_ref()), columns: self.columns },
            Values::Computed(source) => Reader {
                source: Source::Computed {
                    maker: Arc::clone(source).maker(),
                    values: Vec::new(),
                    rows: self.rows,
                },
                columns: self.columns,
            },
        }
    }

    /// The first value that `fits` refuses, as (row, column, value).
    pub(crate) fn find(&self, fits: impl Fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        let mut reader = self.reader();
        (0..self.rows).find_map(|item| {
            let row = reader.row(item);
            row.iter()
                .position(|&value| !fits(value))
                .map(|column| (item, column, row.get(column).copied().unwrap_or(f64::NAN)))
        })
    }
}

fn rows(values: usize, columns: usize) -> Result<usize> {
    if columns == 0 || !values.is_multiple_of(columns) {
        return Err(Error::Shape { values, columns });
    }
    Ok(values / columns)
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.values {
            Values::F32(_) => "f32",
            Values::F64(_) => "f64",
            Values::Computed(_) => "computed",
        };
        write!(f, "Matrix({} x {}, {kind})", self.rows, self.columns)
    }
}

/// Reads rows of a [`Matrix`] as f64.
pub struct Reader<'a> {
    source: Source<'a>,
    columns: usize,
}

enum Source<'a> {
    F32(&'a [f32], Vec<f64>),
    F64(&'a [f64]),
    Computed { maker: Box<dyn RowMaker>, values: Vec<f64>, rows: usize },
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({} columns)", self.columns)
    }
}

impl Reader<'_> {
    /// Row `item`; empty if `item` is too large.
    pub fn row(&mut self, item: usize) -> &[f64] {
        self.rows(item..item + 1).values
    }

    /// Turns a run of rows into columns.
    pub(crate) fn turn(&mut self, items: Range<usize>, turned: &mut Turned) {
        match &mut self.source {
            Source::F32(values, _) => {
                let range = items.start * self.columns..items.end * self.columns;
                turned.turn(values.get(range).unwrap_or_default());
            }
            Source::F64(_) | Source::Computed { .. } => turned.turn(self.rows(items).values),
        }
    }

    /// See [`RowMaker::eights`]; `false` for rows that are not computed. What they are made of was checked before.
    pub(crate) fn eights(
        &mut self,
        predictions: &Matrix,
        items: Range<usize>,
        take: &mut TakeEight<'_>,
    ) -> bool {
        match &mut self.source {
            Source::Computed { maker, rows, .. } if items.end <= *rows => {
                maker.eights(predictions, items, take)
            }
            _ => false,
        }
    }

    /// A run of rows; empty if the range is too large.
    pub fn rows(&mut self, items: Range<usize>) -> Rows<'_> {
        let columns = self.columns;
        let range = items.start * columns..items.end * columns;
        let values = match &mut self.source {
            Source::F64(values) => values.get(range).unwrap_or_default(),
            Source::F32(values, widened) => {
                widened.clear();
                widened.extend(values.get(range).unwrap_or_default().iter().map(|&narrow| f64::from(narrow)));
                widened
            }
            Source::Computed { maker, values, rows } => {
                values.clear();
                if items.end <= *rows {
                    maker.fill(items, values);
                }
                values
            }
        };
        Rows { values, columns }
    }
}

/// Rows that lie one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    values: &'a [f64],
    columns: usize,
}

impl<'a> Rows<'a> {
    /// Rows of `columns` numbers each.
    pub fn new(values: &'a [f64], columns: usize) -> Self {
        Self { values, columns: columns.max(1) }
    }

    /// Number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// All values, row after row.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// Row by row.
    pub fn iter(self) -> impl Iterator<Item = &'a [f64]> {
        self.values.chunks_exact(self.columns)
    }
}

//! The predictions of the model under test, one row per item.

use std::ops::RangeInclusive;

use labelwise::matrix::Rows;
use labelwise::task::Table;
use labelwise::{Classification, Matrix, Task};

use crate::block::Block;
use crate::error::Result;
use crate::error::RowFault;
use crate::labels::Numbering;
use crate::offences::Offences;

/// Maximum distance of a row's sum of probabilities from 1.
pub const SUM_TOLERANCE: f64 = 1e-3;

/// The predictions of a model on the pool.
#[derive(Debug, Clone)]
pub enum Predictions {
    /// Probabilities of classes, one row per item.
    Classes {
        /// The classes, in the order of the columns.
        names: Vec<String>,
        /// The probabilities, in f32 if the file has f32.
        rows: Matrix,
    },
    /// Values of a regression.
    Values {
        /// Predicted values.
        means: Vec<f64>,
        /// Their variances, if the model gives them.
        variances: Option<Vec<f64>>,
    },
    /// Predicted classes without probabilities.
    Hard {
        /// The classes, in the order in which they appear.
        names: Vec<String>,
        /// The place of each item's class among the names.
        classes: Vec<u32>,
    },
    /// Scores that another program made.
    Scores(Vec<f64>),
}

impl Predictions {
    /// Predicted classes without probabilities, by their names.
    ///
    /// ```
    /// use labelwise_pool::Predictions;
    /// let said = Predictions::hard(["cat", "dog", "cat"]);
    /// assert_eq!((said.len(), said.classes().map(<[String]>::len)), (3, Some(2)));
    /// ```
    pub fn hard<'a>(said: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Vec::new();
        let mut numbering = Numbering::new(&mut names);
        let classes = said.into_iter().map(|name| numbering.of(name)).collect();
        Self::Hard { names, classes }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { rows, .. } => rows.rows(),
            Self::Values { means, .. } => means.len(),
            Self::Hard { classes, .. } => classes.len(),
            Self::Scores(scores) => scores.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classes, if predictions are classes.
    pub fn classes(&self) -> Option<&[String]> {
        match self {
            Self::Classes { names, .. } | Self::Hard { names, .. } => Some(names),
            Self::Values { .. } | Self::Scores(_) => None,
        }
    }

    /// A few words for errors.
    pub fn kind(&self) -> String {
        match self {
            Self::Classes { names, .. } => format!("probabilities of the classes {}", names.join(", ")),
            Self::Values { .. } => "values".to_owned(),
            Self::Hard { .. } => "classes alone".to_owned(),
            Self::Scores(_) => "scores".to_owned(),
        }
    }
}

/// Notes rows that are not probabilities, or whose sum is not within `sums`.
pub(crate) fn check_probabilities(block: &Block, sums: &RangeInclusive<f64>, offences: &mut Offences) {
    let fine = |rows: Rows<'_>| Classification::check_rows(Table::Predictions, 0, rows).is_ok();
    block.check(offences, fine, |row| {
        let sum: f64 = row.iter().sum();
        // Nearly every row is valid, and one pass shows it. A NaN makes the sum NaN.
        if row.iter().all(|&value| value >= 0.0) && sums.contains(&sum) {
            return None;
        }
        let wrong = |value: f64| value.is_nan() || value < 0.0;
        Some(match row.iter().enumerate().find(|(_, value)| wrong(**value)) {
            Some((at, &value)) => RowFault::Probability { place: at + 1, of: row.len(), value },
            None => RowFault::ProbabilitySum { sum },
        })
    });
}

/// Notes rows with a feature that is not finite.
pub(crate) fn check_features(block: &Block, offences: &mut Offences) {
    block.check(
        offences,
        |_| false,
        |row| {
            let (at, &value) = row.iter().enumerate().find(|(_, value)| !value.is_finite())?;
            Some(RowFault::Feature { place: at + 1, of: row.len(), value })
        },
    );
}

/// Notes rows whose number is negative or not finite.
pub(crate) fn check_not_negative(values: &[f64], fault: impl Fn(f64) -> RowFault, offences: &mut Offences) {
    for (row, &value) in values.iter().enumerate() {
        let fits = value.is_finite() && value >= 0.0;
        if !fits {
            offences.note(row, || fault(value));
        }
    }
}

/// Logits into probabilities, row by row. A class of logit -∞ has probability 0.
pub(crate) fn softmax(row: &mut [f64]) {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|logit| (logit - top).exp()).sum();
    row.iter_mut().for_each(|logit| *logit = (*logit - top).exp() / sum);
}

/// Notes rows of logits without a softmax.
pub(crate) fn check_logits(block: &Block, offences: &mut Offences) {
    block.check(
        offences,
        |_| false,
        |row| {
            let bad = |logit: f64| logit.is_nan() || logit == f64::INFINITY;
            match row.iter().enumerate().find(|(_, logit)| bad(**logit)) {
                Some((at, &value)) => Some(RowFault::Logit { place: at + 1, of: row.len(), value }),
                None => row.iter().all(|&logit| logit == f64::NEG_INFINITY).then_some(RowFault::EveryLogit),
            }
        },
    );
}

/// A table with its rows and columns in another order.
pub fn rearranged(matrix: &Matrix, rows: &[usize], columns: &[usize]) -> Result<Matrix> {
    let mut reader = matrix.reader();
    let mut block = Block::new(columns.len(), matrix.singles().is_some());
    block.resize(rows.len())?;
    let mut row_of = Vec::with_capacity(columns.len());
    for (to, &from) in rows.iter().enumerate() {
        let row = reader.row(from);
        row_of.clear();
        row_of.extend(columns.iter().map(|&column| row.get(column).copied().unwrap_or(f64::NAN)));
        block.put_rows(to, &row_of);
    }
    block.into_matrix()
}

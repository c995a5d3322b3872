//! Pools of class numbers in memory.

use std::path::Path;

use labelwise::Matrix;

use super::PoolTable;
use crate::assemble;
use crate::block::Block;
use crate::error::{Purpose, Result};
use crate::numbers::{ClassColumns, ClassNumbers, Notation};
use crate::offences::{Offences, Places};
use crate::predictions::Predictions;

impl PoolTable {
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

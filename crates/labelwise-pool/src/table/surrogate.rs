//! Joins a surrogate's predictions to a pool.

use super::PoolTable;
use crate::error::{Error, Result};
use crate::predictions::{Predictions, rearranged};

impl PoolTable {
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

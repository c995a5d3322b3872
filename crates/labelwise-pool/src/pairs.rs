//! Two systems whose answers each have a label of their own: items are matched by id.

use crate::column::Column;
use crate::error::Result;
use crate::judged::JudgedColumns;
use crate::rivals::Unmatched;
use crate::table::PoolTable;

/// The answers of the second of two systems.
#[derive(Debug, Clone)]
pub struct SecondSystem {
    /// The names of both systems.
    pub names: [String; 2],
    /// Files and fingerprints of both systems.
    pub files: [(String, String); 2],
    /// What judges said of its answers, in the order of the pool.
    pub judged: JudgedColumns,
    /// Its passthrough columns, in the order of the pool.
    pub carried: Vec<(String, Column)>,
}

impl PoolTable {
    /// Joins the judged answers of two systems on the same prompts, each with its name.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Reading, Unmatched};
    /// let read = |text: &'static str| PoolTable::from_csv("pool", text.as_bytes(), &Reading::new().judge("judge"));
    /// let (one, two) = (read("id,judge\na,0.2\nb,0.9\n")?, read("id,judge\nb,0.3\na,0.8\n")?);
    /// let both = PoolTable::paired(("v3".into(), one), ("v4".into(), two), Unmatched::Refused)?;
    /// assert_eq!(both.judged.and_then(|judged| judged.second).map(|second| second.names[1].clone()), Some("v4".into()));
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn paired(first: (String, Self), second: (String, Self), unmatched: Unmatched) -> Result<Self> {
        let ((one, mut pool), (two, other)) = (first, second);
        let file = |table: &Self| (table.path.display().to_string(), table.fingerprint.to_string());
        let files = [file(&pool), file(&other)];
        let found = pool.matched(&other, unmatched)?;
        let here: Vec<usize> =
            found.iter().enumerate().filter(|(_, row)| row.is_some()).map(|(place, _)| place).collect();
        let there: Vec<usize> = found.into_iter().flatten().collect();
        if here.len() < pool.rows() {
            let (left, all) = (pool.rows() - here.len(), pool.rows());
            pool.notes
                .push(format!("{left} of the {all} items are left out, because only one system has them"));
            pool = pool.kept(&here)?;
        }
        pool.take_notes(other.notes);
        let carried =
            other.carried.iter().map(|(name, column)| (name.clone(), column.picked(&there))).collect();
        let judged = other.judged.as_ref().map(|judged| judged.picked(&there)).unwrap_or_default();
        if let Some(own) = &mut pool.judged {
            own.second = Some(Box::new(SecondSystem { names: [one, two], files, judged, carried }));
        }
        Ok(pool)
    }
}

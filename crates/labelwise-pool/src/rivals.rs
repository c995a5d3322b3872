//! Joins the pools of several models: items are matched by id, classes by name.

use crate::error::{MatchError, Result};
use crate::ids::Ids;
use crate::labels::Labels;
use crate::predictions::{Predictions, rearranged};
use crate::table::{Features, PoolTable};

/// The other models of a comparison; the first is the pool itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RivalTables {
    /// Names of all models, with the first.
    pub names: Vec<String>,
    /// Files and fingerprints of all models, with the first.
    pub files: Vec<(String, String)>,
    /// Predictions of the other models, in the order of the pool's items and classes.
    pub predictions: Vec<Predictions>,
    /// Sentences about items and columns that were left out.
    pub notes: Vec<String>,
}

/// What to do with items that only some of the models have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unmatched {
    /// An error lists them.
    #[default]
    Refused,
    /// They are left out.
    Dropped,
}

impl PoolTable {
    /// Joins the pools of several models, each with its name. Ids and passthrough columns are those of the first.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Reading, Unmatched};
    /// # let folder = tempfile::tempdir()?;
    /// # let (a, b) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    /// std::fs::write(&a, "id,prob_cat,prob_dog\nx,0.9,0.1\ny,0.2,0.8\n")?;
    /// std::fs::write(&b, "id,prob_dog,prob_cat\ny,0.7,0.3\nx,0.4,0.6\n")?;
    /// let open = |path| PoolTable::open(path, &Reading::new());
    /// let models = vec![("a".to_owned(), open(&a)?), ("b".to_owned(), open(&b)?)];
    /// let pool = PoolTable::beside(models, Unmatched::Refused)?;
    /// assert_eq!(pool.rivals.map(|rivals| rivals.names), Some(vec!["a".to_owned(), "b".to_owned()]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn beside(models: Vec<(String, Self)>, unmatched: Unmatched) -> Result<Self> {
        let names = models.iter().map(|(name, _)| name.clone()).collect();
        let file = |table: &Self| (table.path.display().to_string(), table.fingerprint.to_string());
        let files = models.iter().map(|(_, table)| file(table)).collect();
        let mut models = models.into_iter().map(|(_, table)| table);
        let Some(mut first) = models.next() else {
            return Err(labelwise::Error::from(labelwise::compare::CompareError::TooFew { models: 0 }).into());
        };
        let others: Vec<Self> = models.collect();
        if matches!(first.predictions, Predictions::Scores(_)) {
            return Err(MatchError::Scores.into());
        }
        let mut notes = Vec::new();
        let mut common: Vec<bool> = vec![true; first.rows()];
        for other in &others {
            let found = first.matched(other, unmatched)?;
            common.iter_mut().zip(&found).for_each(|(common, found)| *common &= found.is_some());
            let extra = other.rows() - found.iter().flatten().count();
            if extra > 0 {
                notes.push(format!(
                    "{extra} items are left out, because only {} has them",
                    other.path.display()
                ));
            }
        }
        let kept: Vec<usize> =
            common.iter().enumerate().filter(|(_, common)| **common).map(|(row, _)| row).collect();
        if kept.len() < first.rows() {
            let (left, all) = (first.rows() - kept.len(), first.rows());
            notes.push(format!(
                "{left} of the {all} items of {} are left out, because not every model has them",
                first.path.display()
            ));
            first = first.kept(&kept)?;
        }
        let mut predictions = Vec::with_capacity(others.len());
        for mut other in others {
            first.take_notes(std::mem::take(&mut other.notes));
            let rows: Vec<usize> = first.ids.rows_in(&other.ids).into_iter().flatten().collect();
            predictions.push(alike(&first, other, &rows)?);
        }
        even_variances(&mut first.predictions, &mut predictions, &mut notes);
        first.rivals = Some(RivalTables { names, files, predictions, notes });
        Ok(first)
    }

    /// For each item of this pool, its row in the other pool. Refused if items must match and do not.
    pub(crate) fn matched(&self, other: &Self, unmatched: Unmatched) -> Result<Vec<Option<usize>>> {
        let (here, there) = (self.path.clone(), other.path.clone());
        match (&self.ids, &other.ids) {
            (Ids::Rows(here_rows), Ids::Rows(there_rows)) if here_rows != there_rows => {
                return Err(
                    MatchError::Rows { here, here_rows: *here_rows, there, there_rows: *there_rows }.into()
                );
            }
            (Ids::Rows(_), Ids::Column(_)) => {
                return Err(MatchError::Ids { with: there, without: here }.into());
            }
            (Ids::Column(_), Ids::Rows(_)) => {
                return Err(MatchError::Ids { with: here, without: there }.into());
            }
            _ => {}
        }
        let found = self.ids.rows_in(&other.ids);
        let matched = found.iter().flatten().count();
        if matched == 0 {
            return Err(MatchError::NothingCommon { here, there }.into());
        }
        let whole = matched == self.rows() && matched == other.rows();
        if unmatched == Unmatched::Refused && !whole {
            let only = |ids: &Ids, found: &[Option<usize>]| {
                let missing = found.iter().enumerate().filter(|(_, found)| found.is_none());
                let rows: Vec<usize> = missing.map(|(row, _)| row).collect();
                (rows.len(), rows.iter().take(5).filter_map(|&row| ids.get(row)).collect())
            };
            let here_only = only(&self.ids, &found);
            let there_only = only(&other.ids, &other.ids.rows_in(&self.ids));
            return Err(MatchError::Items { here, there, here_only, there_only }.into());
        }
        Ok(found)
    }

    /// Some rows of the pool, in order.
    pub(crate) fn kept(self, rows: &[usize]) -> Result<Self> {
        let predictions = picked(&self.predictions, rows)?;
        let surrogates =
            self.surrogates.iter().map(|belief| picked(belief, rows)).collect::<Result<Vec<_>>>()?;
        let labels = self.labels.map(|labels| match labels {
            Labels::Classes(classes) => Labels::Classes(chosen(&classes, rows)),
            Labels::Values(values) => Labels::Values(chosen(&values, rows)),
        });
        let features = match self.features {
            Some(Features { names, rows: matrix }) => {
                let columns: Vec<usize> = (0..matrix.columns()).collect();
                Some(Features { names, rows: rearranged(&matrix, rows, &columns)? })
            }
            None => None,
        };
        let ids = match &self.ids {
            Ids::Rows(_) => Ids::Rows(rows.len()),
            Ids::Column(column) => Ids::Column(column.picked(rows)),
        };
        let carried = self.carried.iter().map(|(name, column)| (name.clone(), column.picked(rows))).collect();
        let judged = self.judged.as_ref().map(|judged| judged.picked(rows));
        Ok(Self { ids, predictions, surrogates, labels, features, carried, judged, ..self })
    }
}

fn chosen<V: Copy>(values: &[V], rows: &[usize]) -> Vec<V> {
    rows.iter().filter_map(|&row| values.get(row).copied()).collect()
}

/// Some rows of predictions.
pub(crate) fn picked(predictions: &Predictions, rows: &[usize]) -> Result<Predictions> {
    Ok(match predictions {
        Predictions::Classes { names, rows: matrix } => {
            let columns: Vec<usize> = (0..names.len()).collect();
            Predictions::Classes { names: names.clone(), rows: rearranged(matrix, rows, &columns)? }
        }
        Predictions::Values { means, variances } => Predictions::Values {
            means: chosen(means, rows),
            variances: variances.as_ref().map(|variances| chosen(variances, rows)),
        },
        Predictions::Hard { names, classes } => {
            Predictions::Hard { names: names.clone(), classes: chosen(classes, rows) }
        }
        Predictions::Scores(scores) => Predictions::Scores(chosen(scores, rows)),
    })
}

/// Another model's predictions of the items at these rows, classes in the order of the first's.
fn alike(first: &PoolTable, other: PoolTable, rows: &[usize]) -> Result<Predictions> {
    arranged(&first.predictions, &other.predictions, rows)?.ok_or_else(|| {
        let (there, here) = (other.predictions.kind(), first.predictions.kind());
        MatchError::Kinds { path: other.path, there, first: first.path.clone(), here }.into()
    })
}

/// The same; none if they have another type or other classes.
pub fn arranged(first: &Predictions, other: &Predictions, rows: &[usize]) -> Result<Option<Predictions>> {
    Ok(match (first, other) {
        (Predictions::Classes { names, .. }, Predictions::Classes { names: theirs, rows: matrix }) => {
            let place = |name: &String| theirs.iter().position(|other| other == name);
            let columns: Option<Vec<usize>> = names.iter().map(place).collect();
            match columns.filter(|columns| columns.len() == theirs.len()) {
                Some(columns) => Some(Predictions::Classes {
                    names: names.clone(),
                    rows: rearranged(matrix, rows, &columns)?,
                }),
                None => None,
            }
        }
        (Predictions::Values { .. }, Predictions::Values { .. })
        | (Predictions::Hard { .. }, Predictions::Hard { .. }) => Some(picked(other, rows)?),
        _ => None,
    })
}

/// Drops variances that only some models have: losses that use them could not be compared.
fn even_variances(first: &mut Predictions, others: &mut [Predictions], notes: &mut Vec<String>) {
    let has =
        |predictions: &Predictions| matches!(predictions, Predictions::Values { variances: Some(_), .. });
    let all = has(first) && others.iter().all(has);
    if all || !(has(first) || others.iter().any(has)) {
        return;
    }
    for predictions in std::iter::once(first).chain(others) {
        if let Predictions::Values { variances, .. } = predictions {
            *variances = None;
        }
    }
    notes.push("variances are ignored, because not every model has them".to_owned());
}

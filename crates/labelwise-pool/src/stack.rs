//! Parts of a pool as one, and some rows of a pool.

use std::path::Path;

use labelwise::Matrix;

use crate::column::Column;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::ids::Ids;
use crate::judged::JudgedColumns;
use crate::labels::{Labels, Numbering};
use crate::predictions::{Predictions, rearranged};
use crate::table::{Features, PoolTable};

/// Repeated ids that an error names.
const NAMED: usize = 5;

impl PoolTable {
    /// The items in some rows, in this order.
    pub fn picked(&self, rows: &[usize]) -> Result<Self> {
        let matrix = |matrix: &Matrix| rearranged(matrix, rows, &(0..matrix.columns()).collect::<Vec<_>>());
        let numbers =
            |values: &[f64]| rows.iter().filter_map(|&row| values.get(row).copied()).collect::<Vec<f64>>();
        let whole =
            |values: &[u32]| rows.iter().filter_map(|&row| values.get(row).copied()).collect::<Vec<u32>>();
        let predictions = |predictions: &Predictions| -> Result<Predictions> {
            Ok(match predictions {
                Predictions::Classes { names, rows } => {
                    Predictions::Classes { names: names.clone(), rows: matrix(rows)? }
                }
                Predictions::Values { means, variances } => Predictions::Values {
                    means: numbers(means),
                    variances: variances.as_deref().map(numbers),
                },
                Predictions::Hard { names, classes } => {
                    Predictions::Hard { names: names.clone(), classes: whole(classes) }
                }
                Predictions::Scores(scores) => Predictions::Scores(numbers(scores)),
            })
        };
        let features = self.features.as_ref().map(|features| {
            Ok::<_, Error>(Features { names: features.names.clone(), rows: matrix(&features.rows)? })
        });
        Ok(Self {
            path: self.path.clone(),
            format: self.format,
            ids: match &self.ids {
                Ids::Rows(_) => Ids::Column(Column::Integers(rows.iter().map(|&row| row as i64).collect())),
                Ids::Column(column) => Ids::Column(column.picked(rows)),
            },
            predictions: predictions(&self.predictions)?,
            surrogates: self.surrogates.iter().map(predictions).collect::<Result<_>>()?,
            labels: self.labels.as_ref().map(|labels| match labels {
                Labels::Classes(classes) => Labels::Classes(whole(classes)),
                Labels::Values(values) => Labels::Values(numbers(values)),
            }),
            features: features.transpose()?,
            carried: self.carried.iter().map(|(name, column)| (name.clone(), column.picked(rows))).collect(),
            rivals: None,
            judged: self.judged.as_ref().map(|judged| judged.picked(rows)),
            positive: self.positive.clone(),
            notes: self.notes.clone(),
            fingerprint: self.fingerprint,
        })
    }

    /// The items of several parts as one pool. Ids that occur in two parts are refused.
    pub fn stacked(path: &Path, parts: Vec<Self>) -> Result<Self> {
        let fingerprint = Fingerprint::of_parts(parts.iter().map(|part| part.fingerprint));
        let mut parts = parts.into_iter();
        let mut all = parts.next().ok_or_else(|| Error::Empty { path: path.to_owned() })?;
        let mut more: Vec<Self> = parts.collect();
        for part in &more {
            if let Some((there, here)) = part.difference(&all) {
                return Err(Error::PartDiffers { path: part.path.clone(), there, here });
            }
        }
        let parts = || std::iter::once(&all).chain(&more);
        let predictions = stacked_predictions(parts().map(|part| &part.predictions))?;
        let surrogates = (0..all.surrogates.len())
            .map(|member| stacked_predictions(parts().filter_map(|part| part.surrogates.get(member))))
            .collect::<Result<_>>()?;
        let features = match &all.features {
            Some(features) => {
                let tables = parts().filter_map(|part| part.features.as_ref()).map(|features| &features.rows);
                Some(Features { names: features.names.clone(), rows: stacked_rows(tables)? })
            }
            None => None,
        };
        let labels = stacked_labels(&all, &more);
        for part in &mut more {
            match (&mut all.ids, std::mem::replace(&mut part.ids, Ids::Rows(0))) {
                (Ids::Rows(rows), Ids::Rows(added)) => *rows += added,
                (Ids::Column(ids), Ids::Column(added)) => ids.append(added),
                _ => {}
            }
            for (name, column) in &mut all.carried {
                let same = part.carried.iter_mut().find(|(other, _)| other == name);
                match same {
                    Some((_, added)) => column.append(std::mem::take(added)),
                    None => (0..part.predictions.len()).for_each(|_| column.push_text("")),
                }
            }
            if let (Some(judged), Some(added)) = (&mut all.judged, part.judged.take()) {
                judged.append(added);
            }
            let notes = std::mem::take(&mut part.notes);
            all.take_notes(notes);
        }
        let stacked =
            Self { path: path.to_owned(), predictions, surrogates, features, labels, fingerprint, ..all };
        let repeated = stacked.ids.repeated();
        if repeated.is_empty() {
            return Ok(stacked);
        }
        Err(Error::RepeatedIds { path: path.to_owned(), first: repeated.into_iter().take(NAMED).collect() })
    }
}

impl PoolTable {
    /// What this part has and the first part does not have in the same way.
    fn difference(&self, first: &Self) -> Option<(String, String)> {
        let both = [self, first];
        let names = |names: Vec<&str>, what: &str| match names.as_slice() {
            [] => format!("no {what}"),
            names => format!("the {what} {}", names.join(", ")),
        };
        let history = |part: &Self| {
            let columns = part.judged.iter().flat_map(|judged| &judged.history);
            names(columns.map(|(name, _)| name.as_str()).collect(), "history")
        };
        let features = |part: &Self| {
            let columns = part.features.iter().flat_map(|features| &features.names);
            let width = part.features.as_ref().map_or(0, |features| features.rows.columns());
            (width, names(columns.map(String::as_str).collect(), "features"))
        };
        let ids = |part: &Self| match part.ids {
            Ids::Rows(_) => "no column of ids".to_owned(),
            Ids::Column(_) => "a column of ids".to_owned(),
        };
        let beliefs =
            |part: &Self| part.surrogates.iter().map(Predictions::kind).collect::<Vec<_>>().join("; ");
        if self.predictions.kind_of() != first.predictions.kind_of() {
            return Some(both.map(|part| part.predictions.kind()).into());
        }
        if self
            .surrogates
            .iter()
            .map(Predictions::kind_of)
            .ne(first.surrogates.iter().map(Predictions::kind_of))
        {
            return Some(both.map(|part| format!("a surrogate with {}", beliefs(part))).into());
        }
        if features(self) != features(first) {
            return Some(both.map(|part| features(part).1).into());
        }
        let others = [both.map(ids), both.map(history)];
        others.into_iter().find(|[there, here]| there != here).map(Into::into)
    }
}

impl JudgedColumns {
    /// Appends the columns of another part.
    fn append(&mut self, more: Self) {
        for (judge, added) in self.judges.iter_mut().zip(more.judges) {
            judge.orders.iter_mut().zip(added.orders).for_each(|(all, added)| all.append(added));
        }
        for ((_, all), (_, added)) in self.history.iter_mut().zip(more.history) {
            all.append(added);
        }
        if let (Some(all), Some(added)) = (&mut self.labels, more.labels) {
            all.append(added);
        }
    }
}

impl Predictions {
    /// What must be equal in every part.
    fn kind_of(&self) -> (u8, &[String], bool) {
        match self {
            Self::Classes { names, .. } => (0, names, false),
            Self::Hard { .. } => (1, &[], false),
            Self::Values { variances, .. } => (2, &[], variances.is_some()),
            Self::Scores(_) => (3, &[], false),
        }
    }
}

fn stacked_rows<'a>(tables: impl Iterator<Item = &'a Matrix> + Clone) -> Result<Matrix> {
    let columns = tables.clone().map(Matrix::columns).max().unwrap_or(0);
    if tables.clone().all(|table| table.singles().is_some()) {
        let values: Vec<f32> = tables.filter_map(Matrix::singles).flatten().copied().collect();
        return Ok(Matrix::f32(values, columns)?);
    }
    let mut values: Vec<f64> = Vec::new();
    for table in tables {
        values.extend_from_slice(table.reader().rows(0..table.rows()).values());
    }
    Ok(Matrix::f64(values, columns)?)
}

fn stacked_predictions<'a>(parts: impl Iterator<Item = &'a Predictions> + Clone) -> Result<Predictions> {
    let first = parts.clone().next();
    Ok(match first {
        Some(Predictions::Classes { names, .. }) => {
            let tables = parts.filter_map(|part| match part {
                Predictions::Classes { rows, .. } => Some(rows),
                _ => None,
            });
            Predictions::Classes { names: names.clone(), rows: stacked_rows(tables)? }
        }
        Some(Predictions::Hard { .. }) => {
            let (mut names, mut classes) = (Vec::new(), Vec::new());
            let mut numbering = Numbering::new(&mut names);
            for part in parts {
                let Predictions::Hard { names, classes: said } = part else { continue };
                let numbers: Vec<u32> = names.iter().map(|name| numbering.of(name)).collect();
                classes.extend(said.iter().filter_map(|&class| numbers.get(class as usize).copied()));
            }
            Predictions::Hard { names, classes }
        }
        Some(Predictions::Values { variances, .. }) => {
            let each =
                |of: fn(&Predictions) -> &[f64]| parts.clone().flat_map(of).copied().collect::<Vec<f64>>();
            let spread = variances.is_some().then(|| {
                each(|part| match part {
                    Predictions::Values { variances: Some(variances), .. } => variances,
                    _ => &[],
                })
            });
            let means = each(|part| match part {
                Predictions::Values { means, .. } => means,
                _ => &[],
            });
            Predictions::Values { means, variances: spread }
        }
        Some(Predictions::Scores(_)) | None => Predictions::Scores(
            parts
                .filter_map(|part| match part {
                    Predictions::Scores(scores) => Some(scores),
                    _ => None,
                })
                .flatten()
                .copied()
                .collect(),
        ),
    })
}

/// Labels of classes are numbers of the names of their own part.
fn stacked_labels(all: &PoolTable, more: &[PoolTable]) -> Option<Labels> {
    let parts = || std::iter::once(all).chain(more);
    match all.labels.as_ref()? {
        Labels::Values(_) => {
            let values = parts().filter_map(|part| match &part.labels {
                Some(Labels::Values(values)) => Some(values),
                _ => None,
            });
            Some(Labels::Values(values.flatten().copied().collect()))
        }
        Labels::Classes(_) => {
            let mut names = Vec::new();
            let mut numbering = Numbering::new(&mut names);
            // Predictions are numbered first, as in one file.
            if let Predictions::Classes { names, .. } = &all.predictions {
                names.iter().for_each(|name| {
                    numbering.of(name);
                });
            } else {
                parts().filter_map(|part| part.predictions.classes()).flatten().for_each(|name| {
                    numbering.of(name);
                });
            }
            let mut classes = Vec::new();
            for part in parts() {
                let (Some(Labels::Classes(labels)), Some(names)) = (&part.labels, part.predictions.classes())
                else {
                    continue;
                };
                let names = labels.iter().filter_map(|&label| names.get(label as usize));
                classes.extend(names.map(|name| numbering.of(name)));
            }
            Some(Labels::Classes(classes))
        }
    }
}

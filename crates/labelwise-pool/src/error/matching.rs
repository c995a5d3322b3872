//! Errors of matching the pools of several models.

use std::path::{Path, PathBuf};

/// Why the rows of two pools cannot be matched.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum MatchError {
    /// Some items are in only one of the files.
    #[error(
        "{} and {} do not have the same items: {}; use only the items that both have (--common), or correct \
         the files",
        .here.display(), .there.display(), differing(.here_only, .there_only, .here, .there)
    )]
    Items {
        here: PathBuf,
        there: PathBuf,
        /// Items of the one that the other lacks: how many, and the first five.
        here_only: (usize, Vec<String>),
        there_only: (usize, Vec<String>),
    },
    /// The files have no item in common.
    #[error(
        "{} and {} have no item in common: their ids must be the same text",
        .here.display(), .there.display()
    )]
    NothingCommon { here: PathBuf, there: PathBuf },
    /// The files have no ids, and different numbers of rows.
    #[error(
        "{} has {} and {} has {}, and their ids are row numbers: give both a column of ids, or the same \
         number of rows",
        .here.display(), rows(*.here_rows), .there.display(), rows(*.there_rows)
    )]
    Rows { here: PathBuf, here_rows: usize, there: PathBuf, there_rows: usize },
    /// Only one of the files has ids.
    #[error(
        "{} has a column of ids and {} does not: give both such a column, or neither",
        .with.display(), .without.display()
    )]
    Ids { with: PathBuf, without: PathBuf },
    /// The models predict different things, or different classes.
    #[error(
        "{} has {there}, but {} has {here}: only models that predict the same can be compared",
        .path.display(), .first.display()
    )]
    Kinds { path: PathBuf, there: String, first: PathBuf, here: String },
    /// Scores are not predictions and cannot be compared.
    #[error("scores are not predictions, so they cannot be compared: give what the models predict")]
    Scores,
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// The items that are in only one of two files.
fn differing(
    here_only: &(usize, Vec<String>),
    there_only: &(usize, Vec<String>),
    here: &Path,
    there: &Path,
) -> String {
    let one = |(count, first): &(usize, Vec<String>), path: &Path| {
        let more = if *count > first.len() { ", ..." } else { "" };
        (*count > 0).then(|| format!("{count} only in {} ({}{more})", path.display(), first.join(", ")))
    };
    [one(here_only, here), one(there_only, there)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

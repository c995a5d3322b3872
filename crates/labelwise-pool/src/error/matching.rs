//! Pools of several models that cannot be laid side by side.

use std::path::{Path, PathBuf};

/// Why the rows of two pools cannot be matched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// Items that only some of the models have.
    #[error(
        "{} and {} are not of the same items: {}; keep those they have in common (--common), or mend the files",
        .here.display(), .there.display(), differing(.here_only, .there_only, .here, .there)
    )]
    Items {
        /// One file.
        here: PathBuf,
        /// The other.
        there: PathBuf,
        /// Items of the one that the other lacks: how many, and the first five.
        here_only: (usize, Vec<String>),
        /// Items of the other that the one lacks.
        there_only: (usize, Vec<String>),
    },
    /// Nothing in common.
    #[error("{} and {} have no item in common: their ids must be the same texts", .here.display(), .there.display())]
    NothingCommon {
        /// One file.
        here: PathBuf,
        /// The other.
        there: PathBuf,
    },
    /// Rows by number, and not as many.
    #[error(
        "{} has {} and {} has {}, and ids are row numbers: such rows can be matched only if there are as many; give both a column of ids",
        .here.display(), rows(*.here_rows), .there.display(), rows(*.there_rows)
    )]
    Rows {
        /// One file.
        here: PathBuf,
        /// Its rows.
        here_rows: usize,
        /// The other.
        there: PathBuf,
        /// Its rows.
        there_rows: usize,
    },
    /// Ids in one file only.
    #[error(
        "{} has a column of ids and {} has none: give both one, or neither, so that rows can be matched",
        .with.display(), .without.display()
    )]
    Ids {
        /// The file with ids.
        with: PathBuf,
        /// The file without.
        without: PathBuf,
    },
    /// Predictions of another kind, or of other classes.
    #[error(
        "{} holds {there}, but {} holds {here}: models can be compared only if they predict the same",
        .path.display(), .first.display()
    )]
    Kinds {
        /// The file.
        path: PathBuf,
        /// What it holds.
        there: String,
        /// The file it is compared with.
        first: PathBuf,
        /// What that holds.
        here: String,
    },
    /// Scores are no predictions.
    #[error(
        "scores are no predictions, and a label that is a number to be averaged says nothing of two models: give what the models predict"
    )]
    Scores,
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// What each of two files has and the other has not.
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

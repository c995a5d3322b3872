//! Models that cannot be compared as they lie on disk.

use std::path::PathBuf;

/// Why files of several models do not go together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
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
    /// A metric that is no mean.
    #[error(
        "models are compared by a mean loss, and {metric} is none: leave it out, or take one such as accuracy"
    )]
    NoMean {
        /// The metric.
        metric: String,
    },
    /// Scores are no predictions.
    #[error(
        "scores are no predictions, and a label that is a number to be averaged says nothing of two models: give what the models predict"
    )]
    Scores,
    /// Something that learns.
    #[error(
        "a comparison has no surrogate that learns: leave the choice out for the mean of the models, or give predictions of others"
    )]
    Learns,
    /// Beliefs about classes without probabilities.
    #[error(
        "the classes are given without probabilities, so beliefs about them cannot be compared by: leave the surrogate out"
    )]
    GivenHard,
    /// Scores of items that may be negative.
    #[error(
        "a difference may be below 0, so items cannot be drawn by its expectation: leave the acquisition out"
    )]
    Expectation,
    /// A number for one model was wanted.
    #[error("{} compares {models} models, and has no number for one: labelwise compare {} says which is better", .path.display(), .path.display())]
    OneOfMany {
        /// The evaluation.
        path: PathBuf,
        /// How many.
        models: usize,
    },
    /// A verdict on one model was wanted.
    #[error(
        "{} was made for one model: name the predictions of another beside it, and they are compared on its labels",
        .path.display()
    )]
    OneOnly {
        /// The evaluation.
        path: PathBuf,
    },
    /// A comparison beside another model.
    #[error("{} compares models already: another can be added only by making a new comparison of all", .path.display())]
    Another {
        /// The evaluation.
        path: PathBuf,
    },
    /// A model that is not there.
    #[error("there is no model {name:?} in {}: there are {models}", .path.display())]
    NoModel {
        /// What was named.
        name: String,
        /// The evaluation.
        path: PathBuf,
        /// Those that are there.
        models: String,
    },
    /// Items that were drawn, and that the other model knows nothing of.
    #[error(
        "{} lacks {missing} of the {drawn} items that were asked for in {}, the first {first}: give a prediction for each",
        .path.display(), .evaluation.display()
    )]
    Drawn {
        /// The other model's file.
        path: PathBuf,
        /// The evaluation.
        evaluation: PathBuf,
        /// How many it lacks.
        missing: usize,
        /// How many were drawn.
        drawn: usize,
        /// The first five of them.
        first: String,
    },
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// What each of two files has and the other has not.
fn differing(
    here_only: &(usize, Vec<String>),
    there_only: &(usize, Vec<String>),
    here: &std::path::Path,
    there: &std::path::Path,
) -> String {
    let one = |(count, first): &(usize, Vec<String>), path: &std::path::Path| {
        let more = if *count > first.len() { ", ..." } else { "" };
        (*count > 0).then(|| format!("{count} only in {} ({}{more})", path.display(), first.join(", ")))
    };
    [one(here_only, here), one(there_only, there)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

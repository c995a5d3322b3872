//! What can go wrong when experiments are repeated and their results are kept, in sentences.

use std::io;
use std::path::PathBuf;

/// Why an experiment has no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A picture could not be drawn.
    #[error(transparent)]
    Plot(#[from] labelwise_plot::Error),
    /// A statistic could not be computed.
    #[error(transparent)]
    Statistics(#[from] crate::statistics::Error),
    /// An image set or an archive was refused.
    #[error(transparent)]
    Images(#[from] labelwise_images::Error),
    /// No figure of that name.
    #[error("there is no figure `{name}`: the known ones are {known}")]
    UnknownFigure {
        /// What was given.
        name: String,
        /// Every figure's name.
        known: String,
    },
    /// A number of runs out of range.
    #[error("the number of runs is {runs}: give one from {least} to {most}")]
    Runs {
        /// What was given.
        runs: usize,
        /// The fewest that are possible.
        least: usize,
        /// The most that are possible.
        most: usize,
    },
    /// The folder has results of something else.
    #[error(
        "the folder {} holds results of another run ({what}: {there} there, {here} here): \
         give another folder, or delete that one", .folder.display()
    )]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: &'static str,
        /// Its value in the folder.
        there: String,
        /// Its value in this run.
        here: String,
    },
    /// The folder has files that no run has left there.
    #[error(
        "the folder {} holds `{file}` and no results of labelwise: give an empty or a new folder", .folder.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// One of its files.
        file: String,
    },
    /// Results need a folder.
    #[error("{} is a file, and results need a folder: give another place", .path.display())]
    NoFolder {
        /// What was given.
        path: PathBuf,
    },
    /// Another process is at work in the folder.
    #[error("another labelwise is at work in the folder {}: wait for it, or give another folder", .folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{} cannot be {done}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was to be done to it.
        done: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A file of results is not what was written.
    #[error("{} is damaged ({why}): delete it, and it will be made again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something has to be trained, which this build cannot.
    #[error(
        "figure {figure} needs {needs} and this build trains no networks: run it by `cargo run --release --features \
         deep -- paper {figure} --data FOLDER`, or give a folder that has what was trained before by --archives or --out"
    )]
    NeedsTraining {
        /// What has to be trained.
        needs: String,
        /// The figure.
        figure: &'static str,
    },
    /// Nobody said where images are.
    #[error(
        "the images of {set} are needed and no folder for them is given: get them by `labelwise paper data` and give \
         --data FOLDER, or set LABELWISE_DATA"
    )]
    NoData {
        /// The set.
        set: &'static str,
    },
    /// An archive of another network lies under the name of the one that is wanted.
    #[error(
        "the archive {} is of another network ({what}: {there} there, {here} here): give another folder by --archives, \
         or delete it", .path.display()
    )]
    OtherArchive {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: crate::workshop::Difference,
        /// Its value in the archive.
        there: String,
        /// Its value here.
        here: String,
    },
    /// An archive of a surrogate is of other items than the model's.
    #[error(
        "the archive {} is of other items than the model's, or in another order: predict the same items with both", .path.display()
    )]
    OtherItems {
        /// The file.
        path: PathBuf,
    },
    /// A run before its networks are there.
    #[error("the experiment {experiment} has nothing to run on yet: prepare it first")]
    NotPrepared {
        /// The experiment.
        experiment: &'static str,
    },
    /// Data that cannot be pictured.
    #[error("the experiment {experiment} has no data that could be pictured: leave that panel out")]
    NoExample {
        /// The experiment.
        experiment: &'static str,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Something could not be done to a file.
    pub(crate) fn file(path: impl Into<PathBuf>, done: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, done, source }
    }

    /// A file is not what was written.
    pub(crate) fn damaged(path: impl Into<PathBuf>, why: impl ToString) -> Self {
        Self::Damaged { path: path.into(), why: why.to_string() }
    }
}

labelwise::error_codes! {
    pub Error {
        Core => "core",
        Plot => "plot",
        Statistics => "statistics",
        Images => "images",
        UnknownFigure => "unknown-figure",
        Runs => "runs",
        OtherRun => "other-run",
        Foreign => "foreign",
        NoFolder => "no-folder",
        Busy => "busy",
        File => "file",
        Damaged => "damaged",
        NeedsTraining => "needs-training",
        NoData => "no-data",
        OtherArchive => "other-archive",
        OtherItems => "other-items",
        NotPrepared => "not-prepared",
        NoExample => "no-example",
    }
}

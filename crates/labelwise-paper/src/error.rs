//! Errors of experiments and their results.

use std::io;
use std::path::PathBuf;

/// Why an experiment has no results.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The core refused the data.
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
    /// The figure does not exist.
    #[error("`{name}` is not a figure: use one of {known}")]
    UnknownFigure { name: String, known: String },
    /// The figure does not exist at this scale.
    #[error("figure {figure} has no scale {scale}: use one of {known}")]
    NoScale { figure: &'static str, scale: &'static str, known: String },
    /// The archive of a published network is missing.
    #[error(
        "figure {figure} needs {needs}: create {} from predictions with `labelwise paper archive`, or \
         choose another folder with --archives",
        .path.display()
    )]
    NeedsArchive { needs: String, figure: &'static str, path: PathBuf },
    /// A panel shows something that was not measured.
    #[error("a panel shows `{what}`, which no experiment of its figure measures")]
    NotMeasured { what: &'static str },
    /// The number of runs is out of range.
    #[error("the number of runs is {runs}, but must be from {least} to {most}")]
    Runs { runs: usize, least: usize, most: usize },
    /// The folder has results of another run.
    #[error(
        "the folder {} has results of another run ({what}: {there} there, {here} here): choose another \
         folder, or delete that one",
        .folder.display()
    )]
    OtherRun { folder: PathBuf, what: &'static str, there: String, here: String },
    /// The folder has files that are not results.
    #[error(
        "the folder {} has `{file}` and no results of labelwise: choose an empty or a new folder",
        .folder.display()
    )]
    Foreign { folder: PathBuf, file: String },
    /// Results need a folder.
    #[error("{} is a file, but results need a folder: choose another place", .path.display())]
    NoFolder { path: PathBuf },
    /// Another process uses the folder.
    #[error(
        "another labelwise process uses the folder {}: wait for it, or choose another folder",
        .folder.display()
    )]
    Busy { folder: PathBuf },
    /// A file could not be read or written.
    #[error("{} cannot be {done}: {source}", .path.display())]
    File { path: PathBuf, done: &'static str, source: io::Error },
    /// A file of results was changed or is incomplete.
    #[error("{} is damaged ({why}): delete it, and labelwise computes it again", .path.display())]
    Damaged { path: PathBuf, why: String },
    /// The figure needs networks, and this build cannot train them.
    #[error(
        "figure {figure} needs {needs} but this build cannot train networks: run `cargo run --release \
         --features deep -- paper {figure} --data FOLDER`, or give a folder with trained networks with \
         --archives or --out"
    )]
    NeedsTraining { needs: String, figure: &'static str },
    /// The folder of the images is not known.
    #[error(
        "the images of {set} are needed, but their folder is not known: download them with `labelwise paper \
         data` and give --data FOLDER, or set LABELWISE_DATA"
    )]
    NoData { set: &'static str },
    /// The archive is of another network than its name says.
    #[error(
        "the archive {} is of another network ({what}: {there} there, {here} here): choose another folder \
         with --archives, or delete it",
        .path.display()
    )]
    OtherArchive { path: PathBuf, what: crate::workshop::Difference, there: String, here: String },
    /// The archive of a surrogate has other items than that of the model.
    #[error(
        "the archive {} has other items than the model's archive, or another order: predict the same items \
         with both",
        .path.display()
    )]
    OtherItems { path: PathBuf },
    /// The experiment runs before its networks exist.
    #[error("the experiment {experiment} is not prepared: prepare it first")]
    NotPrepared { experiment: &'static str },
    /// The experiment has no data that can be drawn.
    #[error("the experiment {experiment} has no data that can be drawn: remove that panel")]
    NoExample { experiment: &'static str },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>, done: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, done, source }
    }

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
        NoScale => "no-scale",
        NeedsArchive => "needs-archive",
        NotMeasured => "not-measured",
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

//! Errors of image sets and archives.

use std::io;
use std::path::PathBuf;

use crate::images::Shape;
use crate::set::Set;

/// Why images or an archive cannot be read, downloaded or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The core refused the data.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A file of predictions cannot be read.
    #[error(transparent)]
    Pool(#[from] labelwise_pool::Error),
    /// The image set is not known.
    #[error("`{name}` is not an image set: use one of {known}")]
    UnknownSet { name: String, known: String },
    /// The folder does not have the set.
    #[error(
        "{set} is not in the folder {}: neither it nor its folder {} has {file} or {file}.gz; {}",
        .folder.display(), .set.name(), .set.way_out()
    )]
    Missing { set: Set, folder: PathBuf, file: &'static str },
    /// The file belongs to another set whose files have the same names.
    #[error(
        "{} belongs to {is}, not to {wanted}: put the files of {wanted} into a folder {} next to it, or {}",
        .path.display(), .wanted.name(), .wanted.way_out()
    )]
    OtherSet { path: PathBuf, is: Set, wanted: Set },
    /// The folder of a set has a file of another set whose files have the same names.
    #[error(
        "{} belongs to {is}, but is in the folder of {wanted}: move it into the folder {} next to that one, \
         and {}",
        .path.display(), .is.name(), .wanted.way_out()
    )]
    OtherFolder { path: PathBuf, is: Set, wanted: Set },
    /// A file could not be read or written.
    #[error("{} cannot be {done}: {source}", .path.display())]
    File { path: PathBuf, done: &'static str, source: io::Error },
    /// The file does not begin as its format requires.
    #[error(
        "{} begins with the number {found} instead of {expected}, so it is not a file of {what}: delete it, \
         and {}",
        .path.display(), .set.way_out()
    )]
    Magic { path: PathBuf, set: Set, what: &'static str, found: u32, expected: u32 },
    /// The file is too short, too long, or was changed.
    #[error("{} is damaged ({why}): delete it, and {}", .path.display(), .set.way_out())]
    Damaged { path: PathBuf, set: Set, why: String },
    /// The file has fewer images than the published one, and no file declares it as a part.
    #[error(
        "{} has {images} of the {published} published images, as if it had been cut off: delete it, and {}; \
         if it is a part of {set} on purpose, put a file {marker} next to it",
        .path.display(), .set.way_out()
    )]
    Short { path: PathBuf, set: Set, images: usize, published: usize, marker: &'static str },
    /// The file is not the published one.
    #[error(
        "{} has the MD5 {found} instead of {expected}, so it is not {set} as published: delete it, and {}",
        .path.display(), .set.way_out()
    )]
    Checksum { path: PathBuf, set: Set, found: String, expected: &'static str },
    /// The package does not hold the published files.
    #[error(
        "{file} of {set} that was downloaded is not the published file ({why}), so nothing was kept: try again"
    )]
    WrongPackage { set: Set, file: &'static str, why: String },
    /// Image sets need a folder.
    #[error("{} is a file, but image sets need a folder: choose another place", .path.display())]
    NoFolder { path: PathBuf },
    /// A path that the set needs is taken.
    #[error(
        "{} is in the place of a file of {set} and was not changed: move it, and try again",
        .path.display()
    )]
    InTheWay { path: PathBuf, set: Set },
    /// Another process is downloading into the folder.
    #[error(
        "another labelwise process is downloading into the folder {}: wait for it before you download {set}",
        .folder.display()
    )]
    Busy { set: Set, folder: PathBuf },
    /// The package manager is not installed.
    #[error("{set} is downloaded with `{program}`, which is not installed: {install}, and try again")]
    NoClient { set: Set, program: String, install: &'static str },
    /// The package manager failed.
    #[error("{set} could not be downloaded: `{command}` said: {said}")]
    Client { set: Set, command: String, said: String },
    /// The package cannot be unpacked.
    #[error("the package of {set} cannot be unpacked: {source}; try again")]
    Package { set: Set, source: io::Error },
    /// No package has the set.
    #[error("no package has {set}: {}", .set.way_out())]
    NoPackage { set: Set },
    /// The set can be had from nowhere.
    #[error("{why}; no package has {set}: put {files} of its binary version into {}", .folder.display())]
    Nowhere { set: Set, folder: PathBuf, files: String, why: String },
    /// The package does not have the expected file.
    #[error("the package of {set} has no {file}: it is not the package that labelwise knows")]
    NotInPackage { set: Set, file: String },
    /// The number of bytes does not fit the number of images.
    #[error("{bytes} bytes are not {labels} images of {each} bytes: give as many images as labels")]
    Pixels { bytes: usize, labels: usize, each: usize },
    /// The label is not one of the classes.
    #[error("the label of item {item} is {label}, but there are {classes} classes, counted from 0")]
    Label { item: usize, label: u32, classes: usize },
    /// The item does not exist.
    #[error("item {item} does not exist: give one from 0 to {}", .items.saturating_sub(1))]
    NoItem { item: usize, items: usize },
    /// The request is for more items than there are.
    #[error("{wanted} items were asked for, but there are {items}: ask for at most {items}")]
    TooFew { wanted: usize, items: usize },
    /// Images of different sets cannot be joined.
    #[error("images of {one} cannot be joined with images of {other} or of another number of classes")]
    Unlike { one: Shape, other: Shape },
    /// A mean needs at least 1 image.
    #[error("a mean needs at least 1 image")]
    NoImages,
    /// The images have another number of channels than the scaling.
    #[error("the images have {here} channels, but the scaling is for images with {scaling}")]
    Channels { here: usize, scaling: usize },
    /// The parts of an archive do not fit together.
    #[error("{what} has {found}, but needs {expected}")]
    Mismatch { what: &'static str, found: String, expected: String },
    /// The file is not an archive of predictions.
    #[error(
        "{} is not an archive of predictions ({why}): get the file again, or make an archive of other \
         predictions with `labelwise paper archive`",
        .path.display()
    )]
    NoArchive { path: PathBuf, why: String },
    /// The file does not have class probabilities and labels.
    #[error("{} has no {what}: an archive needs class probabilities and one label per item", .path.display())]
    NotClasses { path: PathBuf, what: &'static str },
    /// The name of the new archive is taken.
    #[error(
        "{} already exists and was not changed: choose another name for the new archive, or delete that one",
        .path.display()
    )]
    Exists { path: PathBuf },
    /// The archive could not be written.
    #[error("{} cannot be written: {source}", .path.display())]
    Encoding { path: PathBuf, source: parquet::errors::ParquetError },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Something could not be done to a file.
    pub(crate) fn file(path: impl Into<PathBuf>, done: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, done, source }
    }
}

labelwise::error_codes! {
    pub Error {
        Core => "core",
        Pool => "store",
        UnknownSet => "unknown-set",
        Missing => "missing",
        OtherSet => "other-set",
        OtherFolder => "other-folder",
        File => "file",
        Magic => "magic",
        Damaged => "damaged",
        Short => "short",
        Checksum => "checksum",
        WrongPackage => "wrong-package",
        NoFolder => "no-folder",
        InTheWay => "in-the-way",
        Busy => "busy",
        NoClient => "no-client",
        Client => "client",
        Package => "package",
        NotInPackage => "not-in-package",
        NoPackage => "no-package",
        Nowhere => "nowhere",
        Pixels => "pixels",
        Label => "label",
        NoItem => "no-item",
        TooFew => "too-few",
        Unlike => "unlike",
        NoImages => "no-images",
        Channels => "channels",
        Mismatch => "mismatch",
        NoArchive => "no-archive",
        NotClasses => "not-classes",
        Exists => "exists",
        Encoding => "encoding",
    }
}

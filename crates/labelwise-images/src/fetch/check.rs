//! Whether a set is in a folder, and whether its files are what was published.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::known::{KnownFile, known_files};
use crate::read::{Opened, find, read};
use crate::set::{Part, Set};

/// Where a set is, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder of its first file.
    pub folder: PathBuf,
    /// How many images there are to learn from.
    pub train: usize,
    /// How many images there are to test with.
    pub test: usize,
}

/// What a folder has of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// All of it, and every checksum is right. Of CIFAR-100, which has none, all can be read.
    Whole(Place),
    /// Not all of it.
    Missing {
        /// The first file that is not there.
        file: &'static str,
    },
}

/// Looks for a set in a folder. A file that is there and is not what was published is an error.
pub fn look(set: Set, folder: &Path) -> Result<Found> {
    let there = each(set, folder)?;
    for (known, path) in known_files(set).iter().zip(&there) {
        if path.is_none() {
            return Ok(Found::Missing { file: known.name });
        }
    }
    let first = there.into_iter().flatten().next();
    let images = |part| match set {
        Set::Cifar100 => read(set, part, folder).map(|images| images.len()),
        _ => Ok(set.published(part)),
    };
    let (train, test) = (images(Part::Train)?, images(Part::Test)?);
    let folder = first.as_deref().and_then(Path::parent).unwrap_or(folder).to_owned();
    Ok(Found::Whole(Place { folder, train, test }))
}

/// Where each file of a set is, of those that are there. All of them are looked at, so that one that is not what was published
/// is an error even where others are missing.
pub(super) fn each(set: Set, folder: &Path) -> Result<Vec<Option<PathBuf>>> {
    let place = |known: &'static KnownFile| {
        let Some(opened) = find(set, folder, known) else { return Ok(None) };
        match compare(&opened) {
            Ok(()) => Ok(Some(opened.path)),
            // MNIST and Fashion-MNIST have files of the same names, and in a folder of many sets the other one is not in
            // the way.
            Err(Error::OtherSet { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    known_files(set).iter().map(place).collect()
}

/// Compares a file that was fetched with what was published. Where it lies is of no interest, since it will be gone.
pub(super) fn verify(set: Set, file: &'static KnownFile, path: &Path) -> Result<()> {
    compare(&Opened { set, file, path: path.to_owned(), own: false }).map_err(|error| {
        let why = match error {
            Error::Checksum { found, expected, .. } => format!("its MD5 is {found} instead of {expected}"),
            Error::Damaged { why, .. } => why,
            Error::OtherSet { is, .. } => format!("it is of {is}"),
            error => return error,
        };
        Error::WrongPackage { set, file: file.name, why }
    })
}

fn compare(opened: &Opened) -> Result<()> {
    // Where nothing is known to compare with, nothing is read.
    match opened.file.md5 {
        Some(_) => opened.compare(&opened.bytes()?),
        None => Ok(()),
    }
}

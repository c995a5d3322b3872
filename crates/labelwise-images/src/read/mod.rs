//! From a folder to images: where the files of a set lie, and what is in them.

mod cifar;
mod idx;
mod open;

use std::path::Path;

use crate::error::{Error, Result};
use crate::images::Images;
use crate::known::{KnownFile, known_files};
use crate::set::{Part, Set};

pub(crate) use open::{Opened, digits, find};

/// The images of a part of a set, from the folder itself or its folder of the set's name (`mnist`, `fashion-mnist`,
/// `cifar-10`, `cifar-100`). Files have the names that their makers gave them, packed by gzip or not.
///
/// A file with fewer images than were published is refused: it may have been cut off between two of them, and a network
/// that learnt from it would be another one. If it is a part on purpose, a file `PART`, of whatever content, in the folder
/// that it lies in says so. Of CIFAR-100 no checksums are known, and parts of it go about; a file of it that was cut off
/// between two images cannot be told from those, and is read.
///
/// ```no_run
/// use labelwise_images::{Part, Set, read};
/// let images = read(Set::Mnist, Part::Test, "data".as_ref())?;
/// assert_eq!(images.len(), 10_000);
/// # Ok::<(), labelwise_images::Error>(())
/// ```
pub fn read(set: Set, part: Part, folder: &Path) -> Result<Images> {
    let mut files = known_files(set).iter().filter(|file| file.part == part);
    match set {
        Set::Mnist | Set::FashionMnist => {
            let (Some(images), Some(labels)) = (files.next(), files.next()) else {
                return Err(Error::NoImages);
            };
            idx::read(&there(set, folder, images)?, &there(set, folder, labels)?)
        }
        Set::Cifar10 | Set::Cifar100 => {
            // Whether all are there is known before the first is read.
            let files: Vec<Opened> = files.map(|file| there(set, folder, file)).collect::<Result<_>>()?;
            cifar::read(set, &files)
        }
    }
}

fn there(set: Set, folder: &Path, file: &'static KnownFile) -> Result<Opened> {
    find(set, folder, file).ok_or_else(|| Error::Missing { set, folder: folder.to_owned(), file: file.name })
}

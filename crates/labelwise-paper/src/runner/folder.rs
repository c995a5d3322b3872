//! The folder of a figure's results. Files appear whole or not at all: each is written beside its place and then moved
//! there.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::traces::Traces;
use super::{Repeated, traces};
use crate::error::{Error, Result};
use crate::experiment::Column;

/// The manifest's file.
const MANIFEST: &str = "manifest.json";
/// Finished traces, one file an experiment.
const TRACES: &str = "traces";
/// Finished blocks of unfinished experiments.
const BLOCKS: &str = "blocks";

/// The extension of a file that is not whole yet.
const PARTIAL: &str = "partial";

/// A folder that holds, or will hold, the results of one figure.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: Manifest,
    /// Held as long as the folder is: two processes at once would be in each other's way.
    _lock: Option<File>,
}

impl Folder {
    /// Opens the folder for this manifest, or makes it. One that holds anything else is refused and left as it is.
    pub fn open(path: &Path, manifest: Manifest) -> Result<Self> {
        let mut folder = Self { path: path.to_owned(), manifest, _lock: None };
        let file = path.join(MANIFEST);
        match fs::read(&file) {
            Ok(bytes) => {
                let there: Manifest =
                    serde_json::from_slice(&bytes).map_err(|error| Error::damaged(&file, error))?;
                folder.check(&there)?;
                folder.manifest = there;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                folder.check_empty()?;
                folder.write(MANIFEST, json(&folder.manifest, &file)?.as_bytes())?;
            }
            Err(error) => return Err(Error::file(file, "read")(error)),
        }
        folder._lock = Some(lock(&file, path)?);
        for part in [path.join(TRACES), path.join(BLOCKS), path.to_owned()] {
            remove_partial(&part)?;
        }
        Ok(folder)
    }

    /// Refuses another run's results; those of another build too, unless nothing is left to add to them.
    fn check(&self, there: &Manifest) -> Result<()> {
        let other = |what, there: String, here: String| {
            Err(Error::OtherRun { folder: self.path.clone(), what, there, here })
        };
        if let Some((what, there, here)) = there.difference(&self.manifest) {
            return other(what, there, here);
        }
        let finished = there.experiments.iter().all(|planned| self.traces(&planned.name).exists());
        if !finished && there.commit != self.manifest.commit {
            return other("the commit that began it", there.commit.clone(), self.manifest.commit.clone());
        }
        Ok(())
    }

    fn check_empty(&self) -> Result<()> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::file(&self.path, "read")(error)),
        };
        match entries.flatten().next() {
            Some(entry) => Err(Error::Foreign {
                folder: self.path.clone(),
                file: entry.file_name().to_string_lossy().into_owned(),
            }),
            None => Ok(()),
        }
    }

    /// What the folder's results are of; the build that made them is the one that began.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one of the results, whole or not at all, and says where.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path.join(name);
        whole(&path, |file| file.write_all(bytes).map_err(Error::file(&path, "written")))?;
        Ok(path)
    }

    /// The traces of an experiment, if all its runs are done.
    pub(super) fn finished(&self, name: &str, columns: &[Column], runs: usize) -> Result<Option<Repeated>> {
        read(&self.traces(name), columns, runs)
    }

    /// A finished block of runs.
    pub(super) fn block(
        &self,
        name: &str,
        block: usize,
        columns: &[Column],
        runs: usize,
    ) -> Result<Option<Repeated>> {
        read(&self.part(name, block), columns, runs)
    }

    /// Keeps a finished block of runs.
    pub(super) fn keep_block(&self, name: &str, block: usize, traces: &Traces, seconds: f64) -> Result<()> {
        let path = self.part(name, block);
        whole(&path, |file| {
            traces::write(file, traces, seconds).map_err(|error| Error::damaged(&path, error))
        })
    }

    /// Keeps the traces of all runs, and lets the blocks go.
    pub(super) fn finish(&self, name: &str, traces: &Traces, seconds: f64) -> Result<()> {
        let path = self.traces(name);
        whole(&path, |file| {
            traces::write(file, traces, seconds).map_err(|error| Error::damaged(&path, error))
        })?;
        for block in 0.. {
            if fs::remove_file(self.part(name, block)).is_err() {
                break;
            }
        }
        // Gone with the last of them; blocks of another experiment keep it.
        let _ = fs::remove_dir(self.path.join(BLOCKS));
        Ok(())
    }

    fn traces(&self, name: &str) -> PathBuf {
        self.path.join(TRACES).join(format!("{name}.parquet"))
    }

    fn part(&self, name: &str, block: usize) -> PathBuf {
        self.path.join(BLOCKS).join(format!("{name}-{block:05}.parquet"))
    }
}

/// Keeps others out for as long as the file is open.
fn lock(file: &Path, folder: &Path) -> Result<File> {
    let lock = File::open(file).map_err(Error::file(file, "read"))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { folder: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(Error::file(file, "locked")(error)),
    }
}

/// Removes what an interrupted run left half written.
fn remove_partial(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::file(folder, "read")(error)),
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == PARTIAL) {
            fs::remove_file(&path).map_err(Error::file(&path, "removed"))?;
        }
    }
    Ok(())
}

fn read(path: &Path, columns: &[Column], runs: usize) -> Result<Option<Repeated>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file(path, "read")(error)),
    };
    let repeated = traces::read(file, columns).map_err(|error| Error::damaged(path, error))?;
    if repeated.traces.runs.len() != runs {
        let why = format!("it has {} runs in place of {runs}", repeated.traces.runs.len());
        return Err(Error::damaged(path, why));
    }
    Ok(Some(repeated))
}

/// Writes a file beside its place, waits until it is on disk, and moves it there.
fn whole(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let aside = path.with_extension(PARTIAL);
    let attempt = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file(folder, "made"))?;
        }
        let mut file = File::create(&aside).map_err(Error::file(&aside, "written"))?;
        write(&mut file)?;
        file.sync_all().map_err(Error::file(&aside, "written"))?;
        fs::rename(&aside, path).map_err(Error::file(path, "written"))
    };
    attempt().inspect_err(|_| {
        // Whatever went wrong is told; that a remnant could not be removed is not worth more.
        let _ = fs::remove_file(&aside);
    })
}

fn json(manifest: &Manifest, path: &Path) -> Result<String> {
    serde_json::to_string_pretty(manifest).map_err(|error| Error::damaged(path, error))
}

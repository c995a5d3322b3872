//! The folder of a figure's results, which is of one run and worked in by one process.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::traces::Traces;
use super::{Repeated, traces, whole_file};
use crate::error::{Error, Result};
use crate::strategy::Column;
use crate::workshop::ArchiveNote;

/// The manifest's file.
const MANIFEST: &str = "manifest.json";
/// Which archives runs have come from.
const ARCHIVES: &str = "archives.json";
/// Finished traces, one file an experiment.
const TRACES: &str = "traces";
/// Finished blocks of unfinished experiments.
const BLOCKS: &str = "blocks";

/// Locked by whoever is at work. Never moved or removed, so that all lock the same file.
const LOCK: &str = "lock";

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
        // Looked at before anything is touched, and again when nobody else can.
        folder.there()?;
        fs::create_dir_all(path).map_err(Error::file(path, "made"))?;
        folder._lock = Some(lock(path)?);
        match folder.there()? {
            Some(there) if folder.has_begun() => folder.manifest = there,
            // Nothing is kept that another build may have made.
            _ => {
                let json = serde_json::to_string_pretty(&folder.manifest);
                let json = json.map_err(|error| Error::damaged(path.join(MANIFEST), error))?;
                folder.write(MANIFEST, json.as_bytes())?;
            }
        }
        for part in [path.join(TRACES), path.join(BLOCKS), path.to_owned()] {
            whole_file::remove_temporary(&part)?;
        }
        Ok(folder)
    }

    /// The manifest that is there, if it is of this run; nothing if the folder is empty or not there.
    fn there(&self) -> Result<Option<Manifest>> {
        // The nearest of its parents that is there decides.
        if let Some(path) = self.path.ancestors().find(|path| path.exists())
            && !path.is_dir()
        {
            return Err(Error::NoFolder { path: path.to_owned() });
        }
        let file = self.path.join(MANIFEST);
        match fs::read(&file) {
            Ok(bytes) => {
                let there: Manifest =
                    serde_json::from_slice(&bytes).map_err(|error| Error::damaged(&file, error))?;
                self.check(&there)?;
                Ok(Some(there))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.check_empty()?;
                Ok(None)
            }
            Err(error) => Err(Error::file(file, "read")(error)),
        }
    }

    /// Refuses another run's results; those of another build too, unless nothing is left to add to them, or nothing is there
    /// that could be added to.
    fn check(&self, there: &Manifest) -> Result<()> {
        let other = |what, there: String, here: String| {
            Err(Error::OtherRun { folder: self.path.clone(), what, there, here })
        };
        if let Some((what, there, here)) = there.difference(&self.manifest) {
            return other(what, there, here);
        }
        let finished = there.experiments.iter().all(|planned| self.traces(&planned.name).exists());
        if !finished && self.has_begun() && there.commit != self.manifest.commit {
            return other("the commit that began it", there.commit.clone(), self.manifest.commit.clone());
        }
        Ok(())
    }

    /// Whether any runs are kept.
    fn has_begun(&self) -> bool {
        let any =
            |part: &str| fs::read_dir(self.path.join(part)).is_ok_and(|mut files| files.next().is_some());
        any(TRACES) || any(BLOCKS)
    }

    fn check_empty(&self) -> Result<()> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::file(&self.path, "read")(error)),
        };
        // What a process that began and was killed at once may have left.
        let ours = |path: &Path| labelwise_atomic_file::is_temporary(path) || path.ends_with(LOCK);
        match entries.flatten().find(|entry| !ours(&entry.path())) {
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
        whole_file::write(&path, bytes)?;
        Ok(path)
    }

    /// Whether all runs of an experiment are done.
    pub fn is_finished(&self, name: &str) -> bool {
        self.traces(name).exists()
    }

    /// Which archives the runs of this folder have come from, if from any. Others than those that are on record are
    /// refused, since a folder never mixes two runs.
    pub fn agree_on(&self, archives: &[ArchiveNote]) -> Result<()> {
        let kept = self.archives()?;
        let differing = archives.iter().find_map(|here| {
            let there = kept.iter().find(|there| there.file == here.file)?;
            (there.crc32 != here.crc32).then_some((there, here))
        });
        if let Some((there, here)) = differing {
            return Err(Error::OtherRun {
                folder: self.path.clone(),
                what: "the checksum of an archive",
                there: format!("{} of {}", there.crc32, there.file),
                here: here.crc32.clone(),
            });
        }
        let new = archives.iter().filter(|here| kept.iter().all(|there| there.file != here.file));
        let all: Vec<&ArchiveNote> = kept.iter().chain(new).collect();
        let json = serde_json::to_string_pretty(&all);
        let json = json.map_err(|error| Error::damaged(self.path.join(ARCHIVES), error))?;
        self.write(ARCHIVES, json.as_bytes())?;
        Ok(())
    }

    /// The archives that are on record.
    pub fn archives(&self) -> Result<Vec<ArchiveNote>> {
        let path = self.path.join(ARCHIVES);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| Error::damaged(&path, error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::file(path, "read")(error)),
        }
    }

    /// The traces of an experiment, if all its runs are done.
    pub(super) fn finished(&self, name: &str, columns: &[Column], runs: usize) -> Result<Option<Repeated>> {
        let finished = read(&self.traces(name), columns, runs)?;
        if finished.is_some() {
            self.remove_blocks(name);
        }
        Ok(finished)
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
        keep(&self.part(name, block), traces, seconds)
    }

    /// Keeps the traces of all runs, and lets the blocks go.
    pub(super) fn finish(&self, name: &str, traces: &Traces, seconds: f64) -> Result<()> {
        keep(&self.traces(name), traces, seconds)?;
        self.remove_blocks(name);
        Ok(())
    }

    fn remove_blocks(&self, name: &str) {
        // From the last, so that a kill in between leaves the first, where the search begins.
        let count = (0..).take_while(|block| self.part(name, *block).exists()).count();
        for block in (0..count).rev() {
            whole_file::remove_checked(&self.part(name, block));
        }
        // Gone with the last of them; blocks of another experiment keep it.
        let _ = fs::remove_dir(self.path.join(BLOCKS));
    }

    fn traces(&self, name: &str) -> PathBuf {
        self.path.join(TRACES).join(format!("{name}.parquet"))
    }

    fn part(&self, name: &str, block: usize) -> PathBuf {
        self.path.join(BLOCKS).join(format!("{name}-{block:05}.parquet"))
    }
}

/// Keeps others out for as long as the file is open.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(Error::file(&path, "written"))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { folder: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(Error::file(&path, "locked")(error)),
    }
}

fn keep(path: &Path, traces: &Traces, seconds: f64) -> Result<()> {
    let mut bytes = Vec::new();
    traces::write(&mut bytes, traces, seconds).map_err(|error| Error::damaged(path, error))?;
    whole_file::write_checked(path, &bytes)
}

fn read(path: &Path, columns: &[Column], runs: usize) -> Result<Option<Repeated>> {
    let Some(bytes) = whole_file::read_checked(path)? else { return Ok(None) };
    let repeated = traces::read(bytes, columns).map_err(|error| Error::damaged(path, error))?;
    if repeated.traces.runs.len() != runs {
        let why = format!("it has {} runs in place of {runs}", repeated.traces.runs.len());
        return Err(Error::damaged(path, why));
    }
    Ok(Some(repeated))
}

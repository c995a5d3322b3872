//! The passes over a pool in files: parts are read by all threads, each into a sketch of its own.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use labelwise_pool::{Carried, Column, ColumnNames, FilePart, Ids, PoolFiles, Reading, Strings};
use rayon::prelude::*;

use super::part::{Part, PartSketch};
use super::scan::{Phase, Scan};
use crate::create::Created;
use crate::decide::choices::Choices;
use crate::error::{ElsewhereError, Error, Result};
use crate::study::Study;

/// What is told about the work: the phase, the parts that are done, and all parts.
pub type Progress<'a> = dyn Fn(Step, usize, usize) + Sync + 'a;

/// What is done with the parts of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A uniform sample is kept.
    Sampling,
    /// Items are scored and drawn.
    Drawing,
    /// Passthrough columns of drawn items are read.
    Carrying,
}

impl Study {
    /// Makes an evaluation that keeps its draws, and not the pool, by passes over files. Nothing of the size of the pool is in memory.
    /// Passthrough columns are those that `columns` names, or all columns of texts with `carry_texts`.
    pub fn create_elsewhere(
        path: impl AsRef<Path>,
        files: &PoolFiles,
        columns: ColumnNames,
        carry_texts: bool,
        choices: Choices,
        ahead: Option<usize>,
        progress: &Progress<'_>,
    ) -> Result<Created> {
        let path = path.as_ref();
        if path.exists() {
            return Err(labelwise_file::Error::Exists { path: path.to_owned() }.into());
        }
        let reading = Reading::from(columns.clone());
        let reading = if carry_texts { reading.carry_texts() } else { reading };
        let mut scan = Scan::new(&files.pattern().display().to_string(), columns, choices, ahead)?;
        scan.reads(files.bytes()?);
        let parts = files.file_parts(&reading)?;
        passes(&mut scan, &parts, progress)?;
        let carried = carried(&scan.drawn()?, &parts, &reading, progress)?;
        scan.finish(path, &carried)
    }

    /// Refreshes the scores of an evaluation by its labels, when its pool is given again, and makes new draws.
    pub fn refresh_elsewhere(
        path: impl AsRef<Path>,
        files: &PoolFiles,
        ahead: Option<usize>,
        progress: &Progress<'_>,
    ) -> Result<(Self, usize)> {
        let mut scan = Scan::refresh(path, ahead)?;
        let reading = Reading::from(scan.columns().clone());
        let carry = scan.carry().to_vec();
        let reading = carry.iter().fold(reading, |reading, name| reading.carry_also(name));
        let parts = files.file_parts(&reading)?;
        let labels = scan.labels();
        passes(&mut scan, &parts, progress)?;
        let carried = match carry.is_empty() {
            true => Vec::new(),
            false => carried(&scan.drawn()?, &parts, &reading, progress)?,
        };
        Ok((scan.finish_refresh(&carried)?, labels))
    }
}

/// All passes that a scan still needs.
fn passes(scan: &mut Scan, parts: &[FilePart], progress: &Progress<'_>) -> Result<()> {
    while let Some(empty) = scan.part()? {
        let step = if scan.phase() == Phase::Pilot { Step::Sampling } else { Step::Drawing };
        let sketch = pass(&empty, parts, &|done| progress(step, done, parts.len()))?;
        scan.take_part(&sketch)?;
    }
    Ok(())
}

/// One pass. Of several errors, that of the first part is returned.
fn pass(empty: &Part, parts: &[FilePart], progress: &(dyn Fn(usize) + Sync)) -> Result<PartSketch> {
    let (next, done, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let worker = |_| {
        let mut own = empty.another();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(place).filter(|_| !stop.load(Ordering::Relaxed)) else {
                return Ok(own.into_sketch());
            };
            let added = match part.read(empty.reading()) {
                Ok(None) => Ok(()),
                Ok(Some(table)) => own.add(table),
                Err(error) => Err(error.into()),
            };
            if let Err(error) = added {
                stop.store(true, Ordering::Relaxed);
                return Err(Box::new((place, error)));
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let workers = rayon::current_num_threads().min(parts.len()).max(1);
    let sketches: Vec<Result<PartSketch, Box<(usize, Error)>>> =
        (0..workers).into_par_iter().with_max_len(1).map(worker).collect();
    let mut failed: Option<Box<(usize, Error)>> = None;
    let mut merged: Option<PartSketch> = None;
    for sketch in sketches {
        match (sketch, &mut merged) {
            (Err(error), _) => {
                if failed.as_ref().is_none_or(|first| error.0 < first.0) {
                    failed = Some(error);
                }
            }
            (Ok(sketch), None) => merged = Some(sketch),
            (Ok(sketch), Some(merged)) => merged.merge(sketch)?,
        }
    }
    if let Some(failed) = failed {
        return Err(failed.1);
    }
    merged.ok_or(ElsewhereError::Sketch(labelwise_sketch::Error::Empty).into())
}

/// The passthrough columns of drawn items, part by part; nothing if there are none.
fn carried(
    drawn: &[String],
    parts: &[FilePart],
    reading: &Reading,
    progress: &Progress<'_>,
) -> Result<Vec<Carried>> {
    let mut any = false;
    if let Some(first) = parts.first() {
        any = !first.passthrough_names(reading)?.is_empty();
    }
    if !any {
        return Ok(Vec::new());
    }
    let wanted: HashSet<&str> = drawn.iter().map(String::as_str).collect();
    let whole: HashSet<i64> = drawn.iter().filter_map(|id| id.parse().ok()).collect();
    let done = AtomicUsize::new(0);
    let of_part = |part: &FilePart| {
        let (ids, columns) = part.passthrough(reading)?;
        let is_wanted = |row: usize| match &ids {
            Ids::Column(Column::Texts(texts)) => texts.get(row).is_some_and(|id| wanted.contains(id)),
            Ids::Column(Column::Integers(numbers)) => numbers.get(row).is_some_and(|id| whole.contains(id)),
            _ => false,
        };
        let rows: Vec<usize> = (0..ids.len()).filter(|row| is_wanted(*row)).collect();
        let picked = rows.iter().filter_map(|&row| ids.get(row)).collect::<Vec<_>>();
        let picked: Strings = picked.iter().map(String::as_str).collect();
        let texts = |column: &Column| {
            let texts: Vec<String> = rows.iter().filter_map(|&row| column.text(row)).collect();
            Column::Texts(texts.iter().map(String::as_str).collect())
        };
        let columns = columns.iter().map(|(name, column)| (name.clone(), texts(column))).collect();
        progress(Step::Carrying, done.fetch_add(1, Ordering::Relaxed) + 1, parts.len());
        Ok((Ids::Column(Column::Texts(picked)), columns))
    };
    parts.par_iter().with_max_len(1).map(of_part).collect()
}

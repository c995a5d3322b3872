//! NumPy arrays by name in a ZIP archive: `probs`, and optionally `ids`, `labels` and `classes`.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use super::npy::{Header, make_room};
use super::npy_items::{fill_block, fill_column};
use super::{Empty, Field, Kind, Loaded, Selection, Source, empty, too_wide};
use crate::column::Column;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;

/// The array with the names of the classes.
const CLASSES: &str = "classes";

/// An archive whose arrays are known.
pub(crate) struct NpzFile {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
    fields: Vec<Field>,
    arrays: Vec<(usize, Header)>,
    budget: Arc<Budget>,
}

impl NpzFile {
    pub(crate) fn open(path: &Path, budget: &Arc<Budget>) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let mut archive =
            ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(path, error.to_string()))?;
        if archive.has_duplicate_names() {
            return Err(Error::Unsupported {
                path: path.to_owned(),
                what: "two arrays of the same name".to_owned(),
                way_out: "save each array under its own name",
            });
        }
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for place in 0..archive.len().min(limits::COLUMNS) {
            let mut entry = archive.by_index(place).map_err(|error| damaged(path, error.to_string()))?;
            let name = entry.name().map_err(|error| damaged(path, error.to_string()))?.into_owned();
            let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else { continue };
            let size = entry.size();
            let header = Header::read(&mut entry)
                .map_err(|reason| damaged(path, format!("array `{name}`: {reason}")))?;
            if header.data_bytes() != Some(size.saturating_sub(header.bytes)) {
                let shape = &header.shape;
                let reason = format!("array `{name}` has {size} bytes, which do not fit the shape {shape:?}");
                return Err(damaged(path, reason));
            }
            fields.push(Field { name, kind: header.kind() });
            arrays.push((place, header));
        }
        Ok(Self { path: path.to_owned(), archive, fields, arrays, budget: Arc::clone(budget) })
    }

    /// Reads one array from its start.
    fn array<T>(&mut self, field: usize, read: impl FnOnce(&mut dyn Read, &Header) -> T) -> Result<T> {
        let (place, header) =
            self.arrays.get(field).ok_or_else(|| damaged(&self.path, "an array is missing".to_owned()))?;
        let entry = self.archive.by_index(*place).map_err(|error| damaged(&self.path, error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 16, entry);
        Header::read(&mut reader).map_err(|reason| damaged(&self.path, reason))?;
        Ok(read(&mut reader, header))
    }

    /// The number of rows, which all wanted arrays must share.
    fn rows(&self, wanted: &Selection) -> Result<usize> {
        let in_blocks = wanted.blocks.iter().flat_map(|block| &block.fields);
        let all = in_blocks.chain(wanted.columns.iter().map(|column| &column.field));
        let mut sizes =
            all.filter_map(|&field| Some((&self.fields.get(field)?.name, self.arrays.get(field)?.1.rows())));
        let Some((first, rows)) = sizes.next() else { return Ok(0) };
        match sizes.find(|&(_, other)| other != rows) {
            Some((name, other)) => Err(damaged(
                &self.path,
                format!("array `{first}` has {rows} rows, but array `{name}` has {other}"),
            )),
            None => Ok(rows),
        }
    }
}

impl Source for NpzFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut loaded = empty(wanted, &self.fields);
        loaded.rows = self.rows(wanted)?;
        let header = |field: usize| self.arrays.get(field).map(|(_, header)| header);
        make_room(&mut loaded, wanted, header, (&self.path, &self.budget))?;
        let (path, budget) = (self.path.clone(), Arc::clone(&self.budget));
        for (block, wanted) in loaded.blocks.iter_mut().zip(&wanted.blocks) {
            for (column, &field) in wanted.fields.iter().enumerate() {
                let place = (!wanted.lists).then_some(column);
                let filled = self.array(field, |mut reader, header| {
                    fill_block(&mut reader, header, block, place, offences, &budget)
                })?;
                filled?.map_err(|error| damaged(&path, error))?;
            }
        }
        for (column, wanted) in loaded.columns.iter_mut().zip(&wanted.columns) {
            let filled = self.array(wanted.field, |mut reader, header| {
                fill_column(&mut reader, header, column, wanted.empty, offences, &budget)
            })?;
            filled.map_err(|error| damaged(&path, error))?;
        }
        Ok(loaded)
    }

    fn classes(&mut self) -> Result<Option<Vec<String>>> {
        let place = self.fields.iter().position(|field| field.name == CLASSES && field.kind != Kind::Other);
        let Some(field) = place else { return Ok(None) };
        let names = self.arrays.get(field).map_or(0, |(_, header)| header.rows());
        if names > limits::COLUMNS {
            return Err(too_wide(&self.path, names));
        }
        let (mut column, budget) = (Column::default(), Arc::clone(&self.budget));
        let filled = self.array(field, |mut reader, header| {
            let mut offences = Offences::default();
            fill_column(&mut reader, header, &mut column, Empty::Kept, &mut offences, &budget)
        })?;
        filled.map_err(|error| damaged(&self.path, error))?;
        Ok(Some((0..column.len()).filter_map(|row| column.text(row)).collect()))
    }

    /// Arrays of another length are not of the items: names of classes or features.
    fn may_carry(&self, field: usize, wanted: &Selection) -> bool {
        let is_classes = self.fields.get(field).is_some_and(|field| field.name == CLASSES);
        let rows = self.arrays.get(field).map(|(_, header)| header.rows());
        !is_classes && self.rows(wanted).is_ok_and(|wanted| Some(wanted) == rows)
    }

    fn id_field(&self) -> Option<usize> {
        ["ids", "id"].iter().find_map(|name| self.fields.iter().position(|field| field.name == *name))
    }
}

fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Npz, reason }
}

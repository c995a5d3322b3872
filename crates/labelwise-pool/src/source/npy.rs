//! NumPy arrays: a header in Python's notation, then numbers or texts of a fixed size.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::npy_items::{fill_block, fill_column};
use super::{Field, Kind, Loaded, Selection, Source, empty, too_wide};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;

/// The longest header that is read; NumPy itself refuses longer ones.
const LONGEST_HEADER: u32 = 10_000;

/// The header of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) item: Item,
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
    /// Size of the header in bytes.
    pub(super) bytes: u64,
}

/// The type of one item, with its size in bytes if that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Float(usize),
    Signed(usize),
    Unsigned(usize),
    Truth,
    /// UTF-32.
    Text(usize),
    Bytes(usize),
}

impl Item {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Float(size) | Self::Signed(size) | Self::Unsigned(size) => size,
            Self::Truth => 1,
            Self::Text(size) | Self::Bytes(size) => size,
        }
    }
}

impl Header {
    /// Reads a header.
    pub(super) fn read(reader: &mut impl Read) -> Result<Self, String> {
        let mut start = [0; 8];
        let ends = |_| "it ends inside its header".to_owned();
        reader.read_exact(&mut start).map_err(ends)?;
        let [0x93, b'N', b'U', b'M', b'P', b'Y', major, _] = start else {
            return Err("it does not begin as a NumPy array".to_owned());
        };
        let (length, before) = if major == 1 {
            let mut length = [0; 2];
            reader.read_exact(&mut length).map_err(ends)?;
            (u32::from(u16::from_le_bytes(length)), 10)
        } else {
            let mut length = [0; 4];
            reader.read_exact(&mut length).map_err(ends)?;
            (u32::from_le_bytes(length), 12)
        };
        if length > LONGEST_HEADER {
            return Err(format!("its header of {length} bytes is longer than {LONGEST_HEADER}"));
        }
        let mut text = vec![0; length as usize];
        reader.read_exact(&mut text).map_err(ends)?;
        let text = String::from_utf8(text).map_err(|_| "its header is not text".to_owned())?;
        Self::parse(&text, before + u64::from(length))
    }

    fn parse(text: &str, bytes: u64) -> Result<Self, String> {
        let after = |key: &str| {
            let place = text.find(&format!("'{key}':")).map(|at| at + key.len() + 3);
            place
                .and_then(|at| text.get(at..))
                .map(str::trim_start)
                .ok_or(format!("its header has no `{key}`"))
        };
        let descr = after("descr")?.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let (descr, _) = descr.ok_or("it holds records, not plain numbers or texts")?;
        let fortran = after("fortran_order")?.starts_with("True");
        let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (shape, _) = shape.ok_or("its header has no shape")?;
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
        let shape = shape.ok_or("its header has no shape")?;
        let (item, big_endian) = item(descr)?;
        Ok(Self { item, big_endian, fortran, shape, bytes })
    }

    pub(super) fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    pub(super) fn columns(&self) -> usize {
        self.shape.get(1).copied().unwrap_or(1)
    }

    /// Size of the items in bytes.
    pub(super) fn data_bytes(&self) -> Option<u64> {
        let items = self.shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size as u64))?;
        items.checked_mul(self.item.size() as u64)
    }

    pub(super) fn kind(&self) -> Kind {
        let text = matches!(self.item, Item::Text(_) | Item::Bytes(_));
        match (self.shape.len(), self.item) {
            (1, _) if text => Kind::Text,
            (1, Item::Float(4)) => Kind::Single,
            (1, _) => Kind::Number,
            (2, Item::Float(4)) if self.columns() > 0 => Kind::SingleList,
            (2, _) if !text && self.columns() > 0 => Kind::List,
            _ => Kind::Other,
        }
    }
}

fn item(descr: &str) -> Result<(Item, bool), String> {
    let unknown = || format!("it holds items of type `{descr}`, which labelwise does not read");
    let mut letters = descr.chars();
    let order = letters.next().ok_or_else(unknown)?;
    let letter = letters.next().ok_or_else(unknown)?;
    if letter == 'O' {
        return Err("it holds pickled objects, which are never read: save numbers or texts".to_owned());
    }
    let size: usize = letters.as_str().parse().map_err(|_| unknown())?;
    let item = match (letter, size) {
        ('f', 2 | 4 | 8) => Item::Float(size),
        ('i', 1 | 2 | 4 | 8) => Item::Signed(size),
        ('u', 1 | 2 | 4 | 8) => Item::Unsigned(size),
        ('b', 1) => Item::Truth,
        ('U', 1..=1_000_000) => Item::Text(4 * size),
        ('S', 1..=1_000_000) => Item::Bytes(size),
        _ => return Err(unknown()),
    };
    Ok((item, order == '>'))
}

/// A file of one array.
pub(crate) struct NpyFile {
    path: PathBuf,
    header: Header,
    fields: Vec<Field>,
    budget: Arc<Budget>,
}

/// Sets the widths of tables, and takes the memory of all rows. `header` is that of a field.
pub(super) fn make_room<'h>(
    loaded: &mut Loaded,
    wanted: &Selection,
    header: impl Fn(usize) -> Option<&'h Header>,
    (path, budget): (&Path, &Budget),
) -> Result<()> {
    for (block, wanted) in loaded.blocks.iter_mut().zip(&wanted.blocks) {
        if let (true, [field]) = (wanted.lists, wanted.fields.as_slice()) {
            let width = header(*field).map_or(0, Header::columns);
            if width > limits::COLUMNS {
                return Err(too_wide(path, width));
            }
            block.widen_to(width);
        }
    }
    budget.take(loaded.row_cost().of(0, loaded.rows))
}

impl NpyFile {
    pub(crate) fn open(path: &Path, budget: &Arc<Budget>) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let header = Header::read(&mut BufReader::new(file)).map_err(|reason| damaged(path, reason))?;
        let held = bytes.saturating_sub(header.bytes);
        if header.data_bytes() != Some(held) {
            let shape = &header.shape;
            return Err(damaged(
                path,
                format!("{held} bytes follow its header, which do not fit the shape {shape:?}"),
            ));
        }
        // A file with one array without a name holds predictions.
        let name = if header.shape.len() == 2 { "probs" } else { "values" };
        let fields = vec![Field { name: name.to_owned(), kind: header.kind() }];
        Ok(Self { path: path.to_owned(), header, fields, budget: Arc::clone(budget) })
    }
}

impl Source for NpyFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut loaded = empty(wanted, &self.fields);
        loaded.rows = self.header.rows();
        make_room(&mut loaded, wanted, |_| Some(&self.header), (&self.path, &self.budget))?;
        let open = || -> Result<BufReader<File>> {
            let file =
                File::open(&self.path).map_err(|source| Error::File { path: self.path.clone(), source })?;
            let mut reader = BufReader::with_capacity(1 << 16, file);
            Header::read(&mut reader).map_err(|reason| damaged(&self.path, reason))?;
            Ok(reader)
        };
        let failed = |error| damaged(&self.path, error);
        for (block, wanted) in loaded.blocks.iter_mut().zip(&wanted.blocks) {
            for column in 0..wanted.fields.len() {
                let place = (!wanted.lists).then_some(column);
                fill_block(&mut open()?, &self.header, block, place, offences, &self.budget)?
                    .map_err(failed)?;
            }
        }
        for (column, wanted) in loaded.columns.iter_mut().zip(&wanted.columns) {
            fill_column(&mut open()?, &self.header, column, wanted.empty, offences, &self.budget)
                .map_err(failed)?;
        }
        Ok(loaded)
    }
}

fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Npy, reason }
}

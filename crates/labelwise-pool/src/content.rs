//! The format of a file, by its contents first and by its name second.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde::de::IgnoredAny;
use zip::ZipArchive;

use crate::error::{Error, Result};
use crate::format::{Format, names};
use crate::limits::Budget;
use crate::text::{START, TextFile, delimiter, peek, widths};

/// Keys of documents whose items are in a list, if they are written in one line.
const DOCUMENTS: [&[&str]; 4] = [
    &["\"results\"", "\"testIdx\""],
    &["\"testCases\"", "\"metricsData\""],
    &["\"test_results\"", "\"metrics_data\""],
    &["\"data\"", "\"meta\"", "\"input\""],
];

/// What the contents of a file tell.
enum Content {
    /// The format.
    Certain(Format),
    /// A format that also fits many other files.
    Possible(Format),
    /// Another kind of file, and what to do with it.
    Foreign(&'static str, &'static str),
    /// Nothing but blanks.
    Blank,
    Unknown,
}

/// How a file begins that is never a pool.
const FOREIGN: [(&[u8], &str, &str); 9] = [
    (b"SQLite format 3\0", "a database, such as an evaluation", "name the file with the model's predictions"),
    (b"\x28\xb5\x2f\xfd", "data packed with zstd", "unpack it first, or pack it with gzip"),
    (b"BZh", "data packed with bzip2", "unpack it first, or pack it with gzip"),
    (b"\xfd7zXZ\0", "data packed with xz", "unpack it first, or pack it with gzip"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV"),
    (b"\x89HDF\r\n", "HDF5 data", "write a table as CSV, JSON Lines or Parquet"),
    (b"\x80\x04\x95", "a Python pickle", "pickles are never read: save arrays with numpy.savez"),
    (b"\x80\x05\x95", "a Python pickle", "pickles are never read: save arrays with numpy.savez"),
    (b"%PDF", "a PDF document", "write a table as CSV, JSON Lines or Parquet"),
];

/// The format to read a file in, and a sentence if that is not what its name says.
pub(crate) fn recognise(
    path: &Path,
    forced: Option<Format>,
    budget: &Arc<Budget>,
) -> Result<(Format, Option<String>)> {
    let at_file = |source| Error::File { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(at_file)?;
    if metadata.is_dir() {
        return Err(Error::Folder { path: path.to_owned(), files: pools_in(path) });
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Error::NoContent { path: path.to_owned() });
    }
    let by_name = Format::of(path);
    if let Some(format) = forced {
        return Ok((format, None));
    }
    // What comes out of a pipe can be read only once.
    if !metadata.is_file() {
        return by_name.map(|format| (format, None));
    }
    let by_name = by_name.ok();
    match content(path, by_name, budget)? {
        Content::Certain(format) if by_name.is_none_or(|name| !same(name, format)) => {
            let note = format!("{} is read as {format}, because of its contents", path.display());
            Ok((format, Some(note)))
        }
        Content::Possible(format) if by_name.is_none() => Ok((format, None)),
        Content::Foreign(what, way_out) => Err(Error::NotAPool { path: path.to_owned(), what, way_out }),
        Content::Blank => Err(Error::NoContent { path: path.to_owned() }),
        _ => match by_name {
            Some(format) => Ok((format, None)),
            None => Err(Error::UnknownFormat { path: path.to_owned(), known: names() }),
        },
    }
}

/// Whether a name fits contents: delimiters are found later, and logs are kinds of JSON.
fn same(by_name: Format, by_content: Format) -> bool {
    let family = |format| match format {
        Format::Tsv => Format::Csv,
        Format::LmEval => Format::Jsonl,
        other => other,
    };
    family(by_name) == family(by_content)
}

/// The first files in a folder that could be pools.
fn pools_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<String> = entries
        .filter(|path| path.is_file() && Format::of(path).is_ok())
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    files.truncate(3);
    files
}

fn content(path: &Path, by_name: Option<Format>, budget: &Arc<Budget>) -> Result<Content> {
    let at_file = |source| Error::File { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(at_file)?;
    let start = peek(&mut file, START).map_err(at_file)?;
    if let Some(found) = binary(&start) {
        return Ok(found);
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Ok(archive(path));
    }
    let mut text = TextFile::new(path, budget).open()?;
    let text = match peek(text.as_mut(), START) {
        Ok(text) => text,
        // The reader of the format says what is wrong.
        Err(_) => return Ok(Content::Unknown),
    };
    if binary(&text).is_some() {
        let way_out = "unpack it first, because only packed text is read";
        return Ok(Content::Foreign("a gzip file that does not hold text", way_out));
    }
    Ok(of_text(&text, by_name))
}

/// Formats that begin with a mark.
fn binary(start: &[u8]) -> Option<Content> {
    let certain = |format| Some(Content::Certain(format));
    match start {
        [b'P', b'A', b'R', b'1', ..] => certain(Format::Parquet),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => certain(Format::Arrow),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => certain(Format::Npy),
        // The mark of a message, and the size of its header.
        [0xff, 0xff, 0xff, 0xff, _, _, _, 0..=3, ..] => certain(Format::Arrow),
        _ => {
            let found = FOREIGN.iter().find(|(mark, ..)| start.starts_with(mark));
            found.map(|&(_, what, way_out)| Content::Foreign(what, way_out))
        }
    }
}

fn archive(path: &Path) -> Content {
    let opened = File::open(path).ok().and_then(|file| ZipArchive::new(BufReader::new(file)).ok());
    let Some(archive) = opened else { return Content::Unknown };
    let has = |is_it: fn(&str) -> bool| archive.file_names().any(|name| name.is_ok_and(|name| is_it(&name)));
    if has(|name| name.ends_with(".npy")) {
        Content::Certain(Format::Npz)
    } else if has(|name| name.starts_with("samples/") || name == "header.json") {
        Content::Certain(Format::Inspect)
    } else if has(|name| name.starts_with("xl/")) {
        Content::Foreign("an Excel workbook", "save the sheet as CSV")
    } else {
        Content::Unknown
    }
}

fn of_text(text: &[u8], by_name: Option<Format>) -> Content {
    let is_json = matches!(by_name, None | Some(Format::Json | Format::Jsonl));
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None if text.len() < START => Content::Blank,
        Some(b'{') => of_json(text, by_name),
        Some(b'[') if is_json => Content::Certain(Format::Json),
        Some(_) if !text.contains(&0) => {
            let delimiter = delimiter(text, b',');
            let format = if delimiter == b'\t' { Format::Tsv } else { Format::Csv };
            match widths(text, delimiter) {
                // Bytes that are no text at all have a delimiter by chance.
                (2.., _) if is_utf8(text) => Content::Certain(format),
                _ => Content::Possible(format),
            }
        }
        _ => Content::Unknown,
    }
}

/// Whether it is text. A character may be cut off at the end.
fn is_utf8(text: &[u8]) -> bool {
    match std::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// One object per line, or one object.
fn of_json(text: &[u8], by_name: Option<Format>) -> Content {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|&byte| byte == b'\n');
    let (line, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_object = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    let has = |key: &str| line.windows(key.len()).any(|window| window == key.as_bytes());
    let is_table = (has("\"columns\"") && has("\"data\"")) || (has("\"samples\"") && has("\"eval\""));
    let is_document = is_table || DOCUMENTS.iter().any(|keys| keys.iter().all(|key| has(key)));
    match rest.trim_ascii_start().first() {
        Some(b'{') if is_object => Content::Certain(Format::Jsonl),
        None if is_object && is_document => Content::Certain(Format::Json),
        None if is_object && by_name != Some(Format::Json) => Content::Certain(Format::Jsonl),
        // The first line of a document that is written over several lines.
        Some(_) if line.trim_ascii_end() == b"{" => Content::Certain(Format::Json),
        _ => Content::Possible(Format::Jsonl),
    }
}

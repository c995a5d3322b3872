//! A file of settings: TOML, of which every line must be a setting.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::keys::{NAMES, Written};
use crate::error::Error;

/// What a file sets.
#[derive(Debug)]
pub(super) struct SettingsFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its settings by name.
    pub(super) entries: BTreeMap<String, Entry>,
}

/// One setting of a file.
#[derive(Debug)]
pub(super) struct Entry {
    /// What it is set to.
    pub(super) written: Written,
    /// The line, from 1.
    pub(super) line: usize,
    /// The value in the file.
    pub(super) shown: String,
}

impl SettingsFile {
    /// Reads a file; one that is not there sets nothing.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        };
        let line =
            |span: &Range<usize>| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1;
        let table = DeTable::parse(&text).map_err(|error| Error::SettingsSyntax {
            path: path.to_owned(),
            line: line(&error.span().unwrap_or_default()),
            why: error.message().to_owned(),
        })?;
        let mut entries = BTreeMap::new();
        for (key, value) in table.get_ref().iter() {
            let name: &str = key.get_ref();
            if !NAMES.contains(&name) {
                return Err(Error::SettingUnknown {
                    path: path.to_owned(),
                    line: line(&key.span()),
                    key: name.to_owned(),
                    known: NAMES.join(", "),
                });
            }
            let shown = text.get(value.span()).unwrap_or_default().to_owned();
            let entry = Entry { written: written(value.get_ref()), line: line(&value.span()), shown };
            entries.insert(name.to_owned(), entry);
        }
        Ok(Some(Self { path: path.to_owned(), entries }))
    }
}

/// The text of a file with a setting changed or added; everything else stays, comments too.
pub(super) fn with_setting(path: &Path, name: &str, value: &str) -> Result<String, Error> {
    let before = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
    };
    let place = DeTable::parse(&before).ok().and_then(|table| {
        table.get_ref().iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.span())
    });
    if let Some((start, end)) =
        place.and_then(|span| Some((before.get(..span.start)?, before.get(span.end..)?)))
    {
        return Ok(format!("{start}{value}{end}"));
    }
    let newline = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{before}{newline}{name} = {value}\n"))
}

fn written(value: &DeValue<'_>) -> Written {
    match value {
        DeValue::String(text) => Written::Text(text.clone().into_owned()),
        DeValue::Integer(number) => match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Written::Whole(whole),
            Err(_) => Written::Other,
        },
        DeValue::Float(number) => number.as_str().parse().map_or(Written::Other, Written::Number),
        _ => Written::Other,
    }
}

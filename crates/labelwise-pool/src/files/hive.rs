//! Columns that the names of folders give.

use std::path::{Component, Path};

use crate::column::Column;
use crate::table::PoolTable;

/// The folder of rows without a value in Hive.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that the names of folders give, with their value.
pub(super) fn hive_columns(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let columns = folders.filter_map(|folder| match folder {
        Component::Normal(name) => name.to_str()?.split_once('='),
        _ => None,
    });
    let value = |value: &str| if value == NO_VALUE { String::new() } else { decoded(value) };
    columns.map(|(name, text)| (decoded(name), value(text))).collect()
}

/// A text whose special bytes are written as % and two hexadecimal digits.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code =
            after.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        (bytes, rest) = match (byte, code) {
            (b'%', Some(code)) => ([bytes, vec![code]].concat(), after.get(2..).unwrap_or_default()),
            _ => ([bytes, vec![byte]].concat(), after),
        };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

impl PoolTable {
    /// The same with the columns that the names of folders give. A column of the file with the same name stays.
    pub(super) fn with_hive(mut self, hive: &[(String, String)]) -> Self {
        for (name, value) in hive {
            if !self.carried.iter().any(|(known, _)| known == name) {
                let texts = std::iter::repeat_n(value.as_str(), self.rows()).collect();
                self.carried.push((name.clone(), Column::Texts(texts)));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let columns = hive_columns(Path::new(
            "scores/dt=2026-11-01/country=C%C3%B4te/none=__HIVE_DEFAULT_PARTITION__/x=y.csv",
        ));
        let expected = [("dt", "2026-11-01"), ("country", "Côte"), ("none", "")];
        assert_eq!(columns, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}

//! Files of a folder, and files whose paths match a pattern.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Names of the files that programs leave next to their output.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

/// The names in a folder that are not hidden.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !path.file_name().is_none_or(|name| is_hidden(&name.to_string_lossy())) {
            entries.push(path);
        }
    }
    Ok(entries)
}

/// The Parquet files of a folder and its folders.
pub(super) fn within(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            within(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "parquet") {
            files.push(path);
        }
    }
    Ok(())
}

/// The files and folders that match a pattern.
pub(super) fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if !name.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(part));
            found.retain(|path| path.exists());
            continue;
        }
        let mut next = Vec::new();
        for folder in found {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            if folder.is_dir() {
                let fits = |path: &PathBuf| {
                    path.file_name().is_some_and(|file| fits(&name, &file.to_string_lossy()))
                };
                next.extend(entries(&folder)?.into_iter().filter(fits));
            }
        }
        found = next;
    }
    Ok(found)
}

/// Whether a name fits a pattern with `*` (any characters) and `?` (one).
fn fits(pattern: &str, name: &str) -> bool {
    let mut places = vec![true];
    let name: Vec<char> = name.chars().collect();
    places.resize(name.len() + 1, false);
    for wanted in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        let mut any = false;
        for (place, fits) in places.iter().enumerate() {
            any |= *fits;
            let (here, after) = match wanted {
                '*' => (any, false),
                '?' => (false, *fits),
                letter => (false, *fits && name.get(place) == Some(&letter)),
            };
            if let Some(slot) = next.get_mut(place) {
                *slot |= here;
            }
            if let Some(slot) = next.get_mut(place + 1) {
                *slot |= after;
            }
        }
        places = next;
    }
    places.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_a_name() {
        for (pattern, name, does) in [
            ("part-*.parquet", "part-00.parquet", true),
            ("part-*.parquet", "part-.parquet", true),
            ("part-*.parquet", "part-1.csv", false),
            ("*", "", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXcYb", false),
            ("dt=2026-1?-*", "dt=2026-11-03", true),
            ("?", "é", true),
            ("?", "", false),
        ] {
            assert_eq!(fits(pattern, name), does, "{pattern} {name}");
        }
    }
}

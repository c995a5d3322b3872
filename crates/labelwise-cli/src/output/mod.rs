//! What commands print, and the files that they write for people.

pub(crate) mod colour;
pub(crate) mod file;
pub(crate) mod label_count;
pub(crate) mod progress;
pub(crate) mod recorded;
pub(crate) mod scores;
pub(crate) mod screen;
pub(crate) mod spreadsheet;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod unlabelled;

use std::io::Write;

use serde::Serialize;

use crate::error::Error;

/// Prints on stderr how files are read, if their names say something else.
pub(crate) fn say_notes<'a>(notes: impl IntoIterator<Item = &'a String>) {
    let mut talk = anstream::stderr().lock();
    for note in notes {
        // There is no other place to report an error of this.
        let _ = writeln!(talk, "{} {}", colour::note("note:"), screen::one_line(note));
    }
}

/// Prints a document as one line of JSON.
pub(crate) fn print_json(document: &impl Serialize, out: &mut impl Write) -> Result<(), Error> {
    writeln!(out, "{}", serde_json::to_string(document)?)?;
    Ok(())
}

//! Output of the commands that record labels.

use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::words::quoted;
use labelwise_study::TellResult;
use serde::Serialize;

use super::print_json;
use super::text::thousands;
use crate::error::Error;

#[derive(Serialize)]
struct Document<'a> {
    schema: String,
    recorded: usize,
    already: usize,
    blank: usize,
    labels: usize,
    asked: usize,
    pool_size: usize,
    #[serde(skip_serializing_if = "is_zero")]
    opinions: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    refused: &'a [RefusedRow],
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The note about a skip if losses have no bounds.
pub(crate) const SKIPPED_WITHOUT_BOUNDS: &str =
    "note: the loss of a skipped item has no bounds, so estimates need its label, or skip --at-random";

/// The result of recording labels.
pub(crate) struct Recorded {
    /// The command: tell, skip or amend.
    pub(crate) command: &'static str,
    pub(crate) told: TellResult,
    /// The number of rows without a label.
    pub(crate) blank: usize,
    pub(crate) pool_size: usize,
    /// The rows that were left out.
    pub(crate) refused: Vec<RefusedRow>,
}

/// A row that was not recorded.
#[derive(Debug, Serialize)]
pub(crate) struct RefusedRow {
    /// Its file, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<PathBuf>,
    pub(crate) line: Option<usize>,
    /// The item; `None` if the row cannot be read.
    pub(crate) id: Option<String>,
    pub(crate) reason: String,
}

impl Recorded {
    /// Prints it as text, or as one JSON object.
    pub(crate) fn print(&self, json: bool, out: &mut impl Write) -> Result<(), Error> {
        let &Self { command, told, blank, pool_size, ref refused } = self;
        let TellResult { recorded, already, unbounded, labels, asked, opinions } = told;
        if json {
            let schema = format!("labelwise.{command}/1");
            let document =
                Document { schema, recorded, already, blank, labels, asked, pool_size, opinions, refused };
            return print_json(&document, out);
        }
        let done = match command {
            "skip" => "skipped",
            "amend" => "amended",
            _ => "recorded",
        };
        write!(out, "{} {done}", thousands(recorded))?;
        for (count, what) in [
            (opinions, "second opinions recorded"),
            (already, "already on record"),
            (blank, "without a label ignored"),
            (refused.len(), "refused"),
        ] {
            if count > 0 {
                write!(out, ", {} {what}", thousands(count))?;
            }
        }
        writeln!(out, "; {} of {} asked items are labelled", thousands(labels), thousands(asked))?;
        for row in refused {
            writeln!(out, "  {}", row.in_words())?;
        }
        if unbounded > 0 {
            writeln!(out, "{SKIPPED_WITHOUT_BOUNDS}")?;
        }
        Ok(())
    }
}

impl RefusedRow {
    fn in_words(&self) -> String {
        let file = self.file.as_deref().map(Path::display);
        let place = match (file, self.line) {
            (Some(file), Some(line)) => format!("{file}, line {line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, Some(line)) => format!("line {line}: "),
            (None, None) => String::new(),
        };
        let item = self.id.as_deref().map_or(String::new(), |id| format!("item {} ", quoted(id)));
        format!("{place}{item}{}", self.reason)
    }
}

//! Output of the commands that record labels.

use std::io::Write;

use labelwise_study::{Study, TellResult};
use serde::Serialize;

use super::print_json;
use crate::error::Error;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    recorded: usize,
    already: usize,
    blank: usize,
    labels: usize,
    asked: usize,
    pool_size: usize,
}

/// The note about a skip if losses have no bounds.
pub(crate) const SKIPPED_WITHOUT_BOUNDS: &str =
    "note: the loss of a skipped item has no bounds, so estimates need its label, or skip --at-random";

/// The result of recording labels.
pub(crate) struct Recorded {
    pub(crate) schema: &'static str,
    /// The past participle of the command.
    pub(crate) done: &'static str,
    pub(crate) told: TellResult,
    /// The number of rows without a label.
    pub(crate) blank: usize,
}

impl Recorded {
    /// Prints it as text, or as one JSON object.
    pub(crate) fn print(&self, json: bool, evaluation: &Study, out: &mut impl Write) -> Result<(), Error> {
        let Self { schema, done, told: TellResult { recorded, already, unbounded }, blank } = *self;
        let (labels, asked) = (evaluation.labels(), evaluation.asked());
        if json {
            let pool_size = evaluation.settings().pool.size;
            return print_json(&Document { schema, recorded, already, blank, labels, asked, pool_size }, out);
        }
        write!(out, "{recorded} {done}")?;
        if already > 0 {
            write!(out, ", {already} already on record")?;
        }
        if blank > 0 {
            write!(out, ", {blank} without a label ignored")?;
        }
        writeln!(out, "; {labels} of {asked} asked items are labelled")?;
        if unbounded > 0 {
            writeln!(out, "{SKIPPED_WITHOUT_BOUNDS}")?;
        }
        Ok(())
    }
}

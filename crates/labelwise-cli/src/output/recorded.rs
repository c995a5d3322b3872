//! What became of labels, in words: for every command that records some.

use std::io::Write;

use labelwise_store::{Study, Told};
use serde::Serialize;

use crate::error::Failure;

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

/// What a skip means where losses have no bounds.
pub(crate) const SKIPPED_WITHOUT_BOUNDS: &str =
    "note: a skipped item has no bounds of its loss, so estimates need its label, or skip --at-random";

/// How a command says what it did.
pub(crate) struct Recorded {
    /// The name of the JSON object's schema.
    pub(crate) schema: &'static str,
    /// What was done to the labels.
    pub(crate) done: &'static str,
    /// Whether to say it to machines.
    pub(crate) json: bool,
    /// Rows without a label.
    pub(crate) blank: usize,
}

impl Recorded {
    pub(crate) fn say(&self, told: Told, evaluation: &Study, out: &mut impl Write) -> Result<(), Failure> {
        let (labels, asked) = (evaluation.labels(), evaluation.asked());
        if self.json {
            let document = Document {
                schema: self.schema,
                recorded: told.recorded,
                already: told.already,
                blank: self.blank,
                labels,
                asked,
                pool_size: evaluation.settings().pool.size,
            };
            writeln!(out, "{}", serde_json::to_string(&document)?)?;
            return Ok(());
        }
        write!(out, "{} {}", told.recorded, self.done)?;
        if told.already > 0 {
            write!(out, ", {} already on record", told.already)?;
        }
        if self.blank > 0 {
            write!(out, ", {} without a label passed over", self.blank)?;
        }
        writeln!(out, "; {labels} of {asked} asked items are labelled")?;
        if !evaluation.bears_skips() {
            writeln!(out, "{SKIPPED_WITHOUT_BOUNDS}")?;
        }
        Ok(())
    }
}

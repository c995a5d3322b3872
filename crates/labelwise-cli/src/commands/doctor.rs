//! `labelwise doctor`: says what is in a file, and which command comes next.

use std::io::Write;
use std::path::PathBuf;

use labelwise_study::{Examination, Format, Reading};
use serde::Serialize;

use crate::args::parse::{format_parser, whole};
use crate::error::Error;
use crate::output::print_json;
use crate::output::screen::one_line;
use crate::output::table::flush_left;
use crate::output::text::counted;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.doctor/1";

/// Say what is in a file, and which command comes next.
///
/// It reads the file and changes nothing. For each column it says what the values are and what the column can be used as:
/// a judge, labels, class probabilities, a history, groups, texts for the labeller.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise doctor examples/pool.csv")]
pub(crate) struct Options {
    /// File with predictions, verdicts, results or labels
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the file [default: that of its contents]
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,
    /// Filter of a log, or system of a file with the results of several
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// Epoch to read, if the samples of a log repeat; counted from 1
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    epoch: Option<u64>,
    /// Print one JSON object (schema labelwise.doctor/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a std::path::Path,
    #[serde(flatten)]
    found: Examination,
}

/// Examines the file.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let mut reading = Reading::new();
    if let Some(format) = options.format {
        reading = reading.format(format);
    }
    if let Some(filter) = &options.filter {
        reading = reading.filter(filter);
    }
    if let Some(epoch) = options.epoch {
        reading = reading.epoch(epoch);
    }
    let found = Examination::of(&options.file, &reading)?;
    if options.json {
        return print_json(&Document { schema: SCHEMA, file: &options.file, found }, out);
    }
    let (rows, columns) = (counted(found.rows, "row"), counted(found.columns.len(), "column"));
    writeln!(out, "{}: {}, {rows}, {columns}", options.file.display(), found.format)?;
    for note in &found.notes {
        writeln!(out, "  note: {}", one_line(note))?;
    }
    let mut table = vec![["column", "values", "without", "can be"].map(str::to_owned).to_vec()];
    for column in &found.columns {
        let uses = if column.uses.is_empty() { "-".to_owned() } else { column.uses.join(", ") };
        table.push(vec![column.name.clone(), column.values.clone(), column.blank.to_string(), uses]);
    }
    out.write_all(flush_left(&table).as_bytes())?;
    writeln!(out)?;
    for advice in &found.next {
        writeln!(out, "{}:\n  {}", advice.reason, advice.command)?;
    }
    Ok(())
}

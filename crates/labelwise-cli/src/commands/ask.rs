//! `labelwise ask`: draws the next items to label.

use std::io::Write;

use clap::ValueEnum;
use labelwise::words::did_you_mean;
use labelwise_connect::formats::{self, Tool};
use labelwise_study::Asked;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::ls::Shown;
use super::start_threads;
use crate::args::parse::whole;
use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::{Error, UsageError};
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::screen::Screen;
use crate::output::spreadsheet::cell;
use crate::output::table::flush_left;
use crate::settings::{Listing, Settings};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.ask/1";

/// Draw the next items to label.
///
/// The items are printed in draw order with their passthrough columns. The evaluation has recorded them when
/// the command ends, and never draws an item twice. You can tell their labels in any order.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes:\n  0 items were printed, 4 no item is left to ask, 2 another error\n\n\
                        Examples:\n  labelwise ask pool.labelwise -n 20 --format csv > todo.csv\n  \
                        labelwise ask pool.labelwise --waiting\n  \
                        labelwise ask pool.labelwise --waiting --format argilla > records.json")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Number of items
    #[arg(short = 'n', long = "count", value_name = "ITEMS", default_value = "1", value_parser = whole::<usize>)]
    count: usize,
    /// Draw at most this many items: fewer if fewer are left
    #[arg(long, value_name = "ITEMS", value_parser = whole::<usize>, conflicts_with_all = ["count", "key", "waiting"])]
    up_to: Option<usize>,
    /// Print the items that were asked and still need a label; draw no new items
    #[arg(long, conflicts_with_all = ["count", "key"])]
    waiting: bool,
    /// Output format: csv, jsonl or table, or what a tool imports: label-studio, argilla, doccano, prodigy or langfuse [default: the
    /// setting `format`]
    #[arg(long, value_name = "FORMAT", value_parser = AskFormat::parse)]
    format: Option<AskFormat>,
    /// One JSON object per line; the same as --format jsonl
    #[arg(long, conflicts_with_all = ["format", "json"])]
    jsonl: bool,
    /// In CSV, put a ' before cells that a spreadsheet would read as a formula
    #[arg(long)]
    spreadsheet: bool,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    author: AuthorOptions,
    /// Print one JSON object (schema labelwise.ask/1) instead of a list
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskFormat {
    Listing(Listing),
    Tool(Tool),
}

impl AskFormat {
    fn parse(text: &str) -> Result<Self, String> {
        let listing = Listing::from_str(text, true).map(Self::Listing);
        listing.or_else(|_| Tool::named(&text.to_ascii_lowercase()).map(Self::Tool).ok_or(())).map_err(|()| {
            let tools = Tool::ALL.map(Tool::name);
            let known = ["csv", "jsonl", "table"].into_iter().chain(tools);
            let near = did_you_mean(text, known.clone());
            format!("must be one of {}{near}", known.collect::<Vec<_>>().join(", "))
        })
    }
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    asked: usize,
    left: usize,
    items: Vec<Value>,
}

impl Options {
    /// What is done when nothing can be printed.
    pub(super) fn done(&self) -> Option<&'static str> {
        (!self.waiting)
            .then_some("the items are drawn and wait for their labels: labelwise ask --waiting prints them")
    }
}

/// Draws items and prints them.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let is_for_a_tool = matches!(options.format, Some(AskFormat::Tool(_)));
    if options.shown.is_given() && !is_for_a_tool {
        return Err(UsageError::Option {
            option: "--show, --pair or --question",
            purpose: "--format with the name of a tool",
        }
        .into());
    }
    start_threads()?;
    let spinner = Spinner::new("drawing");
    let (evaluation, items) = if options.waiting {
        let evaluation = options.evaluation.read()?;
        let items = evaluation.waiting()?;
        (evaluation, items)
    } else {
        let mut evaluation = options.evaluation.open()?;
        let author = options.author.author(settings);
        let items = match options.up_to {
            Some(most) => evaluation.ask_up_to(most, &author)?,
            None => evaluation.ask(options.count, &author)?,
        };
        (evaluation, items)
    };
    drop(spinner);
    if options.json {
        // A request that is repeated with its key has the answer of the first time.
        let now = evaluation.asked();
        let asked = items.last().filter(|_| !options.waiting).map_or(now, |item| item.place + 1);
        let left = evaluation.left() + now.saturating_sub(asked);
        let items = items.iter().map(object).collect();
        return print_json(&Document { schema: SCHEMA, asked, left, items }, out);
    }
    let listing = match options.format {
        _ if options.jsonl => Listing::Jsonl,
        Some(AskFormat::Listing(listing)) => listing,
        Some(AskFormat::Tool(tool)) => {
            // What people see is recorded, because answers can depend on it.
            let mut evaluation = if options.waiting { options.evaluation.open()? } else { evaluation };
            let wish = options.shown.wish()?;
            let by = options.author.author(settings);
            let text = formats::write(&mut evaluation, tool, &items, &wish, &by)?;
            return Ok(out.data().write_all(text.as_bytes())?);
        }
        None => settings.format.value,
    };
    let carried = &evaluation.settings().pool.carried;
    match listing {
        Listing::Jsonl => {
            for item in &items {
                writeln!(out, "{}", object(item))?;
            }
        }
        Listing::Csv => {
            let mut writer = csv::Writer::from_writer(out.data());
            let cell = |text: &'_ str| {
                if options.spreadsheet { cell(text).into_owned() } else { text.to_owned() }
            };
            let header = ["id"].into_iter().chain(carried.iter().map(String::as_str));
            writer.write_record(header.map(cell)).map_err(Error::csv)?;
            for item in &items {
                let cells = item.carried.iter().map(|(_, text)| text.as_str());
                let row = [item.id.as_str()].into_iter().chain(cells);
                writer.write_record(row.map(cell)).map_err(Error::csv)?;
            }
            writer.flush()?;
        }
        Listing::Table => {
            let heading = ["id".to_owned()].into_iter().chain(carried.iter().cloned()).collect();
            let rows = items.iter().map(|item| {
                let cells = item.carried.iter().map(|(_, text)| short(text));
                [item.id.clone()].into_iter().chain(cells).collect()
            });
            let rows: Vec<Vec<String>> = [heading].into_iter().chain(rows).collect();
            out.write_all(flush_left(&rows).as_bytes())?;
        }
    }
    Ok(())
}

fn object(item: &Asked) -> Value {
    let mut object = Map::new();
    // What is carried may have a column of any name; id and draw are ours.
    object.extend(item.carried.iter().map(|(name, text)| (name.clone(), json!(text))));
    object.insert("id".to_owned(), json!(item.id));
    object.insert("draw".to_owned(), json!(item.place));
    Value::Object(object)
}

/// The beginning of a long text, for a table.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MOST && line.len() == text.len() {
        return line.to_owned();
    }
    let start: String = line.chars().take(MOST - 3).collect();
    format!("{start}...")
}

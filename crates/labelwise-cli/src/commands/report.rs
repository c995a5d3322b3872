//! `labelwise report`: writes an evaluation as one HTML page.

use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise_report::{Order, html, page};
use labelwise_study::{Named, now};
use serde::Serialize;

use crate::args::{EvaluationArg, MetricArgs};
use crate::error::Error;
use crate::output::file;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.report/1";

/// Write an evaluation as one HTML page.
///
/// The page is a single file and loads nothing from the network. It shows the estimate with its interval as
/// labels arrived, compared with uniform sampling; the weights; a check of the surrogate; and every draw. You
/// can mail and print it. The page is about one metric and lists the others; by default it is about the first
/// metric that the evaluation was made for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise report pool.labelwise --out report.html")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Page to write [default: the evaluation's name with .html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Title of the page [default: the evaluation's name]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    #[command(flatten)]
    metric: MetricArgs,
    /// Print one JSON object (schema labelwise.report/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    report: &'a Path,
    target: &'static str,
}

/// Writes the page.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let level = options.metric.level(settings)?;
    let target = options.metric.target(settings);
    let path = options.out.clone().unwrap_or_else(|| options.evaluation.path().with_extension("html"));
    let spinner = Spinner::new("drawing");
    let evaluation = options.evaluation.read()?;
    let metric = options.metric.first(&evaluation);
    let (title, now, positive) = (options.title.clone(), now(), options.metric.positive());
    let order = Order { title, metric: &metric, positive, level, target, now };
    let text = html(&page(&evaluation, &order)?)?;
    drop(spinner);
    file::write(&path, text.as_bytes())?;
    if options.json {
        print_json(&Document { schema: SCHEMA, report: &path, target: target.name() }, out)?;
    } else {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

//! `labelwise paper`: repeats the experiments of the paper, draws its figures, and prepares image sets and
//! archives.

mod archive;
mod data;
mod networks;
mod wanted;

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use labelwise_paper::figure::{Acquisitions, FIGURES, Figure, figure};
use labelwise_paper::problem::Settings;
use labelwise_paper::{Claim, CurveSummary, ExperimentSummary, Made, Making, Order, Scale, Verdict};

use crate::args::parse::whole;
use crate::commands::start_threads;
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Progress;
use crate::output::table;

/// Repeat the paper's experiments and draw its figures.
///
/// The command repeats the experiment of one figure of "Active Testing" (ICML 2021): it draws data, trains
/// models and tests them, many times. It writes a folder with pictures (PNG and SVG), a page (report.html),
/// numbers (summary.json) and the raw traces (Parquet). If you interrupt a run, start it again to continue.
///
/// Figures 4 to 8, and the related figures of the appendix, test networks on images. Only builds with the
/// feature `deep` train networks. Their predictions are kept in archives, and any build makes the figures
/// from archives. `labelwise paper wanted` lists the archives; `labelwise paper archive` makes one from
/// predictions of other tools.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(), args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Options {
    /// Anything but a figure.
    #[command(subcommand)]
    other: Option<Other>,
    /// Figure to make
    #[arg(value_name = "FIGURE", value_parser = PossibleValuesParser::new(FIGURES.map(|figure| figure.name)))]
    #[arg(required = true)]
    figure: Option<String>,
    /// Number of runs, by name
    #[arg(long, value_name = "SCALE", default_value = "laptop")]
    scale: ScaleName,
    /// Number of runs of each experiment, instead of the scale's
    #[arg(long, value_name = "TIMES", value_parser = whole::<usize>, allow_negative_numbers = true)]
    runs: Option<usize>,
    /// Seed of the runs: the same seed gives the same results. Networks in archives have their own seeds
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = whole::<u64>)]
    #[arg(allow_negative_numbers = true)]
    seed: u64,
    /// Folder for results [default: a folder in paper-runs, named after the figure and the options that are
    /// not defaults]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Settings to use if the paper's text and the authors' released code disagree
    #[arg(long, value_name = "SETTINGS", default_value = "text")]
    settings: SettingsName,
    /// Label the whole pool of two moons, instead of the 50 items that the paper's axis shows
    #[arg(long)]
    to_the_end: bool,
    #[command(flatten)]
    networks: networks::NetworkOptions,
    /// Print the summary as one JSON object (schema labelwise.paper-summary/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The commands other than figures.
#[derive(Debug, clap::Subcommand)]
enum Other {
    Data(data::Options),
    Archive(Box<archive::Options>),
    Wanted(wanted::Options),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScaleName {
    /// Seconds: enough to see the paper's claims
    Smoke,
    /// About a minute; about twenty if networks must be trained
    Laptop,
    /// Hours if networks must be trained, in pieces of any length: the paper's labels, narrow networks
    Desk,
    /// The paper's number of runs: minutes; a GPU and days if networks must be trained
    Paper,
    /// The paper's number of runs with networks that others published, for figures 5, 6, 7 and a4 and the table
    /// wilcoxon; their archives are made from predictions by `labelwise paper archive`
    Published,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SettingsName {
    /// The paper's text: q is clipped at 0.2 of the uniform probability
    Text,
    /// The released code: no clip, and other data for two moons
    Released,
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Self {
        match name {
            ScaleName::Smoke => Self::Smoke,
            ScaleName::Laptop => Self::Laptop,
            ScaleName::Desk => Self::Desk,
            ScaleName::Paper => Self::Paper,
            ScaleName::Published => Self::Published,
        }
    }
}

impl From<SettingsName> for Settings {
    fn from(name: SettingsName) -> Self {
        match name {
            SettingsName::Text => Self::Text,
            SettingsName::Released => Self::Released,
        }
    }
}

impl Options {
    /// The figure, which is there wherever nothing else was asked for.
    fn figure(&self) -> &str {
        self.figure.as_deref().unwrap_or_default()
    }

    fn order(&self) -> Order {
        let (scale, settings) = (self.scale.into(), self.settings.into());
        let acquisitions = if self.to_the_end { Acquisitions::All } else { Acquisitions::First50 };
        Order { scale, runs: self.runs, seed: self.seed, settings, acquisitions }
    }

    fn folder(&self, order: Order) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("paper-runs").join(order.folder(self.figure())))
    }
}

/// Makes a figure and says what came of it.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    match &options.other {
        Some(Other::Data(options)) => return data::run(options, out),
        Some(Other::Archive(options)) => return archive::run(options, out),
        Some(Other::Wanted(options)) => return wanted::run(options, out),
        None => {}
    }
    let (figure, order) = (figure(options.figure())?, options.order());
    start_threads()?;
    let making = Making::new(figure, order, &options.folder(order))?.with_places(&options.networks.places());
    let progress = Progress::new(making.runs(), "Repeating", "runs");
    let made = making.make_telling(&|runs| progress.steps(runs), &|words| progress.says(words))?;
    drop(progress);
    if options.json {
        print_json(&made.summary, out)?;
    } else {
        out.write_all(text(figure, &made).as_bytes())?;
    }
    Ok(())
}

/// The steps that are printed.
const STEPS: [usize; 8] = [1, 5, 10, 20, 40, 100, 200, 500];

fn text(figure: &Figure, made: &Made) -> String {
    let summary = &made.summary;
    let mut text = format!("Figure {}: {}\n", figure.name, figure.title);
    for experiment in &summary.experiments {
        text.push_str(&format!(
            "\n{}: {} runs, a pool of {}, median squared error of the estimate by number of labels\n",
            experiment.name, experiment.runs, experiment.pool_size
        ));
        text.push_str(&errors(experiment));
    }
    text.push_str(&networks::text(summary));
    text.push_str(&verdicts("The paper's claims", &summary.claims));
    text.push_str(&verdicts("Compared with the authors' code", &summary.authors_code));
    text.push_str("\nWritten:\n");
    for file in &made.files {
        text.push_str(&format!("  {}\n", file.display()));
    }
    text
}

fn errors(experiment: &ExperimentSummary) -> String {
    let longest = experiment.curves.iter().map(|curve| curve.steps.len()).max().unwrap_or(0);
    let steps: Vec<usize> = STEPS.into_iter().filter(|step| *step <= longest).collect();
    let mut rows = vec![vec![String::new()]];
    rows.iter_mut().for_each(|row| row.extend(steps.iter().map(usize::to_string)));
    rows.extend(experiment.curves.iter().map(|curve| {
        let mut row = vec![format!("  {}", curve.strategy.title())];
        row.extend(steps.iter().map(|step| squared_error(curve, *step)));
        row
    }));
    table::aligned(&rows)
}

fn squared_error(curve: &CurveSummary, step: usize) -> String {
    let at = step.checked_sub(1).and_then(|place| curve.steps.get(place));
    at.map_or_else(|| "-".to_owned(), |step| format!("{:.1e}", step.median_squared_error))
}

fn verdicts(heading: &str, claims: &[Claim]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{heading}\n");
    for claim in claims {
        let verdict = match claim.verdict {
            Verdict::Differs => "DIFFERS",
            other => other.word(),
        };
        text.push_str(&format!(
            "  {verdict:<11}{}: {}\n             {}\n",
            claim.experiment, claim.claim, claim.measured
        ));
    }
    text
}

fn after_help() -> String {
    let figures = FIGURES.iter().map(|figure| format!("  {:<4} {}\n", figure.name, figure.title));
    format!(
        "Figures:\n{}\nExample, the paper's first figure in seconds:\n  labelwise paper 1 --scale smoke",
        figures.collect::<String>()
    )
}

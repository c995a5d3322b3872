//! `labelwise label`: opens the labelling page, or labels in the terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use labelwise::words::{listed, shell};
use labelwise_page::terminal::{self, Keyboard};
use labelwise_page::{Page, Rules, SharedStudy, Summary};
use serde::Serialize;

use super::start_threads;
use crate::args::EvaluationArg;
use crate::args::parse::counting;
use crate::error::Error;
use crate::output::print_json;
use crate::output::screen::Screen;
use crate::output::text::counted;
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.label/1";

/// Label items in the browser, or in the terminal.
///
/// The page shows one item at a time; one key labels it, saves it and shows the next. Every label is on disk before the page says
/// so. Labellers see no prediction and no estimate; the estimate has a screen of its own for the person who started the
/// command. The page is open until you press Ctrl-C, and loads nothing from the network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise label pool.labelwise\n  \
                        labelwise label pool.labelwise --no-browser --port 8931 --who ada --guide guide.md\n  \
                        labelwise label pool.labelwise --terminal")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Label in this terminal instead of a browser
    #[arg(long)]
    terminal: bool,
    /// Print the address, but do not open a browser
    #[arg(long)]
    no_browser: bool,
    /// Port of the page; 0 for any free one [default: 8931, or any free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Your name, stored with each label [default: the page asks; in the terminal the setting `who`, or your user name]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Person to print an address for, which works once; can be repeated
    #[arg(long, value_name = "NAME")]
    invite: Vec<String>,
    /// Number of items to ask in all [default: as last time until that is reached; else the items that wait, or 200 more]
    #[arg(long, value_name = "N", value_parser = counting)]
    goal: Option<usize>,
    /// Number of items that are drawn for one person at a time
    #[arg(long, value_name = "N", default_value = "5", value_parser = counting)]
    batch: usize,
    /// Number of people who label each item; the first label counts, the others are second opinions
    #[arg(long, value_name = "N", default_value = "1", value_parser = counting)]
    overlap: usize,
    /// Minutes after which an item that is not answered is given to somebody else
    #[arg(long, value_name = "N", default_value = "10", value_parser = counting)]
    lease: usize,
    /// Instructions for labellers, in Markdown; recorded with the evaluation
    #[arg(long, value_name = "FILE")]
    guide: Option<PathBuf>,
    /// Question above the answers [default: one that fits the labels]
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// Columns to show, comma-separated [default: all passthrough columns]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    show: Vec<String>,
    /// Columns to show folded, comma-separated
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    fold: Vec<String>,
    /// Two columns to compare side by side, in random order: FIRST,SECOND
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', num_args = 1)]
    pair: Vec<String>,
    /// Folder of images and audio that columns name
    #[arg(long, value_name = "FOLDER")]
    media: Option<PathBuf>,
    /// Address to listen at, for other machines; needs --token-file [default: this machine alone]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// Name that browsers may use for this machine, as HOST:PORT; can be repeated
    #[arg(long, value_name = "HOST:PORT")]
    allow_host: Vec<String>,
    /// File with a secret of at least 32 characters that labellers enter
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Print the addresses as one JSON object (schema labelwise.label/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    /// For the owner, once.
    address: &'a str,
    /// Names and addresses of invited people.
    invitations: &'a [(String, String)],
}

/// Opens the page, or labels in the terminal.
pub(crate) fn run(
    options: &Options,
    settings: &Settings,
    arguments: &[OsString],
    out: &mut Screen<impl Write>,
) -> Result<(), Error> {
    start_threads()?;
    let study = options.evaluation.open()?;
    if study.settings().pool.carried.is_empty() {
        eprintln!(
            "labellers see ids alone, because the evaluation has no passthrough columns: \
             labelwise new --carry COLUMNS keeps what they need to see"
        );
    }
    let study: SharedStudy = Arc::new(Mutex::new(study));
    if options.terminal {
        return in_terminal(options, settings, study, out);
    }
    let page = Arc::new(Page::open(study, &options.page(command(arguments))?)?);
    let closer = page.closer();
    // Without a handler, Ctrl-C ends the program at once; every label that was acknowledged is on disk all the same.
    let _ = ctrlc::set_handler(closer);
    if options.json {
        let (evaluation, address, invitations) =
            (options.evaluation.path(), page.address(), page.invitations());
        print_json(&Document { schema: SCHEMA, evaluation, address, invitations }, out)?;
    } else {
        writeln!(out, "{}", page.address())?;
        for (name, address) in page.invitations() {
            writeln!(out, "{name}: {address}")?;
        }
        eprintln!(
            "The address opens the labelling page in one browser, once. Ctrl-C closes the page; nothing is lost."
        );
        if let hidden @ [_, ..] = page.hidden().as_slice() {
            eprintln!(
                "not shown to labellers where it says what a judge or a model says: {} (--show shows columns by name)",
                listed(hidden)
            );
        }
        if let Some(listen) = options.listen.filter(|listen| !listen.is_loopback()) {
            eprintln!("warning: other machines can reach {listen}, and what they send is not encrypted");
        }
    }
    out.flush()?;
    if !options.no_browser && !options.json {
        open_browser(page.address());
    }
    while !page.wait(Duration::from_secs(3600)) {}
    if !options.json {
        eprintln!("\n{}", said(options.evaluation.path(), page.summary()));
    }
    Ok(())
}

fn in_terminal(
    options: &Options,
    settings: &Settings,
    study: SharedStudy,
    out: &mut impl Write,
) -> Result<(), Error> {
    let who = options.who.clone().unwrap_or_else(|| settings.who.value.clone());
    if let Some((name, text)) = options.guide()? {
        let by = labelwise_study::Author { who: who.clone(), at: labelwise_study::now(), key: None };
        let mut study = study.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        study.record_guide(&name, &text, &by)?;
    }
    let path = options.evaluation.path().to_owned();
    let next = move || {
        terminal::restore();
        eprintln!("\nEvery answer is saved. Next: labelwise status {}", shell(&path));
        std::process::exit(0);
    };
    let _ = ctrlc::set_handler(next);
    let mut input = io::stdin().lock();
    let mut keys =
        if io::stdin().is_terminal() { Keyboard::terminal(&mut input) } else { Keyboard::lines(&mut input) };
    let summary = terminal::label(study, options.rules()?, &who, &mut keys, out)?;
    drop(keys);
    writeln!(out, "{}", said(options.evaluation.path(), summary))?;
    Ok(())
}

/// What was done, and what to do next.
fn said(path: &Path, summary: Summary) -> String {
    let (labels, waiting) = (counted(summary.labels, "label"), counted(summary.waiting, "item"));
    let next = if summary.labels == 0 { "label" } else { "estimate" };
    let waits = match summary.waiting {
        0 => String::new(),
        1 => format!("; {waiting} waits for its answer"),
        _ => format!("; {waiting} wait for their answers"),
    };
    format!("{labels} on disk{waits}.\nNext: labelwise {next} {}", shell(path))
}

impl Options {
    fn rules(&self) -> Result<Rules, Error> {
        let pair = match self.pair.as_slice() {
            [] => None,
            [first, second] => Some((first.clone(), second.clone())),
            _ => {
                let error = clap::Error::raw(
                    clap::error::ErrorKind::WrongNumberOfValues,
                    "--pair needs two columns: --pair FIRST,SECOND\n",
                );
                return Err(error.into());
            }
        };
        let mut rules = Rules::default();
        (rules.batch, rules.overlap, rules.goal) = (self.batch.max(1), self.overlap.max(1), self.goal);
        rules.lease = Duration::from_secs(60 * self.lease.max(1) as u64);
        rules.question.clone_from(&self.question);
        (rules.show, rules.fold, rules.pair) = (self.show.clone(), self.fold.clone(), pair);
        Ok(rules)
    }

    fn guide(&self) -> Result<Option<(String, String)>, Error> {
        let Some(path) = &self.guide else { return Ok(None) };
        let text = read(path)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Some((name, text)))
    }

    fn page(&self, command: String) -> Result<labelwise_page::Options, Error> {
        let path = self.evaluation.path();
        let token = self.token_file.as_deref().map(read).transpose()?;
        Ok(labelwise_page::Options {
            port: self.port,
            listen: self.listen,
            allow_hosts: self.allow_host.clone(),
            token: token.map(|token| token.trim().to_owned()),
            who: self.who.clone(),
            invite: self.invite.clone(),
            media: self.media.clone(),
            guide: self.guide()?,
            rules: self.rules()?,
            title: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            command,
        })
    }
}

/// The command line that opens the page again. The page adds its port.
fn command(arguments: &[OsString]) -> String {
    let mut words = vec!["labelwise".to_owned()];
    let mut given = arguments.iter().skip(1);
    while let Some(word) = given.next() {
        if word == "--port" {
            given.next();
        } else if word != "--json" && !word.to_string_lossy().starts_with("--port=") {
            words.push(shell(word));
        }
    }
    words.join(" ")
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// Opens the browser of the desktop, where there is one. The address is printed in any case.
fn open_browser(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}

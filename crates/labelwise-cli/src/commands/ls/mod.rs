//! `labelwise ls`: items to Label Studio, labels back.

mod text;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use labelwise_connect::label_studio::{
    self, Bridge, Options as Manner, Place, Pulled, Pushed, Round, Server, Watch, watch,
};
use labelwise_connect::{Wish, formats};
use labelwise_study::{Author, OpinionRule, Study, now};
use text::{Documents, said_pulled, said_pushed};

use super::start_threads;
use crate::args::EvaluationArg;
use crate::args::parse::{counting, named};
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::screen::Screen;
use crate::settings::Settings;

/// Label in Label Studio: put items there, take labels back.
///
/// An evaluation has one project on your server. It holds the items that labelwise drew, in draw order, and
/// no predictions; Label Studio never chooses an item. Every command can be interrupted and run again: what
/// is there already is found by keys in its data, and nothing is recorded twice.
///
/// The server is named by --url or LABEL_STUDIO_URL, and the token by LABEL_STUDIO_API_KEY or --token-file.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Examples:\n  labelwise ls push pool.labelwise --open 20\n  \
                        labelwise ls sync pool.labelwise --goal 200 --watch\n  labelwise ls config pool.labelwise")]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Push(PushOptions),
    Pull(PullOptions),
    Sync(SyncOptions),
    Config(ConfigOptions),
}

/// Put items there until enough of them wait for an answer.
///
/// Items that were asked before and are not there yet go first. Running it again puts nothing there twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls push pool.labelwise --open 20")]
struct PushOptions {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    items: Items,
}

/// Take over labels, skips, corrections and deletions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise ls pull pool.labelwise\n  labelwise ls pull pool.labelwise --opinions majority"
)]
struct PullOptions {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    again: Again,
}

/// Take over labels, and put more items there when few wait.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls sync pool.labelwise --goal 200 --watch")]
struct SyncOptions {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    items: Items,
    /// Put more items there when fewer than this many wait
    #[arg(long, value_name = "N", default_value = "5", value_parser = counting)]
    refill: usize,
    #[command(flatten)]
    again: Again,
}

/// Print the label configuration, for a project that you make yourself.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls config pool.labelwise")]
struct ConfigOptions {
    #[command(flatten)]
    evaluation: EvaluationArg,
    #[command(flatten)]
    shown: Shown,
    /// Print one JSON object (schema labelwise.ls-config/1) instead of XML
    #[arg(long)]
    json: bool,
}

/// What every command that talks to the server has.
#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    evaluation: EvaluationArg,
    /// Address of the server [default: LABEL_STUDIO_URL, or the server that was used last, or http://localhost:8080]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// File with the token [default: the variable LABEL_STUDIO_API_KEY]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Number of the project, or new for another one [default: the project of this evaluation]
    #[arg(long, value_name = "NUMBER")]
    project: Option<Place>,
    /// Label that counts if several people labelled an item: first, newest, majority or mean; recorded
    #[arg(long, value_name = "RULE", value_parser = named::<OpinionRule>(), hide_possible_values = true)]
    opinions: Option<OpinionRule>,
    /// Seconds to wait for an answer of the server
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = counting)]
    timeout: usize,
    /// Your name, stored with the draws [default: the setting `who`, or your user name]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Print one JSON object (schema labelwise.ls/1) instead of text; with --watch one per line
    #[arg(long)]
    json: bool,
}

/// Which items are put there.
#[derive(Debug, clap::Args)]
struct Items {
    /// Number of items that should wait there for an answer
    #[arg(long, value_name = "N", default_value = "20", value_parser = counting)]
    open: usize,
    /// Number of items to ask in all [default: no end]
    #[arg(long, value_name = "N", value_parser = counting)]
    goal: Option<usize>,
    /// Put items there again that were deleted there
    #[arg(long)]
    again: bool,
    /// Title of a new project, in front of the key of the evaluation [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    #[command(flatten)]
    shown: Shown,
}

/// What people see, in a new project.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Shown {
    /// Columns to show, comma-separated [default: passthrough columns, without those of judges and models]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    show: Vec<String>,
    /// Two columns to compare side by side, in random order: FIRST,SECOND
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', num_args = 1)]
    pair: Vec<String>,
    /// Question above the answers [default: one that fits the labels]
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
}

/// Whether to look again.
#[derive(Debug, clap::Args)]
struct Again {
    /// Look again every so many seconds, until nothing is left or you press Ctrl-C [default without a number: 10]
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10", value_parser = counting)]
    watch: Option<usize>,
}

impl Shown {
    pub(super) fn wish(&self) -> Result<Wish, Error> {
        let mut wish = Wish::default();
        wish.show.clone_from(&self.show);
        wish.question.clone_from(&self.question);
        wish.pair = match self.pair.as_slice() {
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
        Ok(wish)
    }

    pub(super) fn is_given(&self) -> bool {
        !(self.show.is_empty() && self.pair.is_empty() && self.question.is_none())
    }
}

impl Options {
    /// The evaluation, whose folder has the settings.
    pub(super) fn evaluation(&self) -> &EvaluationArg {
        match &self.verb {
            Verb::Push(options) => &options.common.evaluation,
            Verb::Pull(options) => &options.common.evaluation,
            Verb::Sync(options) => &options.common.evaluation,
            Verb::Config(options) => &options.evaluation,
        }
    }

    /// What is done when nothing can be printed.
    pub(super) fn done(&self) -> Option<&'static str> {
        let talks = !matches!(self.verb, Verb::Config(_));
        talks.then_some(
            "what it did is on record: labelwise status counts it, and the command can be run again",
        )
    }
}

/// Runs the command.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    start_threads()?;
    match &options.verb {
        Verb::Push(options) => push(options, settings, out),
        Verb::Pull(options) => pull(options, settings, out),
        Verb::Sync(options) => sync(options, settings, out),
        Verb::Config(options) => config(options, out),
    }
}

/// An evaluation with its project.
struct Open {
    study: Study,
    bridge: Bridge,
    who: String,
}

impl Open {
    fn by(&self) -> Author {
        by(&self.who)
    }
}

fn by(who: &str) -> Author {
    Author { who: who.to_owned(), at: now(), key: None }
}

impl Common {
    fn open(&self, settings: &Settings, items: Option<(&Items, usize)>) -> Result<Open, Error> {
        let mut study = self.evaluation.open()?;
        let who = self.who.clone().unwrap_or_else(|| settings.who.value.clone());
        let server = self.server(&study)?;
        if let Some(rule) = self.opinions {
            study.choose_opinion_rule(rule, &by(&who))?;
        }
        let mut manner = Manner::default();
        manner.place = self.project.unwrap_or_default();
        if let Some((items, refill)) = items {
            (manner.open, manner.refill, manner.goal) = (items.open, refill, items.goal);
            (manner.again, manner.wish) = (items.again, items.shown.wish()?);
            manner.name = items.title.clone().unwrap_or_default();
        }
        let bridge = Bridge::open(&mut study, server, manner, items.is_some(), &by(&who))?;
        Ok(Open { study, bridge, who })
    }

    fn server(&self, study: &Study) -> Result<Server, Error> {
        let token = self.token_file.as_deref().map(read).transpose()?;
        let timeout = Duration::from_secs(self.timeout as u64);
        let server = label_studio::server(study, self.url.as_deref(), token.as_deref(), timeout)?;
        if server.is_open() {
            eprintln!(
                "warning: {} is not encrypted: others can read the token and the items",
                server.address()
            );
        }
        Ok(server)
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn push(options: &PushOptions, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let Common { json, .. } = options.common;
    let spinner = Spinner::new("putting items there");
    let mut open = options.common.open(settings, Some((&options.items, options.items.open)))?;
    let by = open.by();
    let pushed = open.bridge.push(&mut open.study, &by)?;
    drop(spinner);
    print(&open, None, Some(&pushed), json, "push", out)
}

fn pull(options: &PullOptions, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let Common { json, .. } = options.common;
    let spinner = Spinner::new("taking over labels");
    let mut open = options.common.open(settings, None)?;
    if let Some(seconds) = options.again.watch {
        drop(spinner);
        return watched(open, seconds, false, json, "pull", out);
    }
    let by = open.by();
    let pulled = open.bridge.pull(&mut open.study, &by)?;
    drop(spinner);
    print(&open, Some(&pulled), None, json, "pull", out)
}

fn sync(options: &SyncOptions, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let Common { json, .. } = options.common;
    let spinner = Spinner::new("taking over labels");
    let mut open = options.common.open(settings, Some((&options.items, options.refill)))?;
    if let Some(seconds) = options.again.watch {
        drop(spinner);
        return watched(open, seconds, true, json, "sync", out);
    }
    let by = open.by();
    let (pulled, pushed) = open.bridge.sync(&mut open.study, &by)?;
    drop(spinner);
    print(&open, Some(&pulled), pushed.as_ref(), json, "sync", out)
}

fn print(
    open: &Open,
    pulled: Option<&Pulled>,
    pushed: Option<&Pushed>,
    json: bool,
    verb: &'static str,
    out: &mut impl Write,
) -> Result<(), Error> {
    let documents = Documents { verb, address: open.bridge.address(), study: &open.study };
    if json {
        return print_json(&documents.of(pulled, pushed), out);
    }
    if let Some(pulled) = pulled {
        out.write_all(said_pulled(pulled).as_bytes())?;
    }
    if let Some(pushed) = pushed {
        out.write_all(said_pushed(pushed, &documents.address).as_bytes())?;
    }
    out.write_all(documents.next().as_bytes())?;
    Ok(())
}

/// Looks again and again. The progress line says how many labels there are.
fn watched(
    mut open: Open,
    seconds: usize,
    refill: bool,
    json: bool,
    verb: &'static str,
    out: &mut Screen<impl Write>,
) -> Result<(), Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopper = Arc::clone(&stop);
    // Without a handler, Ctrl-C ends the program at once; everything that was taken over is on disk all the same.
    let _ = ctrlc::set_handler(move || stopper.store(true, Ordering::Relaxed));
    let how = Watch { every: Duration::from_secs(seconds as u64), refill, who: open.who.clone() };
    let address = open.bridge.address();
    let spinner = (!json).then(|| Spinner::new("looking"));
    let mut failed = None;
    let mut last = None;
    let result = watch(
        &mut open.study,
        &mut open.bridge,
        &how,
        &|| stop.load(Ordering::Relaxed),
        &mut |study, round| {
            let documents = Documents { verb, address: address.clone(), study };
            let shown = match &round {
                Round::Seen { pulled, pushed } => {
                    if let Some(spinner) = &spinner {
                        spinner.says(&text::progress(pulled, pushed.as_ref()));
                    }
                    let changed = text::has_news(pulled, pushed.as_ref());
                    let shown = match (json, changed || last.is_none()) {
                        (_, false) => Ok(()),
                        (true, true) => print_json(&documents.of(Some(pulled), pushed.as_ref()), out),
                        (false, true) => text::said_round(pulled, pushed.as_ref(), &address, &spinner, out),
                    };
                    last = Some(pulled.clone());
                    shown
                }
                Round::Trouble { error, pause } => {
                    let words = format!("{error}; next attempt in {} s", pause.as_secs());
                    text::above(&spinner, &format!("warning: {words}"));
                    Ok(())
                }
                _ => Ok(()),
            };
            // The watch ends when nobody can read what it says.
            if let Err(error) = shown.and_then(|()| out.flush().map_err(Error::from)) {
                failed = Some(error);
                stop.store(true, Ordering::Relaxed);
            }
            Ok(())
        },
    );
    drop(spinner);
    result?;
    if let Some(error) = failed {
        return Err(error);
    }
    if !json {
        let documents = Documents { verb, address, study: &open.study };
        out.write_all(documents.next().as_bytes())?;
    }
    Ok(())
}

fn config(options: &ConfigOptions, out: &mut impl Write) -> Result<(), Error> {
    let study = options.evaluation.read()?;
    let config = formats::label_config(&study, &options.shown.wish()?)?;
    match options.json {
        true => print_json(&serde_json::json!({"schema": "labelwise.ls-config/1", "config": config}), out),
        false => Ok(out.write_all(config.as_bytes())?),
    }
}

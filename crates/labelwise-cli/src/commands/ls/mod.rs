//! `labelwise ls`: items to Label Studio, labels back.

mod options;
mod text;
mod watch;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use labelwise_connect::label_studio::{self, Bridge, Options as Manner, Pulled, Pushed, Server};
use labelwise_connect::{Error as ConnectError, formats};
use labelwise_study::{Author, Study, now};
pub(in crate::commands) use options::Shown;
use options::{Common, ConfigOptions, Items, PullOptions, PushOptions, SyncOptions};
use text::{Documents, said_pulled, said_pushed};
use watch::watched;

use super::start_threads;
use crate::args::EvaluationArg;
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

/// What finding the project of an evaluation needs.
struct Ready {
    study: Study,
    server: Server,
    manner: Manner,
    /// Whether a project is made if there is none.
    makes: bool,
    who: String,
}

impl Ready {
    fn bridge(&mut self) -> Result<Bridge, ConnectError> {
        let (server, manner) = (self.server.clone(), self.manner.clone());
        Bridge::open(&mut self.study, server, manner, self.makes, &by(&self.who))
    }

    fn open(mut self) -> Result<Open, Error> {
        let bridge = self.bridge()?;
        Ok(Open { study: self.study, bridge, who: self.who })
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
    fn ready(&self, settings: &Settings, items: Option<(&Items, usize)>) -> Result<Ready, Error> {
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
        Ok(Ready { study, server, manner, makes: items.is_some(), who })
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
    let mut open = options.common.ready(settings, Some((&options.items, options.items.open)))?.open()?;
    let by = open.by();
    let pushed = open.bridge.push(&mut open.study, &by)?;
    drop(spinner);
    print(&open, None, Some(&pushed), json, "push", out)
}

fn pull(options: &PullOptions, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let Common { json, .. } = options.common;
    let ready = options.common.ready(settings, None)?;
    if let Some(seconds) = options.again.watch {
        return watched(ready, seconds, json, "pull", out);
    }
    let spinner = Spinner::new("taking over labels");
    let mut open = ready.open()?;
    let by = open.by();
    let pulled = open.bridge.pull(&mut open.study, &by)?;
    drop(spinner);
    print(&open, Some(&pulled), None, json, "pull", out)
}

fn sync(options: &SyncOptions, settings: &Settings, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let Common { json, .. } = options.common;
    let ready = options.common.ready(settings, Some((&options.items, options.refill)))?;
    if let Some(seconds) = options.again.watch {
        return watched(ready, seconds, json, "sync", out);
    }
    let spinner = Spinner::new("taking over labels");
    let mut open = ready.open()?;
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

fn config(options: &ConfigOptions, out: &mut impl Write) -> Result<(), Error> {
    let study = options.evaluation.read()?;
    let config = formats::label_config(&study, &options.shown.wish()?)?;
    match options.json {
        true => print_json(&serde_json::json!({"schema": "labelwise.ls-config/1", "config": config}), out),
        false => Ok(out.write_all(config.as_bytes())?),
    }
}

//! The settings: names, valid values and defaults.

use clap::ValueEnum;
use labelwise::Target;
use labelwise_study::Named;
use serde::Serialize;
use serde_json::{Value, json};

use crate::output::colour::Colour;

/// A value as it was written down.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written {
    /// In an environment variable, where everything is text.
    Variable(String),
    /// Text in a file.
    Text(String),
    /// A whole number in a file, not negative.
    Whole(u64),
    /// Another number in a file.
    Number(f64),
    /// Anything else that TOML has.
    Other,
}

/// A setting.
pub(super) struct Key<T> {
    /// Its name in files; in capitals, that of its environment variable.
    pub(super) name: &'static str,
    /// What it must be, in words.
    pub(super) expected: &'static str,
    /// What it is where it is written so; nothing where it cannot be that.
    pub(super) read: fn(&Written) -> Option<T>,
    /// The default.
    pub(super) default: fn() -> T,
    /// The value as JSON, which is also how TOML writes it.
    pub(super) show: fn(&T) -> Value,
}

impl<T> Key<T> {
    /// A text of the command line as a value; an error says what it must be.
    fn parse(&self, text: &str) -> Result<Value, &'static str> {
        (self.read)(&Written::Variable(text.to_owned())).map(|value| (self.show)(&value)).ok_or(self.expected)
    }
}

/// The value of a setting from a text, or what it must be; `None` if there is no such setting.
pub(super) fn parse(name: &str, text: &str) -> Option<Result<Value, &'static str>> {
    Some(match name {
        _ if name == LEVEL.name => LEVEL.parse(text),
        _ if name == TARGET.name => TARGET.parse(text),
        _ if name == WHO.name => WHO.parse(text),
        _ if name == FORMAT.name => FORMAT.parse(text),
        _ if name == COLOR.name => COLOR.parse(text),
        _ if name == SEED.name => SEED.parse(text),
        _ => return None,
    })
}

/// How items to label are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Listing {
    /// Comma-separated values
    Csv,
    /// One JSON object a line
    Jsonl,
    /// A table for people
    Table,
}

pub(super) const LEVEL: Key<f64> = Key {
    name: "level",
    expected: "a number above 0 and below 1, such as 0.95",
    read: |written| number(written).filter(|level| *level > 0.0 && *level < 1.0),
    default: || 0.95,
    show: |level| json!(level),
};

pub(super) const TARGET: Key<Target> = Key {
    name: "target",
    expected: "\"pool\" or \"population\"",
    read: |written| Target::named(text(written)?).ok(),
    default: || Target::Pool,
    show: |target| json!(target.name()),
};

pub(super) const WHO: Key<String> = Key {
    name: "who",
    expected: "a text that is not empty",
    read: |written| text(written).map(str::trim).filter(|who| !who.is_empty()).map(str::to_owned),
    default: user,
    show: |who| json!(who),
};

pub(super) const FORMAT: Key<Listing> = Key {
    name: "format",
    expected: "\"csv\", \"jsonl\" or \"table\"",
    read: choice,
    default: || Listing::Table,
    show: |format| json!(format),
};

pub(super) const COLOR: Key<Colour> = Key {
    name: "color",
    expected: "\"auto\", \"always\" or \"never\"",
    read: choice,
    default: || Colour::Auto,
    show: |colour| json!(colour),
};

pub(super) const SEED: Key<u64> = Key {
    name: "seed",
    expected: "a whole number that is not negative, below 2^64",
    read: whole,
    default: || 0,
    show: |seed| json!(seed),
};

/// Every name, in the order they are shown.
pub(super) const NAMES: [&str; 6] = [LEVEL.name, TARGET.name, WHO.name, FORMAT.name, COLOR.name, SEED.name];

#[allow(clippy::cast_precision_loss, reason = "a level that is a whole number is refused whichever it is")]
fn number(written: &Written) -> Option<f64> {
    match written {
        Written::Variable(text) => text.trim().parse().ok(),
        Written::Whole(whole) => Some(*whole as f64),
        Written::Number(number) => Some(*number),
        Written::Text(_) | Written::Other => None,
    }
}

fn whole(written: &Written) -> Option<u64> {
    match written {
        Written::Variable(text) => text.trim().parse().ok(),
        Written::Whole(whole) => Some(*whole),
        Written::Number(_) | Written::Text(_) | Written::Other => None,
    }
}

fn text(written: &Written) -> Option<&str> {
    match written {
        Written::Variable(text) | Written::Text(text) => Some(text),
        Written::Number(_) | Written::Whole(_) | Written::Other => None,
    }
}

fn choice<C: ValueEnum>(written: &Written) -> Option<C> {
    C::from_str(text(written)?.trim(), false).ok()
}

/// The name of the user: by the environment, or by the system's list of users.
fn user() -> String {
    let named = |variable| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    let variables = ["USER", "LOGNAME", "USERNAME"];
    variables.into_iter().find_map(named).or_else(listed_user).unwrap_or_else(|| "unknown".to_owned())
}

/// The name that the list of users has for the owner of this process; containers often have no variables.
#[cfg(target_os = "linux")]
fn listed_user() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let number = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, uid) = (fields.next()?, fields.nth(1)?);
        (uid == number).then(|| name.to_owned())
    })
}

#[cfg(not(target_os = "linux"))]
fn listed_user() -> Option<String> {
    None
}

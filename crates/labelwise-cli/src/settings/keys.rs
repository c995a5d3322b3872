//! The settings: names, valid values and defaults.

use clap::ValueEnum;
use labelwise::Target;
use labelwise_study::Named;
use serde::Serialize;

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
};

pub(super) const TARGET: Key<Target> = Key {
    name: "target",
    expected: "\"pool\" or \"population\"",
    read: |written| Target::named(text(written)?).ok(),
    default: || Target::Pool,
};

pub(super) const WHO: Key<String> = Key {
    name: "who",
    expected: "a text that is not empty",
    read: |written| text(written).map(str::trim).filter(|who| !who.is_empty()).map(str::to_owned),
    default: user,
};

pub(super) const FORMAT: Key<Listing> = Key {
    name: "format",
    expected: "\"csv\", \"jsonl\" or \"table\"",
    read: choice,
    default: || Listing::Table,
};

pub(super) const COLOR: Key<Colour> = Key {
    name: "color",
    expected: "\"auto\", \"always\" or \"never\"",
    read: choice,
    default: || Colour::Auto,
};

pub(super) const SEED: Key<u64> = Key {
    name: "seed",
    expected: "a whole number that is not negative, below 2^64",
    read: whole,
    default: || 0,
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

/// The name of the user.
fn user() -> String {
    let named = |variable| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    named("USER").or_else(|| named("USERNAME")).unwrap_or_else(|| "unknown".to_owned())
}

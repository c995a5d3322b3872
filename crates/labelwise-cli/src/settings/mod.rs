//! Settings: defaults of options. Each comes from the first place that has it.

mod file;
mod keys;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use labelwise::Target;
use labelwise::words::{did_you_mean, listed};
use serde_json::Value;

use crate::error::Error;
use crate::output::colour::Colour;
use crate::output::file::write;
use file::SettingsFile;
pub(crate) use keys::Listing;
use keys::{COLOR, FORMAT, Key, LEVEL, NAMES, SEED, TARGET, WHO, Written};

/// The file of settings in the folder of an evaluation.
const BESIDE: &str = "labelwise.toml";

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// An environment variable.
    Variable(String),
    /// A file.
    File(PathBuf),
    /// Nobody said.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting with where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// What options are when they are not given.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The level of intervals.
    pub(crate) level: Setting<f64>,
    /// What is estimated.
    pub(crate) target: Setting<Target>,
    /// Who labels.
    pub(crate) who: Setting<String>,
    /// How items to label are listed.
    pub(crate) format: Setting<Listing>,
    /// When there is colour.
    pub(crate) color: Setting<Colour>,
    /// The seed of draws.
    pub(crate) seed: Setting<u64>,
}

impl Settings {
    /// What counts in a folder: environment, the folder's file, the user's file, defaults. Every file that is there
    /// must be in order, even where another place decides.
    pub(crate) fn load(folder: &Path) -> Result<Self, Error> {
        let mut files = Vec::new();
        for path in [Some(folder.join(BESIDE)), user_file()].into_iter().flatten() {
            files.extend(SettingsFile::read(&path)?);
        }
        let files = files.as_slice();
        Ok(Self {
            level: find(&LEVEL, files)?,
            target: find(&TARGET, files)?,
            who: find(&WHO, files)?,
            format: find(&FORMAT, files)?,
            color: find(&COLOR, files)?,
            seed: find(&SEED, files)?,
        })
    }

    /// Name, value and origin of each, in the order they are shown.
    pub(crate) fn lines(&self) -> Vec<(&'static str, Value, Origin)> {
        fn line<T>(key: &Key<T>, setting: &Setting<T>) -> (&'static str, Value, Origin) {
            (key.name, (key.show)(&setting.value), setting.origin.clone())
        }
        vec![
            line(&LEVEL, &self.level),
            line(&TARGET, &self.target),
            line(&WHO, &self.who),
            line(&FORMAT, &self.format),
            line(&COLOR, &self.color),
            line(&SEED, &self.seed),
        ]
    }
}

/// The file that a new value is written to.
pub(crate) fn file_to_set(folder: &Path, here: bool) -> Result<PathBuf, Error> {
    if here { Ok(folder.join(BESIDE)) } else { user_file().ok_or(Error::NoSettingsFile) }
}

/// Writes a setting into a file of settings, and leaves the rest of the file as it is.
pub(crate) fn set(path: &Path, name: &str, value: &str) -> Result<(), Error> {
    let value = match keys::parse(name, value) {
        Some(Ok(value)) => value,
        Some(Err(expected)) => {
            let (key, value) = (name.to_owned(), value.to_owned());
            return Err(Error::NewSettingValue { key, value, expected });
        }
        None => {
            let known = listed(&NAMES);
            return Err(Error::NewSetting { key: name.to_owned(), known, near: did_you_mean(name, NAMES) });
        }
    };
    let text = file::with_setting(path, name, &value.to_string())?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = fs::create_dir_all(folder);
        made.map_err(|source| Error::Write { path: folder.to_owned(), source })?;
    }
    write(path, text.as_bytes())
}

/// The folder that an evaluation is in.
pub(crate) fn beside(evaluation: &Path) -> PathBuf {
    let folder = evaluation.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

fn find<T>(key: &Key<T>, files: &[SettingsFile]) -> Result<Setting<T>, Error> {
    let mut found = None;
    // The last to speak wins, so that what is overridden is looked at too.
    for file in files.iter().rev() {
        if let Some(entry) = file.entries.get(key.name) {
            let value = (key.read)(&entry.written).ok_or_else(|| Error::SettingValue {
                path: file.path.clone(),
                line: entry.line,
                key: key.name,
                value: entry.shown.clone(),
                expected: key.expected,
            })?;
            found = Some(Setting { value, origin: Origin::File(file.path.clone()) });
        }
    }
    let variable = format!("LABELWISE_{}", key.name.to_uppercase());
    if let Some(text) = env::var_os(&variable).filter(|text| !text.is_empty()) {
        let text = text.to_string_lossy().into_owned();
        let read = (key.read)(&Written::Variable(text.clone()));
        let expected = key.expected;
        let value = read.ok_or(Error::Variable { variable: variable.clone(), value: text, expected })?;
        found = Some(Setting { value, origin: Origin::Variable(variable) });
    }
    Ok(found.unwrap_or_else(|| Setting { value: (key.default)(), origin: Origin::Default }))
}

/// The user's own file, where there is a place for one.
fn user_file() -> Option<PathBuf> {
    let given =
        |variable| env::var_os(variable).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
    // A relative path is none by the rules of XDG.
    let configured = given("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = configured.or_else(|| Some(env::home_dir()?.join(".config")))?;
    Some(folder.join("labelwise").join("config.toml"))
}

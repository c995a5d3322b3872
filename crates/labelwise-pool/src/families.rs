//! Recognises the columns of class probabilities by their names.

use std::path::Path;

use labelwise::words::did_you_mean;

use crate::error::Purpose;
use crate::error::{Error, Result};
use crate::source::{Field, SelectedBlock};

/// Columns that belong together, with their classes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Family {
    /// Places among the fields of the file.
    pub(crate) fields: Vec<usize>,
    /// One name per column; none if one column holds lists.
    pub(crate) classes: Option<Vec<String>>,
}

impl Family {
    /// One column, of a model with two classes.
    pub(crate) fn one(field: usize) -> Self {
        Self { fields: vec![field], classes: Some(Vec::new()) }
    }

    pub(crate) fn wanted(&self) -> SelectedBlock {
        SelectedBlock { fields: self.fields.clone(), lists: self.classes.is_none() }
    }
}

/// Names of a column of lists.
const LISTS: [&str; 2] = ["probs", "probabilities"];

/// Patterns of the names of class columns.
const PATTERNS: [&str; 3] = ["prob_*", ".pred_*", "p_*"];

/// A column of predicted classes that by convention comes with `.pred_*`.
const NOT_A_CLASS: &str = ".pred_class";

/// The one recognised family with its pattern, or an error that lists the columns.
pub(crate) fn recognise(path: &Path, fields: &[Field]) -> Result<(&'static str, Family)> {
    let mut found: Vec<(&'static str, Family)> = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        if let Some(&name) = LISTS.iter().find(|&&name| name == field.name)
            && field.kind.may_be_list()
        {
            found.push((name, Family { fields: vec![place], classes: None }));
        }
    }
    for pattern in PATTERNS {
        let family = matching(pattern, fields);
        // A single column, such as `p_value`, is not a distribution over classes.
        if family.fields.len() >= 2 {
            found.push((pattern, family));
        }
    }
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    let families = names.join(", ");
    match found.len() {
        0 => Err(Error::NoFamily {
            path: path.to_owned(),
            families: [&LISTS[..], &PATTERNS[..]].concat().join(", "),
            columns: listed(fields),
            likely: likely(fields),
        }),
        1 => found.pop().ok_or_else(|| Error::Empty { path: path.to_owned() }),
        _ => Err(Error::ManyFamilies {
            path: path.to_owned(),
            first: names.first().copied().unwrap_or_default().to_owned(),
            families,
            columns: listed(fields),
        }),
    }
}

/// Names of a single column that is often the probability of one of two classes.
const SINGLES: [&str; 4] = ["prob", "probability", "proba", "p"];

/// Columns of tests, not of classifiers.
const NOT_PROBABILITIES: [&str; 3] = ["p_value", "p_val", "p_values"];

/// What the columns of a pool without recognised class probabilities may be instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikelyColumns {
    /// This one column may be the probability of one of two classes.
    OneOfTwo(String),
    /// These may be logits: a pattern, or a name.
    Logits(String),
    /// `mean` may be a predicted number, and the other column its variance or standard deviation.
    Mean(Option<&'static str>),
}

/// What the columns may be, by their names.
fn likely(fields: &[Field]) -> Option<LikelyColumns> {
    let has = |wanted: &str| fields.iter().any(|field| field.name == wanted);
    let logits = || {
        let stem = ["logits_", "logit_", "logits.", "logit."];
        let stem = stem.into_iter().find(|stem| matching(&format!("{stem}*"), fields).fields.len() >= 2);
        let list = ["logits", "logit"].into_iter().find(|name| has(name));
        stem.map(|stem| format!("{stem}*")).or_else(|| list.map(str::to_owned))
    };
    let mean = || has("mean").then(|| ["variance", "std"].into_iter().find(|name| has(name)));
    let one = single(fields).map(LikelyColumns::OneOfTwo);
    one.or_else(|| logits().map(LikelyColumns::Logits)).or_else(|| mean().map(LikelyColumns::Mean))
}

/// The one column that may be the probability of one of two classes.
fn single(fields: &[Field]) -> Option<String> {
    let may = |field: &&Field| {
        let name = field.name.as_str();
        (class_part(name).is_some() || SINGLES.contains(&name)) && !NOT_PROBABILITIES.contains(&name)
    };
    let mut found = fields.iter().filter(may);
    let first = found.next()?;
    found.next().is_none().then(|| first.name.clone())
}

/// The columns of a pattern: one `*` for the class, or comma-separated names.
pub(crate) fn chosen(path: &Path, fields: &[Field], pattern: &str, purpose: Purpose) -> Result<Family> {
    let family = if pattern.contains('*') {
        matching(pattern, fields)
    } else {
        let names: Vec<&str> = pattern.split(',').map(str::trim).collect();
        let places: Result<Vec<usize>> =
            names.iter().map(|name| place(path, fields, name, purpose)).collect();
        let classes = names.into_iter().map(str::to_owned).collect();
        Family { fields: places?, classes: Some(classes) }
    };
    match *family.fields.as_slice() {
        [one] if fields.get(one).is_some_and(|field| field.kind.may_be_list()) => {
            Ok(Family { classes: None, ..family })
        }
        [] | [_] => Err(Error::TooFewClasses {
            path: path.to_owned(),
            pattern: pattern.to_owned(),
            found: family.fields.len(),
            purpose,
            columns: listed(fields),
        }),
        _ => Ok(family),
    }
}

/// The columns of a pattern, or one column of a model with two classes that is named in full.
pub(crate) fn one_or_several(
    path: &Path,
    fields: &[Field],
    pattern: &str,
    purpose: Purpose,
) -> Result<Family> {
    match fields.iter().enumerate().find(|(_, field)| field.name == pattern) {
        Some((at, field)) if !field.kind.may_be_list() => Ok(Family::one(at)),
        _ => chosen(path, fields, pattern, purpose),
    }
}

/// The class that the name of a column ends in, if it begins as names of class columns do.
pub(crate) fn class_part(column: &str) -> Option<&str> {
    let starts = PATTERNS.iter().filter_map(|pattern| pattern.strip_suffix('*'));
    starts.filter_map(|start| column.strip_prefix(start)).find(|class| !class.is_empty())
}

/// The place of a column by its name.
pub(crate) fn place(path: &Path, fields: &[Field], name: &str, purpose: Purpose) -> Result<usize> {
    fields.iter().position(|field| field.name == name).ok_or_else(|| Error::NoColumn {
        path: path.to_owned(),
        name: name.to_owned(),
        purpose,
        columns: listed(fields) + &did_you_mean(name, fields.iter().map(|field| field.name.as_str())),
    })
}

/// The columns that match a pattern with a `*`, each with its `*` part.
pub(crate) fn matching(pattern: &str, fields: &[Field]) -> Family {
    let (before, after) = pattern.split_once('*').unwrap_or((pattern, ""));
    let classes = fields.iter().enumerate().filter_map(|(place, field)| {
        let class = field.name.strip_prefix(before)?.strip_suffix(after)?;
        (!class.is_empty() && field.name != NOT_A_CLASS).then(|| (place, class.to_owned()))
    });
    let (fields, classes) = classes.unzip();
    Family { fields, classes: Some(classes) }
}

/// The names of the columns as an error shows them.
pub(crate) fn listed(fields: &[Field]) -> String {
    const NAMED: usize = 20;
    if fields.is_empty() {
        return "none".to_owned();
    }
    let mut names: Vec<String> = fields.iter().take(NAMED).map(|field| shown(&field.name)).collect();
    if fields.len() > NAMED {
        names.push(format!("and {} more", fields.len() - NAMED));
    }
    names.join(", ")
}

/// Number of letters that an error shows of a text.
pub(crate) const SHOWN: usize = 60;

/// A text from a file as an error shows it: short, and on one line.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

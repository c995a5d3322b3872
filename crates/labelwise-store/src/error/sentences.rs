//! Parts of sentences that depend on what there is to say.

use std::fmt;

use crate::offences::Offence;

/// What is refused of a call, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The line of the file it comes from, if it comes from one.
    pub line: Option<usize>,
    /// The item.
    pub id: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "item {:?} {}", self.id, self.why)
    }
}

pub(super) fn are(items: usize) -> &'static str {
    if items == 1 { "item is" } else { "items are" }
}

pub(super) fn what_is_left(left: usize, size: usize) -> String {
    match left {
        0 => format!("all {size} have been asked already"),
        _ => format!("{left} of {size} are left: ask for no more than that"),
    }
}

pub(super) fn why_none(next: Option<&str>) -> String {
    match next {
        Some(id) => {
            format!("the first item that was asked, {id:?}, waits for its own, and the others wait for that")
        }
        None => "ask for items, and tell their labels".to_owned(),
    }
}

/// How many refusals are shown.
const SHOWN: usize = 5;

pub(super) fn first_refusals(refusals: &[Refusal]) -> String {
    let lines: Vec<String> = refusals.iter().take(SHOWN).map(|refusal| format!("  {refusal}")).collect();
    lines.join("\n")
}

pub(super) fn more(refusals: &[Refusal]) -> String {
    match refusals.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    }
}

pub(super) fn row_of(table: &str, row: Option<&str>) -> String {
    row.map_or_else(|| format!("table `{table}`"), |row| format!("row {row} of table `{table}`"))
}

pub(super) fn next_is(expected: Option<u64>) -> String {
    expected.map_or_else(|| "no draw is prepared".to_owned(), |item| format!("item {item} is next"))
}

pub(super) fn first_of(more: bool, rows: &[Offence]) -> String {
    if more { format!("; the first {} are", rows.len()) } else { ":".to_owned() }
}

pub(super) fn lines(rows: &[Offence]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
    lines.join("\n")
}

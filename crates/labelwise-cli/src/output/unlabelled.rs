//! Notes about drawn items without a label, with the commands that help.

use std::path::Path;

use labelwise::words::shell;
use labelwise_study::{Study, WithoutLabel};

use super::screen::one_line;
use super::text::{counted, thousands};
use crate::error::Error;

/// The items that hold up labels, and the ways out.
pub(crate) fn holding_up(evaluation: &Study, path: &Path) -> Result<Option<String>, Error> {
    let Some(found) = evaluation.holding_up()? else { return Ok(None) };
    let (held_up, path) = (counted(found.held_up, "label"), shell(path));
    let (one_label, one_item) = (found.held_up == 1, found.items == 1);
    let does = if one_label { "does" } else { "do" };
    let (items, it) = if one_item { ("an earlier item has", "it") } else { ("earlier items have", "them") };
    Ok(Some(format!(
        "note: {held_up} {does} not count yet, because {items} no label: {}; tell {it}, or give {it} up with \
         `labelwise skip {path} {}` (`labelwise ask --waiting {path}` prints {it})",
        named(&found),
        ids(&found),
    )))
}

/// The skipped items, and what makes their effect smaller.
pub(crate) fn skipped(evaluation: &Study, path: &Path) -> Result<Option<String>, Error> {
    let Some(found) = evaluation.skipped()? else { return Ok(None) };
    let (were, their) =
        if found.items == 1 { ("item was", "its label") } else { ("items were", "their labels") };
    Ok(Some(format!(
        "note: {} {were} skipped ({}) and may have any label; if the reason has nothing to do with {their}, \
         `labelwise skip --at-random {} {}` narrows the intervals",
        thousands(found.items),
        named(&found),
        shell(path),
        ids(&found),
    )))
}

fn named(found: &WithoutLabel) -> String {
    let names: Vec<String> = found.first.iter().map(|id| one_line(id).into_owned()).collect();
    match found.items - found.first.len() {
        0 => names.join(", "),
        more => format!("{} and {} more", names.join(", "), thousands(more)),
    }
}

fn ids(found: &WithoutLabel) -> String {
    found.first.iter().map(shell).collect::<Vec<_>>().join(" ")
}

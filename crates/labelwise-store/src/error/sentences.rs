//! Parts of sentences that depend on what there is to say.

use crate::families::shown;

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

pub(super) fn row_of(table: &str, row: Option<&str>) -> String {
    row.map_or_else(|| format!("table `{table}`"), |row| format!("row {row} of table `{table}`"))
}

pub(super) fn next_is(expected: Option<u64>) -> String {
    expected.map_or_else(|| "no draw is prepared".to_owned(), |item| format!("item {item} is next"))
}

pub(super) fn listed(names: &[String]) -> String {
    names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}

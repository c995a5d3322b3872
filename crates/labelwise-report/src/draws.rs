//! The table of draws: what was asked for, what came, and what it counts for.

use std::collections::BTreeMap;

use maud::{Markup, Render, html};

use super::page::{Counted, DrawLine, Fate, Page};
use super::picture::{Table, cells};
use super::words::{NONE, Name, counted, number, percent, significant, thousands, visible};

/// Maximum number of lines; the file has all of them.
const MOST: usize = 1000;

const HEADS: [&str; 9] =
    ["Draw", "Item", "q", "Label", "Loss", "Weight v", "Share of variance", "When", "Who"];

/// The section.
pub(super) fn section(page: &Page, samples: &[Counted<'_>]) -> Markup {
    let by_item: BTreeMap<usize, &Counted<'_>> =
        samples.iter().map(|sample| (sample.sample.index, sample)).collect();
    let lines = page.draws.iter().take(MOST);
    // An evaluation in memory has no times and no authors.
    let columns =
        if page.draws.iter().any(|line| line.last.is_some()) { HEADS.len() } else { HEADS.len() - 2 };
    let table = Table {
        caption: "Draws, in draw order",
        heads: HEADS.get(..columns).unwrap_or(&HEADS),
        rows: lines.map(|line| row(line, by_item.get(&line.index).copied(), columns)).collect(),
        words: &[1, 3, 7, 8],
    };
    let left_out = page.draws.len().saturating_sub(MOST);
    html! {
        section.draws {
            h2 { "Every draw" }
            p {
                (counted(page.draws.len(), "draw")) " in the order they were made."
                @if left_out > 0 {
                    " The first " (thousands(MOST)) " are shown and " (thousands(left_out)) " left out"
                    @if page.provenance.file.is_some() { "; " code { "labelwise export" } " has all of them" }
                    "."
                }
                " Losses are " (visible(&page.metric.loss)) "; q is the probability that the item was drawn with."
                (fates(page, &by_item))
            }
            (table)
        }
    }
}

/// What the words in place of a label mean, as far as they occur.
fn fates(page: &Page, by_item: &BTreeMap<usize, &Counted<'_>>) -> Markup {
    let any = |is: &dyn Fn(&DrawLine) -> bool| page.draws.iter().take(MOST).any(is);
    html! {
        @if any(&|line| matches!(line.fate, Fate::Open)) { " " em { "Open" } ": no label yet." }
        @if any(&|line| is_waiting(line, by_item.get(&line.index).copied())) {
            " " em { "Waits" } ": counts when all earlier draws are labelled or skipped."
        }
        @if any(&|line| matches!(line.fate, Fate::Skipped)) {
            " " em { "Skipped" } ": counts with the loss that the surrogate expected; the interval includes its \
                 bounds."
        }
        @if any(&|line| matches!(line.fate, Fate::Missing)) {
            " " em { "Missing" } ": removed from the pool, for reasons unrelated to its label."
        }
    }
}

fn row(line: &DrawLine, sample: Option<&Counted<'_>>, columns: usize) -> Vec<Markup> {
    let none = || NONE.to_owned();
    let (label, loss) = match &line.fate {
        Fate::Open => (html! { em { "open" } }, none()),
        Fate::Skipped => (html! { em { "skipped" } }, none()),
        Fate::Missing => (html! { em { "missing" } }, none()),
        Fate::Labelled { label, loss, amendments } => {
            let label = html! { (Name(label)) @if *amendments > 0 { " " em { "(amended)" } } };
            (label, significant(*loss, 3))
        }
    };
    let weight = match sample {
        Some(sample) => number(sample.v, 2).render(),
        None if is_waiting(line, sample) => html! { em { "waits" } },
        None => NONE.render(),
    };
    let share = sample.and_then(|sample| sample.share).map_or_else(none, percent);
    let (at, who) = line.last.as_ref().map_or(("", ""), |(at, who)| (at, who));
    let (q, at) = (significant(line.q, 3), visible(at));
    let mut row = cells([&line.place, &Name(&line.id), &q, &label, &loss, &weight, &share, &at, &Name(who)]);
    row.truncate(columns);
    row
}

fn is_waiting(line: &DrawLine, sample: Option<&Counted<'_>>) -> bool {
    sample.is_none() && matches!(line.fate, Fate::Labelled { .. })
}

//! The table of draws: what was asked for, what came, and what it counts for.

use std::collections::BTreeMap;

use super::counted::Counted;
use super::page::{DrawLine, Fate, Page};
use super::picture::Table;
use super::words::{NONE, count, counted, escaped, name, number, percent, significant};

/// More lines than this nobody reads; the file has them all.
const MOST: usize = 1000;

const HEADS: [&str; 9] =
    ["Draw", "Item", "q", "Label", "Loss", "Weight v", "Share of variance", "When", "Who"];

/// The section.
pub(super) fn section(page: &Page, samples: &[Counted<'_>]) -> String {
    let by_item: BTreeMap<usize, &Counted<'_>> =
        samples.iter().map(|sample| (sample.sample.index, sample)).collect();
    let lines = page.draws.iter().take(MOST);
    // Of an evaluation in memory nobody knows when, and by whom.
    let columns =
        if page.draws.iter().any(|line| line.last.is_some()) { HEADS.len() } else { HEADS.len() - 2 };
    let table = Table {
        caption: "Draws, in draw order",
        heads: HEADS.get(..columns).unwrap_or(&HEADS),
        rows: lines.map(|line| row(line, by_item.get(&line.index).copied(), columns)).collect(),
        words: &[1, 3, 7, 8],
    };
    let left_out = match page.draws.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(
            " The first {} are shown and {} left out{}.",
            count(MOST),
            count(more),
            if page.provenance.file.is_some() {
                "; <code>labelwise export</code> has all of them"
            } else {
                ""
            }
        ),
    };
    format!(
        "<section class=\"draws\">\n<h2>Every draw</h2>\n<p>{} in the order they were made.{left_out} Losses are {}; \
         q is the probability that the item was drawn with.{}</p>\n{}</section>\n",
        counted(page.draws.len(), "draw"),
        escaped(&page.metric.loss),
        fates(page, &by_item),
        table.html()
    )
}

/// What the words in place of a label mean, as far as they occur.
fn fates(page: &Page, by_item: &BTreeMap<usize, &Counted<'_>>) -> String {
    let any = |is: &dyn Fn(&DrawLine) -> bool| page.draws.iter().take(MOST).any(is);
    let mut words = String::new();
    if any(&|line| matches!(line.fate, Fate::Open)) {
        words.push_str(" <em>Open</em>: no label yet.");
    }
    if any(&|line| is_waiting(line, by_item.get(&line.index).copied())) {
        words.push_str(" <em>Waits</em>: counts as soon as all earlier draws are settled.");
    }
    if any(&|line| matches!(line.fate, Fate::Skipped)) {
        words.push_str(
            " <em>Skipped</em>: counts as the surrogate expected it, and the interval spans all it could be.",
        );
    }
    if any(&|line| matches!(line.fate, Fate::Missing)) {
        words.push_str(" <em>Missing</em>: taken out of the pool, for reasons unrelated to its label.");
    }
    words
}

fn row(line: &DrawLine, sample: Option<&Counted<'_>>, columns: usize) -> Vec<String> {
    let none = || NONE.to_owned();
    let (label, loss) = match &line.fate {
        Fate::Open => ("<em>open</em>".to_owned(), none()),
        Fate::Skipped => ("<em>skipped</em>".to_owned(), none()),
        Fate::Missing => ("<em>missing</em>".to_owned(), none()),
        Fate::Labelled { label, loss, amendments } => {
            let amended = if *amendments > 0 { " <em>(amended)</em>" } else { "" };
            (name(label) + amended, significant(*loss, 3))
        }
    };
    let weight = match sample {
        Some(sample) => number(sample.v, 2),
        None if is_waiting(line, sample) => "<em>waits</em>".to_owned(),
        None => none(),
    };
    let share = sample.and_then(|sample| sample.share).map_or_else(none, percent);
    let (at, who) = line.last.as_ref().map_or(("", ""), |(at, who)| (at, who));
    let mut cells = vec![
        line.place.to_string(),
        name(&line.id),
        significant(line.q, 3),
        label,
        loss,
        weight,
        share,
        escaped(at),
        name(who),
    ];
    cells.truncate(columns);
    cells
}

fn is_waiting(line: &DrawLine, sample: Option<&Counted<'_>>) -> bool {
    sample.is_none() && matches!(line.fate, Fate::Labelled { .. })
}

//! Metrics of the same labels that are no means.

use super::metric::Form;
use super::page::{Page, ScoreLine};
use super::picture::Table;
use super::words::{NONE, capitalised, count, escaped, level};

/// The section; nothing where there are none.
pub(super) fn section(page: &Page) -> String {
    if page.scores.is_empty() {
        return String::new();
    }
    let interval = format!("{} interval", level(page.level));
    let table = Table {
        caption: "Metrics that are no means",
        heads: &["Metric", "Estimate", &interval, "Labels", "Keep in mind"],
        rows: page.scores.iter().map(row).collect(),
        words: &[0, 4],
    };
    format!(
        "<section>\n<h2>Metrics that are no means</h2>\n<p>From the same labels. These are consistent, not unbiased: their \
         bias vanishes as labels come in.</p>\n{}</section>\n",
        table.html()
    )
}

fn row(line: &ScoreLine) -> Vec<String> {
    let width = line.interval.map(|(low, high)| high - low);
    let text = |value| Form::Number.text(value, width);
    let interval =
        line.interval.map_or(NONE.to_owned(), |(low, high)| format!("{} to {}", text(low), text(high)));
    let (value, why) = match &line.value {
        Ok(value) => (text(*value), None),
        Err(why) => ("undefined".to_owned(), Some(why)),
    };
    let notes: Vec<String> =
        why.into_iter().chain(&line.notes).map(|note| escaped(&capitalised(note))).collect();
    let notes = if notes.is_empty() { NONE.to_owned() } else { notes.join(". ") };
    vec![escaped(&capitalised(&line.name)), value, interval, count(line.labels), notes]
}

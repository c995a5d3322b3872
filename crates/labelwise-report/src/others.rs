//! Other metrics of the same labels.

use super::page::{OtherMetric, Page};
use super::picture::Table;
use super::words::{NONE, capitalised, count, escaped, level};

/// The section; nothing where there are none.
pub(super) fn section(page: &Page) -> String {
    if page.others.is_empty() {
        return String::new();
    }
    let interval = format!("{} interval", level(page.level));
    let table = Table {
        caption: "Other metrics",
        heads: &["Metric", "Estimate", &interval, "Labels"],
        rows: page.others.iter().map(row).collect(),
        words: &[0],
    };
    format!(
        "<section>\n<h2>Other metrics</h2>\n<p>From the same labels, which were chosen for the {}: intervals of \
         others may be wider than they could be.</p>\n{}</section>\n",
        escaped(&page.metric.name),
        table.html()
    )
}

fn row(metric: &OtherMetric) -> Vec<String> {
    let width = metric.interval.map(|(low, high)| high - low);
    let text = |value| metric.form.text(value, width);
    let interval =
        metric.interval.map_or(NONE.to_owned(), |(low, high)| format!("{} to {}", text(low), text(high)));
    vec![escaped(&capitalised(&metric.name)), text(metric.value), interval, count(metric.labels)]
}

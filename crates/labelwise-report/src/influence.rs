//! The labels that matter most: the first to look at when the result is in doubt.

use super::counted::Counted;
use super::page::{DrawLine, Fate};
use super::picture::Table;
use super::words::{NONE, name, number, percent, significant};

/// More than these nobody looks up.
const MOST: usize = 5;

/// The article; nothing where no label has a share of any variance.
pub(super) fn article(samples: &[Counted<'_>]) -> String {
    let mut shares: Vec<(f64, &Counted<'_>)> =
        samples.iter().filter_map(|sample| Some((sample.share?, sample))).collect();
    shares.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    shares.truncate(MOST);
    if shares.is_empty() {
        return String::new();
    }
    let together: f64 = shares.iter().map(|(share, _)| share).sum();
    let table = Table {
        caption: "Labels by their share of the variance",
        heads: &["Item", "Label", "Loss", "Expected loss", "Weight v", "Share of variance"],
        rows: shares.iter().map(|(share, sample)| row(*share, sample)).collect(),
        words: &[0, 1],
    };
    format!(
        "<article>\n<h3>Labels that matter most</h3>\n<p>These carry {} of the variance of the estimate together. If \
         there is any doubt about a label, look here first.</p>\n{}</article>\n",
        percent(together),
        table.html()
    )
}

fn row(share: f64, sample: &Counted<'_>) -> Vec<String> {
    let (item, label) = match sample.line {
        Some(DrawLine { id, fate: Fate::Labelled { label, .. }, .. }) => (name(id), name(label)),
        Some(DrawLine { id, .. }) => (name(id), "<em>skipped</em>".to_owned()),
        None => (sample.sample.index.to_string(), NONE.to_owned()),
    };
    // In the place of a skipped loss stands what was expected; nothing was observed.
    let loss = if sample.is_seen() { significant(sample.sample.loss, 3) } else { NONE.to_owned() };
    vec![item, label, loss, significant(sample.sample.control, 3), number(sample.v, 2), percent(share)]
}

//! The strata of a stratified sample: how many items each has, how many were drawn, and what came of them.

use super::page::{Fate, Page};
use super::picture::Table;
use super::words::{NONE, count, significant};

/// The section; nothing where items were not drawn within strata.
pub(super) fn section(page: &Page) -> String {
    let Some(strata) = &page.strata else { return String::new() };
    let rows = strata.sizes().iter().zip(strata.counts()).enumerate().map(|(stratum, (&size, drawn))| {
        let lines = page.draws.iter().filter(|line| line.stratum == Some(stratum));
        let losses: Vec<f64> = lines
            .filter_map(|line| match line.fate {
                Fate::Labelled { loss, .. } => Some(loss),
                _ => None,
            })
            .collect();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let mean = if losses.is_empty() { NONE.to_owned() } else { significant(mean, 3) };
        vec![count(stratum + 1), count(size), count(drawn), count(losses.len()), mean]
    });
    let table = Table {
        caption: "Strata, from the lowest expected loss to the highest",
        heads: &["Stratum", "Items", "To be drawn", "Labelled", "Mean loss"],
        rows: rows.collect(),
        words: &[],
    };
    format!(
        "<section>\n<h2>Strata</h2>\n<p>Before the first label, items were put into strata by the loss that was expected of \
         them. More are drawn where losses were expected to differ more, uniformly within each stratum; the estimate is \
         the mean of the strata’s means, each by its part of the pool.</p>\n{}</section>\n",
        table.html()
    )
}

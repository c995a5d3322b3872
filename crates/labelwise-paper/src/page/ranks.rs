//! The table of Wilcoxon's tests.

use super::escaped;
use crate::ranks::Row;

/// The table; nothing where there is none.
pub(super) fn section(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let row = |row: &Row| {
        let cells = [
            row.figure.to_owned(),
            row.set.to_owned(),
            row.best.to_owned(),
            row.other.to_owned(),
            format!("{} runs, step {}", row.runs, row.step),
            row.p_value_text().to_owned(),
            row.published_step
                .map_or_else(String::new, |step| format!("{} at step {step}", row.published_text())),
        ];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let headings = ["figure", "set", "best method", "other method", "compared", "p-value", "the paper’s"];
    let headings: String = headings.map(|heading| format!("<th scope=\"col\">{heading}</th>")).concat();
    format!(
        "<section>\n<h2>Wilcoxon’s signed-rank tests</h2>\n<p>The alternative is that the best method of the paper has lower \
         squared errors than the other one in the same runs; at the end, that labelwise’s default has.</p>\n<table class=\"claims\">\n<thead><tr>{headings}</tr></thead>\n\
         <tbody>\n{}</tbody>\n</table>\n</section>\n",
        rows.iter().map(row).collect::<String>()
    )
}

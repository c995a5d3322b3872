//! Rows of the table, and what they come to over all pools.

use std::collections::BTreeMap;
use std::fmt;

/// A strategy on a pool at a number of labels.
pub(crate) struct Cell {
    pub(crate) pool: String,
    pub(crate) loss: String,
    pub(crate) labels: usize,
    pub(crate) strategy: String,
    /// RMSE over that of uniform sampling.
    pub(crate) ratio: f64,
    /// The same by the variances of the proposals.
    pub(crate) exact: Option<f64>,
    /// Share of intervals above the truth, and of those below it.
    pub(crate) below: f64,
    pub(crate) above: f64,
    /// Mean width over 2 · 1.96 · RMSE.
    pub(crate) width: f64,
}

impl Cell {
    fn covers(&self) -> f64 {
        1.0 - self.below - self.above
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pool, loss, labels, strategy, ratio, below, above, width, .. } = self;
        let exact = self.exact.map_or_else(|| "-".to_owned(), |exact| format!("{exact:.3}"));
        let covers = self.covers();
        write!(f, "| {pool} | {loss} | {labels} | {strategy} | {ratio:.3} | {exact} ")?;
        write!(f, "| {covers:.3} | {below:.3} | {above:.3} | {width:.2} |")
    }
}

/// Cells by loss, number of labels and strategy.
#[derive(Default)]
pub(crate) struct Summary {
    cells: BTreeMap<(String, usize, String), Vec<Cell>>,
}

impl Summary {
    pub(crate) fn add(&mut self, cell: Cell) {
        self.cells.entry((cell.loss.clone(), cell.labels, cell.strategy.clone())).or_default().push(cell);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| loss | labels | strategy | pools | RMSE / uniform (largest) | exact (largest) | covers (least, below 0.93) | width (largest) |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for ((loss, labels, strategy), cells) in &self.cells {
            let count = cells.len() as f64;
            let of = |of: fn(&Cell) -> f64| cells.iter().map(of).collect::<Vec<f64>>();
            let (covers, widths) = (of(Cell::covers), of(|cell| cell.width));
            let (mean_ratio, most_ratio) = geometric(&of(|cell| cell.ratio));
            let exact: Option<Vec<f64>> = cells.iter().map(|cell| cell.exact).collect();
            let exact = exact.map_or_else(
                || "-".to_owned(),
                |exact| {
                    let (mean, most) = geometric(&exact);
                    format!("{mean:.3} ({most:.2})")
                },
            );
            let least = covers.iter().copied().fold(1.0, f64::min);
            let low = covers.iter().filter(|covers| **covers < 0.93).count();
            let covers = covers.iter().sum::<f64>() / count;
            let width = widths.iter().sum::<f64>() / count;
            let widest = widths.iter().copied().fold(0.0, f64::max);
            write!(f, "| {loss} | {labels} | {strategy} | {} ", cells.len())?;
            write!(f, "| {mean_ratio:.3} ({most_ratio:.2}) | {exact} ")?;
            writeln!(f, "| {covers:.3} ({least:.3}, {low}) | {width:.2} ({widest:.2}) |")?;
        }
        Ok(())
    }
}

/// The geometric mean, and the largest.
fn geometric(values: &[f64]) -> (f64, f64) {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    ((logs / values.len() as f64).exp(), values.iter().copied().fold(0.0, f64::max))
}

//! The ablation as a table in colours: one row for each number of layers, one column for each number of networks.

use labelwise_plot::{Axis, Cells, Panel, Words};

use super::{PanelKind, View};
use crate::error::Result;
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// Each cell is the mean over the judged steps of the median squared error, over that of uniform sampling. Of several tables,
/// the one that was measured is shown.
pub(crate) struct Ablation(pub(crate) &'static [[[Strategy; 4]; 3]]);

impl PanelKind for Ablation {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let experiment = view.experiment()?;
        let measured = |table: &&[[Strategy; 4]; 3]| {
            table.iter().flatten().all(|strategy| experiment.curve(*strategy).is_some())
        };
        let table = self.0.iter().find(measured).ok_or_else(|| view.missing("an ablation"))?;
        let ratios: Vec<Vec<Option<f64>>> =
            table.iter().map(|row| row.iter().map(|curve| ratio(experiment, *curve)).collect()).collect();
        // The middle is as good as uniform sampling, in every table; the ends are half and twice its errors.
        let shade =
            |ratio: &Option<f64>| ratio.map_or(f64::NAN, |ratio| (0.5 + ratio.log2() / 2.0).clamp(0.0, 1.0));
        let (columns, rows) = (table.first().map_or(0, |row| row.len()), table.len());
        let shades: Vec<f64> = ratios.iter().flatten().map(shade).collect();
        let extent = |count: usize| (0.0, count as f64);
        let mut panel = Panel::new()
            .x(Axis::new("more networks: diversity").range(0.0, columns as f64).without_numbers())
            .y(Axis::new("more layers: fidelity").range(0.0, rows as f64).without_numbers())
            .add(Cells::new(extent(columns), extent(rows), columns, shades));
        for (row, (strategies, ratios)) in table.iter().zip(&ratios).enumerate() {
            for (column, (strategy, ratio)) in strategies.iter().zip(ratios).enumerate() {
                let (x, y) = (column as f64 + 0.5, row as f64);
                let number = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
                panel = panel
                    .add(Words::new(x, y + 0.58, strategy.name.trim_start_matches("labelwise, ")))
                    .add(Words::new(x, y + 0.3, number).bold());
            }
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "Each cell has the median squared error over that of uniform sampling, averaged over the steps that the paper \
             averages over; lower, in blue, is better. More networks are more to the right, deeper ones are higher up."
    }
}

/// The mean of medians over the judged steps, over that of uniform sampling.
fn ratio(experiment: &ExperimentSummary, curve: Strategy) -> Option<f64> {
    let steps = experiment.judged.steps.clone();
    let mean = |curve: Strategy| {
        let medians = experiment.curve(curve)?.median_squared_errors();
        let over = medians.get(steps.start() - 1..*steps.end())?;
        Some(over.iter().sum::<f64>() / over.len() as f64)
    };
    Some(mean(curve)? / mean(strategies::UNIFORM)?)
}

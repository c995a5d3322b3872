//! The ablation as a table in colours: a row a number of layers, a column a number of networks.

use labelwise_plot::{Axis, Cells, Panel, Words};

use crate::experiment::{Curve, curves};
use crate::summary::ExperimentSummary;

/// Each cell is the mean over the judged steps of the median squared error, over that of uniform sampling.
pub(super) fn table(experiment: &ExperimentSummary, table: &[[Curve; 4]; 3]) -> Panel {
    let ratios: Vec<Vec<Option<f64>>> =
        table.iter().map(|row| row.iter().map(|curve| ratio(experiment, *curve)).collect()).collect();
    let known = || ratios.iter().flatten().flatten().copied();
    let (least, most) =
        known().fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), r| (least.min(r), most.max(r)));
    // From the best to the worst of the table, so that colours tell them apart.
    let shade = |ratio: &Option<f64>| match ratio {
        Some(ratio) if most > least => (ratio - least) / (most - least),
        Some(_) => 0.5,
        None => f64::NAN,
    };
    let (columns, rows) = (curves::SIZES.len(), curves::LAYERS.len());
    let shades: Vec<f64> = ratios.iter().flatten().map(shade).collect();
    let extent = |count: usize| (0.0, count as f64);
    let mut panel = Panel::new()
        .x(Axis::new("more networks: diversity").range(0.0, columns as f64).without_numbers())
        .y(Axis::new("more layers: fidelity").range(0.0, rows as f64).without_numbers())
        .add(Cells::new(extent(columns), extent(rows), columns, shades));
    for (row, (layers, ratios)) in curves::LAYERS.into_iter().zip(&ratios).enumerate() {
        for (column, (size, ratio)) in curves::SIZES.into_iter().zip(ratios).enumerate() {
            let (x, y) = (column as f64 + 0.5, row as f64);
            let number = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
            panel = panel
                .add(Words::new(x, y + 0.58, format!("{size} × R{layers}")))
                .add(Words::new(x, y + 0.3, number).bold());
        }
    }
    panel
}

/// The mean of medians over the judged steps, over that of uniform sampling.
fn ratio(experiment: &ExperimentSummary, curve: Curve) -> Option<f64> {
    let steps = experiment.judged.steps.clone();
    let mean = |curve: Curve| {
        let medians = experiment.curve(curve)?.median_squared_errors();
        let over = medians.get(steps.start() - 1..*steps.end())?;
        Some(over.iter().sum::<f64>() / over.len() as f64)
    };
    Some(mean(curve)? / mean(curves::UNIFORM)?)
}

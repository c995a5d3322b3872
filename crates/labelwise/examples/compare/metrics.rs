//! Two models by metrics that are ratios of sums: what the labels of the first model's evaluation say of the difference, compared
//! with uniform draws and with draws that are made for the difference.

use std::error::Error;

use labelwise::acquisition::{Acquisition, Candidates, ForMetrics, SamplingTarget, Uniform};
use labelwise::loss::ZeroOne;
use labelwise::metric::{ClassMetric, Difference, Judged, Measure, PredictedClasses, WeightedDraws};
use labelwise::surrogate::{Beliefs, Schedule};
use labelwise::{Classification, Evaluation, Fixed, Pool, Seed, Target};
use rayon::prelude::*;

use crate::pools::Models;

const BUDGETS: [usize; 3] = [100, 200, 400];

/// The draws that are compared.
const KINDS: usize = 3;

/// One estimate of the difference: its error, and whether its interval covers.
type Estimate = (f64, bool);

/// Prints the rows of a pool.
pub(crate) fn study(models: &Models, runs: u64) -> Result<(), Box<dyn Error>> {
    let classes = models.pool.model_columns();
    let metrics = [
        ("macro F1", ClassMetric::MacroF1 { classes }),
        ("macro precision", ClassMetric::MacroPrecision { classes }),
        ("balanced accuracy", ClassMetric::MacroRecall { classes }),
        ("F1 of class 0", ClassMetric::F1 { class: 0 }),
    ];
    let [first, second] = [points(models, 0)?, points(models, 1)?];
    for (name, metric) in metrics {
        let pairs: Vec<(Judged, Judged)> = first.iter().cloned().zip(second.iter().cloned()).collect();
        let all: Vec<(&(Judged, Judged), f64)> = pairs.iter().map(|pair| (pair, 1.0)).collect();
        let exact = Difference(metric).linearised(&all).map_err(|undefined| undefined.to_string())?.value;
        let found = (0..runs).into_par_iter().map(|seed| run(models, metric, (&first, &second), exact, seed));
        let found = found.collect::<labelwise::Result<Vec<_>>>()?;
        for (place, budget) in BUDGETS.into_iter().enumerate() {
            let of = |kind: usize| found.iter().filter_map(move |run| run.get(place)?.get(kind));
            let rmse = |kind| {
                (of(kind).map(|(error, _)| error * error).sum::<f64>() / of(kind).count() as f64).sqrt()
            };
            let share =
                |kind| of(kind).filter(|(_, covered)| *covered).count() as f64 / of(kind).count() as f64;
            println!(
                "| {} | {name} | {exact:+.4} | {budget} | {:.4} | {:.2} | {:.2} | {:.1} | {:.3} | {:.3} | {:.3} |",
                models.name,
                rmse(0),
                rmse(1) / rmse(0),
                rmse(2) / rmse(0),
                (rmse(1) / rmse(2)).powi(2),
                share(0),
                share(1),
                share(2),
            );
        }
    }
    Ok(())
}

/// What a model says of every item, with its label.
fn points(models: &Models, model: usize) -> labelwise::Result<Vec<Judged>> {
    let pool = models.pool.model(model)?;
    let mut reader = pool.predictions().reader();
    models
        .labels
        .iter()
        .enumerate()
        .map(|(item, label)| Judged::new(reader.row(item).to_vec(), *label))
        .collect()
}

/// By budget: uniform draws, draws made for the first model, and draws made for the difference.
fn run(
    models: &Models,
    metric: ClassMetric,
    (first, second): (&[Judged], &[Judged]),
    exact: f64,
    seed: u64,
) -> labelwise::Result<Vec<[Estimate; KINDS]>> {
    let predicted: Vec<usize> = second.iter().map(|point| point.predicted).collect();
    let never = |aims: ForMetrics<Classification>| aims.refreshed(Schedule::Never);
    let mut evaluations = [
        made(models, Uniform, seed)?,
        made(models, never(ForMetrics::new(metric)), seed)?,
        made(models, never(ForMetrics::new(ForDifference { metric, predicted })), seed)?,
    ];
    let counts = |points: &[Judged]| -> Vec<usize> {
        let classes = 0..models.pool.model_columns();
        classes.map(|class| points.iter().filter(|point| point.predicted == class).count()).collect()
    };
    let (own, other) = (counts(first), counts(second));
    let proposals: Vec<Vec<f64>> =
        evaluations.iter().map(|evaluation| weights(evaluation, first, own.len())).collect();
    let point = |points: &[Judged], item: usize| {
        points.get(item).cloned().ok_or(labelwise::Error::NoSamples { next: Some(item) })
    };
    let mut found = Vec::new();
    for budget in BUDGETS {
        let mut of_budget = [(0.0, false); KINDS];
        for ((evaluation, proposal), estimate) in evaluations.iter_mut().zip(&proposals).zip(&mut of_budget) {
            let label = |item: usize| models.labels.get(item).copied().unwrap_or(usize::MAX);
            evaluation.run(budget - evaluation.complete(), &mut |item| Ok(label(item)))?;
            let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, _| point(first, draw.index))?;
            let classes = PredictedClasses::new(own.clone()).with_proposal(0, proposal.clone())?;
            let draws = draws.with_predicted(classes);
            let others = draws.with_points(|item, _| point(second, item))?.with_counts(other.clone());
            let difference = draws.paired(&others)?.measure(&Difference(metric), Target::Pool, 0.95)?;
            // A class that was not met: no value, and nothing covered.
            let error = difference.value.map_or(exact.abs(), |value| value - exact);
            *estimate = (error, difference.interval.is_some_and(|interval| interval.covers(exact)));
        }
        found.push(of_budget);
    }
    Ok(found)
}

/// An evaluation of the first model, with the mean of both as beliefs.
fn made(
    models: &Models,
    acquisition: impl Acquisition<Classification> + 'static,
    seed: u64,
) -> labelwise::Result<Evaluation<Classification>> {
    let pool: Pool<Classification> = models.pool.model(0)?;
    let beliefs = Beliefs::new(models.pool.own_beliefs()?.rows().clone(), &pool)?;
    Evaluation::builder(pool, ZeroOne, Fixed(beliefs)).acquisition(acquisition).seed(Seed(seed)).build()
}

/// The proposal's weights by predicted class, and of no class.
fn weights(evaluation: &Evaluation<Classification>, points: &[Judged], classes: usize) -> Vec<f64> {
    let mut sums = vec![0.0; classes + 1];
    for (weight, point) in evaluation.weights().iter().zip(points) {
        if let Some(sum) = sums.get_mut(point.predicted) {
            *sum += weight;
        }
    }
    sums
}

/// Draws for the difference of a metric between the pool's model and another one, by √E((u_A − u_B)²).
struct ForDifference {
    metric: ClassMetric,
    /// The class that the other model predicts for each item.
    predicted: Vec<usize>,
}

impl SamplingTarget<Classification> for ForDifference {
    fn expected_squares(&self, candidates: &Candidates<'_, Classification>) -> labelwise::Result<Vec<f64>> {
        let (mut rows, mut beliefs) =
            (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
        let size = candidates.pool.pool_size();
        let most_probable = |row: &[f64]| Judged::new(row.to_vec(), 0).map(|point| point.predicted);
        let own =
            (0..size).map(|item| most_probable(rows.row(item))).collect::<labelwise::Result<Vec<usize>>>()?;
        let classes = candidates.pool.predictions().columns();
        let mut of_model = |predicted: &[usize]| -> Vec<f64> {
            let mut masses = vec![0.0; classes * classes];
            for (item, class) in predicted.iter().enumerate() {
                let row = masses.iter_mut().skip(class * classes);
                row.zip(beliefs.row(item)).for_each(|(mass, belief)| *mass += belief);
            }
            influence(self.metric, classes, &masses)
        };
        let (one, other) = (of_model(&own), of_model(&self.predicted));
        let at = |of: &[f64], predicted: usize, label: usize| {
            of.get(predicted * classes + label).copied().unwrap_or(0.0)
        };
        let square = |(item, (a, b)): (usize, (&usize, &usize))| -> f64 {
            let belief = beliefs.row(item).iter().enumerate();
            belief.map(|(label, p)| p * (at(&one, *a, label) - at(&other, *b, label)).powi(2)).sum()
        };
        Ok(own.iter().zip(&self.predicted).enumerate().map(square).collect())
    }
}

/// The influence of an item by its prediction and label, under these masses of them.
fn influence(metric: ClassMetric, classes: usize, masses: &[f64]) -> Vec<f64> {
    let points: Vec<Judged> =
        (0..classes * classes).map(|place| Judged::hard(place / classes, place % classes)).collect();
    let weighted: Vec<(&Judged, f64)> = points.iter().zip(masses.iter().copied()).collect();
    metric.linearised(&weighted).map_or_else(|_| vec![0.0; masses.len()], |found| found.influence)
}

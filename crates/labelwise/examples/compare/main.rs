//! How much do paired draws made for the difference of two models gain, and does its interval cover? Everything goes through
//! the public API; the errors are against the difference over all labels. Prints a Markdown table; with `metrics`, one about
//! metrics that are ratios of sums.
//!
//! ```sh
//! cargo run --release -p labelwise --example compare -- [RUNS] [metrics]
//! ```

mod metrics;
mod pools;

use std::error::Error;

use labelwise::compare::{Question, Rivals, Versus, compare, ties};
use labelwise::ledger::Ledger;
use labelwise::loss::{Brier, Loss, ZeroOne};
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Pool, Seed};
use pools::Models;
use rayon::prelude::*;

const BUDGETS: [usize; 4] = [50, 100, 200, 400];

/// One estimate of the difference.
struct Estimate {
    error: f64,
    covered: bool,
    /// Whether 0 was left out on the wrong side, or right.
    decided: Option<bool>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let runs: u64 = std::env::args().nth(1).map_or(Ok(400), |text| text.parse())?;
    if std::env::args().nth(2).is_some_and(|what| what == "metrics") {
        println!(
            "| pool | metric | difference | labels | RMSE, uniform draws | draws for the first | draws for the difference | cost \
             | coverage, uniform | coverage, for the first | coverage, for the difference |"
        );
        println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for models in [pools::digits()?, pools::synthetic(5000, 1)?] {
            metrics::study(&models, runs)?;
        }
        return Ok(());
    }
    println!(
        "| pool | loss | difference | never asked | labels | RMSE | RMSE, draws for the first | cost | expected cost \
         | coverage | coverage, draws for the first | decided | wrongly |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for models in [pools::digits()?, pools::synthetic(5000, 1)?] {
        for (name, loss) in losses() {
            study(&models, name, &*loss, runs)?;
        }
    }
    Ok(())
}

type Named = (&'static str, Box<dyn Fn() -> Box<dyn Loss<Classification>> + Sync>);

fn losses() -> Vec<Named> {
    vec![
        ("zero-one", Box::new(|| Box::new(ZeroOne))),
        ("cross-entropy", Box::new(|| Box::new(CrossEntropy::default()))),
        ("cross-entropy, clipped at 0.001", Box::new(clipped)),
        ("Brier", Box::new(|| Box::new(Brier))),
    ]
}

/// Without the rare losses of 34.5 that a probability of 0 makes.
fn clipped() -> Box<dyn Loss<Classification>> {
    Box::new(CrossEntropy::with_epsilon(1e-3).unwrap_or_default())
}

fn study(
    models: &Models,
    name: &str,
    loss: &(dyn Fn() -> Box<dyn Loss<Classification>> + Sync),
    runs: u64,
) -> labelwise::Result<()> {
    let Models { pool, labels, .. } = models;
    let versus = Versus::between(loss(), pool.model_columns(), 0, 1);
    let mut reader = pool.predictions().reader();
    let differences: Vec<f64> =
        labels.iter().enumerate().map(|(item, &label)| versus.loss(reader.row(item), label)).collect();
    let size = differences.len() as f64;
    let exact = differences.iter().sum::<f64>() / size;
    let spread = differences.iter().map(|d| (d - exact).powi(2)).sum::<f64>() / (size - 1.0);
    let tied = ties(pool, &versus);
    let expected = for_the_first(models, loss, 0)?.cost_for(pool, &versus, &tied)?;
    let expected = expected.map_or("unknown".to_owned(), |cost| format!("{cost:.1}"));
    let tied = tied.len();
    let found = (0..runs).into_par_iter().map(|seed| run(models, loss, exact, seed));
    let found = found.collect::<labelwise::Result<Vec<_>>>()?;
    for (place, budget) in BUDGETS.into_iter().enumerate() {
        let of = |kind: usize| found.iter().filter_map(move |run| run.get(place)?.get(kind));
        let rmse = |kind| (of(kind).map(|e| e.error.powi(2)).sum::<f64>() / of(kind).count() as f64).sqrt();
        let share = |kind, wanted: &dyn Fn(&Estimate) -> bool| {
            format!("{:.3}", of(kind).filter(|e| wanted(e)).count() as f64 / of(kind).count() as f64)
        };
        // Uniform paired draws without replacement have this error, exactly.
        let uniform = ((1.0 / budget as f64 - 1.0 / size) * spread).sqrt();
        let open = pool.pool_size() - tied;
        let (own, cost) = if budget >= open {
            ("exact".to_owned(), "-".to_owned())
        } else {
            (format!("{:.2}", rmse(0) / uniform), format!("{:.1}", (rmse(1) / rmse(0)).powi(2)))
        };
        println!(
            "| {} | {name} | {exact:+.4} | {tied} of {} | {budget} | {own} | {:.2} | {cost} | {expected} | {} | {} | {} | {} |",
            models.name,
            pool.pool_size(),
            rmse(1) / uniform,
            share(0, &|e| e.covered),
            share(1, &|e| e.covered),
            share(0, &|e| e.decided == Some(true)),
            share(0, &|e| e.decided == Some(false)),
        );
    }
    Ok(())
}

/// An evaluation of the first model, with the same beliefs, so that only the proposal differs.
fn for_the_first(
    models: &Models,
    loss: &(dyn Fn() -> Box<dyn Loss<Classification>> + Sync),
    seed: u64,
) -> labelwise::Result<Evaluation<Classification>> {
    let first: Pool<Classification> = models.pool.model(0)?;
    let beliefs = Beliefs::new(models.pool.own_beliefs()?.rows().clone(), &first)?;
    Evaluation::builder(first, loss(), Fixed(beliefs)).seed(Seed(seed)).build()
}

/// By budget: own draws, and draws made for the first model.
fn run(
    models: &Models,
    loss: &(dyn Fn() -> Box<dyn Loss<Classification>> + Sync),
    exact: f64,
    seed: u64,
) -> labelwise::Result<Vec<[Estimate; 2]>> {
    let Models { pool, labels, .. } = models;
    let label = |item: usize| Ok(labels.get(item).copied().unwrap_or(usize::MAX));
    let own = Fixed(pool.own_beliefs()?);
    let mut paired = Evaluation::comparison(pool.clone(), loss(), own)?.seed(Seed(seed)).build()?;
    let mut single = for_the_first(models, loss, seed)?;
    let versus = Versus::between(loss(), pool.model_columns(), 0, 1);
    let estimate = |ledger: &Ledger<Rivals<Classification>>| {
        let verdict = compare(ledger, &Question::default())?;
        let interval = verdict.report.interval;
        Ok::<_, labelwise::Error>(Estimate {
            error: verdict.difference() - exact,
            covered: interval.is_some_and(|interval| interval.covers(exact)),
            decided: verdict.decided().then(|| (verdict.difference() < 0.0) == (exact < 0.0)),
        })
    };
    let mut found = Vec::new();
    for budget in BUDGETS {
        let more = budget.saturating_sub(paired.complete()).min(paired.left());
        paired.run(more, &mut |item| label(item))?;
        single.run(budget - single.complete(), &mut |item| label(item))?;
        found.push([estimate(paired.ledger())?, estimate(&single.ledger_for(pool, &versus)?)?]);
    }
    Ok(found)
}

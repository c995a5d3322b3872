//! How often is an answer wrong if one looks after every batch and stops at the first? The bar is the pool risk itself, so
//! that "below" and "above" are both wrong; methods that are safe to peek at must say so in at most 5 % of the runs, each.
//! Beside it, how soon they answer where the bar is half as high again, and how a width rule does: how often its interval
//! covers when it stops, and after how many labels. Last, how far the surrogate's forecast is off. Prints Markdown.
//!
//! ```sh
//! cargo run --release -p labelwise --example peeking -- [--runs R] [--seed S]
//! ```

#[allow(dead_code, reason = "another example's pools, of which it uses all")]
#[path = "coverage/zoo.rs"]
mod zoo;

use std::error::Error;

use labelwise::acquisition::Uniform;
use labelwise::estimator::RegressionLure;
use labelwise::interval::Method;
use labelwise::ledger::{Imputed, Ledger, Outcome};
use labelwise::loss::{Loss, ZeroOne};
use labelwise::plan::{
    Assurance, DrawVariance, Side, Threshold, UniformSampling, VarianceForecast, Verdict, WidthRule,
};
use labelwise::rng::Stream;
use labelwise::{CrossEntropy, Evaluation, Fixed, Seed, SquaredError, Target, Task};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use zoo::{Scores, World, Zoo};

const LEVEL: f64 = 0.95;
const SIZE: usize = 4000;
const BUDGET: usize = 1000;
const BATCH: usize = 10;

const METHODS: [(&str, Assurance); 3] = [
    ("anytime", Assurance::Anytime),
    ("guaranteed", Assurance::Guaranteed),
    ("once, but checked repeatedly", Assurance::Once),
];

/// When a sequence answered takes many looks to find, so it is looked for in one run of so many.
const SPARSE: usize = 4;

/// What one run saw.
struct Seen {
    /// For each method: whether it ever said "below", and "above", of the risk itself.
    alarms: Vec<(bool, bool)>,
    /// For each method: the labels at which it said "below" of a bar half as high again; none of a run that was not asked.
    answers: Option<Vec<Option<usize>>>,
    /// Whether the interval covered when the width rule stopped, and after how many labels.
    stopped: Option<(bool, usize)>,
    forecast: VarianceForecast,
    /// The variance of one draw that the labels showed in the end, and that of uniform sampling.
    shown: (f64, f64),
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut runs, mut seed) = (200_usize, 1_u64);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a number"))?;
        match word.as_str() {
            "--runs" => runs = value.parse()?,
            "--seed" => seed = value.parse()?,
            other => return Err(format!("--runs R and --seed S are options, {other} is not").into()),
        }
    }
    println!(
        "{runs} runs per setting, seed {seed}; pools of {SIZE}, up to {BUDGET} labels, a check after every {BATCH};"
    );
    println!("level {LEVEL}.\n");
    let mut rows = Vec::new();
    for which in Zoo::ALL {
        for scores in Scores::ALL {
            let setting = 10 * which as u64 + scores as u64;
            let seed = Seed(Seed(seed).stream(Stream::Split, setting).next_u64());
            let seen: Vec<Seen> = (0..runs)
                .into_par_iter()
                .map(|run| {
                    let rng = &mut seed.stream(Stream::Data, run as u64);
                    let seed = Seed(seed.stream(Stream::Draw, run as u64).next_u64());
                    match which {
                        Zoo::ZeroOne => watch(zoo::zero_one(SIZE, scores, rng)?, ZeroOne, scores, seed, run),
                        Zoo::CrossEntropy => {
                            let loss = CrossEntropy::with_epsilon(zoo::TINY)?;
                            watch(zoo::cross_entropy(SIZE, scores, rng)?, loss, scores, seed, run)
                        }
                        Zoo::SquaredError => watch(
                            zoo::squared_error(SIZE, scores, rng)?,
                            SquaredError::default(),
                            scores,
                            seed,
                            run,
                        ),
                    }
                })
                .collect::<labelwise::Result<_>>()?;
            rows.push((format!("{}, {}", which.name(), scores.name()), seen));
        }
    }
    print_tables(&rows);
    Ok(())
}

/// One run: batches up to the budget, with a look after each.
fn watch<T: Task>(
    world: World<T>,
    loss: impl Loss<T> + 'static,
    scores: Scores,
    seed: Seed,
    run: usize,
) -> labelwise::Result<Seen> {
    let World { pool, beliefs, labels } = world;
    let risk = pool.risk(&loss, &labels)?;
    let pool_size = pool.pool_size();
    let builder = Evaluation::builder(pool, loss, Fixed(beliefs)).seed(seed);
    let mut evaluation =
        if scores == Scores::Uniform { builder.acquisition(Uniform) } else { builder }.build()?;
    let forecast = evaluation.forecast()?;
    let mut oracle =
        |item: usize| labels.get(item).copied().ok_or(labelwise::Error::UnknownItem { item, pool_size });
    evaluation.run(BUDGET, &mut oracle)?;
    let ledger = evaluation.ledger();
    let alarms = METHODS.iter().map(|(_, assurance)| {
        let (mut below, mut above) = (false, false);
        // What a sequence excludes it excludes for good: its last look knows of all before it.
        let first = if *assurance == Assurance::Once { BATCH } else { BUDGET };
        for labels in (first..=BUDGET).step_by(BATCH) {
            let verdict = says(ledger, labels, risk, *assurance)?;
            (below, above) = (below || verdict == Verdict::Met, above || verdict == Verdict::NotMet);
        }
        Ok((below, above))
    });
    let alarms = alarms.collect::<labelwise::Result<_>>()?;
    let answers = METHODS.iter().map(|(_, assurance)| first_answer(ledger, 1.5 * risk, *assurance));
    let answers =
        if run.is_multiple_of(SPARSE) { Some(answers.collect::<labelwise::Result<_>>()?) } else { None };
    // Narrow enough after a few hundred labels.
    let half_width = 1.96 * (1.5 * forecast.label_forecast().spread.variance(200)).sqrt();
    let rule = WidthRule { half_width, level: LEVEL, target: Target::Pool };
    let mut stopped = None;
    for count in (BATCH..=BUDGET).step_by(BATCH) {
        let then = prefix(ledger, count);
        if then.width(&rule)?.reached {
            let interval = then.interval(&RegressionLure, Method::Ordinary, Target::Pool, LEVEL)?;
            stopped = Some((interval.covers(risk), count));
            break;
        }
    }
    let evidence = evaluation.evidence(Imputed::Expected)?;
    let shown = DrawVariance::of(&evidence, &RegressionLure)?.map_or(f64::NAN, |spread| spread.value);
    let uniform = UniformSampling::of(&evidence, Target::Pool).map_or(f64::NAN, |uniform| uniform.variance);
    Ok(Seen { alarms, answers, stopped, forecast, shown: (shown, uniform) })
}

/// Whether the risk is below a bar, by the first so many labels; undecided where a loss has no bounds to guarantee it.
fn says<T: Task>(
    ledger: &Ledger<T>,
    labels: usize,
    value: f64,
    assurance: Assurance,
) -> labelwise::Result<Verdict> {
    let bar = Threshold { value, side: Side::Below, level: LEVEL, assurance, target: Target::Pool };
    match prefix(ledger, labels).check(&bar) {
        Ok(decision) => Ok(decision.verdict),
        Err(labelwise::Error::Unbounded) => Ok(Verdict::Undecided),
        Err(error) => Err(error),
    }
}

/// The labels after which a method first says that the risk is below a bar.
fn first_answer<T: Task>(
    ledger: &Ledger<T>,
    bar: f64,
    assurance: Assurance,
) -> labelwise::Result<Option<usize>> {
    let says = |batch: usize| {
        Ok::<_, labelwise::Error>(says(ledger, batch * BATCH, bar, assurance)? == Verdict::Met)
    };
    let last = BUDGET / BATCH;
    if assurance == Assurance::Once {
        for batch in 1..=last {
            if says(batch)? {
                return Ok(Some(batch * BATCH));
            }
        }
        return Ok(None);
    }
    if !says(last)? {
        return Ok(None);
    }
    let (mut before, mut after) = (0, last);
    while before + 1 < after {
        let middle = (before + after) / 2;
        if says(middle)? { after = middle } else { before = middle }
    }
    Ok(Some(after * BATCH))
}

/// The first so many draws of a ledger.
fn prefix<T: Task>(ledger: &Ledger<T>, count: usize) -> Ledger<T> {
    let mut then = Ledger::new(*ledger.facts());
    for (place, (draw, outcome)) in ledger.draws().iter().zip(ledger.outcomes()).take(count).enumerate() {
        then.push(*draw);
        if !matches!(outcome, Outcome::Open) {
            then.settle(place, *outcome);
        }
    }
    then
}

fn print_tables(rows: &[(String, Vec<Seen>)]) {
    println!(
        "## Wrong decisions with repeated checks: \"below\" / \"above\"; then, with the threshold at 1.5 times the risk, the share decided and their mean labels\n"
    );
    println!("| loss, scores | {} |", METHODS.map(|(name, _)| name).join(" | "));
    println!("|---|---|---|---|");
    for (name, seen) in rows {
        let runs = seen.len() as f64;
        let cell = |method: usize| {
            let alarms: Vec<_> = seen.iter().filter_map(|seen| seen.alarms.get(method)).collect();
            let below = alarms.iter().filter(|alarm| alarm.0).count() as f64 / runs;
            let above = alarms.iter().filter(|alarm| alarm.1).count() as f64 / runs;
            let asked: Vec<Option<usize>> =
                seen.iter().filter_map(|seen| seen.answers.as_ref()?.get(method).copied()).collect();
            let answers: Vec<usize> = asked.iter().copied().flatten().collect();
            let mean = answers.iter().sum::<usize>() as f64 / answers.len().max(1) as f64;
            let runs = asked.len() as f64;
            format!("{below:.3} / {above:.3}; {:.2}, {mean:.0}", answers.len() as f64 / runs)
        };
        let cells: Vec<String> = (0..METHODS.len()).map(cell).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!("\n## The width rule, and the forecast: medians over runs\n");
    println!(
        "| loss, scores | stopped | covers when it stops | mean labels | s² shown / expected | gain expected | gain shown |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, seen) in rows {
        let stopped: Vec<(bool, usize)> = seen.iter().filter_map(|seen| seen.stopped).collect();
        let count = stopped.len() as f64;
        let covers = stopped.iter().filter(|(covers, _)| *covers).count() as f64 / count;
        let labels = stopped.iter().map(|(_, labels)| *labels as f64).sum::<f64>() / count;
        let ratio = median(seen.iter().map(|seen| seen.shown.0 / seen.forecast.controlled));
        let expected = median(seen.iter().filter_map(|seen| seen.forecast.gain()));
        let gain = median(seen.iter().map(|seen| seen.shown.1 / seen.shown.0));
        let share = count / seen.len() as f64;
        println!(
            "| {name} | {share:.2} | {covers:.3} | {labels:.0} | {ratio:.2} | {expected:.2} | {gain:.2} |"
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! What is lost by choosing all items before the first label? Draws one after another with a surrogate that stays, a
//! one-shot batch, and a stratified sample, on pools that are drawn again in every run: the root mean squared error over
//! that of uniform sampling, and how often the 95 % interval covers the pool risk. Prints Markdown.
//!
//! ```sh
//! cargo run --release -p labelwise --example designs -- [--runs R] [--seed S] [--quick]
//! ```

#[path = "../coverage/zoo.rs"]
mod zoo;

use std::error::Error;

use labelwise::acquisition::Uniform;
use labelwise::design::Stratification;
use labelwise::estimator::{Iid, RegressionLure};
use labelwise::interval::{Interval, Method};
use labelwise::ledger::Outcome;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::rng::Stream;
use labelwise::surrogate::Beliefs;
use labelwise::{CrossEntropy, Evaluation, Fixed, Seed, SquaredError, Target, Task};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use zoo::{Scores, World, Zoo};

const LEVEL: f64 = 0.95;
const STRATA: usize = 10;

/// The designs, in the order of the columns.
const DESIGNS: [&str; 4] = ["uniform", "stratified", "one-shot", "adaptive"];

struct Options {
    runs: usize,
    seed: Seed,
    size: usize,
    budgets: Vec<usize>,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let mut options = if words.iter().any(|word| word == "--quick") {
            Self { runs: 8, seed: Seed(1), size: 400, budgets: vec![50, 100] }
        } else {
            Self { runs: 400, seed: Seed(1), size: 2000, budgets: vec![50, 100, 200, 400] }
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a number"));
            match word.as_str() {
                "--runs" => options.runs = value()?.parse()?,
                "--seed" => options.seed = Seed(value()?.parse()?),
                "--quick" => {}
                other => {
                    return Err(format!("--runs R, --seed S and --quick are options, {other} is not").into());
                }
            }
        }
        if options.runs == 0 { Err("at least one run is needed".into()) } else { Ok(options) }
    }
}

/// What a run saw of one design at one budget.
#[derive(Clone, Copy)]
struct Look {
    error: f64,
    width: f64,
    covers: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    println!("{} runs of each setting, pools of {}, seed {}.", options.runs, options.size, options.seed.0);
    println!(
        "Each cell: RMSE divided by that of uniform sampling with the same labels; coverage of the 95 % interval, bold if"
    );
    println!("below by more than two standard errors; its median width divided by that of uniform sampling.");
    println!(
        "Uniform sampling is estimated by the plain mean. The surrogate is fixed, so the adaptive draws"
    );
    println!(
        "differ from the one-shot design only by chance: their difference is the noise of this table.\n"
    );
    println!("| loss | surrogate | M | {} |", DESIGNS.join(" | "));
    println!("|---|---|---:|{}", "---|".repeat(DESIGNS.len()));
    for zoo in Zoo::ALL {
        for scores in Scores::ALL.into_iter().filter(|scores| *scores != Scores::Uniform) {
            let runs = setting(zoo, scores, &options)?;
            for (at, budget) in options.budgets.iter().enumerate() {
                let looks: Vec<Vec<Look>> = (0..DESIGNS.len())
                    .map(|design| runs.iter().filter_map(|run| run.get(at)?.get(design).copied()).collect())
                    .collect();
                let uniform = looks.first().map_or((1.0, 1.0), |looks| (error(looks), width(looks)));
                let cells: Vec<String> = looks.iter().map(|looks| cell(looks, uniform)).collect();
                println!("| {} | {} | {budget} | {} |", zoo.name(), scores.name(), cells.join(" | "));
            }
        }
    }
    Ok(())
}

fn error(looks: &[Look]) -> f64 {
    (looks.iter().map(|look| look.error.powi(2)).sum::<f64>() / looks.len() as f64).sqrt()
}

fn width(looks: &[Look]) -> f64 {
    let mut widths: Vec<f64> = looks.iter().map(|look| look.width).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN)
}

fn cell(looks: &[Look], (uniform_error, uniform_width): (f64, f64)) -> String {
    let coverage = looks.iter().filter(|look| look.covers).count() as f64 / looks.len() as f64;
    let standard_error = (LEVEL * (1.0 - LEVEL) / looks.len() as f64).sqrt();
    let bold = if coverage < LEVEL - 2.0 * standard_error { "**" } else { "" };
    let (error, width) = (error(looks) / uniform_error, width(looks) / uniform_width);
    format!("{error:.2}; {bold}{coverage:.3}{bold}; {width:.2}")
}

/// All runs of one setting: for each, for each budget, what each design saw.
fn setting(zoo: Zoo, scores: Scores, options: &Options) -> labelwise::Result<Vec<Vec<Vec<Look>>>> {
    let seed = Seed(options.seed.stream(Stream::Split, zoo as u64).next_u64());
    let runs = (0..options.runs).into_par_iter().map(|run| {
        let rng = &mut seed.stream(Stream::Data, run as u64);
        let seed = Seed(seed.stream(Stream::Draw, run as u64).next_u64());
        let budgets = &options.budgets;
        match zoo {
            Zoo::ZeroOne => watch(&zoo::zero_one(options.size, scores, rng)?, &|| ZeroOne, budgets, seed),
            Zoo::CrossEntropy => {
                let loss = CrossEntropy::with_epsilon(zoo::TINY)?;
                watch(&zoo::cross_entropy(options.size, scores, rng)?, &|| loss, budgets, seed)
            }
            Zoo::SquaredError => {
                watch(&zoo::squared_error(options.size, scores, rng)?, &SquaredError::default, budgets, seed)
            }
        }
    });
    runs.collect()
}

fn watch<T: Task, L: Loss<T> + 'static>(
    world: &World<T>,
    loss: &dyn Fn() -> L,
    budgets: &[usize],
    seed: Seed,
) -> labelwise::Result<Vec<Vec<Look>>> {
    let World { pool, beliefs, labels } = world;
    let risk = pool.risk(&loss(), labels)?;
    let one = |budget: usize| {
        let look = |value: f64, interval: Interval| Look {
            error: value - risk,
            width: interval.high - interval.low,
            covers: interval.covers(risk),
        };
        // Designs that share nothing but the pool, so that none is compared with a part of itself.
        let seeds = [0, 1, 2, 3].map(|design| seed.repetition(4 * budget as u64 + design));
        let [uniform, stratified, one_shot, adaptive] = seeds;
        let drawn = |acquisition: Option<Uniform>, seed: Seed, at_once: bool| {
            let builder = Evaluation::builder(pool.clone(), loss(), Fixed(beliefs.clone())).seed(seed);
            let plain = acquisition.is_some();
            let mut evaluation = if plain { builder.acquisition(Uniform) } else { builder }.build()?;
            if at_once {
                for draw in evaluation.ask_batch(budget)? {
                    evaluation.tell(draw.index, label(labels, draw.index)?)?;
                }
            } else {
                evaluation.run(budget, &mut |item| label(labels, item))?;
            }
            let estimator: &dyn labelwise::estimator::Estimator = if plain { &Iid } else { &RegressionLure };
            let value = evaluation.estimate(estimator)?.value;
            Ok::<_, labelwise::Error>(look(
                value,
                evaluation.interval(estimator, Method::Ordinary, Target::Pool, LEVEL)?,
            ))
        };
        let strata = {
            let ledger = labelled(world, &loss(), beliefs, budget, stratified)?;
            let estimator = ledger.by_strata()?;
            let interval = ledger.interval(&estimator, Method::Ordinary, Target::Pool, LEVEL)?;
            look(ledger.estimate(&estimator)?.value, interval)
        };
        Ok(vec![
            drawn(Some(Uniform), uniform, false)?,
            strata,
            drawn(None, one_shot, true)?,
            drawn(None, adaptive, false)?,
        ])
    };
    budgets.iter().map(|&budget| one(budget)).collect()
}

fn label<L: Copy>(labels: &[L], item: usize) -> labelwise::Result<L> {
    labels.get(item).copied().ok_or(labelwise::Error::UnknownItem { item, pool_size: labels.len() })
}

/// A stratified sample with all its labels.
fn labelled<T: Task>(
    world: &World<T>,
    loss: &dyn Loss<T>,
    beliefs: &Beliefs<T>,
    budget: usize,
    seed: Seed,
) -> labelwise::Result<labelwise::ledger::Ledger<T>> {
    let design = Stratification::new(&world.pool, loss, beliefs, budget, STRATA, seed)?;
    let mut ledger = design.ledger();
    let mut reader = world.pool.predictions().reader();
    for (place, draw) in design.draws().iter().enumerate() {
        let label = label(&world.labels, draw.index)?;
        let loss = loss.loss(T::prediction(reader.row(draw.index)), label);
        ledger.settle(place, Outcome::Labelled { label, loss });
    }
    Ok(ledger)
}

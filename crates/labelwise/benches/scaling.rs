//! How the cost of a whole evaluation grows with the pool and the budget, beside a NumPy script that does what the
//! authors' loop does. Run it by `cargo xtask bench`, or `cargo xtask bench --quick` for small pools only.
//!
//! Every case is a process of its own, so that its CPU time and its peak of memory are its own. Time counts from
//! predictions in memory to the last estimate; making the predictions does not count.

mod case;

use std::error::Error;

use labelwise::acquisition::ExpectedLoss;
use labelwise::estimator::RunningLure;
use labelwise::proposal::Floor;
use labelwise::{CrossEntropy, Evaluation, Fixed, Pool, Seed};

use case::{CLASSES, best_of, child, cpu_seconds, fresh_peak, memory, peer, predictions, width};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--bench").collect();
    match args.as_slice() {
        ["--case", precision, pool, budget, settings] => {
            run(precision, pool.parse()?, budget.parse()?, settings)
        }
        [] => table(10_000_000, 1_000_000),
        ["--quick"] => table(100_000, 100_000),
        other => Err(format!("the benchmark takes --quick or nothing, not {other:?}").into()),
    }
}

/// Runs every case and prints the table.
fn table(largest: usize, largest_peer: usize) -> Result<(), Box<dyn Error>> {
    println!(
        "{CLASSES} classes, cross-entropy, fixed surrogate; CPU seconds of one evaluation, its M estimates included."
    );
    println!(
        "paper: q ∝ E[loss], clip 0.2; root mean square: q ∝ √E[loss²], mixture 0.3. Extra memory: beyond the two tables given.\n"
    );
    println!(
        "| N | M | values | paper, CPU s | root mean square, CPU s | extra memory / predictions | NumPy loop, CPU s | NumPy / paper |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let pools = [10_000, 100_000, 1_000_000, 10_000_000];
    for pool in pools.into_iter().filter(|pool| *pool <= largest) {
        for (precision, budget) in [("f64", 100), ("f64", 10_000), ("f32", 100), ("f32", 10_000)] {
            if budget >= pool {
                continue;
            }
            let (rows, labels) = (pool.to_string(), budget.to_string());
            let [paper, extra] = best_of(3, || child(&[precision, &rows, &labels, "paper"]))?;
            let [usual, _] = best_of(3, || child(&[precision, &rows, &labels, "root-mean-square"]))?;
            let peer = match (precision, budget) {
                ("f64", 100) if pool <= largest_peer => Some(peer(pool, budget)?),
                _ => None,
            };
            let (seconds, ratio) = match peer {
                Some(seconds) => (format!("{seconds:.2}"), format!("{:.0}", seconds / paper)),
                None => ("".to_owned(), "".to_owned()),
            };
            println!(
                "| {pool} | {budget} | {precision} | {paper:.4} | {usual:.4} | {extra:.2} | {seconds} | {ratio} |"
            );
        }
    }
    Ok(())
}

/// One evaluation, in this process: prints its CPU seconds and its extra memory against the size of the predictions.
fn run(precision: &str, size: usize, budget: usize, settings: &str) -> Result<(), Box<dyn Error>> {
    let (model, beliefs) = (predictions(precision, size, 1)?, predictions(precision, size, 2)?);
    let before = fresh_peak()?;
    let start = cpu_seconds();
    let pool = Pool::classification(model)?;
    let surrogate = Fixed(labelwise::surrogate::Beliefs::new(beliefs, &pool)?);
    let builder = Evaluation::builder(pool, CrossEntropy::default(), surrogate).seed(Seed(1));
    let mut evaluation = match settings {
        "paper" => builder.acquisition(ExpectedLoss).floor(Floor::PAPER).build()?,
        _ => builder.build()?,
    };
    let mut running = RunningLure::new(size);
    let mut estimate = 0.0;
    for _ in 0..budget {
        let draw = evaluation.ask()?;
        let label = draw.index % CLASSES;
        evaluation.tell(draw.index, label)?;
        let loss = match evaluation.outcomes().last() {
            Some(labelwise::ledger::Outcome::Labelled { loss, .. }) => *loss,
            _ => return Err("the label just told is not on record".into()),
        };
        estimate = running.push(draw.q, loss);
    }
    let report = evaluation.report(labelwise::Target::Pool, 0.95)?;
    let seconds = cpu_seconds() - start;
    let extra = (memory("VmHWM:")? - before) / (size * CLASSES * width(precision)) as f64;
    println!("{seconds} {extra} {estimate} {}", report.estimate.value);
    Ok(())
}

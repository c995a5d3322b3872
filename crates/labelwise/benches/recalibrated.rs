//! What recalibrated beliefs cost: an evaluation with them and one with beliefs as given, with the model as its own surrogate.
//! Run it by `cargo xtask bench recalibrated`, or with `--quick` for small pools only.
//!
//! CPU counts from predictions in memory to the report. A refresh is one more proposal from 100 labels.

mod case;

use std::error::Error;
use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::loss::{Brier, Loss, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::surrogate::{Recalibrated, Schedule};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Pool, Seed, Target};

use case::{CLASSES, best_of, child, cpu_seconds, fresh_peak, memory, peer, predictions, width};

const LABELS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--bench").collect();
    match args.as_slice() {
        ["--case", pool, loss, belief] => run(pool.parse()?, loss, belief),
        [] => table(1_000_000),
        ["--quick"] => table(100_000),
        other => Err(format!("the benchmark takes --quick or nothing, not {other:?}").into()),
    }
}

fn table(largest: usize) -> Result<(), Box<dyn Error>> {
    println!(
        "{CLASSES} classes in f32, {LABELS} labels, one thread, seed 1. As given: the earlier default, with scores by the root mean \
         square and one pass over the pool. Extra memory: the peak beyond the predictions.\n"
    );
    println!(
        "| N | loss | as given, CPU s | recalibrated, CPU s | ratio | refresh, CPU s | extra memory / predictions | NumPy loop / recalibrated |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for pool in [10_000, 100_000, 1_000_000].into_iter().filter(|pool| *pool <= largest) {
        let loop_seconds = peer(pool, LABELS)?;
        for loss in ["cross-entropy", "zero-one", "brier"] {
            let rows = pool.to_string();
            let [given, _, _] = best_of(3, || child(&[&rows, loss, "as-given"]))?;
            let [seconds, refresh, extra] = best_of(3, || child(&[&rows, loss, "recalibrated"]))?;
            let (ratio, numpy) = (seconds / given, loop_seconds / seconds);
            println!(
                "| {pool} | {loss} | {given:.4} | {seconds:.4} | {ratio:.1} | {refresh:.4} | {extra:.2} | {numpy:.0} |"
            );
        }
    }
    Ok(())
}

/// One evaluation, in this process: prints its CPU seconds, those of one more refresh, and its extra memory against the size of
/// the predictions.
fn run(size: usize, loss: &str, belief: &str) -> Result<(), Box<dyn Error>> {
    let model = predictions("f32", size, 1)?;
    let loss = || -> Box<dyn Loss<Classification>> {
        match loss {
            "zero-one" => Box::new(ZeroOne),
            "brier" => Box::new(Brier),
            _ => Box::new(CrossEntropy::default()),
        }
    };
    let before = fresh_peak()?;
    let start = cpu_seconds();
    let pool = Pool::classification(model)?;
    let own = pool.own_beliefs()?;
    let mut evaluation = if belief == "recalibrated" {
        let surrogate = Recalibrated::new(vec![own], &pool, Arc::from(loss()))?;
        // One more refresh than by default, at the last label.
        let surrogate = surrogate.schedule(Schedule::At(vec![10, 20, 50, LABELS]));
        let floor = Floor::Mixture { rho: 0.2 };
        Evaluation::builder(pool, loss(), surrogate)
            .acquisition(Centred)
            .floor(floor)
            .seed(Seed(1))
            .build()?
    } else {
        Evaluation::builder(pool, loss(), Fixed(own)).seed(Seed(1)).build()?
    };
    evaluation.run(LABELS, &mut |item: usize| Ok(item % CLASSES))?;
    let report = evaluation.report(Target::Pool, 0.95)?;
    let seconds = cpu_seconds() - start;
    evaluation.ask()?;
    let refresh = cpu_seconds() - start - seconds;
    let extra = (memory("VmHWM:")? - before) / (size * CLASSES * width("f32")) as f64;
    println!("{seconds} {refresh} {extra} {}", report.estimate.value);
    Ok(())
}

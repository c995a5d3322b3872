//! How the cost of a whole evaluation grows with the pool and the budget, beside a NumPy script that does what the
//! authors' loop does. Run it by `cargo xtask bench`, or `cargo xtask bench --quick` for small pools only.
//!
//! Every case is a process of its own, so that its CPU time and its peak of memory are its own. Time counts from
//! predictions in memory to the last estimate; making the predictions does not count.

use std::error::Error;
use std::process::Command;

use labelwise::acquisition::ExpectedLoss;
use labelwise::estimator::RunningLure;
use labelwise::proposal::Floor;
use labelwise::{CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed};
use rustix::time::{ClockId, clock_gettime};

const CLASSES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--bench").collect();
    match args.as_slice() {
        ["--case", precision, pool, budget, settings] => {
            case(precision, pool.parse()?, budget.parse()?, settings)
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
        "paper: q ∝ E[loss], clip 0.2; default: q ∝ √E[loss²], mixture 0.3. Extra memory: beyond the two tables given.\n"
    );
    println!(
        "| N | M | values | paper, CPU s | default, CPU s | extra memory / predictions | NumPy loop, CPU s | NumPy / paper |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let pools = [10_000, 100_000, 1_000_000, 10_000_000];
    for pool in pools.into_iter().filter(|pool| *pool <= largest) {
        for (precision, budget) in [("f64", 100), ("f64", 10_000), ("f32", 100), ("f32", 10_000)] {
            if budget >= pool {
                continue;
            }
            let paper = best_of(3, || child(precision, pool, budget, "paper"))?;
            let default = best_of(3, || child(precision, pool, budget, "default"))?;
            let peer = match (precision, budget) {
                ("f64", 100) if pool <= largest_peer => Some(peer(pool, budget)?),
                _ => None,
            };
            let (seconds, ratio) = match peer {
                Some(seconds) => (format!("{seconds:.2}"), format!("{:.0}", seconds / paper.0)),
                None => ("".to_owned(), "".to_owned()),
            };
            println!(
                "| {pool} | {budget} | {precision} | {:.4} | {:.4} | {:.2} | {seconds} | {ratio} |",
                paper.0, default.0, paper.1
            );
        }
    }
    Ok(())
}

/// The least disturbed of a few runs: (CPU seconds, memory).
fn best_of(
    runs: usize,
    run: impl Fn() -> Result<(f64, f64), Box<dyn Error>>,
) -> Result<(f64, f64), Box<dyn Error>> {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        let (seconds, memory) = run()?;
        best = (best.0.min(seconds), best.1.min(memory));
    }
    Ok(best)
}

fn child(precision: &str, pool: usize, budget: usize, settings: &str) -> Result<(f64, f64), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    // One thread each: NumPy uses one here, and threads that share a core make each other's CPU time longer.
    let output = Command::new(program)
        .env("RAYON_NUM_THREADS", "1")
        .args(["--case", precision, &pool.to_string(), &budget.to_string(), settings])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(seconds)), Some(Ok(memory))) => Ok((seconds, memory)),
        _ => Err(format!("a case printed {text:?} and {:?}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// The CPU seconds of the authors' loop in NumPy.
fn peer(pool: usize, budget: usize) -> Result<f64, Box<dyn Error>> {
    let python = std::env::var("LABELWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/authors_loop.py");
    let output = Command::new(python)
        .args([script, "--pool", &pool.to_string(), "--classes", &CLASSES.to_string()])
        .args(["--budget", &budget.to_string(), "--seed", "1"])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let field = text.split("\"seconds_cpu\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    match field.map(|number| number.trim().parse()) {
        Some(Ok(seconds)) => Ok(seconds),
        _ => Err(format!(
            "the NumPy script failed (run it by `cargo xtask bench`, which installs NumPy): {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

/// One evaluation, in this process: prints its CPU seconds and its extra memory against the size of the predictions.
fn case(precision: &str, size: usize, budget: usize, settings: &str) -> Result<(), Box<dyn Error>> {
    let (predictions, beliefs, bytes) = match precision {
        "f32" => (narrow(size, 1)?, narrow(size, 2)?, 4),
        _ => {
            (Matrix::f64(probabilities(size, 1), CLASSES)?, Matrix::f64(probabilities(size, 2), CLASSES)?, 8)
        }
    };
    // Forget the peak of making the data; where that is not allowed, memory is overstated.
    std::fs::write("/proc/self/clear_refs", "5").unwrap_or_default();
    let before = memory("VmRSS:")?;
    let start = cpu_seconds();
    let pool = Pool::classification(predictions)?;
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
    let extra = (memory("VmHWM:")? - before) / (size * CLASSES * bytes) as f64;
    println!("{seconds} {extra} {estimate} {}", report.estimate.value);
    Ok(())
}

fn narrow(size: usize, seed: u64) -> Result<Matrix, Box<dyn Error>> {
    let values: Vec<f32> = probabilities(size, seed).into_iter().map(|p| p as f32).collect();
    Ok(Matrix::f32(values, CLASSES)?)
}

/// The softmax of three times a triangular noise, from a small generator of its own.
fn probabilities(size: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut values = Vec::with_capacity(size * CLASSES);
    for _ in 0..size {
        let row: Vec<f64> = (0..CLASSES).map(|_| (6.0 * (uniform() + uniform() - 1.0)).exp()).collect();
        let sum: f64 = row.iter().sum();
        values.extend(row.iter().map(|value| value / sum));
    }
    values
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A line of the kernel's account of this process, in bytes.
fn memory(field: &str) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such line")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024.0)
}

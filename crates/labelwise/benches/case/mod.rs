//! Cases of a benchmark, each in a process of its own: made predictions, CPU time, memory, and the authors' loop.

use std::error::Error;
use std::process::Command;

use labelwise::Matrix;
use rustix::time::{ClockId, clock_gettime};

pub(crate) const CLASSES: usize = 10;

/// The least disturbed of a few runs, number by number.
pub(crate) fn best_of<const N: usize>(
    runs: usize,
    run: impl Fn() -> Result<[f64; N], Box<dyn Error>>,
) -> Result<[f64; N], Box<dyn Error>> {
    let mut best = [f64::INFINITY; N];
    for _ in 0..runs {
        best.iter_mut().zip(run()?).for_each(|(best, number)| *best = best.min(number));
    }
    Ok(best)
}

/// Runs this program with the arguments of a case, and reads the first numbers that it prints.
pub(crate) fn child<const N: usize>(arguments: &[&str]) -> Result<[f64; N], Box<dyn Error>> {
    let program = std::env::current_exe()?;
    // One thread each: NumPy uses one here, and threads that share a core make each other's CPU time longer.
    let output =
        Command::new(program).env("RAYON_NUM_THREADS", "1").arg("--case").args(arguments).output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> =
        text.split_whitespace().filter_map(|number| number.parse().ok()).take(N).collect();
    numbers.try_into().map_err(|_| {
        format!("a case printed {text:?} and {:?}", String::from_utf8_lossy(&output.stderr)).into()
    })
}

/// The CPU seconds of the authors' loop in NumPy.
pub(crate) fn peer(pool: usize, budget: usize) -> Result<f64, Box<dyn Error>> {
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

/// Probabilities of a made-up model.
pub(crate) fn predictions(precision: &str, size: usize, seed: u64) -> Result<Matrix, Box<dyn Error>> {
    let values = probabilities(size, seed);
    Ok(match precision {
        "f32" => Matrix::f32(values.into_iter().map(|p| p as f32).collect::<Vec<f32>>(), CLASSES)?,
        _ => Matrix::f64(values, CLASSES)?,
    })
}

/// Bytes of a number.
pub(crate) fn width(precision: &str) -> usize {
    if precision == "f32" { 4 } else { 8 }
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

pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Forgets the peak of memory so far; where that is not allowed, memory is overstated. Returns what is in use.
pub(crate) fn fresh_peak() -> Result<f64, Box<dyn Error>> {
    std::fs::write("/proc/self/clear_refs", "5").unwrap_or_default();
    memory("VmRSS:")
}

/// A line of the kernel's account of this process, in bytes.
pub(crate) fn memory(field: &str) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such line")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024.0)
}

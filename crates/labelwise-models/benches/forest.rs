//! What a forest costs beside scikit-learn's, on the paper's two moons and on images of 784 pixels: fit, and
//! probabilities. Run it by `cargo bench -p labelwise-models --bench forest`, with `-- --quick` for fewer repeats; the
//! variable `LABELWISE_PYTHON` names a Python that has scikit-learn.
//!
//! Every case is a process of its own with one thread, for us and for scikit-learn; time is CPU time, the least
//! disturbed of some repeats. Its "core" is its compiled tree builder, called directly without the Python around it.
//! The last line compares one and two threads by the clock, so it means something only where two cores are idle.

use std::error::Error;
use std::process::Command;
use std::time::Instant;

use labelwise::rng::Stream;
use labelwise::surrogate::{Data, Model};
use labelwise::{Classification, Matrix, Seed};
use labelwise_models::{Criterion, Forest};
use rustix::time::{ClockId, clock_gettime};

#[path = "../tests/forest/images.rs"]
mod images;

/// Data, training rows, rows to predict, repeats.
const CASES: [(&str, usize, usize, usize); 5] = [
    ("moons", 50, 400, 200),
    ("moons", 250, 400, 100),
    ("moons", 450, 400, 100),
    ("images", 250, 5000, 15),
    ("images", 1250, 5000, 7),
];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--bench").collect();
    match args.as_slice() {
        ["--case", name, train, test, repeats] => case(name, train.parse()?, test.parse()?, repeats.parse()?),
        [] => table(1),
        ["--quick"] => table(5),
        other => Err(format!("the benchmark takes --quick or nothing, not {other:?}").into()),
    }
}

/// Runs every case and prints the table.
fn table(shorter: usize) -> Outcome<()> {
    println!(
        "100 trees, square root of the features; moons by Gini's index, images (784 pixels) by entropy."
    );
    println!("CPU milliseconds of one thread: fit + probabilities.\n");
    println!(
        "| data | rows | predicted | labelwise | scikit-learn | its core | scikit-learn / labelwise | core / labelwise |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, train, test, repeats) in CASES {
        let repeats = (repeats / shorter).max(2);
        let [fit, predict, _] = ours(name, train, test, repeats, 1)?;
        let [public_fit, public_predict, core_fit, core_predict] = peer(name, train, test, repeats)?;
        let (own, public, core) = (fit + predict, public_fit + public_predict, core_fit + core_predict);
        println!(
            "| {name} | {train} | {test} | {} | {} | {} | {:.1} | {:.1} |",
            sum(fit, predict),
            sum(public_fit, public_predict),
            sum(core_fit, core_predict),
            public / own,
            core / own
        );
    }
    let [.., (name, train, test, repeats)] = CASES;
    let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
    // Turn by turn, so that a busy moment of the machine meets both.
    for _ in 0..6 {
        one = one.min(ours(name, train, test, (repeats / shorter).max(3), 1)?[2]);
        two = two.min(ours(name, train, test, (repeats / shorter).max(3), 2)?[2]);
    }
    println!(
        "\nThe last case takes {:.1} ms by the clock with one thread and {:.1} ms with two: {:.2} times the speed.",
        one * 1e3,
        two * 1e3,
        one / two
    );
    Ok(())
}

fn sum(fit: f64, predict: f64) -> String {
    format!("{:.2} + {:.2}", fit * 1e3, predict * 1e3)
}

/// CPU seconds of fit and of probabilities, and seconds by the clock of both.
fn ours(name: &str, train: usize, test: usize, repeats: usize, threads: usize) -> Outcome<[f64; 3]> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env("RAYON_NUM_THREADS", threads.to_string()).arg("--case");
    numbers(command.arg(name).args([train, test, repeats].map(|number| number.to_string())))
}

/// CPU seconds of fit and of probabilities, by scikit-learn's public functions and by its compiled core.
fn peer(name: &str, train: usize, test: usize, repeats: usize) -> Outcome<[f64; 4]> {
    let python = std::env::var("LABELWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/sklearn_forest.py");
    let mut command = Command::new(python);
    command.arg(script).arg(name).args([train, test, repeats.min(20)].map(|number| number.to_string()));
    numbers(command.env("OMP_NUM_THREADS", "1").env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The numbers that a program prints.
fn numbers<const N: usize>(command: &mut Command) -> Outcome<[f64; N]> {
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers.ok().and_then(|numbers| numbers.try_into().ok()) {
        Some(numbers) => Ok(numbers),
        None => Err(format!(
            "a case printed {text:?} and {:?} (LABELWISE_PYTHON must name a Python that has scikit-learn)",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

/// One case in this process: prints CPU seconds of fit and of probabilities, and seconds by the clock of both.
fn case(name: &str, train: usize, test: usize, repeats: usize) -> Outcome<()> {
    let (features, labels, columns, classes) = match name {
        "moons" => moons()?,
        _ => {
            let (pixels, labels) = images::images(3, train + test);
            (pixels, labels, images::PIXELS, 10)
        }
    };
    let forest = match name {
        "moons" => Forest::default(),
        _ => Forest::default().criterion(Criterion::Entropy),
    };
    let rest = features.len() - test * columns;
    let pool = Matrix::f64(features.get(rest..).ok_or("too few rows")?.to_vec(), columns)?;
    let train_features = features.get(..train * columns).ok_or("too few rows")?.to_vec();
    let train_labels = labels.get(..train).ok_or("too few rows")?.to_vec();
    let data = Data::<Classification>::new(Matrix::f64(train_features, columns)?, train_labels)?;
    let mut best = [f64::INFINITY; 3];
    for repeat in 0..repeats {
        let mut rng = Seed(1).stream(Stream::Fit, repeat as u64);
        let (wall, start) = (Instant::now(), cpu_seconds());
        let fitted = forest.classification(&data, classes, &mut rng)?;
        let middle = cpu_seconds();
        std::hint::black_box(fitted.predict(&pool)?);
        let end = cpu_seconds();
        let times = [middle - start, end - middle, wall.elapsed().as_secs_f64()];
        best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
    }
    let [fit, predict, wall] = best;
    println!("{fit} {predict} {wall}");
    Ok(())
}

/// Features, labels, columns and classes of the two moons.
fn moons() -> Outcome<(Vec<f64>, Vec<usize>, usize, usize)> {
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for line in include_str!("../tests/fixtures/forest_moons.csv").lines().skip(2) {
        let fields: Vec<&str> = line.split(',').collect();
        let [x, y, label] = fields.as_slice() else { return Err(line.into()) };
        features.extend([x.parse::<f64>()? / 65_536.0, y.parse::<f64>()? / 65_536.0]);
        labels.push(label.parse()?);
    }
    Ok((features, labels, 2, 2))
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

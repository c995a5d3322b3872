//! Training and inference of networks beside PyTorch's, images a CPU second of one thread, in batches of 64. Run it by
//! `cargo bench -p labelwise-deep --bench networks`, with `-- --quick` for fewer repeats; the variable `LABELWISE_PYTHON`
//! names a Python that has PyTorch. With `-- --narrow` it prints the speeds of narrower networks, without a peer.
//!
//! Every case is a process of its own with one thread, for us and for PyTorch; time is CPU time, the least disturbed of
//! some repeats, ours and theirs turn by turn.

use std::error::Error;
use std::process::Command;
use std::sync::{Arc, Mutex};

use labelwise::rng::Stream;
use labelwise::surrogate::Data;
use labelwise::{Classification, Matrix, Seed};
use labelwise_deep::{Architecture, Network, Rate, Shape, Training};
use rustix::time::{ClockId, clock_gettime};

const BATCH: usize = 64;

/// Name, batches per epoch, and repeats.
const CASES: [(&str, usize, usize); 2] = [("small", 20, 5), ("resnet18", 1, 4)];

/// Turns of ours and theirs.
const TURNS: usize = 3;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--bench").collect();
    match args.as_slice() {
        ["--case", name, batches, repeats] => case(name, batches.parse()?, repeats.parse()?),
        [] => table(TURNS),
        ["--quick"] => table(1),
        ["--narrow"] => narrow(),
        other => Err(format!("the benchmark takes --quick, --narrow or nothing, not {other:?}").into()),
    }
}

/// Runs every case and prints the table.
fn table(turns: usize) -> Outcome<()> {
    println!("Batches of {BATCH}; images a CPU second of one thread.\n");
    println!("| network | | labelwise | PyTorch | labelwise / PyTorch |");
    println!("|---|---|---|---|---|");
    for (name, batches, repeats) in CASES {
        let (mut own, mut other) = ([0.0; 2], [0.0; 2]);
        // Turn by turn, so that a busy moment of the machine meets both.
        for _ in 0..turns {
            raise(&mut own, ours(name, batches, repeats)?);
            raise(&mut other, peer(name, batches, repeats)?);
        }
        for ((what, own), other) in ["training", "inference"].iter().zip(own).zip(other) {
            println!("| {name} | {what} | {own:.1} | {other:.1} | {:.2} |", own / other);
        }
    }
    Ok(())
}

/// Networks for laptops, and batches an epoch.
const NARROW: [(&str, usize); 9] = [
    ("small", 20),
    ("small32", 10),
    ("resnet18/8", 8),
    ("resnet18/8grey", 8),
    ("resnet18/4", 4),
    ("resnet34/8", 4),
    ("resnet50/8", 4),
    ("wide40-1/2", 4),
    ("radial/2", 8),
];

/// The speeds of narrower networks.
fn narrow() -> Outcome<()> {
    println!("| network | images | training | inference |");
    println!("|---|---|---|---|");
    for (name, batches) in NARROW {
        let (architecture, shape) = network(name)?;
        let [training, inference] = ours(name, batches, 3)?;
        println!("| {architecture} | {shape} | {training:.1} | {inference:.1} |");
    }
    Ok(())
}

fn network(name: &str) -> Outcome<(Architecture, Shape)> {
    let (grey, colour) = (Shape::new(1, 28, 28)?, Shape::new(3, 32, 32)?);
    Ok(match name {
        "small" => (Architecture::small_cnn(), grey),
        "small32" => (Architecture::small_cnn(), colour),
        "resnet18" => (Architecture::resnet18(), colour),
        "resnet18/8" => (Architecture::resnet18().width(0.125)?, colour),
        "resnet18/8grey" => (Architecture::resnet18().width(0.125)?, grey),
        "resnet18/4" => (Architecture::resnet18().width(0.25)?, colour),
        "resnet34/8" => (Architecture::resnet34().width(0.125)?, colour),
        "resnet50/8" => (Architecture::resnet50().width(0.125)?, colour),
        "wide40-1/2" => (Architecture::wide_resnet40(1).width(0.5)?, colour),
        "radial/2" => (Architecture::radial_bnn().width(0.5)?, grey),
        other => return Err(format!("there is no case {other}").into()),
    })
}

fn raise(best: &mut [f64; 2], speeds: [f64; 2]) {
    best.iter_mut().zip(speeds).for_each(|(best, speed)| *best = best.max(speed));
}

fn ours(name: &str, batches: usize, repeats: usize) -> Outcome<[f64; 2]> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env("RAYON_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1").arg("--case").arg(name);
    numbers(command.args([batches, repeats].map(|number| number.to_string())))
}

fn peer(name: &str, batches: usize, repeats: usize) -> Outcome<[f64; 2]> {
    let python = std::env::var("LABELWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/torch_networks.py");
    let mut command = Command::new(python);
    command.arg(script).arg(name).args([batches, repeats].map(|number| number.to_string()));
    numbers(command.env("OMP_NUM_THREADS", "1").env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The two numbers that a program prints.
fn numbers(command: &mut Command) -> Outcome<[f64; 2]> {
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers.ok().and_then(|numbers| numbers.try_into().ok()) {
        Some(numbers) => Ok(numbers),
        None => Err(format!(
            "a case printed {text:?} and {:?} (LABELWISE_PYTHON must name a Python that has PyTorch)",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

/// One case in this process: prints images a CPU second, of training and of inference.
fn case(name: &str, batches: usize, repeats: usize) -> Outcome<()> {
    let (architecture, shape) = network(name)?;
    let count = batches * BATCH;
    // Waves of all lengths: what the numbers are does not matter for the time.
    let pixels: Vec<f32> = (0..count * shape.pixels()).map(|place| (place as f32 * 0.37).sin()).collect();
    let labels = (0..count).map(|row| row % 10).collect();
    let data = Data::<Classification>::new(Matrix::f32(pixels, shape.pixels())?, labels)?;
    let training = Training {
        rate: Rate::Constant(0.01),
        epochs: repeats + 1,
        batch: BATCH,
        validation: 0,
        patience: None,
        ..Training::resnet()
    };
    let ends: Arc<Mutex<Vec<f64>>> = Arc::default();
    let sink = Arc::clone(&ends);
    let network = Network::new(architecture, shape, training)?
        .progress(move |_| sink.lock().map(|mut ends| ends.push(cpu_seconds())).unwrap_or_default());
    let trained = network.train(&data, 10, &mut Seed(1).stream(Stream::Fit, 0))?;
    // The first epoch warms up.
    let ends = ends.lock().map_err(|_| "an epoch failed")?.clone();
    let epochs = ends.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?));
    let epoch = epochs.fold(f64::INFINITY, f64::min);
    let mut inference = f64::INFINITY;
    for _ in 0..=repeats {
        let start = cpu_seconds();
        std::hint::black_box(trained.predict(&data.features)?);
        inference = inference.min(cpu_seconds() - start);
    }
    println!("{} {}", count as f64 / epoch, count as f64 / inference);
    Ok(())
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

//! What a run of the paper's synthetic experiments costs: ours beside the same run with scikit-learn's objects, and
//! beside the leanest Python there is for it. Run it by `cargo bench -p labelwise-paper --bench synthetic`, with
//! `-- --quick` for fewer runs; the variable `LABELWISE_PYTHON` names a Python that has scikit-learn.
//!
//! Time is CPU time of one thread, the least disturbed of some turns, in which we and each peer take part one after the
//! other. A benchmark of something else would be worthless, so errors of the estimates are compared as well.

use std::error::Error;
use std::process::Command;

use labelwise::Seed;
use labelwise_paper::data::Function;
use labelwise_paper::problem::{Experiment, RegressionModel, Settings, SyntheticRegression, TwoMoons};
use labelwise_paper::statistics::median;
use labelwise_paper::strategy::strategies;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// After so many labels the errors of both sides are compared.
const CHECKED_STEPS: [usize; 3] = [5, 10, 20];
/// What a peer's surrogate strategy needs: the data and the model are part of it, as of every strategy.
const SURROGATE_ALONE: [&str; 2] = ["data and model", "gp surrogate"];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let quick = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => false,
        ["--quick"] => true,
        other => return Err(format!("the benchmark takes --quick or nothing, not {other:?}").into()),
    };
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    println!(
        "CPU of one run and one thread, the least of some turns; the bar is the ratio that there is to be.\n"
    );
    println!("| run | labelwise | peer | its CPU | peer / labelwise | bar |");
    println!("|---|---|---|---|---|---|");
    let comparisons = [gp(quick)?, moons(quick)?];
    println!("\nMedian squared error of R̂_LURE with the surrogate, in so many runs.\n");
    println!("| run | labels | labelwise | runs | peer | runs | labelwise / peer |");
    println!("|---|---|---|---|---|---|---|");
    let off: Vec<String> = comparisons.iter().flat_map(Comparison::print).collect();
    if off.is_empty() { Ok(()) } else { Err(off.join("; ").into()) }
}

/// A Gaussian process on functions from its prior: all strategies, and the retrained surrogate alone.
fn gp(quick: bool) -> Outcome<Comparison> {
    let surrogate = [strategies::PROCESS, strategies::PROCESS_IID];
    let others = [strategies::UNIFORM, strategies::DISTANCE, strategies::UNCERTAINTY, strategies::TRUE_LOSS];
    let whole = SyntheticRegression {
        name: "gp-on-gp",
        function: Function::GaussianProcess,
        model: RegressionModel::GaussianProcess,
        points: 50,
        train: 5,
        settings: Settings::Text,
        strategies: [&surrogate[..], &others].concat(),
    };
    let alone = SyntheticRegression { strategies: surrogate.to_vec(), ..whole.clone() };
    let (turns, own_runs, object_runs, lean_runs) =
        if quick { (2, 2000, 4, 400) } else { (6, 5000, 16, 400) };
    let objects = Peer { problem: "gp", way: "sklearn", runs: object_runs, steps: 45 };
    let lean = Peer { way: "lean", runs: lean_runs, ..objects };
    let (mut whole_least, mut alone_least) = (Least::default(), Least::default());
    // About four standard errors of the peer's median, which is from 800 runs or from 2400.
    let tolerance = if quick { 0.4 } else { 0.25 };
    let mut comparison = Comparison::new("GP/GP", "gp surrogate, R_LURE", tolerance);
    for turn in 0..turns {
        let (own, own_alone) = (timed(&whole, own_runs, turn)?, timed(&alone, own_runs, turn)?);
        let (objects, lean) = (objects.run(turn)?, lean.run(turn)?);
        whole_least.take([own.seconds, objects.seconds()?, lean.seconds()?]);
        let parts = [&objects, &lean].map(|peer| peer.seconds_of(&SURROGATE_ALONE));
        let [objects_alone, lean_alone] = parts;
        alone_least.take([own_alone.seconds, objects_alone?, lean_alone?]);
        comparison.add(own, &lean)?;
    }
    let peers = ["scikit-learn's objects", "lean NumPy"];
    whole_least.print("GP/GP, six curves of 45 labels", peers, [None, None]);
    alone_least.print("GP/GP, retrained surrogate alone", peers, [Some(200.0), Some(10.0)]);
    Ok(comparison)
}

/// A forest on two moons, all strategies.
fn moons(quick: bool) -> Outcome<Comparison> {
    let (turns, runs, steps) = if quick { (1, 12, 10) } else { (4, 12, 50) };
    let experiment = TwoMoons {
        moons: TwoMoons::moons(Settings::Text),
        steps,
        settings: Settings::Text,
        strategies: vec![
            strategies::FOREST,
            strategies::UNIFORM,
            strategies::DISTANCE,
            strategies::ENTROPY,
            strategies::TRUE_LOSS,
        ],
    };
    let objects = Peer { problem: "moons", way: "sklearn", runs: 1, steps };
    let core = Peer { way: "core", runs, ..objects };
    let mut least = Least::default();
    // So few runs tell no more than whether it is the same problem at all.
    let mut comparison = Comparison::new("two moons", "forest surrogate, R_LURE", 4.0);
    for turn in 0..turns {
        let own = timed(&experiment, runs, turn)?;
        let (objects, core) = (objects.run(turn)?, core.run(turn)?);
        least.take([own.seconds, objects.seconds()?, core.seconds()?]);
        comparison.add(own, &core)?;
    }
    let peers = ["scikit-learn's objects", "its compiled core"];
    least.print(&format!("two moons, five curves of {steps} labels"), peers, [Some(50.0), None]);
    Ok(comparison)
}

/// The least CPU seconds of ours and of two peers.
struct Least([f64; 3]);

impl Default for Least {
    fn default() -> Self {
        Self([f64::INFINITY; 3])
    }
}

impl Least {
    fn take(&mut self, times: [f64; 3]) {
        self.0.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time));
    }

    /// A row for each peer; a bar is how many times ours it is to need.
    fn print(&self, name: &str, peers: [&str; 2], bars: [Option<f64>; 2]) {
        let [own, one, other] = self.0;
        for ((peer, seconds), bar) in peers.into_iter().zip([one, other]).zip(bars) {
            let ratio = seconds / own;
            let bar = match bar {
                Some(bar) if ratio >= bar => format!("{bar}: met"),
                Some(bar) => format!("{bar}: missed"),
                None => String::new(),
            };
            println!("| {name} | {} | {peer} | {} | {ratio:.1} | {bar} |", shown(own), shown(seconds));
        }
    }
}

fn shown(seconds: f64) -> String {
    let milliseconds = seconds * 1e3;
    if milliseconds < 10.0 { format!("{milliseconds:.3} ms") } else { format!("{milliseconds:.1} ms") }
}

/// Our part of a turn: CPU seconds of a run, and squared errors of the first curve at each of the steps.
struct Turn {
    seconds: f64,
    squared_errors: [Vec<f64>; CHECKED_STEPS.len()],
}

/// Takes a turn; another turn has other seeds.
fn timed(experiment: &impl Experiment, runs: usize, turn: u64) -> Outcome<Turn> {
    let mut squared_errors: [Vec<f64>; CHECKED_STEPS.len()] = Default::default();
    let start = cpu_seconds();
    for run in 0..runs as u64 {
        let trace = experiment.run(Seed(turn * runs as u64 + run))?;
        let curve = trace.values.first().ok_or("the experiment follows no curve")?;
        for (errors, step) in squared_errors.iter_mut().zip(CHECKED_STEPS) {
            errors.extend(curve.get(step - 1).map(|estimate| (estimate - trace.pool_risk).powi(2)));
        }
    }
    Ok(Turn { seconds: (cpu_seconds() - start) / runs as f64, squared_errors })
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The same runs in Python.
#[derive(Clone, Copy)]
struct Peer {
    problem: &'static str,
    way: &'static str,
    runs: usize,
    steps: usize,
}

impl Peer {
    fn run(self, turn: u64) -> Outcome<Answer> {
        let python = std::env::var("LABELWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/sklearn_synthetic.py");
        let mut command = Command::new(python);
        command.args([script, self.problem, self.way, "--runs", &self.runs.to_string()]);
        command.args(["--steps", &self.steps.to_string(), "--seed", &turn.to_string()]);
        let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output()?;
        match serde_json::from_slice(&output.stdout) {
            Ok(printed) => Ok(Answer { printed, runs: self.runs }),
            Err(_) => Err(format!(
                "the Python peer failed (LABELWISE_PYTHON must name a Python that has scikit-learn): {}",
                String::from_utf8_lossy(&output.stderr)
            )
            .into()),
        }
    }
}

/// What a peer printed.
struct Answer {
    printed: Value,
    runs: usize,
}

impl Answer {
    /// CPU seconds of a run.
    fn seconds(&self) -> Outcome<f64> {
        Ok(self.number("/seconds_cpu")? / self.runs as f64)
    }

    /// CPU seconds that a run spends on these kinds of work.
    fn seconds_of(&self, kinds: &[&str]) -> Outcome<f64> {
        let seconds = kinds.iter().map(|kind| self.number(&format!("/seconds_by_kind/{kind}")));
        Ok(seconds.sum::<Outcome<f64>>()? / self.runs as f64)
    }

    /// The median squared error of a curve after so many labels; none if a run has fewer.
    fn median_squared(&self, curve: &str, step: usize) -> Outcome<Option<f64>> {
        let steps = self.printed.pointer("/checked_steps").and_then(Value::as_array);
        let steps = steps.ok_or("the Python peer printed no checked_steps")?;
        match steps.iter().position(|checked| checked.as_u64() == Some(step as u64)) {
            Some(place) => self.number(&format!("/errors/{curve}/median_squared/{place}")).map(Some),
            None => Ok(None),
        }
    }

    fn number(&self, pointer: &str) -> Outcome<f64> {
        let number = self.printed.pointer(pointer).and_then(Value::as_f64);
        number.ok_or_else(|| format!("the Python peer printed no {pointer}: {}", self.printed).into())
    }
}

/// Errors of both sides, turn by turn.
struct Comparison {
    name: &'static str,
    /// What the peer calls the curve.
    curve: &'static str,
    /// One side's median may be larger than the other's by this part of it.
    tolerance: f64,
    own: [Vec<f64>; CHECKED_STEPS.len()],
    /// A median for each turn.
    peer: [Vec<f64>; CHECKED_STEPS.len()],
    peer_runs: usize,
}

impl Comparison {
    fn new(name: &'static str, curve: &'static str, tolerance: f64) -> Self {
        Self { name, curve, tolerance, own: Default::default(), peer: Default::default(), peer_runs: 0 }
    }

    fn add(&mut self, own: Turn, peer: &Answer) -> Outcome<()> {
        self.own.iter_mut().zip(own.squared_errors).for_each(|(all, turn)| all.extend(turn));
        for (medians, step) in self.peer.iter_mut().zip(CHECKED_STEPS) {
            medians.extend(peer.median_squared(self.curve, step)?);
        }
        self.peer_runs += peer.runs;
        Ok(())
    }

    /// Prints a row for each step, and answers with what is off.
    fn print(&self) -> Vec<String> {
        let mut off = Vec::new();
        for ((own, peer), step) in self.own.iter().zip(&self.peer).zip(CHECKED_STEPS) {
            // A quick run may end before a step.
            let Ok(ours) = median(own) else { continue };
            let theirs = peer.iter().sum::<f64>() / peer.len() as f64;
            let (name, ratio, runs) = (self.name, ours / theirs, self.peer_runs);
            println!("| {name} | {step} | {ours:.2e} | {} | {theirs:.2e} | {runs} | {ratio:.2} |", own.len());
            let limit = 1.0 + self.tolerance;
            // Written so that a ratio that is not a number fails too.
            if !(1.0 / limit..=limit).contains(&ratio) {
                off.push(format!(
                    "{name}: after {step} labels our median squared error is {ratio:.2} times the peer's, so the two \
                     did not measure the same"
                ));
            }
        }
        off
    }
}

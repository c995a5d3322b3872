//! The paper's sequence of labels: of 50 points on a line, 5 are labelled at the start and the others one by one, with
//! the posterior of the rest at each size. Ours, each way there is to do it, beside scikit-learn's fit and predict.
//!
//! `LABELWISE_PYTHON` names a Python that has scikit-learn. With `--quick`, there are fewer repetitions.

use std::error::Error;
use std::hint::black_box;
use std::process::Command;

use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Data, Model, Observed, Retrained, Surrogate};
use labelwise::{Matrix, Pool, Regression, Seed};
use labelwise_models::{GaussianProcess, ProcessSurrogate, TrackedProcess};
use rustix::time::{ClockId, clock_gettime};

const POINTS: usize = 50;
const TRAINING_POINTS: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A way to go through the sequence.
type Way = fn(&Sequence) -> Outcome<Sums>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (batches, repetitions) = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => (200, 40),
        ["--quick"] => (40, 5),
        other => return Err(format!("the benchmark takes --quick or nothing, not {other:?}").into()),
    };
    let peer = peer(repetitions)?;
    let task = Sequence::new()?;
    println!(
        "{POINTS} points, {TRAINING_POINTS} to start from, Matérn 3/2; the posterior of the rest at each of {} sizes. \
         CPU of the whole sequence, least disturbed.\n",
        POINTS - TRAINING_POINTS
    );
    println!("| how | CPU µs | scikit-learn / this |");
    println!("|---|---|---|");
    println!("| scikit-learn, fit and predict | {:.0} | 1 |", peer.seconds * 1e6);
    let ways: [(&str, Way); 4] = [
        ("`Retrained`, a fit from scratch at each size", retrained),
        ("`FittedProcess`: observe, predict the rest", fitted),
        ("`ProcessSurrogate`: update", surrogate),
        ("`TrackedProcess`: observe", tracked),
    ];
    for (name, way) in ways {
        let sums = way(&task)?;
        let off = (sums.means - peer.sums.means).abs().max((sums.variances - peer.sums.variances).abs());
        // Written so that a sum that is not a number fails too.
        if !matches!(off.partial_cmp(&1e-6), Some(std::cmp::Ordering::Less)) {
            return Err(format!("{name}: sums {sums:?}, but scikit-learn has {:?}", peer.sums).into());
        }
        let seconds = least(batches, || way(&task))?;
        println!("| {name} | {:.1} | {:.0} |", seconds * 1e6, peer.seconds / seconds);
    }
    Ok(())
}

/// Of all means and variances of points that were left, at all sizes.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    means: f64,
    variances: f64,
}

impl Sums {
    fn add(&mut self, mean: f64, variance: f64) {
        self.means += mean;
        self.variances += variance;
    }

    /// Adds the rows of beliefs from `first` on.
    fn add_rows(&mut self, beliefs: &Matrix, first: usize) {
        let mut reader = beliefs.reader();
        for row in reader.rows(first..beliefs.rows()).iter() {
            if let [mean, _, variance] = *row {
                self.add(mean, variance);
            }
        }
    }
}

/// The training points, and the others as a pool, in the order in which they are labelled.
struct Sequence {
    train: Data<Regression>,
    pool: Pool<Regression>,
    items: Matrix,
    labels: Vec<(usize, f64)>,
}

impl Sequence {
    fn new() -> Outcome<Self> {
        // Seven and fifty have no common divisor, so this is an order of all points.
        let x: Vec<f64> = (0..POINTS).map(|i| (i * 7 % POINTS) as f64 / (POINTS - 1) as f64).collect();
        let y: Vec<f64> = x.iter().map(|x| (6.0 * x).sin()).collect();
        let (x, rest) = x.split_at(TRAINING_POINTS);
        let (y, later) = y.split_at(TRAINING_POINTS);
        let items = Matrix::f64(rest.to_vec(), 1)?;
        let pool = Pool::regression(items.clone())?.with_features(items.clone())?;
        let train = Data::new(Matrix::f64(x.to_vec(), 1)?, y.to_vec())?;
        Ok(Self { train, pool, items, labels: later.iter().copied().enumerate().collect() })
    }
}

fn rng() -> ChaCha8Rng {
    Seed(1).stream(Stream::Fit, 0)
}

fn updates(task: &Sequence, mut surrogate: impl Surrogate<Regression>) -> Outcome<Sums> {
    let (mut rng, mut sums) = (rng(), Sums::default());
    for told in 0..task.labels.len() {
        let labels = task.labels.get(..told).unwrap_or_default();
        let updated = surrogate.update(Observed { pool: &task.pool, labels }, &mut rng)?;
        sums.add_rows(updated.beliefs.rows(), told);
    }
    Ok(sums)
}

fn retrained(task: &Sequence) -> Outcome<Sums> {
    updates(task, Retrained::new(GaussianProcess::paper(), task.train.clone()))
}

fn surrogate(task: &Sequence) -> Outcome<Sums> {
    updates(task, ProcessSurrogate::new(GaussianProcess::paper(), &task.train)?)
}

fn fitted(task: &Sequence) -> Outcome<Sums> {
    let mut fitted = GaussianProcess::paper().fit_process(&task.train, &mut rng())?;
    let (mut items, mut sums) = (task.items.reader(), Sums::default());
    for &(item, label) in &task.labels {
        let rest = items.rows(item..task.items.rows()).values().to_vec();
        sums.add_rows(&fitted.predict(&Matrix::f64(rest, 1)?)?, 0);
        fitted.observe(items.row(item), label)?;
    }
    Ok(sums)
}

fn tracked(task: &Sequence) -> Outcome<Sums> {
    let fitted = GaussianProcess::paper().fit_process(&task.train, &mut rng())?;
    let mut tracked = TrackedProcess::new(&fitted, task.items.clone())?;
    let mut sums = Sums::default();
    for &(item, label) in &task.labels {
        let rest = tracked.means().iter().zip(tracked.variances()).skip(item);
        rest.for_each(|(mean, variance)| sums.add(*mean, *variance));
        tracked.observe(item, label)?;
    }
    Ok(sums)
}

/// The least CPU seconds of one run among batches of 20.
fn least(batches: usize, run: impl Fn() -> Outcome<Sums>) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..batches {
        let start = cpu_seconds();
        for _ in 0..20 {
            black_box(run()?);
        }
        best = best.min((cpu_seconds() - start) / 20.0);
    }
    Ok(best)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What scikit-learn needs, and finds.
struct Peer {
    seconds: f64,
    sums: Sums,
}

fn peer(repetitions: usize) -> Outcome<Peer> {
    let python = std::env::var("LABELWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/sklearn_gp.py");
    let output = Command::new(python).args([script, "--repetitions", &repetitions.to_string()]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let field = |name: &str| -> Outcome<f64> {
        let rest = text.split(&format!("\"{name}\":")).nth(1);
        match rest.and_then(|rest| rest.split([',', '}']).next()).map(|number| number.trim().parse()) {
            Some(Ok(value)) => Ok(value),
            _ => Err(format!(
                "the scikit-learn script failed (LABELWISE_PYTHON must name a Python that has it): {}",
                String::from_utf8_lossy(&output.stderr)
            )
            .into()),
        }
    };
    let sums = Sums { means: field("mean_sum")?, variances: field("variance_sum")? };
    Ok(Peer { seconds: field("seconds_cpu")?, sums })
}

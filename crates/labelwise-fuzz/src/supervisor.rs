//! Runs campaigns in processes of their own, so that an abort or a hang ends one process and is counted.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::campaign::{self, Counts};
use crate::hostile::memory;
use crate::panics;
use crate::target::Target;

/// Address space of a worker, in bytes: an allocation beyond it aborts the worker.
const MEMORY: u64 = 4 << 30;

/// Executions of a worker.
const CHUNK: u64 = 50_000;

/// An execution that takes more of the processor's time is a hang. The clock would count what a busy machine does meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

/// So is one that takes longer by the clock: it waits for something.
const LONG_PATIENCE: Duration = Duration::from_secs(900);

/// Size of the record of a worker's progress.
const RECORD: usize = 8 * 8;

/// What a campaign is.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// The target.
    pub target: Target,
    /// The seed of all inputs.
    pub seed: u64,
    /// Number of executions.
    pub executions: u64,
    /// The campaign ends after this time.
    pub most: Duration,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Counts of all executions that ended.
    pub counts: Counts,
    /// Executions that ended their process: their numbers, and how.
    pub aborts: Vec<(u64, String)>,
    /// Executions that did not end.
    pub hangs: Vec<u64>,
    /// Texts of panics.
    pub panics: Vec<String>,
    /// Largest memory of a worker, in MB.
    pub peak: u64,
    /// Time.
    pub took: Duration,
}

impl Outcome {
    /// Whether nothing went wrong.
    pub fn is_good(&self) -> bool {
        self.counts.panics == 0 && self.aborts.is_empty() && self.hangs.is_empty()
    }
}

/// Runs a campaign with workers of this program.
pub fn run(campaign: &Campaign) -> io::Result<Outcome> {
    let (started, scratch) = (Instant::now(), tempfile::tempdir()?);
    let record = scratch.path().join("record");
    let (mut outcome, mut next) = (Outcome::default(), 0);
    while next < campaign.executions && started.elapsed() < campaign.most {
        let end = (next + CHUNK).min(campaign.executions);
        fs::write(&record, [0; RECORD])?;
        let mut worker = start(campaign, next..end, &record)?;
        let ended = wait(&mut worker, &record)?;
        let (at, counts, peak) = read(&record)?;
        if at < next {
            return Err(io::Error::other("a worker did not begin"));
        }
        outcome.counts.add(&counts);
        outcome.peak = outcome.peak.max(peak);
        next = match ended {
            Some(status) if status.success() => end,
            Some(status) => {
                outcome.aborts.push((at, status.to_string()));
                at + 1
            }
            None => {
                outcome.hangs.push(at);
                at + 1
            }
        };
        let texts = fs::read_to_string(texts(&record)).unwrap_or_default();
        outcome.panics.extend(texts.lines().map(str::to_owned));
    }
    outcome.took = started.elapsed();
    Ok(outcome)
}

fn start(campaign: &Campaign, executions: std::ops::Range<u64>, record: &Path) -> io::Result<Child> {
    let numbers = [campaign.seed, executions.start, executions.end].map(|number| number.to_string());
    Command::new(std::env::current_exe()?)
        .args(["work", campaign.target.name()])
        .args(numbers)
        .arg(record)
        // One thread is as good as several to find a panic, and leaves the machine to others.
        .env("RAYON_NUM_THREADS", "1")
        .stdin(Stdio::null())
        .spawn()
}

/// Waits for a worker; none if it hung and was killed.
fn wait(worker: &mut Child, record: &Path) -> io::Result<Option<ExitStatus>> {
    let (mut last, mut since, mut used) = (u64::MAX, Instant::now(), Duration::ZERO);
    loop {
        if let Some(status) = worker.try_wait()? {
            return Ok(Some(status));
        }
        let (at, counts, _) = read(record)?;
        if at + counts.executions != last {
            (last, since, used) = (at + counts.executions, Instant::now(), cpu(worker.id()));
        } else if cpu(worker.id()).saturating_sub(used) > PATIENCE || since.elapsed() > LONG_PATIENCE {
            worker.kill()?;
            worker.wait()?;
            return Ok(None);
        }
        sleep(Duration::from_millis(50));
    }
}

/// The processor's time of a process.
fn cpu(process: u32) -> Duration {
    let account = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program is in brackets and may contain anything.
    let fields = account.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks =
        fields.split_ascii_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    // Linux counts these in hundredths of a second on every machine.
    Duration::from_millis(10 * ticks.sum::<u64>())
}

/// The work of a worker.
pub fn work(target: Target, seed: u64, executions: std::ops::Range<u64>, record: &Path) -> io::Result<()> {
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: None })?;
    let file = fs::OpenOptions::new().write(true).open(record)?;
    let (mut failed, mut most) = (Ok(()), 0);
    let before = |at: u64, counts: &Counts| {
        if counts.executions.is_multiple_of(64) {
            most = memory(std::process::id());
        }
        failed = file.write_all_at(&encode(at, counts, most), 0);
        failed.is_ok()
    };
    let counts = campaign::run(target, seed, executions.clone(), before);
    failed?;
    file.write_all_at(&encode(executions.end, &counts, memory(std::process::id())), 0)?;
    let lines: String = panics::texts().iter().map(|text| format!("{}\n", text.replace('\n', " "))).collect();
    fs::write(texts(record), lines)
}

fn texts(record: &Path) -> std::path::PathBuf {
    record.with_extension("panics")
}

fn encode(at: u64, counts: &Counts, peak: u64) -> [u8; RECORD] {
    let Counts { executions, read, estimated, simulated, panics, slowest } = *counts;
    let slowest = slowest.as_micros() as u64;
    let numbers = [at, executions, read, estimated, simulated, panics, slowest, peak];
    let mut bytes = [0; RECORD];
    bytes.chunks_exact_mut(8).zip(numbers).for_each(|(to, number)| to.copy_from_slice(&number.to_le_bytes()));
    bytes
}

fn read(record: &Path) -> io::Result<(u64, Counts, u64)> {
    let bytes = fs::read(record)?;
    let number = |at: usize| bytes[8 * at..8 * at + 8].try_into().map_or(0, u64::from_le_bytes);
    let counts = Counts {
        executions: number(1),
        read: number(2),
        estimated: number(3),
        simulated: number(4),
        panics: number(5),
        slowest: Duration::from_micros(number(6)),
    };
    Ok((number(0), counts, number(7)))
}

//! The targets: what is given a file, and how such a file is made.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use labelwise_study::{PoolTable, Reading};
use tempfile::TempDir;

use crate::bytes::damage;
use crate::depth::{Reached, explore};
use crate::evaluations::Evaluations;
use crate::random::Random;
use crate::seeds::fixtures;
use crate::shape::Shape;
use crate::table::Table;
use crate::{files, labels};

/// A reader of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// CSV.
    Csv,
    /// JSON Lines.
    Jsonl,
    /// Tables and logs that are one JSON object.
    Json,
    /// Parquet.
    Parquet,
    /// Arrow IPC.
    Arrow,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays.
    Npz,
    /// A log of Inspect.
    Inspect,
    /// Samples of lm-evaluation-harness.
    LmEval,
    /// Files of labels.
    Labels,
    /// Files of evaluations.
    Evaluation,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 11] = [
        Self::Csv,
        Self::Jsonl,
        Self::Json,
        Self::Parquet,
        Self::Arrow,
        Self::Npy,
        Self::Npz,
        Self::Inspect,
        Self::LmEval,
        Self::Labels,
        Self::Evaluation,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Inspect => "inspect",
            Self::LmEval => "lm-eval",
            Self::Labels => "labels",
            Self::Evaluation => "evaluation",
        }
    }

    /// The name of a file of this target.
    fn file_name(self) -> &'static str {
        match self {
            Self::Csv => "pool.csv",
            Self::Jsonl | Self::LmEval => "pool.jsonl",
            Self::Json => "pool.json",
            Self::Parquet => "pool.parquet",
            Self::Arrow => "pool.arrow",
            Self::Npy => "pool.npy",
            Self::Npz => "pool.npz",
            Self::Inspect => "pool.eval",
            Self::Labels => "labels.csv",
            Self::Evaluation => "pool.labelwise",
        }
    }

    /// Shapes that files of this target can have.
    fn shape(self, random: &mut Random) -> u8 {
        let shapes: &[u8] = match self {
            Self::Csv => &[0, 1, 3, 4, 5, 6, 7],
            Self::Npy => &[2, 7],
            _ => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
        random.pick(shapes)
    }

    /// How a file of a shape is read.
    fn reading(self, shape: u8) -> Reading {
        let reading = Reading::new();
        match (self, Shape::of(shape)) {
            (Self::Npy, Shape::Scores) => reading.scores("values"),
            (Self::Npy, Shape::Mean) => reading.mean("values"),
            (Self::Npy, _) => reading,
            (Self::Inspect, _) if shape.is_multiple_of(2) => reading.labels("target").carry("input"),
            (Self::Inspect, _) => reading.scores("match").labels("match").epoch(1),
            (Self::LmEval, _) if shape.is_multiple_of(2) => reading.labels("target").carry_texts(),
            (Self::LmEval, _) => reading.scores("acc").labels("acc").filter("none"),
            (_, shape) => shape.reading(),
        }
    }

    /// A valid file but for a few values.
    fn file(self, shape: u8, random: &mut Random) -> Vec<u8> {
        let mut table = Shape::of(shape).table(random);
        if random.one_in(3) {
            table.twist(random);
        }
        let bytes = self.encoded(&table, shape, random);
        let json = matches!(self, Self::Jsonl | Self::Json) && random.one_in(6);
        if json { files::twisted_lines(&bytes, random) } else { bytes }
    }

    fn encoded(self, table: &Table, shape: u8, random: &mut Random) -> Vec<u8> {
        match self {
            Self::Csv => files::csv(table, random),
            Self::Jsonl => files::jsonl(table),
            Self::Json => files::json_table(table),
            Self::Parquet => files::parquet(table, random),
            Self::Arrow => files::arrow(table, random),
            Self::Npy => files::npy(table, random),
            Self::Npz => files::npz(table, random),
            Self::Inspect => files::inspect(random),
            Self::LmEval => files::lm_eval(random),
            Self::Labels => labels::file(shape, random),
            Self::Evaluation => Vec::new(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|target| target.name() == text);
        found.ok_or_else(|| {
            format!("there is no target `{text}`; there are {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// A place where inputs are made and run: a folder, and whole evaluations where they are needed.
#[derive(Debug)]
pub struct Bench {
    target: Target,
    folder: TempDir,
    evaluations: Option<Evaluations>,
}

impl Bench {
    /// Prepares a target.
    pub fn new(target: Target) -> Self {
        // Files in memory: a campaign would wear a disk out.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.expect("a scratch folder");
        let evaluations = (target == Target::Evaluation).then(|| Evaluations::new(folder.path()));
        Self { target, folder, evaluations }
    }

    /// An input: two bytes of choices, then a file. One in three is damaged besides.
    pub fn input(&self, random: &mut Random) -> Vec<u8> {
        if let Some(evaluations) = &self.evaluations {
            return evaluations.input(random);
        }
        let shape = self.target.shape(random);
        let known = fixtures(self.target);
        let mut bytes = if !known.is_empty() && random.one_in(5) {
            known[random.below(known.len())].to_vec()
        } else {
            self.target.file(shape, random)
        };
        if random.one_in(3) {
            damage(&mut bytes, random);
        }
        [&[shape, random.byte()], bytes.as_slice()].concat()
    }

    /// Runs an input.
    pub fn run(&self, input: &[u8]) -> Reached {
        if let Some(evaluations) = &self.evaluations {
            return evaluations.run(input);
        }
        let [shape, choice, bytes @ ..] = input else { return Reached::default() };
        if self.target == Target::Labels {
            return labels::run(*shape, bytes);
        }
        let path = self.folder.path().join(self.target.file_name());
        fs::write(&path, bytes).expect("the scratch folder takes files");
        match PoolTable::open(&path, &self.target.reading(*shape)) {
            Ok(table) => explore(&table, *choice),
            Err(error) => {
                assert!(!error.to_string().is_empty(), "an error without a sentence");
                Reached::default()
            }
        }
    }
}

/// Runs one input of a target, as `cargo fuzz` wants it.
pub fn execute(target: Target, input: &[u8]) {
    with_bench(target, |bench| bench.run(input));
}

/// Changes the first `size` bytes of `data`, as a mutator of `cargo fuzz`: to a new input once in a while, else by
/// damage. Returns the new size; what does not fit is cut off.
pub fn mutate_in_place(target: Target, data: &mut [u8], size: usize, seed: u32) -> usize {
    let mut random = Random::of(u64::from(seed), 0);
    let changed = match data[..size].split_at_checked(2) {
        Some((choices, file)) if !random.one_in(4) => {
            let mut file = file.to_vec();
            damage(&mut file, &mut random);
            [choices, file.as_slice()].concat()
        }
        _ => with_bench(target, |bench| bench.input(&mut random)),
    };
    let size = changed.len().min(data.len());
    data[..size].copy_from_slice(&changed[..size]);
    size
}

fn with_bench<T>(target: Target, work: impl FnOnce(&Bench) -> T) -> T {
    thread_local! {
        static BENCHES: RefCell<HashMap<Target, Bench>> = RefCell::default();
    }
    BENCHES.with_borrow_mut(|benches| work(benches.entry(target).or_insert_with(|| Bench::new(target))))
}
#[cfg(test)]
mod tests {
    use super::*;

    /// Files that are neither twisted nor damaged.
    #[test]
    fn valid_files_of_every_shape_are_read() {
        for target in Target::ALL.into_iter().take(7) {
            let bench = Bench::new(target);
            for execution in 0..200 {
                let mut random = Random::of(5, execution);
                let code = target.shape(&mut random);
                let table = Shape::of(code).table(&mut random);
                let bytes = target.encoded(&table, code, &mut random);
                let reached = bench.run(&[&[code, 0], bytes.as_slice()].concat());
                assert!(reached.read, "{target} {:?} {execution}", Shape::of(code));
            }
        }
    }
}

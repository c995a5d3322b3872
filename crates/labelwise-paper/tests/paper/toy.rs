//! An experiment that takes no time and can be interrupted: its numbers are those of its seed's stream.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise::rng::Stream;
use labelwise::{Error, Seed};
use labelwise_paper::Result;
use labelwise_paper::problem::{Example, Experiment, FunctionExample, Trace};
use labelwise_paper::run::{Folder, Manifest, Planned, Traces};
use labelwise_paper::strategy::{Column, strategies};
use rand_chacha::rand_core::Rng;

/// Three columns of different lengths, one of them of queries.
pub(crate) struct Toy {
    /// How many runs were begun.
    pub(crate) begun: AtomicUsize,
    /// After so many runs it fails, as if the power went.
    last: usize,
}

impl Toy {
    /// One that goes on for ever.
    pub(crate) fn lasting() -> Self {
        Self::ending_after(usize::MAX)
    }

    /// One that fails after so many runs.
    pub(crate) fn ending_after(last: usize) -> Self {
        Self { begun: AtomicUsize::new(0), last }
    }

    /// What so many runs come to, one after the other.
    pub(crate) fn traces(runs: u64, seed: Seed) -> Traces {
        let toy = Self::lasting();
        let each = (0..runs).map(|run| toy.run(seed.repetition(run)).unwrap());
        Traces { columns: toy.columns(), runs: each.collect() }
    }

    /// The manifest of so many runs of it.
    pub(crate) fn manifest(runs: usize, seed: Seed) -> Manifest {
        let planned = Planned { name: "toy".to_owned(), runs, steps: 7 };
        Manifest::new("toy", "text", "smoke", seed.0, vec![planned])
    }

    /// Its folder.
    pub(crate) fn folder(path: &Path, runs: usize, seed: Seed) -> Folder {
        Folder::open(path, Self::manifest(runs, seed)).unwrap()
    }
}

impl Experiment for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn pool_size(&self) -> usize {
        7
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            strategies::UNIFORM.estimates(3),
            strategies::PROCESS.estimates(7),
            strategies::ARE_QUERIES.queries(5),
        ]
    }

    fn run(&self, seed: Seed) -> Result<Trace> {
        if self.begun.fetch_add(1, Ordering::SeqCst) >= self.last {
            return Err(Error::Option { name: "the power", value: 0.0, range: "on" }.into());
        }
        let mut rng = seed.stream(Stream::Data, 0);
        let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.25;
        let pool_risk = number();
        let values = self.columns().into_iter().map(|column| (0..column.steps).map(|_| number()).collect());
        Ok(Trace { pool_risk, values: values.collect(), recorded: vec![("toy".to_owned(), pool_risk)] })
    }

    fn example(&self, _: Seed) -> Result<Example> {
        let nothing = FunctionExample { train: Vec::new(), test: Vec::new(), model: Vec::new() };
        Ok(Example::Function(nothing))
    }
}

/// The names of the files in a folder, in order; none if it is not there.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every file below a folder with its bytes, and every folder.
pub(crate) fn contents(folder: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let mut contents = Vec::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            let below = self::contents(&path).into_iter();
            contents.push((name.clone(), None));
            contents.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            contents.push((name, Some(fs::read(path).unwrap())));
        }
    }
    contents
}

//! Figures at smoke scale, each made once and kept in memory.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise_paper::figure::{FIGURES, figure};
use labelwise_paper::{ExperimentSummary, FigureSummary, Making, Order, Scale};
use tempfile::tempdir;

use crate::toy::{contents, names};

/// A figure and all it has left on disk.
pub(crate) struct Figure {
    pub(crate) summary: FigureSummary,
    /// The names of the files it says it has written.
    pub(crate) said: Vec<String>,
    /// Every file by its path in the folder.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Figure {
    pub(crate) fn experiment(&self, name: &str) -> &ExperimentSummary {
        self.summary.experiments.iter().find(|experiment| experiment.name == name).unwrap()
    }

    pub(crate) fn text(&self, file: &str) -> &str {
        std::str::from_utf8(&self.files[file]).unwrap()
    }
}

/// The figures that need no networks.
const NAMES: [&str; 6] = ["1", "2", "3", "a1", "are", "beyond"];

/// Their names, as far as there are such figures.
pub(crate) fn every() -> impl Iterator<Item = &'static str> {
    FIGURES.into_iter().map(|figure| figure.name).filter(|name| NAMES.contains(name))
}

/// The figure of this name. Column by column Figure A.1 has what Figure 3 has, so that two runs of the latter will do.
pub(crate) fn made(name: &str) -> &'static Figure {
    static MADE: [OnceLock<Figure>; NAMES.len()] = [const { OnceLock::new() }; NAMES.len()];
    let place = every().position(|other| other == name).unwrap();
    let runs = (name == "3").then_some(2);
    MADE[place].get_or_init(|| make(name, Order { scale: Scale::Smoke, runs, seed: 0, ..Order::default() }))
}

/// Makes a figure in a folder that is gone afterwards.
pub(crate) fn make(name: &str, order: Order) -> Figure {
    let folder = tempdir().unwrap();
    let making = Making::new(figure(name).unwrap(), order, folder.path()).unwrap();
    let (runs, told) = (making.runs(), AtomicUsize::new(0));
    let made = making
        .make(&|count| {
            told.fetch_add(count, Ordering::SeqCst);
        })
        .unwrap();
    assert_eq!(told.load(Ordering::SeqCst), runs);
    let said =
        made.files.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned());
    let said = said.collect();
    assert!(made.files.iter().all(|path| fs::exists(path).unwrap()));
    assert!(!names(folder.path()).contains(&"blocks".to_owned()));
    let files = contents(folder.path()).into_iter().filter_map(|(file, bytes)| Some((file, bytes?)));
    Figure { summary: made.summary, said, files: files.collect() }
}

//! Figures on images at smoke scale, each made once and kept in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use labelwise_paper::figure::figure;
use labelwise_paper::{ExperimentSummary, FigureSummary, Made, Making, Order, Places, Scale};

use crate::digits::{LIGHT, archives, data, shared_folder};

/// A figure and what it left on disk.
pub(crate) struct Figure {
    pub(crate) summary: FigureSummary,
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

/// Every figure on images.
pub(crate) const NAMES: [&str; 11] = ["4a", "4b", "5", "6", "7", "8", "a2", "a3", "a4", "a5", "wilcoxon"];

/// Makes a figure in a folder, at smoke scale and with light learners.
pub(crate) fn make(name: &str, runs: Option<usize>, folder: &Path) -> labelwise_paper::Result<Made> {
    let places = Places { data: Some(data().to_owned()), archives: Some(archives().to_owned()) };
    let order = Order { scale: Scale::Smoke, runs, ..Order::default() };
    let making = Making::new(figure(name)?, order, &folder.join(order.folder(name)))?;
    making.with_places(&places).with_trainer(Some(&LIGHT)).make(&|_| {})
}

/// The figure of this name. All of them lie side by side, so that those that show the runs of others find them.
pub(crate) fn made(name: &str) -> &'static Figure {
    static MADE: [OnceLock<Figure>; 11] = [const { OnceLock::new() }; 11];
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    // The runs of others are made by whoever asks first: one after the other, since a folder is worked in by one.
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let place = NAMES.iter().position(|other| *other == name).unwrap();
    MADE[place].get_or_init(|| {
        let _lock = LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let folder = FOLDER.get_or_init(|| shared_folder("figures"));
        let made = make(name, None, folder).unwrap();
        let file = |path: &PathBuf| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
        };
        Figure { files: made.files.iter().map(file).collect(), summary: made.summary }
    })
}

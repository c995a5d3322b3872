//! What the repository has of runs at the scale of a laptop can be drawn again, and gives the numbers that are there.

use std::fs;
use std::path::{Path, PathBuf};

use labelwise_paper::figure::figure;
use labelwise_paper::{Making, Order, Places};
use serde_json::Value;
use tempfile::tempdir;

fn laptop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../paper/laptop")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Traces of 4a and 4b are committed, and so are the archives that Figure 5 is made of. What Figures 6 to 8 and A.2 repeat
/// takes longer than a test may.
#[test]
fn committed_runs_are_drawn_again_with_the_same_numbers() {
    let folder = tempdir().unwrap();
    let places = Places { data: None, archives: Some(laptop().join("archives")) };
    let order = Order::default();
    for name in ["4a", "4b", "5", "a3"] {
        let (there, here) = (laptop().join(order.folder(name)), folder.path().join(order.folder(name)));
        if !here.exists() {
            copy(&there, &here);
        }
        let making = Making::new(figure(name).unwrap(), order, &here).unwrap();
        making.with_places(&places).with_trainer(None).make(&|_| {}).unwrap();
        let (before, after) = (
            json(&there.join("summary.json")),
            json(&folder.path().join(order.folder(name)).join("summary.json")),
        );
        for part in ["claims", "experiments", "losses"] {
            assert_eq!(before.get(part), after.get(part), "{part} of {name}");
        }
    }
}

/// A figure whose runs are not committed is begun anew in its folder, whichever commit made its summary.
#[test]
fn folders_without_runs_can_be_run_again() {
    let folder = tempdir().unwrap();
    let order = Order::default();
    for name in ["6", "7", "8", "a2", "a4", "a5", "wilcoxon"] {
        copy(&laptop().join(order.folder(name)), &folder.path().join(order.folder(name)));
    }
    for name in ["4a", "4b"] {
        copy(&laptop().join(order.folder(name)), &folder.path().join(order.folder(name)));
    }
    for name in ["6", "7", "8", "a2", "a4", "a5", "wilcoxon"] {
        Making::new(figure(name).unwrap(), order, &folder.path().join(order.folder(name))).unwrap();
    }
}

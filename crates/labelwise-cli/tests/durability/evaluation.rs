//! A small evaluation made by the program, and what the program says of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Items of the pool.
pub(crate) const SIZE: usize = 60;

/// The program, away from any terminal and any settings of the user's.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labelwise"));
    command.env("XDG_CONFIG_HOME", "/nowhere at all").env_remove("RAYON_NUM_THREADS").stdin(Stdio::null());
    command
}

/// What a run of the program printed on stdout; it must succeed.
pub(crate) fn run(arguments: &[&str]) -> String {
    let output = program().args(arguments).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "labelwise {}: {out}{err}", arguments.join(" "));
    out.into_owned()
}

/// A folder with an evaluation in it.
pub(crate) struct Tried {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Tried {
    /// An evaluation of three classes of which so many items were asked.
    pub(crate) fn new(asked: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pool = folder.path().join("pool.csv");
        fs::write(&pool, pool_csv()).unwrap();
        let path = folder.path().join("pets.labelwise");
        run(&["new", text(&pool), "--out", text(&path), "--seed", "3"]);
        if asked > 0 {
            run(&["ask", text(&path), "-n", &asked.to_string()]);
        }
        Self { folder, path }
    }

    /// A comparison of two models on the same items.
    pub(crate) fn comparison() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one.csv"), folder.path().join("other.csv"));
        let rows = pool_csv();
        fs::write(&one, &rows).unwrap();
        // The other takes cats for dogs.
        fs::write(&other, rows.replacen("prob_cat,prob_dog", "prob_dog,prob_cat", 1)).unwrap();
        let path = folder.path().join("pets.labelwise");
        run(&["compare", text(&one), text(&other), "--out", text(&path), "--seed", "3"]);
        Self { folder, path }
    }

    /// The same files in a folder of their own.
    pub(crate) fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            let from = entry.unwrap().path();
            fs::copy(&from, folder.path().join(from.file_name().unwrap())).unwrap();
        }
        let path = folder.path().join("pets.labelwise");
        Self { folder, path }
    }

    pub(crate) fn file(&self) -> &str {
        text(&self.path)
    }

    /// A command about this evaluation.
    pub(crate) fn command(&self, verb: &str, rest: &[&str]) -> Command {
        let mut command = program();
        command.arg(verb).arg(&self.path).args(rest);
        command
    }

    pub(crate) fn output(&self, verb: &str, rest: &[&str]) -> Output {
        self.command(verb, rest).output().unwrap()
    }

    /// Every draw in order, with its label where it has one, by one process that only reads.
    pub(crate) fn draws(&self) -> Vec<(String, Option<String>)> {
        let lines = run(&["export", self.file(), "--json"]);
        let draw = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            (row["id"].as_str().unwrap().to_owned(), row["label"].as_str().map(str::to_owned))
        };
        lines.lines().map(draw).collect()
    }

    pub(crate) fn labels(&self) -> BTreeMap<String, String> {
        self.draws().into_iter().filter_map(|(id, label)| Some((id, label?))).collect()
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.draws().into_iter().map(|(id, _)| id).collect()
    }

    /// Everything again from the file.
    pub(crate) fn verify(&self) {
        run(&["verify", self.file()]);
    }
}

/// The label of an item, so that nobody has to remember it.
pub(crate) fn label(id: &str) -> &'static str {
    let number: usize = id.trim_start_matches("pet-").parse().unwrap();
    ["cat", "dog", "owl"][number * 7 % 3]
}

/// `id=label`.
pub(crate) fn answer(id: &str) -> String {
    format!("{id}={}", label(id))
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn pool_csv() -> String {
    let row = |item: usize| {
        let (cat, dog) = (0.05 + 0.9 * (item % 17) as f64 / 17.0 / 2.0, 0.1 + 0.3 * (item % 5) as f64 / 5.0);
        format!("pet-{item},{cat:.6},{dog:.6},{:.6}\n", 1.0 - cat - dog)
    };
    let rows: String = (0..SIZE).map(row).collect();
    format!("id,prob_cat,prob_dog,prob_owl\n{rows}")
}

/// After a crash in `tell`: the label is there or it is not, it is there if that was said, telling it again puts it there
/// once, and nothing else has changed.
pub(crate) fn after_tell(tried: &Tried, done: bool, id: &str, ids: &[String]) {
    let labels = tried.labels();
    assert!(labels.is_empty() || labels.len() == 1 && labels[id] == label(id));
    assert!(!done || labels.len() == 1, "a label that was acknowledged is not there");
    tried.verify();
    assert!(tried.output("tell", &[&answer(id)]).status.success());
    assert_eq!(tried.labels().len(), 1);
    assert_eq!(tried.ids(), ids);
}

//! A folder to work in, with pools whose labels are known.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder that commands run in, so that nothing they print names it.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// With `pool.csv`, a pool of three classes.
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("pool.csv", &pool_csv(200));
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labelwise"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null()).env("COLUMNS", "100");
        command.env("XDG_CONFIG_HOME", self.path("no such folder")).env_remove("RAYON_NUM_THREADS");
        command.env("USER", "tester");
        command
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Stdout of a run that must succeed.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "labelwise {}: {out}{err}", arguments.join(" "));
        out.into_owned()
    }

    /// Everything a run leaves behind, with moments taken out.
    pub(crate) fn transcript(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
        let mut text = format!("$ labelwise {}\nexit code: {code}\n", arguments.join(" "));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                writeln!(text, "--- {name}\n{}", String::from_utf8_lossy(bytes).trim_end()).unwrap();
            }
        }
        without_moments(&text)
    }

    /// Asks for so many items and tells their labels by a rule.
    pub(crate) fn label(&self, evaluation: &str, count: usize, rule: impl Fn(usize) -> String) {
        let asked = self.run(&["ask", evaluation, "-n", &count.to_string(), "--format", "csv"]);
        let mut labels = String::from("id,label\n");
        for line in asked.lines().skip(1) {
            let id = line.split(',').next().unwrap();
            let number = id.trim_start_matches("row-").parse().unwrap();
            writeln!(labels, "{id},{}", rule(number)).unwrap();
        }
        self.write("labels.csv", &labels);
        self.run(&["tell", evaluation, "labels.csv"]);
    }
}

/// 2026-11-16T05:55:17Z is a moment.
fn without_moments(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("T").filter(|at| *at >= 10 && at + 10 <= rest.len()) {
        let (before, after) = rest.split_at(at);
        let is_moment = after.get(9..10) == Some("Z")
            && before.get(at - 10..).is_some_and(|day| day.chars().all(|c| c.is_ascii_digit() || c == '-'));
        if is_moment {
            clean += &before[..at - 10];
            clean += "(moment)";
            rest = &after[10..];
        } else {
            clean += before;
            clean.push('T');
            rest = &after[1..];
        }
    }
    clean + rest
}

pub(crate) const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// Numbers that only have to differ, between 0 and 1.
pub(crate) fn spread(item: usize, salt: usize) -> f64 {
    let hash = (item * 2_654_435_761 + salt * 40_503 + 12_345) % 1_000_003;
    hash as f64 / 1_000_003.0
}

/// Three probabilities.
pub(crate) fn probabilities(item: usize) -> [f64; 3] {
    let parts: Vec<f64> = (0..3).map(|class| 0.02 + spread(item, class).powi(4)).collect();
    let sum: f64 = parts.iter().sum();
    [parts[0] / sum, parts[1] / sum, 1.0 - parts[0] / sum - parts[1] / sum]
}

/// The label of an item: mostly what the model says.
pub(crate) fn label(item: usize) -> &'static str {
    let rows = probabilities(item);
    let u = spread(item, 9);
    if u < rows[0] {
        CLASSES[0]
    } else if u < rows[0] + rows[1] {
        CLASSES[1]
    } else {
        CLASSES[2]
    }
}

pub(crate) fn pool_csv(rows: usize) -> String {
    let mut text = String::from("id,prob_cat,prob_dog,prob_owl,label,text,x1,x2\n");
    for item in 0..rows {
        let [cat, dog, owl] = probabilities(item);
        let (x, y) = (spread(item, 0), spread(item, 1));
        writeln!(
            text,
            "row-{item},{cat:.8},{dog:.8},{owl:.8},{},\"photo {item}\",{x:.5},{y:.5}",
            label(item)
        )
        .unwrap();
    }
    text
}

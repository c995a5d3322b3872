//! Measures reliability: fuzzing, kills, damage, full disks, hostile files. Every count that `docs/reliability.md` has comes
//! from here.

use std::path::Path;
use std::process::Stdio;

use crate::process::{Failure, cargo, program, run, succeeds};
use crate::steps::Steps;
use crate::{apt, browser, executable, python};

/// What is measured, in the order in which it runs.
pub(crate) const NAMES: [&str; 4] = ["durability", "hostile", "labelling", "fuzz"];

/// Executions of each reader, of a campaign and of a quick one. An evaluation is a database, and takes longer.
const EXECUTIONS: (&str, &str) = ("1000000", "2000");

/// How many times as often the tests of durability try as they do in the suite.
const TIMES: &str = "10";

/// What was asked for.
pub(crate) struct Asked<'a> {
    quick: bool,
    hours: Option<&'a str>,
    seed: &'a str,
    names: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// What the words after `reliability` ask for, or the first that is not understood.
    pub(crate) fn from(words: &[&'a str]) -> Result<Self, &'a str> {
        let mut asked = Self { quick: false, hours: None, seed: "0", names: Vec::new() };
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "--quick" => asked.quick = true,
                "--hours" => asked.hours = Some(words.next().ok_or(word)?),
                "--seed" => asked.seed = words.next().ok_or(word)?,
                name if NAMES.contains(&name) => asked.names.push(name),
                unknown => return Err(unknown),
            }
        }
        Ok(asked)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(&name)
    }
}

/// Measures what was asked for.
pub(crate) fn run_all(root: &Path, asked: &Asked<'_>) -> Result<(), Failure> {
    const COMPILE: &str = "compile";
    let wanted = NAMES.into_iter().filter(|name| asked.wants(name));
    let mut steps = Steps::new(&[COMPILE].into_iter().chain(wanted).collect::<Vec<_>>());
    let built = steps.run(COMPILE, || executable::for_reliability(root))?;
    let (labelwise, fuzz) = (built.labelwise()?, built.fuzz()?);
    if asked.wants("durability") {
        steps.run("durability", || durability(root, asked.quick))?;
    }
    if asked.wants("hostile") {
        steps.run("hostile", || hostile(root, &fuzz, &labelwise, asked.quick))?;
    }
    if asked.wants("labelling") {
        steps.run("labelling", || labelling(root, &labelwise, asked))?;
    }
    if asked.wants("fuzz") {
        steps.run("fuzz", || {
            let executions = if asked.quick { EXECUTIONS.1 } else { EXECUTIONS.0 };
            let mut command = program(&fuzz, root);
            command.args(["run", "--executions", executions, "--seed", asked.seed]);
            run(command.args(asked.hours.into_iter().flat_map(|hours| ["--hours", hours])))
        })?;
    }
    steps.print_times();
    Ok(())
}

/// Gives hostile files to the program.
pub(crate) fn hostile(root: &Path, fuzz: &Path, labelwise: &Path, quick: bool) -> Result<(), Failure> {
    let quick = quick.then_some("--quick");
    run(program(fuzz, root).arg("hostile").arg(labelwise).args(quick))
}

/// Lets two robots label in browsers while the server is killed.
fn labelling(root: &Path, labelwise: &Path, asked: &Asked<'_>) -> Result<(), Failure> {
    let browser = browser::ensure(root)?;
    let python = python::environment(root, &python::SCRIPTS)?;
    let size: &[&str] = if asked.quick { &["--labels", "100", "--kills", "20"] } else { &[] };
    run(program(&python, root)
        .arg("scripts/labelling_robots.py")
        .args(size)
        .args(["--seed", asked.seed])
        .env("LABELWISE_BROWSER", browser)
        .env("LABELWISE_PROGRAM", labelwise)
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Runs the tests of durability more often, with those that need strace and root, and prints what they count.
fn durability(root: &Path, quick: bool) -> Result<(), Failure> {
    if !succeeds(program("strace", root).arg("--version")) {
        apt::install(root, &["strace"])?;
    }
    let output = cargo(root)
        .args([
            "test",
            "--workspace",
            "--locked",
            "--test",
            "durability",
            "--test",
            "campaign",
            "--",
            "--nocapture",
        ])
        .env("LABELWISE_TIMES", if quick { "1" } else { TIMES })
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("cargo could not be started: {error}.")))?;
    let said = String::from_utf8_lossy(&output.stdout);
    for line in said.lines().filter_map(counted) {
        println!("{line}");
    }
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("The tests of durability failed ({}):\n{said}", output.status)))
}

/// The counts in a line that a test printed. The name of the test may be before it.
fn counted(line: &str) -> Option<&str> {
    line.split_once("reliability | ").map(|(_, counts)| counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_options_and_names() {
        let asked = Asked::from(&["--quick", "fuzz", "--hours", "2", "--seed", "7"]);
        assert!(asked.is_ok_and(|asked| {
            asked.quick && asked.hours == Some("2") && asked.seed == "7" && !asked.wants("hostile")
        }));
        assert_eq!(Asked::from(&["fuzz", "nothing"]).err(), Some("nothing"));
        assert_eq!(Asked::from(&["--hours"]).err(), Some("--hours"));
    }

    #[test]
    fn counts_are_found_behind_the_name_of_a_test() {
        assert_eq!(counted("test kill::a ... reliability | kill | 2 | 0 lost"), Some("kill | 2 | 0 lost"));
        assert_eq!(counted("test kill::a ... ok"), None);
    }
}

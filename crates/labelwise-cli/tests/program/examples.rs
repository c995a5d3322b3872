//! Every command's help has an example, and every example works as it stands.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{Folder, command, everywhere};

fn help(of: &[String]) -> String {
    let arguments: Vec<&str> = of.iter().map(String::as_str).chain(["--help"]).collect();
    String::from_utf8(command(&arguments).output().unwrap().stdout).unwrap()
}

/// Every command, as the words that call it.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(above) = open.pop() {
        let help = help(&above);
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" {
                let below = [above.as_slice(), &[name.to_owned()]].concat();
                found.push(below.clone());
                open.push(below);
            }
        }
    }
    found
}

/// The search path with the program in it.
pub(crate) fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_labelwise")).parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths([program].into_iter().chain(env::split_paths(&path))).unwrap()
}

/// The command lines of the examples at the end of a help.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example"));
    lines.filter_map(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

/// Runs a line as somebody would type it, in a folder where `my-labeller` calls everything a cat.
fn type_in(folder: &Folder, line: &str) -> std::process::Output {
    let labeller = r#"my-labeller() { sed 's/}$/,"label":"cat"}/'; }"#;
    let mut shell = Command::new("bash");
    let script = format!("{labeller}; {line}");
    everywhere(
        shell.args(["-o", "pipefail", "-c", &script]).env("PATH", path()).current_dir(folder.path("")),
    );
    shell.output().unwrap()
}

/// Runs a line that opens the labelling page, and closes it as Ctrl-C does.
fn opens_a_page(folder: &Folder, line: &str) {
    // Any port will do, and no browser of a developer is to open.
    let quietly = if line.contains("--no-browser") { "" } else { " --no-browser" };
    let line = format!("exec {}{quietly}", line.replace("8931", "0"));
    let mut shell = Command::new("bash");
    everywhere(shell.args(["-c", &line]).env("PATH", path()).current_dir(folder.path("")));
    let mut page = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(page.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    assert!(address.starts_with("http://127.0.0.1:") && address.contains("/#"), "{line}: {address}");
    let mut kill = Command::new("kill");
    assert!(kill.arg(page.id().to_string()).status().unwrap().success());
    let output = page.wait_with_output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {talk}");
    assert!(talk.contains("0 labels on disk; 60 items wait for their answers."), "{talk}");
    assert!(talk.contains("Next: labelwise label pool.labelwise"), "{talk}");
}

/// A folder with the pool of the examples; where a command needs one, with an evaluation `pool.labelwise` that has
/// asked for `row-17`, and with labels for what it asked.
fn world(of: &[String]) -> Folder {
    let pool = fs::read_to_string("../../examples/pool.csv").unwrap();
    let other = fs::read_to_string("../../examples/pool-b.csv").unwrap();
    let folder = Folder::new().with("examples/pool.csv", &pool).with("examples/pool-b.csv", &other);
    let name = of.first().map_or("", String::as_str);
    if name == "apply" {
        return judged(folder);
    }
    let on_evaluations = [
        "ask", "tell", "skip", "amend", "refresh", "status", "estimate", "plan", "check", "compare",
        "export", "verify", "report", "backup", "label", "ls",
    ];
    if !on_evaluations.contains(&name) {
        return folder;
    }
    // The model is sure of all but one, which is asked for among the first.
    let row = |i: u32| {
        let probabilities = if i == 17 { "0.5,0.5" } else { "0.9999,0.0001" };
        format!("row-{i},pet {i},{probabilities}\n")
    };
    let rows: String = (0..90).map(row).collect();
    let folder = folder.with("pets.csv", &format!("id,name,prob_cat,prob_dog\n{rows}"));
    folder.json(&["new", "pets.csv", "--out", "pool.labelwise", "--json"]);
    if name == "compare" {
        return compared(folder);
    }
    if name == "refresh" {
        let part = folder.path("scores/dt=1/part-0.parquet");
        fs::create_dir_all(part.parent().unwrap()).unwrap();
        fs::copy("../labelwise-pool/tests/fixtures/pools/pool.parquet", part).unwrap();
        let pool = "scores/dt=*/part-*.parquet";
        folder.json(&["new", pool, "--elsewhere", "--seed", "1", "--out", "support.labelwise", "--json"]);
    }
    let asked = folder.json(&["ask", "pool.labelwise", "-n", "60", "--json"]);
    let ids: Vec<&str> =
        asked["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"row-17"), "{ids:?}");
    let told = ["tell", "skip", "label"].contains(&name);
    let folder = folder.with("guide.md", "Cats purr.");
    let rows: String = ids.iter().map(|id| format!("{id},cat\n")).collect();
    let folder = folder.with("labels.csv", &format!("id,label\n{rows}"));
    if !told {
        let recorded: Value = folder.json(&["tell", "pool.labelwise", "labels.csv", "--json"]);
        assert_eq!(recorded["recorded"], 60);
    }
    folder
}

/// An evaluation of answers by a judge, with labels, and the next batch of answers.
fn judged(folder: Folder) -> Folder {
    let answers = fs::read_to_string("../../examples/answers.csv").unwrap();
    let folder = folder.with("support.csv", &answers).with("week48.csv", &answers);
    let judge = ["--judge", "judge_score", "--loss", "rate", "--positive", "pass", "--json"];
    folder.json(&[&["new", "support.csv", "--out", "support.labelwise"][..], &judge].concat());
    let asked = folder.json(&["ask", "support.labelwise", "-n", "40", "--json"]);
    let label = |id: &str| {
        let row = answers.lines().find(|line| line.split(',').next() == Some(id)).unwrap();
        row.rsplit(',').next().unwrap().to_owned()
    };
    let ids = asked["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap());
    let rows: String = ids.map(|id| format!("{id},{}\n", label(id))).collect();
    let folder = folder.with("labels.csv", &format!("id,label\n{rows}"));
    folder.json(&["tell", "support.labelwise", "labels.csv", "--json"]);
    folder
}

/// The same with another model beside it, in `other.csv`, and with labels: of the evaluation, and of a comparison of both.
fn compared(folder: Folder) -> Folder {
    let row = |i: u32| format!("row-{i},0.{},0.{}\n", 90 - i % 30, 10 + i % 30);
    let rows: String = (0..90).map(row).collect();
    let folder = folder.with("other.csv", &format!("id,prob_cat,prob_dog\n{rows}"));
    folder.json(&["compare", "pets.csv", "other.csv", "--out", "ab.labelwise", "--json"]);
    let mut folder = folder;
    for evaluation in ["pool.labelwise", "ab.labelwise"] {
        let asked = folder.json(&["ask", evaluation, "-n", "60", "--json"]);
        let items = asked["items"].as_array().unwrap();
        let rows: String =
            items.iter().map(|item| format!("{},cat\n", item["id"].as_str().unwrap())).collect();
        folder = folder.with("labels.csv", &format!("id,label\n{rows}"));
        folder.json(&["tell", evaluation, "labels.csv", "--json"]);
    }
    folder
}

#[test]
fn the_example_of_every_command_works() {
    let mut all = commands();
    assert!(all.len() >= 16, "{all:?}");
    all.push(Vec::new());
    for command in all {
        let examples = examples(&help(&command));
        assert!(!examples.is_empty(), "the help of {command:?} has no example");
        let called = format!("labelwise {}", command.join(" "));
        assert!(examples.iter().any(|line| line.contains(&called)), "{called}: {examples:?}");
        for line in examples {
            if line.starts_with("labelwise label") && !line.contains("--terminal") {
                opens_a_page(&world(&command), &line);
                continue;
            }
            let output = type_in(&world(&command), &line);
            if line.starts_with("labelwise ls") && !line.starts_with("labelwise ls config") {
                // The server is elsewhere: scripts/test_label_studio.py has one.
                let talk = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(talk.contains("set LABEL_STUDIO_API_KEY to a token"), "{line}: {talk}");
                continue;
            }
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        }
    }
}

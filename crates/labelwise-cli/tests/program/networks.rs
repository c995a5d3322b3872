//! `labelwise paper` for figures on images, from archives: digits and light learners stand in for sets and networks.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use labelwise_paper::problem::Settings;
use labelwise_paper::{Scale, figure};
use serde_json::Value;
use tempfile::tempdir;

use crate::digits::archives;
use crate::run::{command, transcript};

/// The transcript of a figure at smoke scale from archives, in which folders have names.
fn transcript_from(figure: &str, archives: &Path, out: &Path) -> String {
    let [from, to] = [archives, out].map(|path| path.to_str().unwrap());
    let arguments = ["paper", figure, "--scale", "smoke", "--archives", from, "--out", to];
    transcript(&arguments).unwrap().replace(from, "<archives>").replace(to, "<folder>")
}

#[test]
fn figures_from_archives() {
    let folder = tempdir().unwrap();
    for figure in ["5", "7", "8"] {
        let text = transcript_from(figure, archives(), &folder.path().join(figure));
        assert_snapshot!(format!("figure_{figure}"), text);
    }
}

#[test]
fn a_figure_goes_on_where_it_was_and_needs_no_archives_any_more() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("8");
    let first = transcript_from("8", archives(), &out);
    let page = fs::read(out.join("report.html")).unwrap();
    let again = transcript_from("8", &folder.path().join("nowhere"), &out);
    assert_eq!(again.replace("nowhere", ""), first.replace("nowhere", ""));
    assert_eq!(fs::read(out.join("report.html")).unwrap(), page);
}

#[test]
fn archives_of_others_are_refused() {
    let (folder, mine) = (tempdir().unwrap(), tempdir().unwrap());
    let recipes = figure::figure("8").unwrap().recipes(Settings::Text, Scale::Smoke);
    let [one, other] = [&recipes[0], &recipes[1]].map(|recipe| recipe.file());
    for file in [&one, &other] {
        fs::copy(archives().join(&other), mine.path().join(file)).unwrap();
    }
    let text = transcript_from("8", mine.path(), &folder.path().join("8"));
    assert_snapshot!("other_archive", text);
    fs::write(mine.path().join(&one), "no archive at all").unwrap();
    assert_snapshot!("damaged_archive", transcript_from("8", mine.path(), &folder.path().join("8")));
}

#[cfg(not(feature = "deep"))]
#[test]
fn what_has_to_be_trained_is_told_with_the_way_to_do_it() {
    let (folder, nothing) = (tempdir().unwrap(), tempdir().unwrap());
    for figure in ["4a", "6", "wilcoxon"] {
        let text = transcript_from(figure, nothing.path(), &folder.path().join("runs").join(figure));
        assert_snapshot!(format!("needs_training_{figure}"), text);
    }
}

#[test]
fn a_table_of_tests_is_made_of_the_runs_beside_it() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("a5");
    transcript_from("a5", archives(), &out);
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["8-text-smoke", "a5"]);
    let (from, to) = (archives().to_str().unwrap(), out.to_str().unwrap());
    let arguments = ["paper", "a5", "--scale", "smoke", "--json", "--archives", from, "--out", to];
    let output = command(&arguments).output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["experiments"][0]["name"], "radial-bnn-on-fashion-mnist");
    assert_eq!(summary["claims"].as_array().unwrap().len(), 3);
}

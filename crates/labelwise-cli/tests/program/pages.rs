//! Help, completions and manual pages: every command is in them.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;

use crate::examples::{commands, path};
use crate::run::{Folder, command, everywhere, transcript};

#[test]
fn help() {
    for name in ["simulate", "config", "config show", "completions", "man"] {
        let arguments: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        assert_snapshot!(format!("help_of_{}", name.replace(' ', "_")), transcript(&arguments).unwrap());
    }
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = command(&["completions", shell]).output().unwrap();
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        for command in commands() {
            let last = command.last().unwrap();
            assert!(script.contains(last), "{shell} does not know {command:?}");
        }
        assert!(script.contains("label-column"), "{shell} does not know options");
    }
}

#[test]
fn bash_completes() {
    let script = "source <(labelwise completions bash)
        COMP_WORDS=(labelwise sim) COMP_CWORD=1
        _labelwise labelwise sim labelwise
        echo ${COMPREPLY[@]}";
    let mut bash = Command::new("bash");
    everywhere(bash.args(["-c", script]).env("PATH", path()));
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "simulate\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn every_command_has_a_manual_page_with_its_example() {
    let folder = Folder::new();
    assert_snapshot!("man", folder.transcript(&["man", "--out", "man"]));
    let pages = fs::read_dir(folder.path("man")).unwrap().count();
    assert_eq!(pages, commands().len() + 1);
    for command in commands() {
        let page = folder.path("man").join(format!("labelwise-{}.1", command.join("-")));
        let page = fs::read_to_string(&page).unwrap();
        assert!(page.contains(".TH labelwise"), "{command:?}: {page}");
        assert!(page.contains("Example"), "{command:?}: {page}");
    }
    let names = folder.json(&["man", "--out", "man", "--json"]);
    assert_eq!(names["schema"], "labelwise.man/1");
    assert_eq!(names["files"].as_array().unwrap().len(), pages);
}

#[test]
fn errors() {
    let folder = Folder::new().with("file", "mine");
    assert_snapshot!("error_man_file", folder.transcript(&["man", "--out", "file"]));
    assert_snapshot!("error_man_below", folder.transcript(&["man", "--out", "file/man", "--json"]));
    assert_snapshot!("error_man_nowhere", folder.transcript(&["man"]));
    assert_snapshot!("error_shell", folder.transcript(&["completions", "tcsh"]));
    assert_eq!(fs::read(folder.path("file")).unwrap(), b"mine");
}

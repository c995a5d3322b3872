//! Colour is never needed, and is there only where it is wanted.

use crate::run::{Folder, command};

/// What both streams show of a run, as one text.
fn shown(command: &mut std::process::Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn without_a_terminal_there_is_none() {
    for arguments in [&["demmo"][..], &["demo", "--budget", "0"], &["--help"], &["--color", "auto", "demmo"]]
    {
        assert!(!shown(&mut command(arguments)).contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn it_marks_the_first_word_and_headings_alone() {
    let failure = shown(&mut command(&["--color", "always", "demo", "--budget", "0"]));
    assert!(failure.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m the budget is 0 labels"), "{failure:?}");
    assert_eq!(failure.matches('\u{1b}').count(), 3, "{failure:?}");
    let usage = shown(&mut command(&["demo", "--color=always", "--bugdet", "3"]));
    assert!(usage.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m unexpected argument"), "{usage:?}");
    let help = shown(&mut command(&["--color", "always", "--help"]));
    assert!(help.contains("\u{1b}[1mCommands:\u{1b}[0m"), "{help:?}");
    let hint = Folder::new().with("pool.csv", "id,a,b\nx,1,2\n");
    let hint =
        shown(&mut hint.command(&["simulate", "pool.csv", "--label-column", "a", "--color", "always"]));
    assert!(hint.contains("\n\u{1b}[1m\u{1b}[36mhint:\u{1b}[0m --probs"), "{hint:?}");
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_files() {
    let folder = Folder::new().with("labelwise.toml", "color = \"always\"\n");
    let coloured = |variable: &str, arguments: &[&str]| {
        let mut command = folder.command(arguments);
        shown(command.env("LABELWISE_COLOR", variable)).contains('\u{1b}')
    };
    assert!(coloured("", &["demmo"]));
    assert!(!coloured("never", &["demmo"]));
    assert!(coloured("never", &["--color", "always", "demmo"]));
    assert!(!coloured("", &["--color", "never", "demmo"]));
    // Of a command with settings too, whose error comes after they are read.
    assert!(coloured("", &["simulate", "nothing.csv", "--label-column", "label"]));
    assert!(!coloured("never", &["simulate", "nothing.csv", "--label-column", "label"]));
    assert!(!coloured("", &["simulate", "nothing.csv", "--label-column", "label", "--color", "never"]));
}

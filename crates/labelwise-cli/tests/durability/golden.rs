//! Files of every schema version that was ever released keep opening, and say what they said.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::evaluation::{answer, program, run, text};
use crate::fault::{Kind, fails};

/// A copy of an evaluation that a version of the schema made, which may be written to, and its folder.
fn golden(name: &str) -> (tempfile::TempDir, PathBuf) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durability/golden").join(name);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::copy(golden, &path).unwrap();
    (folder, path)
}

/// The version is at byte 60 of SQLite's header, most significant byte first.
fn version(path: &Path) -> u8 {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[60..63], [0, 0, 0]);
    bytes[63]
}

/// What a golden file says, and which draws come next; then it goes on.
fn opens_and_continues(schema: u8) {
    let (_folder, path) = golden(&format!("schema-{schema}.labelwise"));
    assert_snapshot!(format!("schema_{schema}_draws"), run(&["export", text(&path)]));
    assert_snapshot!(format!("schema_{schema}_events"), run(&["export", text(&path), "--what", "events"]));
    let estimate = run(&["estimate", text(&path), "--loss", "cross-entropy,accuracy,brier"]);
    assert_snapshot!(format!("schema_{schema}_estimate"), estimate.replace(text(&path), "pets.labelwise"));
    run(&["verify", text(&path)]);
    assert_eq!(version(&path), schema, "readers change nothing");
    // And it goes on where it stopped: these draws were settled when it was made.
    assert_snapshot!(
        format!("schema_{schema}_next"),
        run(&["ask", text(&path), "-n", "3", "--format", "csv"])
    );
    assert_eq!(version(&path), 2, "the first writer upgrades");
    let waiting = run(&["ask", text(&path), "--waiting", "--format", "csv"]);
    let (id, _) = waiting.lines().nth(1).unwrap().split_once(',').unwrap();
    run(&["tell", text(&path), &answer(id)]);
    run(&["verify", text(&path)]);
}

#[test]
fn the_first_schema_opens_for_ever() {
    opens_and_continues(1);
}

#[test]
fn the_second_schema_opens_for_ever() {
    opens_and_continues(2);
}

/// An upgrade that is cut short leaves a file of the first version or of the second, with the same record.
#[test]
fn a_crash_at_any_point_of_the_upgrade_leaves_a_whole_file() {
    let (_folder, first) = golden("schema-1.labelwise");
    let whole = run(&["export", text(&first), "--what", "events"]);
    let (mut before, mut after) = (0, 0);
    for at in 1.. {
        let (folder, path) = golden("schema-1.labelwise");
        let mut command = program();
        // A request that was answered before: nothing is written but the upgrade.
        command.args(["ask", text(&path), "-n", "12", "--key", "first"]);
        let output = fails(&mut command, folder.path(), Kind::Kill, at).output().unwrap();
        assert_eq!(run(&["export", text(&path), "--what", "events"]), whole);
        run(&["verify", text(&path)]);
        // Reading closed the file, so that its log is part of it now.
        match version(&path) {
            1 => before += 1,
            2 => after += 1,
            other => panic!("version {other} after {at} calls"),
        }
        if output.status.success() {
            assert!(before > 2 && after > 1, "{before} points before the upgrade, {after} after");
            return;
        }
    }
}

#[test]
fn a_later_schema_is_refused_by_name() {
    let (_folder, path) = golden("schema-2.labelwise");
    let mut bytes = fs::read(&path).unwrap();
    bytes[63] = 3;
    fs::write(&path, &bytes).unwrap();
    let output = program().arg("status").arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains(
            "was written by a newer version of labelwise (schema 3; this version knows 2): update labelwise"
        ),
        "{said}"
    );
}

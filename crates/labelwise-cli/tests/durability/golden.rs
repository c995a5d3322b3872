//! Files of every schema version that was ever released keep opening, and say what they said.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::evaluation::{answer, program, run, text};

/// The evaluation that the first version made, a copy of it that may be written to, and its folder.
fn first_version() -> (tempfile::TempDir, std::path::PathBuf) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durability/golden/schema-1.labelwise");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema-1.labelwise");
    fs::copy(golden, &path).unwrap();
    (folder, path)
}

#[test]
fn the_first_schema_opens_for_ever() {
    let (_folder, path) = first_version();
    assert_snapshot!("schema_1_draws", run(&["export", text(&path)]));
    assert_snapshot!("schema_1_events", run(&["export", text(&path), "--what", "events"]));
    assert_snapshot!(
        "schema_1_estimate",
        run(&["estimate", text(&path), "--loss", "cross-entropy,accuracy,brier"])
    );
    run(&["verify", text(&path)]);
    // And it goes on where it stopped: these draws were settled when it was made.
    assert_snapshot!("schema_1_next", run(&["ask", text(&path), "-n", "3", "--format", "csv"]));
    let waiting = run(&["ask", text(&path), "--waiting", "--format", "csv"]);
    let (id, _) = waiting.lines().nth(1).unwrap().split_once(',').unwrap();
    run(&["tell", text(&path), &answer(id)]);
    run(&["verify", text(&path)]);
}

#[test]
fn a_later_schema_is_refused_by_name() {
    let (_folder, path) = first_version();
    let mut bytes = fs::read(&path).unwrap();
    // The version is at byte 60 of SQLite's header, most significant byte first.
    assert_eq!(bytes[60..64], [0, 0, 0, 1]);
    bytes[63] = 2;
    fs::write(&path, &bytes).unwrap();
    let output = program().arg("status").arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("was made by a newer labelwise (schema 2, this one knows 1): update labelwise"),
        "{said}"
    );
}

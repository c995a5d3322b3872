//! What is opened, and what is refused.

use rusqlite::Connection;

use super::super::head::{self, Fates, Head};
use super::super::{connect, schema};
use super::*;

fn refusal(path: &Path) -> Error {
    let [write, read] = [Access::Write, Access::Read].map(|access| File::open(path, access).err().unwrap());
    assert_eq!(write.to_string(), read.to_string());
    write
}

#[test]
fn a_newer_schema_is_refused() {
    let evaluation = Evaluation::new();
    let other = Connection::open(&evaluation.path).unwrap();
    other.pragma_update(None, "user_version", 3).unwrap();
    let refused = refusal(&evaluation.path);
    assert!(matches!(refused, Error::NewerSchema { schema: 3, known: 2, .. }), "{refused}");
}

/// Makes the file one of the first version, as labelwise 0.1.0 would have left it.
pub(super) fn to_first_version(evaluation: &Evaluation) {
    let file = evaluation.write();
    let checksum = head::checksum(&head::numbers::<11>(&file.conn, &file.path, head::SELECT).unwrap()[..8]);
    file.conn
        .execute_batch(&format!(
            "CREATE TEMP TABLE kept AS SELECT * FROM head; DROP INDEX event_place; DROP INDEX event_place_again;
             DROP TABLE head; {}; INSERT INTO main.head SELECT 1, {}, draws, draw_chain, events, event_chain,
             refreshes, refresh_chain, ahead, requests FROM kept; PRAGMA user_version = 1",
            schema::FIRST_HEAD,
            checksum.cast_signed()
        ))
        .unwrap();
}

#[test]
fn the_first_version_is_read_as_it_is_and_upgraded_by_the_first_writer() {
    let evaluation = Evaluation::used();
    let skipped = EventRow { kind: EventKind::Skipped, label: None, ..told(7) };
    evaluation.write().write(|write| write.append_events(&[skipped])).unwrap();
    let record = evaluation.read().record().unwrap();
    to_first_version(&evaluation);
    let bytes = std::fs::read(&evaluation.path).unwrap();
    let mut reader = evaluation.read();
    assert_eq!(reader.record().unwrap(), record);
    reader.check_everything().unwrap();
    let (_, wrong) = reader.whole();
    wrong.unwrap();
    drop(reader);
    assert_eq!(std::fs::read(&evaluation.path).unwrap(), bytes, "a reader writes nothing");

    let (mut reader, mut other_reader) = (evaluation.read(), evaluation.read());
    reader.record().unwrap();
    let mut file = evaluation.write();
    assert_eq!(schema::version(&file.conn).unwrap(), 2);
    let head = Head::read(&file.conn, &file.path).unwrap();
    assert_eq!(head.fates, Fates { labelled: 6, skipped: 1, missing: 0 });
    file.check_everything().unwrap();
    tell(&mut file, 7..9);
    for reader in [&mut reader, &mut other_reader] {
        assert_eq!(reader.record().unwrap().events.len(), 9);
        reader.check_everything().unwrap();
    }
    let head = Head::read(&file.conn, &file.path).unwrap();
    assert_eq!(head.fates, Fates { labelled: 8, skipped: 0, missing: 0 });
}

#[test]
fn a_damaged_file_of_the_first_version_is_not_upgraded() {
    let evaluation = Evaluation::used();
    to_first_version(&evaluation);
    let other = Connection::open(&evaluation.path).unwrap();
    other.execute("UPDATE event SET label = 'dog' WHERE seq = 3", ()).unwrap();
    drop(other);
    let refused = File::open(&evaluation.path, Access::Write).err();
    assert!(matches!(refused, Some(Error::Broken { table: "event", .. })), "{refused:?}");
    let (whole, _) = evaluation.read().whole();
    assert_eq!(whole.events.len(), 3);
}

#[test]
fn what_is_no_evaluation_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("text"), "id,label\n1,cat\n".repeat(100)).unwrap();
    std::fs::write(path("empty"), "").unwrap();
    Connection::open(path("other"))
        .unwrap()
        .execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        .unwrap();
    let others = std::fs::read(path("other")).unwrap();
    for name in ["text", "empty", "other", "."] {
        let refused = refusal(&path(name));
        assert!(matches!(refused, Error::NotAnEvaluation { .. }), "{name}: {refused}");
    }
    assert_eq!(std::fs::read(path("other")).unwrap(), others);
    let refused = refusal(&path("missing"));
    assert!(matches!(refused, Error::NoEvaluation { .. }), "{refused}");
    assert_eq!(names(folder.path()), ["empty", "other", "text"]);
}

#[test]
fn tables_that_a_stranger_changed_are_refused() {
    for change in [
        "CREATE TRIGGER t AFTER INSERT ON event BEGIN UPDATE event SET label = 'cat'; END",
        "CREATE VIEW v AS SELECT * FROM draw",
        "DROP TABLE request",
        "ALTER TABLE request RENAME COLUMN verb TO what",
        "CREATE INDEX i ON event(who)",
    ] {
        let evaluation = Evaluation::used();
        Connection::open(&evaluation.path).unwrap().execute_batch(change).unwrap();
        let refused = refusal(&evaluation.path);
        assert!(matches!(refused, Error::Broken { table: "sqlite_schema", .. }), "{change}: {refused}");
    }
}

#[test]
fn a_reader_does_not_write() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.read();
    let refused = file.write(|write| write.append_events(&[told(7)]));
    assert!(matches!(refused, Err(Error::ReadOnly { .. })), "{refused:?}");
    assert!(file.conn.execute("DELETE FROM event", ()).is_err());
}

/// Where the folder cannot be written to, the file is read as it lies and nothing is put beside it.
#[test]
fn a_folder_that_takes_no_locks_is_read_without() {
    let evaluation = Evaluation::used();
    let odd = evaluation.folder.path().join("odd name ?#%41é.labelwise");
    std::fs::rename(&evaluation.path, &odd).unwrap();
    let before = names(evaluation.folder.path());
    let (conn, frozen) = connect::from_read_only(&odd).unwrap();
    assert!(frozen);
    let count = conn.query_row("SELECT count(*) FROM event", (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count, 6);
    assert_eq!(names(evaluation.folder.path()), before);
}

/// The superuser reads files of any permissions, so this is a file that nobody can open.
#[test]
fn a_file_that_cannot_be_opened_is_not_said_to_be_write_protected() {
    let folder = tempfile::tempdir().unwrap();
    let refused = connect::from_read_only(&folder.path().join("e.labelwise"));
    let Err(error) = refused else { panic!() };
    assert!(matches!(error, Error::File { .. }), "{error}");
    assert!(error.to_string().ends_with("permission denied"), "{error}");
}

#[test]
fn what_a_writer_has_open_is_read_with_its_log() {
    let evaluation = Evaluation::used();
    let mut writer = evaluation.write();
    tell(&mut writer, 6..7);
    let (conn, frozen) = connect::from_read_only(&evaluation.path).unwrap();
    assert!(!frozen);
    let count = conn.query_row("SELECT count(*) FROM event", (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count, 7);
}

/// By permissions, which do not hold for the superuser; then it is read with locks.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_read_and_not_written_to() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let evaluation = Evaluation::used();
    let folder = evaluation.folder.path().to_owned();
    set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    let writable = std::fs::write(folder.join("probe"), "").is_ok();
    let mut file = evaluation.read();
    assert_eq!(file.frozen, !writable);
    assert_eq!(file.record().unwrap().events.len(), 6);
    if !writable {
        let refused = File::open(&evaluation.path, Access::Write).err();
        assert!(matches!(refused, Some(Error::ReadOnly { .. })), "{refused:?}");
        assert_eq!(evaluation.names(), ["a.labelwise"]);
    }
    // Once somebody may write, the same reader follows.
    set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    tell(&mut evaluation.write(), 6..9);
    assert_eq!(file.record().unwrap().events.len(), 9);
}

#[test]
fn a_name_that_begins_as_an_address_is_a_files() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(connect::plain(Path::new("file:a?mode=memory")), Path::new("./file:a?mode=memory"));
    let path = folder.path().join("file:a?mode=memory");
    draft(&path).publish().unwrap();
    assert_eq!(File::open(&path, Access::Write).unwrap().settings(), SETTINGS);
    assert_eq!(names(folder.path()), ["file:a?mode=memory"]);
}

/// The log of a moved file stays under the old name, where nobody looks for it.
#[cfg(unix)]
#[test]
fn a_file_that_was_moved_deleted_or_replaced_takes_no_label() {
    let away = |evaluation: &Evaluation| evaluation.folder.path().join("away.labelwise");
    let moved: [fn(&Evaluation, &Path); 3] = [
        |evaluation, away| std::fs::rename(&evaluation.path, away).unwrap(),
        |evaluation, _| std::fs::remove_file(&evaluation.path).unwrap(),
        |evaluation, away| {
            std::fs::rename(&evaluation.path, away).unwrap();
            std::fs::copy(away, &evaluation.path).unwrap();
        },
    ];
    for (case, moved) in moved.into_iter().enumerate() {
        let evaluation = Evaluation::used();
        let mut file = evaluation.write();
        moved(&evaluation, &away(&evaluation));
        let refused = file.write(|write| write.append_events(&[told(7)])).unwrap_err();
        assert!(matches!(refused, Error::Moved { .. }), "{case}: {refused}");
        drop(file);
        if away(&evaluation).exists() {
            let record = File::open(&away(&evaluation), Access::Read).unwrap().record().unwrap();
            assert_eq!(record.events.len(), 6, "{case}");
        }

        // During the write itself.
        let evaluation = Evaluation::used();
        let mut file = evaluation.write();
        let refused = file.write(|write| {
            write.append_events(&[told(7)])?;
            moved(&evaluation, &away(&evaluation));
            Ok(())
        });
        assert!(matches!(refused, Err(Error::MovedMeanwhile { .. })), "{case}: {refused:?}");
        let later = file.write(|write| write.append_events(&[told(8)])).unwrap_err();
        assert!(matches!(later, Error::Poisoned { .. }), "{case}: {later}");
    }
}

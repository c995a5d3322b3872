//! A file has its name when it is whole, and never takes another file's.

use super::*;

#[test]
fn one_file_when_nobody_has_it_open() {
    let evaluation = Evaluation::used();
    assert_eq!(evaluation.names(), ["a.labelwise"]);
    evaluation.read().record().unwrap();
    assert_eq!(evaluation.names(), ["a.labelwise"]);
}

#[test]
fn the_file_has_the_pages_and_the_journal_it_should() {
    let evaluation = Evaluation::new();
    let header = std::fs::read(&evaluation.path).unwrap();
    assert_eq!(header[18..20], [2, 2], "written as one with a log, before anybody opens it");
    let file = evaluation.write();
    let pragma = |name: &str| {
        file.conn.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    assert_eq!(pragma("page_size"), 65_536_i64.into());
    assert_eq!(pragma("wal_autocheckpoint"), 128_i64.into());
    assert_eq!(pragma("synchronous"), 2_i64.into());
    assert_eq!(pragma("busy_timeout"), 30_000_i64.into());
    assert_eq!(pragma("trusted_schema"), 0_i64.into());
    assert_eq!(pragma("cell_size_check"), 1_i64.into());
}

#[test]
fn a_small_pool_has_small_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.labelwise");
    draft_for(&path, 1_000, SETTINGS).publish().unwrap();
    let mut file = File::open(&path, Access::Write).unwrap();
    let pragma = |name| file.conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("page_size"), pragma("wal_autocheckpoint")), (4_096, 2_048));
    take(&mut file, 9);
    assert_eq!(file.block("probabilities", 1).unwrap(), block(1));
    file.check_everything().unwrap();
}

#[test]
fn a_draft_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.labelwise");
    let unfinished = draft(&path);
    let names_meanwhile = names(folder.path());
    assert!(names_meanwhile[0].starts_with("a.labelwise.unfinished-"), "{names_meanwhile:?}");
    drop(unfinished);
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn what_a_killed_process_left_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.labelwise");
    std::mem::forget(draft(&path));
    draft(&path).publish().unwrap();
    let mut file = File::open(&path, Access::Write).unwrap();
    assert_eq!(file.record().unwrap().refreshes.len(), 1);
    file.check_everything().unwrap();
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let evaluation = Evaluation::used();
    let refused = Draft::new(&evaluation.path, 0).err();
    assert!(matches!(refused, Some(Error::Exists { .. })), "{refused:?}");

    // And if it was free at first.
    let other = evaluation.folder.path().join("b.labelwise");
    let (first, second) = (draft(&other), draft(&other));
    first.publish().unwrap();
    take(&mut File::open(&other, Access::Write).unwrap(), 3);
    let refused = second.publish();
    assert!(matches!(refused, Err(Error::Exists { .. })), "{refused:?}");
    assert_eq!(File::open(&other, Access::Read).unwrap().record().unwrap().draws.len(), 3);
    assert_eq!(evaluation.names(), ["a.labelwise", "b.labelwise"]);
}

#[test]
fn the_log_of_an_earlier_evaluation_is_not_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.labelwise");
    std::fs::write(folder.path().join("a.labelwise-wal"), "rows").unwrap();
    let refused = Draft::new(&path, 0).err();
    assert!(
        matches!(&refused, Some(Error::Leftover { left, .. }) if left.ends_with("a.labelwise-wal")),
        "{refused:?}"
    );
    assert_eq!(names(folder.path()), ["a.labelwise-wal"]);
}

#[test]
fn a_draft_without_settings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.labelwise");
    let refused = Draft::new(&path, 0).unwrap().publish();
    assert!(matches!(refused, Err(Error::NoSettings { .. })), "{refused:?}");
    let refused = Draft::new(&path, 0).unwrap().refresh(&refresh(0), &[]);
    assert!(matches!(refused, Err(Error::NoSettings { .. })), "{refused:?}");
    let nowhere = Draft::new(&folder.path().join("no/such/a.labelwise"), 0).err();
    assert!(matches!(nowhere, Some(Error::NotMade { .. })), "{nowhere:?}");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_backup_has_what_is_in_the_log_only() {
    let evaluation = Evaluation::used();
    let mut writer = evaluation.write();
    tell(&mut writer, 6..9);
    let plain = evaluation.folder.path().join("plain.labelwise");
    std::fs::copy(&evaluation.path, &plain).unwrap();
    assert_eq!(File::open(&plain, Access::Read).unwrap().record().unwrap().events.len(), 6);

    let copy = evaluation.folder.path().join("odd ' name.labelwise");
    evaluation.read().backup(&copy).unwrap();
    let mut copied = File::open(&copy, Access::Write).unwrap();
    assert_eq!(copied.record().unwrap(), writer.record().unwrap());
    assert_eq!(copied.check_everything().unwrap(), None);
    tell(&mut copied, 9..10);
    assert_eq!(copied.record().unwrap().events.len(), 10);
    drop(copied);
    let taken = evaluation.read().backup(&copy).unwrap_err();
    assert!(matches!(taken, Error::Exists { .. }), "{taken}");
    drop(writer);
    assert_eq!(evaluation.names(), ["a.labelwise", "odd ' name.labelwise", "plain.labelwise"]);
}

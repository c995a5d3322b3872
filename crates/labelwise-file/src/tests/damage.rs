//! Whatever happens to the bytes: an error that names the table, never another label.

use rusqlite::Connection;

use super::super::head::{Fates, Head};
use super::*;

pub(super) fn change(evaluation: &Evaluation, sql: &str) {
    let other = Connection::open(&evaluation.path).unwrap();
    other.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    other.execute_batch(sql).unwrap();
}

#[track_caller]
pub(super) fn broken<T>(result: Result<T>) -> (&'static str, Option<String>) {
    match result.err() {
        Some(Error::Broken { table, row, .. }) => (table, row),
        other => panic!("not noticed: {other:?}"),
    }
}

#[test]
fn a_change_of_a_chained_row_is_noticed_and_named() {
    for (sql, table, row) in [
        ("UPDATE event SET label = 'dog' WHERE seq = 3", "event", "3"),
        ("UPDATE event SET label = NULL WHERE seq = 3", "event", "3"),
        ("UPDATE event SET place = 4 WHERE seq = 3", "event", "3"),
        ("UPDATE event SET kind = 'amended' WHERE seq = 3", "event", "3"),
        ("UPDATE event SET kind = 'tolb' WHERE seq = 3", "event", "3"),
        ("UPDATE event SET who = 'eve' WHERE seq = 3", "event", "3"),
        ("UPDATE event SET note = '' WHERE seq = 3", "event", "3"),
        ("UPDATE event SET at = at + 1 WHERE seq = 3", "event", "3"),
        ("UPDATE event SET chain = chain + 1 WHERE seq = 3", "event", "3"),
        ("DELETE FROM event WHERE seq = 5", "event", "5"),
        ("DELETE FROM event WHERE seq = 2", "event", "2"),
        ("DELETE FROM event", "event", "0"),
        (
            "UPDATE event SET seq = -1 WHERE seq = 1; UPDATE event SET seq = 1 WHERE seq = 2;
             UPDATE event SET seq = 2 WHERE seq = -1",
            "event",
            "1",
        ),
        ("UPDATE draw SET item = 1000 WHERE place = 4", "draw", "4"),
        ("UPDATE draw SET row = x'00' WHERE place = 4", "draw", "4"),
        ("UPDATE draw SET id = 'other' WHERE place = 4", "draw", "4"),
        ("DELETE FROM draw WHERE place = 9", "draw", "9"),
        ("UPDATE refresh SET labels = 1", "refresh", "0"),
        ("UPDATE refresh SET json = '{}'", "refresh", "0"),
        ("DELETE FROM refresh", "refresh", "0"),
        // The head of an earlier time: rows are known to the table that it does not count.
        ("UPDATE head SET events = 5", "head", "1"),
        ("UPDATE head SET labelled = 5", "head", "1"),
        ("UPDATE head SET skipped = 1", "head", "1"),
        ("UPDATE head SET missing = 1", "head", "1"),
        ("UPDATE head SET checksum = checksum + 1", "head", "1"),
    ] {
        let evaluation = Evaluation::used();
        change(&evaluation, sql);
        for access in [Access::Write, Access::Read] {
            let mut file = File::open(&evaluation.path, access).unwrap();
            assert_eq!(broken(file.record()), (table, Some(row.to_owned())), "{sql}");
            assert_eq!(broken(file.check_everything()).0, table, "{sql}");
        }
    }
}

/// A page that was never written to the disk again: rows and head are each whole, but of two times.
#[test]
fn a_head_of_an_earlier_time_is_noticed() {
    let evaluation = Evaluation::used();
    let other = Connection::open(&evaluation.path).unwrap();
    let keep: Vec<i64> =
        other.query_row("SELECT * FROM head", (), |row| (0..13).map(|at| row.get(at)).collect()).unwrap();
    drop(other);
    tell(&mut evaluation.write(), 6..8);
    let values: Vec<String> = keep.iter().map(ToString::to_string).collect();
    change(&evaluation, &format!("REPLACE INTO head VALUES ({})", values.join(", ")));
    assert_eq!(broken(evaluation.write().record()), ("event", Some("6".to_owned())));
}

#[test]
fn a_change_of_any_other_row_is_noticed_and_named() {
    for (sql, table, row) in [
        ("UPDATE block SET bytes = zeroblob(150000) WHERE number = 1", "block", Some("probabilities 1")),
        ("UPDATE block SET number = 5 WHERE number = 1", "block", Some("probabilities 1")),
        ("DELETE FROM block WHERE number = 1", "block", Some("probabilities 1")),
        ("UPDATE ahead SET item = 7 WHERE position = 12", "ahead", Some("12")),
        ("UPDATE ahead SET row = x'' WHERE position = 12", "ahead", Some("12")),
        ("DELETE FROM ahead WHERE position = 10", "ahead", Some("10")),
        ("DELETE FROM ahead WHERE position = 12", "ahead", Some("12")),
        ("DELETE FROM ahead WHERE position >= 39", "ahead", Some("39")),
        ("UPDATE request SET answer = '' WHERE key = 'k-1'", "request", Some("k-1")),
        ("UPDATE request SET digest = 1 WHERE key = 'k-1'", "request", Some("k-1")),
        ("DELETE FROM request WHERE key = 'k-1'", "request", None),
        ("INSERT INTO ahead VALUES (-4, 0, 0, x'')", "ahead", None),
    ] {
        let evaluation = Evaluation::used();
        change(&evaluation, sql);
        let mut file = evaluation.write();
        let read = match table {
            "block" => file.block("probabilities", 1).map(|_| ()),
            "ahead" if row.is_some() => file.ahead(40).map(|_| ()),
            "request" if row.is_some() => file.write(|write| write.request("k-1")).map(|_| ()),
            _ => file.check_everything().map(|_| ()),
        };
        let missing = read.as_ref().is_err_and(|error| error.to_string().contains("is missing"));
        assert_eq!(
            missing,
            row.is_some() && (sql.starts_with("DELETE") || sql.contains("number = 5")),
            "{sql}"
        );
        assert_eq!(broken(read), (table, row.map(str::to_owned)), "{sql}");
        // A block that is gone is missed by who knows that it should be there.
        if !sql.starts_with("DELETE FROM block") {
            assert_eq!(broken(file.check_everything()).0, table, "{sql}");
        }
    }
}

/// The first page of a table or an index, as a range of bytes.
pub(super) fn page(evaluation: &Evaluation, name: &str) -> std::ops::Range<usize> {
    let other = Connection::open(&evaluation.path).unwrap();
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let number: u32 = other.query_row(select, [name], |row| row.get(0)).unwrap();
    let size: u32 = other.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
    ((number - 1) * size) as usize..(number * size) as usize
}

/// A page that was never written to the disk again: the event is there, but an index does not have it.
#[test]
fn an_index_that_lost_an_event_is_noticed() {
    for index in ["event_place", "event_place_again"] {
        let evaluation = Evaluation::used();
        let before = std::fs::read(&evaluation.path).unwrap();
        tell(&mut evaluation.write(), 6..7);
        let mut bytes = std::fs::read(&evaluation.path).unwrap();
        let page = page(&evaluation, index);
        bytes[page.clone()].copy_from_slice(&before[page]);
        std::fs::write(&evaluation.path, bytes).unwrap();

        let mut file = evaluation.write();
        let amended = |place| EventRow { kind: EventKind::Amended, ..told(place) };
        let refused = file.write(|write| write.append_events(&[amended(6)]));
        assert_eq!(broken(refused), ("event", Some("6".to_owned())), "{index}");
        assert!(["event", "sqlite_schema"].contains(&broken(file.check_everything()).0), "{index}");
        file.write(|write| write.append_events(&[amended(5)])).unwrap();
    }
}

#[test]
fn a_bit_that_turns_over_in_an_index_never_hides_an_event() {
    let evaluation = Evaluation::used();
    let bytes = std::fs::read(&evaluation.path).unwrap();
    let path = evaluation.folder.path().join("flipped.labelwise");
    let events = |path: &Path| {
        let mut file = File::open(path, Access::Write)?;
        file.write(|write| {
            (0..10).map(|place| write.snapshot().last_event(place)).collect::<Result<Vec<_>>>()
        })
    };
    let whole = events(&evaluation.path).unwrap();
    for index in ["event_place", "event_place_again"] {
        let page = page(&evaluation, index);
        // The header and the list of cells at the beginning, the cells at the end.
        let places = page.clone().take(24).chain(page.end - 40..page.end);
        let mut noticed = 0;
        for (at, bit) in places.flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            std::fs::write(&path, &flipped).unwrap();
            match events(&path) {
                Ok(read) => assert!(read == whole, "byte {at}, bit {bit} of {index}"),
                Err(error) => {
                    noticed += 1;
                    assert!(error.to_string().contains("flipped.labelwise"), "{error}");
                }
            }
        }
        assert!(noticed > 100, "{noticed} in {index}");
    }
}

#[test]
fn counts_that_the_events_do_not_have_are_noticed() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    let head = Head::read(&file.conn, &file.path).unwrap();
    Head { fates: Fates { labelled: 5, skipped: 1, missing: 0 }, ..head }.write(&file.conn).unwrap();
    file.record().unwrap();
    assert_eq!(broken(file.check_everything()), ("head", Some("1".to_owned())));
}

#[test]
fn other_settings_are_another_evaluation() {
    let evaluation = Evaluation::used();
    change(&evaluation, r#"UPDATE settings SET json = '{"seed":8}'"#);
    assert_eq!(broken(File::open(&evaluation.path, Access::Write)), ("settings", Some("1".to_owned())));
    // Even if they have a checksum that fits.
    let checksum = super::super::tables::settings_checksum(r#"{"seed":8}"#).cast_signed();
    change(&evaluation, &format!("UPDATE settings SET checksum = {checksum}"));
    assert_eq!(broken(evaluation.write().record()), ("refresh", Some("0".to_owned())));
}

#[test]
fn what_is_whole_is_read_from_a_damaged_file() {
    let evaluation = Evaluation::used();
    change(&evaluation, "UPDATE event SET label = 'dog' WHERE seq = 4; DELETE FROM head");
    let (Record { draws, events, .. }, wrong) = evaluation.read().whole();
    assert_eq!((draws.len(), events), (10, (0..4).map(told).collect::<Vec<_>>()));
    assert_eq!(broken(wrong), ("event", Some("4".to_owned())));
}

type All = (String, Record, Vec<AheadRow>, Vec<Vec<u8>>);

/// Everything that is read of a file, or the first error.
fn all_of(path: &Path) -> Result<All> {
    let mut file = File::open(path, Access::Write)?;
    let blocks = [0, 1].into_iter().map(|number| file.block("probabilities", number));
    let (settings, blocks) = (file.settings().to_owned(), blocks.collect::<Result<_>>()?);
    Ok((settings, file.record()?, file.ahead(40)?, blocks))
}

#[test]
fn a_bit_that_turns_over_is_an_error_or_nothing() {
    let evaluation = Evaluation::used();
    let whole = all_of(&evaluation.path).unwrap();
    let bytes = std::fs::read(&evaluation.path).unwrap();
    let path = evaluation.folder.path().join("flipped.labelwise");
    // All of the headers of pages and of what is near the ends of pages, where rows are, and some of the rest.
    let dense = |at: usize| at % 65_536 < 40 || at % 65_536 > 65_336;
    let mut noticed = 0;
    for at in (0..bytes.len()).filter(|&at| if dense(at) { at % 7 == 0 } else { at % 9_973 == 0 }) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        match all_of(&path) {
            Ok(read) => assert!(read == whole, "byte {at}"),
            Err(error) => {
                noticed += 1;
                let text = error.to_string();
                assert!(text.contains("flipped.labelwise"), "byte {at}: {text}");
            }
        }
        for left in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(connect_beside(&path, left));
        }
    }
    assert!(noticed > 100, "{noticed}");
}

#[test]
fn a_file_that_was_cut_is_an_error_or_whole() {
    let evaluation = Evaluation::used();
    let whole = all_of(&evaluation.path).unwrap();
    let bytes = std::fs::read(&evaluation.path).unwrap();
    let path = evaluation.folder.path().join("cut.labelwise");
    for length in (0..bytes.len()).step_by(8_192).chain([1, 99, 100, 101, bytes.len() - 1]) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        if let Ok(read) = all_of(&path) {
            assert!(read == whole, "{length} bytes");
        }
    }
}

fn connect_beside(path: &Path, suffix: &str) -> PathBuf {
    super::super::connect::beside(path, suffix)
}

/// What a killed writer leaves of one transaction: the file as it was, and a log that holds it.
fn killed_writer(evaluation: &Evaluation, place: u64) -> Vec<u8> {
    let file = std::fs::read(&evaluation.path).unwrap();
    let mut writer = evaluation.write();
    writer.write(|write| write.append_events(&[told(place)])).unwrap();
    let log = std::fs::read(log_of(evaluation)).unwrap();
    drop(writer);
    std::fs::write(&evaluation.path, file).unwrap();
    log
}

fn log_of(evaluation: &Evaluation) -> PathBuf {
    super::super::connect::beside(&evaluation.path, "-wal")
}

/// Opening the file leaves the log where it is, so the file is whole again when the log is removed.
#[test]
fn a_log_of_another_file_is_never_made_part_of_this_one() {
    for access in [Access::Read, Access::Write] {
        let (evaluation, other) = (Evaluation::used(), Evaluation::with(r#"{"seed":8}"#));
        take(&mut other.write(), 9);
        tell(&mut other.write(), 0..3);
        let log = killed_writer(&other, 5);
        let bytes = std::fs::read(&evaluation.path).unwrap();
        std::fs::write(log_of(&evaluation), &log).unwrap();
        if let Ok(mut file) = File::open(&evaluation.path, access) {
            file.record().unwrap_err();
            file.check_everything().unwrap_err();
        }
        assert!(std::fs::read(&evaluation.path).unwrap() == bytes, "{access:?}");
        assert!(std::fs::read(log_of(&evaluation)).unwrap() == log, "{access:?}");
        std::fs::remove_file(log_of(&evaluation)).unwrap();
        let _ = std::fs::remove_file(super::super::connect::beside(&evaluation.path, "-shm"));
        let mut file = evaluation.read();
        assert_eq!(file.record().unwrap().events.len(), 6);
        assert_eq!(file.check_everything().unwrap(), None);
    }
}

/// Both files were told something after they were copied, so the pages of one log fit both of them.
#[test]
fn a_log_of_a_copy_that_went_its_own_way_is_refused() {
    for access in [Access::Read, Access::Write] {
        let (evaluation, copy) = (Evaluation::used(), Evaluation::new());
        std::fs::copy(&evaluation.path, &copy.path).unwrap();
        tell(&mut evaluation.write(), 6..7);
        let log = killed_writer(&copy, 7);
        let bytes = std::fs::read(&evaluation.path).unwrap();
        std::fs::write(log_of(&evaluation), &log).unwrap();
        let refused = File::open(&evaluation.path, access).err();
        assert!(matches!(refused, Some(Error::ForeignLog { .. })), "{access:?}: {refused:?}");
        assert!(std::fs::read(&evaluation.path).unwrap() == bytes, "{access:?}");
        assert!(std::fs::read(log_of(&evaluation)).unwrap() == log, "{access:?}");
        std::fs::remove_file(log_of(&evaluation)).unwrap();
        let mut file = evaluation.write();
        assert_eq!(file.record().unwrap().events.last(), Some(&told(6)));
        file.check_everything().unwrap();
    }
}

/// A checkpoint that was interrupted has moved some pages of the log into the file, in any order.
#[test]
fn a_log_that_is_partly_in_the_file_is_read() {
    let evaluation = Evaluation::used();
    let before = std::fs::read(&evaluation.path).unwrap();
    let log = killed_writer(&evaluation, 7);
    std::fs::write(log_of(&evaluation), &log).unwrap();
    drop(evaluation.write());
    let after = std::fs::read(&evaluation.path).unwrap();
    let size = 65_536;
    let changed: Vec<usize> = (0..before.len() / size)
        .filter(|page| before[page * size..][..size] != after[page * size..][..size])
        .collect();
    assert!(changed.len() > 2 && before.len() == after.len(), "{changed:?}");
    for some in 0..1_usize << changed.len() {
        let mut bytes = before.clone();
        for (_, page) in changed.iter().enumerate().filter(|(at, _)| some >> at & 1 == 1) {
            bytes[page * size..][..size].copy_from_slice(&after[page * size..][..size]);
        }
        std::fs::write(&evaluation.path, &bytes).unwrap();
        std::fs::write(log_of(&evaluation), &log).unwrap();
        assert_eq!(evaluation.read().record().unwrap().events.len(), 7, "{some:b}");
        let mut file = evaluation.write();
        assert_eq!(file.record().unwrap().events.len(), 7, "{some:b}");
        drop(file);
        assert!(
            !log_of(&evaluation).exists() && std::fs::read(&evaluation.path).unwrap() == after,
            "{some:b}"
        );
    }
}

#[test]
fn a_log_that_yields_less_than_it_holds_is_a_warning() {
    let evaluation = Evaluation::used();
    let log = killed_writer(&evaluation, 7);
    std::fs::write(log_of(&evaluation), &log).unwrap();
    let mut file = evaluation.read();
    assert_eq!(file.record().unwrap().events.len(), 7, "all of it counts");
    assert_eq!((file.ignored_log(), file.check_everything().unwrap()), (None, None));
    drop(file);
    assert!(std::fs::read(log_of(&evaluation)).unwrap() == log, "a reader leaves a log as it is");
    drop(evaluation.write());
    assert!(!log_of(&evaluation).exists(), "a writer takes in a log that fits");

    for damage in 0..24 {
        let evaluation = Evaluation::used();
        let mut log = killed_writer(&evaluation, 7);
        if damage % 2 == 0 {
            let place = log.len() * damage / 24;
            log[place] ^= 1 << (damage % 8);
        } else {
            log.truncate(log.len() * damage / 24);
        }
        std::fs::write(log_of(&evaluation), &log).unwrap();
        let mut file = evaluation.read();
        assert_eq!(file.record().unwrap().events.len(), 6, "{damage}");
        let warned = file.check_everything().unwrap();
        assert_eq!(file.ignored_log(), warned.as_ref());
        assert_eq!(warned.unwrap().kept, 0, "{damage}");
    }
}

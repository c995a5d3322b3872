//! Single rows, looked up without reading the others, and checked as surely.

use super::super::{Counts, Found};
use super::damage::{broken, change, page};
use super::opening::to_first_version;
use super::*;

/// Draw 3 was amended, draw 7 skipped and draw 8 is missing.
fn spoken_of() -> Evaluation {
    let evaluation = Evaluation::used();
    let events = [(EventKind::Amended, 3), (EventKind::Skipped, 7), (EventKind::Missing, 8)];
    let events = events.map(|(kind, place)| EventRow { kind, ..told(place) });
    evaluation.write().write(|write| write.append_events(&events)).unwrap();
    evaluation
}

fn id(place: u64) -> String {
    format!("row-{}", 3 * place)
}

/// One draw at a time, which goes by the index.
fn find(file: &File, place: u64) -> Result<Option<Found>> {
    file.look(|at| at.find(&[&id(place)])).map(|mut found| found.pop().unwrap())
}

#[test]
fn counts_are_those_of_the_record() {
    let evaluation = spoken_of();
    let counts = evaluation.read().look(|at| Ok(at.counts())).unwrap();
    let expected =
        Counts { draws: 10, events: 9, refreshes: 1, ahead: 30, labels: 6, skipped: 1, missing: 1 };
    assert_eq!(counts, expected);
    // A skipped draw that is labelled after all, and one that only seemed to be missing.
    tell(&mut evaluation.write(), 7..9);
    let counts = evaluation.read().look(|at| Ok(at.counts())).unwrap();
    assert_eq!((counts.labels, counts.skipped, counts.missing), (8, 0, 0));
    evaluation.read().check_everything().unwrap();
}

#[test]
fn draws_are_found_with_their_last_event() {
    let evaluation = spoken_of();
    for first in [false, true] {
        if first {
            to_first_version(&evaluation);
        }
        let file = evaluation.read();
        let one_by_one: Vec<_> = (0..12).map(|place| find(&file, place).unwrap()).collect();
        let ids: Vec<String> = (0..12).map(id).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(file.look(|at| at.find(&ids)).unwrap(), one_by_one);
        let draws: Vec<DrawRow> = one_by_one.iter().flatten().map(|found| found.draw.clone()).collect();
        assert_eq!(draws, ahead(0..10).iter().map(draw).collect::<Vec<_>>());
        let last: Vec<_> =
            one_by_one.iter().flatten().map(|found| found.last.as_ref().map(|event| event.kind)).collect();
        use EventKind::{Amended, Missing, Skipped, Told};
        let kinds = [Told, Told, Told, Amended, Told, Told].map(Some);
        assert_eq!(last, [&kinds[..], &[None, Some(Skipped), Some(Missing), None]].concat());
        assert!(one_by_one[10..].iter().all(Option::is_none));
        assert_eq!(file.look(|at| at.last_refresh()).unwrap(), Some(refresh(0)));
    }
}

#[test]
fn the_last_draws_that_wait_are_told_from_others() {
    let evaluation = spoken_of();
    let last_wait = |count| evaluation.read().look(|at| at.last_wait(count)).unwrap();
    assert_eq!([0, 1, 2].map(last_wait), [true, true, false], "draw 8 is missing, draw 9 waits");
    assert!(!last_wait(10), "too many to look up");
    to_first_version(&evaluation);
    let file = evaluation.read();
    assert!(!file.look(|at| at.last_wait(1)).unwrap(), "without an index nothing is known");
}

#[test]
fn a_transaction_finds_what_it_wrote() {
    let evaluation = Evaluation::used();
    let found = evaluation.write().write(|write| {
        write.append_events(&[told(8)])?;
        write.snapshot().find(&[&id(8)])
    });
    assert_eq!(found.unwrap()[0].as_ref().unwrap().last, Some(told(8)));
}

#[test]
fn a_change_is_noticed_where_it_is_used_and_by_verify() {
    for (sql, table, place) in [
        ("UPDATE event SET label = 'dog' WHERE seq = 4", "event", 4),
        ("UPDATE event SET kind = 'amended' WHERE seq = 4", "event", 4),
        ("UPDATE event SET at = at + 1 WHERE seq = 4", "event", 4),
        ("UPDATE event SET who = 'eve' WHERE seq = 4", "event", 4),
        ("UPDATE event SET note = '' WHERE seq = 4", "event", 4),
        ("UPDATE event SET place = 9 WHERE seq = 4", "event", 9),
        ("UPDATE event SET chain = 1 WHERE seq = 4", "event", 4),
        ("UPDATE event SET chain = 1 WHERE seq = 3", "event", 4),
        ("UPDATE event SET chain = 1 WHERE seq = 5", "event", 5),
        ("DELETE FROM event WHERE seq = 3", "event", 4),
        ("UPDATE draw SET row = x'00' WHERE place = 4", "draw", 4),
        ("UPDATE draw SET item = 1000 WHERE place = 4", "draw", 4),
        ("UPDATE draw SET id = 'row-24' WHERE place = 4", "draw", 8),
        ("UPDATE draw SET at = 1 WHERE place = 4", "draw", 4),
        ("UPDATE draw SET who = 'eve' WHERE place = 4", "draw", 4),
        ("UPDATE draw SET place = 40 WHERE place = 4", "draw", 4),
        ("UPDATE draw SET chain = 1 WHERE place = 3", "draw", 4),
        ("UPDATE head SET labelled = 7", "head", 4),
        ("UPDATE head SET ahead = 39", "head", 4),
    ] {
        let evaluation = Evaluation::used();
        let free = if sql.contains("row-24") { "UPDATE draw SET id = 'other' WHERE place = 8;" } else { "" };
        change(&evaluation, &format!("{free}{sql}"));
        let mut file = evaluation.write();
        assert_eq!(broken(find(&file, place)).0, table, "{sql}");
        assert_eq!(broken(file.check_everything()).0, table, "{sql}");
        let events = [EventRow { kind: EventKind::Amended, ..told(place) }];
        if table != "draw" {
            assert_eq!(broken(file.write(|write| write.append_events(&events))).0, table, "{sql}");
            continue;
        }
        assert!(find(&file, 1).is_ok(), "{sql}");
    }
}

#[test]
fn an_index_of_ids_that_lost_a_draw_is_noticed() {
    let evaluation = Evaluation::used();
    let before = std::fs::read(&evaluation.path).unwrap();
    take(&mut evaluation.write(), 1);
    let mut bytes = std::fs::read(&evaluation.path).unwrap();
    let page = page(&evaluation, "sqlite_autoindex_draw_2");
    bytes[page.clone()].copy_from_slice(&before[page]);
    std::fs::write(&evaluation.path, bytes).unwrap();
    let file = evaluation.read();
    assert_eq!(broken(find(&file, 10)), ("draw", Some("10".to_owned())));
    assert!(find(&file, 9).unwrap().is_some());
    assert_eq!(broken(file.check_everything()).0, "sqlite_schema");
}

#[test]
fn a_bit_that_turns_over_in_the_index_of_ids_never_hides_a_draw() {
    let evaluation = Evaluation::used();
    let bytes = std::fs::read(&evaluation.path).unwrap();
    let path = evaluation.folder.path().join("flipped.labelwise");
    let found = |path: &Path| {
        let file = File::open(path, Access::Write)?;
        (0..10).map(|place| find(&file, place)).collect::<Result<Vec<_>>>()
    };
    let whole = found(&evaluation.path).unwrap();
    let page = page(&evaluation, "sqlite_autoindex_draw_2");
    let mut noticed = 0;
    for (at, bit) in page.clone().take(32).chain(page.end - 120..page.end).map(|at| (at, at % 8)) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        std::fs::write(&path, &flipped).unwrap();
        match found(&path) {
            Ok(read) => assert!(read == whole, "byte {at}"),
            Err(error) => {
                noticed += 1;
                assert!(error.to_string().contains("flipped.labelwise"), "{error}");
            }
        }
    }
    assert!(noticed > 60, "{noticed}");
}

#[test]
fn what_was_handed_out_is_not_handed_out_again() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.read();
    let (mut events, mut seen) = (Vec::new(), file.unseen());
    let full = file.follow(&mut seen, &mut |row| match row {
        RecordRow::Event(_) if events.len() == 4 => Err(Error::DiskFull { path: evaluation.path.clone() }),
        RecordRow::Event(event) => {
            events.push(event);
            Ok(())
        }
        _ => Ok(()),
    });
    assert!(matches!(full, Err(Error::DiskFull { .. })), "{full:?}");
    tell(&mut evaluation.write(), 6..8);
    let mut rest = |row| match row {
        RecordRow::Event(event) => {
            events.push(event);
            Ok(())
        }
        other => panic!("{other:?} once more"),
    };
    file.follow(&mut seen, &mut rest).unwrap();
    file.follow(&mut seen, &mut rest).unwrap();
    assert_eq!(events, (0..8).map(told).collect::<Vec<_>>());
}

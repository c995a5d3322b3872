//! What is written is read, at once and later, by this handle and others.

use std::sync::mpsc;

use super::*;

#[test]
fn everything_comes_back() {
    let evaluation = Evaluation::used();
    let all_kinds = [EventKind::Amended, EventKind::Skipped, EventKind::Missing];
    let events = all_kinds.map(|kind| EventRow { kind, label: None, note: Some(String::new()), ..told(3) });
    evaluation.write().write(|write| write.append_events(&events)).unwrap();

    let mut file = evaluation.read();
    assert_eq!(file.settings(), SETTINGS);
    assert_eq!([0, 1].map(|number| file.block("probabilities", number).unwrap()), [0, 1].map(block));
    assert_eq!(file.ahead(3).unwrap(), ahead(10..13));
    assert_eq!(file.ahead(99).unwrap(), ahead(10..40));
    let record = file.record().unwrap();
    assert_eq!(record.draws, ahead(0..10).iter().map(draw).collect::<Vec<_>>());
    let expected: Vec<EventRow> = (0..6).map(told).chain(events).collect();
    assert_eq!(record.events, expected);
    assert_eq!(record.refreshes, [refresh(0)]);
    file.check_everything().unwrap();
    let (whole, wrong) = file.whole();
    wrong.unwrap();
    assert_eq!(whole.events, expected);
}

#[test]
fn handles_that_write_in_turn_see_each_other() {
    let evaluation = Evaluation::new();
    let (mut one, mut two, mut reader) = (evaluation.write(), evaluation.write(), evaluation.read());
    for turn in 0..5 {
        let writer = if turn % 2 == 0 { &mut one } else { &mut two };
        assert_eq!(writer.write(|write| Ok(write.snapshot().counts().draws)).unwrap(), 2 * turn as u64);
        take(writer, 2);
        let place = turn as u64;
        let seen = writer.write(|write| {
            write.append_events(&[told(place)])?;
            Ok(write.snapshot().counts().events)
        });
        assert_eq!(seen.unwrap(), turn as u64 + 1);
        assert_eq!(reader.record().unwrap().draws.len(), 2 * turn + 2);
        assert_eq!(reader.record().unwrap().events.len(), turn + 1);
    }
    assert_eq!(one.record().unwrap(), two.record().unwrap());
    one.check_everything().unwrap();
}

#[test]
fn a_reader_and_a_writer_do_not_wait_for_each_other() {
    let evaluation = Evaluation::used();
    let (mut writer, mut reader) = (evaluation.write(), evaluation.read());
    let busy = writer.write(|write| {
        write.append_events(&[told(7)])?;
        assert_eq!(reader.record()?.events.len(), 6);
        assert_eq!(evaluation.read().record()?.events.len(), 6);
        Ok(())
    });
    busy.unwrap();
    assert_eq!(reader.record().unwrap().events.len(), 7);

    // The other way round: a snapshot that stays open while another thread commits.
    let snapshot = reader.conn.transaction().unwrap();
    let count = || snapshot.query_row("SELECT count(*) FROM event", (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count(), 7);
    let (done, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            tell(&mut writer, 8..9);
            done.send(()).unwrap();
        });
        wait.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    });
    assert_eq!(count(), 7);
    drop(snapshot);
    assert_eq!(reader.record().unwrap().events.len(), 8);
}

#[test]
fn who_waits_too_long_for_another_writer_is_told() {
    let evaluation = Evaluation::used();
    let (mut one, mut two) = (evaluation.write(), evaluation.write());
    two.conn.busy_timeout(std::time::Duration::from_millis(5)).unwrap();
    one.write(|_| {
        let refused = two.write(|write| write.append_events(&[told(7)]));
        assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
        Ok(())
    })
    .unwrap();
    tell(&mut two, 7..8);
    assert_eq!(one.record().unwrap().events.len(), 7);
}

#[test]
fn a_transaction_that_fails_leaves_nothing() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    let before = file.record().unwrap();
    let failed = file.write(|write| {
        write.append_events(&[told(8)])?;
        write.take_ahead(&ahead(10..12).iter().map(draw).collect::<Vec<_>>())?;
        write.answer(&request("k-3"))?;
        let counts = write.snapshot().counts();
        assert_eq!((counts.draws, counts.events), (12, 7));
        write.append_events(&[told(12)])
    });
    assert!(matches!(failed, Err(Error::NoSuchDraw { place: 12, draws: 12 })), "{failed:?}");
    assert_eq!(file.record().unwrap(), before);
    let kept = file.write(|write| Ok((write.request("k-3")?, write.ahead(1)?))).unwrap();
    assert_eq!(kept, (None, ahead(10..11)));
    tell(&mut file, 6..7);
    assert_eq!(file.record().unwrap().events.len(), 7);
    file.check_everything().unwrap();
}

#[test]
fn a_panic_inside_of_a_transaction_leaves_nothing() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    assert_eq!(file.record().unwrap().events.len(), 6);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        file.write(|write| -> Result<()> {
            write.append_events(&[told(8)])?;
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(file.record().unwrap().events.len(), 6);
    tell(&mut file, 6..7);
    assert_eq!(evaluation.read().record().unwrap().events.len(), 7);
}

#[test]
fn draws_are_made_in_the_order_they_were_ahead() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    let skips = ahead(11..12).iter().map(draw).collect::<Vec<_>>();
    let refused = file.write(|write| write.take_ahead(&skips));
    assert!(
        matches!(refused, Err(Error::NotNext { place: 10, item: 33, expected: Some(30) })),
        "{refused:?}"
    );
    take(&mut file, 30);
    let refused = file.write(|write| write.take_ahead(&[draw(&ahead(40..41)[0])]));
    assert!(matches!(refused, Err(Error::NotNext { place: 40, expected: None, .. })), "{refused:?}");
}

#[test]
fn a_refresh_replaces_what_is_ahead_and_its_own_draws_extend_it() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    file.write(|write| write.refresh(&refresh(1), &ahead(50..52))).unwrap();
    assert_eq!(file.ahead(9).unwrap(), ahead(50..52));
    file.write(|write| write.refresh(&refresh(1), &ahead(52..54))).unwrap();
    assert_eq!(file.ahead(9).unwrap(), ahead(50..54));
    for number in [0, 3] {
        let refused = file.write(|write| write.refresh(&refresh(number), &[]));
        assert!(matches!(refused, Err(Error::NotThisRefresh { next: 2, .. })), "{refused:?}");
    }
    take(&mut file, 3);
    assert_eq!(file.record().unwrap().draws[10].item, 150);
    assert_eq!(file.record().unwrap().refreshes, [refresh(0), refresh(1)]);
    evaluation.read().check_everything().unwrap();
}

#[test]
fn an_answer_stays_under_its_key() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    assert_eq!(file.write(|write| write.request("k-1")).unwrap(), Some(request("k-1")));
    assert_eq!(file.write(|write| write.request("k-9")).unwrap(), None);
    let again =
        file.write(|write| write.answer(&RequestRow { answer: "other".to_owned(), ..request("k-1") }));
    assert!(matches!(again, Err(Error::NotRecorded { table: "request", .. })), "{again:?}");
    assert_eq!(file.write(|write| write.request("k-1")).unwrap(), Some(request("k-1")));
    file.check_everything().unwrap();
}

#[test]
fn a_label_longer_than_a_mebibyte_is_refused_and_one_of_a_mebibyte_is_kept() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    let long = |bytes: usize| EventRow { label: Some("x".repeat(bytes)), ..told(9) };
    let refused = file.write(|write| write.append_events(&[told(8), long((1 << 20) + 1)]));
    assert!(matches!(refused, Err(Error::LongText { what: "label", bytes: 1_048_577, .. })), "{refused:?}");
    assert_eq!(file.record().unwrap().events.len(), 6);
    file.write(|write| write.append_events(&[long(1 << 20)])).unwrap();
    assert_eq!(evaluation.read().record().unwrap().events[6], long(1 << 20));
}

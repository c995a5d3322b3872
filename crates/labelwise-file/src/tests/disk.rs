//! Disks that are full or fail.

use super::*;

#[test]
fn a_full_disk_records_nothing_and_can_be_freed() {
    let evaluation = Evaluation::used();
    let mut file = evaluation.write();
    let pages: i64 = file.conn.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |file: &File, pages: i64| {
        file.conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(&file, pages);
    let large = EventRow { label: Some("x".repeat(1 << 19)), ..told(7) };
    let full = file.write(|write| {
        write.append_events(&[told(6)])?;
        let first = write.append_events(std::slice::from_ref(&large));
        assert!(matches!(first, Err(Error::DiskFull { .. })), "{first:?}");
        // A caller that continues in spite of the error writes nothing either.
        write.append_events(&[told(8)])?;
        first
    });
    assert!(matches!(full, Err(Error::DiskFull { .. } | Error::Poisoned { .. })), "{full:?}");
    assert_eq!(file.record().unwrap().events.len(), 6);
    limit(&file, 1 << 20);
    file.write(|write| write.append_events(&[told(6), large])).unwrap();
    assert_eq!(evaluation.read().record().unwrap().events.len(), 8);
    file.check_everything().unwrap();
}

/// Another process of this same test, in which files may not grow past a limit: the system refuses to write.
#[cfg(unix)]
#[test]
fn a_disk_that_fails_poisons_the_handle() {
    const FOR_CHILD: &str = "LABELWISE_TEST_FAILING_DISK";
    if let Some(path) = std::env::var_os(FOR_CHILD) {
        return fail_and_report(Path::new(&path));
    }
    let evaluation = Evaluation::used();
    let test = std::thread::current().name().unwrap().to_owned();
    let child = std::process::Command::new("sh")
        .args(["-c", r#"trap '' XFSZ; ulimit -f 4000; exec "$0" --exact "$1" --nocapture"#])
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .env(FOR_CHILD, &evaluation.path)
        .output()
        .unwrap();
    let output =
        String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{output}");
    let acknowledged: usize =
        output.split("acknowledged=").nth(1).unwrap().split('.').next().unwrap().parse().unwrap();
    let mut file = evaluation.write();
    assert_eq!(file.record().unwrap().events.len(), acknowledged);
    file.check_everything().unwrap();
    tell(&mut file, 6..7);
}

#[cfg(unix)]
fn fail_and_report(path: &Path) {
    let mut file = File::open(path, Access::Write).unwrap();
    let mut acknowledged = file.record().unwrap().events.len();
    let failure = loop {
        match file.write(|write| write.append_events(&[told(7)])) {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 1_000, "the limit was never met");
    };
    assert!(matches!(failure, Error::Disk { .. }), "{failure:?}");
    for _ in 0..2 {
        let refused = file.write(|write| write.append_events(&[told(7)]));
        assert!(matches!(refused, Err(Error::Poisoned { .. })), "{refused:?}");
    }
    assert_eq!(file.record().unwrap().events.len(), acknowledged);
    println!("acknowledged={acknowledged}.");
}

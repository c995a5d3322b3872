//! A real disk that is full or read-only: a small file system in memory. It takes root.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::evaluation::{Tried, answer, text};
use crate::tally::{NOTHING_LOST, report, times};

/// A file system of its own, unmounted in the end.
struct Disk(TempDir);

impl Disk {
    fn new(kilobytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={kilobytes}k");
        mount(&["-t", "tmpfs", "-o", &size, "tmpfs", text(folder.path())]);
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

fn mount(arguments: &[&str]) {
    assert!(Command::new("mount").args(arguments).status().unwrap().success(), "mounting takes root");
}

#[test]
fn a_full_disk_loses_nothing() {
    let start = Tried::new(40);
    let ids = start.ids();
    let kilobytes = fs::metadata(&start.path).unwrap().len() as usize / 1024;
    let (mut disks, mut refused, mut told) = (0, 0, 0);
    for spare in (0..14 * times()).map(|n| n * 96 / (14 * times())) {
        let disk = Disk::new(kilobytes + 4 + spare);
        let path = disk.path().join("pets.labelwise");
        if fs::copy(&start.path, &path).is_err() {
            continue;
        }
        disks += 1;
        let tried = Tried { folder: tempfile::tempdir().unwrap(), path };
        let mut acknowledged = Vec::new();
        for id in &ids {
            let output = tried.output("tell", &[&answer(id)]);
            match output.status.success() {
                true => acknowledged.push(id),
                false => refused += 1,
            }
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() || output.status.code() == Some(2), "{said}");
        }
        told += acknowledged.len();
        // Space, in which everything must be found again.
        mount(&["-o", &format!("remount,size={}k", kilobytes + 2000), text(disk.path())]);
        let labels = tried.labels();
        assert!(acknowledged.iter().all(|id| labels.contains_key(*id)), "an acknowledged label is lost");
        assert_eq!(tried.ids(), ids);
        tried.verify();
        assert!(
            tried
                .output(
                    "tell",
                    &ids.iter()
                        .map(|id| answer(id))
                        .collect::<Vec<_>>()
                        .iter()
                        .map(String::as_str)
                        .collect::<Vec<_>>()
                )
                .status
                .success()
        );
        assert_eq!(tried.labels().len(), ids.len());
    }
    assert!(refused > 0, "no disk was full");
    let counts = format!("{disks} sizes of a disk, {told} labels acknowledged, {refused} refused");
    report("full disk", &counts, NOTHING_LOST);
}

#[test]
fn a_disk_that_becomes_read_only_is_read() {
    let start = Tried::new(5);
    let ids = start.ids();
    let disk = Disk::new(4000);
    let path = disk.path().join("pets.labelwise");
    fs::copy(&start.path, &path).unwrap();
    let tried = Tried { folder: tempfile::tempdir().unwrap(), path };
    assert!(tried.output("tell", &[&answer(&ids[0])]).status.success());
    mount(&["-o", "remount,ro", text(disk.path())]);
    for verb in ["status", "estimate", "export", "verify"] {
        let output = tried.output(verb, &[]);
        assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(tried.output("tell", &[&answer(&ids[1])]).status.code(), Some(2));
    assert_eq!(tried.labels().len(), 1);
    report("read-only disk", "4 commands that read, 1 that writes", NOTHING_LOST);
}

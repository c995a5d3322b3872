//! The file on a real disk, with rows that stand for an evaluation's.

mod damage;
mod disk;
mod lookups;
mod making;
mod opening;
mod rounds;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{
    Access, AheadRow, Draft, DrawRow, EventKind, EventRow, File, RecordRow, RefreshRow, RequestRow, Write,
};
use crate::error::{Error, Result};

/// A pool that is worth large pages.
const LARGE: u64 = 1 << 30;

const SETTINGS: &str = r#"{"seed":7}"#;

/// A folder with an evaluation of 40 draws ahead, and two blocks of one column.
struct Evaluation {
    folder: TempDir,
    path: PathBuf,
}

impl Evaluation {
    fn new() -> Self {
        Self::with(SETTINGS)
    }

    fn with(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.labelwise");
        draft_for(&path, LARGE, settings).publish().unwrap();
        Self { folder, path }
    }

    /// One with ten draws, of which six are spoken of.
    fn used() -> Self {
        let evaluation = Self::new();
        let mut file = evaluation.write();
        take(&mut file, 10);
        tell(&mut file, 0..6);
        let keep = |request: &RequestRow| file.write(|write| write.answer(request));
        ["k-1", "k-2"].map(request).iter().try_for_each(keep).unwrap();
        evaluation
    }

    fn write(&self) -> File {
        File::open(&self.path, Access::Write).unwrap()
    }

    fn read(&self) -> File {
        File::open(&self.path, Access::Read).unwrap()
    }

    fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

/// Everything that was ever appended.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    draws: Vec<DrawRow>,
    events: Vec<EventRow>,
    refreshes: Vec<RefreshRow>,
}

impl Record {
    fn push(&mut self, row: RecordRow) -> Result<()> {
        match row {
            RecordRow::Draw(draw) => self.draws.push(draw),
            RecordRow::Event(event) => self.events.push(event),
            RecordRow::Refresh(refresh) => self.refreshes.push(refresh),
        }
        Ok(())
    }
}

impl File {
    fn record(&mut self) -> Result<Record> {
        let (mut record, mut seen) = (Record::default(), self.unseen());
        self.follow(&mut seen, &mut |row| record.push(row))?;
        Ok(record)
    }

    fn whole(&self) -> (Record, Result<()>) {
        let mut record = Record::default();
        let wrong = self.salvage(&mut |row| record.push(row));
        (record, wrong)
    }

    fn ahead(&self, count: usize) -> Result<Vec<AheadRow>> {
        self.look(|at| at.ahead(count))
    }
}

impl Write<'_> {
    fn ahead(&self, count: usize) -> Result<Vec<AheadRow>> {
        self.snapshot().ahead(count)
    }

    fn request(&self, key: &str) -> Result<Option<RequestRow>> {
        self.snapshot().request(key)
    }
}

fn draft(path: &Path) -> Draft {
    draft_for(path, LARGE, SETTINGS)
}

fn draft_for(path: &Path, pool_bytes: u64, settings: &str) -> Draft {
    let mut draft = Draft::new(path, pool_bytes).unwrap();
    draft.settings(settings).unwrap();
    for number in 0..2 {
        draft.block("probabilities", number, &block(number)).unwrap();
    }
    draft.refresh(&refresh(0), &ahead(0..40)).unwrap();
    draft
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

fn block(number: u32) -> Vec<u8> {
    (0..150_000_u32).map(|byte| (byte.wrapping_mul(31) >> 3) as u8 ^ number as u8).collect()
}

fn refresh(number: u64) -> RefreshRow {
    RefreshRow { number, labels: 5 * number, json: format!("{{\"refresh\":{number}}}"), at: 1_000 }
}

/// Draws of items that are places times 3.
fn ahead(places: std::ops::Range<u64>) -> Vec<AheadRow> {
    places.map(|place| AheadRow { item: 3 * place, row: place.to_le_bytes().to_vec() }).collect()
}

fn draw(ahead: &AheadRow) -> DrawRow {
    let id = format!("row-{}", ahead.item);
    DrawRow { item: ahead.item, id, row: ahead.row.clone(), at: -5, who: "ada".to_owned() }
}

fn told(place: u64) -> EventRow {
    let label = Some(format!("ラベル\0\r\n{place}"));
    EventRow { place, kind: EventKind::Told, label, at: 9 + place as i64, who: "ada".to_owned(), note: None }
}

fn request(key: &str) -> RequestRow {
    let (verb, answer) = ("tell".to_owned(), format!("answer of {key}"));
    RequestRow { key: key.to_owned(), verb, digest: u64::MAX - 3, answer, at: 77 }
}

fn take(file: &mut File, count: usize) {
    file.write(|write| {
        let draws: Vec<DrawRow> = write.ahead(count)?.iter().map(draw).collect();
        write.take_ahead(&draws)
    })
    .unwrap();
}

fn tell(file: &mut File, places: std::ops::Range<u64>) {
    let events: Vec<EventRow> = places.map(told).collect();
    file.write(|write| write.append_events(&events)).unwrap();
}

//! Files of evaluations: damaged ones, which must say what they said or be refused, and forged ones, whose checksums fit.

use std::fs;
use std::path::{Path, PathBuf};

use labelwise_file::{Access, AheadRow, Draft, DrawRow, EventRow, File, RecordRow, RefreshRow};
use labelwise_study::{Answer, Author, Choices, EstimateOptions, PoolTable, Reply, Result, Study};
use serde_json::Value;

use crate::bytes::{damage, damage_pages};
use crate::depth::{Reached, questions};
use crate::files::{csv, twist_json};
use crate::random::Random;
use crate::shape::Shape;
use crate::table::strange_text;

/// Size of the pages of small evaluations.
const PAGE: usize = 4096;

/// The bit of the second byte of an input that says that its checksums are forged.
const FORGED: u8 = 1;

/// Whole evaluations that inputs are made of.
#[derive(Debug)]
pub(crate) struct Evaluations {
    bases: Vec<Base>,
    path: PathBuf,
}

/// A whole evaluation.
#[derive(Debug)]
struct Base {
    bytes: Vec<u8>,
    /// What it says, and what it says after another label.
    says: String,
    says_later: String,
    parts: Parts,
}

/// The rows of an evaluation.
#[derive(Debug, Clone, Default)]
struct Parts {
    settings: String,
    blocks: Vec<(String, u32, Vec<u8>)>,
    refreshes: Vec<RefreshRow>,
    draws: Vec<DrawRow>,
    events: Vec<EventRow>,
    ahead: Vec<AheadRow>,
}

impl Evaluations {
    /// Makes the whole evaluations in a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let shapes = [Shape::Plain, Shape::Mean, Shape::Hard, Shape::Whole];
        let bases = shapes.iter().map(|&shape| Base::new(shape, folder)).collect();
        Self { bases, path: folder.join("damaged.labelwise") }
    }

    /// An input: the number of a base, flags, and the bytes of a file.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        let place = random.below(self.bases.len());
        let base = &self.bases[place];
        if random.one_in(2)
            && let Some(forged) = base.forged(&self.path, random)
        {
            return [&[place as u8, FORGED], forged.as_slice()].concat();
        }
        let mut bytes = base.bytes.clone();
        match random.below(8) {
            0 => {}
            1 | 2 => damage_pages(&mut bytes, PAGE, random),
            _ => damage(&mut bytes, random),
        }
        [&[place as u8, 0], bytes.as_slice()].concat()
    }

    /// Opens an input, asks it everything and tells it a label.
    pub(crate) fn run(&self, input: &[u8]) -> Reached {
        let [place, flags, bytes @ ..] = input else { return Reached::default() };
        let base = &self.bases[usize::from(*place) % self.bases.len()];
        let forged = flags & FORGED != 0;
        clear(&self.path);
        fs::write(&self.path, bytes).expect("the scratch folder takes files");
        let _ = Study::salvage(&self.path);
        let Ok(study) = Study::read(&self.path) else { return Reached::default() };
        let said = says(&study);
        if let Ok(said) = &said {
            assert!(forged || *said == base.says, "wrong numbers: {said}, not {}", base.says);
        }
        let _ = (questions(&study), study.verify(&|_, _| ()), study.waiting());
        drop(study);
        let later = Study::open(&self.path).and_then(|mut study| {
            goes_on(&mut study)?;
            says(&study)
        });
        if let Ok(later) = &later {
            assert!(forged || *later == base.says_later, "wrong numbers: {later}, not {}", base.says_later);
        }
        Reached { read: true, estimated: said.is_ok(), simulated: later.is_ok() }
    }
}

/// Removes an evaluation and its log.
fn clear(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
}

/// Estimate, interval, draws and events, to the last digit.
fn says(study: &Study) -> Result<String> {
    let estimates = study.estimate(&EstimateOptions::default())?;
    let numbers: Vec<_> = estimates.iter().map(|estimated| (estimated.value, estimated.interval)).collect();
    let events: Vec<_> = study.events()?.map(|event| (event.id, event.what, event.label)).collect();
    let draws: Vec<_> = study.history()?.map(|draw| (draw.id, draw.q)).collect();
    Ok(format!("{numbers:?} {events:?} {draws:?}"))
}

/// Gives the items that wait an answer, and asks for one more; twice.
fn goes_on(study: &mut Study) -> Result<()> {
    let by = Author::default();
    for _ in 0..2 {
        for asked in study.waiting()? {
            let reply = Reply::MissingAtRandom;
            study.tell(&[Answer { id: asked.id, reply, line: None, note: None, who: None }], &by)?;
        }
        study.ask(1, &by)?;
    }
    Ok(())
}

impl Base {
    fn new(shape: Shape, folder: &Path) -> Self {
        let (pool, path) = (folder.join("base.csv"), folder.join("base.labelwise"));
        clear(&path);
        // The first table of the shape that is large enough.
        let table = (0..).map(|n| shape.table(&mut Random::of(17, n))).find(|table| table.rows >= 16);
        let table = table.expect("tables have up to 24 rows");
        fs::write(&pool, csv(&table, &mut Random::of(1, 1))).expect("the scratch folder takes files");
        let table = PoolTable::open(&pool, &shape.reading()).expect("a valid table");
        let label = |item: usize| match table.predictions.classes() {
            Some(names) => names[item % names.len()].clone(),
            None => item.to_string(),
        };
        let by = Author::default();
        let created = Study::create(&path, table.clone(), &Choices::default()).expect("a valid pool");
        let mut study = created.evaluation;
        let asked = study.ask(9, &by).expect("items are left");
        for (place, asked) in asked.into_iter().take(8).enumerate() {
            let reply = match place {
                5 if shape != Shape::Mean => Reply::Skip,
                _ => Reply::Label(label(asked.item)),
            };
            study
                .tell(&[Answer { id: asked.id, reply, line: None, note: None, who: None }], &by)
                .expect("valid labels");
        }
        let said = says(&study).expect("labels make an estimate");
        drop(study);
        let bytes = fs::read(&path).expect("the evaluation is there");
        let parts = Parts::of(&path);
        let mut study = Study::open(&path).expect("a whole evaluation");
        goes_on(&mut study).expect("items are left");
        let says_later = says(&study).expect("labels make an estimate");
        Self { bytes, says: said, says_later, parts }
    }

    /// The evaluation with a few changed rows under fitting checksums; none if the file layer refuses them.
    fn forged(&self, path: &Path, random: &mut Random) -> Option<Vec<u8>> {
        let mut parts = self.parts.clone();
        for _ in 0..=random.below(2) {
            parts.twist(random);
        }
        clear(path);
        parts.write(path).ok()?;
        fs::read(path).ok()
    }
}

impl Parts {
    fn of(path: &Path) -> Self {
        let mut file = File::open(path, Access::Read).expect("a whole evaluation");
        let mut parts = Self { settings: file.settings().to_owned(), ..Self::default() };
        let settings: Value = serde_json::from_str(&parts.settings).expect("settings are JSON");
        for name in settings["columns"].as_object().into_iter().flat_map(|columns| columns.keys()) {
            for number in 0.. {
                let Ok(bytes) = file.block(name, number) else { break };
                parts.blocks.push((name.clone(), number, bytes));
            }
        }
        let mut seen = file.unseen();
        let mut visit = |row: RecordRow| {
            match row {
                RecordRow::Refresh(row) => parts.refreshes.push(row),
                RecordRow::Draw(row) => parts.draws.push(row),
                RecordRow::Event(row) => parts.events.push(row),
            }
            Ok(())
        };
        file.follow(&mut seen, &mut visit).expect("a whole record");
        parts.ahead = file.look(|at| at.ahead(usize::MAX >> 1)).expect("prepared draws");
        parts
    }

    fn twist(&mut self, random: &mut Random) {
        match random.below(7) {
            0 | 1 => twist_text(&mut self.settings, random),
            2 => {
                let at = random.below(self.blocks.len());
                damage(&mut self.blocks[at].2, random);
            }
            3 => twist_text(&mut self.refreshes[0].json, random),
            4 => {
                let at = random.below(self.draws.len());
                damage(&mut self.draws[at].row, random);
            }
            5 => {
                let at = random.below(self.events.len());
                self.events[at].label = (!random.one_in(4)).then(|| strange_text(random));
            }
            _ => {
                let at = random.below(self.draws.len());
                self.draws[at].item = random.word() >> random.below(64);
                self.draws[at].id = strange_text(random);
            }
        }
    }

    fn write(&self, path: &Path) -> labelwise_file::Result<()> {
        let mut draft = Draft::new(path, 0)?;
        draft.settings(&self.settings)?;
        for (name, number, bytes) in &self.blocks {
            draft.block(name, *number, bytes)?;
        }
        let drawn = self.draws.iter().map(|draw| AheadRow { item: draw.item, row: draw.row.clone() });
        let ahead: Vec<AheadRow> = drawn.chain(self.ahead.iter().cloned()).collect();
        draft.refresh(&self.refreshes[0], &ahead)?;
        draft.publish()?;
        File::open(path, Access::Write)?.write(|write| {
            write.take_ahead(&self.draws)?;
            write.append_events(&self.events)
        })
    }
}

/// Changes a value of a text of JSON.
fn twist_text(text: &mut String, random: &mut Random) {
    if let Ok(mut value) = serde_json::from_str::<Value>(text) {
        twist_json(&mut value, random);
        *text = value.to_string();
    }
}

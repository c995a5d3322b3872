//! The rows of the file. The file does not interpret `json` and `row`; the study does.

use rusqlite::{CachedStatement, Row, ToSql, params, types};

use super::digest::Digest;

/// What a table that only grows has in common with the others. Rows are numbered from 0.
pub(super) trait Appended: Sized {
    const TABLE: &'static str;
    /// Number and chain first, of the rows from a number on.
    const SELECT: &'static str;
    /// Number and chain first.
    const INSERT: &'static str;

    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
    fn insert(&self, statement: &mut CachedStatement<'_>, number: i64, chain: i64)
    -> rusqlite::Result<usize>;
    fn fields(&self, digest: Digest) -> Digest;

    /// The chain with this row at its end.
    fn chain(&self, number: u64, previous: u64) -> u64 {
        self.fields(Digest::after(previous, Self::TABLE).number(number)).finish()
    }
}

/// A row of the record: draws and events come in order, so that their numbers need not be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRow {
    /// A proposal was made.
    Refresh(RefreshRow),
    /// An item was drawn.
    Draw(DrawRow),
    /// A draw was labelled, amended or skipped.
    Event(EventRow),
}

/// A draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawRow {
    /// The item of the pool.
    pub item: u64,
    /// What its owner calls it.
    pub id: String,
    /// The numbers it was drawn with.
    pub row: Vec<u8>,
    /// Microseconds since 1970, UTC.
    pub at: i64,
    /// Who asked.
    pub who: String,
}

impl Appended for DrawRow {
    const TABLE: &'static str = "draw";
    const SELECT: &'static str =
        "SELECT place, chain, item, at, id, who, row FROM draw WHERE place >= ?1 ORDER BY place";
    const INSERT: &'static str =
        "INSERT INTO draw(place, chain, item, at, id, who, row) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            item: unsigned(row, 2)?,
            at: row.get(3)?,
            id: row.get(4)?,
            who: row.get(5)?,
            row: row.get(6)?,
        })
    }

    fn insert(
        &self,
        statement: &mut CachedStatement<'_>,
        number: i64,
        chain: i64,
    ) -> rusqlite::Result<usize> {
        statement.execute(params![
            number,
            chain,
            self.item.cast_signed(),
            self.at,
            self.id,
            self.who,
            self.row
        ])
    }

    fn fields(&self, digest: Digest) -> Digest {
        digest.number(self.item).signed(self.at).text(&self.id).text(&self.who).bytes(&self.row)
    }
}

/// What can be said about a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Its label.
    Told,
    /// Another label than before.
    Amended,
    /// No label, perhaps because it is hard.
    Skipped,
    /// No label, for reasons that have nothing to do with it.
    Missing,
}

impl EventKind {
    const ALL: [Self; 4] = [Self::Told, Self::Amended, Self::Skipped, Self::Missing];

    /// As the file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Amended => "amended",
            Self::Skipped => "skipped",
            Self::Missing => "missing",
        }
    }
}

impl types::FromSql for EventKind {
    fn column_result(value: types::ValueRef<'_>) -> types::FromSqlResult<Self> {
        let name = value.as_str()?;
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(types::FromSqlError::InvalidType)
    }
}

impl ToSql for EventKind {
    fn to_sql(&self) -> rusqlite::Result<types::ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

/// Something said about a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Which draw.
    pub place: u64,
    /// What.
    pub kind: EventKind,
    /// The label, as it was given.
    pub label: Option<String>,
    /// Microseconds since 1970, UTC.
    pub at: i64,
    /// Who said so.
    pub who: String,
    /// Why, in words.
    pub note: Option<String>,
}

impl Appended for EventRow {
    const TABLE: &'static str = "event";
    const SELECT: &'static str =
        "SELECT seq, chain, place, at, kind, label, who, note FROM event WHERE seq >= ?1 ORDER BY seq";
    const INSERT: &'static str = "INSERT INTO event(seq, chain, place, at, kind, label, who, note) \
                                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            place: unsigned(row, 2)?,
            at: row.get(3)?,
            kind: row.get(4)?,
            label: row.get(5)?,
            who: row.get(6)?,
            note: row.get(7)?,
        })
    }

    fn insert(
        &self,
        statement: &mut CachedStatement<'_>,
        number: i64,
        chain: i64,
    ) -> rusqlite::Result<usize> {
        let place = self.place.cast_signed();
        statement.execute(params![number, chain, place, self.at, self.kind, self.label, self.who, self.note])
    }

    fn fields(&self, digest: Digest) -> Digest {
        let digest = digest.number(self.place).signed(self.at).text(self.kind.name());
        digest.optional(self.label.as_deref()).text(&self.who).optional(self.note.as_deref())
    }
}

/// A refresh of the proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshRow {
    /// The first is 0.
    pub number: u64,
    /// How many labels it knew.
    pub labels: u64,
    /// What else is to be known of it.
    pub json: String,
    /// Microseconds since 1970, UTC.
    pub at: i64,
}

impl Appended for RefreshRow {
    const TABLE: &'static str = "refresh";
    const SELECT: &'static str =
        "SELECT number, chain, labels, at, json FROM refresh WHERE number >= ?1 ORDER BY number";
    const INSERT: &'static str =
        "INSERT INTO refresh(number, chain, labels, at, json) VALUES (?1, ?2, ?3, ?4, ?5)";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { number: unsigned(row, 0)?, labels: unsigned(row, 2)?, at: row.get(3)?, json: row.get(4)? })
    }

    fn insert(
        &self,
        statement: &mut CachedStatement<'_>,
        number: i64,
        chain: i64,
    ) -> rusqlite::Result<usize> {
        statement.execute(params![number, chain, self.labels.cast_signed(), self.at, self.json])
    }

    fn fields(&self, digest: Digest) -> Digest {
        digest.number(self.labels).signed(self.at).text(&self.json)
    }
}

/// A draw that the present proposal will make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AheadRow {
    /// The item of the pool.
    pub item: u64,
    /// The numbers it will be drawn with.
    pub row: Vec<u8>,
}

impl AheadRow {
    /// The number of refreshes is covered too: a row of an earlier proposal never passes for one of this.
    pub(super) fn checksum(&self, position: u64, refreshes: u64) -> u64 {
        Digest::of("ahead").number(refreshes).number(position).number(self.item).bytes(&self.row).finish()
    }
}

/// A call that was answered under a key, so that it is never done twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRow {
    /// The caller's key.
    pub key: String,
    /// What was called.
    pub verb: String,
    /// What it was called with.
    pub digest: u64,
    /// What was answered.
    pub answer: String,
    /// Microseconds since 1970, UTC.
    pub at: i64,
}

impl RequestRow {
    pub(super) fn checksum(&self) -> u64 {
        let digest = Digest::of("request").text(&self.key).text(&self.verb).number(self.digest);
        digest.text(&self.answer).signed(self.at).finish()
    }
}

/// SQLite's integers have a sign; ours keep their bits.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

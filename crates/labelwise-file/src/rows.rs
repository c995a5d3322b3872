//! The rows of the file. The file does not interpret `json` and `row`; the study does.

use rusqlite::{CachedStatement, Row, ToSql, params, types};

use super::digest::Digest;

/// A table to which rows are only appended. Rows are numbered from 0.
pub(super) trait Appended: Sized {
    const TABLE: &'static str;
    /// Selects the rows from a number on; number and chain come first.
    const SELECT: &'static str;
    /// Inserts a row; number and chain come first.
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

/// A row of the record. Draws and events come in order, so they need no numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRow {
    /// A proposal was made.
    Refresh(RefreshRow),
    /// An item was drawn.
    Draw(DrawRow),
    /// A draw was labelled, amended, skipped or declared missing.
    Event(EventRow),
}

/// A draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawRow {
    /// Number of the item in the pool.
    pub item: u64,
    /// Id of the item.
    pub id: String,
    /// The numbers of the draw, encoded by the study.
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

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Its label.
    Told,
    /// A corrected label.
    Amended,
    /// Skipped; the reason may depend on the label.
    Skipped,
    /// Missing for reasons unrelated to the label.
    Missing,
}

impl EventKind {
    const ALL: [Self; 4] = [Self::Told, Self::Amended, Self::Skipped, Self::Missing];

    /// The name in the file.
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

/// An event of a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Place of the draw.
    pub place: u64,
    /// Kind of the event.
    pub kind: EventKind,
    /// The label, as it was given.
    pub label: Option<String>,
    /// Microseconds since 1970, UTC.
    pub at: i64,
    /// The author.
    pub who: String,
    /// The author's note.
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
    /// Its number, from 0.
    pub number: u64,
    /// Number of labels at that moment.
    pub labels: u64,
    /// Its other data, encoded by the study.
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

/// A prepared draw of the current proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AheadRow {
    /// Number of the item in the pool.
    pub item: u64,
    /// The numbers of the draw, encoded by the study.
    pub row: Vec<u8>,
}

impl AheadRow {
    /// The checksum includes the number of refreshes, so a row of an earlier proposal is not accepted.
    pub(super) fn checksum(&self, position: u64, refreshes: u64) -> u64 {
        Digest::of("ahead").number(refreshes).number(position).number(self.item).bytes(&self.row).finish()
    }
}

/// A request with an idempotency key, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRow {
    /// The caller's key.
    pub key: String,
    /// The command.
    pub verb: String,
    /// Hash of the arguments.
    pub digest: u64,
    /// The answer.
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

/// SQLite's integers are signed; ours keep their bits.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

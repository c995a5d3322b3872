//! The tables of the file, and which versions of them are read.

use std::path::Path;

use rusqlite::Connection;

use super::failure::{broken, failure};
use crate::error::{Error, Result};

/// "lbws": marks a database as an evaluation.
pub(super) const APPLICATION: i32 = 0x6c62_7773;

/// The version that is written: its head counts labels, and indices find the events of a draw.
pub(super) const VERSION: i32 = 2;

/// The version of labelwise 0.1.0. Readers read it unchanged; the first writer upgrades it to [`VERSION`].
pub(super) const FIRST: i32 = 1;

/// The page size for a pool of `pool_bytes`: large if columns of the pool, which are read in order, are most of the
/// file; small otherwise, because every label writes a few pages.
pub(super) fn page_size(pool_bytes: u64) -> i32 {
    if pool_bytes < 8 << 20 { 4096 } else { 65_536 }
}

/// The tables of all versions, as SQLite stores their text. Numbers come before texts and bytes, so that SQLite finds
/// them without reading those.
const TABLES: [&str; 7] = [
    "CREATE TABLE settings(id INTEGER PRIMARY KEY CHECK (id = 1), checksum INTEGER NOT NULL, json TEXT NOT NULL) \
     STRICT",
    "CREATE TABLE block(id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT NULL, \
     checksum INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (name, number)) STRICT",
    "CREATE TABLE refresh(number INTEGER PRIMARY KEY, chain INTEGER NOT NULL, labels INTEGER NOT NULL, \
     at INTEGER NOT NULL, json TEXT NOT NULL) STRICT",
    "CREATE TABLE ahead(position INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, item INTEGER NOT NULL, \
     row BLOB NOT NULL) STRICT",
    "CREATE TABLE draw(place INTEGER PRIMARY KEY, chain INTEGER NOT NULL, item INTEGER NOT NULL UNIQUE, \
     at INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, who TEXT NOT NULL, row BLOB NOT NULL) STRICT",
    "CREATE TABLE event(seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, \
     place INTEGER NOT NULL REFERENCES draw(place), at INTEGER NOT NULL, \
     kind TEXT NOT NULL CHECK (kind IN ('told', 'amended', 'skipped', 'missing')), label TEXT, who TEXT NOT NULL, \
     note TEXT) STRICT",
    "CREATE TABLE request(key TEXT PRIMARY KEY, checksum INTEGER NOT NULL, digest INTEGER NOT NULL, \
     at INTEGER NOT NULL, verb TEXT NOT NULL, answer TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

pub(super) const FIRST_HEAD: &str = "CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), checksum INTEGER NOT NULL, \
     draws INTEGER NOT NULL, draw_chain INTEGER NOT NULL, events INTEGER NOT NULL, event_chain INTEGER NOT NULL, \
     refreshes INTEGER NOT NULL, refresh_chain INTEGER NOT NULL, ahead INTEGER NOT NULL, \
     requests INTEGER NOT NULL) STRICT";

/// The other tables and indices of [`VERSION`]. `snapshot.rs` says why two indices are equal.
const HEAD_AND_INDICES: [&str; 3] = [
    "CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), checksum INTEGER NOT NULL, draws INTEGER NOT NULL, \
     draw_chain INTEGER NOT NULL, events INTEGER NOT NULL, event_chain INTEGER NOT NULL, \
     refreshes INTEGER NOT NULL, refresh_chain INTEGER NOT NULL, ahead INTEGER NOT NULL, \
     requests INTEGER NOT NULL, labelled INTEGER NOT NULL, skipped INTEGER NOT NULL, \
     missing INTEGER NOT NULL) STRICT",
    "CREATE INDEX event_place ON event(place)",
    "CREATE INDEX event_place_again ON event(place)",
];

/// Makes the tables of a new file.
pub(super) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION)?;
    TABLES.iter().try_for_each(|table| conn.execute_batch(table))?;
    complete(conn)
}

/// Upgrades the tables of the first version to [`VERSION`]. The head must be written next.
pub(super) fn upgrade(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("DROP TABLE head")?;
    complete(conn)
}

fn complete(conn: &Connection) -> rusqlite::Result<()> {
    HEAD_AND_INDICES.iter().try_for_each(|table| conn.execute_batch(table))?;
    conn.pragma_update(None, "user_version", VERSION)
}

/// The current version of the file: another process can upgrade it while it is open.
pub(super) fn version(conn: &Connection) -> rusqlite::Result<i32> {
    let mut statement = conn.prepare_cached("PRAGMA user_version")?;
    statement.query_row((), |row| row.get(0))
}

/// Refuses a database that is not an evaluation, or has unknown tables.
pub(super) fn check(conn: &Connection, path: &Path) -> Result<()> {
    let failed = failure(path, "sqlite_schema");
    let application: i32 =
        conn.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(&failed)?;
    if application != APPLICATION {
        return Err(Error::NotAnEvaluation { path: path.to_owned() });
    }
    let rest: &[&str] = match version(conn).map_err(&failed)? {
        VERSION => &HEAD_AND_INDICES,
        FIRST => &[FIRST_HEAD],
        schema if schema > VERSION => {
            return Err(Error::NewerSchema { path: path.to_owned(), schema, known: VERSION });
        }
        _ => return Err(broken(path, "sqlite_schema", None, "has a version that does not exist")),
    };
    // The file has only these tables: no foreign trigger or view, no missing constraint.
    let mut statement = conn
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .map_err(&failed)?;
    let tables = statement.query_map((), |row| row.get::<_, String>(0)).map_err(&failed)?;
    let tables = tables.collect::<rusqlite::Result<Vec<String>>>().map_err(&failed)?;
    if tables.iter().eq(TABLES.iter().chain(rest)) {
        Ok(())
    } else {
        Err(broken(path, "sqlite_schema", None, "does not list the tables of this version"))
    }
}

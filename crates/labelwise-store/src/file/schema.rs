//! The tables of the file, and which versions of them are read.

use std::path::Path;

use rusqlite::Connection;

use super::failure::{broken, failure};
use crate::error::{Error, Result};

/// "lbws", which tells an evaluation from another program's database.
pub(super) const APPLICATION: i32 = 0x6c62_7773;

/// The version that is written.
pub(super) const VERSION: i32 = 1;

/// The size of pages for a pool of so many bytes: large ones where nearly all of the file is columns of the pool, read in
/// order; small ones where it is not, since every label writes a few.
pub(super) fn page_size(pool_bytes: u64) -> i32 {
    if pool_bytes < 8 << 20 { 4096 } else { 65_536 }
}

/// Every table as SQLite keeps its text. Numbers before texts and bytes, so that they are found without reading these.
const TABLES: [&str; 8] = [
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
    "CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), checksum INTEGER NOT NULL, draws INTEGER NOT NULL, \
     draw_chain INTEGER NOT NULL, events INTEGER NOT NULL, event_chain INTEGER NOT NULL, \
     refreshes INTEGER NOT NULL, refresh_chain INTEGER NOT NULL, ahead INTEGER NOT NULL, \
     requests INTEGER NOT NULL) STRICT",
];

/// Makes the tables of a new file.
pub(super) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION)?;
    conn.pragma_update(None, "user_version", VERSION)?;
    TABLES.iter().try_for_each(|table| conn.execute_batch(table))
}

/// Refuses what is no evaluation, or one whose tables are not known.
pub(super) fn check(conn: &Connection, path: &Path) -> Result<()> {
    let failed = failure(path, "sqlite_schema");
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if pragma("application_id").map_err(&failed)? != APPLICATION {
        return Err(Error::NotAnEvaluation { path: path.to_owned() });
    }
    match pragma("user_version").map_err(&failed)? {
        VERSION => {}
        schema if schema > VERSION => {
            return Err(Error::NewerSchema { path: path.to_owned(), schema, known: VERSION });
        }
        // Older versions are brought up to date here, in one transaction, when there is a second version.
        _ => return Err(broken(path, "sqlite_schema", None, "has a version that never was")),
    }
    // Nothing but these tables is in the file: no trigger or view that a stranger put there, no rule less.
    let mut statement = conn
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .map_err(&failed)?;
    let tables = statement.query_map((), |row| row.get::<_, String>(0)).map_err(&failed)?;
    let tables = tables.collect::<rusqlite::Result<Vec<String>>>().map_err(&failed)?;
    if tables == TABLES {
        Ok(())
    } else {
        Err(broken(path, "sqlite_schema", None, "does not list the tables of this version"))
    }
}

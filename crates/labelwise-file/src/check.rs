//! Compares every row of every table with its checksum.

use std::path::Path;

use rusqlite::{Connection, Row};

use super::failure::{broken, failure};
use super::head::{Head, visit};
use super::snapshot::Snapshot;
use super::{schema, tables};
use crate::error::Result;

/// Reads the whole file. The connection is inside a transaction, so a writer can continue meanwhile.
pub(super) fn everything(conn: &Connection, path: &Path) -> Result<()> {
    schema::check(conn, path)?;
    // Rows first: their errors name the row, while SQLite's name a page.
    let (_, settings) = tables::settings(conn, path)?;
    let head = Head::read(conn, path)?;
    visit(conn, path, &head, &mut Head::start(settings), &mut |_| Ok(()))?;
    Snapshot { conn, path, settings, head }.tally()?;
    let ahead = tables::ahead(conn, path, &head, u64::MAX)?.len() as u64;
    let requests = each_request(conn, path)?;
    each_block(conn, path)?;
    let counts: [(&'static str, &str, u64); 6] = [
        ("settings", "SELECT count(*) FROM settings", 1),
        ("draw", "SELECT count(*) FROM draw", head.draws.rows),
        ("event", "SELECT count(*) FROM event", head.events.rows),
        ("refresh", "SELECT count(*) FROM refresh", head.refreshes.rows),
        ("ahead", "SELECT count(*) FROM ahead", ahead),
        ("request", "SELECT count(*) FROM request", requests),
    ];
    for (table, count, expected) in counts {
        let found: i64 = conn.query_row(count, (), |row| row.get(0)).map_err(failure(path, table))?;
        if found.cast_unsigned() != expected {
            return Err(broken(path, table, None, &format!("has {found} rows, but {expected} were written")));
        }
    }
    if requests != head.requests {
        let reason = format!("has {requests} rows, but {} were written", head.requests);
        return Err(broken(path, "request", None, &reason));
    }
    let read = |row: &Row<'_>| row.get::<_, String>(0);
    let verdict =
        conn.query_row("PRAGMA integrity_check(1)", (), read).map_err(failure(path, "sqlite_schema"))?;
    if verdict == "ok" { Ok(()) } else { Err(broken(path, "sqlite_schema", None, &verdict)) }
}

fn each_request(conn: &Connection, path: &Path) -> Result<u64> {
    let failed = failure(path, "request");
    let mut statement = conn.prepare("SELECT key FROM request ORDER BY key").map_err(&failed)?;
    let mut found = statement.query(()).map_err(&failed)?;
    let mut count = 0;
    while let Some(row) = found.next().map_err(&failed)? {
        let key: String = row.get(0).map_err(&failed)?;
        if tables::request(conn, path, &key)?.is_none() {
            return Err(broken(path, "request", Some(key), "cannot be found by its key"));
        }
        count += 1;
    }
    Ok(count)
}

fn each_block(conn: &Connection, path: &Path) -> Result<()> {
    let failed = failure(path, "block");
    // Not with the index: a damaged file may have lost entries of it.
    let mut statement =
        conn.prepare("SELECT name, number FROM block NOT INDEXED ORDER BY id").map_err(&failed)?;
    let mut found = statement.query(()).map_err(&failed)?;
    while let Some(row) = found.next().map_err(&failed)? {
        let (name, number): (String, u32) = (row.get(0).map_err(&failed)?, row.get(1).map_err(&failed)?);
        tables::block(conn, path, &name, number)?;
    }
    Ok(())
}

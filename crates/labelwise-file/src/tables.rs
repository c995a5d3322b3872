//! Statements on the tables without checksum chains: settings, blocks, prepared draws, answered requests.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::digest::Digest;
use super::failure::{broken, failure};
use super::head::Head;
use super::rows::{AheadRow, RequestRow, unsigned};
use crate::error::Result;

const CHECKSUM: &str = "does not fit its checksum";

pub(super) fn settings_checksum(json: &str) -> u64 {
    Digest::of("settings").text(json).finish()
}

/// The settings, and the start of the chains.
pub(super) fn settings(conn: &Connection, path: &Path) -> Result<(String, u64)> {
    let read = |row: &Row<'_>| Ok((row.get::<_, String>(1)?, unsigned(row, 0)?));
    let (json, checksum) = conn
        .query_row("SELECT checksum, json FROM settings WHERE id = 1", (), read)
        .map_err(failure(path, "settings"))?;
    match checksum == settings_checksum(&json) {
        true => Ok((json, checksum)),
        false => Err(broken(path, "settings", Some("1".to_owned()), CHECKSUM)),
    }
}

pub(super) fn block_checksum(name: &str, number: u32, bytes: &[u8]) -> u64 {
    Digest::of("block").text(name).number(number.into()).large(bytes).finish()
}

/// A block of a column of the pool.
pub(super) fn block(conn: &Connection, path: &Path, name: &str, number: u32) -> Result<Vec<u8>> {
    let failed = failure(path, "block");
    let here = || Some(format!("{name} {number}"));
    let select = "SELECT checksum, bytes FROM block WHERE name = ?1 AND number = ?2";
    let read = |row: &Row<'_>| Ok((unsigned(row, 0)?, row.get::<_, Vec<u8>>(1)?));
    let mut statement = conn.prepare_cached(select).map_err(&failed)?;
    let found = statement.query_row(params![name, number], read).optional().map_err(&failed)?;
    let (checksum, bytes) = found.ok_or_else(|| broken(path, "block", here(), "is missing"))?;
    match checksum == block_checksum(name, number, &bytes) {
        true => Ok(bytes),
        false => Err(broken(path, "block", here(), CHECKSUM)),
    }
}

/// The next draws, at most `count`.
pub(super) fn ahead(conn: &Connection, path: &Path, head: &Head, count: u64) -> Result<Vec<AheadRow>> {
    let failed = failure(path, "ahead");
    let end = head.ahead.min(head.draws.rows.saturating_add(count));
    let select = "SELECT position, checksum, item, row FROM ahead WHERE position >= ?1 AND position < ?2 \
                  ORDER BY position";
    let mut statement = conn.prepare_cached(select).map_err(&failed)?;
    let mut found = statement.query([head.draws.rows.cast_signed(), end.cast_signed()]).map_err(&failed)?;
    let mut rows = Vec::new();
    for position in head.draws.rows..end {
        let here = || Some(position.to_string());
        let row =
            found.next().map_err(&failed)?.ok_or_else(|| broken(path, "ahead", here(), "is missing"))?;
        let read = || -> rusqlite::Result<_> {
            Ok((unsigned(row, 0)?, unsigned(row, 1)?, AheadRow { item: unsigned(row, 2)?, row: row.get(3)? }))
        };
        let (at, checksum, ahead) = read().map_err(&failed)?;
        if at != position {
            return Err(broken(path, "ahead", here(), "is missing"));
        }
        if checksum != ahead.checksum(position, head.refreshes.rows) {
            return Err(broken(path, "ahead", here(), CHECKSUM));
        }
        rows.push(ahead);
    }
    Ok(rows)
}

/// Appends prepared draws, and counts them in the head.
pub(super) fn add_ahead(conn: &Connection, head: &mut Head, rows: &[AheadRow]) -> rusqlite::Result<()> {
    let insert = "INSERT INTO ahead(position, checksum, item, row) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = conn.prepare_cached(insert)?;
    for ahead in rows {
        let checksum = ahead.checksum(head.ahead, head.refreshes.rows).cast_signed();
        statement.execute(params![
            head.ahead.cast_signed(),
            checksum,
            ahead.item.cast_signed(),
            ahead.row
        ])?;
        head.ahead += 1;
    }
    Ok(())
}

/// The answer to an idempotency key.
pub(super) fn request(conn: &Connection, path: &Path, key: &str) -> Result<Option<RequestRow>> {
    let failed = failure(path, "request");
    let select = "SELECT checksum, digest, at, verb, answer FROM request WHERE key = ?1";
    let mut statement = conn.prepare_cached(select).map_err(&failed)?;
    let read = |row: &Row<'_>| {
        let (digest, at, verb, answer) = (unsigned(row, 1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((unsigned(row, 0)?, RequestRow { key: key.to_owned(), verb, digest, answer, at }))
    };
    match statement.query_row([key], read).optional().map_err(failed)? {
        Some((checksum, request)) if checksum != request.checksum() => {
            Err(broken(path, "request", Some(key.to_owned()), CHECKSUM))
        }
        found => Ok(found.map(|(_, request)| request)),
    }
}

/// All answers to requests, or to one kind of them. Each is looked up by its key, which checks it.
pub(super) fn requests(conn: &Connection, path: &Path, verb: Option<&str>) -> Result<Vec<RequestRow>> {
    let failed = failure(path, "request");
    let mut statement = conn
        .prepare_cached("SELECT key FROM request WHERE ?1 IS NULL OR verb = ?1 ORDER BY key")
        .map_err(&failed)?;
    let keys = statement.query_map([verb], |row| row.get::<_, String>(0)).map_err(&failed)?;
    let keys = keys.collect::<rusqlite::Result<Vec<String>>>().map_err(&failed)?;
    let missing = |key: &str| broken(path, "request", Some(key.to_owned()), "cannot be found by its key");
    keys.iter().map(|key| request(conn, path, key)?.ok_or_else(|| missing(key))).collect()
}

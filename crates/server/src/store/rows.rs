//! Rows and boards in SQL.

use rusqlite::{Connection, OptionalExtension, Row};

use super::submissions::json;
use super::{Standing, StoreError, Stored, StoredRow};
use crate::clock::Moment;
use crate::model::BoardRow;

/// Note that a board changed.
pub(super) fn touch(c: &Connection) -> Stored<()> {
    c.execute(
        "INSERT INTO meta (key, value) VALUES ('version', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        [],
    )?;
    c.execute(
        "INSERT INTO meta (key, value) VALUES ('updated_at', ?1)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [Moment::now().0.to_string()],
    )?;
    Ok(())
}

pub(super) fn version(c: &Connection) -> Stored<(u64, Moment)> {
    let get = |key: &str| -> Stored<i64> {
        let found: Option<String> = c
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
            .query_row([key], |r| r.get(0))
            .optional()?;
        Ok(found.and_then(|v| v.parse().ok()).unwrap_or(0))
    };
    Ok((get("version")? as u64, Moment(get("updated_at")?)))
}

const ROW: &str = "row, published_at, results, claims, receipt, withdrawn_at FROM rows";

fn board_row(r: &Row<'_>) -> rusqlite::Result<BoardRow> {
    let row: BoardRow = json(r, 0)?;
    Ok(BoardRow { published_at: r.get::<_, Option<i64>>(1)?.map(Moment), ..row })
}

fn stored(r: &Row<'_>) -> rusqlite::Result<StoredRow> {
    Ok(StoredRow {
        row: board_row(r)?,
        results: r.get(2)?,
        claims: r.get(3)?,
        receipt: r.get(4)?,
        withdrawn: r.get::<_, Option<i64>>(5)?.is_some(),
    })
}

pub(super) fn rows_of(c: &Connection, submission: &str) -> Stored<Vec<StoredRow>> {
    let sql = format!("SELECT {ROW} WHERE submission = ?1 ORDER BY board");
    Ok(c.prepare_cached(&sql)?.query_map([submission], stored)?.collect::<Result<_, _>>()?)
}

pub(super) fn row(c: &Connection, id: &str) -> Stored<StoredRow> {
    let sql = format!("SELECT {ROW} WHERE id = ?1");
    let found = c.prepare_cached(&sql)?.query_row([id], stored).optional()?;
    found.ok_or_else(|| StoreError::Missing { what: "row", id: id.into() })
}

pub(super) fn standings(c: &Connection, board: &str) -> Stored<Vec<Standing>> {
    let sql = "SELECT row, MAX(published_at), seeds_hash, outcomes FROM rows
               WHERE board = ?1 AND published_at IS NOT NULL AND withdrawn_at IS NULL
               GROUP BY account, policy ORDER BY published_at, id";
    let standing = |r: &Row<'_>| {
        Ok(Standing { row: board_row(r)?, seeds_hash: r.get(2)?, outcomes: r.get(3)? })
    };
    Ok(c.prepare_cached(sql)?.query_map([board], standing)?.collect::<Result<_, _>>()?)
}

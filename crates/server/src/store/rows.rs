//! Rows and boards in SQL.

use super::sql::{Row, Sql, values};
use super::{Standing, StoreError, Stored, StoredRow};
use crate::clock::Moment;
use crate::model::BoardRow;

/// Note that a board changed.
pub(super) fn touch(c: &dyn Sql) -> Stored<()> {
    c.run(
        "INSERT INTO meta (key, value) VALUES ('version', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)",
        &[],
    )?;
    c.run(
        "INSERT INTO meta (key, value) VALUES ('updated_at', ?1)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        values![Moment::now().0.to_string()],
    )?;
    Ok(())
}

pub(super) fn version(c: &dyn Sql) -> Stored<(u64, Moment)> {
    let get = |key: &str| -> Stored<i64> {
        let found = c.row("SELECT value FROM meta WHERE key = ?1", values![key])?;
        Ok(found.map(|r| r.text(0)).transpose()?.and_then(|v| v.parse().ok()).unwrap_or(0))
    };
    Ok((get("version")? as u64, Moment(get("updated_at")?)))
}

const ROW: &str = "row, published_at, results, claims, receipt, withdrawn_at FROM rows";

fn board_row(r: &Row) -> Stored<BoardRow> {
    let row: BoardRow = r.json(0)?;
    Ok(BoardRow { published_at: r.maybe(1, Row::moment)?, ..row })
}

fn stored(r: &Row) -> Stored<StoredRow> {
    Ok(StoredRow {
        row: board_row(r)?,
        results: r.text(2)?,
        claims: r.text(3)?,
        receipt: r.maybe(4, Row::text)?,
        withdrawn: r.maybe(5, Row::int)?.is_some(),
    })
}

pub(super) fn rows_of(c: &dyn Sql, submission: &str) -> Stored<Vec<StoredRow>> {
    let sql = format!("SELECT {ROW} WHERE submission = ?1 ORDER BY board");
    c.rows(&sql, values![submission])?.iter().map(stored).collect()
}

pub(super) fn row(c: &dyn Sql, id: &str) -> Stored<StoredRow> {
    let found = c.row(&format!("SELECT {ROW} WHERE id = ?1"), values![id])?;
    let missing = || StoreError::Missing { what: "row", id: id.into() };
    stored(&found.ok_or_else(missing)?)
}

pub(super) fn standings(c: &dyn Sql, board: &str) -> Stored<Vec<Standing>> {
    // Of each policy of an account what was published last.
    let sql = "SELECT row, published_at, seeds_hash, outcomes FROM (
                 SELECT id, row, published_at, seeds_hash, outcomes, ROW_NUMBER() OVER
                   (PARTITION BY account, policy ORDER BY published_at DESC, id DESC) AS place
                 FROM rows WHERE board = ?1 AND published_at IS NOT NULL AND withdrawn_at IS NULL
               ) AS latest WHERE place = 1 ORDER BY published_at, id";
    let standing = |r: &Row| {
        Ok(Standing { row: board_row(r)?, seeds_hash: r.text(2)?, outcomes: r.bytes(3)? })
    };
    c.rows(sql, values![board])?.iter().map(standing).collect()
}

//! Submissions in SQL.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::accounts::{audit, moment, word};
use super::queue::runs;
use super::rows::touch;
use super::{Census, NewSubmission, Receipts, StoreError, Stored};
use crate::clock::Moment;
use crate::model::{NewRow, State, Submission};

/// Most problems that are kept.
const PROBLEMS: usize = 20;
const DAY: i64 = 86_400;

const SUBMISSION: &str =
    "s.id, s.account, a.name, s.description, s.method, s.status, s.size, s.received,
 s.episodes, s.played, s.problems, s.created_at, s.updated_at, s.board, s.server FROM submissions s JOIN accounts a ON a.id = s.account";

pub(super) fn json<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

fn submission(row: &Row<'_>) -> rusqlite::Result<Submission> {
    Ok(Submission {
        id: row.get(0)?,
        account: row.get(1)?,
        submitter: row.get(2)?,
        description: json(row, 3)?,
        method: word(row, 4)?,
        status: word(row, 5)?,
        size: row.get(6)?,
        received: row.get(7)?,
        episodes: row.get(8)?,
        played: row.get(9)?,
        problems: json(row, 10)?,
        created_at: moment(row, 11)?,
        updated_at: moment(row, 12)?,
        board: row.get(13)?,
        server: row.get::<_, Option<String>>(14)?.map(|_| json(row, 14)).transpose()?,
        leaderboard_row_id: None,
        rows: Vec::new(),
    })
}

pub(super) fn get(c: &Connection, id: &str) -> Stored<Submission> {
    let sql = format!("SELECT {SUBMISSION} WHERE s.id = ?1");
    let found = c.prepare_cached(&sql)?.query_row([id], submission).optional()?;
    let mut found =
        found.ok_or_else(|| StoreError::Missing { what: "submission", id: id.into() })?;
    with_rows(c, &mut found)?;
    Ok(found)
}

fn with_rows(c: &Connection, s: &mut Submission) -> Stored<()> {
    let sql = "SELECT id FROM rows WHERE submission = ?1 AND published_at IS NOT NULL AND withdrawn_at IS NULL ORDER BY board";
    s.rows = c.prepare_cached(sql)?.query_map([&s.id], |r| r.get(0))?.collect::<Result<_, _>>()?;
    s.leaderboard_row_id = s.rows.first().cloned();
    Ok(())
}

pub(super) fn list(c: &Connection, account: Option<i64>, most: u64) -> Stored<Vec<Submission>> {
    let sql = format!(
        "SELECT {SUBMISSION} WHERE ?1 IS NULL OR s.account = ?1 ORDER BY s.created_at DESC, s.id LIMIT ?2"
    );
    let mut all: Vec<Submission> = c
        .prepare_cached(&sql)?
        .query_map(params![account, most], submission)?
        .collect::<Result<_, _>>()?;
    all.iter_mut().try_for_each(|s| with_rows(c, s))?;
    Ok(all)
}

pub(super) fn add(c: &Connection, new: &NewSubmission) -> Stored<Submission> {
    let now = Moment::now();
    let today: u64 = c.query_row(
        "SELECT COUNT(*) FROM submissions WHERE account = ?1 AND created_at > ?2
         AND (method != 'replay' OR status NOT IN ('failed', 'cancelled'))",
        params![new.account, now.plus_seconds(-DAY).0],
        |r| r.get(0),
    )?;
    if today >= new.per_day {
        return Err(StoreError::Quota(format!(
            "this account has submitted {today} times within a day and may {} times; uploads that failed or were cancelled do not count",
            new.per_day
        )));
    }
    let (board, server) = match &new.asked {
        Some((board, server)) => (Some(board), Some(serde_json::to_string(server)?)),
        None => (None, None),
    };
    // Where nothing is uploaded, nothing is waited for.
    let status = if new.size == 0 { State::Queued } else { State::Uploading };
    c.execute(
        "INSERT INTO submissions (id, account, description, method, status, size, created_at, updated_at, board, server)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9)",
        params![
            new.id,
            new.account,
            serde_json::to_string(&new.description)?,
            new.method.word(),
            status.word(),
            new.size,
            now.0,
            board,
            server
        ],
    )?;
    audit(c, Some(new.account), "submission.create", &new.id, &new.description.policy_name)?;
    get(c, &new.id)
}

/// Set a state and what belongs to it.
pub(super) fn state(c: &Connection, id: &str, to: State, problems: &[String]) -> Stored<()> {
    let mut kept: Vec<String> = problems.iter().take(PROBLEMS).cloned().collect();
    if problems.len() > PROBLEMS {
        kept.push(format!("and {} more", problems.len() - PROBLEMS));
    }
    c.prepare_cached(
        "UPDATE submissions SET status = ?2, problems = ?3, updated_at = ?4, lease_until = 0 WHERE id = ?1",
    )?
    .execute(params![id, to.word(), serde_json::to_string(&kept)?, Moment::now().0])?;
    Ok(())
}

pub(super) fn received(c: &Connection, id: &str, bytes: u64) -> Stored<Submission> {
    let s = get(c, id)?;
    if s.status != State::Uploading {
        return Err(StoreError::Conflict(format!(
            "submission {id} is {}; it takes no more bytes",
            s.status
        )));
    }
    c.execute(
        "UPDATE submissions SET received = ?2, updated_at = ?3 WHERE id = ?1",
        params![id, bytes, Moment::now().0],
    )?;
    if bytes == s.size {
        state(c, id, State::Queued, &[])?;
    }
    get(c, id)
}

pub(super) fn set_state(
    c: &Connection,
    id: &str,
    from: &[State],
    to: State,
    by: i64,
) -> Stored<Submission> {
    let s = get(c, id)?;
    if !from.contains(&s.status) {
        let may: Vec<_> = from.iter().map(|s| s.word()).collect();
        return Err(StoreError::Conflict(format!(
            "submission {id} is {}; only one that is {} can become {to}",
            s.status,
            may.join(" or ")
        )));
    }
    // What a policy was shown stays; the rest of it goes on.
    if to == State::Queued && !s.method.asks() {
        // Played again from the start, from the same files.
        c.execute("DELETE FROM episodes WHERE submission = ?1", [id])?;
        c.execute("UPDATE submissions SET episodes = 0, played = 0 WHERE id = ?1", [id])?;
    }
    if to == State::Withdrawn {
        let now = Moment::now().0;
        c.execute("UPDATE rows SET withdrawn_at = ?2 WHERE submission = ?1", params![id, now])?;
        touch(c)?;
    }
    state(c, id, to, &[])?;
    audit(c, Some(by), &format!("submission.{to}"), id, "")?;
    get(c, id)
}

pub(super) fn finished(
    t: &Transaction<'_>,
    id: &str,
    rows: &Result<Vec<NewRow>, Vec<String>>,
    receipts: Option<&Receipts>,
) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let rows = match rows {
        Ok(rows) => rows,
        Err(problems) => return state(t, id, State::Failed, problems),
    };
    // A submission that is played again replaces what it said before.
    t.execute("DELETE FROM rows WHERE submission = ?1 AND published_at IS NULL", [id])?;
    for new in rows {
        t.execute(
            "INSERT INTO rows (id, submission, account, board, policy, row, results, claims, seeds_hash, outcomes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                new.row.id,
                id,
                new.row.account,
                new.row.board,
                new.row.description.policy_name,
                serde_json::to_string(&new.row)?,
                new.results,
                new.claims,
                new.seeds_hash,
                new.outcomes
            ],
        )?;
    }
    state(t, id, State::Completed, &[])?;
    receipts.map_or(Ok(()), |r| publish(t, id, r, None))
}

pub(super) fn publish(
    t: &Transaction<'_>,
    id: &str,
    receipts: &Receipts,
    by: Option<i64>,
) -> Stored<()> {
    let s = get(t, id)?;
    if s.status != State::Completed {
        return Err(StoreError::Conflict(format!(
            "submission {id} is {}; only one that is completed can be published",
            s.status
        )));
    }
    for (row, receipt) in &receipts.by_row {
        t.execute(
            "UPDATE rows SET published_at = ?3, receipt = ?4 WHERE id = ?2 AND submission = ?1",
            params![id, row, receipts.at.0, receipt],
        )?;
    }
    touch(t)?;
    state(t, id, State::Published, &[])?;
    audit(t, by, "submission.published", id, "")
}

pub(super) fn census(c: &Connection) -> Stored<Census> {
    let mut by_state =
        c.prepare_cached("SELECT status, COUNT(*) FROM submissions GROUP BY status")?;
    let submissions =
        by_state.query_map([], |r| Ok((word(r, 0)?, r.get(1)?)))?.collect::<Result<_, _>>()?;
    let count =
        |sql: &str| -> Stored<u64> { Ok(c.prepare_cached(sql)?.query_row([], |r| r.get(0))?) };
    Ok(Census {
        submissions,
        waiting: count(
            "SELECT COALESCE(SUM(episodes - played), 0) FROM submissions WHERE status = 'running'",
        )?,
        played: count("SELECT COALESCE(SUM(played), 0) FROM submissions")?,
        rows: count(
            "SELECT COUNT(*) FROM rows WHERE published_at IS NOT NULL AND withdrawn_at IS NULL",
        )?,
    })
}

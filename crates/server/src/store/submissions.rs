//! Submissions in SQL.

use super::accounts::audit;
use super::queue::runs;
use super::rows::touch;
use super::sql::{Row, Sql, values};
use super::{Census, NewSubmission, Receipts, StoreError, Stored};
use crate::clock::Moment;
use crate::model::{NewRow, State, Submission};

/// Most problems that are kept.
const PROBLEMS: usize = 20;
const DAY: i64 = 86_400;

const SUBMISSION: &str =
    "s.id, s.account, a.name, s.description, s.method, s.status, s.size, s.received,
 s.episodes, s.played, s.problems, s.created_at, s.updated_at, s.board, s.server FROM submissions s JOIN accounts a ON a.id = s.account";

fn submission(row: &Row) -> Stored<Submission> {
    Ok(Submission {
        id: row.text(0)?,
        account: row.int(1)?,
        submitter: row.text(2)?,
        description: row.json(3)?,
        method: row.word(4)?,
        status: row.word(5)?,
        size: row.count(6)?,
        received: row.count(7)?,
        episodes: row.count(8)?,
        played: row.count(9)?,
        problems: row.json(10)?,
        created_at: row.moment(11)?,
        updated_at: row.moment(12)?,
        board: row.maybe(13, Row::text)?,
        server: row.maybe(14, Row::json)?,
        leaderboard_row_id: None,
        rows: Vec::new(),
    })
}

pub(super) fn get(c: &dyn Sql, id: &str) -> Stored<Submission> {
    let sql = format!("SELECT {SUBMISSION} WHERE s.id = ?1");
    let missing = || StoreError::Missing { what: "submission", id: id.into() };
    let mut found = submission(&c.row(&sql, values![id])?.ok_or_else(missing)?)?;
    with_rows(c, &mut found)?;
    Ok(found)
}

fn with_rows(c: &dyn Sql, s: &mut Submission) -> Stored<()> {
    let sql = "SELECT id FROM rows WHERE submission = ?1 AND published_at IS NOT NULL AND withdrawn_at IS NULL ORDER BY board";
    s.rows = c.rows(sql, values![&s.id])?.iter().map(|r| r.text(0)).collect::<Stored<_>>()?;
    s.leaderboard_row_id = s.rows.first().cloned();
    Ok(())
}

pub(super) fn list(c: &dyn Sql, account: Option<i64>, most: u64) -> Stored<Vec<Submission>> {
    let sql = format!(
        "SELECT {SUBMISSION} WHERE CAST(?1 AS BIGINT) IS NULL OR s.account = ?1 ORDER BY s.created_at DESC, s.id LIMIT ?2"
    );
    let mut all: Vec<Submission> =
        c.rows(&sql, values![account, most])?.iter().map(submission).collect::<Stored<_>>()?;
    all.iter_mut().try_for_each(|s| with_rows(c, s))?;
    Ok(all)
}

pub(super) fn add(c: &dyn Sql, new: &NewSubmission) -> Stored<Submission> {
    let now = Moment::now();
    let today = c.number(
        "SELECT COUNT(*) FROM submissions WHERE account = ?1 AND created_at > ?2
         AND (method != 'replay' OR status NOT IN ('failed', 'cancelled'))",
        values![new.account, now.plus_seconds(-DAY)],
    )?;
    if today as u64 >= new.per_day {
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
    c.run(
        "INSERT INTO submissions (id, account, description, method, status, size, created_at, updated_at, board, server)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9)",
        values![
            &new.id,
            new.account,
            serde_json::to_string(&new.description)?,
            new.method.word(),
            status.word(),
            new.size,
            now,
            board,
            server
        ],
    )?;
    audit(c, Some(new.account), "submission.create", &new.id, &new.description.policy_name)?;
    get(c, &new.id)
}

/// Set a state and what belongs to it.
pub(super) fn state(c: &dyn Sql, id: &str, to: State, problems: &[String]) -> Stored<()> {
    let mut kept: Vec<String> = problems.iter().take(PROBLEMS).cloned().collect();
    if problems.len() > PROBLEMS {
        kept.push(format!("and {} more", problems.len() - PROBLEMS));
    }
    c.run(
        "UPDATE submissions SET status = ?2, problems = ?3, updated_at = ?4, lease_until = 0 WHERE id = ?1",
        values![id, to.word(), serde_json::to_string(&kept)?, Moment::now()],
    )?;
    Ok(())
}

pub(super) fn received(c: &dyn Sql, id: &str, bytes: u64) -> Stored<Submission> {
    let s = get(c, id)?;
    if s.status != State::Uploading {
        return Err(StoreError::Conflict(format!(
            "submission {id} is {}; it takes no more bytes",
            s.status
        )));
    }
    c.run(
        "UPDATE submissions SET received = ?2, updated_at = ?3 WHERE id = ?1",
        values![id, bytes, Moment::now().0],
    )?;
    if bytes == s.size {
        state(c, id, State::Queued, &[])?;
    }
    get(c, id)
}

pub(super) fn set_state(
    c: &dyn Sql,
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
        c.run("DELETE FROM episodes WHERE submission = ?1", values![id])?;
        c.run("UPDATE submissions SET episodes = 0, played = 0 WHERE id = ?1", values![id])?;
    }
    if to == State::Withdrawn {
        let now = Moment::now().0;
        c.run("UPDATE rows SET withdrawn_at = ?2 WHERE submission = ?1", values![id, now])?;
        touch(c)?;
    }
    state(c, id, to, &[])?;
    audit(c, Some(by), &format!("submission.{to}"), id, "")?;
    get(c, id)
}

pub(super) fn finished(
    t: &dyn Sql,
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
    t.run("DELETE FROM rows WHERE submission = ?1 AND published_at IS NULL", values![id])?;
    for new in rows {
        t.run(
            "INSERT INTO rows (id, submission, account, board, policy, row, results, claims, seeds_hash, outcomes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            values![
                &new.row.id,
                id,
                new.row.account,
                &new.row.board,
                &new.row.description.policy_name,
                serde_json::to_string(&new.row)?,
                &new.results,
                &new.claims,
                &new.seeds_hash,
                &new.outcomes
            ],
        )?;
    }
    state(t, id, State::Completed, &[])?;
    receipts.map_or(Ok(()), |r| publish(t, id, r, None))
}

pub(super) fn publish(t: &dyn Sql, id: &str, receipts: &Receipts, by: Option<i64>) -> Stored<()> {
    let s = get(t, id)?;
    if s.status != State::Completed {
        return Err(StoreError::Conflict(format!(
            "submission {id} is {}; only one that is completed can be published",
            s.status
        )));
    }
    for (row, receipt) in &receipts.by_row {
        t.run(
            "UPDATE rows SET published_at = ?3, receipt = ?4 WHERE id = ?2 AND submission = ?1",
            values![id, row, receipts.at, receipt],
        )?;
    }
    touch(t)?;
    state(t, id, State::Published, &[])?;
    audit(t, by, "submission.published", id, "")
}

pub(super) fn census(c: &dyn Sql) -> Stored<Census> {
    let by_state = c.rows("SELECT status, COUNT(*) FROM submissions GROUP BY status", &[])?;
    let submissions =
        by_state.iter().map(|r| Ok((r.word(0)?, r.count(1)?))).collect::<Stored<_>>()?;
    let count = |sql: &str| -> Stored<u64> { Ok(c.number(sql, &[])? as u64) };
    Ok(Census {
        submissions,
        waiting: count(
            "SELECT CAST(COALESCE(SUM(episodes - played), 0) AS BIGINT) FROM submissions WHERE status = 'running'",
        )?,
        played: count("SELECT CAST(COALESCE(SUM(played), 0) AS BIGINT) FROM submissions")?,
        rows: count(
            "SELECT COUNT(*) FROM rows WHERE published_at IS NOT NULL AND withdrawn_at IS NULL",
        )?,
    })
}

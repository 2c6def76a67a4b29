//! What is to be played next, by whom, and what came of it, in SQL.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::accounts::word;
use super::submissions::{get, json, state};
use super::{Job, Stored};
use crate::clock::Moment;
use crate::model::{EpisodeJob, Judged, Method, State};

pub(super) fn has_work(c: &Connection) -> Stored<bool> {
    let sql = "SELECT 1 FROM submissions WHERE status IN ('queued', 'running') LIMIT 1";
    Ok(c.prepare_cached(sql)?.exists([])?)
}

pub(super) fn next_job(t: &Transaction<'_>, until: Moment, most: u64) -> Stored<Option<Job>> {
    let now = Moment::now().0;
    // First come, first served; what has begun is brought to its end first.
    let sql = "SELECT id, status FROM submissions WHERE status IN ('queued', 'running') AND lease_until < ?1
               ORDER BY status = 'queued', created_at, id";
    let mut found = t.prepare_cached(sql)?;
    let open: Vec<(String, State)> =
        found.query_map([now], |r| Ok((r.get(0)?, word(r, 1)?)))?.collect::<Result<_, _>>()?;
    for (id, status) in open {
        if status == State::Queued {
            state(t, &id, State::Running, &[])?;
            lease(t, &id, until)?;
            return Ok(Some(Job::Prepare(get(t, &id)?)));
        }
        let sub = get(t, &id)?;
        if sub.episodes == 0 {
            // Whoever prepared it is gone.
            lease(t, &id, until)?;
            return Ok(Some(Job::Prepare(sub)));
        }
        if sub.played == sub.episodes {
            lease(t, &id, until)?;
            return Ok(Some(Job::Finish(sub)));
        }
        // A policy is asked for one episode at a time.
        let asked = sub.method == Method::Remote;
        let sql =
            "SELECT 1 FROM episodes WHERE submission = ?1 AND judged IS NULL AND lease_until >= ?2";
        if asked && t.prepare_cached(sql)?.exists(params![id, now])? {
            continue;
        }
        let most = if asked { 1 } else { most };
        // Episodes of one task, so that its compiled scene serves them all.
        let sql = "SELECT task FROM episodes WHERE submission = ?1 AND judged IS NULL AND lease_until < ?2
                   ORDER BY task, idx LIMIT 1";
        let task: Option<String> =
            t.prepare_cached(sql)?.query_row(params![id, now], |r| r.get(0)).optional()?;
        let Some(task) = task else { continue };
        let sql =
            "SELECT idx, task, seed, claimed, begun FROM episodes WHERE submission = ?1 AND task = ?2
                   AND judged IS NULL AND lease_until < ?3 ORDER BY idx LIMIT ?4";
        let episodes: Vec<EpisodeJob> = t
            .prepare_cached(sql)?
            .query_map(params![id, task, now, most], |r| {
                Ok(EpisodeJob {
                    index: r.get(0)?,
                    task: word_of(r, 1)?,
                    seed: word_of(r, 2)?,
                    claimed: json(r, 3)?,
                    begun: r.get(4)?,
                })
            })?
            .collect::<Result<_, _>>()?;
        for e in &episodes {
            t.prepare_cached(
                "UPDATE episodes SET lease_until = ?3 WHERE submission = ?1 AND idx = ?2",
            )?
            .execute(params![id, e.index, until.0])?;
        }
        return Ok(Some(Job::Play(sub, episodes)));
    }
    Ok(None)
}

fn word_of<T: std::str::FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T::Err: std::fmt::Display,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|e: T::Err| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            e.to_string().into(),
        )
    })
}

fn lease(c: &Connection, id: &str, until: Moment) -> Stored<()> {
    c.execute("UPDATE submissions SET lease_until = ?2 WHERE id = ?1", params![id, until.0])?;
    Ok(())
}

pub(super) fn forget_leases(t: &Transaction<'_>) -> Stored<()> {
    t.execute("UPDATE submissions SET lease_until = 0 WHERE lease_until > 0", [])?;
    t.execute("UPDATE episodes SET lease_until = 0 WHERE lease_until > 0 AND judged IS NULL", [])?;
    Ok(())
}

pub(super) fn begun(t: &Transaction<'_>, id: &str, index: u64, until: Moment) -> Stored<bool> {
    let sql = "UPDATE episodes SET begun = 1, lease_until = ?3
               WHERE submission = ?1 AND idx = ?2 AND judged IS NULL";
    Ok(runs(t, id)? && t.prepare_cached(sql)?.execute(params![id, index, until.0])? == 1)
}

pub(super) fn away(t: &Transaction<'_>, id: &str, why: &str) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    t.execute(
        "UPDATE episodes SET lease_until = 0 WHERE submission = ?1 AND judged IS NULL",
        [id],
    )?;
    let what = format!("{why}; retry goes on with the episodes that its policy has not seen");
    state(t, id, State::Failed, &[what])
}

/// Whether a submission still runs; what comes late for one that was cancelled is dropped.
pub(super) fn runs(c: &Connection, id: &str) -> Stored<bool> {
    let sql = "SELECT 1 FROM submissions WHERE id = ?1 AND status = 'running'";
    Ok(c.prepare_cached(sql)?.exists([id])?)
}

pub(super) fn prepared(
    t: &Transaction<'_>,
    id: &str,
    episodes: &Result<Vec<EpisodeJob>, Vec<String>>,
) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let episodes = match episodes {
        Ok(episodes) => episodes,
        Err(problems) => return state(t, id, State::Failed, problems),
    };
    let mut add = t.prepare_cached(
        "INSERT INTO episodes (submission, idx, task, seed, claimed) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?;
    for e in episodes {
        let claimed = serde_json::to_string(&e.claimed)?;
        add.execute(params![id, e.index, e.task.as_str(), e.seed.to_string(), claimed])?;
    }
    t.execute(
        "UPDATE submissions SET lease_until = 0,
         episodes = (SELECT COUNT(*) FROM episodes WHERE submission = ?1) WHERE id = ?1",
        [id],
    )?;
    Ok(())
}

pub(super) fn played(t: &Transaction<'_>, id: &str, episodes: &[(u64, Judged)]) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let mut note = t.prepare_cached(
        "UPDATE episodes SET judged = ?3 WHERE submission = ?1 AND idx = ?2 AND judged IS NULL",
    )?;
    let mut noted = 0;
    for (index, judged) in episodes {
        noted += note.execute(params![id, index, serde_json::to_string(judged)?])?;
    }
    t.execute(
        "UPDATE submissions SET updated_at = ?2, played = played + ?3 WHERE id = ?1",
        params![id, Moment::now().0, noted],
    )?;
    Ok(())
}

pub(super) fn judged(c: &Connection, id: &str) -> Stored<Vec<Judged>> {
    let sql =
        "SELECT judged FROM episodes WHERE submission = ?1 AND judged IS NOT NULL ORDER BY idx";
    Ok(c.prepare_cached(sql)?.query_map([id], |r| json(r, 0))?.collect::<Result<_, _>>()?)
}

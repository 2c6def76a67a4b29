//! What is to be played next, by whom, and what came of it, in SQL.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::accounts::{audit, word};
use super::submissions::{get, json, state};
use super::{Hands, Job, Stored};
use crate::clock::Moment;
use crate::model::{EpisodeJob, Judged, State};

pub(super) fn has_work(c: &Connection) -> Stored<bool> {
    let sql = "SELECT 1 FROM submissions WHERE status IN ('queued', 'running') LIMIT 1";
    Ok(c.prepare_cached(sql)?.exists([])?)
}

pub(super) fn next_job(
    t: &Transaction<'_>,
    until: Moment,
    most: u64,
    hands: Hands,
) -> Stored<Option<Job>> {
    let now = Moment::now().0;
    // First come, first served; what has begun is brought to its end first.
    let sql = "SELECT id, status FROM submissions WHERE status IN ('queued', 'running') AND lease_until < ?1
               ORDER BY status = 'queued', created_at, id";
    let mut found = t.prepare_cached(sql)?;
    let open: Vec<(String, State)> =
        found.query_map([now], |r| Ok((r.get(0)?, word(r, 1)?)))?.collect::<Result<_, _>>()?;
    for (id, status) in open {
        if hands == Hands::Elsewhere {
            match elsewhere(t, &id, until, most)? {
                Some(job) => return Ok(Some(job)),
                None => continue,
            }
        }
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
        let asked = sub.method.asks();
        let sql =
            "SELECT 1 FROM episodes WHERE submission = ?1 AND judged IS NULL AND lease_until >= ?2";
        if asked && t.prepare_cached(sql)?.exists(params![id, now])? {
            continue;
        }
        let most = if asked { 1 } else { most };
        let episodes = taken(t, &id, until, most, hands)?;
        if !episodes.is_empty() {
            return Ok(Some(Job::Play(sub, episodes)));
        }
    }
    Ok(None)
}

/// Take episodes of a submission that a worker on another machine can play.
fn elsewhere(t: &Transaction<'_>, id: &str, until: Moment, most: u64) -> Stored<Option<Job>> {
    let sub = get(t, id)?;
    if sub.method.asks() || sub.status != State::Running {
        return Ok(None);
    }
    let episodes = taken(t, id, until, most, Hands::Elsewhere)?;
    Ok((!episodes.is_empty()).then_some(Job::Play(sub, episodes)))
}

/// Take open episodes of one task, so that its compiled scene serves them all.
fn taken(
    t: &Transaction<'_>,
    id: &str,
    until: Moment,
    most: u64,
    hands: Hands,
) -> Stored<Vec<EpisodeJob>> {
    let (least, highest) = match hands {
        Hands::Own => (0, 1),
        Hands::Checking => (1, 1),
        Hands::Elsewhere => (0, 0),
    };
    let now = Moment::now().0;
    let sql =
        "SELECT task FROM episodes WHERE submission = ?1 AND judged IS NULL AND lease_until < ?2
               AND own BETWEEN ?3 AND ?4 ORDER BY task, idx LIMIT 1";
    let task: Option<String> = t
        .prepare_cached(sql)?
        .query_row(params![id, now, least, highest], |r| r.get(0))
        .optional()?;
    let Some(task) = task else { return Ok(Vec::new()) };
    let sql =
        "SELECT idx, task, seed, claimed, begun FROM episodes WHERE submission = ?1 AND task = ?2
               AND judged IS NULL AND lease_until < ?3 AND own BETWEEN ?4 AND ?5 ORDER BY idx LIMIT ?6";
    let episodes: Vec<EpisodeJob> = t
        .prepare_cached(sql)?
        .query_map(params![id, task, now, least, highest, most], |r| {
            Ok(EpisodeJob {
                index: r.get(0)?,
                task: word_of(r, 1)?,
                seed: word_of(r, 2)?,
                claimed: json(r, 3)?,
                begun: r.get(4)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    let sql = "UPDATE episodes SET lease_until = ?3 WHERE submission = ?1 AND idx = ?2";
    let mut lease = t.prepare_cached(sql)?;
    for e in &episodes {
        lease.execute(params![id, e.index, until.0])?;
    }
    Ok(episodes)
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
    // Policies are asked from here.
    let own = get(t, id)?.method.asks();
    let mut add = t.prepare_cached(
        "INSERT INTO episodes (submission, idx, task, seed, claimed, own) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO NOTHING",
    )?;
    for e in episodes {
        let claimed = serde_json::to_string(&e.claimed)?;
        add.execute(params![id, e.index, e.task.as_str(), e.seed.to_string(), claimed, own])?;
    }
    t.execute(
        "UPDATE submissions SET lease_until = 0,
         episodes = (SELECT COUNT(*) FROM episodes WHERE submission = ?1) WHERE id = ?1",
        [id],
    )?;
    Ok(())
}

/// Count again how many were played: some may have to be played once more.
fn counted(t: &Transaction<'_>, id: &str) -> Stored<()> {
    t.execute(
        "UPDATE submissions SET updated_at = ?2, played = (SELECT COUNT(*) FROM episodes
         WHERE submission = ?1 AND judged IS NOT NULL) WHERE id = ?1",
        params![id, Moment::now().0],
    )?;
    Ok(())
}

pub(super) fn played(t: &Transaction<'_>, id: &str, episodes: &[(u64, Judged)]) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let mut note = t.prepare_cached(
        "UPDATE episodes SET judged = ?3 WHERE submission = ?1 AND idx = ?2 AND judged IS NULL
         RETURNING told, worker",
    )?;
    for (index, judged) in episodes {
        let seen = serde_json::to_string(judged)?;
        let told: Option<(Option<String>, Option<i64>)> =
            note.query_row(params![id, index, seen], |r| Ok((r.get(0)?, r.get(1)?))).optional()?;
        if let Some((Some(told), Some(worker))) = told
            && told != seen
        {
            distrust(t, id, *index, worker)?;
        }
    }
    counted(t, id)
}

/// A worker saw something else than this server: what it told of a submission, and what is left of it, is
/// played here.
fn distrust(t: &Transaction<'_>, id: &str, index: u64, worker: i64) -> Stored<()> {
    let n = t.execute(
        "UPDATE episodes SET judged = NULL, own = 1, told = NULL, worker = NULL, lease_until = 0
         WHERE submission = ?1 AND (worker = ?2 OR judged IS NULL) AND idx != ?3",
        params![id, worker, index],
    )?;
    let what = format!("episode {index} is not as its worker told; {n} more are played here");
    tracing::warn!(submission = id, worker, what, "a worker is wrong");
    audit(t, Some(worker), "worker.wrong", id, &what)
}

pub(super) fn told(
    t: &Transaction<'_>,
    id: &str,
    worker: i64,
    episodes: &[(u64, String, bool)],
) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    // What is looked at again is written down, and waits for this server's own threads.
    let mut note = t.prepare_cached(
        "UPDATE episodes SET worker = ?3, told = ?4, own = ?5, lease_until = 0,
         judged = CASE WHEN ?5 THEN NULL ELSE ?4 END
         WHERE submission = ?1 AND idx = ?2 AND judged IS NULL AND NOT own",
    )?;
    for (index, judged, again) in episodes {
        note.execute(params![id, index, worker, judged, again])?;
    }
    counted(t, id)
}

pub(super) fn judged(c: &Connection, id: &str) -> Stored<Vec<Judged>> {
    let sql =
        "SELECT judged FROM episodes WHERE submission = ?1 AND judged IS NOT NULL ORDER BY idx";
    Ok(c.prepare_cached(sql)?.query_map([id], |r| json(r, 0))?.collect::<Result<_, _>>()?)
}

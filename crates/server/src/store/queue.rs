//! What is to be played next, by whom, and what came of it, in SQL.

use super::accounts::audit;
use super::sql::{Row, Sql, values};
use super::submissions::{get, state};
use super::{Hands, Job, Stored};
use crate::clock::Moment;
use crate::model::{EpisodeJob, Judged, State};

pub(super) fn has_work(c: &dyn Sql) -> Stored<bool> {
    let sql = "SELECT 1 FROM submissions WHERE status IN ('queued', 'running') LIMIT 1";
    c.any(sql, &[])
}

pub(super) fn next_job(t: &dyn Sql, until: Moment, most: u64, hands: Hands) -> Stored<Option<Job>> {
    let now = Moment::now().0;
    // First come, first served; what has begun is brought to its end first.
    let sql = "SELECT id, status FROM submissions WHERE status IN ('queued', 'running') AND lease_until < ?1
               ORDER BY status = 'queued', created_at, id";
    for found in t.rows(sql, values![now])? {
        let (id, status): (String, State) = (found.text(0)?, found.word(1)?);
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
        if asked && t.any(sql, values![&id, now])? {
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
fn elsewhere(t: &dyn Sql, id: &str, until: Moment, most: u64) -> Stored<Option<Job>> {
    let sub = get(t, id)?;
    if sub.method.asks() || sub.status != State::Running {
        return Ok(None);
    }
    let episodes = taken(t, id, until, most, Hands::Elsewhere)?;
    Ok((!episodes.is_empty()).then_some(Job::Play(sub, episodes)))
}

/// Take open episodes of one task, so that its compiled scene serves them all.
fn taken(t: &dyn Sql, id: &str, until: Moment, most: u64, hands: Hands) -> Stored<Vec<EpisodeJob>> {
    let (least, highest) = match hands {
        Hands::Own => (0i64, 1i64),
        Hands::Checking => (1, 1),
        Hands::Elsewhere => (0, 0),
    };
    let now = Moment::now().0;
    let sql =
        "SELECT task FROM episodes WHERE submission = ?1 AND judged IS NULL AND lease_until < ?2
               AND own BETWEEN ?3 AND ?4 ORDER BY task, idx LIMIT 1";
    let Some(found) = t.row(sql, values![id, now, least, highest])? else { return Ok(Vec::new()) };
    let task = found.text(0)?;
    let sql =
        "SELECT idx, task, seed, claimed, begun FROM episodes WHERE submission = ?1 AND task = ?2
               AND judged IS NULL AND lease_until < ?3 AND own BETWEEN ?4 AND ?5 ORDER BY idx LIMIT ?6";
    let job = |r: &Row| {
        Ok(EpisodeJob {
            index: r.count(0)?,
            task: r.word(1)?,
            seed: r.word(2)?,
            claimed: r.json(3)?,
            begun: r.flag(4)?,
        })
    };
    let found = t.rows(sql, values![id, task, now, least, highest, most])?;
    let episodes: Vec<EpisodeJob> = found.iter().map(job).collect::<Stored<_>>()?;
    let sql = "UPDATE episodes SET lease_until = ?3 WHERE submission = ?1 AND idx = ?2";
    for e in &episodes {
        t.run(sql, values![id, e.index, until])?;
    }
    Ok(episodes)
}

fn lease(c: &dyn Sql, id: &str, until: Moment) -> Stored<()> {
    c.run("UPDATE submissions SET lease_until = ?2 WHERE id = ?1", values![id, until])?;
    Ok(())
}

pub(super) fn forget_leases(t: &dyn Sql) -> Stored<()> {
    t.run("UPDATE submissions SET lease_until = 0 WHERE lease_until > 0", &[])?;
    t.run("UPDATE episodes SET lease_until = 0 WHERE lease_until > 0 AND judged IS NULL", &[])?;
    Ok(())
}

pub(super) fn begun(t: &dyn Sql, id: &str, index: u64, until: Moment) -> Stored<bool> {
    let sql = "UPDATE episodes SET begun = 1, lease_until = ?3
               WHERE submission = ?1 AND idx = ?2 AND judged IS NULL";
    Ok(runs(t, id)? && t.run(sql, values![id, index, until])? == 1)
}

pub(super) fn away(t: &dyn Sql, id: &str, why: &str) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let sql = "UPDATE episodes SET lease_until = 0 WHERE submission = ?1 AND judged IS NULL";
    t.run(sql, values![id])?;
    let what = format!("{why}; retry goes on with the episodes that its policy has not seen");
    state(t, id, State::Failed, &[what])
}

/// Whether a submission still runs; what comes late for one that was cancelled is dropped.
pub(super) fn runs(c: &dyn Sql, id: &str) -> Stored<bool> {
    let sql = "SELECT 1 FROM submissions WHERE id = ?1 AND status = 'running'";
    c.any(sql, values![id])
}

pub(super) fn prepared(
    t: &dyn Sql,
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
    let add = "INSERT INTO episodes (submission, idx, task, seed, claimed, own) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT DO NOTHING";
    for e in episodes {
        let claimed = serde_json::to_string(&e.claimed)?;
        t.run(add, values![id, e.index, e.task.as_str(), e.seed.to_string(), claimed, own])?;
    }
    t.run(
        "UPDATE submissions SET lease_until = 0,
         episodes = (SELECT COUNT(*) FROM episodes WHERE submission = ?1) WHERE id = ?1",
        values![id],
    )?;
    Ok(())
}

/// Count again how many were played: some may have to be played once more.
fn counted(t: &dyn Sql, id: &str) -> Stored<()> {
    t.run(
        "UPDATE submissions SET updated_at = ?2, played = (SELECT COUNT(*) FROM episodes
         WHERE submission = ?1 AND judged IS NOT NULL) WHERE id = ?1",
        values![id, Moment::now()],
    )?;
    Ok(())
}

pub(super) fn played(t: &dyn Sql, id: &str, episodes: &[(u64, Judged)]) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    let note =
        "UPDATE episodes SET judged = ?3 WHERE submission = ?1 AND idx = ?2 AND judged IS NULL
                RETURNING told, worker";
    for (index, judged) in episodes {
        let seen = serde_json::to_string(judged)?;
        let Some(was) = t.row(note, values![id, *index, &seen])? else { continue };
        if let (Some(told), Some(worker)) = (was.maybe(0, Row::text)?, was.maybe(1, Row::int)?)
            && told != seen
        {
            distrust(t, id, *index, worker)?;
        }
    }
    counted(t, id)
}

/// A worker saw something else than this server: what it told of a submission, and what is left of it, is
/// played here.
fn distrust(t: &dyn Sql, id: &str, index: u64, worker: i64) -> Stored<()> {
    let n = t.run(
        "UPDATE episodes SET judged = NULL, own = 1, told = NULL, worker = NULL, lease_until = 0
         WHERE submission = ?1 AND (worker = ?2 OR judged IS NULL) AND idx != ?3",
        values![id, worker, index],
    )?;
    let what = format!("episode {index} is not as its worker told; {n} more are played here");
    tracing::warn!(submission = id, worker, what, "a worker is wrong");
    audit(t, Some(worker), "worker.wrong", id, &what)
}

pub(super) fn told(
    t: &dyn Sql,
    id: &str,
    worker: i64,
    episodes: &[(u64, String, bool)],
) -> Stored<()> {
    if !runs(t, id)? {
        return Ok(());
    }
    // What is looked at again is written down, and waits for this server's own threads.
    let note = "UPDATE episodes SET worker = ?3, told = ?4, own = ?5, lease_until = 0, judged = ?6
                WHERE submission = ?1 AND idx = ?2 AND judged IS NULL AND own = 0";
    for (index, judged, again) in episodes {
        let known = (!again).then_some(judged);
        t.run(note, values![id, *index, worker, judged, *again, known])?;
    }
    counted(t, id)
}

pub(super) fn judged(c: &dyn Sql, id: &str) -> Stored<Vec<Judged>> {
    let sql =
        "SELECT judged FROM episodes WHERE submission = ?1 AND judged IS NOT NULL ORDER BY idx";
    c.rows(sql, values![id])?.iter().map(|r| r.json(0)).collect()
}

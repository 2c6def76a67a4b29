//! What a submitted run is worth: every episode is played again, everything is computed again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use longarm_eval::{Replayer, Sanity, read_rows, same_as_played, trace_of};
use longarm_results::{
    EPISODES, ExecutionOptions, RUN, Row, RowSummary, RunConfig, RunOptions, Shard, Trace,
    summarize,
};
use longarm_types::{Digest, ENGINE_VERSION, EpisodeOutcome, Hints, TaskId};

use crate::board::{Board, BoardSeeds, Boards, Catalogue};
use crate::model::{BoardRow, EpisodeJob, Judged, NewRow, Submission};
use crate::receipt::{Claims, episodes_hash};
use crate::secret::fresh_id;
use crate::views;

/// Look at an unpacked run and list the episodes that boards need of it.
pub fn prepare(dir: &Path, boards: &Boards) -> Result<Vec<EpisodeJob>, Vec<String>> {
    let one = |e: String| vec![e];
    let config = RunConfig::read(&dir.join(RUN)).map_err(|e| one(without(&e, dir)))?;
    let mut problems = refused(&config, boards);
    let rows = read_rows(dir).map_err(|e| one(without(&e, dir)))?;
    let mut by_episode: BTreeMap<(TaskId, u64), Row> = BTreeMap::new();
    for row in rows {
        let key = (row.episode.task.clone(), row.episode.seed);
        if by_episode.contains_key(&key) {
            problems.push(format!("{} seed {} has two rows in {EPISODES}", key.0, key.1));
        }
        by_episode.insert(key, row);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut needed: BTreeSet<(TaskId, u64)> = BTreeSet::new();
    let mut short = Vec::new();
    for board in &boards.all {
        let seeds = board.seeds();
        let work: Vec<(TaskId, u64)> = board.work(&seeds).map(|(t, s)| (t.clone(), s)).collect();
        let counts = |key: &&(TaskId, u64)| {
            by_episode.get(key).is_some_and(|r| r.episode.outcome != EpisodeOutcome::HarnessError)
        };
        let have = work.iter().filter(counts).count();
        if have == work.len() {
            needed.extend(work);
        } else if have > 0 {
            let first = work.iter().find(|k| !counts(k));
            let first = first.map(|(t, s)| format!("{t} seed {s}")).unwrap_or_default();
            short.push(format!(
                "board {} has {} episodes and the run {have} of them; the first that is missing is {first}",
                board.name,
                work.len()
            ));
        }
    }
    if needed.is_empty() {
        let none = || "the run holds no episode of a board's tasks and test seeds".to_owned();
        return Err(if short.is_empty() { one(none()) } else { short });
    }
    let claimed = |(index, key): (usize, (TaskId, u64))| {
        let claimed = by_episode.remove(&key)?;
        let (index, claimed) = (index as u64, Some(claimed));
        Some(EpisodeJob { index, task: key.0, seed: key.1, claimed, begun: false })
    };
    Ok(needed.into_iter().enumerate().filter_map(claimed).collect())
}

/// An error without where this server keeps its files.
fn without(e: &dyn std::fmt::Display, dir: &Path) -> String {
    e.to_string().replace(&format!("{}/", dir.display()), "")
}

/// What of a configuration cannot stand beside others.
fn refused(config: &RunConfig, boards: &Boards) -> Vec<String> {
    let mut out = Vec::new();
    for (name, theirs, ours) in [
        ("engine", config.engine.as_str(), ENGINE_VERSION),
        ("MuJoCo", config.mujoco.as_str(), longarm_sim::mujoco_version()),
    ] {
        if theirs != ours {
            out.push(format!("the run is of {name} {theirs} and this server of {ours}"));
        }
    }
    if config.shard != Shard::WHOLE {
        out.push(format!(
            "the run is shard {}; put the shards together with longarm merge",
            config.shard
        ));
    }
    let asked = &config.options;
    let e = &asked.execution;
    // How a policy is asked is its own business; what helps or hinders it is not.
    let plain = ExecutionOptions {
        execute: e.execute,
        action_repeat: e.action_repeat,
        ..ExecutionOptions::default()
    };
    if *e != plain {
        let mut named = Vec::new();
        for (name, given) in [
            ("latency", e.latency.is_some()),
            ("action-noise", e.action_noise.is_some()),
            ("pixel-noise", e.pixel_noise.is_some()),
            ("max-steps", e.max_steps.is_some()),
            ("run-on", e.run_on.is_some()),
            ("stepwise", e.stepwise.is_some()),
            ("hints", e.hints != Hints::default()),
        ] {
            if given {
                named.push(name);
            }
        }
        out.push(format!("boards are played without {}", named.join(", ")));
    }
    for (id, entry) in &config.tasks {
        if entry.file.is_some() {
            out.push(format!(
                "{id} comes from a file; this server plays the tasks of its own catalogue"
            ));
            continue;
        }
        match boards.catalogue.task(id) {
            None => out.push(format!("this server has no task {id}")),
            Some(task) if task.hash() != entry.hash => {
                let options = RunOptions { execution: *e, ..RunOptions::default() };
                let why = match asked.control.is_some() || asked.chosen != options.chosen {
                    true => "it was run under options that no board has",
                    false => "it is another version of it",
                };
                out.push(format!(
                    "{id} has hash {} in the run and {} here: {why}",
                    entry.hash.short(),
                    task.hash().short()
                ));
            }
            Some(_) => {}
        }
    }
    out
}

/// Read the trace of a claimed episode.
pub fn trace(dir: &Path, job: &EpisodeJob) -> Result<Trace, String> {
    let said = job.claimed.as_ref().ok_or("nothing is claimed of it")?;
    trace_of(dir, said).map_err(|e| without(&e, dir))
}

/// What is said of an episode that cannot be played.
pub fn unplayable(job: &EpisodeJob, what: &str) -> Judged {
    Judged { row: None, sanity: Sanity::default(), problem: Some(told(job, what)) }
}

/// Play one claimed episode again from its trace.
pub fn play(
    trace: Result<Trace, String>,
    catalogue: &Catalogue,
    replayer: &mut Replayer,
    job: &EpisodeJob,
) -> Judged {
    let mut sanity = Sanity::default();
    match trace.and_then(|t| replay(&t, catalogue, replayer, job, &mut sanity)) {
        Ok((row, problem)) => Judged { row: Some(row), sanity, problem },
        Err(what) => Judged { sanity, ..unplayable(job, &what) },
    }
}

fn told(job: &EpisodeJob, what: &str) -> String {
    format!("{} seed {}: {what}", job.task, job.seed)
}

fn replay(
    trace: &Trace,
    catalogue: &Catalogue,
    replayer: &mut Replayer,
    job: &EpisodeJob,
    sanity: &mut Sanity,
) -> Result<(Row, Option<String>), String> {
    let said = job.claimed.as_ref().ok_or("nothing is claimed of it")?;
    let task = catalogue.task(&job.task).ok_or("this server has no such task")?;
    let limit = ExecutionOptions::default();
    let played = replayer.play(&task, trace, &said.episode.policy, &limit, sanity)?;
    let problem = same_as_played(said, &played).err().map(|what| told(job, &what));
    // What only the submitter could measure is not kept: it cannot be checked.
    Ok((Row { trace: said.trace.clone(), ..Row::of(job.index, played) }, problem))
}

/// Put together the rows of all boards that the episodes cover; what does not match otherwise.
pub fn finish(
    submission: &Submission,
    judged: &[Judged],
    boards: &Boards,
    seeds_of: impl Fn(&Board) -> BoardSeeds,
) -> Result<Vec<NewRow>, Vec<String>> {
    let problems: Vec<String> = judged.iter().filter_map(|j| j.problem.clone()).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let by_episode: BTreeMap<(&TaskId, u64), &Judged> = judged
        .iter()
        .filter_map(|j| j.row.as_ref().map(|r| ((&r.episode.task, r.episode.seed), j)))
        .collect();
    let mut out = Vec::new();
    let asked = |b: &&Board| submission.board.as_ref().is_none_or(|name| *name == b.name);
    for board in boards.all.iter().filter(asked) {
        let seeds = seeds_of(board);
        let work = board.work(&seeds);
        let all: Option<Vec<&Judged>> = work.map(|k| by_episode.get(&k).copied()).collect();
        if let Some(all) = all {
            out.push(row(submission, board, &all, seeds).map_err(|e| vec![e])?);
        }
    }
    match out.is_empty() {
        true => Err(vec!["no board is covered any more: boards have changed".into()]),
        false => Ok(out),
    }
}

fn row(
    submission: &Submission,
    board: &Board,
    all: &[&Judged],
    seeds: BoardSeeds,
) -> Result<NewRow, String> {
    let (d, trust) = (&submission.description, submission.method.trust());
    let config = board.config_of(submission);
    let rows: Vec<&Row> = all.iter().filter_map(|j| j.row.as_ref()).collect();
    let summaries: Vec<RowSummary> = rows.iter().copied().map(RowSummary::from).collect();
    let results = summarize(&config, &summaries);
    let overall = results.mechanisms.as_ref().and_then(|m| m.overall);
    let metrics = results.mechanisms.iter().flat_map(|m| &m.metrics);
    let range = match overall {
        Some(value) => metrics.filter(|m| m.value == value).find_map(|m| m.interval),
        None => Some(results.suite.score),
    };
    let mut outcomes = vec![0u8; rows.len().div_ceil(8)];
    for (i, row) in rows.iter().enumerate() {
        outcomes[i / 8] |= u8::from(row.episode.outcome == EpisodeOutcome::Success) << (i % 8);
    }
    let row = BoardRow {
        id: fresh_id().map_err(|e| e.to_string())?,
        submission: submission.id.clone(),
        board: board.name.clone(),
        account: submission.account,
        submitter: if d.name.is_empty() { submission.submitter.clone() } else { d.name.clone() },
        source_label: if d.open_source { "open source" } else { "closed source" }.to_owned(),
        description: d.clone(),
        trust,
        average: overall.unwrap_or(results.suite.score.mean),
        range,
        success: results.suite.success,
        score: results.suite.score,
        means: views::means(board, &results),
        n: results.counts.n,
        flagged: all.iter().filter(|j| !j.sanity.flags().is_empty()).count() as u64,
        engine: config.engine.clone(),
        mujoco: config.mujoco.clone(),
        tasks_hash: board.hash().to_string(),
        published_at: None,
    };
    let claims = Claims {
        row: row.id.clone(),
        submission: submission.id.clone(),
        board: board.name.clone(),
        policy: d.policy_name.clone(),
        submitter: row.submitter.clone(),
        trust,
        average: row.average,
        success: row.success,
        score: row.score,
        n: row.n,
        engine: row.engine.clone(),
        mujoco: row.mujoco.clone(),
        tasks: config.tasks.iter().map(|(id, t)| (id.clone(), t.hash)).collect(),
        episodes_hash: episodes_hash(rows.iter().map(|r| &r.episode)),
        seeds,
    };
    let text = |v: &Claims| serde_json::to_string(v).map_err(|e| e.to_string());
    let seeds = serde_json::to_string(&claims.seeds).map_err(|e| e.to_string())?;
    Ok(NewRow {
        results: results.to_json(),
        claims: text(&claims)?,
        outcomes,
        seeds_hash: Digest::of(seeds.as_bytes()).to_string(),
        row,
    })
}

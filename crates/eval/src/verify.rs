//! Does a run say what happened? Its traces are played again.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use longarm_results::{EPISODES, Error, RESULTS, Row, Run, RunConfig};
use longarm_sim::batch;
use longarm_task::TaskSpec;
use longarm_types::{ENGINE_VERSION, EpisodeOutcome, TaskId};

use crate::agent::REPRODUCES;
use crate::{
    ExecutionOptions, HarnessError, Replayer, Unwatched, same_as_played, trace_of, work_list,
};

/// Something that does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The episode, or `None` when it is about the whole run.
    pub episode: Option<(TaskId, u64)>,
    /// What does not match, in words.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.episode {
            Some((task, seed)) => write!(f, "{task} seed {seed}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Episodes that were replayed.
    pub replayed: u64,
    /// Rows of harness errors: nothing is claimed, nothing is replayed.
    pub not_played: u64,
    /// What a reader must know although all matches.
    pub notes: Vec<String>,
    /// Everything that does not match, in the order of the rows.
    pub problems: Vec<Problem>,
}

/// Replays every episode of a run directory and compares it with its row. `find` gives the tasks of
/// this engine; `progress` hears how many episodes are done.
pub fn verify(
    dir: &Path,
    find: impl Fn(&TaskId) -> Option<Arc<TaskSpec>>,
    workers: usize,
    mut progress: impl FnMut(u64, u64),
) -> Result<Verdict, HarnessError> {
    let mut verdict = Verdict::default();
    let (run, rows) = match Run::read(dir).and_then(|run| Ok((run, read_rows(dir)?))) {
        Ok(read) => read,
        // A directory that holds no run, or cannot be read, was not tampered with.
        Err(e @ (Error::File(_) | Error::NotARun { .. })) => return Err(e.into()),
        Err(e) => {
            verdict.problems.push(Problem { episode: None, what: e.to_string() });
            return Ok(verdict);
        }
    };
    if !run.config.evidence.is_simulated() {
        let what = "people judged this run on a real arm: nothing of it can be replayed";
        verdict.problems.push(Problem { episode: None, what: what.into() });
        return Ok(verdict);
    }
    whole(dir, &run, &rows, &mut verdict.problems);
    let described = run.config.options.agent.as_ref();
    if described.is_some_and(|a| a.get(REPRODUCES).is_some_and(|r| r.as_bool() == Some(false))) {
        verdict.notes.push(
            "the agent answered by the wall clock: its actions are replayed, its decisions do not \
             reproduce"
                .into(),
        );
    }
    let limit = run.config.options.execution;
    let tasks: BTreeMap<TaskId, Option<Arc<TaskSpec>>> =
        run.config.tasks.keys().map(|id| (id.clone(), find(id))).collect();
    for (id, entry) in &run.config.tasks {
        let what = match &tasks[id] {
            None => format!("this engine has no task {id}"),
            Some(t) if t.hash() != entry.hash => format!(
                "{id} has hash {} in run.toml and {} in this engine: it is another task",
                entry.hash.short(),
                t.hash().short()
            ),
            Some(_) => continue,
        };
        verdict.problems.push(Problem { episode: None, what });
    }
    let places: BTreeMap<(usize, u64), u64> =
        work_list(&run.config).into_iter().map(|w| ((w.task, w.seed.0), w.index)).collect();
    // Task by task, so that compiled scenes are used again.
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|i| (&rows[*i].episode.task, rows[*i].episode.seed));
    let mut found: Vec<(usize, Option<Problem>)> = Vec::new();
    let total = rows.len() as u64;
    let checker = Checker { dir, config: &run.config, tasks: &tasks, places: &places, limit };
    batch::pool(
        order.len(),
        workers,
        &AtomicBool::new(false),
        Replayer::default,
        |replayer, i| {
            let row = &rows[order[i]];
            let problem = checker.row(replayer, row).err();
            let episode = (row.episode.task.clone(), row.episode.seed);
            (order[i], problem.map(|what| Problem { episode: Some(episode), what }))
        },
        |_, result| {
            found.push(result);
            progress(found.len() as u64, total);
        },
    );
    found.sort_by_key(|(i, _)| *i);
    verdict.problems.extend(found.into_iter().filter_map(|(_, p)| p));
    verdict.not_played =
        rows.iter().filter(|r| r.episode.outcome == EpisodeOutcome::HarnessError).count() as u64;
    verdict.replayed = total - verdict.not_played;
    Ok(verdict)
}

/// Read all whole rows of a run directory, with all they say.
pub fn read_rows(dir: &Path) -> Result<Vec<Row>, Error> {
    let path = dir.join(EPISODES);
    let text = std::fs::read_to_string(&path).map_err(longarm_data::Error::io("read", &path))?;
    let whole = text.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let parse = |(i, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|e| Error::Line {
            path: path.clone(),
            line: i as u64 + 1,
            what: e.to_string(),
        })
    };
    whole.enumerate().map(parse).collect()
}

/// What can be said without playing anything.
fn whole(dir: &Path, run: &Run, rows: &[Row], problems: &mut Vec<Problem>) {
    let mut say = |what: String| problems.push(Problem { episode: None, what });
    for (name, theirs, ours) in [
        ("engine", run.config.engine.as_str(), ENGINE_VERSION),
        ("MuJoCo", run.config.mujoco.as_str(), longarm_sim::mujoco_version()),
    ] {
        if theirs != ours {
            say(format!("run.toml names {name} {theirs} and this is {ours}: replays may differ"));
        }
    }
    let (have, expected) = (rows.len() as u64, run.config.expected());
    if have != expected {
        say(format!("there are {have} rows and the run has {expected} episodes"));
    }
    match std::fs::read_to_string(dir.join(RESULTS)) {
        Err(_) => say(format!("there is no readable {RESULTS}")),
        Ok(text) if text != run.results.to_json() => {
            say(format!("{RESULTS} does not follow from {EPISODES}"));
        }
        Ok(_) => {}
    }
}

struct Checker<'a> {
    dir: &'a Path,
    config: &'a RunConfig,
    tasks: &'a BTreeMap<TaskId, Option<Arc<TaskSpec>>>,
    places: &'a BTreeMap<(usize, u64), u64>,
    limit: ExecutionOptions,
}

impl Checker<'_> {
    fn row(&self, replayer: &mut Replayer, row: &Row) -> Result<(), String> {
        let said = &row.episode;
        let place = self.config.tasks.keys().position(|t| *t == said.task);
        match place.and_then(|t| self.places.get(&(t, said.seed))) {
            None => return Err("this seed is not one of the run's".into()),
            Some(place) if *place != row.index => {
                return Err(format!("its index is {} and its place is {place}", row.index));
            }
            Some(_) => {}
        }
        for (name, theirs, ours) in [
            ("policy", said.policy.as_str(), self.config.policy.as_str()),
            ("engine", &said.engine, &self.config.engine),
            ("MuJoCo", &said.mujoco, &self.config.mujoco),
        ] {
            if theirs != ours {
                return Err(format!("its row names {name} {theirs:?} and run.toml {ours:?}"));
            }
        }
        if said.outcome == EpisodeOutcome::HarnessError {
            return Ok(());
        }
        let Some(task) = self.tasks.get(&said.task).and_then(Option::as_ref) else {
            return Err("its task is not known, so it cannot be replayed".into());
        };
        let trace = trace_of(self.dir, row)?;
        let played =
            replayer.play(task, &trace, &self.config.policy, &self.limit, &mut Unwatched)?;
        same_as_played(row, &played)
    }
}

//! Does a run say what happened? Its traces are played again.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use longarm_results::{EPISODES, Error, RESULTS, Row, Run, RunConfig, Trace, trace_name};
use longarm_sim::{Env, EnvSettings, batch};
use longarm_task::TaskSpec;
use longarm_types::{ENGINE_VERSION, EpisodeOutcome, EpisodeRecord, Seed, TaskId};

use crate::agent::REPRODUCES;
use crate::policy::Tape;
use crate::{Actor, ExecutionOptions, HarnessError, Unwatched, try_episode, work_list};

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
    let checker = Checker {
        dir,
        config: &run.config,
        tasks: &tasks,
        places: &places,
        limit: limit.of_replay(),
    };
    batch::pool(
        order.len(),
        workers,
        &AtomicBool::new(false),
        || None,
        |env, i| {
            let row = &rows[order[i]];
            let problem = catch_unwind(AssertUnwindSafe(|| checker.row(env, row)))
                .unwrap_or_else(|_| {
                    *env = None;
                    Err("the replay panicked".to_owned())
                })
                .err();
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

/// All whole rows, with all they say.
fn read_rows(dir: &Path) -> Result<Vec<Row>, Error> {
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
    fn row(&self, env: &mut Option<Env>, row: &Row) -> Result<(), String> {
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
        let trace = self.trace(row)?;
        if trace.action_hash() != said.action_hash {
            return Err(format!(
                "its trace has action hash {} and its row {}",
                trace.action_hash().short(),
                said.action_hash.short()
            ));
        }
        let played = self.replay(env, task, &trace)?;
        compare(row, &played)
    }

    fn trace(&self, row: &Row) -> Result<Trace, String> {
        let said = &row.episode;
        let name = trace_name(&said.task, said.seed);
        match &row.trace {
            None => return Err("its row names no trace".into()),
            Some(other) if *other != name => {
                return Err(format!("its row names the trace {other} instead of {name}"));
            }
            Some(_) => {}
        }
        let path = self.dir.join(&name);
        if !path.is_file() {
            return Err(format!("its trace {name} is missing"));
        }
        let trace = Trace::read(&path).map_err(|e| e.to_string())?;
        if trace.task != said.task || trace.seed != said.seed {
            return Err(format!("its trace {name} is one of {} seed {}", trace.task, trace.seed));
        }
        Ok(trace)
    }

    fn replay(
        &self,
        slot: &mut Option<Env>,
        task: &Arc<TaskSpec>,
        trace: &Trace,
    ) -> Result<EpisodeRecord, String> {
        let cannot = |e: &dyn fmt::Display| format!("it cannot be replayed: {e}");
        let env = match slot.take().filter(|e| Arc::ptr_eq(e.task(), task)) {
            Some(kept) => slot.insert(kept),
            None => slot.insert(
                Env::new(Arc::clone(task), EnvSettings::default()).map_err(|e| cannot(&e))?,
            ),
        };
        env.reset(Seed(trace.seed)).map_err(|e| cannot(&e))?;
        let mut actor = Actor::Policy(Box::new(Tape::new(trace)));
        try_episode(env, &mut actor, &self.config.policy, &self.limit, &mut Unwatched)
            .map_err(|e| cannot(&e))
    }
}

/// What a row says beside what happened when its actions were taken again.
fn compare(row: &Row, played: &EpisodeRecord) -> Result<(), String> {
    let said = &row.episode;
    let mut wrong = Vec::new();
    let mut check = |name: &str, said: String, played: String| {
        if said != played {
            wrong.push(format!("{name} {said}, replayed {played}"));
        }
    };
    check("task hash", said.task_hash.short(), played.task_hash.short());
    check("state hash", said.state_hash.to_string(), played.state_hash.to_string());
    check("action hash", said.action_hash.to_string(), played.action_hash.to_string());
    let outcome = |o: EpisodeOutcome| format!("{o:?}");
    check("outcome", outcome(said.outcome), outcome(played.outcome));
    check("score", said.score.to_string(), played.score.to_string());
    check("steps", said.steps.to_string(), played.steps.to_string());
    check("clipped", said.clipped.to_string(), played.clipped.to_string());
    let stages = |r: &EpisodeRecord| {
        let each = r.stages.iter().map(|s| match (s.completed, s.step) {
            (true, Some(step)) => format!("{:?} at {step}", s.name),
            (true, None) => format!("{:?} at some step", s.name),
            (false, _) => format!("{:?} not", s.name),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    check("stages", stages(said), stages(played));
    let again = Row::of(row.index, played.clone());
    check("success ever", row.success_ever.to_string(), again.success_ever.to_string());
    check("success at end", row.success_at_end.to_string(), again.success_at_end.to_string());
    let done = played.stages.iter().filter(|s| s.completed).count();
    let progress = done as f64 / played.stages.len().max(1) as f64;
    check("progress", row.progress.to_string(), progress.to_string());
    if wrong.is_empty() { Ok(()) } else { Err(format!("its row says {}", wrong.join("; "))) }
}

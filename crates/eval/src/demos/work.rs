//! Workers that record attempts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use longarm_results::{Trace, trace_name};
use longarm_sim::{CameraRig, Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed, TaskId};

use super::layout::{self, RecordedView};
use super::recorder::{Recorded, Recorder, Timing, images};
use super::schedule::{Schedule, Standing};
use super::staging::{DemoRow, Key, Staging};
use super::{DemoError, EPISODES, Event, Recording, Source, read_rows, seed_of};
use crate::episode::report_loss;
use crate::policy::Tape;
use crate::{Actor, ExecutionOptions, persist, try_episode};

/// One task of a recording.
pub(super) struct TaskPlan {
    pub(super) spec: Arc<TaskSpec>,
    pub(super) wanted: u64,
    limit: u64,
    /// What is played again.
    replayed: Vec<DemoRow>,
    /// The task that was recorded in, where it is another.
    origin: Option<TaskId>,
    views: Vec<RecordedView>,
    fps: u32,
}

impl TaskPlan {
    /// Whether what fails is dropped without being replaced.
    pub(super) fn sifted(&self) -> bool {
        self.origin.is_some()
    }
}

/// Steps for which the robot stands still after the last action of a demonstration played elsewhere:
/// objects may yet come to rest.
const AFTER: u32 = 10;

/// What is to be recorded, in the order of the dataset.
pub(super) struct Plan {
    pub(super) tasks: Vec<TaskPlan>,
}

impl Plan {
    pub(super) fn new(recording: &Recording<'_>) -> Result<Self, DemoError> {
        let config = &recording.config;
        let rows = match recording.source {
            Source::Policy(_) => Vec::new(),
            Source::Traces(dir) => read_rows(dir, EPISODES)?,
            Source::Elsewhere(e) => read_rows(&e.dir, EPISODES)?,
        };
        let mut tasks: Vec<TaskPlan> = Vec::new();
        for (id, hash) in &config.tasks {
            let spec = recording.tasks.iter().find(|t| t.id == *id).filter(|t| t.hash() == *hash);
            let missing = || DemoError::Config(format!("{id} is not the task it was recorded in"));
            let spec = Arc::clone(spec.ok_or_else(missing)?);
            let origin = match recording.source {
                Source::Elsewhere(e) => e.tasks.get(id),
                _ => None,
            };
            let replayed: Vec<DemoRow> = match origin {
                None => rows.iter().filter(|r| r.episode.task == *id).cloned().collect(),
                Some((from, seeds)) => {
                    let chosen =
                        |r: &&DemoRow| r.episode.task == *from && seeds.contains(&r.episode.seed);
                    rows.iter().filter(chosen).cloned().collect()
                }
            };
            let (wanted, limit) = match recording.source {
                Source::Policy(_) => (config.episodes, config.attempts),
                _ => (replayed.len() as u64, replayed.len() as u64),
            };
            let origin = origin.map(|(from, _)| from.clone());
            let (views, fps) = (layout::views(config, &spec)?, layout::fps(&spec));
            if let Some(first) = tasks.first() {
                let (a, b) = (first.spec.rig(), spec.rig());
                let what = match () {
                    // Every file of these formats stands for itself.
                    () if !config.format.video() => None,
                    () if a.robot_names() != b.robot_names() => Some("robots"),
                    () if a.action != b.action => Some("actions"),
                    () if first.views != views => Some("cameras"),
                    () => None,
                };
                if let Some(what) = what {
                    let (first, second) = (first.spec.id.clone(), spec.id.clone());
                    return Err(DemoError::Mixed { first, second, what });
                }
            }
            tasks.push(TaskPlan { spec, wanted, limit, replayed, origin, views, fps });
        }
        Ok(Self { tasks })
    }

    pub(super) fn wanted(&self) -> u64 {
        self.tasks.iter().map(|t| t.wanted).sum()
    }

    pub(super) fn views(&self, task: usize) -> &[RecordedView] {
        &self.tasks[task].views
    }
}

/// What a worker says after an attempt.
type Said = (Key, Result<(DemoRow, Timing), DemoError>);

/// Records until every task has what it wants; `false` when it was stopped before.
pub(super) fn run(
    recording: &Recording<'_>,
    plan: &Plan,
    staging: &mut Staging,
    stop: &AtomicBool,
    tell: &mut impl FnMut(Event<'_>),
) -> Result<bool, DemoError> {
    let standing = |(t, task): (usize, &TaskPlan)| {
        let mut s = Standing { wanted: task.wanted, limit: task.limit, ..Standing::default() };
        for (attempt, kept) in staging.of_task(t) {
            s.finished.insert(attempt);
            s.kept += u64::from(kept);
        }
        // Seeds may end before attempts do.
        if task.replayed.is_empty() && !task.sifted() {
            let c = &recording.config;
            let there = |k: u64| seed_of(c.seeds, c.seed, k).is_some();
            while s.limit > 0 && !there(s.limit - 1) {
                s.limit -= 1;
            }
        }
        s
    };
    let schedule = Schedule::new(plan.tasks.iter().enumerate().map(standing).collect());
    let dir = staging.dir().to_owned();
    let mut failure = None;
    let (send, receive) = mpsc::channel::<Said>();
    std::thread::scope(|scope| {
        for _ in 0..recording.workers.max(1) {
            let (send, schedule, dir) = (send.clone(), &schedule, &dir);
            scope.spawn(move || {
                let mut worker = Worker { recording, plan, dir, env: None, actor: None };
                while !stop.load(Ordering::Relaxed) {
                    let Some(key) = schedule.take() else { break };
                    let said = worker.attempt(key);
                    match &said {
                        Ok((row, _)) => schedule.done(key.0, key.1, row.kept),
                        Err(_) => schedule.stop(),
                    }
                    if send.send((key, said)).is_err() {
                        break;
                    }
                }
                // The others may wait for an attempt that nobody will make.
                if stop.load(Ordering::Relaxed) {
                    schedule.stop();
                }
            });
        }
        drop(send);
        for (key, said) in receive {
            match said {
                Ok((row, timing)) => {
                    tell(Event::Attempt(&row, timing));
                    staging.add(key, row);
                }
                Err(e) => {
                    failure.get_or_insert(e);
                }
            }
        }
    });
    match failure {
        Some(e) => Err(e),
        None => Ok(!stop.load(Ordering::Relaxed)),
    }
}

struct Worker<'a> {
    recording: &'a Recording<'a>,
    plan: &'a Plan,
    dir: &'a Path,
    /// Of the task it was last in.
    env: Option<(usize, Env)>,
    actor: Option<Actor>,
}

impl Worker<'_> {
    fn attempt(&mut self, key: Key) -> Result<(DemoRow, Timing), DemoError> {
        let (task, attempt) = key;
        let plan = &self.plan.tasks[task];
        let config = &self.recording.config;
        let seed = match plan.replayed.get(attempt as usize) {
            Some(row) => row.episode.seed,
            None => seed_of(config.seeds, config.seed, attempt).unwrap_or(u64::MAX),
        };
        let id = plan.spec.id.clone();
        let begun = Instant::now();
        let fail = |what: String| DemoError::Episode { task: id.clone(), seed, what };
        let played = catch_unwind(AssertUnwindSafe(|| self.play(key, seed)));
        let (record, instruction, recorded) = match played {
            Ok(played) => played.map_err(&fail)?,
            Err(_) => {
                (self.env, self.actor) = (None, None);
                return Err(fail("a panic".into()));
            }
        };
        if let Some(before) = plan.replayed.get(attempt as usize)
            && !plan.sifted()
            && record.state_hash != before.episode.state_hash
        {
            return Err(fail("its trace leads to other states than it was recorded with".into()));
        }
        let failed = record.outcome == EpisodeOutcome::TaskFailure;
        let good = record.outcome == EpisodeOutcome::Success;
        let kept = recorded.is_some() && (good || failed && config.keep_failures);
        let mut timing = recorded.as_ref().map(|r| r.timing).unwrap_or_default();
        let mut row = DemoRow {
            attempt,
            kept,
            frames: 0,
            instruction,
            subtasks: Vec::new(),
            subtask_changes: Vec::new(),
            keyframes: Vec::new(),
            clip_bytes: 0,
            clip_kinds: Vec::new(),
            episode: slim(record),
        };
        timing.sim = begun.elapsed().saturating_sub(timing.render + timing.encode);
        let writing = Instant::now();
        match recorded.filter(|_| kept) {
            Some(r) => {
                row.frames = r.frames as u64;
                row.subtasks = r.subtasks;
                row.subtask_changes = r.subtask_changes;
                row.keyframes = r.keyframes;
                row.clip_bytes = r.longest as u64;
                row.clip_kinds = r.kinds;
                Staging::store(self.dir, key, &row, Some((&r.numbers, &r.pictures)))?;
            }
            None => Staging::store(self.dir, key, &row, None)?,
        }
        timing.write = writing.elapsed();
        Ok((row, timing))
    }

    /// Plays an episode; what was recorded is missing when the policy broke.
    #[allow(clippy::type_complexity, reason = "used once")]
    fn play(
        &mut self,
        (task, attempt): Key,
        seed: u64,
    ) -> Result<(EpisodeRecord, String, Option<Recorded>), String> {
        let plan = &self.plan.tasks[task];
        let config = &self.recording.config;
        let wanted = images(config, &plan.views, &plan.spec.rig().view.name);
        // The policy's pictures and ours are drawn apart where both look.
        let theirs = match self.recording.source {
            Source::Policy(ready) => ready.images(&plan.spec),
            Source::Traces(_) | Source::Elsewhere(_) => None,
        };
        let ours = config.format.pictures().then(|| wanted.clone());
        let own = theirs.is_some() && ours.is_some();
        let settings = EnvSettings { images: theirs.or(ours) };
        let text = |e: &dyn std::fmt::Display| e.to_string();
        if self.env.as_ref().is_none_or(|(t, _)| *t != task) {
            let env = Env::new(Arc::clone(&plan.spec), settings).map_err(|e| text(&e))?;
            self.env = Some((task, env));
        }
        let Some((_, env)) = &mut self.env else { return Err("no environment".into()) };
        let action_noise = match self.recording.source {
            Source::Policy(_) => config.noise,
            // It is in the actions already.
            Source::Traces(_) | Source::Elsewhere(_) => None,
        };
        let mut execution =
            ExecutionOptions { hints: config.hints, action_noise, ..Default::default() };
        let mut actor = match (&self.recording.source, self.actor.take()) {
            (Source::Policy(ready), Some(kept)) if !ready.once() => kept,
            (Source::Policy(ready), _) => ready.actor(&plan.spec.id, seed)?,
            (Source::Traces(dir), _) => {
                let trace = Trace::read(&dir.join(trace_name(&plan.spec.id, seed)));
                Actor::Policy(Box::new(Tape::new(&trace.map_err(|e| text(&e))?)))
            }
            (Source::Elsewhere(e), _) => {
                let from = plan.origin.as_ref().unwrap_or(&plan.spec.id);
                let trace =
                    Trace::read(&e.dir.join(trace_name(from, seed))).map_err(|e| text(&e))?;
                execution.max_steps = Some(trace.len() as u32 + AFTER);
                Actor::replay(trace.actions().collect())
            }
        };
        let told = plan.replayed.get(attempt as usize).map(told).unwrap_or_default();
        let begin = |env: &mut Env| {
            env.reset(Seed(seed)).map_err(|e| text(&e))?;
            let rig = match own {
                true => Some(CameraRig::new(env.world(), wanted.clone()).map_err(|e| text(&e))?),
                false => None,
            };
            Recorder::new(config, &plan.views, plan.fps, env, rig, told.clone())
        };
        let played = persist(
            || {
                let mut recorder = match begin(env) {
                    Ok(recorder) => recorder,
                    Err(why) => return Ok(Err(why)),
                };
                try_episode(env, &mut actor, &config.policy, &execution, &mut recorder)
                    .map(|record| Ok((record, recorder)))
            },
            |why| report_loss(&plan.spec.id, seed, why),
        );
        let (record, recorder) = played.map_err(|e| e.reason)??;
        let instruction = env.scene().instruction.clone();
        self.actor = Some(actor);
        let played =
            matches!(record.outcome, EpisodeOutcome::Success | EpisodeOutcome::TaskFailure);
        let recorded = match played {
            true => Some(recorder.finish(&config.keyframes)?),
            false => None,
        };
        Ok((record, instruction, recorded))
    }
}

/// What was being done, from which frame on.
fn told(row: &DemoRow) -> Vec<(u64, String)> {
    let text = |(from, i): &(u64, usize)| Some((*from, row.subtasks.get(*i)?.clone()));
    row.subtask_changes.iter().filter_map(text).collect()
}

/// Without measurements, which may be infinite and are not for datasets.
fn slim(mut record: EpisodeRecord) -> EpisodeRecord {
    record.stages.iter_mut().for_each(|s| s.margins.clear());
    record
}

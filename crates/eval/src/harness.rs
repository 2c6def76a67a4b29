//! A whole evaluation: a work list over worker threads into a run directory.

use std::any::Any;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use longarm_policy::Unavailable;
use longarm_results::{Attribution, InferenceTimes, Row, RunDir, Trace};
use longarm_sim::{Env, EnvSettings, ImageSettings, Recent, SimError, World, batch};
use longarm_task::TaskSpec;
use longarm_types::{
    Action, Digest, ENGINE_VERSION, EpisodeOutcome, EpisodeRecord, Seed, StageRecord, TaskId,
};

use crate::agent::Thoughts;
use crate::policy::Tape;
use crate::{
    Actor, ExecutionOptions, Film, PolicyPool, Videos, Watcher, Work, persist, report_loss,
    try_episode, work_list,
};

/// Environments a worker keeps.
pub(crate) const ENVS: usize = 12;

/// Who is evaluated in what, beyond what the run directory's configuration says.
pub struct Evaluation<'a> {
    /// The tasks of the run, in any order.
    pub tasks: &'a [Arc<TaskSpec>],
    /// Who acts.
    pub policy: &'a PolicyPool,
    /// What lies between it and the robot.
    pub execution: ExecutionOptions,
    /// Worker threads.
    pub workers: usize,
    /// Which episodes are filmed.
    pub videos: Videos,
}

/// Why an evaluation stopped.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// Rows or traces could not be stored.
    #[error(transparent)]
    Results(#[from] longarm_results::Error),
    /// The policy could not be asked; its episode has no row and runs again at a resume.
    #[error("{task} seed {seed}: {why}")]
    Policy {
        /// The task in which this showed first.
        task: TaskId,
        /// Seed.
        seed: u64,
        /// Why.
        why: Unavailable,
    },
    /// The run directory is about other tasks.
    #[error("the run is about {run} tasks and {given} were given; {task} is not among both")]
    Tasks {
        /// Tasks of the run.
        run: usize,
        /// Tasks given.
        given: usize,
        /// One that only one of them has.
        task: TaskId,
    },
}

/// Runs every episode of the run that has no row yet. Each is stored, trace before row, before the
/// worker that ran it takes the next one; `progress` hears of it on the calling thread. Rows do not
/// depend on the number of workers, their order in the file does. Setting `stop` ends the evaluation
/// after the episodes under way.
///
/// An episode in which the connection to the policy is lost begins again from its reset; its row is
/// that of an undisturbed one. When the policy stays away, the evaluation ends after the episodes
/// under way with [`HarnessError::Policy`].
pub fn evaluate(
    evaluation: &Evaluation<'_>,
    dir: &RunDir,
    stop: &AtomicBool,
    mut progress: impl FnMut(&Row),
) -> Result<(), HarnessError> {
    let tasks = in_order(evaluation.tasks, dir)?;
    let finished = dir.finished();
    let mut work = work_list(dir.config());
    work.retain(|w| !finished.contains(&(tasks[w.task].id.clone(), w.seed.0)));
    let mut failure = None;
    let runner = Runner { evaluation, tasks: &tasks, dir };
    batch::pool(
        work.len(),
        evaluation.workers,
        stop,
        Worker::default,
        |worker, i| {
            let result = runner.episode(worker, &work[i]);
            if result.is_err() {
                // Here, and not when the result is read: this worker must not begin another episode.
                stop.store(true, Ordering::Relaxed);
            }
            result
        },
        |_, result| match result {
            Ok(row) => progress(&row),
            Err(e) => drop(failure.get_or_insert(e)),
        },
    );
    failure.map_or(Ok(()), Err)
}

/// The tasks in the order of the run's configuration, which is that of their ids.
fn in_order(given: &[Arc<TaskSpec>], dir: &RunDir) -> Result<Vec<Arc<TaskSpec>>, HarnessError> {
    let known = &dir.config().tasks;
    let odd = |task: &TaskId| HarnessError::Tasks {
        run: known.len(),
        given: given.len(),
        task: task.clone(),
    };
    if let Some(t) = given.iter().find(|t| !known.contains_key(&t.id)) {
        return Err(odd(&t.id));
    }
    known
        .keys()
        .map(|id| given.iter().find(|t| t.id == *id).cloned().ok_or_else(|| odd(id)))
        .collect()
}

/// What a worker keeps from episode to episode.
struct Worker {
    envs: Recent<(usize, Env)>,
    actor: Option<Actor>,
}

impl Default for Worker {
    fn default() -> Self {
        Self { envs: Recent::new(ENVS), actor: None }
    }
}

struct Runner<'a> {
    evaluation: &'a Evaluation<'a>,
    tasks: &'a [Arc<TaskSpec>],
    dir: &'a RunDir,
}

/// The record of an episode that could not begin, or of which nothing is known.
pub fn unplayed(task: &TaskSpec, seed: Seed, policy: &str, why: String) -> EpisodeRecord {
    let nothing = Digest([0; 16]);
    let stage = |name| StageRecord { name, completed: false, step: None, margins: Vec::new() };
    EpisodeRecord {
        task: task.id.clone(),
        seed: seed.0,
        policy: policy.to_owned(),
        outcome: EpisodeOutcome::HarnessError,
        reason: Some(why),
        score: 0.0,
        stages: task.stage_names().into_iter().map(stage).collect(),
        steps: 0,
        clipped: 0,
        stood: None,
        state_hash: nothing,
        action_hash: nothing,
        task_hash: task.hash(),
        engine: ENGINE_VERSION.to_owned(),
        mujoco: longarm_sim::mujoco_version().to_owned(),
    }
}

/// What comes out of one episode.
struct Played {
    record: EpisodeRecord,
    watched: Watched,
    agent: Option<Attribution>,
    timeline: Option<Thoughts>,
}

impl Runner<'_> {
    fn episode(&self, worker: &mut Worker, work: &Work) -> Result<Row, HarnessError> {
        let started = Instant::now();
        let task = &self.tasks[work.task];
        let played = catch_unwind(AssertUnwindSafe(|| self.play(worker, work)));
        let played = played.unwrap_or_else(|panic| {
            // Whatever the panic left half done goes with it.
            *worker = Worker::default();
            Ok(self.broken(task, work.seed, format!("panic: {}", panic_text(&*panic))))
        });
        let played = played.map_err(|why| {
            let (task, seed) = (task.id.clone(), work.seed.0);
            HarnessError::Policy { task, seed, why }
        })?;
        let Played { record, watched, agent, timeline } = played;
        let timeline = timeline.and_then(|t| t.write(self.dir.path(), &task.id, work.seed));
        let (video, filmstrip) = self.film(&watched, task, work);
        let Watched { trace, times, film, .. } = watched;
        let shot = match film.map(Film::finish) {
            None => false,
            Some(Ok(())) => true,
            Some(Err(why)) => {
                let seed = work.seed.0;
                let _ = writeln!(
                    std::io::stderr(),
                    "warning: {} seed {seed} was not filmed: {why}",
                    task.id
                );
                false
            }
        };
        let trace = match trace {
            Some(t) => Some(self.dir.write_trace(&t)?),
            None => None,
        };
        let timed = self.evaluation.policy.is_timed();
        let row = Row {
            inference: if timed { InferenceTimes::of(times) } else { None },
            agent,
            timeline,
            video: video.filter(|_| shot),
            filmstrip: filmstrip.filter(|_| shot),
            trace,
            wall_s: started.elapsed().as_secs_f64(),
            ..Row::of(work.index, record)
        };
        self.dir.append(&row)?;
        Ok(row)
    }

    fn play(&self, worker: &mut Worker, work: &Work) -> Result<Played, Unavailable> {
        let (e, task) = (self.evaluation, &self.tasks[work.task]);
        let actor = match worker.actor.take() {
            Some(kept) => Ok(kept),
            None => e.policy.actor(&task.id, work.seed.0),
        };
        let mut actor = match actor {
            Ok(actor) => actor,
            Err(why) => return Ok(self.broken(task, work.seed, why)),
        };
        let noise = e.execution.pixel_noise.unwrap_or(0.0);
        let images = e.policy.images(task).map(|i| ImageSettings { noise, ..i });
        let settings = EnvSettings { images };
        let make = || Ok::<_, SimError>((work.task, Env::new(Arc::clone(task), settings)?));
        let played = match worker.envs.get(|(t, _)| *t == work.task, make) {
            Err(why) => self.broken(task, work.seed, why.to_string()),
            Ok((_, env)) => {
                let mut played = persist(
                    || self.attempt(env, &mut actor, work),
                    |why| report_loss(&task.id, work.seed.0, why),
                )?;
                self.film_failure(env, &mut played, work);
                played
            }
        };
        if !e.policy.once() {
            worker.actor = Some(actor);
        }
        Ok(played)
    }

    /// Plays an episode from its reset.
    fn attempt(
        &self,
        env: &mut Env,
        actor: &mut Actor,
        work: &Work,
    ) -> Result<Played, Unavailable> {
        let (e, task) = (self.evaluation, &self.tasks[work.task]);
        if let Err(why) = env.reset(work.seed) {
            return Ok(self.broken(task, work.seed, why.to_string()));
        }
        let mut watched = Watched {
            trace: Some(
                Trace::new(task.id.clone(), work.seed.0, env.action_spec().dim())
                    .under(task.control),
            ),
            film: match e.videos {
                Videos::First(n) if work.episode < n => self.camera(task, work.seed),
                _ => None,
            },
            ..Watched::default()
        };
        let label = &self.dir.config().policy;
        let record = try_episode(env, actor, label, &e.execution, &mut watched)?;
        let (agent, timeline) = match actor {
            Actor::Agent(a) => (Some(a.attribution()), a.timeline(&record).map(Thoughts)),
            _ => (None, None),
        };
        Ok(Played { record, watched, agent, timeline })
    }

    /// Plays an episode that was not solved again, in front of a camera.
    fn film_failure(&self, env: &mut Env, played: &mut Played, work: &Work) {
        let (e, task) = (self.evaluation, &self.tasks[work.task]);
        let lost = matches!(
            played.record.outcome,
            EpisodeOutcome::TaskFailure | EpisodeOutcome::PolicyError
        );
        let (true, Videos::Failures, Some(trace)) = (lost, e.videos, &played.watched.trace) else {
            return;
        };
        if env.reset(work.seed).is_err() {
            return;
        }
        let mut again = Watched { film: self.camera(task, work.seed), ..Watched::default() };
        let mut actor = Actor::Policy(Box::new(Tape::new(trace)));
        let label = &self.dir.config().policy;
        // The film shows what happened up to where the tape ends, whatever the replay says of it.
        let _ = try_episode(env, &mut actor, label, &e.execution.of_replay(), &mut again);
        played.watched.film = again.film;
    }

    /// An episode that could not begin.
    fn broken(&self, task: &TaskSpec, seed: Seed, why: String) -> Played {
        let record = unplayed(task, seed, &self.dir.config().policy, why);
        Played { record, watched: Watched::default(), agent: None, timeline: None }
    }

    /// Names of the files of a film, relative to the run directory.
    fn film(
        &self,
        watched: &Watched,
        task: &TaskSpec,
        work: &Work,
    ) -> (Option<String>, Option<String>) {
        match watched.film {
            Some(_) => {
                let (video, strip) = film_names(&task.id, work.seed);
                (Some(video), Some(strip))
            }
            None => (None, None),
        }
    }

    fn camera(&self, task: &TaskSpec, seed: Seed) -> Option<Film> {
        let (video, strip) = film_names(&task.id, seed);
        let (video, strip) = (self.dir.path().join(video), self.dir.path().join(strip));
        // A folder that cannot be made shows when the film is written.
        video.parent().map(std::fs::create_dir_all);
        Some(Film::new(video, strip))
    }
}

fn film_names(task: &TaskId, seed: Seed) -> (String, String) {
    let name = format!("videos/{task}/{}", seed.0);
    (format!("{name}.mp4"), format!("{name}.png"))
}

/// Everything that is written down of an episode while it runs.
#[derive(Default)]
struct Watched {
    trace: Option<Trace>,
    pending: Option<Action>,
    times: Vec<f64>,
    film: Option<Film>,
}

impl Watcher for Watched {
    fn control_step(&mut self, world: &World) {
        if let Some(f) = &mut self.film {
            f.control_step(world);
        }
    }

    fn answered(&mut self, took: Duration) {
        self.times.push(took.as_secs_f64() * 1e3);
    }

    fn action(&mut self, action: &Action) {
        self.pending = Some(*action);
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        // Only here it is known that the action was not refused.
        if let (Some(trace), Some(action)) = (&mut self.trace, self.pending.take()) {
            trace.push(action.values());
        }
        if let Some(f) = &mut self.film {
            f.after_action(env, doing);
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "without a reason",
    }
}

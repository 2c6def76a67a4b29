//! Policies that this server asks itself, on seeds that nobody knew before.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use longarm_eval::{
    Actor, ExecutionOptions, PolicyPool, PolicySpec, Sanity, Watcher, try_episode, unplayed,
};
use longarm_onnx::OnnxSpec;
use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError, RemoteSpec, Unavailable};
use longarm_results::{Row, Trace, trace_name};
use longarm_sim::{Env, EnvSettings, World};
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Observation, Seed, TaskId};

use crate::app::App;
use crate::board::{Board, BoardSeeds};
use crate::clock::Moment;
use crate::model::{EpisodeJob, Judged, Method, PolicyServer, Submission};
use crate::ranges::{Range, resolve};
use crate::secret::Keys;
use crate::tunnel::Bridge;
use crate::worker::LEASE;

/// Longest time that an answer may take, and the first one, while a model is still compiled.
const ANSWER: Duration = Duration::from_secs(60);
const FIRST_ANSWER: Duration = Duration::from_secs(600);
/// For how long a server that cannot be reached is tried again.
const RECONNECT: Duration = Duration::from_secs(120);
/// Largest message that is taken.
const MESSAGE: usize = 64 << 20;
/// Longest episode by the clock: a policy must not hold a worker for days.
const EPISODE: Duration = Duration::from_secs(3600);
/// How often it is said that an episode is still being played.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// Read how a policy is asked whose submitter connects.
pub fn tunnelled(text: &str) -> Result<PolicyServer, String> {
    if asked(text)?.addresses.len() != 1 {
        return Err("policy: it has more than one address, and one connection is asked".into());
    }
    Ok(PolicyServer { policy: text.to_owned(), pinned: Vec::new() })
}

/// How a policy is asked that is uploaded.
pub fn uploaded() -> PolicyServer {
    PolicyServer { policy: "onnx".to_owned(), pinned: Vec::new() }
}

/// Read where a policy is asked and look up its hosts, once and for all.
pub fn pinned(text: &str, allowed: &[Range]) -> Result<PolicyServer, String> {
    let pin = |a: &longarm_policy::remote::Address| resolve(&a.host, a.port, allowed);
    let pinned = asked(text)?.addresses.iter().map(pin).collect::<Result<_, _>>()?;
    Ok(PolicyServer { policy: text.to_owned(), pinned })
}

fn asked(text: &str) -> Result<RemoteSpec, String> {
    let spec: RemoteSpec = text.parse().map_err(|e| format!("policy: {e}"))?;
    let files = spec.api_key_file.is_some() || spec.ca.is_some() || !spec.header_files.is_empty();
    if files {
        return Err("policy: its address names files, which this server does not read".into());
    }
    if spec.addresses.iter().any(|a| a.tls) {
        return Err("policy: this server asks at ws:// addresses, not at wss://".into());
    }
    Ok(spec)
}

/// The address as it is asked: by number, within this server's limits.
fn bounded(server: &PolicyServer, bridge: Option<&Bridge>) -> Result<RemoteSpec, String> {
    let mut spec: RemoteSpec = server.policy.parse().map_err(|e| format!("{e}"))?;
    for (address, ip) in spec.addresses.iter_mut().zip(&server.pinned) {
        address.host = ip.to_string();
    }
    if let (Some(bridge), [address]) = (bridge, spec.addresses.as_mut_slice()) {
        (address.host, address.port, address.path) = bridge.address(&address.path);
    }
    spec.timeout = spec.timeout.min(ANSWER);
    spec.first_timeout = spec.first_timeout.min(FIRST_ANSWER);
    spec.reconnect = spec.reconnect.min(RECONNECT);
    spec.retries = spec.retries.min(5);
    spec.max_message = spec.max_message.min(MESSAGE);
    Ok(spec)
}

/// The policy of a submission, within this server's limits.
fn asked_policy(app: &App, s: &Submission, bridge: Option<&Bridge>) -> Result<PolicySpec, String> {
    if s.method == Method::Checkpoint {
        let (path, limits) = (app.checkpoint(&s.id), app.settings.model);
        return Ok(PolicySpec::Onnx(OnnxSpec { path, limits }));
    }
    let server = s.server.as_ref().ok_or("the submission names no policy server")?;
    Ok(PolicySpec::Remote(Box::new(bounded(server, bridge)?)))
}

/// What came of an episode.
pub(crate) enum Hosted {
    /// It was played, or can never be played again.
    Judged(Box<Judged>),
    /// The policy could not be asked, and has seen nothing of it.
    Away(String),
}

/// What a worker keeps from episode to episode.
#[derive(Default)]
pub(crate) struct Host {
    env: Option<Env>,
    pool: Option<(String, PolicyPool, Option<Bridge>)>,
}

impl Host {
    /// Ask a submission's policy for an episode.
    pub(crate) fn play(&mut self, app: &Arc<App>, s: &Submission, job: &EpisodeJob) -> Hosted {
        let Some(task) = app.boards.catalogue.task(&job.task) else {
            return Hosted::Away(format!("this server has no task {}", job.task));
        };
        if job.begun {
            // What broke off was seen by the policy: a second try would be a second draw.
            let why = "the episode broke off after its first observation was sent".to_owned();
            return lost(&task, s, job, why);
        }
        match self.attempt(app, s, job, &task) {
            Ok(judged) => Hosted::Judged(Box::new(judged)),
            Err(why) => {
                self.pool = None;
                Hosted::Away(why)
            }
        }
    }

    fn attempt(
        &mut self,
        app: &Arc<App>,
        s: &Submission,
        job: &EpisodeJob,
        task: &Arc<TaskSpec>,
    ) -> Result<Judged, String> {
        let pool = match self.pool.take().filter(|(id, ..)| *id == s.id) {
            Some(kept) => &self.pool.insert(kept).1,
            None => {
                let bridge = match s.method {
                    Method::DialOut => Some(Bridge::open(app, &s.id)?),
                    _ => None,
                };
                let spec = asked_policy(app, s, bridge.as_ref())?;
                let ready = spec.ready([task]).map_err(|e| e.to_string())?;
                &self.pool.insert((s.id.clone(), ready, bridge)).1
            }
        };
        let settings = EnvSettings { images: pool.images(task) };
        let env = match self.env.take().filter(|e| Arc::ptr_eq(e.task(), task)) {
            Some(kept) => self.env.insert(kept),
            None => {
                self.env.insert(Env::new(Arc::clone(task), settings).map_err(|e| e.to_string())?)
            }
        };
        env.reset(Seed(job.seed)).map_err(|e| e.to_string())?;
        let Actor::Policy(inner) = pool.actor(&task.id, job.seed)? else {
            return Err("only policy servers are asked".into());
        };
        let sent = Arc::new(AtomicBool::new(false));
        let asked = Asked {
            inner,
            app: Arc::clone(app),
            submission: s.id.clone(),
            index: job.index,
            seed: app.keys.hidden(&["policy", &s.id, job.task.as_str(), &job.index.to_string()]),
            sent: Arc::clone(&sent),
            began: Instant::now(),
            said: Instant::now(),
        };
        let mut taped = Taped {
            trace: Trace::new(task.id.clone(), job.seed, env.action_spec().dim())
                .under(task.control),
            pending: None,
            sanity: Sanity::default(),
        };
        let name = &s.description.policy_name;
        let mut actor = Actor::Policy(Box::new(asked));
        let played = try_episode(env, &mut actor, name, &ExecutionOptions::default(), &mut taped);
        let record = match played {
            Ok(record) => record,
            // Whatever became of the connection: it has seen how the episode begins.
            Err(e) if sent.load(Ordering::SeqCst) => {
                env.record(name, Some((EpisodeOutcome::PolicyError, e.reason)))
            }
            Err(e) => return Err(e.reason),
        };
        kept(&app.run(&s.id), &taped.trace)?;
        Ok(judged(record, job, taped.sanity, Some(trace_name(&task.id, job.seed))))
    }
}

fn kept(run: &Path, trace: &Trace) -> Result<(), String> {
    let path = run.join(trace_name(&trace.task, trace.seed));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("the trace: {e}"))?;
    }
    trace.write(&path).map_err(|_| "the trace of an episode cannot be written".into())
}

fn lost(task: &TaskSpec, s: &Submission, job: &EpisodeJob, why: String) -> Hosted {
    let record = unplayed(task, Seed(job.seed), &s.description.policy_name, why);
    let record = EpisodeRecord { outcome: EpisodeOutcome::PolicyError, ..record };
    Hosted::Judged(Box::new(judged(record, job, Sanity::default(), None)))
}

fn judged(
    mut record: EpisodeRecord,
    job: &EpisodeJob,
    sanity: Sanity,
    trace: Option<String>,
) -> Judged {
    if record.outcome == EpisodeOutcome::HarnessError {
        // It was seen, so it counts; whether the engine is to blame is in the log.
        let why = record.reason.as_deref().unwrap_or_default();
        tracing::error!(task = %job.task, seed = job.seed, why, "a hosted episode broke");
        record.outcome = EpisodeOutcome::PolicyError;
    }
    Judged { row: Some(Row { trace, ..Row::of(job.index, record) }), sanity, problem: None }
}

/// Writes down the actions, and what moved how wildly.
struct Taped {
    trace: Trace,
    pending: Option<Action>,
    sanity: Sanity,
}

impl Watcher for Taped {
    fn control_step(&mut self, world: &World) {
        self.sanity.control_step(world);
    }

    fn action(&mut self, action: &Action) {
        self.pending = Some(*action);
    }

    fn after_action(&mut self, _: &mut Env, _: &str) {
        // Only here it is known that the action was not refused.
        if let Some(action) = self.pending.take() {
            self.trace.push(action.values());
        }
    }
}

/// A policy that is asked once and for all: what it is shown is written down before it sees it.
struct Asked {
    inner: Box<dyn Policy>,
    app: Arc<App>,
    submission: String,
    index: u64,
    /// For the policy's own randomness; says nothing about the scene.
    seed: u64,
    sent: Arc<AtomicBool>,
    began: Instant,
    said: Instant,
}

impl Asked {
    /// Note that the episode goes on; it does not where the submission was cancelled.
    fn note(&mut self) -> Result<(), PolicyError> {
        self.said = Instant::now();
        let until = Moment::now().plus_seconds(LEASE);
        match self.app.store.begun(&self.submission, self.index, until) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Unavailable::for_good("the submission was stopped").into()),
            Err(e) => Err(Unavailable::for_good(e.to_string()).into()),
        }
    }
}

impl Policy for Asked {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.inner.begin_episode(&EpisodeInfo { policy_seed: Seed(self.seed), ..episode.clone() })
    }

    fn act(
        &mut self,
        observation: &Observation,
        decision: &mut Decision,
    ) -> Result<(), PolicyError> {
        let first = !self.sent.load(Ordering::SeqCst);
        if first || self.said.elapsed() > SIGN_OF_LIFE {
            self.note()?;
            self.sent.store(true, Ordering::SeqCst);
        }
        if self.began.elapsed() > EPISODE {
            let text = format!("the episode took longer than {} s", EPISODE.as_secs());
            return Err(PolicyError::Fault(text));
        }
        self.inner.act(observation, decision)
    }

    fn end_episode(&mut self) {
        self.inner.end_episode();
    }

    fn sees(&self) -> bool {
        self.inner.sees()
    }
}

/// Return the seeds on which a submission's policy is asked.
pub(crate) fn seeds(keys: &Keys, submission: &str, board: &Board) -> BoardSeeds {
    let of = |suite: &str| {
        let seed = |k: u64| keys.hidden(&["scene", submission, suite, &k.to_string()]);
        (0..board.episodes).map(seed).collect()
    };
    board.protocols.keys().map(|suite| (suite.clone(), of(suite))).collect()
}

/// List the episodes of a submission whose policy is asked.
pub(crate) fn prepare(app: &App, s: &Submission) -> Result<Vec<EpisodeJob>, Vec<String>> {
    let name = s.board.as_deref().unwrap_or_default();
    let board = app.boards.get(name).ok_or_else(|| vec![format!("there is no board {name:?}")])?;
    if s.method == Method::Checkpoint {
        take_in(app, s, board).map_err(|e| vec![e])?;
    }
    let seeds = seeds(&app.keys, &s.id, board);
    let job = |(index, (task, seed)): (usize, (&TaskId, u64))| EpisodeJob {
        index: index as u64,
        task: task.clone(),
        seed,
        claimed: None,
        begun: false,
    };
    Ok(board.work(&seeds).enumerate().map(job).collect())
}

/// Put an uploaded model where it is run, and try whether it can be.
fn take_in(app: &App, s: &Submission, board: &Board) -> Result<(), String> {
    let (upload, run, place) = (app.upload(&s.id), app.run(&s.id), app.checkpoint(&s.id));
    let disk = |e: std::io::Error| format!("the model cannot be kept: {e}");
    if !place.exists() {
        std::fs::create_dir_all(&run).map_err(disk)?;
        std::fs::rename(&upload, &place).map_err(disk)?;
    }
    let tasks: Vec<_> = board.tasks.iter().filter_map(|t| app.boards.catalogue.task(t)).collect();
    let ready = asked_policy(app, s, None)?.ready(&tasks);
    // Nobody learns where this server keeps its files.
    ready.map(drop).map_err(|e| e.to_string().replace(&place.display().to_string(), "checkpoint"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_once() {
        let inside: Vec<Range> = ["127.0.0.0/8", "::1/128"].map(|r| r.parse().unwrap()).into();
        let server = pinned("openpi:localhost:8000,127.0.0.2:9", &inside).unwrap();
        // Whoever owns the name may point it elsewhere from now on: it is asked by number.
        let moved =
            PolicyServer { policy: server.policy.replace("localhost", "moved.invalid"), ..server };
        let asked = bounded(&moved, None).unwrap();
        let hosts: Vec<_> = asked.addresses.iter().map(|a| a.host.as_str()).collect();
        assert!(["127.0.0.1", "::1"].contains(&hosts[0]) && hosts[1] == "127.0.0.2", "{hosts:?}");
        // A name that is inside among others is refused as a whole.
        assert!(pinned("openpi:localhost:8000,127.0.0.2:9", &[]).is_err());
        // As slow as it likes, but no slower than this.
        let slow =
            PolicyServer { policy: "openpi:127.0.0.1:1?timeout=9999".into(), pinned: Vec::new() };
        assert_eq!(bounded(&slow, None).unwrap().timeout, ANSWER);
    }
}

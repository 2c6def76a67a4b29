//! From what a user calls a policy to those who act.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use longarm_agent::{AgentSpec, READY};
use longarm_onnx::{Loaded, OnnxSpec};
use longarm_policy::nearest::Demonstrations;
use longarm_policy::remote::{DialectName, Execute};
use longarm_policy::{Decision, EpisodeInfo, Nearest, Policy, PolicyError, Remote, RemoteSpec};
use longarm_results::{RUN, Trace, trace_name};
use longarm_sim::ImageSettings;
use longarm_task::TaskSpec;
use longarm_types::{Action, Observation, TaskId};

use crate::nearest::NearestSpec;
use crate::search::SearchSpec;
use crate::{Actor, AgentActor, agent, images_for, onnx};

/// A policy as named on the command line.
#[derive(Clone, Debug)]
pub enum PolicySpec {
    /// `expert`, `reactive`, `idle` or `random`.
    Named(String),
    /// `replay:DIR`: the traces of a run directory.
    Replay(PathBuf),
    /// `nearest:DIR`: what followed the most similar frame of some demonstrations.
    Nearest(NearestSpec),
    /// `search?…`: what a search finds before the episode begins.
    Search(SearchSpec),
    /// `agent:FILE.toml` or the name of a ready-made agent.
    Agent(Box<AgentSpec>),
    /// `onnx:FILE?…`: a model in a process of its own.
    Onnx(OnnxSpec),
    /// `openpi:HOST:PORT?…` and the other dialects.
    Remote(Box<RemoteSpec>),
}

/// Why a policy cannot be used, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicySpecError(String);

impl PolicySpecError {
    pub(crate) fn of(e: &dyn std::fmt::Display) -> Self {
        Self(e.to_string())
    }
}

impl FromStr for PolicySpec {
    type Err = PolicySpecError;

    fn from_str(text: &str) -> Result<Self, PolicySpecError> {
        if let Some(dir) = text.strip_prefix("replay:") {
            return Ok(Self::Replay(dir.into()));
        }
        if let Some(spec) = text.strip_prefix("nearest:") {
            return spec.parse().map(Self::Nearest);
        }
        if let Some(options) = text.strip_prefix("search")
            && (options.is_empty() || options.starts_with('?'))
        {
            return options.parse().map(Self::Search);
        }
        if let Some(spec) = text.strip_prefix("onnx:") {
            return spec.parse().map(Self::Onnx).map_err(|e| PolicySpecError::of(&e));
        }
        if let Some(path) = text.strip_prefix("agent:") {
            let spec = AgentSpec::read(path).map_err(|e| PolicySpecError::of(&e))?;
            return Ok(Self::Agent(Box::new(spec)));
        }
        if READY.iter().any(|(name, _)| text.split('?').next() == Some(*name)) {
            let spec = longarm_agent::ready(text).map_err(|e| PolicySpecError::of(&e))?;
            return Ok(Self::Agent(Box::new(spec)));
        }
        if text.contains(':') || DialectName::NAMES.contains(&text) {
            return match text.parse() {
                Ok(spec) => Ok(Self::Remote(Box::new(spec))),
                Err(e) => Err(PolicySpecError::of(&e)),
            };
        }
        Actor::named(text).map_err(|e| PolicySpecError::of(&e))?;
        Ok(Self::Named(text.to_owned()))
    }
}

impl PolicySpec {
    /// Sets how long a policy in another process may take to answer; the address has the last word
    /// on the first answer. Policies in this process always answer.
    pub fn limit(&mut self, seconds: f64) -> Result<(), PolicySpecError> {
        // A week is longer than anything; Duration would panic on what is far beyond.
        if !(seconds > 0.0 && seconds <= 604_800.0) {
            let text =
                format!("a policy may take from above 0 s to a week to answer, not {seconds} s");
            return Err(PolicySpecError(text));
        }
        if let Self::Onnx(spec) = self {
            spec.limits.wait = Duration::from_secs_f64(seconds);
        }
        if let Self::Remote(spec) = self {
            spec.timeout = Duration::from_secs_f64(seconds);
            if !spec.text().contains("first-timeout=") {
                spec.first_timeout = spec.timeout;
            }
        }
        Ok(())
    }

    /// Sets for how long a policy's server that was lost is tried again before it is given up.
    pub fn reconnect(&mut self, seconds: f64) -> Result<(), PolicySpecError> {
        // A week is longer than anything; Duration would panic on what is far beyond.
        if !(0.0..=604_800.0).contains(&seconds) {
            let text = format!("a lost server is waited for from 0 s to a week, not {seconds} s");
            return Err(PolicySpecError(text));
        }
        if let Self::Remote(spec) = self {
            if spec.text().contains("reconnect=") {
                let text = "--reconnect and reconnect= in the policy's address mean the same; give one of them";
                return Err(PolicySpecError(text.into()));
            }
            spec.reconnect = Duration::from_secs_f64(seconds);
        }
        Ok(())
    }

    /// Sets how many actions of a chunk are taken; a remote policy must then send as many.
    pub fn execute(&mut self, actions: u32) -> Result<(), PolicySpecError> {
        if let Self::Remote(spec) = self {
            if spec.text().contains("execute=") {
                let text = "--execute and execute= in the policy's address mean the same; give one of them";
                return Err(PolicySpecError(text.into()));
            }
            spec.execute = Some(Execute::Exactly(actions as usize));
        }
        Ok(())
    }

    /// Prepare to act in these tasks. A server must be up now and agree with us on conventions:
    /// better to hear it before the first episode than in every one.
    pub fn ready(
        &self,
        tasks: impl IntoIterator<Item = impl std::borrow::Borrow<Arc<TaskSpec>>>,
    ) -> Result<PolicyPool, PolicySpecError> {
        let mut ready = PolicyPool::of(Source::Spec(self.clone()));
        match self {
            Self::Named(_) | Self::Search(_) => {}
            Self::Agent(spec) => {
                let tasks: Vec<TaskId> = tasks.into_iter().map(|t| t.borrow().id.clone()).collect();
                let spec = Box::new(agent::prompted(spec, &tasks));
                AgentActor::new(&spec).map_err(|e| PolicySpecError::of(&e))?;
                let oracles = spec.oracles();
                if !oracles.is_empty() {
                    let text = format!("{} told the truth: {}", oracles.join(" and "), spec.line());
                    ready.notes = vec![text];
                }
                if !spec.clock.reproduces() {
                    ready.notes.push(
                        "answers are timed by the wall clock: this run does not reproduce".into(),
                    );
                }
                ready.source = Source::Spec(Self::Agent(spec));
            }
            Self::Replay(dir) => {
                if !dir.join(RUN).is_file() {
                    let text =
                        format!("replay:{} is not a run directory: it has no {RUN}", dir.display());
                    return Err(PolicySpecError(text));
                }
            }
            Self::Nearest(spec) => {
                let tasks: Vec<_> = tasks.into_iter().map(|t| t.borrow().clone()).collect();
                ready.shown = Some(Arc::new(spec.load(&tasks)?));
            }
            Self::Onnx(spec) => {
                let loaded = spec.load().map_err(|e| PolicySpecError::of(&e))?;
                for (i, task) in tasks.into_iter().enumerate() {
                    let task = task.borrow();
                    let seen = onnx::observed(&loaded, task);
                    let fits = loaded.fits(&seen, &task.rig().action);
                    // Whether the model can be used at all does not depend on the task.
                    let fits =
                        fits.and_then(|()| if i == 0 { loaded.try_out(&seen) } else { Ok(()) });
                    fits.map_err(|e| PolicySpecError(format!("{}: {e}", task.id)))?;
                }
                ready.model = Some(loaded);
            }
            Self::Remote(spec) => {
                let remote = Remote::connect(spec).map_err(|e| PolicySpecError::of(&e))?;
                for task in tasks {
                    let task = task.borrow();
                    remote
                        .fits(&task.rig().action)
                        .map_err(|e| PolicySpecError(format!("{}: {e}", task.id)))?;
                }
                ready.size = remote.picture_size();
                ready.notes = remote.notes().to_vec();
                ready.first = Mutex::new(Some(remote));
            }
        }
        Ok(ready)
    }
}

/// Makes policies of one kind.
type Maker = Box<dyn Fn() -> Box<dyn Policy> + Send + Sync>;

enum Source {
    Spec(PolicySpec),
    Made { make: Maker, sees: bool },
}

/// A policy from which workers get their actors.
pub struct PolicyPool {
    source: Source,
    /// The connection that was tried, for the first worker that wants one.
    first: Mutex<Option<Remote>>,
    shown: Option<Arc<Demonstrations>>,
    model: Option<Loaded>,
    size: Option<[usize; 2]>,
    notes: Vec<String>,
    /// What agents think is kept.
    traced: bool,
}

impl PolicyPool {
    fn of(source: Source) -> Self {
        let (notes, first) = (Vec::new(), Mutex::default());
        Self { source, first, shown: None, model: None, size: None, notes, traced: false }
    }

    /// A policy of the caller's own; `make` is called once by each worker.
    pub fn made(make: impl Fn() -> Box<dyn Policy> + Send + Sync + 'static) -> Self {
        let sees = make().sees();
        Self::of(Source::Made { make: Box::new(make), sees })
    }

    /// Keep what agents think; refused where nobody is one.
    pub fn trace_agents(&mut self) -> Result<(), PolicySpecError> {
        let Source::Spec(PolicySpec::Agent(_)) = &self.source else {
            return Err(PolicySpecError("only agents can be watched thinking".into()));
        };
        self.traced = true;
        Ok(())
    }

    /// What was taken on trust, to warn about.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether its answers take time worth writing down: not if it is built in.
    pub(crate) fn is_timed(&self) -> bool {
        let asked = |s: &PolicySpec| matches!(s, PolicySpec::Remote(_) | PolicySpec::Agent(_));
        match &self.source {
            Source::Spec(spec) => asked(spec),
            Source::Made { .. } => true,
        }
    }

    /// Whether an actor serves one episode only.
    pub(crate) fn once(&self) -> bool {
        match &self.source {
            Source::Spec(PolicySpec::Search(spec)) => spec.once(),
            source => matches!(source, Source::Spec(PolicySpec::Replay(_))),
        }
    }

    /// The pictures it needs in a task; `None` when it does not look.
    pub fn images(&self, task: &TaskSpec) -> Option<ImageSettings> {
        match &self.source {
            Source::Made { sees, .. } => sees.then(ImageSettings::default),
            Source::Spec(PolicySpec::Named(name)) => images_for(name),
            Source::Spec(PolicySpec::Replay(_) | PolicySpec::Search(_)) => None,
            Source::Spec(PolicySpec::Nearest(spec)) => Some(spec.images()),
            Source::Spec(PolicySpec::Onnx(_)) => {
                self.model.as_ref().and_then(|model| onnx::images(model, task))
            }
            Source::Spec(PolicySpec::Agent(spec)) => agent::images(spec)
                .or_else(|| self.traced.then(|| agent::for_people(task)).flatten()),
            Source::Spec(PolicySpec::Remote(_)) => {
                // Pictures of other people's files are drawn as theirs are, and shrunk as theirs are.
                let size = self.size.filter(|_| task.files.is_none());
                let size = size.and_then(|size| fitted(task, size));
                Some(ImageSettings { size, ..ImageSettings::default() })
            }
        }
    }

    /// Someone to act in an episode; what is wrong otherwise.
    pub fn actor(&self, task: &TaskId, seed: u64) -> Result<Actor, String> {
        match &self.source {
            Source::Made { make, .. } => Ok(Actor::Policy(make())),
            Source::Spec(PolicySpec::Named(name)) => Actor::named(name).map_err(|e| e.to_string()),
            Source::Spec(PolicySpec::Search(spec)) => Ok(spec.actor(task, seed)),
            Source::Spec(PolicySpec::Replay(dir)) => {
                Ok(Actor::Policy(Box::new(Tape::read(dir, task, seed))))
            }
            Source::Spec(PolicySpec::Nearest(_)) => {
                let known = self.shown.clone().unwrap_or_default();
                Ok(Actor::Policy(Box::new(Nearest::new(known))))
            }
            Source::Spec(PolicySpec::Onnx(_)) => match &self.model {
                Some(model) => Ok(Actor::Policy(Box::new(model.policy()))),
                None => Err("the model was not loaded".into()),
            },
            Source::Spec(PolicySpec::Agent(spec)) => match AgentActor::new(spec) {
                Ok(agent) if self.traced => Ok(Actor::Agent(Box::new(agent.traced()))),
                Ok(agent) => Ok(Actor::Agent(Box::new(agent))),
                Err(e) => Err(e.to_string()),
            },
            Source::Spec(PolicySpec::Remote(spec)) => {
                let tried = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
                let remote = match tried {
                    Some(r) => r,
                    None => Remote::new(spec).map_err(|e| e.to_string())?,
                };
                Ok(Actor::Policy(Box::new(remote)))
            }
        }
    }
}

/// The size at which a rig's pictures fill the server's without losing their shape: what is drawn at
/// once need not be drawn larger and shrunk. `None` when its cameras have different shapes, or are
/// smaller anyway.
fn fitted(task: &TaskSpec, [rows, columns]: [usize; 2]) -> Option<(usize, usize)> {
    let cameras = task.rig().cameras;
    let (w, h) = cameras.first().map(|c| (c.width, c.height))?;
    let same = cameras.iter().all(|c| (c.width, c.height) == (w, h));
    let shrink = (w as f64 / columns as f64).max(h as f64 / rows as f64);
    let side = |n: usize| ((n as f64 / shrink) as usize).max(1);
    (same && shrink > 1.0).then(|| (side(w), side(h)))
}

/// Plays a trace to its end and no further.
///
/// Unlike [`longarm_policy::Replay`] it does not stand still afterwards: an episode that broke off
/// breaks off again, at the same state.
pub(crate) struct Tape {
    actions: Result<Vec<Action>, String>,
    at: usize,
}

impl Tape {
    pub(crate) fn new(trace: &Trace) -> Self {
        Self::of(trace.actions().collect())
    }

    pub(crate) fn of(actions: Vec<Action>) -> Self {
        Self { actions: Ok(actions), at: 0 }
    }

    fn read(dir: &Path, task: &TaskId, seed: u64) -> Self {
        let trace = Trace::read(&dir.join(trace_name(task, seed))).map_err(|e| e.to_string());
        let actions = trace.and_then(|t| match t.task == *task && t.seed == seed {
            true => Ok(t.actions().collect()),
            false => {
                Err(format!("the trace of {task} seed {seed} is one of {} seed {}", t.task, t.seed))
            }
        });
        Self { actions, at: 0 }
    }
}

impl Policy for Tape {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.at = 0;
        self.actions.as_ref().map(drop).map_err(|e| PolicyError::Fault(e.clone()))
    }

    fn act(&mut self, _: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        let actions = self.actions.as_ref().map_err(|e| PolicyError::Fault(e.clone()))?;
        let Some(action) = actions.get(self.at) else {
            return Err(PolicyError::Fault(format!(
                "the trace ends after {} actions",
                actions.len()
            )));
        };
        decision.chunk.push(*action);
        self.at += 1;
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

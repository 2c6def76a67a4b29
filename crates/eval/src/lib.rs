//! Running episodes: who acts, the episode loop, and what comes out of it.

use longarm_expert::{Expert, Memory};
use longarm_policy::{EpisodeInfo, Idle, Policy, Random, Replay};
use longarm_render::Channels;
use longarm_sim::{Env, ImageSettings, SimError, World};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed, nearest};

/// Names of the built-in policies.
pub const POLICIES: [&str; 4] = ["expert", "reactive", "idle", "random"];

/// Who acts in an episode.
pub enum Actor {
    /// Sees observations only.
    Policy(Box<dyn Policy>),
    /// Sees the simulation's state.
    Expert(Box<Expert>),
}

/// A policy name that means nothing.
#[derive(Debug, thiserror::Error)]
#[error("no policy {name:?}{hint}")]
pub struct UnknownPolicy {
    name: String,
    hint: String,
}

impl Actor {
    /// The built-in policy of this name.
    pub fn named(name: &str) -> Result<Self, UnknownPolicy> {
        Ok(match name {
            "expert" => Self::Expert(Box::new(Expert::new(Memory::Whole))),
            "reactive" => Self::Expert(Box::new(Expert::new(Memory::None))),
            "idle" => Self::Policy(Box::new(Idle::default())),
            "random" => Self::Policy(Box::new(Random::default())),
            _ => {
                let near = nearest(name, POLICIES);
                let hint = match near.first() {
                    Some(n) => format!("; did you mean {n}?"),
                    None => format!("; there are {}", POLICIES.join(", ")),
                };
                return Err(UnknownPolicy { name: name.to_owned(), hint });
            }
        })
    }

    /// Plays back actions.
    pub fn replay(actions: Vec<Action>) -> Self {
        Self::Policy(Box::new(Replay::new(actions)))
    }

    /// Whether it needs pictures.
    pub fn sees(&self) -> bool {
        match self {
            Self::Policy(p) => p.sees(),
            Self::Expert(e) => e.sees(),
        }
    }
}

/// The pictures a built-in policy needs: the memoryless expert judges by what it can see.
pub fn images_for(policy: &str) -> Option<ImageSettings> {
    let seen = Channels { segment: true, ..Channels::NONE };
    (policy == "reactive")
        .then(|| ImageSettings { channels: seen, shadows: false, ..ImageSettings::default() })
}

/// What is seen of an episode while it runs.
pub trait Watcher {
    /// After the reset and after every control step.
    fn control_step(&mut self, _world: &World) {}
    /// Every action, before it is taken.
    fn action(&mut self, _action: &Action) {}
    /// After every action: pictures may be drawn, captions chosen.
    fn after_action(&mut self, _env: &mut Env, _doing: &str) {}
}

/// Watches nothing.
pub struct Unwatched;
impl Watcher for Unwatched {}

/// Runs one episode in an environment that was just reset.
pub fn run_episode(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    watcher: &mut dyn Watcher,
) -> EpisodeRecord {
    let end = play(env, actor, watcher);
    if let Actor::Policy(p) = actor {
        p.end_episode();
    }
    env.record(policy, end.err())
}

fn play(
    env: &mut Env,
    actor: &mut Actor,
    watcher: &mut dyn Watcher,
) -> Result<(), (EpisodeOutcome, String)> {
    let policy_error = |e: &dyn std::fmt::Display| (EpisodeOutcome::PolicyError, e.to_string());
    let harness_error = |e: &dyn std::fmt::Display| (EpisodeOutcome::HarnessError, e.to_string());
    match actor {
        Actor::Policy(p) => {
            let info = EpisodeInfo {
                task: env.task().id.clone(),
                instruction: env.scene().instruction.clone(),
                action: env.action_spec(),
                policy_seed: Seed(env.scene().seed.stream("policy").next_u64()),
            };
            p.begin_episode(&info).map_err(|e| policy_error(&e))?;
        }
        Actor::Expert(e) => e.begin(env).map_err(|e| harness_error(&e))?,
    }
    watcher.control_step(env.world());
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        match actor {
            Actor::Policy(p) => {
                p.act(env.observe(), &mut chunk).map_err(|e| policy_error(&e))?;
                if chunk.is_empty() {
                    return Err(policy_error(&"the policy returned no action"));
                }
            }
            Actor::Expert(e) => chunk.push(e.act(env).map_err(|e| harness_error(&e))?),
        }
        for action in &chunk {
            watcher.action(action);
            let step = env.step_observed(action, &mut |w| watcher.control_step(w));
            let report = match step {
                Ok(report) => report,
                Err(SimError::Action(e)) => return Err(policy_error(&e)),
                Err(e) => return Err(harness_error(&e)),
            };
            let doing = match actor {
                Actor::Expert(e) => e.doing(),
                Actor::Policy(_) => "",
            };
            watcher.after_action(env, doing);
            if report.done() {
                return Ok(());
            }
        }
    }
}

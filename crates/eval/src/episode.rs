//! The one episode loop: whoever acts, whatever lies between it and the robot, whoever watches.

use std::io::Write;
use std::time::{Duration, Instant};

use longarm_policy::{Decision, PolicyError, Unavailable};
use longarm_sim::{Env, SimError, World};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, TaskId};

use crate::rollout::episode_info;
use crate::{Actor, ExecutionOptions, Rollout};

/// What is seen of an episode while it runs.
pub trait Watcher {
    /// Whether it reads dense reward, which is not measured otherwise.
    fn reads_dense_reward(&self) -> bool {
        false
    }
    /// After the reset, before the first decision.
    fn begun(&mut self, _env: &mut Env) {}
    /// After the reset and after every control step.
    fn control_step(&mut self, _world: &World) {}
    /// Every answer of a policy, with the time it took.
    fn answered(&mut self, _took: Duration) {}
    /// What was decided, before noise and lateness make an action of it.
    fn decided(&mut self, _action: &Action) {}
    /// Every action, before it is taken.
    fn action(&mut self, _action: &Action) {}
    /// After every action that was taken: pictures may be drawn, captions chosen. `doing` is what the
    /// expert does or the policy believes it does, empty where it does not say.
    fn after_action(&mut self, _env: &mut Env, _doing: &str) {}
}

/// Watches nothing.
pub struct Unwatched;
impl Watcher for Unwatched {}

/// Runs one episode in an environment that was just reset, with an actor in this process: one that
/// could not be asked ends it as a harness error.
pub fn run_episode(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    watcher: &mut dyn Watcher,
) -> EpisodeRecord {
    try_episode(env, actor, policy, &ExecutionOptions::default(), watcher)
        .unwrap_or_else(|e| env.record(policy, Some((EpisodeOutcome::HarnessError, e.reason))))
}

/// The same with options, and with an actor that may live elsewhere. There is no record of an episode
/// whose policy could not be asked; [`persist`] begins it again.
pub fn try_episode(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    execution: &ExecutionOptions,
    watcher: &mut dyn Watcher,
) -> Result<EpisodeRecord, Unavailable> {
    let end = play(env, actor, execution, watcher);
    match actor {
        Actor::Policy(p) => p.end_episode(),
        Actor::Agent(a) => a.end(env),
        Actor::Expert(_) => {}
    }
    match end {
        Ok(()) => Ok(env.record(policy, None)),
        Err(End::Broken(outcome, why)) => Ok(env.record(policy, Some((outcome, why)))),
        Err(End::Unavailable(e)) => Err(e),
    }
}

/// How often an episode begins again after the connection to its policy was lost in the middle of it.
pub const RESTARTS: u32 = 3;

/// Plays an episode, from its reset again each time the connection to its policy is lost: what the
/// server remembered of it is gone, and the same seed gives the same episode. `play` must reset the
/// environment and begin all that is recorded; `lost` hears why.
pub fn persist<T>(
    mut play: impl FnMut() -> Result<T, Unavailable>,
    mut lost: impl FnMut(&str),
) -> Result<T, Unavailable> {
    for _ in 0..RESTARTS {
        match play() {
            Err(e) if e.lost => lost(&e.reason),
            done => return done,
        }
    }
    play().map_err(|mut e| {
        if e.lost {
            e.reason.push_str(&format!(", {} times in the same episode", RESTARTS + 1));
        }
        Unavailable::for_good(e.reason)
    })
}

/// Tells people that an episode begins again.
pub fn report_loss(task: &TaskId, seed: u64, why: &str) {
    // Nobody may be there any more to read it.
    let _ = writeln!(std::io::stderr(), "warning: {task} seed {seed} begins again: {why}");
}

/// What ends an episode before its time.
enum End {
    Broken(EpisodeOutcome, String),
    Unavailable(Unavailable),
}

impl From<PolicyError> for End {
    fn from(e: PolicyError) -> Self {
        match e {
            PolicyError::Fault(why) => Self::Broken(EpisodeOutcome::PolicyError, why),
            PolicyError::Unavailable(e) => Self::Unavailable(e),
        }
    }
}

fn play(
    env: &mut Env,
    actor: &mut Actor,
    execution: &ExecutionOptions,
    watcher: &mut dyn Watcher,
) -> Result<(), End> {
    let broken = |who, e: &dyn std::fmt::Display| End::Broken(who, e.to_string());
    let policy_error = |e: &dyn std::fmt::Display| broken(EpisodeOutcome::PolicyError, e);
    let harness_error = |e: &dyn std::fmt::Display| broken(EpisodeOutcome::HarnessError, e);
    match actor {
        Actor::Policy(p) => p.begin_episode(&episode_info(env))?,
        Actor::Expert(e) => e.begin(env).map_err(|e| harness_error(&e))?,
        Actor::Agent(a) => {
            a.prepare(env).map_err(|e| harness_error(&e))?;
            a.begin(&episode_info(env))?;
        }
    }
    let mut rollout = Rollout::begin(env, execution).map_err(|e| harness_error(&e))?;
    env.measure_dense(watcher.reads_dense_reward());
    watcher.begun(env);
    watcher.control_step(env.world());
    let mut decision = Decision::default();
    while !rollout.is_over() {
        match actor {
            Actor::Policy(p) => {
                let (sees, decides) = (p.wants_every_step(), rollout.wants_decision());
                if sees || decides {
                    // Once: what is seen and what is acted on are one picture, noise and all.
                    let seen = env.observe();
                    if sees {
                        p.see(seen)?;
                    }
                    if decides {
                        decision.clear();
                        let asked = Instant::now();
                        let answer = p.act(seen, &mut decision);
                        watcher.answered(asked.elapsed());
                        answer?;
                        let believes = decision.believes.as_deref().unwrap_or("");
                        let taken = rollout.decide(&decision.chunk, believes);
                        taken.map_err(|e| policy_error(&e))?;
                    }
                }
            }
            Actor::Expert(e) if rollout.wants_decision() => {
                let action = e.act(env).map_err(|e| harness_error(&e))?;
                rollout.decide(&[action], e.doing()).map_err(|e| harness_error(&e))?;
            }
            Actor::Agent(a) if rollout.wants_decision() => {
                decision.clear();
                let asked = Instant::now();
                let answer = a.act(env, &mut decision);
                watcher.answered(asked.elapsed());
                answer?;
                let believes = decision.believes.as_deref().unwrap_or("");
                rollout.decide(&decision.chunk, believes).map_err(|e| policy_error(&e))?;
            }
            Actor::Expert(_) | Actor::Agent(_) => {}
        }
        match rollout.advance(env, watcher) {
            Ok(_) => {}
            Err(SimError::Action(e)) => return Err(policy_error(&e)),
            Err(e) => return Err(harness_error(&e)),
        }
    }
    Ok(())
}

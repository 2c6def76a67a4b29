use std::time::{Duration, Instant};

use longarm_policy::{EpisodeInfo, PolicyError, Unavailable};
use longarm_sim::{Env, SimError, World};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed, TaskId};

use crate::{Actor, Shaping};

/// What is seen of an episode while it runs.
pub trait Watcher {
    /// After the reset and after every control step.
    fn control_step(&mut self, _world: &World) {}
    /// Every answer of a policy, with the time it took.
    fn answered(&mut self, _took: Duration) {}
    /// Every action, before it is taken.
    fn action(&mut self, _action: &Action) {}
    /// After every action that was taken: pictures may be drawn, captions chosen.
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
    run_shaped(env, actor, policy, &Shaping::default(), watcher)
        .unwrap_or_else(|e| env.record(policy, Some((EpisodeOutcome::HarnessError, e.reason))))
}

/// Like [`run_episode`], with something between the actor and the robot. There is no record of an
/// episode whose policy could not be asked; [`persist`] begins it again.
pub fn run_shaped(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    shaping: &Shaping,
    watcher: &mut dyn Watcher,
) -> Result<EpisodeRecord, Unavailable> {
    let end = play(env, actor, shaping, watcher);
    if let Actor::Policy(p) = actor {
        p.end_episode();
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
    eprintln!("warning: {task} seed {seed} begins again: {why}");
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
    shaping: &Shaping,
    watcher: &mut dyn Watcher,
) -> Result<(), End> {
    let broken = |who, e: &dyn std::fmt::Display| End::Broken(who, e.to_string());
    let policy_error = |e: &dyn std::fmt::Display| broken(EpisodeOutcome::PolicyError, e);
    let harness_error = |e: &dyn std::fmt::Display| broken(EpisodeOutcome::HarnessError, e);
    match actor {
        Actor::Policy(p) => {
            let info = EpisodeInfo {
                task: env.task().id.clone(),
                instruction: env.scene().instruction.clone(),
                action: env.action_spec().clone(),
                observation: env.observation_spec().clone(),
                policy_seed: Seed(env.scene().seed.stream("policy").next_u64()),
            };
            p.begin_episode(&info)?;
        }
        Actor::Expert(e) => e.begin(env).map_err(|e| harness_error(&e))?,
    }
    watcher.control_step(env.world());
    let mut shaper = shaping.begin(env.scene().seed, env.action_spec());
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        match actor {
            Actor::Policy(p) => {
                let seen = env.observe();
                let asked = Instant::now();
                let answer = p.act(seen, &mut chunk);
                watcher.answered(asked.elapsed());
                answer?;
                if chunk.is_empty() {
                    return Err(policy_error(&"the policy returned no action"));
                }
            }
            Actor::Expert(e) => chunk.push(e.act(env).map_err(|e| harness_error(&e))?),
        }
        let doing = match actor {
            Actor::Expert(e) => e.doing(),
            Actor::Policy(_) => "",
        };
        for meant in chunk.iter().take(shaping.most_of_a_chunk()) {
            for _ in 0..shaping.repeats() {
                let action = shaper.next(meant);
                watcher.action(&action);
                let step = env.step_observed(&action, &mut |w| watcher.control_step(w));
                let report = match step {
                    Ok(report) => report,
                    Err(SimError::Action(e)) => return Err(policy_error(&e)),
                    Err(e) => return Err(harness_error(&e)),
                };
                watcher.after_action(env, doing);
                if report.done() || shaping.ends_at(report.step) {
                    return Ok(());
                }
            }
        }
    }
}

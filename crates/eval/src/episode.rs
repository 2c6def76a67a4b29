use std::time::{Duration, Instant};

use longarm_policy::EpisodeInfo;
use longarm_sim::{Env, SimError, World};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed};

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

/// Runs one episode in an environment that was just reset.
pub fn run_episode(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    watcher: &mut dyn Watcher,
) -> EpisodeRecord {
    run_shaped(env, actor, policy, &Shaping::default(), watcher)
}

/// Like [`run_episode`], with something between the actor and the robot.
pub fn run_shaped(
    env: &mut Env,
    actor: &mut Actor,
    policy: &str,
    shaping: &Shaping,
    watcher: &mut dyn Watcher,
) -> EpisodeRecord {
    let end = play(env, actor, shaping, watcher);
    if let Actor::Policy(p) = actor {
        p.end_episode();
    }
    env.record(policy, end.err())
}

fn play(
    env: &mut Env,
    actor: &mut Actor,
    shaping: &Shaping,
    watcher: &mut dyn Watcher,
) -> Result<(), (EpisodeOutcome, String)> {
    let policy_error = |e: &dyn std::fmt::Display| (EpisodeOutcome::PolicyError, e.to_string());
    let harness_error = |e: &dyn std::fmt::Display| (EpisodeOutcome::HarnessError, e.to_string());
    match actor {
        Actor::Policy(p) => {
            let info = EpisodeInfo {
                task: env.task().id.clone(),
                instruction: env.scene().instruction.clone(),
                action: env.action_spec().clone(),
                policy_seed: Seed(env.scene().seed.stream("policy").next_u64()),
            };
            p.begin_episode(&info).map_err(|e| policy_error(&e))?;
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
                answer.map_err(|e| policy_error(&e))?;
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

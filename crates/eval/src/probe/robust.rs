//! How much demonstrations forgive: a start moved by a millimetre, a little noise on actions.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings, SimError};
use longarm_task::{Scene, TaskSpec, sample};
use longarm_types::{Action, DQuat, DVec3, EpisodeOutcome, Seed};

use crate::{Actor, ExecutionOptions, Shaper, Watcher, try_episode};

/// By how much what is not fixed is moved at the start, metres.
pub const MOVED: f64 = 1e-3;
/// Noise on actions, as a share of half their range.
pub const NOISE: f64 = 0.02;

/// Successes out of the demonstrations of a task, replayed or acted again under a disturbance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robustness {
    /// Demonstrations that succeeded undisturbed; the rest is counted of these.
    pub demonstrations: u64,
    /// Their actions replayed from a moved start.
    pub replayed_moved: u64,
    /// Their actions replayed with noise.
    pub replayed_noisy: u64,
    /// The expert again from a moved start.
    pub closed_moved: u64,
    /// The expert again with noise.
    pub closed_noisy: u64,
    /// Why episodes could not run.
    pub errors: Vec<String>,
}

/// Keeps actions.
#[derive(Default)]
struct Tape(Vec<Action>);

impl Watcher for Tape {
    fn action(&mut self, action: &Action) {
        self.0.push(*action);
    }
}

/// Return a scene with everything that is not fixed moved a little, each object its own way.
fn moved(mut scene: Scene) -> Scene {
    let mut rng = scene.seed.stream("moved start");
    let fixed: Vec<bool> = scene.structure.instances.iter().map(|i| i.asset.info().fixed).collect();
    for (pose, fixed) in scene.poses.iter_mut().zip(fixed) {
        let turn = rng.range(0.0, std::f64::consts::TAU);
        if !fixed {
            pose.pos += DQuat::from_rotation_z(turn) * DVec3::X * MOVED;
        }
    }
    scene
}

/// Disturb the demonstrations of a task.
pub fn robustness(task: &Arc<TaskSpec>, seeds: std::ops::Range<u64>) -> Robustness {
    let mut out = Robustness::default();
    if let Err(e) = measure(task, seeds, &mut out) {
        out.errors.push(e.to_string());
    }
    out
}

fn measure(
    task: &Arc<TaskSpec>,
    seeds: std::ops::Range<u64>,
    out: &mut Robustness,
) -> Result<(), SimError> {
    let mut env = Env::new(Arc::clone(task), EnvSettings::default())?;
    env.measure_dense(false);
    let noisy = ExecutionOptions { action_noise: Some(NOISE), ..ExecutionOptions::default() };
    let plain = ExecutionOptions::default();
    for seed in seeds.map(Seed) {
        env.reset(seed)?;
        let mut tape = Tape::default();
        if !expert(&mut env, &plain, &mut tape, out) {
            continue;
        }
        out.demonstrations += 1;
        env.reset_scene(moved(sample(task, seed)?))?;
        out.replayed_moved += u64::from(replay(&mut env, &tape.0, &plain)?);
        env.reset(seed)?;
        out.replayed_noisy += u64::from(replay(&mut env, &tape.0, &noisy)?);
        env.reset_scene(moved(sample(task, seed)?))?;
        out.closed_moved += u64::from(expert(&mut env, &plain, &mut Tape::default(), out));
        env.reset(seed)?;
        out.closed_noisy += u64::from(expert(&mut env, &noisy, &mut Tape::default(), out));
    }
    Ok(())
}

/// Whether the expert succeeds.
fn expert(
    env: &mut Env,
    options: &ExecutionOptions,
    tape: &mut Tape,
    out: &mut Robustness,
) -> bool {
    let mut actor = Actor::Expert(Box::new(Expert::new(Memory::Whole)));
    match try_episode(env, &mut actor, "expert", options, tape) {
        Ok(record) => record.outcome == EpisodeOutcome::Success,
        Err(e) => {
            out.errors.push(e.reason);
            false
        }
    }
}

/// Whether actions succeed without anybody looking.
fn replay(env: &mut Env, actions: &[Action], options: &ExecutionOptions) -> Result<bool, SimError> {
    let mut shaper = Shaper::new(options, env.scene().seed, env.action_spec());
    for action in actions {
        if env.report().done() {
            break;
        }
        env.step(&shaper.next(action))?;
    }
    Ok(env.report().success)
}

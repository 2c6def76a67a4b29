//! The policies that need no learning.

use longarm_types::{Action, ActionKind, ActionSpec, Observation, Rng, Seed};

use crate::{EpisodeInfo, Policy, PolicyError};

/// The action that does the least: standing still with the gripper open, or, where actions are whole
/// motions, going down and up at a place where there is nothing to pick.
pub fn idle_action(spec: ActionSpec) -> Action {
    spec.idle()
}

/// Stands still with the gripper open.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    action: Option<ActionSpec>,
}

impl Policy for Idle {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.action = Some(episode.action);
        Ok(())
    }

    fn act(&mut self, _: &Observation, chunk: &mut Vec<Action>) -> Result<(), PolicyError> {
        chunk.push(idle_action(self.action.unwrap_or(ActionSpec::EE_DELTA)));
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

/// Uniform random actions.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    action: ActionSpec,
}

impl Default for Random {
    fn default() -> Self {
        Self { rng: Seed(0).stream("random policy"), action: ActionSpec::EE_DELTA }
    }
}

impl Policy for Random {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.rng = episode.policy_seed.stream("random policy");
        self.action = episode.action;
        Ok(())
    }

    fn act(&mut self, _: &Observation, chunk: &mut Vec<Action>) -> Result<(), PolicyError> {
        let mut v = [0.0f32; longarm_types::MAX_ACTION];
        match self.action.kind {
            ActionKind::EeDelta => {
                for x in &mut v[..self.action.dim] {
                    *x = self.rng.range(-1.0, 1.0) as f32;
                }
            }
            ActionKind::PickPlace => {
                for pose in v[..14].chunks_exact_mut(7) {
                    pose[0] = self.rng.range(0.25, 0.75) as f32;
                    pose[1] = self.rng.range(-0.5, 0.5) as f32;
                    pose[2] = self.rng.range(0.0, 0.1) as f32;
                    let turn = self.rng.range(-1.0, 1.0) * std::f64::consts::PI;
                    let q = longarm_types::DQuat::from_rotation_z(turn);
                    pose[3] = q.w as f32;
                    pose[6] = q.z as f32;
                }
            }
        }
        chunk.push(Action::new(&v[..self.action.dim]));
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

/// Plays back recorded actions, then stands still.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    actions: Vec<Action>,
    at: usize,
}

impl Replay {
    /// Plays these.
    pub fn new(actions: Vec<Action>) -> Self {
        Self { actions, at: 0 }
    }
}

impl Policy for Replay {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.at = 0;
        Ok(())
    }

    fn act(&mut self, _: &Observation, chunk: &mut Vec<Action>) -> Result<(), PolicyError> {
        chunk.push(self.actions.get(self.at).copied().unwrap_or_else(Action::idle));
        self.at += 1;
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

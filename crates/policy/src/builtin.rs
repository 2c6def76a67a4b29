//! The policies that need no learning.

use longarm_types::{Action, ActionSpec, Observation, Rng};

use crate::{Decision, EpisodeInfo, Policy, PolicyError};

/// Said when a policy is asked to act before it knows what actions are.
fn not_begun() -> PolicyError {
    PolicyError::Fault("an episode must begin before the first action".to_owned())
}

/// Stands still with the gripper open.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    action: Option<Action>,
}

impl Policy for Idle {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.action = Some(episode.action.idle());
        Ok(())
    }

    fn act(&mut self, _: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        decision.chunk.push(self.action.ok_or_else(not_begun)?);
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

/// Uniform random actions.
#[derive(Clone, Debug, Default)]
pub struct Random {
    episode: Option<(Rng, ActionSpec)>,
}

impl Policy for Random {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        let rng = episode.policy_seed.stream("random policy");
        self.episode = Some((rng, episode.action.clone()));
        Ok(())
    }

    fn act(&mut self, _: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        let (rng, action) = self.episode.as_mut().ok_or_else(not_begun)?;
        decision.chunk.push(action.random(rng));
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
    idle: Option<Action>,
}

impl Replay {
    /// Plays these.
    pub fn new(actions: Vec<Action>) -> Self {
        Self { actions, at: 0, idle: None }
    }
}

impl Policy for Replay {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.at = 0;
        self.idle = Some(episode.action.idle());
        Ok(())
    }

    fn act(&mut self, _: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        let next = self.actions.get(self.at).copied().or(self.idle);
        decision.chunk.push(next.ok_or_else(not_begun)?);
        self.at += 1;
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

//! What lies between what a policy says and what the robot does.

use std::collections::VecDeque;

use longarm_types::{Action, ActionSpec, Rng, Seed};
use serde::{Deserialize, Serialize};

/// How actions reach the robot, and for how long. The default changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExecutionOptions {
    /// Of every chunk only this many actions, the first, are taken before the policy is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<u32>,
    /// How many times every action is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_repeat: Option<u32>,
    /// How many actions late actions take effect; until then the robot stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<u32>,
    /// Standard deviation of Gaussian noise on actions, in their own units. Grippers and
    /// quaternions are left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_noise: Option<f64>,
    /// Standard deviation of Gaussian noise on the pictures a policy sees, in grey levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixel_noise: Option<f64>,
    /// Control steps after which the episode ends if the horizon does not come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Steps for which the episode runs on after its success, if the horizon does not come first, so
    /// that it shows whether the success stands. It ends with its success otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_on: Option<u32>,
    /// Whether the policy is told one stage at a time; as the task says if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepwise: Option<bool>,
}

/// Options that mean nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExecutionError(String);

/// Longest latency: a minute, beyond which nothing is controlled any more.
const LATEST: u32 = 1200;

impl ExecutionOptions {
    /// Refuses numbers that mean nothing.
    pub fn check(&self) -> Result<(), ExecutionError> {
        let wrong = |text: String| Err(ExecutionError(text));
        for (name, value) in [
            ("execute", self.execute),
            ("action-repeat", self.action_repeat),
            ("max-steps", self.max_steps),
        ] {
            if value == Some(0) {
                return wrong(format!("{name} is 0; it takes 1 or more"));
            }
        }
        if let Some(k) = self.latency.filter(|k| *k > LATEST) {
            return wrong(format!("latency is {k} actions; it takes at most {LATEST}"));
        }
        for (name, value) in
            [("action-noise", self.action_noise), ("pixel-noise", self.pixel_noise)]
        {
            if let Some(s) = value.filter(|s| !(s.is_finite() && *s >= 0.0)) {
                return wrong(format!("{name} is {s}; it takes a finite number, 0 or more"));
            }
        }
        Ok(())
    }

    /// The same with nothing but what decides when it ends: how a trace of it is replayed.
    pub fn of_replay(self) -> Self {
        Self { max_steps: self.max_steps, run_on: self.run_on, ..Self::default() }
    }

    /// At the beginning of an episode.
    pub fn begin(&self, seed: Seed, action: &ActionSpec) -> Shaper {
        let late = self.latency.unwrap_or(0) as usize;
        Shaper {
            late: std::iter::repeat_n(action.idle(), late).collect(),
            noise: self.action_noise.unwrap_or(0.0),
            spec: action.clone(),
            rng: seed.stream("action noise"),
        }
    }
}

/// What [`ExecutionOptions`] do to actions within one episode.
#[derive(Clone, Debug)]
pub struct Shaper {
    late: VecDeque<Action>,
    noise: f64,
    spec: ActionSpec,
    rng: Rng,
}

impl Shaper {
    /// What the robot does now, when the policy says `action` now.
    pub fn next(&mut self, action: &Action) -> Action {
        self.late.push_back(*action);
        let mut now = self.late.pop_front().unwrap_or(*action);
        if self.noise > 0.0 {
            self.spec.disturb(&mut now, self.noise, &mut self.rng);
        }
        now
    }
}

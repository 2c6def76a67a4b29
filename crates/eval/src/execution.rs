//! What lies between what a policy says and what the robot does.

use std::collections::VecDeque;

use longarm_results::ExecutionOptions;
use longarm_types::{Action, ActionSpec, Rng, Seed};

/// What [`ExecutionOptions`] do to actions within one episode.
#[derive(Clone, Debug)]
pub struct Shaper {
    late: VecDeque<Action>,
    noise: f64,
    spec: ActionSpec,
    rng: Rng,
}

impl Shaper {
    /// At the beginning of an episode.
    pub fn new(options: &ExecutionOptions, seed: Seed, action: &ActionSpec) -> Self {
        let late = options.latency.unwrap_or(0) as usize;
        Self {
            late: std::iter::repeat_n(action.idle(), late).collect(),
            noise: options.action_noise.unwrap_or(0.0),
            spec: action.clone(),
            rng: seed.stream("action noise"),
        }
    }

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

//! What lies between what a policy says and what the robot does.

use std::collections::VecDeque;

use longarm_policy::idle_action;
use longarm_results::Shaping;
use longarm_types::{Action, ActionKind, ActionSpec, Rng, Seed};

/// Values that noise reaches: the motion of the tool, the two positions.
const EE_DELTA: [usize; 6] = [0, 1, 2, 3, 4, 5];
const PICK_PLACE: [usize; 6] = [0, 1, 2, 7, 8, 9];

/// A [`Shaping`] within one episode.
#[derive(Clone, Debug)]
pub struct Shaper {
    late: VecDeque<Action>,
    noise: f64,
    noisy: &'static [usize],
    rng: Rng,
}

impl Shaper {
    /// At the beginning of an episode.
    pub fn new(shaping: &Shaping, seed: Seed, action: ActionSpec) -> Self {
        let late = shaping.latency.unwrap_or(0) as usize;
        Self {
            late: std::iter::repeat_n(idle_action(action), late).collect(),
            noise: shaping.action_noise.unwrap_or(0.0),
            noisy: match action.kind {
                ActionKind::EeDelta => &EE_DELTA,
                ActionKind::PickPlace => &PICK_PLACE,
            },
            rng: seed.stream("action noise"),
        }
    }

    /// What the robot does now, when the policy says `action` now.
    pub fn next(&mut self, action: &Action) -> Action {
        self.late.push_back(*action);
        let mut now = self.late.pop_front().unwrap_or(*action);
        if self.noise > 0.0 {
            let values = now.values_mut();
            for i in self.noisy {
                let noise = self.noise * self.rng.normal();
                if let Some(v) = values.get_mut(*i) {
                    let within = v.abs() <= 1.0;
                    *v = (f64::from(*v) + noise) as f32;
                    // What goes beyond the limits is counted against the policy; noise is not its.
                    if within {
                        *v = v.clamp(-1.0, 1.0);
                    }
                }
            }
        }
        now
    }
}

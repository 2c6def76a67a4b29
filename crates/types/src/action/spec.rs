use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Action, Channel, ChannelKind, ChannelValue, MAX_ACTION, PickPlaceSpace, ToolScale};
use crate::{CONTROL_HZ, DQuat, Rng};

/// Numbers of a pose in a pick-and-place action, and of its position.
const POSE: usize = 7;
const POSITION: usize = 3;

fn draw(to: &mut [f32], from: &[ChannelValue], rng: &mut Rng) {
    for (to, v) in to.iter_mut().zip(from) {
        *to = rng.range(v.random[0], v.random[1]) as f32;
    }
}

/// What the numbers of an action are, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionSpec {
    /// Channels, in the order of their numbers.
    pub channels: Vec<Channel>,
}

impl ActionSpec {
    /// Actions made of these channels. Where they command several limbs, names get the limb's as a prefix.
    ///
    /// # Panics
    /// If they have more than [`MAX_ACTION`] numbers together.
    pub fn new(mut channels: Vec<Channel>) -> Self {
        let several = {
            let mut limbs = channels.iter().filter_map(|c| c.limb.as_deref());
            limbs.next().is_some_and(|first| limbs.any(|l| l != first))
        };
        if several {
            for c in &mut channels {
                let Some(limb) = &c.limb else { continue };
                c.name = format!("{limb}_{}", c.name);
                c.values.iter_mut().for_each(|v| v.name = format!("{limb}_{}", v.name));
            }
        }
        let out = Self { channels };
        assert!(out.dim() <= MAX_ACTION, "an action has at most {MAX_ACTION} values");
        out
    }

    /// Tool deltas and a gripper for each limb, at the default scale.
    pub fn tool_delta(limbs: &[&str]) -> Self {
        let pair = |l: &&str| [Channel::tool_delta(l, ToolScale::DEFAULT), Channel::gripper(l)];
        Self::new(limbs.iter().flat_map(pair).collect())
    }

    /// Whole pick-and-place motions of one limb.
    pub fn pick_place(limb: &str, space: &PickPlaceSpace) -> Self {
        Self::new(vec![Channel::pick_place(limb, space)])
    }

    /// How many numbers an action has.
    pub fn dim(&self) -> usize {
        self.channels.iter().map(Channel::len).sum()
    }

    /// All numbers, in order.
    pub fn values(&self) -> impl Iterator<Item = &ChannelValue> {
        self.channels.iter().flat_map(|c| &c.values)
    }

    /// Channels and where their numbers are.
    pub fn slices(&self) -> impl Iterator<Item = (&Channel, Range<usize>)> {
        self.channels.iter().scan(0, |at, c| {
            let from = *at;
            *at += c.len();
            Some((c, from..*at))
        })
    }

    /// Names of the numbers.
    pub fn names(&self) -> Vec<String> {
        self.values().map(|v| v.name.clone()).collect()
    }

    /// Least values.
    pub fn low(&self) -> Vec<f64> {
        self.values().map(|v| v.low).collect()
    }

    /// Greatest values.
    pub fn high(&self) -> Vec<f64> {
        self.values().map(|v| v.high).collect()
    }

    /// The action that does the least: standing still with the gripper open, or, where actions are whole
    /// motions, going down and up at a place where there is nothing to pick.
    pub fn idle(&self) -> Action {
        self.action(|v| v.idle)
    }

    /// Return the action that keeps a robot as it was told last: hands and joint targets as they were, no
    /// change of anything else.
    pub fn held(&self, last: &Action) -> Action {
        let mut out = self.idle();
        for (channel, at) in self.slices() {
            let keeps = matches!(
                channel.kind,
                ChannelKind::Gripper | ChannelKind::HandJoints | ChannelKind::JointTarget
            );
            if keeps && last.values().len() >= at.end {
                out.values_mut()[at.clone()].copy_from_slice(&last.values()[at]);
            }
        }
        out
    }

    fn action(&self, value: impl FnMut(&ChannelValue) -> f64) -> Action {
        let mut out = [0.0f32; MAX_ACTION];
        let mut dim = 0;
        for (to, v) in out.iter_mut().zip(self.values().map(value)) {
            *to = v as f32;
            dim += 1;
        }
        Action::new(&out[..dim])
    }

    /// Draw an action: every number uniform in its range; rotations of whole motions are turns about the
    /// vertical.
    pub fn random(&self, rng: &mut Rng) -> Action {
        let mut out = Action::new(&[0.0; MAX_ACTION][..self.dim()]);
        let values = out.values_mut();
        for (channel, at) in self.slices() {
            let numbers = &mut values[at];
            match channel.kind {
                ChannelKind::PickPlace => {
                    let poses = numbers.chunks_exact_mut(POSE);
                    for (pose, from) in poses.zip(channel.values.chunks_exact(POSE)) {
                        draw(&mut pose[..POSITION], &from[..POSITION], rng);
                        let turn = rng.range(-1.0, 1.0) * std::f64::consts::PI;
                        let q = DQuat::from_rotation_z(turn);
                        let q = [q.w, q.x, q.y, q.z].map(|v| v as f32);
                        pose[POSITION..].copy_from_slice(&q);
                    }
                }
                _ => draw(numbers, &channel.values, rng),
            }
        }
        out
    }

    /// Add Gaussian noise of this standard deviation, in the numbers' own units. Grippers and quaternions
    /// are left alone. What was within the bounds stays there: leaving them counts against the policy.
    pub fn disturb(&self, action: &mut Action, deviation: f64, rng: &mut Rng) {
        let mut values = action.values_mut().iter_mut();
        for channel in &self.channels {
            for (i, (spec, v)) in channel.values.iter().zip(&mut values).enumerate() {
                let disturbed = match channel.kind {
                    ChannelKind::Gripper => false,
                    ChannelKind::PickPlace => i % POSE < POSITION,
                    _ => true,
                };
                if !disturbed {
                    continue;
                }
                let within = (spec.low..=spec.high).contains(&f64::from(*v));
                *v = (f64::from(*v) + deviation * rng.normal()) as f32;
                if within {
                    *v = v.clamp(spec.low as f32, spec.high as f32);
                }
            }
        }
    }

    /// Refuse a wrong length and numbers that are not finite.
    pub fn check(&self, values: &[f32]) -> Result<(), ActionError> {
        let want = self.dim();
        if values.len() != want {
            return Err(ActionError::Length { got: values.len(), want });
        }
        match values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(ActionError::NotFinite { index, value: values[index] }),
            None => Ok(()),
        }
    }

    /// Write the numbers clipped to their bounds, and return whether any was out of them.
    pub fn clip(&self, values: &[f32], out: &mut [f64]) -> bool {
        let mut clipped = false;
        for ((to, from), spec) in out.iter_mut().zip(values).zip(self.values()) {
            let v = f64::from(*from);
            clipped |= v < spec.low || v > spec.high;
            *to = v.clamp(spec.low, spec.high);
        }
        clipped
    }

    /// Whether an action is a whole motion of many control steps.
    pub fn whole_motions(&self) -> bool {
        self.channels.iter().any(|c| c.kind == ChannelKind::PickPlace)
    }

    /// Actions per second in recordings; whole motions have no fixed length and count as one a second.
    pub fn rate(&self) -> u32 {
        if self.whole_motions() { 1 } else { CONTROL_HZ }
    }

    /// What one control step takes: these actions, or tool deltas of the same limbs where an action is a
    /// whole motion.
    pub fn control(&self) -> Cow<'_, Self> {
        if !self.whole_motions() {
            return Cow::Borrowed(self);
        }
        let limbs: Vec<&str> = self.channels.iter().filter_map(|c| c.limb.as_deref()).collect();
        Cow::Owned(Self::tool_delta(&limbs))
    }

    /// Scale of the first limb's tool deltas; the default where there are none.
    pub fn tool_scale(&self) -> ToolScale {
        let scale = |c: &Channel| match c.kind {
            ChannelKind::ToolDelta(scale) => Some(scale),
            _ => None,
        };
        self.channels.iter().find_map(scale).unwrap_or_default()
    }
}

/// Why an action was refused. The world is unchanged when it is.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ActionError {
    /// Wrong number of values.
    #[error("action has {got} values; this robot takes {want}")]
    Length {
        /// Values given.
        got: usize,
        /// Values wanted.
        want: usize,
    },
    /// NaN or infinity.
    #[error("action[{index}] is {value}; every value must be finite")]
    NotFinite {
        /// Which value.
        index: usize,
        /// What it was.
        value: f32,
    },
}

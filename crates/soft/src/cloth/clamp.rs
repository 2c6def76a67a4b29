//! Jaws that have drawn corners between them: what contact alone does not gather from a table.

use longarm_types::{DVec3, Pose, RunningHash};

use super::Cloth;
use crate::solid::Frame;

/// Most corners that a clamp takes.
const MOST: usize = 24;
/// Speed at which corners are drawn to where the clamp holds them, m/s.
const DRAW: f64 = 0.06;
/// A corner that was pulled this far from where it is held is lost, metres.
const LOST: f64 = 0.02;

/// A pair of jaws that can take hold of corners.
#[derive(Clone, Debug)]
pub struct Clamp {
    /// Frame between its jaws when the step begins: y is the way they close.
    pub from: Pose,
    /// The same when the step ends.
    pub to: Pose,
    /// Most force with which it holds on to what it took, newtons. What pulls harder slips.
    pub most: f64,
    /// Where along z it holds what it took.
    pub depth: f64,
    /// Force on it, averaged over the last step.
    pub force: DVec3,
    /// Torque on it about the origin of its frame, averaged over the last step.
    pub torque: DVec3,
    held: Vec<Held>,
}

/// A corner and where it is held, in the clamp's frame.
#[derive(Clone, Copy, Debug)]
struct Held {
    corner: u32,
    at: DVec3,
}

impl Default for Clamp {
    fn default() -> Self {
        Self {
            from: Pose::IDENTITY,
            to: Pose::IDENTITY,
            most: 0.0,
            depth: 0.0,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            held: Vec::with_capacity(MOST),
        }
    }
}

impl Clamp {
    /// Return how many corners it holds.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// Let go of everything.
    pub fn open(&mut self) {
        self.held.clear();
    }

    pub(super) fn save(&self, state: &mut Vec<f64>) {
        state.push(self.held.len() as f64);
        for held in &self.held {
            state.push(f64::from(held.corner));
            state.extend(held.at.to_array());
        }
    }

    /// Return to what was saved, and what of the state is left; `None` if it is not one of `count` corners.
    pub(super) fn restore<'s>(&mut self, state: &'s [f64], count: usize) -> Option<&'s [f64]> {
        let (&n, rest) = state.split_first()?;
        let (own, rest) = rest.split_at_checked(4 * n as usize)?;
        self.held.clear();
        for numbers in own.chunks_exact(4) {
            let corner = numbers[0] as u32;
            if corner as usize >= count {
                return None;
            }
            self.held.push(Held { corner, at: DVec3::from_slice(&numbers[1..]) });
        }
        Some(rest)
    }

    pub(super) fn digest(&self, hash: &mut RunningHash) {
        for held in &self.held {
            hash.floats(&[f64::from(held.corner)]);
            hash.floats(&held.at.to_array());
        }
    }
}

impl Cloth {
    /// Give it this many clamps, open; whoever moves them says so before each step.
    pub fn add_clamps(&mut self, count: usize) {
        self.clamps.resize_with(count, Clamp::default);
    }

    /// Return a clamp.
    pub fn clamp(&self, k: usize) -> &Clamp {
        &self.clamps[k]
    }

    /// Return a clamp, to move or open it.
    pub fn clamp_mut(&mut self, k: usize) -> &mut Clamp {
        &mut self.clamps[k]
    }

    /// Let a clamp take the corners within a box of its frame, lower and upper corner; return how many.
    pub fn take(&mut self, k: usize, lower: DVec3, upper: DVec3) -> usize {
        let clamp = &mut self.clamps[k];
        clamp.held.clear();
        for (i, p) in self.now.iter().enumerate() {
            let at = clamp.to.local(*p);
            let inside = at.cmpge(lower).all() && at.cmple(upper).all();
            if inside && clamp.held.len() < MOST {
                clamp.held.push(Held { corner: i as u32, at });
            }
        }
        clamp.held.len()
    }

    /// Holds corners in clamps at a share of the step.
    pub(super) fn clamp_down(&mut self, h: f64, share: f64) {
        for clamp in &mut self.clamps {
            if clamp.held.is_empty() {
                continue;
            }
            let rot = clamp.from.rot.lerp(clamp.to.rot, share).normalize();
            let frame = Frame::of(&Pose::new(clamp.from.pos.lerp(clamp.to.pos, share), rot));
            let each = clamp.most / clamp.held.len() as f64;
            let (depth, step) = (clamp.depth, DRAW * h);
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            let (now, lightness, mass) = (&mut self.now, &self.lightness, &self.mass);
            clamp.held.retain_mut(|held| {
                let i = held.corner as usize;
                held.at.y -= held.at.y.clamp(-step, step);
                held.at.z -= (held.at.z - depth).clamp(-step, step);
                let slip = now[i] - frame.point(held.at);
                let (length, most) = (slip.length(), each * h * h * lightness[i]);
                let back = if length > most { slip * (most / length) } else { slip };
                now[i] -= back;
                if length > most {
                    held.at = frame.local(now[i]);
                }
                let felt = back * (mass[i] / (h * h));
                force += felt;
                torque += (now[i] - frame.pos).cross(felt);
                (held.at - DVec3::Z * depth).length() < LOST + held.at.x.abs()
            });
            clamp.force += force;
            clamp.torque += torque;
        }
    }
}

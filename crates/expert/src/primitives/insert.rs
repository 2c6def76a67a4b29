//! Long things into narrow openings.

use std::f64::consts::TAU;

use longarm_task::Snapshot;
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::{Primitives, Thing};
use crate::motion::{Motion, Pace};

/// How far above the rim the lower end hangs before it goes in, and how far below when let go.
const ABOVE: f64 = 0.025;
const BELOW: f64 = 0.045;

impl Primitives {
    /// The tool pose at which a thing held at `held` (tool in its frame) hangs upright over a vessel,
    /// its lower end at the rim, and what it costs to get there.
    pub(super) fn insertion(&self, thing: &Thing, vessel: &Thing, held: &Pose) -> Option<(f64, Pose)> {
        const TURNS: u32 = 12;
        let half = thing.bounds.half[0];
        // The end nearer to the hand goes up.
        let up = if held.pos.x >= 0.0 { 1.0 } else { -1.0 };
        let rim = vessel.frame.pos + DVec3::Z * (vessel.bounds.centre[2] + vessel.bounds.half[2]);
        // Fingers must stay above the rim when the lower end is as deep as it gets.
        if half + up * held.pos.x < BELOW + 0.025 {
            return None;
        }
        let mut best: Option<(f64, Pose)> = None;
        for k in 0..TURNS {
            let a = TAU * f64::from(k) / f64::from(TURNS);
            let y = DVec3::new(libm::cos(a), libm::sin(a), 0.0);
            let x = DVec3::Z * up;
            let rot = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
            let centre = DVec3::from(thing.bounds.centre);
            let pos = rim + DVec3::Z * half - rot * centre;
            let tool = Pose::new(pos, rot) * *held;
            let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
            let (Some(cost), Some(_)) = (self.arm.cost(&at(ABOVE)), self.arm.cost(&at(-BELOW)))
            else {
                continue;
            };
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, tool));
            }
        }
        best
    }

    /// Turns a held thing upright over a vessel, lowers it and lets go.
    pub(super) fn insert(&self, thing: &Thing, vessel: &Thing, s: &Snapshot) -> Vec<Motion> {
        let held = thing.frame.inverse() * s.hand.pose;
        let Some((_, tool)) = self.insertion(thing, vessel, &held) else {
            // Held so that it cannot be done: put it down and take it otherwise.
            return self.withdraw(s);
        };
        let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
        // Turned where there is room, half way and high.
        let high = tool.pos.z + ABOVE;
        let up = Pose::new(s.hand.pose.pos.with_z(high), s.hand.commanded.rot);
        let between = s.hand.pose.pos.lerp(tool.pos, 0.5).with_z(high);
        let mut out = vec![Motion::through(up, Pace::TRAVEL)];
        let turn = Pose::new(between, tool.rot);
        if self.arm.cost(&turn).is_some() {
            out.push(Motion::through(turn, Pace::TRAVEL));
        }
        out.push(Motion::go(at(ABOVE), Pace::TRAVEL));
        out.push(Motion::go(at(-BELOW), Pace::CAREFUL));
        out.push(Motion::Wait(2));
        out.push(Motion::Grip { command: -1.0, steps: 6, held: None });
        out.push(Motion::through(at(-BELOW) * Pose::at(0.0, 0.0, -0.05), Pace::CAREFUL));
        out.push(Motion::Lift { by: DVec3::Z * 0.04, pace: Pace::TRAVEL });
        out
    }
}

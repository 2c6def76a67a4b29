//! Long things into narrow openings.

use std::f64::consts::TAU;

use longarm_task::Snapshot;
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::{Primitives, Thing};
use crate::motion::{Motion, Pace};

/// How far above the rim the lower end hangs before it goes in, and how far below when let go.
const ABOVE: f64 = 0.025;
pub(super) const BELOW: f64 = 0.045;
/// Headings tried.
pub(super) const TURNS: u32 = 12;

impl Primitives {
    /// Points of a vessel's rim, those first that are furthest from what is already inside: a thing
    /// let down onto another would stick out.
    pub(super) fn mouth(&self, thing: &Thing, vessel: &Thing, s: &Snapshot) -> Vec<DVec3> {
        let info = &self.infos[vessel.instance];
        let rim = vessel.frame.pos + DVec3::Z * (vessel.bounds.centre[2] + vessel.bounds.half[2]);
        let wide = info.regions.first().map_or(0.0, |r| r.half[0].min(r.half[1]));
        let inside: Vec<DVec3> = (1..self.bodies.len())
            .filter(|b| *b != vessel.body && *b != thing.body)
            .map(|b| s.bodies[b].pose.pos)
            .filter(|p| (*p - rim).truncate().length() < wide + 0.02)
            .collect();
        let room = |p: &DVec3| {
            inside.iter().map(|q| (*q - *p).truncate().length()).fold(f64::MAX, f64::min)
        };
        let around = (0..8).map(|k| {
            let a = TAU * f64::from(k) / 8.0;
            rim + DVec3::new(libm::cos(a), libm::sin(a), 0.0) * 0.5 * wide
        });
        let mut spots: Vec<DVec3> = around.collect();
        spots.sort_by(|p, q| room(q).total_cmp(&room(p)));
        spots
    }

    /// The tool pose at which a thing held at `held` (tool in its frame) hangs upright over one of
    /// the points `mouth`, its lower end there, and what it costs to get there and `below` deeper.
    pub(super) fn insertion(
        &self,
        thing: &Thing,
        mouth: &[DVec3],
        held: &Pose,
        below: f64,
        turns: u32,
    ) -> Option<(f64, Pose)> {
        let half = thing.bounds.half[0];
        // The end nearer to the hand goes up.
        let up = if held.pos.x >= 0.0 { 1.0 } else { -1.0 };
        // Fingers must stay above the rim when the lower end is as deep as it gets.
        if half + up * held.pos.x < below + 0.025 {
            return None;
        }
        let mut best: Option<(f64, Pose)> = None;
        for rim in mouth {
            for k in 0..turns {
                let a = TAU * f64::from(k) / f64::from(turns);
                let y = DVec3::new(libm::cos(a), libm::sin(a), 0.0);
                let x = DVec3::Z * up;
                let rot = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
                let centre = DVec3::from(thing.bounds.centre);
                let pos = *rim + DVec3::Z * half - rot * centre;
                let tool = Pose::new(pos, rot) * *held;
                let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
                let Some(cost) = self.arm.cost(&at(ABOVE)) else { continue };
                if best.as_ref().is_none_or(|b| cost < b.0)
                    && self.arm.straight(&at(ABOVE), &at(-below))
                {
                    best = Some((cost, tool));
                }
            }
            // The other points have less room: they are tried only if this one is out of reach.
            if best.is_some() {
                break;
            }
        }
        best
    }

    /// Turns a held thing upright over a vessel, lowers it and lets go.
    pub(super) fn insert(&self, thing: &Thing, vessel: &Thing, s: &Snapshot) -> Vec<Motion> {
        let held = thing.frame.inverse() * s.hands[self.limb].pose;
        let mouth = self.mouth(thing, vessel, s);
        // Held a little otherwise than planned it may go in otherwise turned or less deep.
        let ways = [(BELOW, TURNS), (BELOW, 4 * TURNS), (0.6 * BELOW, 4 * TURNS)];
        let found = ways.into_iter().find_map(|(below, turns)| {
            self.insertion(thing, &mouth, &held, below, turns).map(|(_, tool)| (tool, below))
        });
        let Some((tool, below)) = found else {
            // Held so that it cannot be done: put it down and take it otherwise.
            return self.withdraw(s);
        };
        let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
        // Turned where there is room, half way and high.
        let high = tool.pos.z + ABOVE;
        let up = self.arm.lowered(Pose::new(
            s.hands[self.limb].pose.pos.with_z(high),
            s.hands[self.limb].commanded.rot,
        ));
        let between = s.hands[self.limb].pose.pos.lerp(tool.pos, 0.5).with_z(high);
        let mut out = vec![Motion::through(up, Pace::TRAVEL)];
        let turn = Pose::new(between, tool.rot);
        if self.arm.straight(&up, &turn) && self.arm.straight(&turn, &at(ABOVE)) {
            out.push(Motion::through(turn, Pace::TRAVEL));
        } else {
            out.extend(self.across(&up, &at(ABOVE)));
        }
        out.push(Motion::go(at(ABOVE), Pace::TRAVEL));
        out.push(Motion::go(at(-below), Pace::CAREFUL));
        out.push(Motion::Wait(2));
        out.push(Motion::Grip { command: -1.0, steps: 6, held: None });
        out.push(Motion::through(at(-below) * Pose::at(0.0, 0.0, -0.05), Pace::CAREFUL));
        out
    }
}

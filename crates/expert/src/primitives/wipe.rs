//! Drawing a held tool over a surface.

use std::f64::consts::TAU;

use longarm_assets::RegionKind;
use longarm_task::Snapshot;
use longarm_types::{DQuat, DVec3, Pose, yaw};

use super::{Primitives, Thing};
use crate::motion::{Motion, Pace};

/// Travel beyond what makes a stroke.
const SPARE: f64 = 0.02;
/// How far below the surface the tool is sent while it is drawn, metres.
const PRESS: f64 = 0.004;
/// Contact must have lasted a moment before the stroke is measured; in shares of its length.
const DWELL: f64 = 0.4;
/// Where strokes begin and end, above the middle: they look the same before and after.
const HOVER: f64 = 0.06;

/// Control steps for which it does.
const LOOK: u32 = 3;

impl Primitives {
    /// How far above a thing's foot it is taken.
    fn grip_height(&self, thing: &Thing) -> f64 {
        self.infos[thing.instance].grasps.first().map_or(0.0, |g| g.tool.pos.z)
    }

    /// Strokes along the tool's own length through the middle of the surface.
    pub(super) fn wipe(
        &self,
        thing: &Thing,
        surface: &Thing,
        strokes: u32,
        length: f64,
        s: &Snapshot,
    ) -> Vec<Motion> {
        let held = thing.frame.inverse() * s.hands[self.limb].pose;
        let info = &self.infos[surface.instance];
        let middle = match info.regions.iter().find(|r| r.kind == RegionKind::Surface) {
            Some(r) => surface.frame.point(r.pose.pos),
            None => surface.frame.point(DVec3::Z * 2.0 * surface.bounds.half[2]),
        };
        let half = (length + SPARE) / 2.0;
        let pose = |turn: f64, along: f64, dz: f64| {
            let rot = DQuat::from_rotation_z(turn);
            Pose::new(middle + rot * DVec3::X * along + DVec3::Z * dz, rot) * held
        };
        let mut best: Option<(f64, f64)> = None;
        for k in 0..24u32 {
            let turn = yaw(thing.frame.rot) + TAU * f64::from(k) / 24.0;
            let ends = [pose(turn, -half, 0.0), pose(turn, half, 0.0), pose(turn, 0.0, HOVER)];
            let cost: Option<f64> = ends.iter().map(|p| self.arm.cost(p)).sum();
            let twist =
                longarm_types::rotation_between(s.hands[self.limb].pose.rot, ends[0].rot).length();
            if let Some(cost) = cost.map(|c| c + 2.0 * twist)
                && best.is_none_or(|b| cost < b.0)
            {
                best = Some((cost, turn));
            }
        }
        let Some((_, turn)) = best else { return self.withdraw_holding(s) };
        let at = |along: f64, dz: f64| pose(turn, along, dz);
        // The hand hovers at one place, however the tool sits in it by now.
        let hover =
            Pose::new(middle + DVec3::Z * (HOVER + self.grip_height(thing)), at(0.0, 0.0).rot);
        let mut out = self.travel(&hover, held.pos.z, Some(thing.body), s);
        for _ in 0..strokes {
            out.push(Motion::go(at(-half, 0.015), Pace::CAREFUL));
            out.push(Motion::go(at(-half, 0.003), Pace::GENTLE));
            let (from, to) = (at(-half, -PRESS), at(half, -PRESS));
            out.push(Motion::Draw { from, to, pace: Pace::CAREFUL, gone: -DWELL });
            out.push(Motion::Wait(2));
            out.push(Motion::through(at(half, 0.04), Pace::CAREFUL));
            out.push(Motion::go(hover, Pace::TRAVEL));
            out.push(Motion::Wait(LOOK));
        }
        out
    }
}

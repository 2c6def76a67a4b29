//! Drawing a held tool over a surface.

use std::f64::consts::TAU;

use longarm_assets::RegionKind;
use longarm_types::{DQuat, DVec3, Pose, rotation_between, yaw};

use super::pick::pick;
use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Travel beyond what makes a stroke.
const SPARE: f64 = 0.02;
/// How far below the surface the tool is sent while it is drawn, metres.
const PRESS: f64 = 0.004;
/// Contact must have lasted a moment before the stroke is measured; in shares of its length.
const DWELL: f64 = 0.4;
/// Where strokes begin and end, above the middle: they look the same before and after.
const HOVER: f64 = 0.06;
/// Control steps for which it hovers there.
const LOOK: u32 = 3;
/// Headings tried.
const TURNS: u32 = 24;

/// Draws a tool over a surface, taking it first if need be.
pub(super) struct Wipe<'a> {
    pub(super) tool: &'a str,
    pub(super) surface: &'a str,
    pub(super) strokes: u32,
    /// Metres that make a stroke.
    pub(super) length: f64,
}

impl Skill for Wipe<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let tool = now.scene.object(self.tool)?;
        let surface = now.scene.object(self.surface)?;
        Some(Script::whole(match now.scene.holds(tool.body) {
            true => self.strokes(now, &tool, &surface),
            false => pick(now, &tool),
        }))
    }
}

impl Wipe<'_> {
    /// Draw strokes along the tool's own length through the middle of the surface.
    fn strokes(&self, now: &Moment<'_>, tool: &SceneObject, surface: &SceneObject) -> Vec<Motion> {
        let held = tool.frame.inverse() * now.scene.tool();
        let info = now.scene.info(surface.instance);
        let middle = match info.regions.iter().find(|r| r.kind == RegionKind::Surface) {
            Some(r) => surface.frame.point(r.pose.pos),
            None => surface.frame.point(DVec3::Z * 2.0 * surface.bounds.half[2]),
        };
        let half = (self.length + SPARE) / 2.0;
        let pose = |turn: f64, along: f64, dz: f64| {
            let rot = DQuat::from_rotation_z(turn);
            Pose::new(middle + rot * DVec3::X * along + DVec3::Z * dz, rot) * held
        };
        let mut best = Cheapest::new();
        for k in 0..TURNS {
            let turn = yaw(tool.frame.rot) + TAU * f64::from(k) / f64::from(TURNS);
            let ends = [pose(turn, -half, 0.0), pose(turn, half, 0.0), pose(turn, 0.0, HOVER)];
            let cost: Option<f64> = ends.iter().map(|p| now.limb.cost(p)).sum();
            let twist = rotation_between(now.scene.tool().rot, ends[0].rot).length();
            if let Some(cost) = cost {
                best.offer(cost + 2.0 * twist, turn);
            }
        }
        let Some(turn) = best.candidate() else { return withdraw_holding(now) };
        let at = |along: f64, dz: f64| pose(turn, along, dz);
        // The hand hovers at one place, however the tool sits in it by now.
        let grip = now.scene.info(tool.instance).grasps.first().map_or(0.0, |g| g.tool.pos.z);
        let hover = Pose::new(middle + DVec3::Z * (HOVER + grip), at(0.0, 0.0).rot);
        let mut out = now.travel(&hover, held.pos.z, Some(tool.body));
        for _ in 0..self.strokes {
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

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Plate, Sponge};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    #[test]
    fn strokes_are_long_enough_level_and_through_the_middle() {
        for rig in gripper_rigs() {
            let at = Pose::new(middle(rig), Default::default());
            let plate = Asset::from(Plate { radius: 0.11 });
            let objects = [("sponge", Asset::from(Sponge), Pose::IDENTITY), ("plate", plate, at)];
            let mut bench = Bench::new(rig, &objects);
            bench.hold("sponge", bench.limb.easy(at.pos.with_z(0.2)));
            let (tool, surface) = ("sponge".into(), "plate".into());
            let motions =
                bench.script(&Op::Wipe { tool, surface, strokes: 3, length: 0.06 }).motions;
            let draws: Vec<_> = motions
                .iter()
                .filter_map(|m| {
                    if let Motion::Draw { from, to, .. } = m { Some((from, to)) } else { None }
                })
                .collect();
            assert_eq!(draws.len(), 3, "{rig}: {motions:?}");
            for (from, to) in draws {
                let way = to.pos - from.pos;
                assert!(way.z.abs() < 1e-9 && way.length() >= 0.06, "{rig}: {way}");
                let middle_of = (from.pos + to.pos) / 2.0;
                assert!((middle_of - at.pos).truncate().length() < 0.01, "{rig}: {middle_of}");
                assert_eq!(from.rot, to.rot);
            }
        }
    }
}

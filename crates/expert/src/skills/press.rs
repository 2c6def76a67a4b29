//! Pressing what gives way, and springs back.

use longarm_assets::{Grasp, GraspKind};
use longarm_types::{DQuat, DVec3, Pose};
use std::f64::consts::FRAC_PI_2;

use super::{APPROACH, Moment};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::PartId;

/// How far past where it should come a part is pressed, metres.
const FURTHER: f64 = 0.012;
/// How much further a fist may have to go, whose knuckles are not where fingertips would be.
const FIST: f64 = 0.07;

/// Return how a part is pressed, if it is one to be pressed.
pub(super) fn place<'a>(now: &Moment<'a>, id: PartId) -> Option<&'a Grasp> {
    now.scene.handles(id).find(|g| g.kind == GraspKind::Press)
}

/// Press a part with closed fingertips along its slide and keep it down: what comes next lets go.
pub(super) fn press(now: &Moment<'_>, id: PartId, on: &Grasp, way: DVec3) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let part = now.scene.part_info(id);
    let goal = part.open[0] + 0.5 * (part.open[1].min(part.range[1]) - part.open[0]);
    let touch = now.scene.pose(id.body) * on.tool;
    let mut best = Cheapest::new();
    for k in 0..4 {
        let turn = DQuat::from_rotation_z(f64::from(k) * FRAC_PI_2);
        let tool = touch * Pose::new(DVec3::ZERO, turn) * Pose::at(0.0, 0.0, -limb.fingertip());
        let further = FURTHER + if limb.fingered { FIST } else { 0.0 };
        let down = Pose::new(tool.pos + way * (goal + further), tool.rot);
        if let Some(cost) = limb.track(&[tool * Pose::at(0.0, 0.0, -APPROACH), tool, down]) {
            best.offer(cost, (tool, down));
        }
    }
    let (tool, down) = best.candidate()?;
    let before = tool * Pose::at(0.0, 0.0, -APPROACH);
    let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
    out.extend(now.travel(&before, limb.fingertip(), None));
    out.push(Motion::go(tool * Pose::at(0.0, 0.0, -0.01), Pace::CAREFUL));
    out.push(Motion::until(down, Pace::CAREFUL, Stop::JointAbove(id.body, goal)));
    out.push(Motion::Wait(2));
    Some(out)
}

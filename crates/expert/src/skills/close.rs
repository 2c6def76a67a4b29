//! Closing drawers and doors, turning knobs off.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::withdraw::withdraw;
use super::{Moment, Script, Skill, hinge};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::PartId;

/// From a handle's middle to its front, and a little.
const BAR: f64 = 0.013;

/// Closes a drawer or door, or turns a knob off.
pub(super) struct Close<'a> {
    pub(super) part: &'a str,
}

impl Skill for Close<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        Some(Script::whole(close(now, now.scene.part(self.part)?)))
    }
}

/// Close a part.
pub(super) fn close(now: &Moment<'_>, part: PartId) -> Vec<Motion> {
    let motions = match now.scene.slide(part) {
        Some(out_dir) => push(now, part, -out_dir),
        None => hinge::close(now, part),
    };
    motions.unwrap_or_else(|| withdraw(now))
}

/// Push the handle of a drawer along its slide with closed fingers, from level to straight down.
fn push(now: &Moment<'_>, id: PartId, in_dir: DVec3) -> Option<Vec<Motion>> {
    let (limb, part) = (now.limb, now.scene.part_info(id));
    let handle = now.scene.handles(id).next()?;
    let handle = now.scene.pose(id.body).point(handle.tool.pos);
    let goal = part.closed[0].max(part.range[0]);
    let travel = now.scene.joint(id.body) - goal;
    let around = now.scene.solids(&[id.body]);
    let mut best = Cheapest::new();
    for k in 0..10 {
        let slope = f64::from(k / 2) * FRAC_PI_2 / 4.0;
        let z = in_dir * libm::cos(slope) - DVec3::Z * libm::sin(slope);
        let y = DVec3::Z.cross(in_dir) * if k % 2 == 0 { 1.0 } else { -1.0 };
        let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
        // From the middle of the pads to what touches the bar: the tip, or the finger's side.
        let reach = BAR + limb.fingertip() * libm::cos(slope);
        let at = |d: f64| Pose::new(handle - in_dir * d, rot);
        let path = [at(reach + 0.035), at(reach - travel - 0.02), at(reach - travel + 0.07)];
        let cost: Option<f64> = path[..2].iter().map(|p| limb.cost(p)).sum();
        let Some(cost) = cost else { continue };
        let crowd = |p| limb.crowding(p, &around) + limb.elbowing(p, &around);
        best.offer(cost + path[..2].iter().map(crowd).fold(0.0, f64::max), path);
    }
    let [start, end, back] = best.candidate()?;
    let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
    out.extend(now.approach_front(&start));
    out.push(Motion::until(end, Pace::CAREFUL, Stop::JointBelow(id.body, goal + 0.002)));
    out.push(Motion::through(back, Pace::CAREFUL));
    out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
    out.push(now.rise(&back));
    Some(out)
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Cabinet;
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    #[test]
    fn a_drawer_is_pushed_along_its_slide_until_it_is_shut() {
        for rig in gripper_rigs() {
            let at = Pose::new(middle(rig) + DVec3::X * 0.2, Default::default());
            let mut bench = Bench::new(rig, &[("chest", Asset::from(Cabinet), at)]);
            bench.turn("chest/middle", 0.1);
            let id = bench.view().part("chest/middle").unwrap();
            let in_dir = -bench.view().slide(id).unwrap();
            let motions = bench.script(&Op::Close { part: "chest/middle".into() }).motions;
            let stops = |m: &Motion| matches!(m, Motion::Go { stop: Stop::JointBelow(b, _), .. } if *b == id.body);
            let push =
                motions.iter().position(stops).unwrap_or_else(|| panic!("{rig}: {motions:?}"));
            let (Motion::Go { to: start, .. }, Motion::Go { to: end, .. }) =
                (motions[push - 1], motions[push])
            else {
                panic!("{rig}: {motions:?}")
            };
            let way = end.pos - start.pos;
            assert!(way.normalize().dot(in_dir) > 0.9999, "{rig}: {way}");
            assert!(
                way.length() > 0.1 && matches!(motions[0], Motion::Grip { command: 1.0, .. }),
                "{rig}"
            );
            // The fingers start before the handle, not behind it.
            let handle = bench.view().handles(id).next().unwrap();
            let handle = bench.view().pose(id.body).point(handle.tool.pos);
            assert!((handle - start.pos).dot(in_dir) > bench.limb.fingertip() * 0.5, "{rig}");
        }
    }
}

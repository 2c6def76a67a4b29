//! Drawing a part out with the hook of a held tool.

use std::f64::consts::TAU;

use longarm_assets::Access;
use longarm_types::{DQuat, DVec3, Pose, rotation_between};

use super::pick::pick;
use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::{PartId, SceneObject};

/// Directions from which the hook comes.
const HEADINGS: u32 = 24;
/// Room before the hook's free end when the way on begins, and how high above that it is brought there.
const BEFORE: f64 = 0.03;
const ABOVE: f64 = 0.05;
/// How much further than the part must go the tool goes: it has play.
const FURTHER: f64 = 0.06;
/// How far past its range's beginning an open part is drawn.
const SURE: f64 = 0.01;

/// Draws a part out with a held tool.
pub(super) struct Pull<'a> {
    pub(super) tool: &'a str,
    pub(super) part: &'a str,
}

impl Skill for Pull<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let tool = now.scene.object(self.tool)?;
        let part = now.scene.part(self.part)?;
        if !now.scene.holds(tool.body) {
            return Some(Script::part(pick(now, &tool)));
        }
        Some(Script::whole(pull(now, &tool, part).unwrap_or_else(|| withdraw_holding(now))))
    }
}

/// Tool poses over the place before the part, at it, with the hook around the part, and drawn out.
type Way = [Pose; 4];

fn pull(now: &Moment<'_>, tool: &SceneObject, part: PartId) -> Option<Vec<Motion>> {
    let [over, before, on, out] = way(now, tool, part)?;
    let below = now.scene.tool().pos.z - tool.lowest();
    let mut motions = now.travel(&over, below, Some(tool.body));
    motions.push(Motion::go(before, Pace::CAREFUL));
    motions.push(Motion::go(on, Pace::CAREFUL));
    let open = now.scene.part_info(part).open[0];
    motions.push(Motion::until(out, Pace::GENTLE, Stop::JointAbove(part.body, open + SURE)));
    motions.push(Motion::Wait(4));
    Some(motions)
}

fn way(now: &Moment<'_>, tool: &SceneObject, part: PartId) -> Option<Way> {
    let slide = now.scene.slide(part)?;
    let regions = &now.scene.info(tool.instance).regions;
    let hook = regions.iter().find(|r| r.access == Access::Hook)?;
    let held = tool.frame.inverse() * now.scene.tool();
    let at = now.scene.pose(part.body).pos;
    let free = hook.pose.dir(DVec3::X);
    let left = now.scene.part_info(part).open[0] - now.scene.joint(part.body);
    let mut best = Cheapest::new();
    for k in 0..HEADINGS {
        let heading = TAU * f64::from(k) / f64::from(HEADINGS);
        let rot = DQuat::from_rotation_z(heading - libm::atan2(free.y, free.x));
        let tool_at = |p: DVec3| Pose::new(p - rot * hook.pose.pos, rot) * held;
        let before = at - (rot * free).with_z(0.0) * (hook.half[0] + BEFORE);
        let way = [before + DVec3::Z * ABOVE, before, at, at + slide * (left + FURTHER)];
        let way = way.map(tool_at);
        let Some(cost) = now.limb.track(&way) else { continue };
        let twist = rotation_between(now.scene.tool().rot, way[0].rot).length();
        best.offer(cost + twist, way);
    }
    best.candidate()
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{ClawHammer, NailBlock};
    use longarm_assets::{Asset, RigName};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, middle};

    #[test]
    fn the_hook_goes_around_the_part_and_along_its_slide() {
        let rig = RigName::STUDIO_PANDA_LEAP;
        let at = Pose::new(middle(rig) + DVec3::Y * 0.1, Default::default());
        let objects = [
            ("hammer", Asset::from(ClawHammer {}), Pose::IDENTITY),
            ("block", Asset::from(NailBlock {}), at),
        ];
        let op = Op::Pull { tool: "hammer".into(), part: "block/nail".into() };
        let mut bench = Bench::with(rig, &objects, &[], std::slice::from_ref(&op), &[]);
        let tool = bench.limb.easy((middle(rig) - DVec3::Y * 0.1).with_z(0.35));
        bench.hold("hammer", tool);
        let view = bench.view();
        let (hammer, nail) = (view.object("hammer").unwrap(), view.part("block/nail").unwrap());
        let claw = view.info(hammer.instance).regions[0].pose.pos;
        let held = hammer.frame.inverse() * tool;
        let hook = |tool: &Pose| (*tool * held.inverse()).point(claw);
        let motions = bench.script(&op).motions;
        let [.., before, on, out] = goals(&motions)[..] else { panic!("{motions:?}") };
        let neck = view.pose(nail.body).pos;
        assert!((hook(&on) - neck).length() < 1e-6);
        assert!((hook(&before) - neck).with_z(0.0).length() > BEFORE);
        let drawn = hook(&out) - neck;
        assert!(drawn.with_z(0.0).length() < 1e-6 && drawn.z > view.part_info(nail).open[0]);
    }
}

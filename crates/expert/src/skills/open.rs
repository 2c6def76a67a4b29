//! Opening drawers and doors, turning knobs on, pressing buttons.

use longarm_types::{DVec3, Pose};

use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill, hinge, hold, press};
use crate::motion::{Motion, Pace, Stop};
use crate::scene::PartId;

/// Opens a drawer or door, turns a knob on, or presses a button.
pub(super) struct Open<'a> {
    pub(super) part: &'a str,
}

impl Skill for Open<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        Some(open(now, now.scene.part(self.part)?))
    }
}

/// Open a part.
pub(super) fn open(now: &Moment<'_>, part: PartId) -> Script {
    let motions = match (now.scene.slide(part), press::place(now, part)) {
        (Some(way), Some(on)) => press::press(now, part, on, way),
        (Some(out_dir), None) => pull(now, part, out_dir),
        (None, _) => hinge::open(now, part),
    };
    Script::whole(motions.unwrap_or_else(|| withdraw(now)))
}

/// Take the handle of a drawer and pull along its slide.
fn pull(now: &Moment<'_>, id: PartId, out_dir: DVec3) -> Option<Vec<Motion>> {
    let part = now.scene.part_info(id);
    let hold = hold::of_handle(now, id)?;
    let tool = hold.tool;
    let goal = 0.5 * (part.open[0] + part.open[1].min(part.range[1])) + 0.004;
    let joint = now.scene.joint(id.body);
    let pull = Pose::new(tool.pos + out_dir * (goal - joint + 0.01), tool.rot);
    let mut out = hold::close_on(now, &hold, id.body, now.approach_front(&hold.before()));
    out.push(Motion::until(pull, Pace::CAREFUL, Stop::JointAbove(id.body, goal)));
    out.push(Motion::Wait(2));
    out.push(now.release(hold.opening));
    let there = Pose::new(tool.pos + out_dir * (goal - joint), tool.rot);
    let back = there * Pose::at(0.0, 0.0, -APPROACH);
    out.push(Motion::through(back, Pace::CAREFUL));
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
    fn a_drawer_is_pulled_along_its_slide() {
        for rig in gripper_rigs() {
            // The pull of the middle drawer stands before the limb.
            let at = Pose::new(middle(rig) + DVec3::X * 0.2, Default::default());
            let bench = Bench::new(rig, &[("chest", Asset::from(Cabinet), at)]);
            let id = bench.view().part("chest/middle").unwrap();
            let out_dir = bench.view().slide(id).unwrap();
            let motions = bench.script(&Op::Open { part: "chest/middle".into() }).motions;
            let taken = motions
                .iter()
                .position(Motion::takes)
                .unwrap_or_else(|| panic!("{rig}: {motions:?}"));
            let (Motion::Go { to: tool, .. }, Motion::Go { to: pulled, stop, .. }) =
                (motions[taken - 1], motions[taken + 1])
            else {
                panic!("{rig}: {motions:?}")
            };
            let way = pulled.pos - tool.pos;
            assert!(
                way.normalize().dot(out_dir) > 0.9999 && pulled.rot == tool.rot,
                "{rig}: {way}"
            );
            let Stop::JointAbove(body, goal) = stop else { panic!("{rig}: {stop:?}") };
            assert_eq!(body, id.body);
            let open = bench.view().part_info(id).open;
            assert!((open[0]..=open[1]).contains(&goal) && way.length() > goal, "{rig}: {goal}");
        }
    }
}

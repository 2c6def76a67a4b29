//! Taking hold of an object, or of a rope's end, without lifting it.

use longarm_assets::Part;
use longarm_types::{DMat3, DQuat, DVec3, Pose, rotation_between};

use super::hold::{self, ANY_USE};
use super::rope::{CLEAR, Ring, Rope};
use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Where the stiff end is best held, from its tip.
const HOLD: f64 = 0.07;
/// The least that fingers can hold.
const GRASPABLE: f64 = 0.012;
/// Lean of the hand away from a ring, so that the palm passes beside it.
const LEAN: f64 = 0.2;
/// The pads' centre above the rope's: their lower edges clear the table.
const ABOVE: f64 = 0.0075;
/// Opening of the fingers around the rope.
const OPENING: f64 = 0.035;

/// Takes hold of an object or of a rope's end.
pub(super) struct GraspEnd<'a> {
    pub(super) object: &'a str,
}

impl Skill for GraspEnd<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        if let Some(object) = now.scene.object(self.object)
            && now.scene.info(object.instance).parts.iter().all(Part::opens)
        {
            return Some(Script::whole(take_hold(now, &object)));
        }
        let rope = Rope::new(now.scene, now.scene.body(self.object)?);
        Some(Script::whole(take_end(now, rope)))
    }
}

/// Take hold of an object where it stands.
fn take_hold(now: &Moment<'_>, object: &SceneObject) -> Vec<Motion> {
    let Some(hold) = hold::of_object(now, object, ANY_USE) else { return withdraw(now) };
    let way = now.travel(&hold.before(), now.limb.fingertip(), None);
    hold::close_on(now, &hold, object.body, way)
}

/// Take the end as far back as the rings it is through allow.
pub(super) fn take_end(now: &Moment<'_>, rope: Rope<'_>) -> Vec<Motion> {
    let back = rope.pose().dir(DVec3::X);
    let through: Vec<Ring> = rope.rings().into_iter().filter(|r| rope.threads(r)).collect();
    let beyond = |r: &Ring, d: f64| (rope.point(d) - r.middle).dot(r.way);
    // No finger fits where the end has only just come through: such a ring is still before it.
    let (passed, barely): (Vec<Ring>, Vec<Ring>) =
        through.into_iter().partition(|r| beyond(r, GRASPABLE) > CLEAR);
    let room = |d: f64| {
        let each = passed.iter().map(|r| beyond(r, d));
        each.chain(barely.iter().map(|r| -beyond(r, d))).fold(f64::MAX, f64::min)
    };
    let hold = (0..12).map(|k| HOLD - 0.005 * f64::from(k)).find(|d| room(*d) > CLEAR);
    let hold = hold.unwrap_or(GRASPABLE);
    let ahead = -back.with_z(0.0).normalize_or(DVec3::NEG_Y);
    // Close behind a ring the palm keeps to the far side.
    let near = passed.iter().any(|r| beyond(r, hold) < 0.05);
    let lean = if near { -LEAN } else { LEAN };
    let z = ahead * libm::sin(lean) - DVec3::Z * libm::cos(lean);
    let mut best = Cheapest::new();
    for side in [1.0, -1.0] {
        let y = DVec3::Z.cross(ahead) * side;
        let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
        let tool = Pose::new(rope.point(hold) + DVec3::Z * ABOVE, rot);
        let turn = rotation_between(now.scene.tool().rot, tool.rot).length();
        if let Some(cost) = now.limb.cost(&tool) {
            best.offer(cost + 2.0 * turn, tool);
        }
    }
    let Some(tool) = best.candidate() else { return withdraw(now) };
    let before = tool * Pose::at(0.0, 0.0, -APPROACH);
    let mut out = vec![now.ready(OPENING)];
    out.extend(now.travel(&before, now.limb.fingertip(), Some(rope.end)));
    out.push(Motion::go(tool, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: 14, held: Some(rope.end) });
    out.push(Motion::Wait(2));
    out
}

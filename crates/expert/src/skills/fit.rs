//! Leading a long object through a hole of another, which a hand may hold up.

use longarm_assets::Access;
use longarm_types::{DMat3, DQuat, DVec3, Pose, rotation_between};

use super::Moment;
use super::withdraw::withdraw_holding;
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// How far before a hole the leading end is when the way in begins, and how far beyond when it ends.
const BEFORE: f64 = 0.03;
const PAST: f64 = 0.05;

/// A hole: its middle, and a direction through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    middle: DVec3,
    way: DVec3,
}

/// Return the hole of an object, if it has one.
pub(super) fn hole(now: &Moment<'_>, of: &SceneObject) -> Option<Hole> {
    let regions = &now.scene.info(of.instance).regions;
    let hole = regions.iter().find(|r| r.access == Access::Through)?;
    let pose = now.scene.region_pose(of.instance, hole)?;
    let thin = (0..3).min_by(|&i, &j| hole.half[i].total_cmp(&hole.half[j]))?;
    Some(Hole { middle: pose.pos, way: pose.dir(DVec3::AXES[thin]) })
}

/// Return tool poses before and in a hole for an object held at `held` (the tool in its frame), and what
/// going there costs. The end away from the hand goes first.
pub(super) fn way(
    now: &Moment<'_>,
    object: &SceneObject,
    hole: &Hole,
    held: &Pose,
) -> Option<(f64, [Pose; 2])> {
    let centre = DVec3::from(object.bounds.centre);
    let ahead = if held.pos.x > centre.x { -1.0 } else { 1.0 };
    let end = centre + DVec3::X * ahead * object.bounds.half[0];
    let hands = now.scene.solids(&[object.body]);
    let mut best = Cheapest::new();
    for way in [hole.way, -hole.way] {
        let x = way * ahead;
        let z = (DVec3::Z - way * way.z).normalize();
        let rot = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
        let at = |past: f64| Pose::new(hole.middle + way * past - rot * end, rot) * *held;
        let [before, inside] = [at(-BEFORE), at(PAST)];
        let Some(cost) = now.limb.track(&[before, at(0.0), inside]) else { continue };
        let twist = rotation_between(now.scene.tool().rot, before.rot).length();
        best.offer(cost + twist + now.limb.crowding(&inside, &hands), [before, inside]);
    }
    best.priced()
}

/// Bring a held object before a hole and lead it through, without letting go.
pub(super) fn through(now: &Moment<'_>, object: &SceneObject, hole: &Hole) -> Vec<Motion> {
    let held = object.frame.inverse() * now.scene.tool();
    let Some((_, [before, inside])) = way(now, object, hole, &held) else {
        return withdraw_holding(now);
    };
    let mut out = Vec::new();
    // What is part of the way in comes out first.
    let tool = now.scene.tool();
    let back = (tool.pos - before.pos).dot((inside.pos - before.pos).normalize());
    let near = (tool.pos - before.pos).length() < 0.15;
    if near && back > 0.0 {
        let by = (before.pos - inside.pos).normalize() * back;
        out.push(Motion::Lift { by, pace: Pace::CAREFUL });
        out.push(Motion::go(before, Pace::CAREFUL));
    } else {
        let below = tool.pos.z - object.lowest();
        let aside = Pose::new(before.pos + (before.pos - inside.pos), before.rot);
        let start = if now.limb.cost(&aside).is_some() { aside } else { before };
        out.extend(now.travel(&start, below, Some(object.body)));
        out.push(Motion::go(before, Pace::CAREFUL));
    }
    out.push(Motion::go(inside, Pace::GENTLE));
    out.push(Motion::Wait(2));
    out
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Peg, PegBoard};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    #[test]
    fn the_end_away_from_the_hand_goes_through_first() {
        // Not every limb reaches as low and as far.
        let reached = gripper_rigs().into_iter().filter(|rig| goes_through(*rig)).count();
        assert!(reached > 0);
    }

    /// Whether a limb leads the peg through, and then the right way.
    fn goes_through(rig: longarm_assets::RigName) -> bool {
        let at = Pose::new(middle(rig) + DVec3::Y * 0.1, Default::default());
        let board = Asset::from(PegBoard { hole: 0.016 });
        let peg = Asset::from(Peg { length: 0.24, radius: 0.012 });
        let objects = [("peg", peg, Pose::IDENTITY), ("board", board, at)];
        let op = Op::Insert { object: "peg".into(), into: "board".into() };
        let mut bench = Bench::with(rig, &objects, &[], std::slice::from_ref(&op), &[]);
        let tool = bench.limb.easy((middle(rig) - DVec3::Y * 0.15).with_z(0.2));
        bench.hold("peg", tool);
        let object = |name: &str| bench.view().object(name).unwrap();
        let hole = hole(&bench.moment(), &object("board")).unwrap();
        let way = goals(&bench.script(&op).motions);
        let held = object("peg").frame.inverse() * tool;
        if super::way(&bench.moment(), &object("peg"), &hole, &held).is_none() {
            return false;
        }
        let inside = *way.last().unwrap() * held.inverse();
        let ends = [-0.12, 0.12].map(|x| inside.point(DVec3::new(x, 0.0, 0.012)));
        let past = ends.map(|e| (e - hole.middle).dot(hole.way));
        assert!((past[0] * past[1]).is_sign_negative(), "through: {past:?}");
        assert!((past[0].abs().min(past[1].abs()) - PAST).abs() < 1e-6, "{past:?}");
        let near = |p: DVec3| (way.last().unwrap().pos - p).length();
        let first = if past[0].abs() < past[1].abs() { ends[0] } else { ends[1] };
        let last = if past[0].abs() < past[1].abs() { ends[1] } else { ends[0] };
        assert!(near(first) > near(last), "the hand is at the other end");
        true
    }
}

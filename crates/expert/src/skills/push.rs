//! Pushing an object over the table without taking it.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::withdraw::withdraw;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Room between the fingers and the object before it is pushed.
const BEFORE: f64 = 0.035;
/// Lowest that fingertips come to the table.
const OFF_TABLE: f64 = 0.008;
/// How far before its goal what rolls is let go.
const ROLLS: f64 = 0.045;
/// Control steps for which it is left to roll out.
const ROLL_OUT: u32 = 24;
/// Share of a round object's width that the fingers are apart: it stays between them.
const CRADLE: f64 = 0.6;
/// The longest push in one go.
const FARTHEST: f64 = 0.3;

/// Pushes an object to a region.
pub(super) struct Push<'a> {
    pub(super) object: &'a str,
    pub(super) to: &'a str,
}

impl Skill for Push<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let to = middle(now, self.to)?;
        Some(Script::part(push(now, &object, to).unwrap_or_else(|| withdraw(now))))
    }
}

/// Return the frame in the middle of a region, of the table or of an object, and half its size.
pub(super) fn middle_of(now: &Moment<'_>, name: &str) -> Option<(Pose, [f64; 2])> {
    if let Some(r) = now.scene.region(name) {
        let rect = r.rects.first()?;
        let [x, y] = rect.centre();
        return Some((Pose::at(x, y, r.z), rect.half()));
    }
    let (object, region) = match name.split_once('/') {
        Some((object, region)) => (object, Some(region)),
        None => (name, None),
    };
    let instance = now.scene.instance(object)?;
    let info = now.scene.info(instance);
    let region = match region {
        Some(r) => info.region(r),
        None => info.regions.first(),
    }?;
    Some((now.scene.region_pose(instance, region)?, [region.half[0], region.half[1]]))
}

/// Return the middle of a region, of the table or of an object.
pub(super) fn middle(now: &Moment<'_>, name: &str) -> Option<DVec3> {
    middle_of(now, name).map(|(frame, _)| frame.pos)
}

/// Push an object to a point with two fingers side by side: it turns until it lies flat against both.
fn push(now: &Moment<'_>, object: &SceneObject, to: DVec3) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let info = now.scene.info(object.instance);
    let centre = object.bounds.centre_in(&object.frame);
    let way = (to - centre).with_z(0.0);
    let ahead = way.try_normalize()?;
    let reach = way.length().min(FARTHEST);
    let height = object.bounds.half_in(&object.frame).z;
    // How far it reaches back against the way.
    let across = object.frame.rot.conjugate() * ahead;
    let half = DVec3::from(object.bounds.half);
    let back = match info.round || info.symmetry == 0 {
        true => half.x,
        false => across.abs().dot(half),
    };
    let rolls = info.round;
    let opening = match rolls {
        true => (2.0 * half.x * CRADLE).min(limb.widest),
        false => limb.widest,
    };
    // Two fingers apart reach further round what is round.
    let sunk = match rolls {
        true => half.x - (half.x * half.x - 0.25 * opening * opening).max(0.0).sqrt(),
        false => 0.0,
    };
    let contact = back - sunk + limb.finger_side();
    let z = (centre.z - 0.2 * height).max(limb.fingertip() + OFF_TABLE);
    let at = |along: f64| (centre + ahead * along).with_z(z);
    let last = reach - if rolls { ROLLS } else { 0.0 };
    let mut best = Cheapest::new();
    for x in [ahead, -ahead] {
        let down = DVec3::NEG_Z;
        let rot = DQuat::from_mat3(&DMat3::from_cols(x, down.cross(x), down)).normalize();
        let start = Pose::new(at(-contact - BEFORE), rot);
        let end = Pose::new(at(last - contact), rot);
        let between = Pose::new(start.pos.lerp(end.pos, 0.5), rot);
        if let Some(cost) = limb.track(&[start, between, end]) {
            best.offer(cost, (start, end));
        }
    }
    let (start, end) = best.candidate()?;
    let mut out = vec![now.ready(opening)];
    out.extend(now.travel(&start, limb.fingertip(), None));
    let pace = if rolls { Pace::TRAVEL } else { Pace::CAREFUL };
    out.push(Motion::go(end, pace));
    if rolls {
        out.push(Motion::Wait(ROLL_OUT));
    }
    out.push(Motion::Lift { by: -ahead * 0.03, pace: Pace::CAREFUL });
    out.push(Motion::Lift { by: DVec3::Z * 0.1, pace: Pace::TRAVEL });
    Some(out)
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Block, SoccerBall};
    use longarm_task::Op;
    use longarm_task::place::{point, region};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    #[test]
    fn comes_from_behind_and_ends_where_it_belongs() {
        for rig in gripper_rigs() {
            for asset in [Asset::from(Block::cube(0.06)), Asset::from(SoccerBall { radius: 0.035 })]
            {
                let (from, to) = (middle(rig) - DVec3::X * 0.06, middle(rig) + DVec3::X * 0.06);
                let goal = region("goal", point([to.x, to.y]));
                let op = Op::Push { object: "object".into(), to: "goal".into() };
                let at = Pose::new(from, Default::default());
                let bench = Bench::with(
                    rig,
                    &[("object", asset, at)],
                    &[goal],
                    std::slice::from_ref(&op),
                    &[],
                );
                let way = goals(&bench.script(&op).motions);
                let [.., start, end] = way[..] else { panic!("{rig}: {way:?}") };
                assert!(start.pos.x < from.x - 0.04, "{rig}: begins behind it, {start:?}");
                assert!(end.pos.x > start.pos.x + 0.08 && end.pos.x < to.x, "{rig}: {end:?}");
                let spread = end.dir(DVec3::Y).dot(DVec3::Y).abs();
                assert!(spread > 0.99, "{rig}: both fingers push");
                assert!(end.pos.z - bench.limb.fingertip() > 0.0, "{rig}: above the table");
            }
        }
    }
}

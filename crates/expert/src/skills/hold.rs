//! Ways to take hold of an object or a handle, and the best of them now.

use std::f64::consts::PI;

use longarm_assets::robots::Grip;
use longarm_assets::{BodyRole, Grasp};
use longarm_grasp::Candidate;
use longarm_task::BodyId;
use longarm_types::{DQuat, DVec3, Pose, rotation_between};

use super::{APPROACH, Moment};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::{PartId, SceneObject, Solid, equivalents};
use crate::sight::Sight;

/// Turned less than this, radians, it is the same way to take an object; what it costs to try that
/// again after a miss.
const SAME_WAY: f64 = 0.3;
const MISSED: f64 = 4.0;
/// What a perceived hold costs that is worth nothing, beside one that is all right.
const DOUBT: f64 = 10.0;
/// What a hold costs that was seen before, not now.
const BEFORE: f64 = 4.0;
/// How much wider than the object fingers come.
const WIDER: f64 = 0.015;
/// Fingers with less room than this are crowded.
const FINGER_ROOM: f64 = 0.004;
/// How far the hand leans about the way its fingers close to keep clear of what is beside or above it,
/// radians, and what that costs.
const LEANS: [f64; 4] = [0.55, -0.55, 0.85, -0.85];
const UPRIGHT: &[f64] = &[0.0];
const LEANING: f64 = 4.0;
/// Room between leaning fingers and what the object stands on.
const CLEAR: f64 = 0.003;

/// A way to take hold of something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub(super) cost: f64,
    pub(super) tool: Pose,
    /// The opening to come with.
    pub(super) opening: f64,
    /// Room beside the fingers.
    pub(super) gap: f64,
    /// How a hand closes.
    pub(super) grip: Grip,
}

impl Hold {
    /// Return the tool pose at which the approach begins.
    pub(super) fn before(&self) -> Pose {
        self.tool * Pose::at(0.0, 0.0, -APPROACH)
    }
}

/// Return the cost of using an object held by a tool pose, `None` if it cannot be used so.
pub(super) type Use<'a> = &'a dyn Fn(&Pose) -> Option<f64>;

/// An object is not to be used in any particular way.
pub(super) const ANY_USE: Use<'static> = &|_| Some(0.0);

/// Return the best hold of an object now, given what is to be done with it.
pub(super) fn of_object(now: &Moment<'_>, object: &SceneObject, use_: Use<'_>) -> Option<Hold> {
    let around = now.scene.solids(&[object.body]);
    best(now, &object.frame, object.instance, None, &around, use_, UPRIGHT)
}

/// Return the tool pose and opening of the best hold of an object now.
pub(crate) fn chosen(now: &Moment<'_>, body: BodyId) -> Option<(Pose, f64)> {
    let object = now.scene.object_of(body)?;
    of_object(now, &object, ANY_USE).map(|hold| (hold.tool, hold.opening))
}

/// Whether the hand keeps clear of solids on its way down to a hold.
pub(super) fn keeps_clear(now: &Moment<'_>, tool: &Pose, solids: &[Solid]) -> bool {
    /// Room for the palm, and heights above the approach that it passes.
    const ROOM: f64 = 0.005;
    const HEIGHTS: [f64; 3] = [0.0, 0.06, 0.12];
    let before = *tool * Pose::at(0.0, 0.0, -APPROACH);
    let above = HEIGHTS.map(|h| Pose::new(before.pos + DVec3::Z * h, before.rot));
    let limb = now.limb;
    limb.bumps(tool, limb.widest / 2.0, solids).is_empty()
        && above.iter().chain([tool]).all(|p| limb.hand_gap(p, solids) > ROOM)
}

/// Return the best hold of an object by which the hand does not bump into some solids, leaning if need be.
pub(super) fn clear_of(
    now: &Moment<'_>,
    object: &SceneObject,
    solids: &[Solid],
    use_: Use<'_>,
) -> Option<Hold> {
    let around = now.scene.solids(&[object.body]);
    let clear: Use<'_> = &|tool| if keeps_clear(now, tool, solids) { use_(tool) } else { None };
    let found = |leans| best(now, &object.frame, object.instance, None, &around, clear, leans);
    found(UPRIGHT).or_else(|| found(&LEANS))
}

/// Return the best hold of a part's handle now.
pub(super) fn of_handle(now: &Moment<'_>, part: PartId) -> Option<Hold> {
    // A handle is meant to be reached past what it belongs to.
    let mut around = now.scene.solids(&[part.body]);
    around.retain(|o| now.scene.role(o.body) != BodyRole::Object(part.instance));
    let name = now.scene.part_info(part).name.as_str();
    best(now, &now.scene.pose(part.body), part.instance, Some(name), &around, ANY_USE, UPRIGHT)
}

fn best(
    now: &Moment<'_>,
    frame: &Pose,
    instance: usize,
    part: Option<&str>,
    around: &[Solid],
    use_: Use<'_>,
    leans: &[f64],
) -> Option<Hold> {
    let limb = now.limb;
    let mut best = Cheapest::new();
    for Way { tools, opening, grip, dislike } in ways(now, frame, instance, part) {
        for (tool, lean) in tools.iter().flat_map(|tool| leans.iter().map(move |l| (tool, *l))) {
            let tool = *tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_y(lean));
            let tool = limb.gripping(tool, grip);
            // The corners of leaning fingers come first.
            if lean != 0.0 && limb.lowest_fingertip(&tool) < frame.pos.z + CLEAR {
                continue;
            }
            let Some(cost) = limb.cost(&tool) else { continue };
            let before = tool * Pose::at(0.0, 0.0, -APPROACH);
            if limb.cost(&before).is_none() || !limb.straight(&before, &tool) {
                continue;
            }
            let Some(later) = use_(&tool) else { continue };
            let gap = limb.finger_gap(&tool, opening, around);
            let crowded = if gap < FINGER_ROOM { 5.0 + 400.0 * (FINGER_ROOM - gap) } else { 0.0 };
            let turn = rotation_between(now.scene.tool().rot, tool.rot).length();
            let crowded = crowded + 200.0 * limb.cramped(&tool);
            let crowded =
                crowded + limb.crowding(&tool, around).max(limb.crowding(&before, around));
            let turn = if now.attempt.missed && turn < SAME_WAY { MISSED } else { 0.5 * turn };
            let cost = cost + later + crowded + turn + dislike + LEANING * lean.abs();
            best.offer(cost, Hold { cost, tool, opening, gap, grip });
        }
    }
    best.candidate()
}

/// Tool poses that are one way to take hold.
pub(super) struct Way {
    pub(super) tools: Vec<Pose>,
    opening: f64,
    grip: Grip,
    /// What it costs beside others.
    dislike: f64,
}

/// Return the ways to take hold of an object that will be at a frame, or of a part's handle, best first: those
/// that are seen, or those that the asset brings along.
pub(super) fn ways(
    now: &Moment<'_>,
    frame: &Pose,
    instance: usize,
    part: Option<&str>,
) -> Vec<Way> {
    match now.scene.sight().filter(|_| part.is_none()) {
        Some(sight) => perceived(now, sight, frame, instance),
        None => known(now, frame, instance, part),
    }
}

/// Return the ways that the asset brings along.
fn known(now: &Moment<'_>, frame: &Pose, instance: usize, part: Option<&str>) -> Vec<Way> {
    let (limb, info) = (now.limb, now.scene.info(instance));
    let usable = |g: &&Grasp| g.part.as_deref() == part && g.kind.holds();
    let way = |(rank, g): (usize, &Grasp)| Way {
        tools: equivalents(frame, g, info.symmetry),
        opening: (g.opening + WIDER).min(limb.widest),
        grip: limb.grip(g),
        dislike: 1.5 * rank as f64,
    };
    info.grasps.iter().filter(usable).enumerate().map(way).collect()
}

/// Return the ways that are seen, and those that were seen before; in a hand only these.
fn perceived(now: &Moment<'_>, sight: &Sight, frame: &Pose, instance: usize) -> Vec<Way> {
    let object = now.scene.whole(instance).and_then(|body| now.scene.object_of(body));
    let Some(object) = object else { return Vec::new() };
    let pose = now.scene.pose(object.body);
    let to_frame = *frame * object.frame.inverse();
    let flipped = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(PI));
    let way = |c: &Candidate, moved: Pose, dislike: f64| Way {
        tools: vec![moved * c.tool, moved * c.tool * flipped],
        opening: c.opening,
        grip: Grip::Power,
        dislike: dislike + DOUBT * (1.0 - c.score),
    };
    let before = sight.shape(object.body);
    let mut out = Vec::new();
    if before.is_none() || !now.scene.holds(object.body) {
        let seen = sight.grasps(object.body, pose, now.limb);
        out.extend(seen.iter().map(|c| way(c, to_frame, 0.0)));
    }
    if let Some(shape) = before {
        let moved = to_frame * pose * shape.pose.inverse();
        out.extend(shape.candidates.iter().map(|c| way(c, moved, BEFORE)));
    }
    out
}

/// Approach, close the fingers on a body, and wait until it is held.
pub(super) fn close_on(
    now: &Moment<'_>,
    hold: &Hold,
    body: BodyId,
    way: Vec<Motion>,
) -> Vec<Motion> {
    let mut out: Vec<Motion> = now.shape(hold.grip).into_iter().collect();
    out.push(now.ready(hold.opening));
    out.extend(way);
    out.push(Motion::go(hold.tool, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(body) });
    out
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Block;
    use longarm_types::DVec3;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    /// Return the hold of a block between two others, near it along a direction.
    fn between(rig: longarm_assets::RigName, along: DVec3) -> Hold {
        let (c, block) = (middle(rig), || Asset::from(Block::cube(0.04)));
        let at = |p: DVec3| Pose::new(p, Default::default());
        let objects = [
            ("mine", block(), at(c)),
            ("one", block(), at(c + along * 0.05)),
            ("other", block(), at(c - along * 0.05)),
        ];
        let bench = Bench::new(rig, &objects);
        let mine = bench.view().object("mine").unwrap();
        of_object(&bench.moment(), &mine, ANY_USE).unwrap_or_else(|| panic!("{rig}: no hold"))
    }

    #[test]
    fn fingers_keep_clear_of_neighbours() {
        for rig in gripper_rigs() {
            for along in [DVec3::X, DVec3::Y] {
                let hold = between(rig, along);
                let closes = hold.tool.dir(DVec3::Y).dot(along).abs();
                assert!(closes < 0.1 && hold.gap > 0.0, "{rig}: {along} {hold:?}");
            }
        }
    }

    #[test]
    fn after_a_miss_another_way_is_taken() {
        for rig in gripper_rigs() {
            let block = Asset::from(Block::cube(0.04));
            let mut bench =
                Bench::new(rig, &[("block", block, Pose::new(middle(rig), Default::default()))]);
            let object = bench.view().object("block").unwrap();
            let first = of_object(&bench.moment(), &object, ANY_USE).unwrap();
            bench.now.hands[0].pose = first.tool;
            bench.attempt.missed = true;
            let second = of_object(&bench.moment(), &object, ANY_USE).unwrap();
            let turned = rotation_between(first.tool.rot, second.tool.rot).length();
            assert!(turned > SAME_WAY, "{rig}: {turned}");
        }
    }

    #[test]
    fn what_cannot_be_used_so_is_not_held_so() {
        let rig = gripper_rigs()[0];
        let block = Asset::from(Block::cube(0.04));
        let bench =
            Bench::new(rig, &[("block", block, Pose::new(middle(rig), Default::default()))]);
        let (object, now) = (bench.view().object("block").unwrap(), bench.moment());
        assert!(of_object(&now, &object, &|_| None).is_none());
        let along_x = |tool: &Pose| (tool.dir(DVec3::Y).x.abs() > 0.9).then_some(0.0);
        let hold = of_object(&now, &object, &along_x).unwrap();
        assert!(hold.tool.dir(DVec3::Y).x.abs() > 0.9);
    }
}

//! Putting an object down.

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_assets::{Region, RegionKind};
use longarm_task::BodyId;
use longarm_task::plan::Target;
use longarm_types::{DQuat, DVec3, Pose, rotation_between, yaw};

use super::covered::CoveredPlacement;
use super::hang::Hooks;
use super::pick::pick;
use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::SceneObject;

/// Deeper containers are dropped into: there is no room for the hand between their walls.
const DEEP: f64 = 0.055;
/// Cosine of the tilt from which a held object hangs askew.
const ASKEW: f64 = 0.97;
/// What it costs to turn an object's longer side to one that comes beside it.
const TOWARDS: f64 = 8.0;
/// How much wider fingers open to let go.
const LET_GO: f64 = 0.03;

/// Puts an object in a place, taking it first if need be.
pub(super) struct Put<'a> {
    pub(super) object: &'a str,
    pub(super) place: &'a Target,
}

impl Skill for Put<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        if let Some(hooks) = Hooks::of(now, self.place, &object) {
            return Some(hooks.put(now, &object));
        }
        if let Some(covered) = CoveredPlacement::of(now, self.place, &object) {
            return Some(covered.put(now, &object));
        }
        if !now.scene.holds(object.body) && !now.scene.in_hand(object.body) {
            // It slipped, or was never taken: take it first, this operator comes again.
            return Some(Script::whole(pick(now, &object)));
        }
        let placement = placement(now, self.place, &object)?;
        Some(Script::whole(put(now, &object, &placement)))
    }
}

/// Where the frame of a held object should come to stand.
#[derive(Debug)]
pub(super) struct Placement {
    at: Pose,
    /// Its heading matters, up to this symmetry (0: not at all).
    turns: u32,
    /// Let go above it rather than set down.
    drop: bool,
    /// The drawer it is in.
    part: Option<BodyId>,
    /// The direction in which another object comes to stand beside it.
    beside: Option<DVec3>,
}

impl Placement {
    /// Stand there, turned exactly so.
    pub(super) fn facing(at: Pose) -> Self {
        Self { at, turns: 1, drop: false, part: None, beside: None }
    }

    /// Stand there, turned anyhow.
    fn standing(at: Pose) -> Self {
        Self { at, turns: 0, drop: false, part: None, beside: None }
    }
}

/// Return where a held object should come to stand.
fn placement(now: &Moment<'_>, place: &Target, object: &SceneObject) -> Option<Placement> {
    let scene = &now.scene;
    let symmetry = scene.info(object.instance).symmetry;
    match place {
        Target::On(name) | Target::In(name) | Target::Over(name) => {
            if let Some(r) = scene.region(name) {
                return Some(Placement::standing(scene.free_point(r, object)?));
            }
            let (name, region) = match name.split_once('/') {
                Some((o, r)) => (o, Some(r)),
                None => (name.as_str(), None),
            };
            let other = scene.object(name)?;
            let info = scene.info(other.instance);
            let wanted = match place {
                Target::In(_) => RegionKind::Volume,
                _ => RegionKind::Surface,
            };
            let found = match region {
                Some(r) => info.region(r),
                None => info.regions.iter().find(|r| r.kind == wanted),
            };
            if let Some(r) = found {
                return placement_in(now, r, object, &other);
            }
            let top = other.bounds.centre[2] + other.bounds.half[2];
            let pos = match place {
                Target::Over(_) => other.frame.pos,
                _ => other.frame.point(DVec3::new(0.0, 0.0, top)),
            };
            let at = Pose::new(pos, DQuat::from_rotation_z(yaw(other.frame.rot)));
            let turns = if info.aligns { symmetry } else { 0 };
            Some(Placement { turns, ..Placement::standing(at) })
        }
        Target::At(name) => {
            Some(Placement::standing(scene.free_point(scene.region(name)?, object)?))
        }
        Target::Start { of, .. } => {
            let instance = match of {
                Some(o) => scene.instance(o)?,
                None => object.instance,
            };
            let pose = scene.start(instance);
            let at = Pose::new(pose.pos, DQuat::from_rotation_z(yaw(pose.rot)));
            Some(Placement { turns: symmetry, ..Placement::standing(at) })
        }
    }
}

/// Return a placement in or on a region of another object.
fn placement_in(
    now: &Moment<'_>,
    r: &Region,
    object: &SceneObject,
    other: &SceneObject,
) -> Option<Placement> {
    let at = now.scene.reachable(r, object, other)?;
    let volume = r.kind == RegionKind::Volume;
    let flat = DQuat::from_rotation_z(yaw(at.rot));
    if volume && r.part.is_none() && 2.0 * r.half[2] > DEEP {
        let rim = now.scene.free_of_contents(&at, r, object, other);
        // Something long goes in along the longer side.
        let [x, y, _] = object.bounds.half;
        let across = (x > y) != (r.half[0] > r.half[1]);
        let long = x.max(y) > 1.3 * x.min(y);
        let turn = DQuat::from_rotation_z(if across { FRAC_PI_2 } else { 0.0 });
        return Some(Placement {
            turns: if long { 2 } else { 0 },
            drop: true,
            ..Placement::standing(Pose::new(rim, flat * turn))
        });
    }
    let down = if volume { r.half[2] } else { 0.0 };
    let seat = now.scene.seat_in(r, &at, object, other);
    let beside = seat.as_ref().and_then(|s| s.beside).map(|d| at.dir(d));
    let free = seat.map_or(DVec3::ZERO, |seat| seat.offset);
    let part = r.part.as_ref().and_then(|p| now.scene.part_named(other.instance, p));
    let at = Pose::new(at.point(free - DVec3::Z * down), flat);
    // A cavity takes its piece one way round, up to the piece's symmetry.
    let shaped = volume && now.scene.info(other.instance).aligns;
    let turns = if shaped { now.scene.info(object.instance).symmetry } else { 0 };
    Some(Placement { turns, part: part.map(|p| p.body), beside, ..Placement::standing(at) })
}

/// Bring a held object to a placement and let go.
pub(super) fn put(now: &Moment<'_>, object: &SceneObject, to: &Placement) -> Vec<Motion> {
    let (limb, hand) = (now.limb, now.scene.tool());
    // What hangs askew is let down as it hangs: levelling it would tilt the hand into others.
    let askew = object.frame.dir(DVec3::Z).z < ASKEW;
    let frame = match askew {
        true => Pose::new(object.frame.pos, DQuat::from_rotation_z(yaw(object.frame.rot))),
        false => object.frame,
    };
    let held = frame.inverse() * hand;
    let (turns, base) = match to.turns {
        0 => (24, yaw(object.frame.rot)),
        n => (n, yaw(to.at.rot)),
    };
    let mut around = now.scene.solids(&[object.body]);
    around.retain(|o| Some(o.body) != to.part);
    let mut best = Cheapest::new();
    for k in 0..turns {
        let turn = base + TAU * f64::from(k) / f64::from(turns);
        let tool = Pose::new(to.at.pos, DQuat::from_rotation_z(turn)) * held;
        let above = Pose::new(tool.pos + DVec3::Z * 0.05, tool.rot);
        let (Some(cost), Some(_)) = (limb.cost(&tool), limb.cost(&above)) else { continue };
        let twist = rotation_between(hand.rot, tool.rot).length();
        let towards = to.beside.map_or(0.0, |d| lengthwise(object, turn, d));
        best.offer(cost + 2.0 * twist + limb.crowding(&tool, &around) + TOWARDS * towards, tool);
    }
    let Some(tool) = best.candidate() else { return withdraw_holding(now) };
    let below = held.pos.z.max(limb.fingertip());
    let below = if askew { below.max(hand.pos.z - object.lowest()) } else { below };
    let high = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
    let mut out = now.travel(&high(if to.drop { 0.01 } else { 0.04 }), below, Some(object.body));
    if to.drop {
        out.push(Motion::go(tool, Pace::CAREFUL));
    } else {
        out.push(Motion::go(high(0.012), Pace::CAREFUL));
        out.push(Motion::until(high(-0.006), Pace::GENTLE, Stop::Carried(object.body)));
    }
    out.push(Motion::Wait(2));
    out.push(if to.drop { now.release(limb.widest) } else { let_go(now) });
    out.push(Motion::through(tool * Pose::at(0.0, 0.0, -0.02), Pace::CAREFUL));
    out.push(Motion::through(tool * Pose::at(0.0, 0.0, -0.09), Pace::TRAVEL));
    out
}

/// Return how much an object turned so reaches in a direction with its longer side, 0 to 1.
fn lengthwise(object: &SceneObject, turn: f64, direction: DVec3) -> f64 {
    let [x, y, _] = object.bounds.half;
    let long = if x > y { DVec3::X } else { DVec3::Y };
    if x.max(y) < 1.2 * x.min(y) {
        0.0
    } else {
        (DQuat::from_rotation_z(turn) * long).dot(direction).abs()
    }
}

/// Open the fingers a little wider than what they hold.
pub(super) fn let_go(now: &Moment<'_>) -> Motion {
    now.release((now.scene.hand().opening + LET_GO).min(now.limb.widest))
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Bin, Block};
    use longarm_assets::{Asset, RigName};
    use longarm_task::Op;
    use longarm_task::place::{rect, region};

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    fn block() -> Asset {
        Asset::from(Block::cube(0.04))
    }

    /// Put a held block somewhere, and return where its frame comes to stand.
    fn put_block(rig: RigName, others: &[(&str, Asset, Pose)], place: Target) -> Pose {
        let c = middle(rig);
        let goal = region("goal", rect([c.x - 0.08, c.y - 0.12], [c.x + 0.08, c.y + 0.12]));
        let mut objects = vec![("mine", block(), Pose::IDENTITY)];
        objects.extend(others.iter().cloned());
        let mut bench = Bench::with(rig, &objects, &[goal], &[], &[]);
        bench.hold("mine", bench.limb.easy((c - DVec3::X * 0.02).with_z(0.2)));
        let mine = bench.view().object("mine").unwrap();
        let motions = bench.script(&Op::Put { object: "mine".into(), place }).motions;
        let released = motions.iter().position(|m| matches!(m, Motion::Wait(2))).unwrap();
        let Motion::Go { to, .. } = motions[released - 1] else { panic!("{rig}: {motions:?}") };
        to * (mine.frame.inverse() * bench.now.hands[0].pose).inverse()
    }

    #[test]
    fn a_free_region_is_used_in_its_middle() {
        for rig in gripper_rigs() {
            let at = put_block(rig, &[], Target::At("goal".into()));
            assert!((at.pos - middle(rig)).truncate().length() < 1e-6, "{rig}: {at:?}");
            assert!((-0.01..0.0).contains(&at.pos.z), "{rig}: until the table carries it");
        }
    }

    #[test]
    fn keeps_clear_of_what_stands_in_a_region() {
        for rig in gripper_rigs() {
            let others = [("other", block(), Pose::new(middle(rig), Default::default()))];
            let at = put_block(rig, &others, Target::At("goal".into()));
            let apart = (at.pos - middle(rig)).truncate().length();
            assert!(apart > 0.09, "{rig}: {apart} m apart");
        }
    }

    #[test]
    fn stacks_on_top_aligned() {
        for rig in gripper_rigs() {
            let base = Pose::new(middle(rig), DQuat::from_rotation_z(0.3));
            let at = put_block(rig, &[("base", block(), base)], Target::On("base".into()));
            assert!((at.pos - middle(rig)).truncate().length() < 1e-6, "{rig}");
            assert!((at.pos.z - 0.04).abs() < 0.01, "{rig}: {}", at.pos.z);
            let off = (yaw(at.rot) - 0.3).rem_euclid(FRAC_PI_2);
            assert!(off.min(FRAC_PI_2 - off) < 1e-6, "{rig}: turned like the block below");
        }
    }

    #[test]
    fn drops_into_deep_containers_from_above_the_rim() {
        for rig in gripper_rigs() {
            let size = [0.2, 0.16, 0.09];
            let bin = Asset::from(Bin { size, label: "BIN".into() });
            let others = [("bin", bin, Pose::new(middle(rig), Default::default()))];
            let at = put_block(rig, &others, Target::In("bin".into()));
            assert!(at.pos.z > size[2], "{rig}: {at:?}");
            assert!((at.pos - middle(rig)).truncate().length() < 0.1, "{rig}");
        }
    }

    #[test]
    fn what_slipped_is_taken_again() {
        let rig = gripper_rigs()[0];
        let bench =
            Bench::new(rig, &[("mine", block(), Pose::new(middle(rig), Default::default()))]);
        let place = Target::Start { of: None, within: 0.02 };
        let script = bench.script(&Op::Put { object: "mine".into(), place });
        assert!(script.motions.iter().any(Motion::takes));
    }
}

//! Taking an object into the air.

use longarm_task::{BodyId, Op};
use longarm_types::{DVec3, Pose};

use super::catch::catch;
use super::covered::CoveredPlacement;
use super::drawers;
use super::hang::Hooks;
use super::hold::{self, ANY_USE, Hold, Use};
use super::insert::{self, BELOW, TURNS};
use super::withdraw::withdraw;
use super::{Moment, Script, Skill, cradle, fit};
use crate::motion::{Motion, Pace};
use crate::scene::{SceneObject, SceneView};

/// Faster than this an object is caught rather than picked, metres per second.
const MOVING: f64 = 0.01;
/// Faster than this what no belt carries is left to come to rest first.
const ROLLING: f64 = 0.05;
/// How far a picked object is lifted, and how far before it is drawn out from below something.
const LIFT: f64 = 0.075;
const OFF_GROUND: f64 = 0.012;
/// How far several hands lift something together.
const JOINT_LIFT: f64 = 0.13;

/// Takes an object into the air.
pub(super) struct Pick<'a> {
    pub(super) object: &'a str,
}

impl Skill for Pick<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        // A bar may lie in bent fingers without being pressed.
        let hangs = now.limb.fingered && now.scene.hangs(object.body);
        Some(match hangs || now.scene.holds(object.body) {
            // What hangs askew may have to go higher than others.
            true => Script::part(raise(now, object.body)),
            false => Script::whole(pick(now, &object)),
        })
    }
}

/// Take an object so that it can be used as the plan wants.
pub(super) fn pick(now: &Moment<'_>, object: &SceneObject) -> Vec<Motion> {
    let speed = now.scene.velocity(object.body).length();
    if speed > MOVING && now.scene.has_belts() {
        return catch(now, object);
    }
    if speed > ROLLING {
        return vec![Motion::Wait(4)];
    }
    if let Some(on) = cradle::side(now, object) {
        let press = cradle::press(now, object, on);
        return press.map_or_else(|| withdraw(now), |way| [way, raise(now, object.body)].concat());
    }
    let name = now.scene.name(object.body);
    let vessel = now.scene.ops().iter().find_map(|op| match op {
        Op::Insert { object, into } if now.scene.stands_for(object, name) => now.scene.object(into),
        _ => None,
    });
    let hole = vessel.and_then(|v| fit::hole(now, &v));
    let mouth = vessel.map(|v| insert::mouth(now, object, &v));
    let covered = CoveredPlacement::destined(now, object);
    let hooks = Hooks::destined(now, object);
    let use_ = |tool: &Pose| {
        let held = object.frame.inverse() * *tool;
        if let Some(hole) = &hole {
            return fit::way(now, object, hole, &held).map(|(cost, _)| cost);
        }
        if let Some(hooks) = &hooks {
            return hooks.way(now, &held).map(|(cost, _)| cost);
        }
        match (&mouth, &covered) {
            (Some(m), _) => {
                insert::insertion(now, object, m, &held, BELOW, TURNS).map(|(cost, _)| cost)
            }
            (None, Some(c)) => c.entry(now, object, &held).map(|(cost, _)| cost),
            (None, None) => Some(0.0),
        }
    };
    // What cannot be put away so is taken anyhow, and turned over.
    let found = hold::of_object(now, object, &use_)
        .or_else(|| covered.as_ref().and_then(|_| hold::of_object(now, object, ANY_USE)));
    match found.map(|hold| beside_drawers(now, object, hold, &use_)) {
        Some(hold) => take(now, object, &hold),
        // Out of reach from here: go home and look at it again.
        None => withdraw(now),
    }
}

/// Return a hold by which the hand keeps clear of open drawers, if this one does not and there is one.
fn beside_drawers(now: &Moment<'_>, object: &SceneObject, hold: Hold, use_: Use<'_>) -> Hold {
    let drawers = drawers::hanging(now, object);
    match hold::keeps_clear(now, &hold.tool, &drawers) {
        true => hold,
        false => hold::clear_of(now, object, &drawers, use_).unwrap_or(hold),
    }
}

/// Take hold and lift.
pub(super) fn take(now: &Moment<'_>, object: &SceneObject, hold: &Hold) -> Vec<Motion> {
    let way = now.travel(&hold.before(), now.limb.fingertip(), None);
    let mut out = hold::close_on(now, hold, object.body, way);
    out.push(Motion::Wait(2));
    if let Some(way) = drawers::way_out(now, object, &hold.tool) {
        out.push(Motion::Lift { by: DVec3::Z * OFF_GROUND, pace: Pace::CAREFUL });
        out.push(Motion::Lift { by: way, pace: Pace::CAREFUL });
    }
    out.extend(raise(now, object.body));
    out
}

/// Lift what is held; what the plan has several hands take is lifted by all of them at once.
fn raise(now: &Moment<'_>, body: BodyId) -> Vec<Motion> {
    let name = now.scene.name(body);
    let takes = |op: &&Op| matches!(op, Op::Pick { object, .. } if object == name);
    match now.scene.ops().iter().filter(takes).count() {
        hands @ 2.. if hands <= now.scene.hands() => {
            let up = Motion::Lift { by: DVec3::Z * JOINT_LIFT, pace: Pace::CAREFUL };
            vec![Motion::Joined { body, hands }, Motion::Wait(2), up]
        }
        _ => vec![lift()],
    }
}

/// Lift what is held.
pub(super) fn lift() -> Motion {
    Motion::Lift { by: DVec3::Z * LIFT, pace: Pace::CAREFUL }
}

/// Whether the vessel an operator picks is in the hand and off the ground, though what it carries
/// touches it.
pub(crate) fn lifted_full(op: &Op, scene: &SceneView<'_>) -> bool {
    let Op::Pick { object, .. } = op else { return false };
    scene.body(object).is_some_and(|body| scene.carries(body) && scene.in_hand(body))
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Block;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    fn bench(rig: longarm_assets::RigName) -> (Bench, Op) {
        let block = Asset::from(Block::cube(0.04));
        let at = Pose::new(middle(rig), Default::default());
        (Bench::new(rig, &[("block", block, at)]), Op::Pick { object: "block".into(), from: None })
    }

    #[test]
    fn comes_from_above_closes_and_lifts() {
        for rig in gripper_rigs() {
            let (bench, op) = bench(rig);
            let motions = bench.script(&op).motions;
            let way = goals(&motions);
            let [.., before, tool] = way[..] else { panic!("{rig}: {way:?}") };
            assert!((before.pos - tool.pos).z > 0.06, "{rig}");
            assert!((tool.pos - middle(rig)).truncate().length() < 0.01, "{rig}");
            assert!(motions.iter().any(Motion::takes), "{rig}");
            assert_eq!(motions.last(), Some(&lift()), "{rig}");
        }
    }

    #[test]
    fn what_is_held_is_lifted_further() {
        let (mut bench, op) = bench(gripper_rigs()[0]);
        bench.hold("block", bench.limb.home_tool());
        let script = bench.script(&op);
        assert!(script.more && script.motions == [lift()]);
    }

    #[test]
    fn what_rolls_is_left_to_come_to_rest() {
        let (mut bench, op) = bench(gripper_rigs()[0]);
        let block = bench.body("block");
        bench.now.bodies[block].twist.linear = DVec3::X * 0.2;
        assert_eq!(bench.script(&op).motions, [Motion::Wait(4)]);
    }

    #[test]
    fn out_of_reach_it_goes_home() {
        let rig = gripper_rigs()[0];
        let far = Pose::new(middle(rig) + DVec3::X * 3.0, Default::default());
        let bench = Bench::new(rig, &[("block", Asset::from(Block::cube(0.04)), far)]);
        let script = bench.script(&Op::Pick { object: "block".into(), from: None });
        assert_eq!(goals(&script.motions).last(), Some(&bench.limb.home_tool()));
    }
}

//! Putting a long object into a narrow opening: upright into a vessel, or through a hole.

use std::f64::consts::TAU;

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::pick::pick;
use super::withdraw::withdraw;
use super::{Moment, Script, Skill, fit};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::{SceneObject, nearest};

/// How far above the rim the lower end hangs before it goes in, and how far below when let go.
const ABOVE: f64 = 0.025;
pub(super) const BELOW: f64 = 0.045;
/// Headings tried.
pub(super) const TURNS: u32 = 12;

/// Puts a long object upright into a vessel or through a hole, taking it first if need be.
pub(super) struct Insert<'a> {
    pub(super) object: &'a str,
    pub(super) into: &'a str,
}

impl Skill for Insert<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let vessel = now.scene.object(self.into)?;
        let hole = fit::hole(now, &vessel);
        Some(Script::whole(match (now.scene.holds(object.body), hole) {
            (true, Some(hole)) => fit::through(now, &object, &hole),
            (true, None) => insert(now, &object, &vessel),
            (false, _) => pick(now, &object),
        }))
    }
}

/// Return points of a vessel's rim, those first that are furthest from what is already inside: an
/// object let down onto another would stick out.
pub(super) fn mouth(now: &Moment<'_>, object: &SceneObject, vessel: &SceneObject) -> Vec<DVec3> {
    let info = now.scene.info(vessel.instance);
    let rim = vessel.frame.pos + DVec3::Z * (vessel.bounds.centre[2] + vessel.bounds.half[2]);
    let wide = info.regions.first().map_or(0.0, |r| r.half[0].min(r.half[1]));
    let inside: Vec<DVec3> = now
        .scene
        .bodies()
        .skip(1)
        .filter(|b| *b != vessel.body && *b != object.body)
        .map(|b| now.scene.pose(b).pos)
        .filter(|p| (*p - rim).truncate().length() < wide + 0.02)
        .collect();
    let around = (0..8).map(|k| {
        let a = TAU * f64::from(k) / 8.0;
        rim + DVec3::new(libm::cos(a), libm::sin(a), 0.0) * 0.5 * wide
    });
    let mut spots: Vec<DVec3> = around.collect();
    spots.sort_by(|p, q| nearest(&inside, *q).total_cmp(&nearest(&inside, *p)));
    spots
}

/// Return the tool pose at which an object held at `held` (tool in its frame) hangs upright over one of
/// the points `mouth`, its lower end there, and what it costs to get there and `below` deeper.
pub(super) fn insertion(
    now: &Moment<'_>,
    object: &SceneObject,
    mouth: &[DVec3],
    held: &Pose,
    below: f64,
    turns: u32,
) -> Option<(f64, Pose)> {
    let half = object.bounds.half[0];
    // The end nearer to the hand goes up.
    let up = if held.pos.x >= 0.0 { 1.0 } else { -1.0 };
    // Fingers must stay above the rim when the lower end is as deep as it gets.
    if half + up * held.pos.x < below + 0.025 {
        return None;
    }
    let mut best = Cheapest::new();
    for rim in mouth {
        for k in 0..turns {
            let a = TAU * f64::from(k) / f64::from(turns);
            let y = DVec3::new(libm::cos(a), libm::sin(a), 0.0);
            let x = DVec3::Z * up;
            let rot = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
            let centre = DVec3::from(object.bounds.centre);
            let pos = *rim + DVec3::Z * half - rot * centre;
            let tool = Pose::new(pos, rot) * *held;
            let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
            let Some(cost) = now.limb.cost(&at(ABOVE)) else { continue };
            best.offer_if(cost, || now.limb.straight(&at(ABOVE), &at(-below)).then_some(tool));
        }
        // The other points have less room: they are tried only if this one is out of reach.
        if !best.is_none() {
            break;
        }
    }
    best.priced()
}

/// Turn a held object upright over a vessel, lower it and let go.
fn insert(now: &Moment<'_>, object: &SceneObject, vessel: &SceneObject) -> Vec<Motion> {
    let hand = now.scene.tool();
    let held = object.frame.inverse() * hand;
    let mouth = mouth(now, object, vessel);
    // Held a little otherwise than planned it may go in otherwise turned or less deep.
    let ways = [(BELOW, TURNS), (BELOW, 4 * TURNS), (0.6 * BELOW, 4 * TURNS)];
    let found = ways.into_iter().find_map(|(below, turns)| {
        insertion(now, object, &mouth, &held, below, turns).map(|(_, tool)| (tool, below))
    });
    let Some((tool, below)) = found else {
        // Held so that it cannot be done: put it down and take it otherwise.
        return withdraw(now);
    };
    let at = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
    // Turned where there is room, half way and high.
    let high = tool.pos.z + ABOVE;
    let up = Pose::new(hand.pos.with_z(high), now.scene.hand().commanded.rot);
    let up = now.limb.lowered(up);
    let between = hand.pos.lerp(tool.pos, 0.5).with_z(high);
    let mut out = vec![Motion::through(up, Pace::TRAVEL)];
    let turn = Pose::new(between, tool.rot);
    if now.limb.straight(&up, &turn) && now.limb.straight(&turn, &at(ABOVE)) {
        out.push(Motion::through(turn, Pace::TRAVEL));
    } else {
        out.extend(now.across(&up, &at(ABOVE)));
    }
    out.push(Motion::go(at(ABOVE), Pace::TRAVEL));
    out.push(Motion::go(at(-below), Pace::CAREFUL));
    out.push(Motion::Wait(2));
    out.push(Motion::Grip { command: -1.0, steps: 6, held: None });
    out.push(Motion::through(at(-below) * Pose::at(0.0, 0.0, -0.05), Pace::CAREFUL));
    out
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Stick, Vase};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    fn scene(rig: longarm_assets::RigName) -> Bench {
        let c = middle(rig);
        let objects = [
            ("stick", Asset::from(Stick { length: 0.16 }), Pose::IDENTITY),
            (
                "vase",
                Asset::from(Vase { height: 0.12 }),
                Pose::new(c + DVec3::Y * 0.05, Default::default()),
            ),
            (
                "inside",
                Asset::from(Stick { length: 0.1 }),
                Pose::new(c + DVec3::new(0.02, 0.05, 0.05), Default::default()),
            ),
        ];
        Bench::new(rig, &objects)
    }

    #[test]
    fn a_stick_goes_in_upright_beside_what_is_inside() {
        for rig in gripper_rigs() {
            let mut bench = scene(rig);
            let tool = bench.limb.easy((middle(rig) - DVec3::Y * 0.05).with_z(0.2));
            bench.hold("stick", tool);
            let (stick, vase) =
                (bench.view().object("stick").unwrap(), bench.view().object("vase").unwrap());
            let motions =
                bench.script(&Op::Insert { object: "stick".into(), into: "vase".into() }).motions;
            let released = motions.iter().position(|m| matches!(m, Motion::Wait(2)));
            let released = released.unwrap_or_else(|| panic!("{rig}: {motions:?}"));
            let Motion::Go { to, .. } = motions[released - 1] else { panic!("{rig}: {motions:?}") };
            let frame = to * (stick.frame.inverse() * tool).inverse();
            assert!(frame.dir(DVec3::X).z.abs() > 0.999, "{rig}: upright");
            let centre = stick.bounds.centre_in(&frame);
            let rim = vase.frame.pos + DVec3::Z * 0.12;
            assert!((centre - rim).truncate().length() < 0.03, "{rig}: over the mouth");
            let below = rim.z - (centre.z - 0.08);
            assert!((0.6 * BELOW - 1e-6..BELOW + 1e-6).contains(&below), "{rig}: {below} m deep");
        }
    }

    #[test]
    fn the_mouth_is_tried_first_where_there_is_most_room() {
        let rig = gripper_rigs()[0];
        let bench = scene(rig);
        let object = |name| bench.view().object(name).unwrap();
        let spots = mouth(&bench.moment(), &object("stick"), &object("vase"));
        assert_eq!(spots.len(), 8);
        let far = |p: &DVec3| (*p - object("inside").frame.pos).truncate().length();
        assert!(spots.windows(2).all(|w| far(&w[0]) >= far(&w[1]) - 1e-9));
    }
}

//! Pouring from a held vessel.

use std::array;
use std::f64::consts::TAU;

use longarm_assets::{Access, Mouth, Region, RegionKind};
use longarm_task::BodyId;
use longarm_types::{DQuat, DVec3, Pose, rotation_between, yaw};

use super::pick::pick;
use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop, Vessel};
use crate::scene::SceneObject;

/// How far above the rim the vessel's lowest point is while it pours, and its bottom before and after.
const ABOVE: f64 = 0.02;
const UPRIGHT: f64 = 0.05;
/// How much further it is tilted than it needs to spill, radians.
const FURTHER: f64 = 0.15;
/// Control steps for which it is held tilted: longer than a pour must last.
const SPILL: u32 = 13;
/// Pace of tilting while it is watched how much runs out, and the share that runs out after the vessel begins to turn back.
const SLOWLY: Pace = Pace { metres: 0.004, radians: 0.015 };
const AFTER: f64 = 0.05;
/// Poses between half tilted and tilted.
const BETWEEN: usize = 4;
const DIVISIONS: f64 = 5.0;
/// How far from the middle a lip is at least.
const LIP: f64 = 0.01;
/// Headings of the vessel, and directions in which it leans.
const TURNS: u32 = 12;
const LEANS: u32 = 12;

/// Pours from a vessel, taking it first if need be.
pub(super) struct Pour<'a> {
    pub(super) from: &'a str,
    pub(super) into: &'a str,
    /// What is poured and the share of it that the other is to have, if not all.
    pub(super) amount: Option<(&'a str, f64)>,
}

impl Skill for Pour<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let vessel = now.scene.object(self.from)?;
        let mouth = now.scene.info(vessel.instance).mouth()?;
        let name = self.into.split_once('/').map_or(self.into, |(object, _)| object);
        let other = now.scene.object(name)?;
        let stop = match self.amount {
            Some((matter, share)) => {
                let matter = now.scene.object(matter)?.body;
                let [here, there] = [&vessel, &other].map(|o| holder(o, matter));
                let missing = share - now.scene.share(there);
                Stop::Left(here, now.scene.share(here) - missing + AFTER)
            }
            None => Stop::Never,
        };
        Some(Script::whole(match now.scene.holds(vessel.body) {
            true => pour(now, &vessel, &mouth, rim(now, &other), stop),
            false => pick(now, &vessel),
        }))
    }
}

/// Return an object as a vessel for what is in it.
fn holder(object: &SceneObject, matter: BodyId) -> Vessel {
    let (radius, height) = (object.radius(), 2.0 * object.bounds.half[2]);
    Vessel { body: object.body, matter, radius, height }
}

/// Return the middle of an object's rim: of its opening, or of its top.
fn rim(now: &Moment<'_>, object: &SceneObject) -> DVec3 {
    let opening =
        |r: &&Region| r.kind == RegionKind::Volume && r.part.is_none() && r.access == Access::Above;
    let b = &object.bounds;
    match now.scene.info(object.instance).regions.iter().find(opening) {
        Some(r) => object.frame.point(r.pose.pos + DVec3::Z * r.half[2]),
        None => object.frame.point(DVec3::from(b.centre) + DVec3::Z * b.half[2]),
    }
}

/// Where a vessel is upright, half tilted, ever more tilted and tilted.
struct Way {
    upright: Pose,
    half: Pose,
    between: [Pose; BETWEEN],
    tilted: Pose,
}

/// Tilt a held vessel over a point until it has spilt, or some of it, and set it upright again.
fn pour(
    now: &Moment<'_>,
    vessel: &SceneObject,
    mouth: &Mouth,
    rim: DVec3,
    stop: Stop,
) -> Vec<Motion> {
    let pose = now.scene.pose(vessel.body);
    let held = pose.inverse() * now.scene.tool();
    let around = now.scene.solids(&[vessel.body]);
    let at = DVec3::from(mouth.at);
    let tilt = mouth.spills + FURTHER;
    let wide = mouth.rim.unwrap_or_else(|| vessel.radius());
    let low = at.z * libm::cos(tilt) + wide * libm::sin(tilt);
    // What has a lip leans over it.
    let lip = mouth.rim.map(|_| at.with_z(0.0)).filter(|lip| lip.length() > LIP);
    let above = (ABOVE + low).max(UPRIGHT);
    let mut best = Cheapest::new();
    for k in 0..TURNS {
        let turn = yaw(pose.rot) + TAU * f64::from(k) / f64::from(TURNS);
        let level = DQuat::from_rotation_z(turn);
        let upright = Pose::new(rim + DVec3::Z * UPRIGHT, level) * held;
        let Some(cost) = now.limb.cost(&upright) else { continue };
        for l in 0..LEANS {
            let lean = match lip.map(|lip| level * lip) {
                Some(over) if l == 0 => libm::atan2(over.y, over.x),
                Some(_) => break,
                None => TAU * f64::from(l) / f64::from(LEANS),
            };
            let axis = DVec3::new(-libm::sin(lean), libm::cos(lean), 0.0);
            let leaning = |share: f64| {
                let rot = (DQuat::from_axis_angle(axis, share * tilt) * level).normalize();
                let height = above + (1.0 - share) * (UPRIGHT + at.z - above);
                Pose::new(rim + DVec3::Z * height - rot * at, rot) * held
            };
            let between = array::from_fn(|k| leaning(0.5 + 0.5 * (k + 1) as f64 / DIVISIONS));
            let way = Way { upright, half: leaning(0.5), between, tilted: leaning(1.0) };
            let Some(later) = now.limb.track(&[way.upright, way.half, way.tilted]) else {
                continue;
            };
            let crowded = now.limb.crowding(&way.tilted, &around);
            let gap = now.limb.hand_gap(&way.tilted, &around);
            let touching = if gap < 0.01 { 20.0 } else { 0.0 };
            let twist = rotation_between(now.scene.tool().rot, way.upright.rot).length();
            best.offer(cost + later + 2.0 * twist + crowded + touching, way);
        }
    }
    let Some(Way { upright, half, between, tilted }) = best.candidate() else {
        return withdraw_holding(now);
    };
    let below = held.inverse().pos.z.abs().max(now.scene.tool().pos.z - vessel.lowest());
    let mut out = now.travel(&upright, below, Some(vessel.body));
    if stop == Stop::Never {
        out.push(Motion::go(half, Pace::CAREFUL));
        out.push(Motion::go(tilted, Pace::CAREFUL));
        out.push(Motion::Wait(SPILL));
        out.push(Motion::through(half, Pace::CAREFUL));
    } else {
        out.push(Motion::until(half, SLOWLY, stop));
        out.extend(between.map(|to| Motion::until(to, SLOWLY, stop)));
        out.push(Motion::until(tilted, SLOWLY, stop));
    }
    out.push(Motion::go(upright, Pace::CAREFUL));
    out.push(Motion::Wait(2));
    out
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Bowl, samples};
    use longarm_assets::{Affordance, Asset};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    /// Return vessels with a spout that are taken from above.
    fn vessels() -> Vec<Asset> {
        let pours = |a: &Asset| a.info().affords(Affordance::Pourable) && a.info().spout.is_some();
        samples().into_iter().filter(pours).collect()
    }

    fn bench(rig: longarm_assets::RigName, vessel: Asset) -> Bench {
        let bowl = Asset::from(Bowl { radius: 0.07 });
        let objects = [
            ("vessel", vessel, Pose::new(middle(rig) + DVec3::Y * 0.15, Default::default())),
            ("bowl", bowl, Pose::new(middle(rig), Default::default())),
        ];
        Bench::new(rig, &objects)
    }

    #[test]
    fn tilts_past_spilling_with_the_mouth_over_the_rim_and_back() {
        let mut poured = 0;
        for rig in gripper_rigs() {
            for vessel in vessels() {
                let mouth = vessel.info().mouth().unwrap();
                let mut bench = bench(rig, vessel);
                bench.hold("vessel", bench.limb.easy(middle(rig).with_z(0.25)));
                let body = bench.body("vessel");
                let held = bench.now.bodies[body].pose.inverse() * bench.now.hands[0].pose;
                let script = bench.script(&Op::Pour { from: "vessel".into(), into: "bowl".into() });
                let waits = |m: &Motion| *m == Motion::Wait(SPILL);
                let Some(spilt) = script.motions.iter().position(waits) else { continue };
                let tilted = goals(&script.motions[..spilt]).pop().unwrap() * held.inverse();
                let up = tilted.dir(DVec3::Z);
                assert!(libm::acos(up.z) > mouth.spills, "{rig}: {up}");
                let over = tilted.point(mouth.at.into());
                assert!((over - middle(rig)).truncate().length() < 0.01 && over.z > 0.05, "{rig}");
                let last = goals(&script.motions).pop().unwrap() * held.inverse();
                assert!(last.dir(DVec3::Z).z > 0.99, "{rig}: upright again");
                poured += 1;
            }
        }
        assert!(poured > 3, "some limbs pour: {poured}");
    }

    #[test]
    fn what_is_not_held_is_taken_first() {
        let rig = gripper_rigs()[0];
        let bench = bench(rig, vessels().remove(0));
        let script = bench.script(&Op::Pour { from: "vessel".into(), into: "bowl".into() });
        assert!(script.motions.iter().any(Motion::takes));
    }
}

//! Hanging cloth on a hook by a loop of it.

use longarm_assets::matter::{Cut, Matter};
use longarm_assets::{Access, Region};
use longarm_task::{BodyId, SoftState};
use longarm_types::{DMat3, DQuat, DVec3, Pose, rotation_between};

use super::withdraw::{withdraw, withdraw_holding};
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};

/// How much wider than the strap fingers open.
const ROOM: f64 = 0.018;
/// How far above the lowest layer's middle the ends of the pads close.
const ABOVE: f64 = 0.003;
/// From how high fingers come down.
const BEFORE: f64 = 0.05;
/// How far before a hook's free end the opening is when the way on begins, and how far past it when it ends.
const OUTSIDE: f64 = 0.045;
const PAST: f64 = 0.055;
/// How far above the hook's free end the ends of the pads travel.
const OVER: f64 = 0.06;
/// How far above the hook they let go.
const LET_GO: f64 = 0.014;
/// How far a corner may be from the edge of an opening that it lies on.
const EDGE: f64 = 1e-3;
/// Control steps for which fingers close and open, and for which what was lifted swings out.
const CLOSE: u32 = 10;
const OPEN: u32 = 8;
const SWING: u32 = 12;

/// Hangs a piece of cloth on a hook.
pub(super) struct HangLoop<'a> {
    pub(super) object: &'a str,
    pub(super) on: &'a str,
}

/// A loop of cloth as it lies or hangs now.
struct Loop {
    /// The lowest point of the strap where it is taken.
    strap: DVec3,
    /// From the opening's middle to the strap, level.
    outwards: DVec3,
    /// How wide the strap is.
    width: f64,
    /// The middle of the opening.
    middle: DVec3,
}

impl Loop {
    fn of(opening: &Region, taken: DVec3, cut: &Cut, soft: &SoftState) -> Option<Self> {
        let centre = opening.pose.pos;
        let along = (taken - centre).with_z(0.0);
        let ahead = along.try_normalize()?;
        let local = |c: &[f64; 3]| (DVec3::from(*c) - centre).with_z(0.0);
        // The strap lies between the opening and its own outer edge.
        let inner = opening.half[0] * ahead.x.abs() + opening.half[1] * ahead.y.abs();
        let width = 2.0 * (along.length() - inner);
        let near = |c: &[f64; 3]| (local(c) - along).length() < 0.5 * width + EDGE;
        let around = |c: &[f64; 3]| {
            let d = local(c).abs();
            d.x < opening.half[0] + EDGE && d.y < opening.half[1] + EDGE
        };
        let points = |which: &dyn Fn(&[f64; 3]) -> bool| -> Vec<DVec3> {
            let found = cut.corners.iter().zip(&soft.points).filter(|(c, _)| which(c));
            found.map(|(_, p)| *p).collect()
        };
        let (strap, rim) = (points(&near), points(&around));
        let mean = |of: &[DVec3]| of.iter().sum::<DVec3>() / of.len().max(1) as f64;
        let lowest = strap.iter().map(|p| p.z).reduce(f64::min)?;
        let (strap, middle) = (mean(&strap), mean(&rim));
        Some(Self {
            outwards: (strap - middle).with_z(0.0),
            strap: strap.with_z(lowest),
            width,
            middle,
        })
    }
}

impl Skill for HangLoop<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let info = now.scene.info(object.instance);
        let Some(Matter::Fabric(fabric)) = info.matter.as_deref() else { return None };
        let soft = now.scene.soft(object.body)?;
        let opening = info.regions.iter().find(|r| r.access == Access::Through)?;
        let taken = info.grasps.first()?.tool.pos;
        let ring = Loop::of(opening, taken, &fabric.cut, soft)?;
        let hooks = self.hooks(now)?;
        if !now.scene.holds(object.body) {
            let high = hooks.iter().map(|(tip, _)| tip.z).fold(0.0, f64::max);
            let taken = take(now, object.body, &ring, high);
            return Some(Script::part(taken.unwrap_or_else(|| withdraw(now))));
        }
        let on = hang(now, &ring, &hooks);
        Some(Script::whole(on.unwrap_or_else(|| withdraw_holding(now))))
    }
}

impl HangLoop<'_> {
    /// Return the free end and outward direction of each hook.
    fn hooks(&self, now: &Moment<'_>) -> Option<Vec<(DVec3, DVec3)>> {
        let instance = now.scene.instance(self.on)?;
        let regions = now.scene.info(instance).regions.iter();
        let hooks: Vec<_> = regions
            .filter(|r| r.access == Access::Hook)
            .filter_map(|r| Some((now.scene.region_pose(instance, r)?, r.half[0])))
            .map(|(pose, half)| (pose.point(DVec3::X * half), pose.dir(DVec3::X)))
            .collect();
        (!hooks.is_empty()).then_some(hooks)
    }
}

/// Take the strap of a loop with all its layers, fingers across it, and lift it above a height.
fn take(now: &Moment<'_>, body: BodyId, ring: &Loop, high: f64) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let at = ring.strap + DVec3::Z * (limb.pad_end + ABOVE);
    let across = ring.outwards.try_normalize()?;
    let mut best = Cheapest::new();
    for y in [across, -across] {
        let z = DVec3::NEG_Z;
        let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
        let tool = Pose::new(at, rot);
        let before = Pose::new(at + DVec3::Z * BEFORE, rot);
        let up = Pose::new(at.with_z(high + OVER + limb.pad_end), rot);
        let Some(cost) = limb.track(&[before, tool, up]) else { continue };
        let twist = rotation_between(now.scene.tool().rot, rot).length();
        best.offer(cost + twist, (before, tool, up));
    }
    let (before, tool, up) = best.candidate()?;
    let mut out = vec![now.ready(ring.width + ROOM)];
    out.extend(now.travel(&before, limb.fingertip(), None));
    out.push(Motion::go(tool, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: CLOSE, held: Some(body) });
    out.push(Motion::Lift { by: DVec3::Z * BEFORE, pace: Pace::GENTLE });
    out.push(Motion::go(up, Pace::CAREFUL));
    out.push(Motion::Wait(SWING));
    Some(out)
}

/// Lead the opening of a held loop over a hook's free end and along the hook, and let go.
fn hang(now: &Moment<'_>, ring: &Loop, hooks: &[(DVec3, DVec3)]) -> Option<Vec<Motion>> {
    let held = now.scene.tool();
    let heading = |d: DVec3| libm::atan2(d.y, d.x);
    // Fingers close across the strap, as the opening is passed through.
    let through = held.dir(DVec3::Y);
    let mut best = Cheapest::new();
    for (tip, out) in hooks {
        for side in [1.0, -1.0] {
            let turn = DQuat::from_rotation_z(heading(*out * side) - heading(through));
            let rot = (turn * held.rot).normalize();
            let at = |p: DVec3| Pose::new(p + turn * (held.pos - ring.middle), rot);
            let (before, on) = (at(*tip + *out * OUTSIDE), at(*tip - *out * PAST));
            let hook = *tip - *out * PAST;
            let down = Pose::new(on.pos.with_z(hook.z + LET_GO + now.limb.pad_end), rot);
            let Some(cost) = now.limb.track(&[before, on, down]) else { continue };
            let twist = rotation_between(held.rot, rot).length();
            best.offer(cost + twist, [before, on, down]);
        }
    }
    let [before, on, down] = best.candidate()?;
    let mut out = now.across(&held, &before);
    out.push(Motion::go(before, Pace::CAREFUL));
    out.push(Motion::Wait(SWING));
    out.push(Motion::go(on, Pace::CAREFUL));
    out.push(Motion::go(down, Pace::GENTLE));
    out.push(Motion::Grip { command: -1.0, steps: OPEN, held: None });
    out.push(Motion::Lift { by: DVec3::Z * 0.08, pace: Pace::CAREFUL });
    out.push(Motion::Wait(SWING));
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_assets::objects::{HookStand, ToteBag};
    use longarm_assets::{Asset, RigName};
    use longarm_task::{Op, SoftForm, SoftKind};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    fn op() -> Op {
        Op::Hang { object: "bag".into(), on: "stand".into() }
    }

    /// A bag whose points are where `place` puts those of the cut, and a stand beside it.
    fn bench(rig: RigName, place: impl Fn(DVec3) -> DVec3) -> Bench {
        let at = Pose::new(middle(rig) + DVec3::Y * 0.12, DQuat::from_rotation_z(-1.57));
        let bag = Asset::from(ToteBag::PLAIN);
        let Some(Matter::Fabric(fabric)) = bag.info().matter.as_deref().cloned() else {
            panic!("a bag is cloth")
        };
        let stand = Asset::from(HookStand { height: 0.25 });
        let mut bench = Bench::new(rig, &[("bag", bag, Pose::IDENTITY), ("stand", stand, at)]);
        let rest: Vec<DVec3> = fabric.cut.corners.iter().map(|c| DVec3::from(*c)).collect();
        let points = rest.iter().map(|p| place(*p)).collect();
        let kind = SoftKind::Sheet { triangles: fabric.cut.triangles.clone() };
        let form = Arc::new(SoftForm { rest, radius: fabric.radius, kind });
        let body = bench.body("bag");
        bench.now.soft.push(SoftState { body, form, points, speed: 0.0 });
        bench
    }

    #[test]
    fn a_strap_is_taken_across_with_both_its_layers() {
        for rig in gripper_rigs() {
            let c = middle(rig) - DVec3::Y * 0.1;
            let bench = bench(rig, |p| c + DVec3::new(-p.y, p.x, p.z + 0.002));
            let motions = bench.script(&op()).motions;
            let taken = motions.iter().position(Motion::takes).unwrap();
            let Motion::Go { to, .. } = motions[taken - 1] else { panic!("{motions:?}") };
            assert!(to.dir(DVec3::Y).x.abs() > 0.99, "{rig}: fingers close across it");
            assert!(to.pos.z - bench.limb.pad_end < 0.006, "{rig}: below the upper layer");
            let strap = c - DVec3::X * 0.1125;
            assert!((to.pos - strap).truncate().length() < 2e-3, "{rig}: {to:?}");
            let up = goals(&motions[taken..]).pop().unwrap();
            assert!(up.pos.z > 0.25, "{rig}: above the hook");
        }
    }

    #[test]
    fn the_opening_goes_over_the_free_end_and_along_the_hook() {
        let rig = gripper_rigs()[0];
        let tool = limb_tool(rig);
        // Hanging from the fingers: along the strap is the tool's x.
        let mut bench =
            bench(rig, |p| tool.pos + tool.dir(DVec3::X) * p.x + DVec3::Z * (p.y - 0.1125));
        let body = bench.body("bag");
        let hand = &mut bench.now.hands[0];
        (hand.pose, hand.commanded, hand.holds[body]) = (tool, tool, true);
        let motions = bench.script(&op()).motions;
        let hook = HangLoop { object: "bag", on: "stand" }.hooks(&bench.moment()).unwrap()[0];
        let way = goals(&motions);
        let [.., before, on, down] = way[..] else { panic!("{way:?}") };
        // The opening's middle is 6 cm below the strap.
        let opening = |p: &Pose| p.pos - DVec3::Z * 0.06;
        let along = |p: &Pose| (opening(p) - hook.0).dot(hook.1);
        assert!(along(&before) > 0.03 && along(&on) < -0.04, "{before:?} {on:?}");
        for p in [&before, &on] {
            let off = (opening(p) - hook.0).cross(hook.1).length();
            assert!(off < 0.015, "{off} from the hook's line");
        }
        assert!(down.pos.z < on.pos.z - 0.02 && down.pos.z - bench.limb.pad_end > hook.0.z - 0.02);
    }

    fn limb_tool(rig: RigName) -> Pose {
        let limb = crate::fixture::limb(rig);
        limb.easy((middle(rig) - DVec3::Y * 0.1).with_z(0.35))
    }
}

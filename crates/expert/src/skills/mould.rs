//! Squeezing what stays as it was pressed into the shape of a region: pinch after pinch across the region's length,
//! where most of it sticks out.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::push::middle_of;
use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};

/// Half the width of the pads, and places along the region that are tried.
const PAD: f64 = 0.011;
const PLACES: u32 = 24;
/// Room between open fingers and what they come down beside.
const ROOM: f64 = 0.003;
/// How much nearer than the region is wide fingers close: what is squeezed springs back a little.
const NEARER: f64 = 0.002;
/// What sticks out by less is left.
const OUT: f64 = 0.0025;
/// Control steps in which fingers close, and are held closed.
const CLOSE: u32 = 20;
const KEEP: u32 = 4;
/// How far below the top of what is squeezed the middle of the pads is at least.
const TOP: f64 = 0.002;
/// Share of the cost of reach against a centimetre that a particle sticks out.
const REACH: f64 = 2.0;

/// Squeezes an object into the shape of a region.
pub(super) struct Mould<'a> {
    pub(super) object: &'a str,
    pub(super) into: &'a str,
}

/// A pinch: where fingers come down, and how far apart they are before and after.
#[derive(Clone, Copy)]
struct Pinch {
    hold: Pose,
    wide: f64,
    narrow: f64,
}

impl Skill for Mould<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let body = now.scene.body(self.object)?;
        let points = &now.scene.soft(body)?.points;
        let radius = now.scene.soft(body)?.form.radius;
        let (frame, half) = middle_of(now, self.into)?;
        let Some(pinch) = best(now, points, radius, &frame, half) else {
            return Some(Script::part(withdraw(now)));
        };
        let before = pinch.hold * Pose::at(0.0, 0.0, -APPROACH);
        let grip = |opening: f64, steps: u32| Motion::Grip {
            command: now.limb.command(opening),
            steps,
            held: None,
        };
        let mut out = vec![now.ready(pinch.wide)];
        out.extend(now.travel(&before, now.limb.fingertip(), Some(body)));
        out.push(grip(pinch.wide, 4));
        out.push(Motion::go(pinch.hold, Pace::CAREFUL));
        out.push(grip(pinch.narrow, CLOSE));
        out.push(Motion::Wait(KEEP));
        out.push(grip(pinch.wide, 6));
        out.push(Motion::go(before, Pace::CAREFUL));
        Some(Script::part(out))
    }
}

/// Return the pinch that presses most into the region.
fn best(
    now: &Moment<'_>,
    points: &[DVec3],
    radius: f64,
    frame: &Pose,
    half: [f64; 2],
) -> Option<Pinch> {
    let limb = now.limb;
    // Along the region: x of a frame turned so that it is longer that way.
    let turn = if half[0] >= half[1] { 0.0 } else { std::f64::consts::FRAC_PI_2 };
    let frame = *frame * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(turn));
    let (long, across) = (half[0].max(half[1]), half[0].min(half[1]));
    let local: Vec<DVec3> = points.iter().map(|p| frame.local(*p)).collect();
    let mut best = Cheapest::new();
    for k in 0..=PLACES {
        let at = long * (2.0 * f64::from(k) / f64::from(PLACES) - 1.0);
        let near = local.iter().filter(|p| (p.x - at).abs() < PAD);
        let (mut wide, mut top, mut out) = (0.0_f64, 0.0_f64, 0.0);
        for p in near {
            let far = p.y.abs() + radius;
            wide = wide.max(far);
            top = top.max(p.z + radius);
            out += (far - across - OUT).max(0.0);
        }
        let opening = 2.0 * (wide + ROOM);
        if out <= 0.0 || opening > limb.widest {
            continue;
        }
        let z = (top / 2.0).min(top - TOP).max(limb.fingertip() + 0.001);
        for side in [1.0, -1.0] {
            let (down, close) = (DVec3::NEG_Z, DVec3::Y * side);
            let rot = DQuat::from_mat3(&DMat3::from_cols(close.cross(down), close, down));
            let hold = frame * Pose::new(DVec3::new(at, 0.0, z), rot.normalize());
            let before = hold * Pose::at(0.0, 0.0, -APPROACH);
            let Some(reach) = limb.track(&[before, hold]) else { continue };
            let narrow = 2.0 * across - NEARER;
            let cost = REACH * reach - 100.0 * out;
            best.offer(cost, Pinch { hold, wide: opening, narrow });
        }
    }
    best.candidate()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_assets::Asset;
    use longarm_assets::objects::{Clay, Zone};
    use longarm_task::{Op, SoftForm, SoftKind, SoftState};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    /// A letter T over a bar that lies along y.
    fn bench(rig: longarm_assets::RigName) -> Bench {
        let at = Pose::new(middle(rig), Default::default());
        let letter = Asset::from(Clay::letter_t([0.06, 0.09, 0.02], 0.024));
        let zone = Asset::from(Zone { size: [0.028, 0.09] });
        let mut bench = Bench::new(rig, &[("zone", zone, at), ("lump", letter.clone(), at)]);
        let Some(longarm_assets::matter::Matter::Bulk(bulk)) = letter.info().matter.as_deref()
        else {
            panic!("it is made of particles")
        };
        let points: Vec<DVec3> = bulk.places.iter().map(|p| at.point(DVec3::from(*p))).collect();
        let kind = SoftKind::Particles { material: vec![0; points.len()] };
        let form = Arc::new(SoftForm { rest: points.clone(), radius: 0.0015, kind });
        let body = bench.body("lump");
        bench.now.soft.push(SoftState { body, form, points, speed: 0.0 });
        bench
    }

    #[test]
    fn pinches_what_sticks_out_from_both_sides() {
        for rig in gripper_rigs() {
            let bench = bench(rig);
            if bench.limb.widest < 0.07 {
                continue;
            }
            let op = Op::Mould { object: "lump".into(), into: "zone".into() };
            let script = bench.script(&op);
            assert!(script.more, "{rig}: it looks again");
            let way = goals(&script.motions);
            let [.., hold, _] = way[..] else { panic!("{rig}: {way:?}") };
            let off = hold.pos - middle(rig);
            assert!(off.x.abs() < 1e-9 && (0.015..0.045).contains(&off.y), "{rig}: {off}");
            assert!(hold.dir(DVec3::Y).x.abs() > 0.99, "{rig}: across the bar");
            let closes = bench.limb.command(0.028 - NEARER);
            let grips = |m: &Motion| matches!(m, Motion::Grip { command, .. } if *command == closes);
            assert!(script.motions.iter().any(grips), "{rig}: as wide as the bar");
        }
    }

    #[test]
    fn what_has_the_shape_is_left() {
        let rig = gripper_rigs()[0];
        let mut bench = bench(rig);
        let c = middle(rig);
        bench.now.soft[0].points.retain(|p| (p.x - c.x).abs() < 0.012);
        let script = bench.script(&Op::Mould { object: "lump".into(), into: "zone".into() });
        assert_eq!(goals(&script.motions).last(), Some(&bench.limb.home_tool()));
    }
}

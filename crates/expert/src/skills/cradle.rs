//! Taking between two hands what is too large for one: each presses open fingertips against its side.

use longarm_assets::{Grasp, GraspKind};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::Moment;
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Room between the fingertips and the object before they press on it.
const BEFORE: f64 = 0.045;
/// How far into the object the hands are told to go: what holds it between them.
const SQUEEZE: f64 = 0.012;
/// How near to the object's middle the other hand is when it is about to press, beyond its own reach.
const THERE: f64 = 0.03;
/// How far down hands may point, radians.
const SLOPES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// Return how an object is pressed between hands, if it is one to be taken so.
pub(super) fn side<'a>(now: &Moment<'a>, object: &SceneObject) -> Option<&'a Grasp> {
    let info = now.scene.info(object.instance);
    info.grasps.iter().find(|g| g.kind == GraspKind::Cradle)
}

/// Come beside an object opposite to the other hand, wait for that, and press together.
pub(super) fn press(now: &Moment<'_>, object: &SceneObject, on: &Grasp) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let centre = object.bounds.centre_in(&object.frame);
    let other = now.scene.other_tools().next()?;
    let ahead = (other.pos - now.scene.tool().pos).with_z(0.0).try_normalize()?;
    let half = on.opening / 2.0;
    let radius = object.bounds.half[0];
    // Fingers apart reach further round what is round.
    let depth = (radius * radius - half * half).max(0.0).sqrt();
    let across = DVec3::Z.cross(ahead);
    let mut best = Cheapest::new();
    for slope in SLOPES {
        let z = ahead * libm::cos(slope) - DVec3::Z * libm::sin(slope);
        for y in [across, -across] {
            let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
            let tips = |off: f64| centre - ahead * (depth + off);
            let at = |off: f64| Pose::new(tips(off) - z * limb.fingertip(), rot);
            let (before, pressed) = (at(BEFORE), at(-SQUEEZE));
            let Some(cost) = limb.track(&[before, pressed]) else { continue };
            let low = (0.02 - limb.lowest(&pressed)).max(0.0);
            best.offer(cost + 200.0 * low, (before, pressed));
        }
    }
    let (before, pressed) = best.candidate()?;
    let within = (before.pos - centre).length() + THERE;
    let mut out = vec![now.ready(on.opening)];
    out.extend(now.travel(&before, limb.fingertip(), None));
    out.push(Motion::Gather { at: centre, within, hands: now.scene.hands() });
    out.push(Motion::go(pressed, Pace::GENTLE));
    Some(out)
}

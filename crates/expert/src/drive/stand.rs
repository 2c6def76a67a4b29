//! Where a base should stand so that its limb reaches what an operator is about.

use std::f64::consts::TAU;

use longarm_assets::RigLimb;
use longarm_task::Op;
use longarm_types::{DQuat, DVec3, Pose, yaw};

use super::route::{Floor, Stand};
use crate::cheapest::Cheapest;
use crate::limb::LimbGeometry;
use crate::scene::SceneView;
use crate::skills;

/// How far from what it reaches for the limb may stand, metres, and from how many sides it is tried.
const DISTANCES: [f64; 8] = [0.38, 0.43, 0.48, 0.53, 0.58, 0.63, 0.68, 0.73];
const SIDES: u32 = 32;
/// How high above what it takes the hand comes and goes.
const ABOVE: f64 = 0.14;
/// What driving costs: beginning to, and each metre.
const SETTING_OFF: f64 = 3.0;
const PER_METRE: f64 = 2.0;

/// Return the points that a limb must reach from where it stands to carry out an operator now.
pub(crate) fn needs(op: &Op, scene: &SceneView<'_>) -> Vec<DVec3> {
    let mut points = skills::places(op, scene);
    let subject = op.subject().and_then(|name| scene.object(name));
    match op {
        // What it has in the hand comes along.
        Op::Put { .. } if subject.is_some_and(|o| scene.holds(o.body)) => {
            points.drain(..points.len().min(1));
        }
        _ => points.truncate(1),
    }
    points
}

/// Return what reaching all points costs a limb, or `None` if one is out of reach.
fn strain(limb: &LimbGeometry, points: &[DVec3]) -> Option<f64> {
    points.iter().try_fold(0.0, |sum, p| {
        let low = limb.cost(&limb.easy(*p))?;
        let high = limb.cost(&limb.easy(*p + DVec3::Z * ABOVE))?;
        Some(sum + low.max(high))
    })
}

/// Return where the base of a limb should go to reach some points, and how: nowhere if they are reached well
/// enough from here (an empty way), `None` if they cannot be reached.
pub(crate) fn choose(limb: &RigLimb, floor: &Floor, points: &[DVec3]) -> Option<Vec<Stand>> {
    let mut tried = limb.clone();
    let here = limb.mount;
    let from = [here.pos.x, here.pos.y, yaw(here.rot)];
    let mut cost = |at: &Pose| {
        tried.mount = *at;
        strain(&LimbGeometry::new(&tried), points)
    };
    let mut best = Cheapest::new();
    if let Some(cost) = cost(&here) {
        best.offer(cost, from);
    }
    let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    // The limb faces what it reaches for.
    let own = limb.spec().mount;
    for k in 0..SIDES {
        let heading = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(SIDES));
        for far in DISTANCES {
            let foot = (middle - heading * DVec3::X * far).with_z(here.pos.z);
            let at = Pose::new(foot - (heading * own.pos).with_z(0.0), heading);
            let stand = [at.pos.x, at.pos.y, yaw(heading)];
            if !floor.stands(stand) {
                continue;
            }
            let Some(cost) = cost(&at) else { continue };
            let way = libm::hypot(stand[0] - from[0], stand[1] - from[1]);
            best.offer(cost + SETTING_OFF + PER_METRE * way, stand);
        }
    }
    let to = best.candidate()?;
    if to == from { Some(Vec::new()) } else { floor.route(from, to) }
}

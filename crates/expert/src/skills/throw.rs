//! Throwing what is held into a container out of reach.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill, push};
use crate::cheapest::Cheapest;
use crate::motion::Motion;
use crate::scene::SceneObject;

/// Heights at which it is let go, how far before the goal, and by what angle it then rises: thrown upwards
/// and flicked from the wrist it is faster than any level swing makes it.
const HEIGHTS: [f64; 3] = [0.4, 0.5, 0.6];
const FLIGHT: f64 = 0.43;
const RISES: [f64; 2] = [0.8, 1.0];
/// How far the hand then leans forward, radians, and how it turns that way on the swing, radians per metre.
const LEANS: [f64; 2] = [0.0, 0.3];
const TURNS: [f64; 2] = [1.5, 2.5];
/// The way the hand swings before that, and after.
const SWING: f64 = 0.2;
const ON: f64 = 0.05;
/// What it costs to need all the speed that joints allow, and how much faster and further a swing is told to be:
/// the hand lags behind.
const HURRY: f64 = 300.0;
const FASTER: f64 = 1.4;
const LAG: f64 = 0.1;
/// How far before the middle of a container a throw aims.
const NEARER: f64 = 0.01;
/// Control steps for which a throw is watched.
const LANDS: u32 = 22;
const GRAVITY: f64 = 9.81;

/// Throws what is held.
pub(super) struct Throw<'a> {
    pub(super) object: &'a str,
    pub(super) into: &'a str,
}

impl Skill for Throw<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let to = push::middle(now, self.into)?;
        let held = now.scene.holds(object.body);
        let thrown = held.then(|| throw(now, &object, to)).flatten();
        Some(Script::whole(thrown.unwrap_or_else(|| withdraw_holding(now))))
    }
}

fn throw(now: &Moment<'_>, object: &SceneObject, to: DVec3) -> Option<Vec<Motion>> {
    let limb = now.limb;
    // In the plane of the arm all its joints join in.
    let ahead = (to - limb.foot()).with_z(0.0).try_normalize()?;
    let across = DVec3::Z.cross(ahead);
    let to = to - ahead * NEARER;
    let mut best = Cheapest::new();
    for height in HEIGHTS {
        for (rise, lean) in RISES.into_iter().flat_map(|r| LEANS.map(|l| (r, l))) {
            let way = ahead * libm::cos(rise) + DVec3::Z * libm::sin(rise);
            let release = (to - ahead * FLIGHT).with_z(height);
            let needed = speed(FLIGHT, height - to.z, rise);
            for (turned, side) in TURNS.into_iter().flat_map(|t| [(t, ahead), (t, -ahead)]) {
                // Fingers close across the way: nothing stands before what flies off.
                let down = DVec3::NEG_Z;
                let level = DQuat::from_mat3(&DMat3::from_cols(side, down.cross(side), down));
                let turn = -across * turned;
                let at = |d: f64| {
                    let spin = DQuat::from_scaled_axis(turn * d - across * lean);
                    Pose::new(release + way * d, (spin * level).normalize())
                };
                let path: Vec<Pose> =
                    (0..=8).map(|k| at((SWING + ON) * f64::from(k) / 8.0 - SWING)).collect();
                let Some(cost) = limb.track(&path) else { continue };
                let hurry = HURRY * needed / limb.fastest(&path[3..]);
                best.offer(cost + hurry, (path[0], way, turn, needed));
            }
        }
    }
    let (start, way, turn, needed) = best.candidate()?;
    let below = (now.scene.tool().pos.z - object.lowest()).max(0.0);
    let mut out = now.travel(&start, below, Some(object.body));
    out.push(Motion::Wait(6));
    let speed = FASTER * needed / f64::from(longarm_types::CONTROL_HZ);
    let left = SWING + ON + LAG;
    out.push(Motion::Swing { body: object.body, way, turn, to, speed, left });
    out.push(Motion::Wait(LANDS));
    Some(out)
}

/// Return the speed at which something let go flies so far before it has fallen by a height.
fn speed(flight: f64, fall: f64, rise: f64) -> f64 {
    // y = x·tan − g·x² / (2·v²·cos²) at y = −fall.
    let (s, c) = (libm::sin(rise), libm::cos(rise));
    let drop = fall + flight * s / c;
    (GRAVITY * flight * flight / (2.0 * c * c * drop.max(0.01))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_throw_flies_as_long_as_it_falls() {
        let v = speed(0.4, 0.3, 0.0);
        assert!((v * (2.0 * 0.3 / GRAVITY).sqrt() - 0.4).abs() < 1e-9, "{v}");
        assert!(speed(0.4, 0.3, 0.3) < v, "rising it needs less");
    }
}

//! Pushing a lever round with what is closed.

use std::f64::consts::PI;

use longarm_assets::GraspKind;
use longarm_types::{DQuat, Pose};

use super::Moment;
use super::hinge::{Goal, Hinged, shove};
use crate::cheapest::Cheapest;
use crate::motion::Motion;

/// Half the thickness of a lever, and a little.
const CLEAR: f64 = 0.012;
/// Half the width of a fist; how far behind a lever a push begins, metres; how far past its goal it may go,
/// radians.
const FIST: f64 = 0.05;
const BACK: f64 = 0.03;
const ROUND: f64 = 0.5;
/// Steps for which a lever is held where it was pushed: some spring back.
const STAY: u32 = 25;
/// Cost of a lever's distance from home, per metre.
const AWAY: f64 = 40.0;

/// Push a lever round with closed fingers beside it.
pub(super) fn push(now: &Moment<'_>, h: &Hinged<'_>, goal: Goal) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let frame = h.frame(h.now);
    let half = if limb.fingered { FIST } else { limb.finger_side() };
    let home = limb.home_tool().pos;
    let mut best = Cheapest::new();
    for at in now.scene.handles(h.id()).filter(|g| g.kind == GraspKind::Press) {
        let touch = frame.point(at.tool.pos);
        let behind = -h.axis.cross(h.radius(touch)).try_normalize()?;
        let from = h.now - BACK / h.radius(touch).length().max(0.02);
        // Of several levers each limb has its own.
        let away = AWAY * (touch - home).length();
        for turn in 0..4 {
            let spin = DQuat::from_rotation_z(f64::from(turn) * PI / 2.0);
            let rot = (frame.rot * at.tool.rot * spin).normalize();
            let start = Pose::new(touch + behind * (half + CLEAR), rot);
            for share in [0.0, 0.5, 1.0] {
                let path = h.path(&(frame.inverse() * start), share, from, goal.to + ROUND);
                let Some(cost) = limb.track(&path) else { continue };
                best.offer(cost + away, path);
            }
        }
    }
    Some(shove(now, &best.candidate()?, goal.stop, STAY))
}

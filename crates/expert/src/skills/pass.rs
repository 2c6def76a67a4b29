//! Passing an object from one hand to another.

use longarm_assets::Grasp;
use longarm_types::{DQuat, DVec3, Pose};

use super::withdraw::withdraw_holding;
use super::{APPROACH, Moment, Script};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::{SceneObject, equivalents};

/// Least room between the two hands.
const APART: f64 = 0.008;
/// How near the giving hand must be to where the two meet.
const THERE: f64 = 0.015;
/// How much wider than the object fingers come.
const WIDER: f64 = 0.02;
/// How far along the object from its middle it is taken, as a share of its length.
const SHIFTS: [f64; 7] = [0.0, 0.5, -0.5, 0.65, -0.65, 0.8, -0.8];
/// How far the hand that takes may lean away from the one that gives, radians.
const LEANS: [f64; 5] = [0.0, 0.35, -0.35, 0.6, -0.6];
/// Heights at which hands meet.
const HEIGHTS: [f64; 3] = [0.24, 0.32, 0.18];

/// Where two hands meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    /// Tool pose of the hand that gives.
    give: Pose,
    /// Tool pose of the hand that takes, and the opening it comes with.
    take: Pose,
    opening: f64,
}

/// Which hand acts, and how.
pub(crate) enum Pass {
    Give(Script),
    Take(Script),
}

/// Return where an object can be passed from one hand to another at least cost.
pub(crate) fn meeting(from: &Moment<'_>, to: &Moment<'_>, object: &SceneObject) -> Option<Meeting> {
    let held = from.scene.tool().inverse() * object.frame;
    let between = from.limb.home_tool().pos.lerp(to.limb.home_tool().pos, 0.5);
    let mut best = Cheapest::new();
    for (rank, height) in HEIGHTS.iter().enumerate() {
        let easy = from.limb.easy(between.with_z(*height));
        for k in 0..8 {
            let turn = DQuat::from_rotation_z(f64::from(k) * std::f64::consts::FRAC_PI_4);
            let give = Pose::new(easy.pos, (turn * easy.rot).normalize());
            let Some(giving) = from.limb.cost(&give) else { continue };
            let hand = from.limb.hand_solids(&give, from.scene.hand().opening);
            for (cost, take, opening) in takes(to, object, &(give * held)) {
                let solids = to.limb.hand_solids(&take, opening);
                let gap = solids.iter().flat_map(|a| hand.iter().map(|b| a.gap(b)));
                if gap.fold(f64::MAX, f64::min) < APART {
                    continue;
                }
                let before = take * Pose::at(0.0, 0.0, -APPROACH);
                let reached = to.limb.cost(&take).zip(to.limb.cost(&before));
                let Some((taking, _)) = reached else { continue };
                let cost = cost + giving + taking + rank as f64;
                best.offer(cost, Meeting { give, take, opening });
            }
        }
    }
    best.candidate()
}

/// Return ways to take an object that another hand holds: what each costs, the tool pose and the opening.
fn takes(to: &Moment<'_>, object: &SceneObject, frame: &Pose) -> Vec<(f64, Pose, f64)> {
    let info = to.scene.info(object.instance);
    let half = DVec3::from(object.bounds.half);
    let mut out = Vec::new();
    let usable = |g: &&Grasp| g.part.is_none() && g.kind.holds();
    for grasp in info.grasps.iter().filter(usable) {
        let opening = (grasp.opening + WIDER).min(to.limb.widest);
        for tool in equivalents(frame, grasp, info.symmetry) {
            // Along the object, across the way fingers close and come.
            let side = tool.dir(DVec3::X);
            let reach = (frame.rot.conjugate() * side).abs().dot(half);
            for shift in SHIFTS {
                for lean in LEANS {
                    let at = Pose::new(tool.pos + side * shift * reach, tool.rot);
                    let take = at * Pose::new(DVec3::ZERO, DQuat::from_rotation_y(lean));
                    out.push((2.0 * shift.abs() + lean.abs(), take, opening));
                }
            }
        }
    }
    out
}

/// Return what to do now: bring the object, take it, or let go of it.
pub(crate) fn pass(
    from: &Moment<'_>,
    to: &Moment<'_>,
    object: &SceneObject,
    meeting: &Meeting,
) -> Pass {
    if to.scene.holds(object.body) {
        let mut motions = vec![from.release(from.limb.widest)];
        motions.push(Motion::Retreat { by: 0.1, pace: Pace::CAREFUL });
        // Home, so that the other hand has room.
        motions.extend(withdraw_holding(from));
        return Pass::Give(Script::whole(motions));
    }
    let (off, turn) = from.scene.tool().error_to(&meeting.give);
    if off > THERE || turn > 0.1 {
        let below = (from.scene.tool().pos.z - object.lowest()).max(0.0);
        let motions = from.travel(&meeting.give, below, Some(object.body));
        return Pass::Give(Script::part(motions));
    }
    // Where the object really is in the hand that gives.
    let shift = from.scene.tool() * meeting.give.inverse();
    let take = shift * meeting.take;
    let before = take * Pose::at(0.0, 0.0, -APPROACH);
    let mut motions = vec![to.ready(meeting.opening)];
    motions.extend(to.across(&to.scene.tool(), &before));
    motions.push(Motion::go(before, Pace::TRAVEL));
    motions.push(Motion::go(take, Pace::CAREFUL));
    motions.push(Motion::Grip { command: 1.0, steps: 16, held: Some(object.body) });
    Pass::Take(Script::part(motions))
}

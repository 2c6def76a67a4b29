//! Catching objects that move.

use longarm_types::{CONTROL_HZ, DVec3, Pose};

use super::hold::{self, ANY_USE};
use super::pick::lift;
use super::withdraw::withdraw;
use super::{APPROACH, Moment};
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Control steps from here to having closed the fingers, besides the way there.
const CLOSING: f64 = 30.0;
/// Meeting points tried, a quarter of a second apart.
const MEETINGS: u32 = 40;
/// How near the object has come when the hand stops waiting for it.
const MEET: f64 = 0.02;

/// Grasp an object where it will be when the hand gets there, then move on with it while the fingers
/// close.
pub(super) fn catch(now: &Moment<'_>, object: &SceneObject) -> Vec<Motion> {
    let origin = now.scene.pose(object.body).pos;
    let velocity = now.scene.velocity(object.body).with_z(0.0);
    let far = (object.frame.pos - now.scene.tool().pos).length();
    let soonest = (CLOSING + far / Pace::TRAVEL.metres) / f64::from(CONTROL_HZ);
    let met = (0..MEETINGS).find_map(|k| {
        let seconds = soonest + 0.25 * f64::from(k);
        let frame = Pose::new(object.frame.pos + velocity * seconds, object.frame.rot);
        let hold = hold::of_object(now, &SceneObject { frame, ..*object }, ANY_USE)?;
        Some((frame, hold.tool, hold.opening))
    });
    let Some((there, tool, opening)) = met else { return withdraw(now) };
    let offset = tool.pos - there.pos;
    let follow = |dz: f64, pace, close| Motion::Follow {
        body: object.body,
        // From the body's own origin, which is not where the frame stands when it has tumbled.
        offset: offset + object.frame.pos - origin + DVec3::Z * dz,
        rot: tool.rot,
        pace,
        close,
    };
    let mut out = vec![now.ready(opening)];
    // Where it will come into reach, the hand waits for it.
    let ahead = velocity * (CLOSING / f64::from(CONTROL_HZ));
    let before = Pose::new(tool.pos - ahead + DVec3::Z * APPROACH, tool.rot);
    let wait = if now.limb.cost(&before).is_some() {
        before
    } else {
        Pose::new(before.pos + ahead, tool.rot)
    };
    out.push(Motion::through(wait, Pace::TRAVEL));
    let from = origin - object.frame.pos + wait.pos - offset;
    out.push(Motion::Await { body: object.body, at: from, within: MEET });
    out.push(follow(APPROACH, Pace::TRAVEL, false));
    out.push(follow(0.0, Pace::CAREFUL, false));
    out.push(follow(0.0, Pace::CAREFUL, true));
    out.push(lift());
    out
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Block;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    #[test]
    fn waits_downstream_and_moves_on_with_the_object() {
        for rig in gripper_rigs() {
            let at = Pose::new(middle(rig) - DVec3::Y * 0.15, Default::default());
            let block = Asset::from(Block::cube(0.04));
            let mut bench = Bench::with(rig, &[("block", block, at)], &[], &[], &[(0, 0.04)]);
            let (body, velocity) = (bench.body("block"), DVec3::Y * 0.04);
            bench.now.bodies[body].twist.linear = velocity;
            let op = longarm_task::Op::Pick { object: "block".into(), from: None };
            let motions = bench.script(&op).motions;
            let [_, Motion::Go { to: wait, .. }, Motion::Await { at: met, .. }, follows @ .., _] =
                &motions[..]
            else {
                panic!("{rig}: {motions:?}")
            };
            assert!((wait.pos - at.pos).dot(velocity) > 0.0, "{rig}: downstream");
            assert!((*met - at.pos).truncate().x.abs() < 1e-9, "{rig}: where it will pass");
            assert_eq!(follows.len(), 3, "{rig}");
            assert!(matches!(follows[2], Motion::Follow { close: true, .. }), "{rig}");
        }
    }
}

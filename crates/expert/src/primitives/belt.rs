//! Catching things that move.

use longarm_task::Snapshot;
use longarm_types::{CONTROL_HZ, DVec3, Pose};

use super::hold::Hold;
use super::{APPROACH, Primitives, Thing};
use crate::motion::{Motion, Pace};

/// Control steps from here to having closed the fingers, besides the way there.
const CLOSING: f64 = 30.0;
/// Meeting points tried, a quarter of a second apart.
const MEETINGS: u32 = 40;
/// How near the thing has come when the hand stops waiting for it.
const MEET: f64 = 0.02;

impl Primitives {
    /// Where a thing will be when the hand gets there is where it is grasped; then both move on
    /// together while the fingers close.
    pub(super) fn catch(&self, thing: &Thing, s: &Snapshot) -> Vec<Motion> {
        let velocity = s.bodies[thing.body].twist.linear.with_z(0.0);
        let far = (thing.frame.pos - s.hands[self.limb].pose.pos).length();
        let soonest = (CLOSING + far / Pace::TRAVEL.metres) / f64::from(CONTROL_HZ);
        let met = (0..MEETINGS).find_map(|k| {
            let seconds = soonest + 0.25 * f64::from(k);
            let there = Pose::new(thing.frame.pos + velocity * seconds, thing.frame.rot);
            let Hold { tool, opening, .. } =
                self.grasp(&there, thing.body, thing.instance, None, s, &|_| Some(0.0))?;
            Some((there, tool, opening))
        });
        let Some((there, tool, opening)) = met else { return self.withdraw(s) };
        let offset = tool.pos - there.pos;
        let follow = |dz: f64, pace, close| Motion::Follow {
            body: thing.body,
            // From the body's own origin, which is not where the frame stands when it has tumbled.
            offset: offset + thing.frame.pos - s.bodies[thing.body].pose.pos + DVec3::Z * dz,
            rot: tool.rot,
            pace,
            close,
        };
        let mut out = vec![Motion::Grip { command: self.command(opening), steps: 0, held: None }];
        // Where it will come into reach, the hand waits for it.
        let ahead = velocity * (CLOSING / f64::from(CONTROL_HZ));
        let before = Pose::new(tool.pos - ahead + DVec3::Z * APPROACH, tool.rot);
        let wait = if self.arm.cost(&before).is_some() {
            before
        } else {
            Pose::new(before.pos + ahead, tool.rot)
        };
        out.push(Motion::through(wait, Pace::TRAVEL));
        let from = s.bodies[thing.body].pose.pos - thing.frame.pos + wait.pos - offset;
        out.push(Motion::Await { body: thing.body, at: from, within: MEET });
        out.push(follow(APPROACH, Pace::TRAVEL, false));
        out.push(follow(0.0, Pace::CAREFUL, false));
        out.push(follow(0.0, Pace::CAREFUL, true));
        out.extend(self.lift());
        out
    }
}

//! Leading a rope's end through a ring. The hand cannot follow through it, so the end is pushed from
//! behind, let go, and taken again beyond.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::grasp::take_end;
use super::rope::{CLEAR, ROPE, Rope};
use super::{Moment, Script, Skill};
use crate::motion::{Motion, Pace};

/// How far before a ring the end is lined up.
const BEFORE: f64 = 0.02;
/// Sideways error that needs no more lining up.
const LINED_UP: f64 = 0.005;
/// Opening that lets the rope go.
const OPENING: f64 = 0.04;

/// Leads a rope's end through an opening, one piece of the way at a time.
pub(super) struct Thread<'a> {
    pub(super) end: &'a str,
    pub(super) opening: &'a str,
    /// How far past the opening the end should come, metres.
    pub(super) past: f64,
}

impl Skill for Thread<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let rope = Rope::new(now.scene, now.scene.body(self.end)?);
        let (past, hand) = (self.past, now.scene.hand());
        let ring = rope.ring(self.opening)?;
        if !now.scene.holds(rope.end) {
            return Some(Script::part(take_end(now, rope)));
        }
        let end = rope.pose();
        let held = end.inverse() * hand.pose;
        let hold = held.pos.x;
        // The end lies level, pointing through the ring.
        let x = -ring.way;
        let level = DQuat::from_mat3(&DMat3::from_cols(x, DVec3::Z.cross(x), DVec3::Z)).normalize();
        let at = |tip: DVec3| Pose::new(tip - DVec3::Z * ROPE, level) * held;
        let tip = rope.point(0.0) - ring.middle;
        let along = tip.dot(ring.way);
        let hand_past = (hand.pose.pos - ring.middle).dot(ring.way);
        if rope.threads(&ring) && along > 0.0 {
            if hand_past > 0.0 {
                // Held beyond: draw it on.
                let goal = hand.commanded.pos + ring.way * (past + 0.012 - along).max(0.0);
                let draw = Motion::go(Pose::new(goal, hand.commanded.rot), Pace::CAREFUL);
                return Some(Script::whole(then_release(now, vec![draw])));
            }
            let most = hold - CLEAR;
            let push = Motion::go(at(ring.middle + ring.way * most), Pace::CAREFUL);
            let push = if along < most - 0.006 { vec![push] } else { Vec::new() };
            return Some(Script::part(then_release(now, push)));
        }
        if hold - CLEAR < 0.02 {
            // Too little sticks out in front of the hand: bring it before the ring, lay it down and
            // take it further back.
            let tip = ring.middle - ring.way * BEFORE;
            let lay = vec![
                Motion::Lift { by: DVec3::Z * 0.015, pace: Pace::CAREFUL },
                Motion::go(at(tip), Pace::CAREFUL),
                Motion::go(at(tip.with_z(0.5 * tip.z)), Pace::CAREFUL),
            ];
            return Some(Script::part(then_release(now, lay)));
        }
        let aside = (tip - ring.way * along).length();
        let straight = -end.dir(DVec3::X).dot(ring.way);
        let before = (-BEFORE - 0.015..=-0.004).contains(&along);
        if aside > LINED_UP || !before || straight < 0.985 {
            let mut out = Vec::new();
            if tip.z < -0.01 {
                out.push(Motion::Lift { by: DVec3::Z * (0.01 - tip.z), pace: Pace::CAREFUL });
            }
            out.push(Motion::go(at(ring.middle - ring.way * BEFORE), Pace::CAREFUL));
            out.push(Motion::Wait(3));
            return Some(Script::part(out));
        }
        let goal = (hold - CLEAR).min(past + 0.03);
        let push = vec![Motion::go(at(ring.middle + ring.way * goal), Pace::GENTLE)];
        Some(Script::part(then_release(now, push)))
    }
}

/// Move, then let the rope go and back away from it.
fn then_release(now: &Moment<'_>, mut motions: Vec<Motion>) -> Vec<Motion> {
    motions.push(Motion::Wait(2));
    motions.push(Motion::Grip { command: now.limb.command(OPENING), steps: 5, held: None });
    motions.push(Motion::Retreat { by: 0.02, pace: Pace::CAREFUL });
    motions.push(Motion::Retreat { by: 0.06, pace: Pace::TRAVEL });
    motions
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{HolePost, Rope as RopeAsset};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    const RING: f64 = 0.08;

    /// Return the script for a straight rope along the way through a ring, its tip at a point from the
    /// ring's middle, held a distance back from the tip.
    fn script(tip: DVec3, hold: Option<f64>) -> (Script, Bench) {
        let rig = gripper_rigs()[0];
        let c = middle(rig);
        let turned = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
        let at = Pose::new(c + tip + DVec3::Z * (RING - ROPE), turned);
        let objects = [
            ("rope", Asset::from(RopeAsset { length: 0.25 }), at),
            ("post", Asset::from(HolePost { height: RING, hole: 0.03 }), Pose::new(c, turned)),
        ];
        let op = Op::Thread { end: "rope".into(), opening: "post/hole".into(), past: 0.04 };
        let mut bench = Bench::with(rig, &objects, &[], std::slice::from_ref(&op), &[]);
        if let Some(back) = hold {
            let end = bench.body("rope");
            let down = bench.limb.easy(at.point(DVec3::new(back, 0.0, ROPE)));
            let hand = &mut bench.now.hands[0];
            (hand.pose, hand.commanded, hand.holds[end]) = (down, down, true);
        }
        let script = bench.script(&op);
        (script, bench)
    }

    fn releases(s: &Script) -> bool {
        s.motions.iter().any(|m| matches!(m, Motion::Grip { command, .. } if *command < 1.0))
    }

    #[test]
    fn an_end_that_lies_there_is_taken_first() {
        let (script, _) = script(DVec3::Y * -0.1, None);
        assert!(script.more && script.motions.iter().any(Motion::takes));
    }

    #[test]
    fn an_end_beside_the_ring_is_lined_up_before_it() {
        let (script, bench) = script(DVec3::new(0.03, -0.06, 0.0), Some(0.07));
        assert!(script.more && !releases(&script), "{:?}", script.motions);
        let way = goals(&script.motions);
        let tip =
            way[0].pos - bench.now.hands[0].pose.pos + bench.view().pose(bench.body("rope")).pos;
        let from_ring = tip - middle(gripper_rigs()[0]);
        assert!(from_ring.x.abs() < 1e-6 && (from_ring.y + BEFORE).abs() < 1e-6, "{from_ring}");
    }

    #[test]
    fn an_end_lined_up_is_pushed_through_and_let_go() {
        let (script, bench) = script(DVec3::Y * -BEFORE, Some(0.07));
        assert!(script.more && releases(&script));
        let push = goals(&script.motions)[0].pos - bench.now.hands[0].pose.pos;
        assert!(push.y > BEFORE && push.truncate().x.abs() < 1e-6, "{push}");
        // The hand itself stays before the ring.
        let hand = goals(&script.motions)[0].pos.y - middle(gripper_rigs()[0]).y;
        assert!(hand < -CLEAR + 1e-6, "{hand}");
    }

    #[test]
    fn an_end_held_beyond_the_ring_is_drawn_on_and_that_is_all() {
        let (script, bench) = script(DVec3::Y * 0.06, Some(0.02));
        assert!(!script.more && releases(&script));
        let drawn = goals(&script.motions)[0].pos - bench.now.hands[0].pose.pos;
        assert!(drawn.length() < 1e-9, "far enough already: {drawn}");
    }
}

//! The room a whole limb takes, as balls along it.

use longarm_assets::kinematics::{IkSettings, Joints};
use longarm_types::{DQuat, DVec3, Pose};

use super::LimbGeometry;

/// Thickness of arms, and a little.
const ARM: f64 = 0.065;
/// Thickness of fingers.
const FINGER: f64 = 0.015;
/// Distance between balls along an arm.
const SPACING: f64 = 0.06;

/// A ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) at: DVec3,
    pub(crate) radius: f64,
}

impl LimbGeometry {
    /// Return the joints that bring the tool to a pose, from others near it.
    pub(crate) fn near(&self, tool: &Pose, from: &Joints) -> Joints {
        let settings = IkSettings { iterations: 6, ..IkSettings::default() };
        self.chain.solve(tool, from, &self.home, &settings).joints
    }

    /// Return the room the limb takes in a posture, from the shoulder to the fingertips.
    pub(crate) fn room(&self, q: &Joints, opening: f64) -> Vec<Ball> {
        let mut at = Pose::IDENTITY;
        let mut points = Vec::new();
        for (j, angle) in self.chain.joints.iter().zip(q) {
            at = at * j.pose;
            points.push(at.pos);
            at.rot *= DQuat::from_axis_angle(j.axis, *angle);
        }
        let tool = at * self.chain.tool;
        let mut out = Vec::new();
        for pair in points.windows(2) {
            let pieces = ((pair[1] - pair[0]).length() / SPACING).ceil().max(1.0) as u32;
            let share = |k: u32| f64::from(k) / f64::from(pieces);
            let ball = |k| Ball { at: pair[0].lerp(pair[1], share(k)), radius: ARM };
            out.extend((0..=pieces).map(ball));
        }
        for palm in &self.outline.palm {
            let radius = palm.half[0].max(palm.half[2]);
            let (centre, reach) = (DVec3::from(palm.centre), (palm.half[1] - radius).max(0.0));
            let ball = |s: f64| Ball { at: tool.point(centre + DVec3::Y * s * reach), radius };
            out.extend([-1.0, -0.5, 0.0, 0.5, 1.0].map(ball));
        }
        for side in [-1.0, 1.0] {
            for z in [-self.outline.finger[2], self.outline.tip - FINGER] {
                let at = DVec3::new(0.0, side * (opening / 2.0 + FINGER), z);
                out.push(Ball { at: tool.point(at), radius: FINGER });
            }
        }
        out
    }
}

/// Return the least gap between two sets of balls.
pub(crate) fn gap(one: &[Ball], other: &[Ball]) -> f64 {
    let apart = |a: &Ball, b: &Ball| (a.at - b.at).length() - a.radius - b.radius;
    one.iter().flat_map(|a| other.iter().map(move |b| apart(a, b))).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use longarm_assets::RigName;

    use super::*;
    use crate::fixture::{limb, one_limb_rigs};

    #[test]
    fn the_hand_is_part_of_the_room() {
        for rig in one_limb_rigs() {
            let arm = limb(rig);
            // Fingers that open wider than a gripper's are further aside of the tool.
            let room = arm.room(&arm.home, arm.widest.min(0.08));
            let tool = arm.home_tool().pos;
            let near = room.iter().map(|b| (b.at - tool).length()).fold(f64::MAX, f64::min);
            assert!(near < 0.07, "{rig}: {near}");
        }
    }

    #[test]
    fn two_arms_at_home_are_apart_and_meet_in_the_middle() {
        let limbs = RigName::TWO_PANDAS.rig().limbs();
        let [left, right] = [0, 1].map(|i| LimbGeometry::new(&limbs[i]));
        let home = |g: &LimbGeometry| g.room(&g.home, g.widest);
        let apart = gap(&home(&left), &home(&right));
        assert!((0.25..0.6).contains(&apart), "{apart}");
        let at = DVec3::new(0.45, 0.0, 0.15);
        let there = |g: &LimbGeometry| g.room(&g.near(&g.easy(at), &g.home), g.widest);
        let far = |g: &LimbGeometry| (0..40).fold(g.home, |q, _| g.near(&g.easy(at), &q));
        let met = gap(&left.room(&far(&left), 0.08), &right.room(&far(&right), 0.08));
        assert!(met < 0.0, "{met}");
        assert!(gap(&there(&left), &home(&right)) < apart);
    }
}

//! Bringing an object held from above under a roof: tipped, the hand slanting in from the front.

use std::f64::consts::{FRAC_PI_2, PI};

use longarm_task::BodyId;
use longarm_types::{DQuat, DVec3, Pose};

use super::Moment;
use crate::cheapest::Cheapest;
use crate::scene::SceneObject;

/// How far the hand leans from straight down, radians.
const LEANS: [f64; 5] = [0.8, 0.95, 1.1, 1.25, 1.4];
/// How far behind the front the middle of the object comes.
const DEPTHS: [f64; 3] = [0.05, 0.065, 0.08];
/// Height of its lowest corner above the floor, and its way before the front.
const LIFT: f64 = 0.012;
const FRONT: f64 = 0.05;
/// Room the hand keeps from what stands around.
const GAP: f64 = 0.004;

/// A place with a roof and walls.
pub(super) struct Covered {
    /// The middle of its space, open towards −y.
    pub(super) frame: Pose,
    pub(super) half: DVec3,
    pub(super) fixture: BodyId,
}

impl Covered {
    /// Return the best tool poses before and at which an object held at `held` (the tool in the object's frame)
    /// comes in, and their cost.
    pub(super) fn tip_in(
        &self,
        now: &Moment<'_>,
        object: &SceneObject,
        held: &Pose,
    ) -> Option<(f64, [Pose; 2])> {
        let around = now.scene.solids(&[object.body, self.fixture]);
        let (c, h) = (DVec3::from(object.bounds.centre), DVec3::from(object.bounds.half));
        let closes = held.dir(DVec3::Y);
        let mut best = Cheapest::new();
        // Fingers close from side to side: so the hand is flat.
        let flat = -libm::atan2(closes.y, closes.x);
        for turn in [flat, flat + PI] {
            for lean in LEANS {
                let own = DQuat::from_rotation_x(lean) * DQuat::from_rotation_z(turn);
                if (own * held.dir(DVec3::Z)).y < libm::sin(lean.min(FRAC_PI_2)) - 0.1 {
                    continue;
                }
                let reach = DVec3::new(
                    spread(own, h, DVec3::X),
                    spread(own, h, DVec3::Y),
                    spread(own, h, DVec3::Z),
                );
                if reach.z > self.half.z - LIFT || reach.x > self.half.x {
                    continue;
                }
                let rot = (self.frame.rot * own).normalize();
                let tool_at = |y: f64| {
                    let middle = DVec3::new(0.0, y, reach.z + LIFT - self.half.z);
                    Pose::new(self.frame.point(middle - own * c), rot) * *held
                };
                for depth in DEPTHS {
                    let at = tool_at(depth - self.half.y);
                    if depth + reach.y > 2.0 * self.half.y
                        || !now.limb.passes(&at, &self.frame, self.half)
                        || now.limb.hand_gap(&at, &around) < GAP
                    {
                        continue;
                    }
                    let before = tool_at(-self.half.y - FRONT - reach.y);
                    let halfway = Pose::new(before.pos.lerp(at.pos, 0.5), before.rot);
                    let Some(cost) = now.limb.track(&[before, halfway, at]) else { continue };
                    best.offer(cost + now.limb.crowding(&before, &around), [before, at]);
                }
            }
        }
        best.priced()
    }
}

/// Return how far a turned box reaches from its middle along an axis.
fn spread(turn: DQuat, half: DVec3, axis: DVec3) -> f64 {
    [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .enumerate()
        .map(|(i, own)| half[i] * (turn * own).dot(axis).abs())
        .sum()
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Block;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    #[test]
    fn comes_slanting_and_inside() {
        let mut found = 0;
        for rig in gripper_rigs() {
            let flat = Asset::from(Block { size: [0.08, 0.045, 0.02] });
            let mut bench = Bench::new(rig, &[("flat", flat, Pose::IDENTITY)]);
            bench.hold("flat", bench.limb.easy(middle(rig).with_z(0.2)));
            let object = bench.view().object("flat").unwrap();
            let held = object.frame.inverse() * bench.now.hands[0].pose;
            let half = DVec3::new(0.12, 0.085, 0.08);
            // Open towards the limb.
            let frame = Pose::new(
                middle(rig) + DVec3::new(0.1, 0.0, half.z + 0.01),
                DQuat::from_rotation_z(-FRAC_PI_2),
            );
            let covered = Covered { frame, half, fixture: 0 };
            let Some((_, [before, at])) = covered.tip_in(&bench.moment(), &object, &held) else {
                continue;
            };
            let centre =
                |tool: Pose| frame.local(object.bounds.centre_in(&(tool * held.inverse())));
            assert!(centre(at).y > -half.y && centre(before).y < -half.y, "{rig}");
            assert!(at.dir(DVec3::Z).z > -0.75, "{rig}: {}", at.dir(DVec3::Z));
            found += 1;
        }
        assert!(found > 0, "some limb reaches in");
    }
}

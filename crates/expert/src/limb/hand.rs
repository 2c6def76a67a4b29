//! The room a hand takes, and what stands in it.

use longarm_grasp::Gripper;
use longarm_task::BodyId;
use longarm_types::{Bounds, DVec3, Pose};

use super::LimbGeometry;
use crate::scene::{SceneObject, Solid, SolidKind};

/// Thickness of the forearm, and a little.
const FOREARM: f64 = 0.075;
/// How far fingers reach past their pads.
const TIP: f64 = 0.003;
/// Room the hand should keep.
const SPARE: f64 = 0.008;
/// Least room around what is set down.
const STANDS: f64 = 0.015;

impl LimbGeometry {
    /// Return how far fingertips reach past the middle of the pads, metres.
    pub(crate) fn fingertip(&self) -> f64 {
        self.outline.tip
    }

    /// Return the distance from the middle of a closed finger to what its flat side pushes, metres.
    pub(crate) fn finger_side(&self) -> f64 {
        self.outline.side
    }

    /// Return how far apart fingers are, metres, from what a snapshot says of their opening: of a hand it says
    /// the share by which its joints are open.
    pub(crate) fn width(&self, opening: f64) -> f64 {
        if self.fingered { opening * self.widest } else { opening }
    }

    /// Return the gripper command for an opening.
    pub(crate) fn command(&self, opening: f64) -> f64 {
        1.0 - 2.0 * (opening / self.widest).clamp(0.0, 1.0)
    }

    fn fingers(&self, tool: &Pose, opening: f64) -> [Solid; 2] {
        let half = self.outline.finger;
        [-1.0, 1.0].map(|side| {
            let at = *tool * Pose::at(0.0, side * (opening / 2.0 + half[1]), 0.0);
            Solid::new(0, SolidKind::Fixed, &at, &Bounds { centre: [0.0; 3], half })
        })
    }

    fn palm(&self, tool: &Pose) -> impl Iterator<Item = Solid> {
        self.outline.palm.iter().map(|b| Solid::new(0, SolidKind::Fixed, tool, b))
    }

    /// Return it as a gripper that searches for grasps.
    pub(crate) fn gripper(&self) -> Gripper {
        Gripper {
            widest: self.widest,
            finger: self.outline.finger,
            pad: self.pad_end,
            tip: self.pad_end + TIP,
            palm: self.outline.palm.clone(),
        }
    }

    /// Return the room the whole hand takes.
    pub(crate) fn hand_solids(&self, tool: &Pose, opening: f64) -> Vec<Solid> {
        self.palm(tool).chain(self.fingers(tool, opening)).collect()
    }

    /// Return the least gap between the palm and what stands around it.
    pub(crate) fn hand_gap(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let hand: Vec<Solid> = self.palm(tool).collect();
        around.iter().flat_map(|o| hand.iter().map(|h| h.gap(o))).fold(f64::MAX, f64::min)
    }

    /// Return the height of the palm's lowest point.
    pub(crate) fn lowest(&self, tool: &Pose) -> f64 {
        self.palm(tool).map(|p| p.centre.z - p.extent().z).fold(f64::MAX, f64::min)
    }

    /// Return the height of the lowest corner of the fingertips.
    pub(crate) fn lowest_fingertip(&self, tool: &Pose) -> f64 {
        let [wide, _, _] = self.outline.finger;
        let corner = |side: f64| tool.point(DVec3::new(side * wide, 0.0, self.outline.tip)).z;
        corner(1.0).min(corner(-1.0))
    }

    /// Return the least gap, up to 0.05 m, between the open fingers and what can be pushed over or away.
    pub(crate) fn finger_gap(&self, tool: &Pose, opening: f64, around: &[Solid]) -> f64 {
        let fingers = self.fingers(tool, opening);
        let loose = around.iter().filter(|o| match o.kind {
            SolidKind::Fixed => false,
            SolidKind::Movable { .. } => true,
            // Of drawers only those that the hand does not reach into.
            SolidKind::Part => o.distance(tool.pos) > 0.0,
        });
        loose.map(|o| o.shaped()).flat_map(|o| fingers.map(|f| f.gap(&o))).fold(0.05, f64::min)
    }

    /// Return which of these the hand and its open fingers would bump into.
    pub(crate) fn bumps(&self, tool: &Pose, opening: f64, around: &[Solid]) -> Vec<BodyId> {
        const TOUCH: f64 = -0.002;
        let hand = self.hand_solids(tool, opening);
        let hit = |o: &&Solid| hand.iter().any(|h| h.gap(o) < TOUCH);
        around.iter().filter(hit).map(|o| o.body).collect()
    }

    /// Return the room, up to `enough`, that an object held at `held` has where it is set down on the
    /// table, and what reaching there costs; `None` where it does not fit or is out of reach.
    pub(crate) fn stands(
        &self,
        object: &SceneObject,
        at: &Pose,
        held: &Pose,
        around: &[Solid],
        enough: f64,
    ) -> Option<(f64, f64)> {
        let stands = Solid::new(object.body, SolidKind::Fixed, at, &object.bounds);
        let room = around.iter().map(|o| o.gap(&stands)).fold(enough, f64::min);
        if room < STANDS {
            return None;
        }
        let tool = *at * *held;
        let put = self.cost(&tool)?;
        self.cost(&Pose::new(tool.pos + DVec3::Z * 0.05, tool.rot))?;
        Some((room, put))
    }

    /// Return the cost of too little room for the hand at a tool pose.
    pub(crate) fn crowding(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let gap = self.hand_gap(tool, around);
        if gap < SPARE { 3.0 + 400.0 * (SPARE - gap) } else { 0.0 }
    }

    /// Return the cost of too little room for the forearm at a tool pose.
    pub(crate) fn elbowing(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let arm = self.forearm(tool);
        let gaps = around.iter().flat_map(|o| arm.iter().map(|p| o.distance(*p)));
        let gap = gaps.fold(FOREARM, f64::min);
        if gap < FOREARM { 2.0 + 100.0 * (FOREARM - gap) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Block;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    fn wall(at: DVec3, kind: SolidKind) -> Solid {
        let frame = Pose::new(at, Default::default());
        Solid::new(9, kind, &frame, &Bounds { centre: [0.0; 3], half: [0.01, 0.2, 0.2] })
    }

    #[test]
    fn a_wall_beside_the_hand_costs_more_the_nearer_it_is() {
        for rig in gripper_rigs() {
            let limb = crate::fixture::limb(rig);
            let tool = limb.easy(middle(rig).with_z(0.1));
            let costs = [0.5, 0.11, 0.09, 0.05]
                .map(|d| limb.crowding(&tool, &[wall(tool.pos + DVec3::X * d, SolidKind::Fixed)]));
            assert_eq!(costs[0], 0.0, "{rig}");
            assert!(costs.windows(2).all(|w| w[0] <= w[1]) && costs[3] > 3.0, "{rig}: {costs:?}");
        }
    }

    #[test]
    fn open_fingers_need_room_for_what_can_be_pushed_over() {
        for rig in gripper_rigs() {
            let limb = crate::fixture::limb(rig);
            let tool = limb.easy(middle(rig).with_z(0.1));
            // Beside a finger, in the direction it opens.
            let beside = tool.point(DVec3::Y * (limb.widest / 2.0 + 0.04));
            let frame = Pose::new(beside, tool.rot);
            let bounds = Bounds { centre: [0.0; 3], half: [0.01; 3] };
            let gap = |kind, opening| {
                limb.finger_gap(&tool, opening, &[Solid::new(9, kind, &frame, &bounds)])
            };
            let movable = SolidKind::Movable { round: false };
            let (wide, narrow) = (gap(movable, limb.widest), gap(movable, 0.02));
            assert!(wide < narrow, "{rig}: {wide} {narrow}");
            assert!(gap(SolidKind::Movable { round: true }, limb.widest) > wide, "{rig}: round");
            assert_eq!(
                gap(SolidKind::Fixed, limb.widest),
                0.05,
                "{rig}: what is fixed is the palm's business"
            );
        }
    }

    #[test]
    fn what_is_set_down_needs_room_and_reach() {
        for rig in gripper_rigs() {
            let c = middle(rig);
            let block = Asset::from(Block::cube(0.04));
            let mut bench = Bench::new(rig, &[("block", block, Pose::IDENTITY)]);
            bench.hold("block", bench.limb.easy(c.with_z(0.1)));
            let object = bench.view().object("block").unwrap();
            let held = object.frame.inverse() * bench.now.hands[0].pose;
            let at = Pose::new(c, object.frame.rot);
            let stands =
                |at: &Pose, around: &[Solid]| bench.limb.stands(&object, at, &held, around, 0.06);
            assert!(stands(&at, &[]).is_some_and(|(room, _)| room == 0.06), "{rig}");
            let near = wall(c + DVec3::X * 0.04, SolidKind::Fixed);
            assert_eq!(stands(&at, &[near]), None, "{rig}: against a wall");
            let far = Pose::new(c + DVec3::X * 3.0, at.rot);
            assert_eq!(stands(&far, &[]), None, "{rig}: out of reach");
        }
    }

    #[test]
    fn gripper_commands_span_closed_to_open() {
        for rig in gripper_rigs() {
            let limb = crate::fixture::limb(rig);
            assert_eq!(
                [0.0, limb.widest / 2.0, 2.0 * limb.widest].map(|o| limb.command(o)),
                [1.0, 0.0, -1.0],
                "{rig}"
            );
        }
    }
}

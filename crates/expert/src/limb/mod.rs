//! The geometry of the limb that acts: what it reaches, and the room its hand takes.

mod hand;
mod opening;
mod room;
mod straight;

use longarm_assets::kinematics::{Chain, IkSettings, Joints, MAX_JOINTS};
use longarm_assets::robots::{End, Grip, HandOutline};
use longarm_assets::{Grasp, GraspKind, RigLimb};
use longarm_types::{DQuat, DVec3, Pose, rotation_between, yaw};

pub(crate) use room::{Ball, gap};

/// A limb's kinematics, posture at rest, and hand.
#[derive(Clone, Debug)]
pub(crate) struct LimbGeometry {
    chain: Chain,
    home: Joints,
    base: DVec3,
    /// The heading of its base.
    facing: DQuat,
    outline: HandOutline,
    /// The tips of straight fingers in the tool's frame.
    straight: Pose,
    /// Widest opening of the gripper, or between fingers and thumb, metres; 0 for a suction cup.
    pub(crate) widest: f64,
    /// How far the pads of a gripper reach past the tool's origin.
    pub(crate) pad_end: f64,
    /// Whether it ends in a hand whose fingers have joints.
    pub(crate) fingered: bool,
    /// Where each grip of a hand holds, in the tool's frame.
    grips: Vec<(Grip, DVec3)>,
}

/// Fingers open no further than this for what is thin.
const THIN: f64 = 0.03;
/// What fits between open fingers and the thumb of a hand.
const HAND_OPENING: f64 = 0.12;

impl LimbGeometry {
    pub(crate) fn new(limb: &RigLimb) -> Self {
        let mut home = [0.0; MAX_JOINTS];
        home[..limb.home.len()].copy_from_slice(&limb.home);
        Self {
            chain: limb.chain(),
            home,
            base: limb.standing().pos,
            facing: DQuat::from_rotation_z(yaw(limb.standing().rot)),
            outline: limb.spec().outline.clone(),
            straight: straight::straight(limb),
            widest: match &limb.spec().end {
                End::Gripper(gripper) => gripper.opening,
                End::Hand(_) => HAND_OPENING,
                End::Suction(_) => 0.0,
            },
            pad_end: match &limb.spec().end {
                End::Gripper(gripper) => gripper.pad[1],
                End::Hand(_) | End::Suction(_) => limb.spec().outline.tip,
            },
            fingered: matches!(limb.spec().end, End::Hand(_)),
            grips: match &limb.spec().end {
                End::Hand(hand) => {
                    hand.synergies.iter().map(|s| (s.grip, s.centre.into())).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// Return how a hand closes to take hold in some way; what is thin it takes between finger and thumb.
    pub(crate) fn grip(&self, grasp: &Grasp) -> Grip {
        match grasp.kind {
            GraspKind::Hook => Grip::Hook,
            GraspKind::Pinch if grasp.opening < THIN => Grip::Pinch,
            _ => Grip::Power,
        }
    }

    /// Return the tool pose at which a grip holds what a tool would at another pose.
    pub(crate) fn gripping(&self, tool: Pose, grip: Grip) -> Pose {
        match self.grips.iter().find(|(g, _)| *g == grip) {
            Some((_, centre)) if *centre != DVec3::ZERO => {
                tool * Pose::new(-*centre, DQuat::IDENTITY)
            }
            _ => tool,
        }
    }

    /// Return the tool pose of the home posture.
    pub(crate) fn home_tool(&self) -> Pose {
        self.chain.forward(&self.home)
    }

    /// Return where the limb stands.
    pub(crate) fn foot(&self) -> DVec3 {
        self.base
    }

    /// Return a vector of the limb's own axes, x to its front, in the world.
    pub(crate) fn ahead(&self, own: DVec3) -> DVec3 {
        self.facing * own
    }

    /// Return a point no further to the front than home is: beside and above what stands there the limb
    /// has room to turn.
    pub(crate) fn drawn_back(&self, p: DVec3) -> DVec3 {
        let own = self.facing.conjugate();
        let (home, p) = (own * self.home_tool().pos, own * p);
        self.facing * DVec3::new(home.x.min(p.x), p.y, p.z)
    }

    /// Return the tool pose at a point, pointing down and turned as the limb finds easiest there.
    pub(crate) fn easy(&self, at: DVec3) -> Pose {
        let d = self.facing.conjugate() * (at - self.base);
        Pose::new(
            at,
            (DQuat::from_rotation_z(libm::atan2(d.y, d.x)) * self.home_tool().rot).normalize(),
        )
    }

    /// Whether the tool can go straight from one pose to another without the limb getting stuck:
    /// both ends may be in reach and the way between them not, as when turning past the wrist's limit.
    pub(crate) fn straight(&self, from: &Pose, to: &Pose) -> bool {
        const PIECES: u32 = 10;
        let near = IkSettings { iterations: 60, ..IkSettings::default() };
        let step = IkSettings { iterations: 8, ..IkSettings::default() };
        let mut q = self.chain.solve(from, &self.home, &self.home, &near).joints;
        let turn = rotation_between(from.rot, to.rot);
        (1..=PIECES).all(|k| {
            let t = f64::from(k) / f64::from(PIECES);
            let rot = (DQuat::from_scaled_axis(turn * t) * from.rot).normalize();
            let pose = Pose::new(from.pos.lerp(to.pos, t), rot);
            let s = self.chain.solve(&pose, &q, &self.home, &step);
            q = s.joints;
            s.position_error < 0.01 && s.rotation_error < 0.1
        })
    }

    /// Return the cost of bringing the tool along a path, or `None` if the limb gets stuck on it.
    pub(crate) fn track(&self, path: &[Pose]) -> Option<f64> {
        let first = path.first()?;
        let mut worst = self.cost(first)?;
        let near = IkSettings { iterations: 60, ..IkSettings::default() };
        let step = IkSettings { iterations: 10, ..IkSettings::default() };
        let mut q = self.chain.solve(first, &self.home, &self.home, &near).joints;
        for pose in path {
            let s = self.chain.solve(pose, &q, &self.home, &step);
            if s.position_error > 5e-3 || s.rotation_error > 0.05 {
                return None;
            }
            q = s.joints;
            worst = worst.max(self.strain(&q));
        }
        Some(worst)
    }

    /// Return the speed, metres per second, at which the tool can go along a path that the limb can follow.
    pub(crate) fn fastest(&self, path: &[Pose]) -> f64 {
        let near = IkSettings { iterations: 60, ..IkSettings::default() };
        let step = IkSettings { iterations: 10, ..IkSettings::default() };
        let Some(first) = path.first() else { return 0.0 };
        let mut q = self.chain.solve(first, &self.home, &self.home, &near).joints;
        let mut slowest = f64::MAX;
        for pair in path.windows(2) {
            let next = self.chain.solve(&pair[1], &q, &self.home, &step).joints;
            let each = self.chain.joints.iter().zip(q.iter().zip(&next));
            let seconds = each.map(|(j, (a, b))| (b - a).abs() / j.velocity).fold(1e-6, f64::max);
            slowest = slowest.min((pair[1].pos - pair[0].pos).length() / seconds);
            q = next;
        }
        slowest
    }

    /// Return joint travel from home plus a penalty near joint limits, where no room is left to move on.
    fn strain(&self, q: &Joints) -> f64 {
        let mut cost = 0.0;
        for (i, j) in self.chain.joints.iter().enumerate() {
            let travel = q[i] - self.home[i];
            let spare = (q[i] - j.range[0]).min(j.range[1] - q[i]);
            cost += travel * travel + if spare < 0.15 { 4.0 * (0.15 - spare) / 0.15 } else { 0.0 };
        }
        cost
    }

    /// Whether it has a joint more than a tool pose needs, as a human arm has.
    pub(crate) fn redundant(&self) -> bool {
        self.chain.dof() == 7
    }

    /// Return points along the forearm, from elbow to wrist, with the tool at a pose. Empty for limbs
    /// that are not like a human arm.
    fn forearm(&self, tool: &Pose) -> Vec<DVec3> {
        /// Joints that bend elbow and wrist in an arm of seven.
        const ELBOW: usize = 3;
        const WRIST: usize = 5;
        if !self.redundant() {
            return Vec::new();
        }
        let settings = IkSettings { iterations: 60, ..IkSettings::default() };
        let q = self.chain.solve(tool, &self.home, &self.home, &settings).joints;
        let mut at = Pose::IDENTITY;
        let mut joints = [DVec3::ZERO; 7];
        for ((j, angle), point) in self.chain.joints.iter().zip(q).zip(&mut joints) {
            at = at * j.pose;
            *point = at.pos;
            at.rot *= DQuat::from_axis_angle(j.axis, angle);
        }
        (0..=6).map(|k| joints[ELBOW].lerp(joints[WRIST], f64::from(k) / 6.0)).collect()
    }

    /// Return how far the wrist would come into the room the limb's own foot needs, metres.
    pub(crate) fn cramped(&self, tool: &Pose) -> f64 {
        let wrist = tool.point(DVec3::new(0.0, 0.0, -0.16));
        (0.15 - (wrist - self.base).truncate().length()).max(0.0)
    }

    /// Return the highest pose in reach at or up to 0.135 m below this one, or the pose itself.
    pub(crate) fn lowered(&self, pose: Pose) -> Pose {
        let down = |k: u32| Pose::new(pose.pos - DVec3::Z * 0.015 * f64::from(k), pose.rot);
        (0..10).map(down).find(|p| self.cost(p).is_some()).unwrap_or(pose)
    }

    /// Return the joint travel from home to reach the pose, or `None` out of reach.
    pub(crate) fn cost(&self, tool: &Pose) -> Option<f64> {
        let settings = IkSettings { iterations: 60, ..IkSettings::default() };
        let s = self.chain.solve(tool, &self.home, &self.home, &settings);
        if s.position_error > 2e-3 || s.rotation_error > 0.02 {
            return None;
        }
        Some(self.strain(&s.joints))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::fixture::{limb, one_limb_rigs};

    #[test]
    fn every_limb_reaches_its_home_and_the_middle_of_its_workspace() {
        for rig in one_limb_rigs() {
            let arm = limb(rig);
            assert!(arm.cost(&arm.home_tool()).is_some_and(|c| c < 0.5), "{rig}: home");
            let middle = DVec3::from(rig.rig().workspace.centre);
            let above = arm.easy(middle.with_z(0.15));
            assert!(arm.cost(&above).is_some(), "{rig}: {above:?}");
            assert!(above.dir(DVec3::Z).z < -0.9, "{rig}: the tool points down");
            assert!(arm.straight(&arm.home_tool(), &above), "{rig}: from home");
        }
    }

    #[test]
    fn a_limb_that_faces_elsewhere_does_the_same_there() {
        for rig in one_limb_rigs() {
            let turn = Pose::new(DVec3::new(0.3, -0.2, 0.0), DQuat::from_rotation_z(2.0));
            let mut turned = rig.rig().limbs().remove(0);
            turned.mount = turn * turned.mount;
            let (arm, other) = (limb(rig), LimbGeometry::new(&turned));
            let apart = |a: Pose, b: Pose| (turn * a).error_to(&b);
            let near = |(far, angle): (f64, f64)| far < 1e-9 && angle < 1e-6;
            assert!(near(apart(arm.home_tool(), other.home_tool())), "{rig}: home");
            let p = arm.home_tool().pos + DVec3::new(0.1, 0.15, -0.1);
            assert!(near(apart(arm.easy(p), other.easy(turn.point(p)))), "{rig}: easy");
            let back = turn.point(arm.drawn_back(p));
            assert!((back - other.drawn_back(turn.point(p))).length() < 1e-9, "{rig}: drawn back");
            assert!((arm.drawn_back(p).x - arm.home_tool().pos.x).abs() < 1e-9, "{rig}");
        }
    }

    #[test]
    fn no_limb_reaches_across_the_room() {
        for rig in one_limb_rigs() {
            let arm = limb(rig);
            let far = arm.easy(arm.home_tool().pos + DVec3::X * 3.0);
            assert_eq!(arm.cost(&far), None, "{rig}");
            assert_eq!(arm.track(&[arm.home_tool(), far]), None, "{rig}");
            assert!(!arm.straight(&arm.home_tool(), &far), "{rig}");
        }
    }

    #[test]
    fn lowering_stops_at_the_first_height_in_reach() {
        for rig in one_limb_rigs() {
            let arm = limb(rig);
            let home = arm.home_tool();
            assert_eq!(arm.lowered(home), home, "{rig}: nothing to lower");
            // Go up until out of reach, then a little more.
            let up = |dz: f64| Pose::new(home.pos + DVec3::Z * dz, home.rot);
            let top = (1..200).map(|k| up(0.01 * f64::from(k))).find(|p| arm.cost(p).is_none());
            let top = top.expect("no limb is taller than two metres");
            let lowered = arm.lowered(Pose::new(top.pos + DVec3::Z * 0.02, top.rot));
            assert!(arm.cost(&lowered).is_some() && lowered.pos.z < top.pos.z, "{rig}");
            assert!(top.pos.z - lowered.pos.z < 0.03, "{rig}: no lower than needed");
        }
    }

    #[test]
    fn a_wrist_does_not_turn_past_its_limit() {
        for rig in one_limb_rigs() {
            let arm = limb(rig);
            let home = arm.home_tool();
            let turned = |by: f64| home * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(by));
            assert!(arm.straight(&home, &turned(0.3)), "{rig}");
            // A turn by more than any wrist allows, in pieces that each are short.
            let path: Vec<Pose> = (0..=160).map(|k| turned(f64::from(k) * PI / 20.0)).collect();
            assert_eq!(
                arm.track(&path).is_some(),
                path.iter().all(|p| arm.cost(p).is_some())
                    && arm.chain.joints.last().is_some_and(|j| j.range[1] - j.range[0] > 8.0 * PI),
                "{rig}"
            );
        }
    }
}

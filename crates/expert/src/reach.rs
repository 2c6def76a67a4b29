//! What the arm can reach, and which way of taking hold of a thing is best now.

use std::f64::consts::{PI, TAU};

use longarm_assets::kinematics::{Chain, IkSettings, Joints, MAX_JOINTS};
use longarm_assets::{AssetInfo, Grasp, Lies, RigLimb};
use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose};

/// The arm's kinematics and posture.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    chain: Chain,
    home: Joints,
    base: DVec3,
}

impl Arm {
    pub(crate) fn new(limb: &RigLimb) -> Self {
        let mut home = [0.0; MAX_JOINTS];
        home[..limb.home.len()].copy_from_slice(&limb.home);
        Self { chain: limb.chain(), home, base: limb.standing().pos }
    }

    /// The tool pose of the home posture.
    pub(crate) fn home_tool(&self) -> Pose {
        self.chain.forward(&self.home)
    }

    /// The tool at a point, pointing down and turned as the arm finds easiest there.
    pub(crate) fn easy(&self, at: DVec3) -> Pose {
        let d = at - self.base;
        Pose::new(
            at,
            (DQuat::from_rotation_z(libm::atan2(d.y, d.x)) * self.home_tool().rot).normalize(),
        )
    }

    /// Whether the tool can go straight from one pose to another without the arm getting stuck:
    /// both ends may be in reach and the way between them not, as when turning past the wrist's limit.
    pub(crate) fn straight(&self, from: &Pose, to: &Pose) -> bool {
        const PIECES: u32 = 10;
        let near = IkSettings { iterations: 60, ..IkSettings::default() };
        let step = IkSettings { iterations: 8, ..IkSettings::default() };
        let mut q = self.chain.solve(from, &self.home, &self.home, &near).joints;
        let turn = longarm_types::rotation_between(from.rot, to.rot);
        (1..=PIECES).all(|k| {
            let t = f64::from(k) / f64::from(PIECES);
            let rot = (DQuat::from_scaled_axis(turn * t) * from.rot).normalize();
            let pose = Pose::new(from.pos.lerp(to.pos, t), rot);
            let s = self.chain.solve(&pose, &q, &self.home, &step);
            q = s.joints;
            s.position_error < 0.01 && s.rotation_error < 0.1
        })
    }

    /// What it costs to bring the tool along a path, or `None` if the arm gets stuck on it.
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

    /// Joint travel from home, and how close to a limit: postures there have no room to move on from.
    fn strain(&self, q: &Joints) -> f64 {
        let mut cost = 0.0;
        for (i, j) in self.chain.joints.iter().enumerate() {
            let travel = q[i] - self.home[i];
            let spare = (q[i] - j.range[0]).min(j.range[1] - q[i]);
            cost += travel * travel + if spare < 0.15 { 4.0 * (0.15 - spare) / 0.15 } else { 0.0 };
        }
        cost
    }

    /// Whether it has a joint more than it needs, as a human arm has.
    pub(crate) fn redundant(&self) -> bool {
        self.chain.dof() == 7
    }

    /// Points along the forearm, from elbow to wrist, with the tool at a pose. Empty for arms that
    /// are not like a human's.
    pub(crate) fn forearm(&self, tool: &Pose) -> Vec<DVec3> {
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

    /// How far the wrist would come into the room the arm's own foot needs, metres.
    pub(crate) fn cramped(&self, tool: &Pose) -> f64 {
        let wrist = tool.point(DVec3::new(0.0, 0.0, -0.16));
        (0.15 - (wrist - self.base).truncate().length()).max(0.0)
    }

    /// The highest pose over or under this one, no higher than it, that is in reach.
    pub(crate) fn lowered(&self, pose: Pose) -> Pose {
        let down = |k: u32| Pose::new(pose.pos - DVec3::Z * 0.015 * f64::from(k), pose.rot);
        (0..10).map(down).find(|p| self.cost(p).is_some()).unwrap_or(pose)
    }

    /// Joint travel from home to reach the pose, or `None` out of reach.
    pub(crate) fn cost(&self, tool: &Pose) -> Option<f64> {
        let settings = IkSettings { iterations: 60, ..IkSettings::default() };
        let s = self.chain.solve(tool, &self.home, &self.home, &settings);
        if s.position_error > 2e-3 || s.rotation_error > 0.02 {
            return None;
        }
        Some(self.strain(&s.joints))
    }
}

/// The frame of a thing as it lies: a tumbled block is a block with another face up, a stick that
/// rolled is a stick.
pub(crate) fn resting_frame(info: &AssetInfo, pose: &Pose) -> (Pose, Bounds) {
    let bounds = &info.bounds;
    if info.lies == Lies::Lengthwise {
        let x = pose.dir(DVec3::X);
        if x.z.abs() > 0.7 {
            return (*pose, *bounds);
        }
        let y = DVec3::Z.cross(x).normalize();
        let z = x.cross(y);
        let rot = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
        return (Pose::new(bounds.centre_in(pose) - z * bounds.half[2], rot), *bounds);
    }
    if info.lies != Lies::AnyFace {
        return (*pose, *bounds);
    }
    let m = DMat3::from_quat(pose.rot);
    let axes = [m.x_axis, m.y_axis, m.z_axis];
    let up = (0..3).max_by(|&a, &b| axes[a].z.abs().total_cmp(&axes[b].z.abs())).unwrap_or(2);
    let z = axes[up] * axes[up].z.signum();
    let (i, j) = ((up + 1) % 3, (up + 2) % 3);
    let x = axes[i];
    let half = [bounds.half[i], bounds.half[j], bounds.half[up]];
    let centre = bounds.centre_in(pose);
    let rot = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
    let pos = centre - z * half[2];
    (Pose::new(pos, rot), Bounds::standing(half[0], half[1], 2.0 * half[2]))
}

/// All tool poses a grasp stands for: the thing's symmetry times the gripper's.
pub(crate) fn equivalents(frame: &Pose, grasp: &Grasp, symmetry: u32) -> Vec<Pose> {
    let turns = if grasp.part.is_some() {
        1
    } else if symmetry == 0 {
        12
    } else {
        symmetry
    };
    let mut out = Vec::new();
    for k in 0..turns {
        let turn = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(turns));
        let tool = *frame * Pose::new(DVec3::ZERO, turn) * grasp.tool;
        out.push(tool);
        out.push(tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(PI)));
    }
    out
}

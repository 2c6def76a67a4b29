//! Bases that move, and the limbs that ride on them.

use longarm_assets::Rig;
use longarm_assets::robots::JointMotion;
use longarm_task::MobileBase;
use longarm_types::{BaseReading, DVec3, Pose, Twist, yaw};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::{id, joint_handle};
use crate::SimError;
use crate::control::BaseController;

/// A base that moves: where its numbers live in MuJoCo's arrays, and what drives it.
#[derive(Clone, Debug)]
pub(super) struct BaseDrive {
    /// Channel of actions that drives it.
    pub channel: String,
    /// Name of its robot in the rig.
    pub robot: String,
    /// The link that limbs stand on.
    body: usize,
    qpos: [usize; 3],
    qvel: [usize; 3],
    actuators: [usize; 3],
    home: [f64; 3],
    /// Pose of that link with all joints at zero.
    zero: Pose,
    /// Limbs that ride on it, and where they stand on it.
    limbs: Vec<(usize, Pose)>,
    pub controller: BaseController,
}

/// Finds the bases of a rig that move.
pub(super) fn base_drives(model: &MjModel, rig: &Rig) -> Result<Vec<BaseDrive>, SimError> {
    let limbs = rig.limbs();
    let mut out = Vec::new();
    for (i, mounted) in rig.robots.iter().enumerate() {
        let spec = mounted.robot.spec();
        let Some(base) = &spec.base else { continue };
        let prefix = rig.base_prefix(i);
        let channel = match rig.robots.len() {
            1 => "base".to_owned(),
            _ => format!("{}_base", mounted.name),
        };
        let planar = [JointMotion::Slide, JointMotion::Slide, JointMotion::Hinge];
        let joints: Vec<_> = base.joints().collect();
        let (true, Some(last), &[x, y, yaw]) =
            (joints.iter().map(|j| j.motion).eq(planar), base.links.last(), base.home.as_slice())
        else {
            return Err(SimError::Undriven { channel });
        };
        let mut drive = BaseDrive {
            channel,
            robot: mounted.name.clone(),
            body: id(model, MjtObjBase::mjOBJ_BODY, "body", &format!("{prefix}{}", last.name))?,
            qpos: [0; 3],
            qvel: [0; 3],
            actuators: [0; 3],
            home: [x, y, yaw],
            zero: base.link_poses(&mounted.mount, &[]).last().map_or(mounted.mount, |l| l.1),
            limbs: (0..limbs.len())
                .filter(|&l| limbs[l].robot == i)
                .map(|l| (l, limbs[l].spec().mount))
                .collect(),
            controller: BaseController::new(
                [0, 1, 2].map(|k| joints[k].kv / joints[k].kp),
                [0, 1, 2].map(|k| joints[k].velocity),
                [x, y, yaw],
            ),
        };
        for (k, joint) in joints.iter().enumerate() {
            let found = joint_handle(model, &format!("{prefix}{}", joint.name))?;
            (drive.qpos[k], drive.qvel[k], drive.actuators[k]) = found;
        }
        out.push(drive);
    }
    Ok(out)
}

impl BaseDrive {
    pub(super) fn measured(&self, data: &MjData<Box<MjModel>>) -> [f64; 3] {
        self.qpos.map(|q| data.qpos()[q])
    }

    fn pose(&self, data: &MjData<Box<MjModel>>) -> Pose {
        Pose::from_arrays(data.xpos()[self.body], data.xquat()[self.body])
    }

    /// Tell the servos what they are to do at physics step `k`.
    pub(super) fn drive(&self, k: u32, data: &mut MjData<Box<MjModel>>) {
        let told = self.controller.drive(k, self.measured(data));
        for (a, told) in self.actuators.iter().zip(told) {
            data.ctrl_mut()[*a] = told;
        }
    }
}

impl World {
    /// The bases as the snapshot has them, before they were looked at.
    pub(super) fn mobile_bases(&self) -> Vec<MobileBase> {
        let still = |b: &BaseDrive| MobileBase {
            robot: b.robot.clone(),
            pose: b.zero,
            twist: Twist::default(),
            commanded: b.zero,
        };
        self.bases.iter().map(still).collect()
    }

    /// Sets the bases where an episode begins.
    pub(super) fn bases_home(&mut self) {
        if self.bases.is_empty() {
            return;
        }
        for base in &mut self.bases {
            base.controller.reset(base.home);
            for k in 0..3 {
                self.data.qpos_mut()[base.qpos[k]] = base.home[k];
                self.data.qvel_mut()[base.qvel[k]] = 0.0;
            }
        }
        self.data.forward();
        self.carry_limbs();
    }

    /// Tells the controllers of limbs that ride where they are now.
    pub(super) fn carry_limbs(&mut self) {
        for base in &self.bases {
            let pose = base.pose(&self.data);
            for (limb, _) in &base.limbs {
                self.controllers[*limb].carry(&pose);
            }
        }
    }

    /// Where the base of a limb that rides is now.
    pub(super) fn carrier(&self, limb: usize) -> Option<Pose> {
        let base = self.bases.iter().find(|b| b.limbs.iter().any(|(l, _)| *l == limb))?;
        Some(base.pose(&self.data))
    }

    /// Reads the bases into the snapshot.
    pub(super) fn read_bases(&mut self) {
        for (base, seen) in self.bases.iter().zip(&mut self.snapshot.bases) {
            seen.pose = base.pose(&self.data);
            let rate = |k: usize| self.data.qvel()[base.qvel[k]];
            // The slides are fixed in the floor's directions.
            let way = base.zero.rot * DVec3::new(rate(0), rate(1), 0.0);
            let turn = base.zero.rot * DVec3::Z * rate(2);
            seen.twist = Twist { linear: way, angular: turn };
            seen.commanded = base.zero * base.controller.target();
        }
    }

    /// What a policy may know of the base that a limb stands on.
    pub(super) fn base_reading(&self, limb: usize) -> Option<BaseReading> {
        let found =
            |(b, seen): (&BaseDrive, _)| Some((b.limbs.iter().find(|(l, _)| *l == limb)?.1, seen));
        let (stands, seen) = self.bases.iter().zip(&self.snapshot.bases).find_map(found)?;
        let (pos, v) = (seen.pose.pos, seen.twist);
        Some(BaseReading {
            mount: seen.pose * stands,
            pose: [pos.x, pos.y, yaw(seen.pose.rot)],
            velocity: [v.linear.x, v.linear.y, v.angular.z],
        })
    }
}

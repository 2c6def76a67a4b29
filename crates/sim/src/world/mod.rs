//! One compiled model with its state.

mod checkpoint;
mod compile;
mod digest;
mod extent;
mod handles;
mod read;
mod settle;
mod step;
mod suction;
mod timer;

use longarm_assets::kinematics::Joints;
use longarm_assets::{Body, Structure};
use longarm_task::Snapshot;
use longarm_types::{Bounds, RunningHash};
use mujoco_rs::prelude::*;

use crate::contacts::{ContactTracker, Owner};
use crate::control::ArmController;
use handles::{BodyHandle, HandHandles, RobotHandles};

pub use checkpoint::Checkpoint;

/// A MuJoCo model compiled from a structure, its state, the arm's controller and the snapshot.
pub struct World {
    data: MjData<Box<MjModel>>,
    structure: Structure,
    bodies: Vec<Body>,
    handles: Vec<BodyHandle>,
    robot: RobotHandles,
    controller: ArmController,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    /// The box around each tracked body that is a whole object.
    boxes: Vec<Option<Bounds>>,
    /// Geoms painted with the object's colour, and their own colour.
    tinted: Vec<(usize, usize, [f32; 4])>,
    home: Joints,
    /// Position addresses of conveyor belts, which wrap.
    belts: Vec<usize>,
    /// Geoms seen only while a part is open (or on): geom, position address, joint values.
    lamps: Vec<(usize, usize, [f64; 2])>,
    /// Time spent in MuJoCo, when somebody asked for it to be measured.
    physics: Option<std::time::Duration>,
}

impl World {
    /// What is true now. Privileged: policies never see it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Actions with a value beyond ±1 since the reset.
    pub fn clipped(&self) -> u32 {
        self.clipped
    }

    /// What decides the compiled model.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Tracked bodies, in the order of the snapshot.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The posture an episode begins in.
    pub(crate) fn home(&self) -> &Joints {
        &self.home
    }

    /// The arm's controller.
    pub fn controller(&self) -> &ArmController {
        &self.controller
    }

    /// Arm joint positions and velocities into the given slices.
    pub fn read_joints(&self, positions: &mut [f64], velocities: &mut [f64]) {
        for i in 0..self.robot.dof {
            positions[i] = self.data.qpos()[self.robot.qpos[i]];
            velocities[i] = self.data.qvel()[self.robot.qvel[i]];
        }
    }

    /// Appends time, positions and velocities of all joints: the state as robosuite flattens it.
    pub fn append_state(&self, out: &mut Vec<f64>) {
        out.push(self.snapshot.time);
        out.extend_from_slice(self.data.qpos());
        out.extend_from_slice(self.data.qvel());
    }

    /// Arm joints.
    pub fn dof(&self) -> usize {
        self.robot.dof
    }

    /// How far the gripper is open, 0–1.
    pub fn opening_share(&self) -> f64 {
        match self.robot.hand {
            HandHandles::Parallel { travel, .. } => {
                (self.snapshot.hands[0].opening / (2.0 * travel)).clamp(0.0, 1.0)
            }
            HandHandles::Suction { .. } => self.snapshot.hands[0].opening,
        }
    }

    /// Geoms that glow while a part is on, and whether they do now.
    pub(crate) fn lamps(&self) -> impl Iterator<Item = (usize, bool)> {
        self.lamps.iter().map(|&(geom, q, [lo, _])| (geom, self.data.qpos()[q] >= lo))
    }

    pub(crate) fn data(&self) -> &MjData<Box<MjModel>> {
        &self.data
    }

    /// The tracked body each geom belongs to; `None` for the robot.
    pub(crate) fn geom_bodies(&self) -> Vec<Option<usize>> {
        self.contacts
            .owners()
            .iter()
            .map(|o| match o {
                Owner::Body(b) => Some(*b),
                _ => None,
            })
            .collect()
    }
}

//! One compiled model with its state.

mod base;
mod checkpoint;
mod compile;
mod digest;
mod extent;
mod flexes;
mod guide;
mod handles;
mod limb;
mod media;
mod read;
mod reading;
mod settle;
mod sourced;
mod step;
mod suction;
mod timer;

use longarm_assets::kinematics::Joints;
use longarm_assets::{Body, Structure};
use longarm_task::{Guided, LimbId, Snapshot};
use longarm_types::{ActionSpec, Bounds, Proprioception, RunningHash};
use mujoco_rs::prelude::*;

use crate::contacts::{ContactTracker, Owner};
use crate::control::Controller;
use flexes::FlexBody;
use handles::{BodyHandle, EndHandles, LimbHandles};
use media::Media;

use base::BaseDrive;
use limb::{EndCommand, Route};

pub use checkpoint::Checkpoint;
pub(crate) use compile::compile_model;
pub use limb::LimbState;
pub(crate) use reading::{read_arm, rows_to_mat};
pub(crate) use step::diverged;

/// A MuJoCo model compiled from a structure, its state, the arm's controller and the snapshot.
pub struct World {
    data: MjData<Box<MjModel>>,
    structure: Structure,
    /// What a control step takes.
    control: ActionSpec,
    bodies: Vec<Body>,
    handles: Vec<BodyHandle>,
    limbs: Vec<LimbHandles>,
    controllers: Vec<Box<dyn Controller>>,
    ends: Vec<EndCommand>,
    bases: Vec<BaseDrive>,
    /// Who takes which numbers of an action.
    routes: Vec<Route>,
    /// What moves tools, whatever a control step takes.
    tool_actions: ActionSpec,
    /// What does not live in MuJoCo.
    media: Media,
    /// Rope and foam, which MuJoCo simulates.
    flexes: Vec<FlexBody>,
    /// Some controller needs forces and inertias of the very moment.
    fresh: bool,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    /// The box around each tracked body that is a whole object.
    boxes: Vec<Option<Bounds>>,
    /// Geoms painted with the object's colour, and their own colour.
    tinted: Vec<(usize, usize, [f32; 4])>,
    /// Position addresses of conveyor belts, and the travel after which they wrap.
    belts: Vec<(usize, f64)>,
    /// Geoms seen only while a part is open (or on): geom, position address, joint values.
    lamps: Vec<(usize, usize, [f64; 2])>,
    /// Bodies that the task moves in the control step to come.
    guided: Vec<Guided>,
    /// Time spent in MuJoCo, when somebody asked for it to be measured.
    physics: Option<std::time::Duration>,
    /// What a world has besides whose model comes from files.
    source: Option<Box<sourced::Sourced>>,
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

    /// The posture in which a limb begins an episode.
    pub(crate) fn home(&self, limb: LimbId) -> &Joints {
        &self.limbs[limb].home
    }

    /// What a control step takes: the rig's actions, or tool deltas where those are whole motions.
    pub fn control(&self) -> &ActionSpec {
        &self.control
    }

    /// What moves tools, whatever a control step takes.
    pub fn tool_actions(&self) -> &ActionSpec {
        &self.tool_actions
    }

    /// A limb's controller.
    pub fn controller(&self, limb: LimbId) -> &dyn Controller {
        &*self.controllers[limb]
    }

    /// Arm joint positions and velocities of all limbs, in order, into the given slices.
    pub fn read_joints(&self, positions: &mut [f64], velocities: &mut [f64]) {
        let joints = self.limbs.iter().flat_map(|l| l.qpos.iter().zip(&l.qvel).take(l.dof));
        for ((q, v), (position, velocity)) in joints.zip(positions.iter_mut().zip(velocities)) {
            *position = self.data.qpos()[*q];
            *velocity = self.data.qvel()[*v];
        }
    }

    /// Read what a policy may know of a limb.
    pub fn read_limb(&self, limb: LimbId, own: &mut Proprioception) {
        if self.read_source(own) {
            return;
        }
        let handles = &self.limbs[limb];
        for (to, q) in own.joints.iter_mut().zip(&handles.qpos[..handles.dof]) {
            *to = self.data.qpos()[*q];
        }
        for (to, v) in own.velocities.iter_mut().zip(&handles.qvel[..handles.dof]) {
            *to = self.data.qvel()[*v];
        }
        own.tool = self.snapshot.hands[limb].pose;
        own.opening = self.opening_share(limb);
        if let EndHandles::Hand(joints) = &handles.end {
            for (to, j) in own.hand.iter_mut().zip(joints) {
                *to = self.data.qpos()[j.qpos];
            }
        }
        own.base = self.base_reading(limb);
    }

    /// Appends time, positions and velocities of all joints: the state as robosuite flattens it.
    pub fn append_state(&self, out: &mut Vec<f64>) {
        out.push(self.snapshot.time);
        out.extend_from_slice(self.data.qpos());
        out.extend_from_slice(self.data.qvel());
    }

    /// Arm joints of all limbs.
    pub fn dof(&self) -> usize {
        self.limbs.iter().map(|l| l.dof).sum()
    }

    /// How far a limb's gripper is open, 0–1.
    pub fn opening_share(&self, limb: LimbId) -> f64 {
        let opening = self.snapshot.hands[limb].opening;
        match self.limbs[limb].end {
            EndHandles::Gripper { travel, .. } => (opening / (2.0 * travel)).clamp(0.0, 1.0),
            EndHandles::Suction { .. } | EndHandles::Hand(_) => opening,
        }
    }

    /// The first limb with a suction cup.
    pub(crate) fn suction_limb(&self) -> Option<LimbId> {
        self.limbs.iter().position(|l| matches!(l.end, EndHandles::Suction { .. }))
    }

    /// Geoms that glow while a part is on, and whether they do now.
    pub(crate) fn lamps(&self) -> impl Iterator<Item = (usize, bool)> {
        self.lamps.iter().map(|&(geom, q, [lo, _])| (geom, self.data.qpos()[q] >= lo))
    }

    pub(crate) fn data(&self) -> &MjData<Box<MjModel>> {
        &self.data
    }

    /// What each geom, and each flex, is in pictures.
    pub(crate) fn segments(&self) -> (Vec<i32>, Vec<i32>) {
        let ids = |owners: &[Owner]| owners.iter().map(|o| o.segment().id()).collect();
        (ids(self.contacts.owners()), ids(self.contacts.flex_owners()))
    }
}

//! A world compiled from a model of other people's files, driven as its own stack drives it.

mod drive;
mod handles;
mod mirror;
mod numbers;
mod pictures;

use std::collections::BTreeSet;

use longarm_assets::source::{SourceModel, SourceRobot};
use longarm_types::{DMat3, DVec3, Pose, SUBSTEPS};
use mujoco_rs::prelude::*;

use crate::SimError;
use crate::world::{compile_model, diverged, rows_to_mat};

pub(crate) use drive::{DriveState, SourceDrive};
pub(crate) use handles::find;

pub use numbers::{ElementNumbers, ModelNumbers};
pub use pictures::SourceCameras;
pub(crate) use pictures::SourceLook;

/// A model from files with its state, its arm's controller and its gripper.
///
/// It is stepped by tool deltas and a gripper command, seven numbers, 25 physics steps each; torques
/// are computed at every physics step. Nothing allocates in [`SourceWorld::step`].
pub struct SourceWorld {
    data: MjData<Box<MjModel>>,
    /// What drives its robot, where it has one that is driven.
    drive: Option<SourceDrive>,
}

/// A moment in the middle of an episode.
#[derive(Clone, Copy, Debug)]
pub struct SourceMoment<'a> {
    /// Time, positions and velocities of all joints.
    pub state: &'a [f64],
    /// Accelerations that the solver begins with.
    pub warm_start: &'a [f64],
    /// How the tool was last told to be turned.
    pub goal_rotation: DMat3,
    /// Where between its limits each finger's target is, −1 to 1.
    pub grip: [f64; 2],
}

impl SourceWorld {
    /// Compile a model and find its robot. The arm stands in its home posture.
    pub fn new(model: &SourceModel, robot: &SourceRobot) -> Result<Self, SimError> {
        let mut out = Self::undriven(model)?;
        out.drive = Some(SourceDrive::new(&out.data, robot)?);
        out.reset();
        Ok(out)
    }

    /// Compile a model whose robot, if there is one, nobody drives: its servos hold what they are told by
    /// default.
    pub fn undriven(model: &SourceModel) -> Result<Self, SimError> {
        let compiled = compile_model(&model.xml, &model.files)?;
        let mut data =
            MjData::try_new(Box::new(compiled)).map_err(|e| SimError::Compile(e.to_string()))?;
        data.forward();
        Ok(Self { data, drive: None })
    }

    /// Begin again: the state the model was compiled with, the arm in its home posture, the fingers
    /// where they begin. The controller notes what it finds and uses that for its first torques, unless
    /// [`SourceWorld::tell_controller`] says that something has changed.
    pub fn reset(&mut self) {
        self.data.reset();
        match &mut self.drive {
            Some(drive) => drive.reset(&mut self.data),
            None => self.data.forward(),
        }
    }

    /// Let the controller hold the arm where it is now, and use what it feels now.
    pub fn tell_controller(&mut self) {
        if let Some(drive) = &mut self.drive {
            drive.tell(&self.data);
        }
    }

    /// Put a body that is fixed to its parent somewhere else.
    pub fn place(&mut self, body: usize, pose: &Pose) {
        place(&mut self.data, body, pose);
    }

    /// How many numbers a state has: time, positions, velocities.
    pub fn state_len(&self) -> usize {
        1 + self.data.qpos().len() + self.data.qvel().len()
    }

    /// Set time, positions and velocities of all joints, in this order. False if there are more or
    /// fewer numbers than [`SourceWorld::state_len`]; nothing is changed then.
    pub fn set_state(&mut self, state: &[f64]) -> bool {
        set_state(&mut self.data, state)
    }

    /// Go on from a moment in the middle of an episode: state, what the solver begins with, how the tool
    /// is to be turned and where the fingers are told to be. False if the numbers do not fit.
    pub fn resume(&mut self, moment: &SourceMoment<'_>) -> bool {
        if moment.warm_start.len() != self.data.qvel().len() || !self.set_state(moment.state) {
            return false;
        }
        self.tell_controller();
        if let Some(drive) = &mut self.drive {
            drive.state.osc.set_goal_rotation(moment.goal_rotation);
            drive.state.grip = moment.grip;
        }
        self.data.qacc_warmstart_mut().copy_from_slice(moment.warm_start);
        true
    }

    /// Advance one control step: six numbers of a tool delta and a gripper command, each −1 to 1.
    pub fn step(&mut self, action: &[f64; 7]) -> Result<(), SimError> {
        self.step_seen(action, SUBSTEPS, |_| {})
    }

    /// The same; `see` is called once, after `after` physics steps, with poses as computed for the
    /// last of them. So observations of a stack are taken that samples them a little early.
    pub fn step_seen(
        &mut self,
        action: &[f64; 7],
        after: u32,
        mut see: impl FnMut(&Self),
    ) -> Result<(), SimError> {
        for k in 0..SUBSTEPS {
            match &mut self.drive {
                Some(drive) => drive.substep(&mut self.data, k, action, None),
                None => self.data.step(),
            }
            if k + 1 == after {
                see(self);
            }
        }
        diverged(&self.data)
    }

    /// Compute where everything is at this very moment. After a control step poses are those before
    /// its last physics step.
    pub fn refresh(&mut self) {
        self.data.kinematics();
    }

    /// Find a body by name.
    pub fn body(&self, name: &str) -> Result<usize, SimError> {
        find(self.data.model(), MjtObjBase::mjOBJ_BODY, "body", name)
    }

    /// Find a site by name.
    pub fn site(&self, name: &str) -> Result<usize, SimError> {
        find(self.data.model(), MjtObjBase::mjOBJ_SITE, "site", name)
    }

    /// Find where a joint's position is among all.
    pub fn joint(&self, name: &str) -> Result<usize, SimError> {
        let joint = find(self.data.model(), MjtObjBase::mjOBJ_JOINT, "joint", name)?;
        Ok(self.data.model().jnt_qposadr()[joint] as usize)
    }

    /// Return where a body is.
    pub fn body_pose(&self, body: usize) -> Pose {
        Pose::from_arrays(self.data.xpos()[body], self.data.xquat()[body])
    }

    /// Return where a site is and how it is turned.
    pub fn site_pose(&self, site: usize) -> (DVec3, DMat3) {
        (DVec3::from(self.data.site_xpos()[site]), rows_to_mat(&self.data.site_xmat()[site]))
    }

    /// Return where the tool is and how it is turned; nowhere if nothing is driven.
    pub fn tool(&self) -> (DVec3, DMat3) {
        let nowhere = (DVec3::NAN, DMat3::IDENTITY);
        self.drive.as_ref().map_or(nowhere, |drive| self.site_pose(drive.arm.tool))
    }

    /// Return all joint positions.
    pub fn positions(&self) -> &[f64] {
        self.data.qpos()
    }

    /// Return how many contacts there are.
    pub fn contacts(&self) -> usize {
        self.data.contact().len()
    }

    /// Return the felt geoms (group 0) of bodies whose names begin so.
    pub fn felt_geoms(&self, prefix: &str) -> BTreeSet<i32> {
        felt_geoms(self.data.model(), prefix)
    }

    /// Return whether a geom of one set touches one of another.
    pub fn touch(&self, a: &BTreeSet<i32>, b: &BTreeSet<i32>) -> bool {
        touch(&self.data, a, b)
    }
}

/// Put a body that is fixed to its parent somewhere else.
pub(crate) fn place(data: &mut MjData<Box<MjModel>>, body: usize, pose: &Pose) {
    // SAFETY: poses of bodies may change between steps; no size or index of the model does.
    #[allow(unsafe_code)]
    let model = unsafe { data.model_mut() };
    model.body_pos_mut()[body] = pose.pos.to_array();
    model.body_quat_mut()[body] = pose.wxyz();
}

/// Set time, positions and velocities; false, and nothing changed, if there are more or fewer numbers.
pub(crate) fn set_state(data: &mut MjData<Box<MjModel>>, state: &[f64]) -> bool {
    if state.len() != 1 + data.qpos().len() + data.qvel().len() {
        return false;
    }
    let (time, rest) = (state[0], &state[1..]);
    let (qpos, qvel) = rest.split_at(data.qpos().len());
    data.set_time(time);
    data.qpos_mut().copy_from_slice(qpos);
    data.qvel_mut().copy_from_slice(qvel);
    data.forward();
    true
}

/// Set positions of joints by name.
pub(crate) fn set_joints(
    data: &mut MjData<Box<MjModel>>,
    joints: &[(String, Vec<f64>)],
) -> Result<(), SimError> {
    for (name, values) in joints {
        let model = data.model();
        let joint = find(model, MjtObjBase::mjOBJ_JOINT, "joint", name)?;
        let from = model.jnt_qposadr()[joint] as usize;
        let next = model.jnt_qposadr().get(joint + 1).map_or(data.qpos().len(), |a| *a as usize);
        if next - from != values.len() {
            return Err(SimError::State { has: values.len(), wants: next - from });
        }
        data.qpos_mut()[from..next].copy_from_slice(values);
    }
    data.forward();
    Ok(())
}

/// The felt geoms (group 0) of bodies whose names begin so.
pub(crate) fn felt_geoms(model: &MjModel, prefix: &str) -> BTreeSet<i32> {
    let own = |g: &usize| {
        let body = model.geom_bodyid()[*g] as usize;
        let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, body).unwrap_or("");
        name.starts_with(prefix) && model.geom_group()[*g] == 0
    };
    (0..model.ffi().ngeom as usize).filter(own).map(|g| g as i32).collect()
}

/// Whether a geom of one set touches one of another.
pub(crate) fn touch(data: &MjData<Box<MjModel>>, a: &BTreeSet<i32>, b: &BTreeSet<i32>) -> bool {
    data.contact().iter().any(|c| {
        let [g, h] = c.geom;
        (a.contains(&g) && b.contains(&h)) || (a.contains(&h) && b.contains(&g))
    })
}

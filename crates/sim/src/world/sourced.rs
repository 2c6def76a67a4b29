//! A world whose model comes from other people's files: how it begins, steps, is judged and observed.

mod names;

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_assets::source::{SourceRobot, ToolFrame};
use longarm_assets::{Body, BodyRole, Structure};
use longarm_task::{Scene, Snapshot, SourceGoal, SourceScene, SourceState, SourceTiming, Starts};
use longarm_types::{DQuat, DVec3, MAX_ACTION, Pose, Proprioception, RunningHash, SUBSTEPS, Twist};
use mujoco_rs::prelude::*;

use super::handles::BodyHandle;
use super::limb::EndCommand;
use super::media::Media;
use super::{World, compile_model, diverged};
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::source::{DriveState, SourceDrive, find, place, set_joints, set_state};
use names::{Look, Names, limb, owners};

type Data = MjData<Box<MjModel>>;

/// What such a world has besides.
pub(super) struct Sourced {
    drive: SourceDrive,
    robot: SourceRobot,
    hand: usize,
    origin: DVec3,
    /// Sites that glow: site, position address, least position.
    glows: Vec<(usize, usize, f64)>,
    /// Cameras of the rig and the model's own numbers of them.
    cameras: BTreeMap<String, usize>,
    goal: Arc<dyn SourceGoal>,
    names: Names,
    starts: Starts,
    timing: SourceTiming,
    /// The moment that is observed, with poses computed for it.
    seen: Data,
    moment: Moment,
}

/// What changes from step to step: copying it copies all.
#[derive(Clone)]
pub(super) struct Moment {
    drive: DriveState,
    /// Positions that poses are observed at.
    poses: Vec<f64>,
    /// Positions and velocities that joints are observed at.
    joints: (Vec<f64>, Vec<f64>),
    /// Whether each site that can glow does, as of the end of the action before.
    lit: Vec<bool>,
    /// Poses of the observed moment were computed.
    prepared: bool,
}

impl World {
    /// Compile a world from files for a rig. It is empty of meaning until [`World::reset`].
    pub fn from_source(structure: &Structure, scene: &SourceScene) -> Result<Self, SimError> {
        let model = compile_model(&scene.model.xml, &scene.model.files)?;
        let failed = |e: &dyn std::fmt::Display| SimError::Compile(e.to_string());
        let mut data = MjData::try_new(Box::new(model)).map_err(|e| failed(&e))?;
        data.forward();
        let model = data.model();
        let site = |name: &str| find(model, MjtObjBase::mjOBJ_SITE, "site", name);
        let mut glows = Vec::new();
        for glow in &scene.glows {
            let joint = find(model, MjtObjBase::mjOBJ_JOINT, "joint", &glow.joint)?;
            glows.push((site(&glow.site)?, model.jnt_qposadr()[joint] as usize, glow.from));
        }
        let mut cameras = BTreeMap::new();
        for (ours, theirs) in &scene.cameras {
            let id = find(model, MjtObjBase::mjOBJ_CAMERA, "camera", theirs)?;
            cameras.insert(ours.clone(), id);
        }
        let limb = limb(model, structure, &scene.robot)?;
        let owner = owners(model, &limb);
        let drive = SourceDrive::new(&data, &scene.robot)?;
        let sourced = Sourced {
            moment: Moment {
                drive: drive.state.clone(),
                poses: data.qpos().to_vec(),
                joints: (data.qpos().to_vec(), data.qvel().to_vec()),
                lit: vec![false; glows.len()],
                prepared: false,
            },
            drive,
            hand: find(model, MjtObjBase::mjOBJ_BODY, "body", &scene.robot.hand.body)?,
            robot: scene.robot.clone(),
            origin: DVec3::from(scene.origin),
            glows,
            cameras,
            names: Names::find(model, &*scene.goal)?,
            goal: Arc::clone(&scene.goal),
            starts: Arc::clone(&scene.starts),
            timing: scene.timing.clone(),
            seen: data.clone(),
        };
        let whole = Body { name: "world".to_owned(), role: BodyRole::World };
        Ok(Self {
            data,
            structure: structure.clone(),
            control: structure.rig.action.control().into_owned(),
            handles: vec![BodyHandle { body: 0, sleeper: 0, free: None, joint: None, axis: None }],
            contacts: ContactTracker::new(owner, Vec::new(), 1, vec![false]),
            ends: vec![EndCommand::new(&limb.end)],
            limbs: vec![limb],
            controllers: Vec::new(),
            bases: Vec::new(),
            routes: Vec::new(),
            tool_actions: structure.rig.tool_actions(),
            media: Media::default(),
            flexes: Vec::new(),
            fresh: false,
            snapshot: Snapshot::empty(1, &structure.rig.limb_names()),
            hash: RunningHash::default(),
            clipped: 0,
            boxes: vec![None],
            bodies: vec![whole],
            tinted: Vec::new(),
            belts: Vec::new(),
            guided: Vec::new(),
            lamps: Vec::new(),
            physics: None,
            source: Some(Box::new(sourced)),
        })
    }

    /// Begin the episode of a scene's seed as its files say.
    pub(super) fn reset_source(&mut self, scene: &Scene) -> Result<(), SimError> {
        let Some(own) = &mut self.source else { return Ok(()) };
        let start = (own.starts)(scene.seed)?;
        for (name, pose) in &start.fixed {
            let body = find(self.data.model(), MjtObjBase::mjOBJ_BODY, "body", name)?;
            place(&mut self.data, body, pose);
            place(&mut own.seen, body, pose);
        }
        self.data.reset();
        own.drive.reset_before_state(&mut self.data);
        match &start.state {
            SourceState::Whole(state) if set_state(&mut self.data, state) => {}
            SourceState::Whole(state) => {
                let wants = 1 + self.data.qpos().len() + self.data.qvel().len();
                return Err(SimError::State { has: state.len(), wants });
            }
            SourceState::Joints(joints) => set_joints(&mut self.data, joints)?,
        }
        if !own.timing.unaware {
            own.drive.tell(&self.data);
        }
        own.moment.lit.fill(false);
        self.snapshot = Snapshot::empty(1, &self.structure.rig.limb_names());
        self.snapshot.facts = vec![false; own.goal.facts()];
        self.hash = RunningHash::default();
        self.clipped = 0;
        own.moment.note(&self.data);
        for action in own.timing.settle.clone() {
            self.control_step(&action)?;
        }
        self.refresh_source();
        self.digest_state();
        Ok(())
    }

    /// Advance one control step under numbers that were clipped.
    pub(super) fn step_source(&mut self, numbers: &[f64; MAX_ACTION]) -> Result<(), SimError> {
        let mut action = [0.0; 7];
        action.copy_from_slice(&numbers[..7]);
        self.control_step(&action)?;
        self.snapshot.step += 1;
        self.refresh_source();
        self.digest_state();
        Ok(())
    }

    fn control_step(&mut self, action: &[f64; 7]) -> Result<(), SimError> {
        let Some(own) = &mut self.source else { return Ok(()) };
        for ((_, q, from), lit) in own.glows.iter().zip(&mut own.moment.lit) {
            *lit = self.data.qpos()[*q] >= *from;
        }
        own.moment.prepared = false;
        for k in 0..SUBSTEPS {
            if own.timing.sampled == Some(k + 1) {
                own.moment.poses.copy_from_slice(self.data.qpos());
            }
            own.drive.substep(&mut self.data, k, action, self.physics.as_mut());
            if own.timing.sampled.unwrap_or(SUBSTEPS) == k + 1 {
                own.moment.joints.0.copy_from_slice(self.data.qpos());
                own.moment.joints.1.copy_from_slice(self.data.qvel());
            }
        }
        if own.timing.sampled.is_none() {
            own.moment.poses.copy_from_slice(self.data.qpos());
        }
        self.ends[0].gripper = action[6];
        diverged(&self.data)
    }

    /// Judge what holds and tell where the hand is.
    fn refresh_source(&mut self) {
        let Some(own) = &self.source else { return };
        let look = Look { data: &self.data, names: &own.names };
        for (fact, holds) in self.snapshot.facts.iter_mut().enumerate() {
            *holds = own.goal.holds(fact, &look);
        }
        self.snapshot.time = self.data.time();
        let pose = own.tool(&self.data);
        let hand = &mut self.snapshot.hands[0];
        let rate = f64::from(longarm_types::CONTROL_HZ);
        hand.twist = match self.snapshot.step {
            0 => Twist::default(),
            _ => Twist {
                linear: (pose.pos - hand.pose.pos) * rate,
                angular: longarm_types::rotation_between(hand.pose.rot, pose.rot) * rate,
            },
        };
        hand.pose = pose;
        hand.commanded = pose;
        let fingers = own.fingers(self.data.qpos());
        hand.opening = (fingers[0] - fingers[1]).abs();
        hand.closing = self.ends[0].gripper > 0.0;
    }

    /// Set the arm back to its home posture between two skills; nothing else moves.
    pub(super) fn reset_arm_source(&mut self) {
        let Some(own) = &mut self.source else { return };
        own.drive.reset(&mut self.data);
        own.drive.tell(&self.data);
        own.moment.note(&self.data);
        self.refresh_source();
    }

    /// Compute where everything was at the moment that is observed, where that is not now. Worlds of our
    /// own are observed as they are.
    pub fn prepare_observation(&mut self) {
        let Some(own) = self.source.as_mut().filter(|own| !own.moment.prepared) else { return };
        own.seen.qpos_mut().copy_from_slice(&own.moment.poses);
        own.seen.kinematics();
        own.seen.camlight();
        own.moment.prepared = true;
    }

    /// What cameras look at.
    pub(crate) fn observed(&self) -> &Data {
        match &self.source {
            Some(own) if own.moment.prepared => &own.seen,
            _ => &self.data,
        }
    }

    /// The model's own number of a camera of the rig; `None` in worlds of our own.
    pub(crate) fn source_camera(&self, name: &str) -> Option<Result<usize, SimError>> {
        let own = self.source.as_ref()?;
        let missing = || SimError::Missing { kind: "camera", name: name.to_owned() };
        Some(own.cameras.get(name).copied().ok_or_else(missing))
    }

    /// Sites that can glow, and whether they do.
    pub(crate) fn glowing(&self) -> impl Iterator<Item = (usize, bool)> {
        let own = self.source.as_ref();
        own.into_iter().flat_map(|own| own.glows.iter().map(|g| g.0).zip(own.moment.lit.clone()))
    }

    /// Whether it comes from files.
    pub(crate) fn is_sourced(&self) -> bool {
        self.source.is_some()
    }

    /// Read what a policy may know of the limb at the moment that is observed.
    pub(super) fn read_source(&self, out: &mut Proprioception) -> bool {
        let Some(own) = &self.source else { return false };
        let (limb, (qpos, qvel)) = (&self.limbs[0], &own.moment.joints);
        for (to, q) in out.joints.iter_mut().zip(&limb.qpos[..limb.dof]) {
            *to = qpos[*q];
        }
        for (to, v) in out.velocities.iter_mut().zip(&limb.qvel[..limb.dof]) {
            *to = qvel[*v];
        }
        out.tool = own.tool(self.observed());
        let [a, b] = own.fingers(qpos);
        out.fingers = Some([a, b]);
        out.opening = ((a - b).abs() / (2.0 * own.robot.gripper.travel)).clamp(0.0, 1.0);
        true
    }

    pub(super) fn save_source(&self) -> Option<Moment> {
        let own = self.source.as_ref()?;
        Some(Moment { drive: own.drive.state.clone(), ..own.moment.clone() })
    }

    pub(super) fn restore_source(&mut self, saved: Option<&Moment>) {
        if let (Some(own), Some(saved)) = (&mut self.source, saved) {
            own.drive.state.clone_from(&saved.drive);
            own.moment.clone_from(saved);
            own.moment.prepared = false;
            // SAFETY: poses of bodies may change between steps; no size or index of the model does.
            #[allow(unsafe_code)]
            let model = unsafe { own.seen.model_mut() };
            model.body_pos_mut().copy_from_slice(self.data.model().body_pos());
            model.body_quat_mut().copy_from_slice(self.data.model().body_quat());
        }
    }
}

impl Moment {
    /// What is observed is what is there now.
    fn note(&mut self, data: &Data) {
        self.poses.copy_from_slice(data.qpos());
        self.joints.0.copy_from_slice(data.qpos());
        self.joints.1.copy_from_slice(data.qvel());
        self.prepared = false;
    }
}

impl Sourced {
    /// The tool in our frame.
    fn tool(&self, data: &Data) -> Pose {
        let ToolFrame { ahead, .. } = &self.robot.hand;
        let [w, x, y, z] = data.xquat()[self.hand];
        let rot = DQuat::from_xyzw(x, y, z, w).normalize();
        let at = DVec3::from(data.site_xpos()[self.drive.arm.tool]);
        Pose::new(at + rot * DVec3::Z * *ahead - self.origin, rot)
    }

    fn fingers(&self, qpos: &[f64]) -> [f64; 2] {
        let at = |i: usize| self.drive.arm.fingers.get(i).map_or(0.0, |f| qpos[f.qpos]);
        [at(0), at(1)]
    }
}

//! One compiled model with its state.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::robots::{self, Gripper};
use longarm_assets::{Body, BodyRole, Composed, Structure, Tint, compose};
use longarm_task::{BodyState, Scene, Snapshot};
use longarm_types::{Bounds, DQuat, DVec3, Digest, Pose, RunningHash, SUBSTEPS, TIMESTEP, Twist};
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_auxiliary::MjVfs;

use crate::SimError;
use crate::contacts::{ContactTracker, Owner};
use crate::control::ArmController;

/// Longest time a new scene may take to come to rest.
const SETTLE_SECONDS: f64 = 1.0;
/// Speed below which a body counts as resting while settling.
const SETTLED_SPEED: f64 = 2e-3;

/// Physics steps between readings of contacts while settling: fewer than MuJoCo waits before it puts
/// a body to sleep.
const WATCH: u32 = 5;

/// Where a tracked body's numbers live in MuJoCo's arrays.
#[derive(Clone, Copy, Debug)]
struct BodyHandle {
    body: usize,
    /// First of seven positions and six velocities, for free bodies.
    free: Option<(usize, usize)>,
    /// Position and velocity address of a part's joint.
    joint: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct RobotHandles {
    dof: usize,
    qpos: [usize; MAX_JOINTS],
    qvel: [usize; MAX_JOINTS],
    actuators: [usize; MAX_JOINTS],
    tool_site: usize,
    hand: HandHandles,
}

#[derive(Clone, Debug)]
enum HandHandles {
    Parallel {
        actuator: usize,
        /// Positions of the two finger joints.
        fingers: [usize; 2],
        /// Their velocities.
        speeds: [usize; 2],
        /// Travel of one finger.
        travel: f64,
    },
    Suction {
        cup: usize,
        /// Weld that attaches each tracked body, where there is one.
        welds: Vec<Option<usize>>,
        holding: Option<usize>,
    },
}

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
    /// Position addresses of conveyor belts, and the travel after which they wrap.
    belts: Vec<(usize, f64)>,
    /// Geoms seen only while a part is open (or on): geom, position address, joint values.
    lamps: Vec<(usize, usize, [f64; 2])>,
    /// Time spent in MuJoCo, when somebody asked for it to be measured.
    physics: Option<std::time::Duration>,
}

/// Everything needed to return to a moment exactly.
pub struct Checkpoint {
    data: MjData<Box<MjModel>>,
    controller: ArmController,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    holding: Option<usize>,
}

fn id(
    model: &MjModel,
    kind: MjtObjBase,
    what: &'static str,
    name: &str,
) -> Result<usize, SimError> {
    model.name_to_id(kind, name).ok_or_else(|| SimError::Missing { kind: what, name: name.into() })
}

/// Keeps MuJoCo from writing MUJOCO_LOG.TXT into the user's folder. What matters among its warnings
/// is read from the simulation's state after every control step.
fn quiet_mujoco() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: every use of MuJoCo in this crate goes through a compiled model, and none is compiled
    // before this has returned.
    #[allow(unsafe_code)]
    ONCE.call_once(|| unsafe { install_logging_hook() });
}

/// Compiles MJCF text with the files it names.
pub(crate) fn compile(composed: &Composed) -> Result<MjModel, SimError> {
    quiet_mujoco();
    let fail = |e: &dyn std::fmt::Display| SimError::Compile(e.to_string());
    let mut vfs = MjVfs::new();
    for (name, bytes) in &composed.files {
        vfs.add_from_buffer(name, bytes).map_err(|e| fail(&e))?;
    }
    vfs.add_from_buffer("longarm.xml", composed.xml.as_bytes()).map_err(|e| fail(&e))?;
    MjModel::from_xml_vfs("longarm.xml", &vfs).map_err(|e| fail(&e))
}

impl World {
    /// Compiles a structure. The world is empty of meaning until [`World::reset`].
    pub fn new(structure: &Structure) -> Result<Self, SimError> {
        let composed = compose(structure);
        let model = compile(&composed)?;
        let handles = composed
            .bodies
            .iter()
            .map(|b| Self::body_handle(&model, b))
            .collect::<Result<Vec<_>, _>>()?;
        let spec = robots::spec(structure.rig.robot);
        let chain = spec.chain(&structure.rig.mount);
        let mut robot = RobotHandles {
            dof: chain.dof(),
            qpos: [0; MAX_JOINTS],
            qvel: [0; MAX_JOINTS],
            actuators: [0; MAX_JOINTS],
            tool_site: id(&model, MjtObjBase::mjOBJ_SITE, "site", "robot/tool")?,
            hand: Self::hand_handles(&model, &spec.gripper, &composed.bodies)?,
        };
        let mut feed = [0.0; MAX_JOINTS];
        for (i, joint) in spec.links.iter().filter_map(|l| l.joint.as_ref()).enumerate() {
            let name = format!("robot/{}", joint.name);
            let j = id(&model, MjtObjBase::mjOBJ_JOINT, "joint", &name)?;
            robot.qpos[i] = model.jnt_qposadr()[j] as usize;
            robot.qvel[i] = model.jnt_dofadr()[j] as usize;
            robot.actuators[i] = id(&model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", &name)?;
            feed[i] = joint.kv / joint.kp;
        }
        let mut home = [0.0; MAX_JOINTS];
        home[..robot.dof].copy_from_slice(&structure.rig.home[..robot.dof]);
        let owner = Self::geom_owners(&model, &handles)?;
        let n = composed.bodies.len();
        let mut tinted = Vec::new();
        for g in 0..model.ffi().ngeom as usize {
            let Some(name) = model.id_to_name(MjtObjBase::mjOBJ_GEOM, g) else { continue };
            let Some((object, _)) = name.split_once("/tint") else { continue };
            if let Some(i) = structure.instances.iter().position(|o| o.name == object) {
                tinted.push((g, i, model.geom_rgba()[g]));
            }
        }
        let belts = structure
            .instances
            .iter()
            .filter_map(|inst| {
                let belt = inst.asset.info().belt.as_ref()?;
                let name = format!("{}/{}_joint", inst.name, belt.part);
                let joint = model.name_to_id(MjtObjBase::mjOBJ_JOINT, &name)?;
                Some((model.jnt_qposadr()[joint] as usize, belt.pitch))
            })
            .collect();
        let lamps = Self::find_lamps(&model, structure, &composed, &handles);
        let data =
            MjData::try_new(Box::new(model)).map_err(|e| SimError::Compile(e.to_string()))?;
        Ok(Self {
            data,
            structure: structure.clone(),
            handles,
            controller: ArmController::new(chain, feed, &home),
            contacts: ContactTracker::new(owner, n),
            snapshot: Snapshot::empty(n),
            hash: RunningHash::default(),
            clipped: 0,
            boxes: composed
                .bodies
                .iter()
                .map(|b| match b.role {
                    BodyRole::Object(i) => Some(composed.infos[i].bounds),
                    _ => None,
                })
                .collect(),
            bodies: composed.bodies,
            robot,
            tinted,
            home,
            belts,
            lamps,
            physics: None,
        })
    }

    /// Geoms named `{object}/lit_{part}`.
    fn find_lamps(
        model: &MjModel,
        structure: &Structure,
        composed: &Composed,
        handles: &[BodyHandle],
    ) -> Vec<(usize, usize, [f64; 2])> {
        let mut lamps = Vec::new();
        for (body, handle) in composed.bodies.iter().zip(handles) {
            let (BodyRole::Part(i, p), Some((q, _))) = (body.role, handle.joint) else { continue };
            let part = &composed.infos[i].parts[p];
            let name = format!("{}/lit_{}", structure.instances[i].name, part.name);
            if let Some(geom) = model.name_to_id(MjtObjBase::mjOBJ_GEOM, &name) {
                lamps.push((geom, q, part.open));
            }
        }
        lamps
    }

    fn body_handle(model: &MjModel, body: &Body) -> Result<BodyHandle, SimError> {
        let b = id(model, MjtObjBase::mjOBJ_BODY, "body", &body.name)?;
        let first = model.body_jntadr()[b];
        let mut handle = BodyHandle { body: b, free: None, joint: None };
        if first >= 0 {
            let j = first as usize;
            let at = (model.jnt_qposadr()[j] as usize, model.jnt_dofadr()[j] as usize);
            match body.role {
                BodyRole::Object(_) if model.jnt_type()[j] == MjtJoint::mjJNT_FREE => {
                    handle.free = Some(at);
                }
                BodyRole::Part(..) => handle.joint = Some(at),
                _ => {}
            }
        }
        Ok(handle)
    }

    fn hand_handles(
        model: &MjModel,
        gripper: &Gripper,
        bodies: &[Body],
    ) -> Result<HandHandles, SimError> {
        Ok(match gripper {
            Gripper::Parallel { opening, .. } => {
                let (mut fingers, mut speeds) = ([0; 2], [0; 2]);
                for (k, pad) in ["robot/pad_left", "robot/pad_right"].into_iter().enumerate() {
                    let geom = id(model, MjtObjBase::mjOBJ_GEOM, "geom", pad)?;
                    let body = model.geom_bodyid()[geom] as usize;
                    let joint = usize::try_from(model.body_jntadr()[body]).map_err(|_| {
                        SimError::Missing { kind: "finger joint of geom", name: pad.into() }
                    })?;
                    fingers[k] = model.jnt_qposadr()[joint] as usize;
                    speeds[k] = model.jnt_dofadr()[joint] as usize;
                }
                HandHandles::Parallel {
                    actuator: id(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", "robot/gripper")?,
                    fingers,
                    speeds,
                    travel: opening / 2.0,
                }
            }
            Gripper::Suction { .. } => HandHandles::Suction {
                cup: id(model, MjtObjBase::mjOBJ_BODY, "body", "robot/cup")?,
                welds: bodies
                    .iter()
                    .map(|b| {
                        model.name_to_id(MjtObjBase::mjOBJ_EQUALITY, &format!("suction/{}", b.name))
                    })
                    .collect(),
                holding: None,
            },
        })
    }

    fn geom_owners(model: &MjModel, handles: &[BodyHandle]) -> Result<Vec<Owner>, SimError> {
        let nbody = model.ffi().nbody as usize;
        let mut of_body = vec![None; nbody];
        for (i, h) in handles.iter().enumerate() {
            of_body[h.body] = Some(Owner::Body(i));
        }
        let finger = |pad: &str| {
            model.name_to_id(MjtObjBase::mjOBJ_GEOM, pad).map(|g| model.geom_bodyid()[g] as usize)
        };
        let cup = model.name_to_id(MjtObjBase::mjOBJ_BODY, "robot/cup");
        for b in 1..nbody {
            let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, b).unwrap_or("");
            if of_body[b].is_some() {
                continue;
            }
            of_body[b] = if Some(b) == finger("robot/pad_left") || Some(b) == cup {
                Some(Owner::Left)
            } else if Some(b) == finger("robot/pad_right") {
                Some(Owner::Right)
            } else if name.starts_with("robot/") {
                Some(Owner::Robot)
            } else {
                // Parents come before children in MuJoCo's order.
                of_body[model.body_parentid()[b] as usize]
            };
        }
        Ok(model
            .geom_bodyid()
            .iter()
            .map(|&b| of_body[b as usize].unwrap_or(Owner::Body(0)))
            .collect())
    }

    /// Puts a scene into the world and lets it come to rest.
    pub fn reset(&mut self, scene: &Scene) -> Result<(), SimError> {
        // With sleeping enabled MuJoCo computes static poses on reset only: fixtures come first.
        self.place_fixtures(scene);
        self.data.reset();
        self.place(scene);
        if let HandHandles::Suction { holding, .. } = &mut self.robot.hand {
            *holding = None;
        }
        self.snapshot = Snapshot::empty(self.bodies.len());
        self.contacts.reset();
        self.hash = RunningHash::default();
        self.clipped = 0;
        self.arm_home();
        self.settle(scene)?;
        self.data.set_time(0.0);
        self.refresh();
        self.digest_state();
        Ok(())
    }

    /// Sets the arm to its home posture, at rest and with the hand open.
    fn arm_home(&mut self) {
        self.controller.reset(&self.home);
        for i in 0..self.robot.dof {
            self.data.qpos_mut()[self.robot.qpos[i]] = self.home[i];
            self.data.qvel_mut()[self.robot.qvel[i]] = 0.0;
        }
        if let HandHandles::Parallel { fingers, speeds, travel, .. } = self.robot.hand {
            for (f, v) in fingers.into_iter().zip(speeds) {
                self.data.qpos_mut()[f] = travel;
                self.data.qvel_mut()[v] = 0.0;
            }
        }
        self.apply_control(SUBSTEPS - 1);
        self.data.forward();
    }

    /// Sets the arm back to its home posture between two skills. Everything else stays exactly as
    /// it is; what the hand held is let go where it is.
    pub fn neutral(&mut self) {
        self.release();
        self.arm_home();
        self.refresh();
    }

    fn place_fixtures(&mut self, scene: &Scene) {
        for (b, h) in self.bodies.iter().zip(&self.handles) {
            if let (BodyRole::Object(i), None) = (b.role, h.free) {
                // SAFETY: poses of fixtures may change between steps; no size or index of the
                // model does.
                #[allow(unsafe_code)]
                let model = unsafe { self.data.model_mut() };
                model.body_pos_mut()[h.body] = scene.poses[i].pos.to_array();
                model.body_quat_mut()[h.body] = scene.poses[i].wxyz();
            }
        }
    }

    fn place(&mut self, scene: &Scene) {
        for (b, h) in self.bodies.iter().zip(&self.handles) {
            match (b.role, h) {
                (BodyRole::Object(i), BodyHandle { free: Some((q, _)), .. }) => {
                    let qpos = &mut self.data.qpos_mut()[*q..*q + 7];
                    qpos[..3].copy_from_slice(&scene.poses[i].pos.to_array());
                    qpos[3..].copy_from_slice(&scene.poses[i].wxyz());
                }
                (BodyRole::Part(i, p), BodyHandle { joint: Some((q, _)), .. }) => {
                    let info = self.structure.instances[i].asset.info();
                    self.data.qpos_mut()[*q] = scene.part_value(i, &info.parts[p].name);
                }
                _ => {}
            }
        }
        for &(geom, instance, own) in &self.tinted {
            let rgba = match scene.tints[instance] {
                Tint::Own => own,
                Tint::Named(c) => {
                    let [r, g, b] = c.rgb();
                    [r, g, b, own[3]]
                }
            };
            // SAFETY: colours may change at any time.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            model.geom_rgba_mut()[geom] = rgba;
        }
        for &(instance, speed) in &scene.belts {
            let inst = &self.structure.instances[instance];
            let Some(belt) = &inst.asset.info().belt else { continue };
            let name = format!("{}/{}", inst.name, belt.part);
            if let Some(a) = self.data.model().name_to_id(MjtObjBase::mjOBJ_ACTUATOR, &name) {
                self.data.ctrl_mut()[a] = speed;
            }
        }
    }

    fn settle(&mut self, scene: &Scene) -> Result<(), SimError> {
        let moving = !scene.belts.is_empty();
        let most = (SETTLE_SECONDS / TIMESTEP) as u32;
        let mut quiet = 0;
        for k in 0..most {
            self.data.step();
            if k % WATCH == 0 {
                // A body asleep before its contacts were ever read would seem to float.
                self.refresh();
            }
            let (speed, _) = self.fastest();
            quiet = if speed < SETTLED_SPEED { quiet + 1 } else { 0 };
            if quiet >= 20 || (moving && k >= 100) {
                return self.check();
            }
        }
        let (speed, i) = self.fastest();
        if speed < 0.02 {
            return self.check();
        }
        Err(SimError::Unsettled {
            seed: scene.seed.0,
            seconds: SETTLE_SECONDS,
            object: self.bodies[i].name.clone(),
            speed,
        })
    }

    fn fastest(&self) -> (f64, usize) {
        let v = self.data.qvel();
        let mut worst = (0.0, 0);
        for (i, h) in self.handles.iter().enumerate() {
            let speed = match (h.free, h.joint) {
                (Some((_, d)), _) => {
                    let lin = DVec3::new(v[d], v[d + 1], v[d + 2]).length();
                    lin.max(0.02 * DVec3::new(v[d + 3], v[d + 4], v[d + 5]).length())
                }
                (None, Some((_, d))) => v[d].abs(),
                _ => 0.0,
            };
            if speed > worst.0 {
                worst = (speed, i);
            }
        }
        worst
    }

    /// Advances one control step under an end-effector action that was already checked.
    pub fn step(&mut self, action: &[f32]) -> Result<(), SimError> {
        let q = self.joints();
        if self.controller.command(action, &q) {
            self.clipped += 1;
        }
        for k in 0..SUBSTEPS {
            self.apply_control(k);
            match &mut self.physics {
                None => self.data.step(),
                Some(spent) => {
                    let t = std::time::Instant::now();
                    self.data.step();
                    *spent += t.elapsed();
                }
            }
        }
        self.check()?;
        for &(q, pitch) in &self.belts {
            // A belt's slats repeat: it moves on for ever without going anywhere.
            let at = &mut self.data.qpos_mut()[q];
            *at -= (*at / pitch).floor() * pitch;
        }
        self.snapshot.step += 1;
        self.refresh();
        self.digest_state();
        Ok(())
    }

    fn joints(&self) -> Joints {
        let mut q = [0.0; MAX_JOINTS];
        for i in 0..self.robot.dof {
            q[i] = self.data.qpos()[self.robot.qpos[i]];
        }
        q
    }

    fn apply_control(&mut self, k: u32) {
        let mut ctrl = [0.0; MAX_JOINTS];
        self.controller.servo(k, &self.joints(), &mut ctrl);
        let out = self.data.ctrl_mut();
        for i in 0..self.robot.dof {
            out[self.robot.actuators[i]] = ctrl[i];
        }
        if let HandHandles::Parallel { actuator, travel, .. } = self.robot.hand {
            out[actuator] = travel * 0.5 * (1.0 - self.controller.gripper());
        }
    }

    fn check(&self) -> Result<(), SimError> {
        const BAD: [(MjtWarning, &str); 3] = [
            (MjtWarning::mjWARN_BADQPOS, "a position is not finite"),
            (MjtWarning::mjWARN_BADQVEL, "a velocity is not finite"),
            (MjtWarning::mjWARN_BADQACC, "an acceleration is not finite"),
        ];
        let warnings = &self.data.ffi().warning;
        match BAD.iter().find(|(w, _)| warnings[*w as usize].number > 0) {
            Some(&(_, what)) => Err(SimError::Diverged { time: self.data.time(), what }),
            None => Ok(()),
        }
    }

    /// Reads poses, velocities, contacts and the hand out of MuJoCo.
    fn refresh(&mut self) {
        let d = &self.data;
        let snap = &mut self.snapshot;
        snap.time = d.time();
        for ((i, h), role) in
            self.handles.iter().enumerate().zip(self.bodies.iter().map(|b| b.role))
        {
            let pose = Pose::from_arrays(d.xpos()[h.body], d.xquat()[h.body]);
            let mut twist = Twist::default();
            if let Some((_, v)) = h.free {
                let q = d.qvel();
                twist.linear = DVec3::new(q[v], q[v + 1], q[v + 2]);
                // A free joint's angular velocity is in the body's own frame.
                twist.angular = pose.rot * DVec3::new(q[v + 3], q[v + 4], q[v + 5]);
            } else if let (Some((p, v)), BodyRole::Part(..)) = (h.joint, role) {
                snap.joints[i] = d.qpos()[p];
                twist.linear = DVec3::new(d.qvel()[v], 0.0, 0.0);
            }
            snap.bodies[i] = BodyState { pose, twist };
        }
        let awake = d.body_awake();
        let handles = &self.handles;
        self.contacts.update(
            d.contact(),
            |b| awake[handles[b].body] != MjtSleepState::mjS_AWAKE,
            snap,
        );
        let site = self.robot.tool_site;
        let m = d.site_xmat()[site];
        let rot = DQuat::from_mat3(&longarm_types::DMat3::from_cols_array(&[
            m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8],
        ]));
        let pose = Pose::new(DVec3::from(d.site_xpos()[site]), rot.normalize());
        let hand = &mut snap.hand;
        hand.twist.linear = if snap.step == 0 {
            DVec3::ZERO
        } else {
            (pose.pos - hand.pose.pos) * f64::from(longarm_types::CONTROL_HZ)
        };
        hand.pose = pose;
        hand.commanded = *self.controller.target();
        hand.closing = self.controller.gripper() > 0.0;
        match &self.robot.hand {
            HandHandles::Parallel { fingers, .. } => {
                hand.opening = fingers.iter().map(|&f| d.qpos()[f]).sum();
                for b in 1..hand.holds.len() {
                    hand.holds[b] = self.contacts.pinched(b);
                }
            }
            HandHandles::Suction { holding, .. } => {
                hand.opening = if holding.is_some() { 0.0 } else { 1.0 };
                hand.closing = holding.is_some();
                for b in 1..hand.holds.len() {
                    hand.holds[b] = *holding == Some(b);
                }
            }
        }
    }

    fn digest_state(&mut self) {
        self.hash.floats(&[self.data.time()]);
        self.hash.floats(self.data.qpos());
        self.hash.floats(self.data.qvel());
        if let HandHandles::Suction { holding, .. } = self.robot.hand {
            self.hash.bytes(&[holding.map_or(0, |b| b as u8)]);
        }
    }

    /// Attaches a tracked body to the suction cup where it is. False when it cannot be attached.
    pub(crate) fn attach(&mut self, body: usize) -> bool {
        let HandHandles::Suction { cup, welds, holding } = &mut self.robot.hand else {
            return false;
        };
        let Some(weld) = welds[body] else { return false };
        let at = |b: usize| Pose::from_arrays(self.data.xpos()[b], self.data.xquat()[b]);
        let relative = at(*cup).inverse() * at(self.handles[body].body);
        *holding = Some(body);
        // SAFETY: constraint data may change between steps; no size or index of the model does.
        #[allow(unsafe_code)]
        let data = unsafe { &mut self.data.model_mut().eq_data_mut()[weld] };
        data[..3].fill(0.0);
        data[3..6].copy_from_slice(&relative.pos.to_array());
        data[6..10].copy_from_slice(&relative.wxyz());
        self.data.eq_active_mut()[weld] = true;
        true
    }

    /// Lets go of what the suction cup holds.
    pub(crate) fn release(&mut self) {
        if let HandHandles::Suction { welds, holding, .. } = &mut self.robot.hand
            && let Some(weld) = holding.take().and_then(|b| welds[b])
        {
            self.data.eq_active_mut()[weld] = false;
        }
    }

    /// The body under the suction cup's lip, if it touches one that can be attached.
    pub(crate) fn cup_touches(&self) -> Option<usize> {
        let HandHandles::Suction { welds, .. } = &self.robot.hand else { return None };
        (1..self.bodies.len()).find(|&b| welds[b].is_some() && self.contacts.left_touches(b))
    }

    /// How high things reach above a disc of the table, or anywhere; 0 is the table's own height.
    pub(crate) fn top(&self, disc: Option<([f64; 2], f64)>, except: Option<usize>) -> f64 {
        let mut top = 0.0f64;
        for (i, b) in self.boxes.iter().enumerate() {
            let Some(b) = b.filter(|_| Some(i) != except) else { continue };
            let pose = &self.snapshot.bodies[i].pose;
            let (c, h) = (b.centre_in(pose), b.half_in(pose));
            let over = disc
                .is_none_or(|([x, y], r)| (c.x - x).abs() <= h.x + r && (c.y - y).abs() <= h.y + r);
            if over {
                top = top.max(c.z + h.z);
            }
        }
        top
    }

    /// Height of a tracked object, and half its diagonal, as it is now.
    pub(crate) fn extent(&self, body: usize) -> (f64, f64) {
        let Some(b) = self.boxes[body] else { return (0.0, 0.0) };
        let h = b.half_in(&self.snapshot.bodies[body].pose);
        (2.0 * h.z, libm::hypot(h.x, h.y))
    }

    /// Speed of the fastest thing that is free to move.
    pub(crate) fn speed(&self) -> f64 {
        self.fastest().0
    }

    /// Saves this moment exactly.
    pub fn save(&self) -> Checkpoint {
        Checkpoint {
            data: self.data.clone(),
            controller: self.controller.clone(),
            contacts: self.contacts.clone(),
            snapshot: self.snapshot.clone(),
            hash: self.hash.clone(),
            clipped: self.clipped,
            holding: match self.robot.hand {
                HandHandles::Suction { holding, .. } => holding,
                HandHandles::Parallel { .. } => None,
            },
        }
    }

    /// Returns to a saved moment, bit for bit.
    pub fn restore(&mut self, c: &Checkpoint) -> Result<(), SimError> {
        // A whole copy of MjData: setting the state vector is not exact while bodies sleep.
        c.data.copy_to(&mut self.data).map_err(|_| SimError::ForeignCheckpoint)?;
        // SAFETY: both models were compiled from one structure, as `copy_to` has checked; only
        // numbers that may change between steps are copied.
        #[allow(unsafe_code)]
        let model = unsafe { self.data.model_mut() };
        let then = c.data.model();
        model.body_pos_mut().copy_from_slice(then.body_pos());
        model.body_quat_mut().copy_from_slice(then.body_quat());
        // SAFETY: as above; these are numbers, not indices.
        #[allow(unsafe_code)]
        unsafe { model.eq_data_mut() }.copy_from_slice(then.eq_data());
        model.geom_rgba_mut().copy_from_slice(then.geom_rgba());
        self.controller = c.controller.clone();
        self.contacts = c.contacts.clone();
        self.snapshot = c.snapshot.clone();
        self.hash = c.hash.clone();
        self.clipped = c.clipped;
        if let HandHandles::Suction { holding, .. } = &mut self.robot.hand {
            *holding = c.holding;
        }
        Ok(())
    }

    /// What is true now. Privileged: policies never see it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Hash over the states of all control steps since the reset.
    pub fn state_hash(&self) -> Digest {
        self.hash.digest()
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
                (self.snapshot.hand.opening / (2.0 * travel)).clamp(0.0, 1.0)
            }
            HandHandles::Suction { .. } => self.snapshot.hand.opening,
        }
    }

    /// Starts (from zero) or stops measuring the time spent in MuJoCo's step. For benchmarks.
    pub fn time_physics(&mut self, on: bool) {
        self.physics = on.then(Default::default);
    }

    /// Time spent in MuJoCo's step since measuring began.
    pub fn physics_time(&self) -> std::time::Duration {
        self.physics.unwrap_or_default()
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

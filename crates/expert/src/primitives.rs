//! How to do each operator: from what is true now to a queue of motions.

mod belt;
mod clear;
mod drawer;
mod hold;
mod insert;
mod place;
mod rest;
mod room;
mod stow;
mod swing;
mod thread;
mod wipe;

use std::sync::Arc;

use longarm_assets::robots::{End, HandOutline};
use longarm_assets::{AssetInfo, Body, BodyRole, RigLimb};
use longarm_task::place::RegionSpec;
use longarm_task::plan::BoundOp;
use longarm_task::{BodyId, LimbId, Op, Scene, Snapshot, TaskSpec};
use longarm_types::{Bounds, DVec3, Pose};

use crate::ExpertError;
use crate::motion::{Motion, Pace};
use crate::reach::{Arm, resting_frame};

/// How far before a grasp the approach begins.
const APPROACH: f64 = 0.07;
/// How far a picked thing is lifted.
const LIFT: f64 = 0.075;
/// Room kept between what is carried and what stands in the way.
const MARGIN: f64 = 0.025;
/// Fingertips reach this far past the middle of the pads.
const FINGERTIP: f64 = 0.018;
/// Lowest height to travel at.
const CRUISE: f64 = 0.12;

/// What the primitives know of the scene.
pub(crate) struct Primitives {
    task: Arc<TaskSpec>,
    scene: Scene,
    bodies: Vec<Body>,
    infos: Vec<AssetInfo>,
    /// The limb that acts.
    pub(crate) limb: LimbId,
    arm: Arm,
    /// Room its hand takes.
    outline: HandOutline,
    /// Widest opening of the gripper.
    widest: f64,
    /// The last time the fingers closed on nothing: another way to take it is better.
    pub(crate) missed: bool,
}

/// A held or standing thing: its body, frame as it lies, box in that frame.
pub(crate) struct Thing {
    body: BodyId,
    frame: Pose,
    bounds: Bounds,
    instance: usize,
}

/// What an operator comes to now.
pub(crate) struct Script {
    pub(crate) motions: Vec<Motion>,
    /// Only a piece: look again afterwards and go on, unless the effect holds.
    pub(crate) more: bool,
    /// What it is, if not what the operator says.
    pub(crate) said: Option<String>,
}

impl Script {
    fn whole(motions: Vec<Motion>) -> Self {
        Self { motions, more: false, said: None }
    }

    fn saying(self, said: String) -> Self {
        Self { said: Some(said), ..self }
    }

    fn part(motions: Vec<Motion>) -> Self {
        Self { motions, more: true, said: None }
    }
}

impl Primitives {
    pub(crate) fn new(
        task: &Arc<TaskSpec>,
        scene: &Scene,
        bodies: &[Body],
        limb: LimbId,
        rig_limb: &RigLimb,
    ) -> Self {
        let infos = scene.structure.instances.iter().map(|i| i.asset.info().clone());
        Self {
            task: task.clone(),
            scene: scene.clone(),
            bodies: bodies.to_vec(),
            infos: infos.collect(),
            limb,
            arm: Arm::new(rig_limb),
            outline: rig_limb.spec().outline.clone(),
            missed: false,
            widest: match &rig_limb.spec().end {
                End::Gripper(gripper) => gripper.opening,
                End::Suction(_) | End::Hand(_) => 0.0,
            },
        }
    }

    /// What an operator comes to now, after so many tries in vain.
    pub(crate) fn script(
        &self,
        op: &BoundOp,
        tries: u32,
        s: &Snapshot,
    ) -> Result<Script, ExpertError> {
        let unknown = || ExpertError::Unknown(op.op.sentence());
        if let Some(first) = self.clear(&op.op, tries, s) {
            return Ok(first);
        }
        Ok(Script::whole(match &op.op {
            Op::Grasp { object } => {
                return Ok(self.take_end(self.body(object).ok_or_else(unknown)?, s));
            }
            Op::Thread { end, opening, past } => {
                let end = self.body(end).ok_or_else(unknown)?;
                return self.thread(end, opening, *past, s).ok_or_else(unknown);
            }
            Op::Pick { object, .. } => {
                let thing = self.thing(object, s).ok_or_else(unknown)?;
                if s.hands[self.limb].holds[thing.body] {
                    // What hangs askew may have to go higher than others.
                    return Ok(Script::part(self.lift()));
                }
                self.pick(&thing, s)
            }
            Op::Put { object, place } => {
                let thing = self.thing(object, s).ok_or_else(unknown)?;
                if let Some(nook) = self.nook(place, &thing, s) {
                    return Ok(self.put_away(&thing, &nook, s));
                } else if s.hands[self.limb].holds[thing.body] || self.in_hand(thing.body, s) {
                    let spot = self.spot(place, &thing, s).ok_or_else(unknown)?;
                    self.put(&thing, &spot, s)
                } else {
                    // It slipped, or was never taken: take it first, this operator comes again.
                    self.pick(&thing, s)
                }
            }
            Op::Insert { object, into } => {
                let thing = self.thing(object, s).ok_or_else(unknown)?;
                let vessel = self.thing(into, s).ok_or_else(unknown)?;
                if s.hands[self.limb].holds[thing.body] {
                    self.insert(&thing, &vessel, s)
                } else {
                    self.pick(&thing, s)
                }
            }
            Op::Wipe { tool, surface, strokes, length } => {
                let thing = self.thing(tool, s).ok_or_else(unknown)?;
                let surface = self.thing(surface, s).ok_or_else(unknown)?;
                if s.hands[self.limb].holds[thing.body] {
                    self.wipe(&thing, &surface, *strokes, *length, s)
                } else {
                    self.pick(&thing, s)
                }
            }
            Op::Open { part } | Op::TurnOn { part } => {
                self.open(self.part(part).ok_or_else(unknown)?, s)
            }
            Op::Close { part } | Op::TurnOff { part } => {
                self.close(self.part(part).ok_or_else(unknown)?, s)
            }
            Op::Withdraw => self.withdraw(s),
            _ => return Err(unknown()),
        }))
    }

    fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name)
    }

    fn thing(&self, name: &str, s: &Snapshot) -> Option<Thing> {
        let body = self.body(name)?;
        let BodyRole::Object(instance) = self.bodies[body].role else { return None };
        let pose = &s.bodies[body].pose;
        let (frame, bounds) = resting_frame(&self.infos[instance], pose);
        Some(Thing { body, frame, bounds, instance })
    }

    /// A part by its own path or by that of a region that moves with it.
    fn part(&self, path: &str) -> Option<(BodyId, usize, usize)> {
        let (object, name) = path.split_once('/')?;
        let instance = self.scene.instance(object)?;
        let info = &self.infos[instance];
        let part = match info.region(name) {
            Some(r) => r.part.as_deref()?,
            None => name,
        };
        let p = info.parts.iter().position(|x| x.name == part)?;
        let body = self.bodies.iter().position(|b| b.role == BodyRole::Part(instance, p))?;
        Some((body, instance, p))
    }

    fn region(&self, name: &str) -> Option<&RegionSpec> {
        self.task.regions.iter().find(|r| r.name == name)
    }

    fn command(&self, opening: f64) -> f64 {
        1.0 - 2.0 * (opening / self.widest).clamp(0.0, 1.0)
    }

    /// Height at which the tool passes over everything between two points, carrying something
    /// `below` it.
    fn cruise(
        &self,
        from: DVec3,
        to: DVec3,
        below: f64,
        skip: Option<BodyId>,
        s: &Snapshot,
    ) -> f64 {
        // A wide load needs a wide berth.
        let berth = match skip.map(|b| self.bodies[b].role) {
            Some(BodyRole::Object(i)) => self.infos[i].bounds.footprint_radius().max(0.06),
            _ => 0.06,
        };
        let mut top = 0.0f64;
        for solid in self.solids(skip.as_slice(), s) {
            let (c, h) = (solid.centre, solid.extent());
            // Distance of the box's centre from the path, against its reach plus the hand's.
            let (a, d) = (from.truncate(), (to - from).truncate());
            let t = if d.length_squared() > 1e-9 {
                ((c.truncate() - a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let off = (c.truncate() - (a + d * t)).abs() - h.truncate();
            if off.max_element() < berth {
                top = top.max(c.z + h.z);
            }
        }
        (top + below.max(FINGERTIP) + MARGIN).max(CRUISE)
    }

    /// From one pose to another at travelling height, turning the long way round if the short one
    /// passes what the wrist can do.
    fn across(&self, from: &Pose, to: &Pose) -> Vec<Motion> {
        let mut out = Vec::new();
        if !self.arm.straight(from, to) {
            let between = from.pos.lerp(to.pos, 0.5);
            out.push(Motion::through(self.arm.lowered(self.arm.easy(between)), Pace::TRAVEL));
        }
        out.push(Motion::through(*to, Pace::TRAVEL));
        out
    }

    /// Up, across at a safe height, to `to`.
    fn travel(&self, to: &Pose, below: f64, skip: Option<BodyId>, s: &Snapshot) -> Vec<Motion> {
        let from = &s.hands[self.limb].pose;
        let height = self.cruise(from.pos, to.pos, below, skip, s).max(to.pos.z);
        let over = self.arm.lowered(Pose::new(to.pos.with_z(height), to.rot));
        let mut up = Pose::new(from.pos, s.hands[self.limb].commanded.rot);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            up = self.arm.lowered(Pose::new(from.pos.with_z(height), up.rot));
            out.push(Motion::through(up, Pace::TRAVEL));
        }
        out.extend(self.across(&up, &over));
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }
}

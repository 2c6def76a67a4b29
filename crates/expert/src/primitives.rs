//! How to do each operator: from what is true now to a queue of motions.

use std::sync::Arc;

use longarm_assets::robots::{self, Gripper};
use longarm_assets::{Asset, AssetInfo, Body, BodyRole, Grasp, GraspKind, PartMotion, RegionKind};
use longarm_task::place::{Rect, RegionSpec};
use longarm_task::plan::{BoundOp, Target};
use longarm_task::{BodyId, Op, Scene, Snapshot, TaskSpec};
use longarm_types::{Bounds, DQuat, DVec3, Pose, yaw};

use crate::ExpertError;
use crate::motion::{Motion, Pace, Stop};
use crate::reach::{Arm, equivalents, finger_clearance, resting_frame};

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
    assets: Vec<Asset>,
    infos: Vec<AssetInfo>,
    arm: Arm,
    /// Widest opening of the gripper.
    widest: f64,
}

/// A held or standing thing: its body, frame as it lies, box in that frame.
struct Thing {
    body: BodyId,
    frame: Pose,
    bounds: Bounds,
    instance: usize,
}

impl Primitives {
    pub(crate) fn new(task: &Arc<TaskSpec>, scene: &Scene, bodies: &[Body]) -> Self {
        let rig = &scene.structure.rig;
        let assets: Vec<Asset> =
            scene.structure.instances.iter().map(|i| i.asset.clone()).collect();
        Self {
            task: task.clone(),
            scene: scene.clone(),
            bodies: bodies.to_vec(),
            infos: assets.iter().map(Asset::info).collect(),
            assets,
            arm: Arm::new(rig),
            widest: match robots::spec(rig.robot).gripper {
                Gripper::Parallel { opening, .. } => opening,
                Gripper::Suction { .. } => 0.0,
            },
        }
    }

    pub(crate) fn motions(&self, op: &BoundOp, s: &Snapshot) -> Result<Vec<Motion>, ExpertError> {
        let unknown = || ExpertError::Unknown(op.op.sentence());
        Ok(match &op.op {
            Op::Pick { object, .. } => {
                let thing = self.thing(object, s).ok_or_else(unknown)?;
                if s.hand.holds[thing.body] {
                    self.lift(s)
                } else {
                    self.pick(&thing, s)
                }
            }
            Op::Put { object, place } => {
                let thing = self.thing(object, s).ok_or_else(unknown)?;
                if s.hand.holds[thing.body] {
                    let (spot, turn) = self.spot(place, &thing, s).ok_or_else(unknown)?;
                    self.put(&thing, &spot, turn, s)
                } else {
                    // It slipped, or was never taken: take it first, this operator comes again.
                    self.pick(&thing, s)
                }
            }
            Op::Open { part } => self.open(self.part(part).ok_or_else(unknown)?, s),
            Op::Close { part } => self.close(self.part(part).ok_or_else(unknown)?, s),
            Op::Withdraw => self.withdraw(s),
            _ => return Err(unknown()),
        })
    }

    fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name)
    }

    fn thing(&self, name: &str, s: &Snapshot) -> Option<Thing> {
        let body = self.body(name)?;
        let BodyRole::Object(instance) = self.bodies[body].role else { return None };
        let pose = &s.bodies[body].pose;
        let (frame, bounds) =
            resting_frame(&self.assets[instance], &self.infos[instance].bounds, pose);
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
    fn cruise(&self, from: DVec3, to: DVec3, below: f64, skip: Option<BodyId>, s: &Snapshot) -> f64 {
        let mut top = 0.0f64;
        for (b, body) in self.bodies.iter().enumerate() {
            let bounds = match body.role {
                BodyRole::Object(i) => self.infos[i].bounds,
                _ => continue,
            };
            if Some(b) == skip {
                continue;
            }
            let pose = &s.bodies[b].pose;
            let (c, h) = (bounds.centre_in(pose), bounds.half_in(pose));
            // Distance of the box's centre from the path, against its reach plus the hand's.
            let (a, d) = (from.truncate(), (to - from).truncate());
            let t = if d.length_squared() > 1e-9 {
                ((c.truncate() - a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let off = (c.truncate() - (a + d * t)).abs() - h.truncate();
            if off.max_element() < 0.06 {
                top = top.max(c.z + h.z);
            }
        }
        (top + below.max(FINGERTIP) + MARGIN).max(CRUISE)
    }

    /// Up, across at a safe height, to `to`.
    fn travel(&self, to: &Pose, below: f64, skip: Option<BodyId>, s: &Snapshot) -> Vec<Motion> {
        let from = &s.hand.pose;
        let height = self.cruise(from.pos, to.pos, below, skip, s).max(to.pos.z);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            out.push(Motion::through(Pose::new(from.pos.with_z(height), s.hand.commanded.rot), Pace::TRAVEL));
        }
        out.push(Motion::through(Pose::new(to.pos.with_z(height), to.rot), Pace::TRAVEL));
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }

    /// The best grasp now, as a tool pose and the opening to come with.
    fn grasp(&self, frame: &Pose, skip: BodyId, instance: usize, part: Option<&str>, s: &Snapshot) -> Option<(Pose, f64)> {
        let info = &self.infos[instance];
        let others: Vec<(usize, &AssetInfo)> = self
            .bodies
            .iter()
            .enumerate()
            .filter_map(|(b, body)| match body.role {
                BodyRole::Object(i) => Some((b, &self.infos[i])),
                _ => None,
            })
            .collect();
        let mut best: Option<(f64, Pose, f64)> = None;
        let usable = |g: &&Grasp| g.part.as_deref() == part && g.kind != GraspKind::Suction;
        for (rank, g) in info.grasps.iter().filter(usable).enumerate() {
            let opening = (g.opening + 0.015).min(self.widest);
            for tool in equivalents(frame, g, info.symmetry) {
                let Some(cost) = self.arm.cost(&tool) else { continue };
                let before = tool * Pose::at(0.0, 0.0, -APPROACH);
                if self.arm.cost(&before).is_none() {
                    continue;
                }
                let gap = finger_clearance(&tool, opening, skip, s, &others);
                let crowded = if gap < 0.004 { 5.0 + 400.0 * (0.004 - gap) } else { 0.0 };
                let turn = longarm_types::rotation_between(s.hand.pose.rot, tool.rot).length();
                let cost = cost + crowded + 0.3 * turn + 1.5 * rank as f64;
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, tool, opening));
                }
            }
        }
        best.map(|(_, tool, opening)| (tool, opening))
    }

    fn pick(&self, thing: &Thing, s: &Snapshot) -> Vec<Motion> {
        let Some((tool, opening)) = self.grasp(&thing.frame, thing.body, thing.instance, None, s)
        else {
            // Out of reach from here: go home and look at it afresh.
            return self.withdraw(s);
        };
        let before = tool * Pose::at(0.0, 0.0, -APPROACH);
        let mut out = vec![Motion::Grip { command: self.command(opening), steps: 0, held: None }];
        out.extend(self.travel(&before, FINGERTIP, None, s));
        out.push(Motion::go(tool, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(thing.body) });
        out.push(Motion::Wait(2));
        let up = Pose::new(tool.pos + DVec3::Z * LIFT, tool.rot);
        out.push(Motion::go(up, Pace::CAREFUL));
        out
    }

    fn lift(&self, s: &Snapshot) -> Vec<Motion> {
        let at = &s.hand.commanded;
        vec![Motion::go(Pose::new(at.pos + DVec3::Z * LIFT, at.rot), Pace::CAREFUL)]
    }

    /// Where the frame of a held thing should come to stand, and whether its heading matters.
    fn spot(&self, place: &Target, thing: &Thing, s: &Snapshot) -> Option<(Pose, bool)> {
        match place {
            Target::On(name) | Target::In(name) | Target::Over(name) => {
                if let Some(r) = self.region(name) {
                    return Some((self.free_point(r.rects.first()?, r.z, thing, s), false));
                }
                let (object, region) = match name.split_once('/') {
                    Some((o, r)) => (o, Some(r)),
                    None => (name.as_str(), None),
                };
                let other = self.thing(object, s)?;
                let info = &self.infos[other.instance];
                let pose = &s.bodies[other.body].pose;
                let wanted = if matches!(place, Target::In(_)) { RegionKind::Volume } else { RegionKind::Surface };
                let found = match region {
                    Some(r) => info.region(r),
                    None => info.regions.iter().find(|r| r.kind == wanted),
                };
                let align = matches!(self.assets[other.instance], Asset::Block { .. });
                Some(match found {
                    Some(r) => {
                        let base = match &r.part {
                            Some(p) => s.bodies[self.part(&format!("{object}/{p}"))?.0].pose,
                            None => *pose,
                        };
                        let at = base * r.pose;
                        let down = if r.kind == RegionKind::Volume { r.half[2] } else { 0.0 };
                        let pos = at.point(DVec3::new(0.0, 0.0, -down));
                        (Pose::new(pos, DQuat::from_rotation_z(yaw(at.rot))), false)
                    }
                    None => {
                        let top = other.bounds.centre[2] + other.bounds.half[2];
                        let pos = if matches!(place, Target::Over(_)) {
                            other.frame.pos
                        } else {
                            other.frame.point(DVec3::new(0.0, 0.0, top))
                        };
                        (Pose::new(pos, DQuat::from_rotation_z(yaw(other.frame.rot))), align)
                    }
                })
            }
            Target::At(name) => {
                let r = self.region(name)?;
                Some((self.free_point(r.rects.first()?, r.z, thing, s), false))
            }
            Target::Start { of, .. } => {
                let instance = match of {
                    Some(o) => self.scene.instance(o)?,
                    None => thing.instance,
                };
                let pose = self.scene.poses[instance];
                Some((Pose::new(pose.pos, DQuat::from_rotation_z(yaw(pose.rot))), true))
            }
        }
    }

    /// A point of a rectangle that is free of other things, the middle if it is.
    fn free_point(&self, r: &Rect, z: f64, thing: &Thing, s: &Snapshot) -> Pose {
        let radius = thing.bounds.footprint_radius();
        let mut best = (f64::MIN, DVec3::ZERO);
        let ([cx, cy], [hx, hy]) = (r.centre(), r.half());
        for i in -2..=2 {
            for j in -2..=2 {
                let p = DVec3::new(cx + hx * 0.4 * f64::from(i), cy + hy * 0.4 * f64::from(j), z);
                let mut gap = 0.06f64;
                for (b, body) in self.bodies.iter().enumerate() {
                    let BodyRole::Object(o) = body.role else { continue };
                    if b == thing.body {
                        continue;
                    }
                    let far = (s.bodies[b].pose.pos - p).truncate().length();
                    gap = gap.min(far - radius - self.infos[o].bounds.footprint_radius());
                }
                let score = gap - 0.01 * (p - DVec3::new(cx, cy, z)).length();
                if score > best.0 {
                    best = (score, p);
                }
            }
        }
        Pose::new(best.1, DQuat::IDENTITY)
    }

    /// Brings a held thing to stand in `spot`; `heading`: its yaw matters, up to its symmetry.
    fn put(&self, thing: &Thing, spot: &Pose, heading: bool, s: &Snapshot) -> Vec<Motion> {
        let held = thing.frame.inverse() * s.hand.pose;
        let symmetry = self.infos[thing.instance].symmetry;
        let turns = match (heading, symmetry) {
            (true, 0) | (false, _) => 24,
            (true, n) => n,
        };
        let base = if heading && symmetry != 0 { yaw(spot.rot) } else { yaw(thing.frame.rot) };
        let mut best: Option<(f64, Pose)> = None;
        for k in 0..turns {
            let turn = base + std::f64::consts::TAU * f64::from(k) / f64::from(turns);
            let tool = Pose::new(spot.pos, DQuat::from_rotation_z(turn)) * held;
            let above = Pose::new(tool.pos + DVec3::Z * 0.05, tool.rot);
            let (Some(cost), Some(_)) = (self.arm.cost(&tool), self.arm.cost(&above)) else { continue };
            let twist = longarm_types::rotation_between(s.hand.pose.rot, tool.rot).length();
            let cost = cost + 2.0 * twist;
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, tool));
            }
        }
        let Some((_, tool)) = best else { return self.withdraw_holding(s) };
        let below = (held.pos.z).max(FINGERTIP);
        let high = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
        let mut out = self.travel(&high(0.04), below, Some(thing.body), s);
        out.push(Motion::go(high(0.012), Pace::CAREFUL));
        out.push(Motion::until(high(-0.006), Pace::GENTLE, Stop::Carried(thing.body)));
        out.push(Motion::Wait(2));
        let ajar = (s.hand.opening + 0.03).min(self.widest);
        out.push(Motion::Grip { command: self.command(ajar), steps: 6, held: None });
        let back = tool * Pose::at(0.0, 0.0, -0.02);
        out.push(Motion::through(back, Pace::CAREFUL));
        out.push(Motion::through(tool * Pose::at(0.0, 0.0, -0.09), Pace::TRAVEL));
        out
    }

    fn slide(&self, instance: usize, part: usize, body: BodyId) -> Option<(DVec3, BodyId)> {
        match self.infos[instance].parts[part].motion {
            PartMotion::Slide { axis } => {
                let whole = self.bodies.iter().position(|b| b.role == BodyRole::Object(instance))?;
                let _ = body;
                Some((DVec3::from(axis), whole))
            }
            PartMotion::Hinge { .. } => None,
        }
    }

    /// Takes the handle and pulls along the slide.
    fn open(&self, (body, instance, p): (BodyId, usize, usize), s: &Snapshot) -> Vec<Motion> {
        let part = &self.infos[instance].parts[p];
        let pose = &s.bodies[body].pose;
        let Some((axis, whole)) = self.slide(instance, p, body) else { return self.withdraw(s) };
        let Some((tool, opening)) = self.grasp(pose, body, instance, Some(&part.name), s) else {
            return self.withdraw(s);
        };
        let out_dir = s.bodies[whole].pose.dir(axis);
        let before = tool * Pose::at(0.0, 0.0, -APPROACH);
        let goal = 0.5 * (part.open[0] + part.open[1].min(part.range[1])) + 0.004;
        let pull = Pose::new(tool.pos + out_dir * (goal - s.joints[body] + 0.01), tool.rot);
        let mut out = vec![Motion::Grip { command: self.command(opening), steps: 0, held: None }];
        out.extend(self.approach_front(&before, s));
        out.push(Motion::go(tool, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(body) });
        out.push(Motion::until(pull, Pace::CAREFUL, Stop::JointAbove(body, goal)));
        out.push(Motion::Wait(2));
        let gone = tool.pos + out_dir * (goal - s.joints[body]);
        let there = Pose::new(gone, tool.rot);
        out.push(Motion::Grip { command: self.command(opening), steps: 6, held: None });
        out.push(Motion::through(there * Pose::at(0.0, 0.0, -APPROACH), Pace::CAREFUL));
        out.extend(self.rise(&(there * Pose::at(0.0, 0.0, -APPROACH))));
        out
    }

    /// Pushes the handle along the slide with closed fingers.
    fn close(&self, (body, instance, p): (BodyId, usize, usize), s: &Snapshot) -> Vec<Motion> {
        let part = &self.infos[instance].parts[p];
        let pose = &s.bodies[body].pose;
        let Some((axis, whole)) = self.slide(instance, p, body) else { return self.withdraw(s) };
        let Some((tool, _)) = self.grasp(pose, body, instance, Some(&part.name), s) else {
            return self.withdraw(s);
        };
        let in_dir = -s.bodies[whole].pose.dir(axis);
        // The fingertips end this far before the handle's middle when they touch it.
        let touch = Pose::new(tool.pos - in_dir * 0.03, tool.rot);
        let start = Pose::new(tool.pos - in_dir * 0.065, tool.rot);
        let goal = part.closed[0].max(part.range[0]);
        let travel = s.joints[body] - goal;
        let end = Pose::new(touch.pos + in_dir * (travel + 0.03), tool.rot);
        let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
        out.extend(self.approach_front(&start, s));
        out.push(Motion::until(end, Pace::CAREFUL, Stop::JointBelow(body, goal + 0.002)));
        let back = Pose::new(end.pos - in_dir * 0.10, tool.rot);
        out.push(Motion::through(back, Pace::CAREFUL));
        out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
        out.extend(self.rise(&back));
        out
    }

    /// To a pose in front of a fixture: turn where there is room, then go there.
    fn approach_front(&self, to: &Pose, s: &Snapshot) -> Vec<Motion> {
        let home = self.arm.home_tool();
        let from = &s.hand.pose;
        let height = home.pos.z.max(to.pos.z);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            out.push(Motion::through(Pose::new(from.pos.with_z(height), s.hand.commanded.rot), Pace::TRAVEL));
        }
        let turn = Pose::new(DVec3::new(home.pos.x.min(to.pos.x), to.pos.y, height), to.rot);
        if self.arm.cost(&turn).is_some() {
            out.push(Motion::through(turn, Pace::TRAVEL));
        }
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }

    fn rise(&self, from: &Pose) -> Vec<Motion> {
        let home = self.arm.home_tool();
        let up = Pose::new(from.pos.with_z(from.pos.z.max(home.pos.z)), from.rot);
        vec![Motion::through(up, Pace::TRAVEL)]
    }

    fn withdraw_holding(&self, s: &Snapshot) -> Vec<Motion> {
        let home = self.arm.home_tool();
        let up = Pose::new(s.hand.pose.pos.with_z(home.pos.z), s.hand.commanded.rot);
        vec![Motion::through(up, Pace::TRAVEL), Motion::go(home, Pace::TRAVEL)]
    }

    /// Opens the hand and goes home.
    pub(crate) fn withdraw(&self, s: &Snapshot) -> Vec<Motion> {
        let mut out = vec![Motion::Grip { command: -1.0, steps: 4, held: None }];
        out.extend(self.withdraw_holding(s));
        out
    }

    pub(crate) fn at_home(&self, s: &Snapshot) -> bool {
        let (far, turn) = s.hand.pose.error_to(&self.arm.home_tool());
        far < 0.02 && turn < 0.1
    }
}

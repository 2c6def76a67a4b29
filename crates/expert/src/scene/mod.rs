//! What a skill may ask of the scene: poses, affordances, the plan's goals, free space.

mod object;
mod solid;
mod space;
mod support;

use std::collections::BTreeMap;

use longarm_assets::{AssetInfo, Bodies, Body, BodyRole, Grasp, Part, PartMotion, Region};
use longarm_task::place::RegionSpec;
use longarm_task::plan::Target;
use longarm_task::{BodyId, Hand, LimbId, Op, Scene, Snapshot, SoftState, TaskSpec};
use longarm_types::{DVec3, Pose};

use crate::motion::Vessel;
use crate::sight::Sight;

pub(crate) use object::{SceneObject, equivalents};
pub(crate) use solid::{Solid, SolidKind};
pub(crate) use space::{OUT, part_bounds};
pub(crate) use support::{Seat, nearest};

/// What stays the same during an episode.
pub(crate) struct SceneModel {
    scene: Scene,
    bodies: Vec<Body>,
    infos: Vec<AssetInfo>,
    regions: Vec<RegionSpec>,
    groups: BTreeMap<String, Vec<String>>,
    ops: Vec<Op>,
}

impl SceneModel {
    pub(crate) fn new(task: &TaskSpec, scene: &Scene) -> Self {
        let meanings = task.meanings(&scene.variables);
        let read = |op: &Op| op.renamed(&|name| meanings.path(name).into_owned());
        let ops = task.ops().into_iter().map(read).collect();
        Self::of(scene, task.regions.clone(), task.groups.clone(), ops)
    }

    /// Describe a scene with the task's regions, groups and plan.
    pub(crate) fn of(
        scene: &Scene,
        regions: Vec<RegionSpec>,
        groups: BTreeMap<String, Vec<String>>,
        ops: Vec<Op>,
    ) -> Self {
        let instances = &scene.structure.instances;
        Self {
            scene: scene.clone(),
            bodies: Bodies::of(instances.iter().map(|i| (i.name.as_str(), &i.asset))).into_vec(),
            infos: instances.iter().map(|i| i.asset.info().clone()).collect(),
            regions,
            groups,
            ops,
        }
    }

    /// Return the scene at a moment, as the limb that acts meets it.
    pub(crate) fn at<'a>(&'a self, now: &'a Snapshot, limb: LimbId) -> SceneView<'a> {
        SceneView { model: self, now, limb, others: &[], sight: None }
    }
}

/// A moving part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartId {
    pub(crate) body: BodyId,
    pub(crate) instance: usize,
    /// Index among the parts of its object.
    pub(crate) part: usize,
}

/// The scene at a moment, as the limb that acts meets it.
#[derive(Clone, Copy)]
pub(crate) struct SceneView<'a> {
    model: &'a SceneModel,
    now: &'a Snapshot,
    limb: LimbId,
    /// The room that other limbs' hands take.
    others: &'a [Solid],
    /// What the cameras show, where grasps are taken from that.
    sight: Option<&'a Sight>,
}

impl<'a> SceneView<'a> {
    /// Return the same with the hands of other limbs standing around.
    pub(crate) fn beside(self, others: &'a [Solid]) -> Self {
        Self { others, ..self }
    }

    /// Return the same as cameras show it, where grasps are taken from that.
    pub(crate) fn seeing(self, sight: Option<&'a Sight>) -> Self {
        Self { sight, ..self }
    }

    /// Return what the cameras show, where grasps are taken from that.
    pub(crate) fn sight(&self) -> Option<&'a Sight> {
        self.sight
    }

    /// Return the hand that acts.
    pub(crate) fn hand(&self) -> &'a Hand {
        &self.now.hands[self.limb]
    }

    /// Return the number of hands there are.
    pub(crate) fn hands(&self) -> usize {
        self.now.hands.len()
    }

    /// Return the tool pose of the hand that acts.
    pub(crate) fn tool(&self) -> Pose {
        self.hand().pose
    }

    /// Return the tool poses of the other hands.
    pub(crate) fn other_tools(&self) -> impl Iterator<Item = Pose> + use<'a> {
        let own = self.limb;
        self.now.hands.iter().enumerate().filter(move |(i, _)| *i != own).map(|(_, h)| h.pose)
    }

    /// Whether the hand holds a body.
    pub(crate) fn holds(&self, body: BodyId) -> bool {
        self.hand().holds[body]
    }

    /// Whether a body hangs from a hand's fingers, touching nothing else.
    pub(crate) fn hangs(&self, a: BodyId) -> bool {
        self.hand().touches[a] && self.bodies().all(|b| b == a || !self.touching(a, b))
    }

    /// Return the frame of a body in the world.
    pub(crate) fn pose(&self, body: BodyId) -> Pose {
        self.now.bodies[body].pose
    }

    /// Return the share of what runs that is in a vessel.
    pub(crate) fn share(&self, vessel: Vessel) -> f64 {
        vessel.share(self.now)
    }

    /// Return the points of everything soft but a body.
    pub(crate) fn beside_soft(&self, body: BodyId) -> impl Iterator<Item = DVec3> + use<'a> {
        let others = self.now.soft.iter().filter(move |s| s.body != body);
        others.flat_map(|s| s.points.iter().copied())
    }

    /// Return the velocity of a body.
    pub(crate) fn velocity(&self, body: BodyId) -> DVec3 {
        self.now.bodies[body].twist.linear
    }

    /// Return the joint value of a part's body.
    pub(crate) fn joint(&self, body: BodyId) -> f64 {
        self.now.joints[body]
    }

    /// Return all bodies.
    pub(crate) fn bodies(&self) -> std::ops::Range<BodyId> {
        0..self.model.bodies.len()
    }

    /// Return what a body is.
    pub(crate) fn role(&self, body: BodyId) -> BodyRole {
        self.model.bodies[body].role
    }

    /// Return the name of a body.
    pub(crate) fn name(&self, body: BodyId) -> &'a str {
        &self.model.bodies[body].name
    }

    /// Return what sentences call a body.
    pub(crate) fn called(&self, body: BodyId) -> String {
        self.model.scene.called(self.name(body))
    }

    /// Return what an instance can do.
    pub(crate) fn info(&self, instance: usize) -> &'a AssetInfo {
        &self.model.infos[instance]
    }

    /// Return the operators of the plan, as written.
    pub(crate) fn ops(&self) -> &'a [Op] {
        &self.model.ops
    }

    /// Whether a name of the plan means this object: its own, or that of its group.
    pub(crate) fn stands_for(&self, name: &str, object: &str) -> bool {
        let group = self.model.groups.get(name);
        name == object || group.is_some_and(|g| g.iter().any(|m| m == object))
    }

    /// Return where the plan puts an object.
    pub(crate) fn destination(&self, body: BodyId) -> Option<&'a Target> {
        let name = self.name(body);
        self.destinations(name).next()
    }

    /// Return all places where the plan puts an object.
    pub(crate) fn destinations<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a Target> {
        self.ops().iter().filter_map(move |op| match op {
            Op::Put { object, place } if object == name => Some(place),
            _ => None,
        })
    }

    /// Return the other objects that the plan puts in the same place.
    pub(crate) fn companions(&self, body: BodyId) -> Vec<BodyId> {
        let Some(place) = self.destination(body) else { return Vec::new() };
        let shares = |b: &BodyId| self.destinations(self.name(*b)).any(|p| p == place);
        self.bodies().filter(|b| *b != body && self.movable(*b)).filter(shares).collect()
    }

    /// Whether a belt moves what lies on it.
    pub(crate) fn has_belts(&self) -> bool {
        !self.model.scene.belts.is_empty()
    }

    /// Return the soft matter that a body is.
    pub(crate) fn soft(&self, body: BodyId) -> Option<&'a SoftState> {
        self.now.soft_of(body)
    }

    /// Return where an instance began.
    pub(crate) fn start(&self, instance: usize) -> Pose {
        self.model.scene.poses[instance]
    }

    /// Return the index of the instance with this name.
    pub(crate) fn instance(&self, name: &str) -> Option<usize> {
        self.model.scene.instance(name)
    }

    /// Return the body with this name.
    pub(crate) fn body(&self, name: &str) -> Option<BodyId> {
        self.model.bodies.iter().position(|b| b.name == name)
    }

    /// Return the body of an instance as a whole.
    pub(crate) fn whole(&self, instance: usize) -> Option<BodyId> {
        self.with_role(BodyRole::Object(instance))
    }

    fn with_role(&self, role: BodyRole) -> Option<BodyId> {
        self.model.bodies.iter().position(|b| b.role == role)
    }

    /// Return the instance a body is or belongs to.
    pub(crate) fn instance_of(&self, body: BodyId) -> Option<usize> {
        match self.role(body) {
            BodyRole::Object(i) | BodyRole::Part(i, _) => Some(i),
            BodyRole::World => None,
        }
    }

    /// Return the object with this name.
    pub(crate) fn object(&self, name: &str) -> Option<SceneObject> {
        self.object_of(self.body(name)?)
    }

    /// Return the object whose body this is.
    pub(crate) fn object_of(&self, body: BodyId) -> Option<SceneObject> {
        let BodyRole::Object(instance) = self.role(body) else { return None };
        let (frame, bounds) = object::resting_frame(self.info(instance), &self.pose(body));
        Some(SceneObject { body, instance, frame, bounds })
    }

    /// Return a part by its own path or by that of a region that moves with it.
    pub(crate) fn part(&self, path: &str) -> Option<PartId> {
        let (object, name) = path.split_once('/')?;
        let instance = self.instance(object)?;
        let info = self.info(instance);
        let part = match info.region(name) {
            Some(r) => r.part.as_deref()?,
            None => name,
        };
        self.part_named(instance, part)
    }

    /// Return the part of an instance with this name.
    pub(crate) fn part_named(&self, instance: usize, name: &str) -> Option<PartId> {
        let part = self.info(instance).parts.iter().position(|p| p.name == name)?;
        self.part_at(instance, part)
    }

    fn part_at(&self, instance: usize, part: usize) -> Option<PartId> {
        let body = self.with_role(BodyRole::Part(instance, part))?;
        Some(PartId { body, instance, part })
    }

    /// Return the part a body is.
    pub(crate) fn part_of(&self, body: BodyId) -> Option<PartId> {
        match self.role(body) {
            BodyRole::Part(instance, part) => Some(PartId { body, instance, part }),
            _ => None,
        }
    }

    /// Return what a part can do.
    pub(crate) fn part_info(&self, id: PartId) -> &'a Part {
        &self.info(id.instance).parts[id.part]
    }

    /// Return the ways to take hold of a part, best first.
    pub(crate) fn handles(&self, id: PartId) -> impl Iterator<Item = &'a Grasp> {
        let name = self.part_info(id).name.as_str();
        self.info(id.instance).grasps.iter().filter(move |g| g.part.as_deref() == Some(name))
    }

    /// Return the direction in which a sliding part opens, in its object's frame; `None` if it turns.
    pub(crate) fn slide_axis(&self, id: PartId) -> Option<DVec3> {
        match self.part_info(id).motion {
            PartMotion::Slide { axis } => Some(axis.into()),
            PartMotion::Hinge { .. } => None,
        }
    }

    /// Return the direction in the world in which a sliding part opens; `None` if it turns.
    pub(crate) fn slide(&self, id: PartId) -> Option<DVec3> {
        let axis = self.slide_axis(id)?;
        Some(self.pose(self.whole(id.instance)?).dir(axis))
    }

    /// Return the named region of the table.
    pub(crate) fn region(&self, name: &str) -> Option<&'a RegionSpec> {
        self.model.regions.iter().find(|r| r.name == name)
    }

    /// Return the pose of a region of an instance in the world.
    pub(crate) fn region_pose(&self, instance: usize, r: &Region) -> Option<Pose> {
        let base = match &r.part {
            Some(p) => self.part_named(instance, p)?.body,
            None => self.whole(instance)?,
        };
        Some(self.pose(base) * r.pose)
    }

    /// Whether a body is an object that can be carried away.
    pub(crate) fn movable(&self, body: BodyId) -> bool {
        matches!(self.role(body), BodyRole::Object(i) if !self.info(i).fixed)
    }

    /// Return the movable object in the hand.
    pub(crate) fn held(&self) -> Option<SceneObject> {
        let body = self.bodies().filter(|b| self.movable(*b)).find(|b| self.holds(*b))?;
        self.object_of(body)
    }

    /// Whether two bodies touch.
    pub(crate) fn touching(&self, a: BodyId, b: BodyId) -> bool {
        self.now.touching.get(a, b)
    }

    /// Whether something rests on a body.
    pub(crate) fn carries(&self, body: BodyId) -> bool {
        self.bodies().any(|b| self.now.rests_on.get(b, body))
    }

    /// Whether a body lies in or on an object. In a bowl it may touch only slanting walls.
    pub(crate) fn loads(&self, body: BodyId, object: &SceneObject) -> bool {
        let at = object.frame.local(self.pose(body).pos);
        self.touching(body, object.body)
            && at.z > 0.0
            && at.truncate().length() < object.bounds.footprint_radius()
    }

    /// Whether a body is held and hangs free but for its load, or hangs from what is wedged in it.
    pub(crate) fn in_hand(&self, a: BodyId) -> bool {
        let load = |b: BodyId| b != a && self.movable(b) && self.touching(a, b);
        let mut others = self.bodies();
        let held = self.holds(a) || others.clone().any(|b| load(b) && self.holds(b));
        held && others.all(|b| b == a || load(b) || !self.touching(a, b))
    }
}

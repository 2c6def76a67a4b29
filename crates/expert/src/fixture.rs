//! Scenes built by hand, without a simulator, for the tests of skills.

use std::collections::BTreeMap;

use longarm_assets::{Asset, Bodies, BodyRole, Instance, RigName, Structure, Tint};
use longarm_task::place::RegionSpec;
use longarm_task::{BodyId, Op, Scene, Snapshot, part_pose};
use longarm_types::{DVec3, Pose, Seed};

use crate::limb::LimbGeometry;
use crate::motion::Motion;
use crate::scene::{SceneModel, SceneView};
use crate::skills::{Attempt, Moment, Script, script};

/// Return the rigs with one limb that ends in a gripper.
pub(crate) fn gripper_rigs() -> Vec<RigName> {
    let grips = |rig: &RigName| limb(*rig).widest > 0.0 && !limb(*rig).fingered;
    one_limb_rigs().into_iter().filter(grips).collect()
}

/// Return the rigs with one limb that stands fixed and reaches down to the table from its home: experts drive no base,
/// and a hand that presents its palm goes nowhere.
pub(crate) fn one_limb_rigs() -> Vec<RigName> {
    let presents = |rig: &RigName| rig.rig().robots.iter().any(|r| !r.fingers.is_empty());
    let stands = |rig: &RigName| matches!(rig.rig().limbs().as_slice(), [l] if !l.rides());
    let fixed = |rig: &RigName| stands(rig) && !presents(rig);
    let rigs: Vec<_> = RigName::all().into_iter().filter(fixed).collect();
    assert!(rigs.len() >= 3);
    rigs
}

/// Return the geometry of a rig's first limb.
pub(crate) fn limb(rig: RigName) -> LimbGeometry {
    LimbGeometry::new(&rig.rig().limbs()[0])
}

/// Return the middle of a rig's workspace, on the table.
pub(crate) fn middle(rig: RigName) -> DVec3 {
    DVec3::from(rig.rig().workspace.centre).with_z(0.0)
}

/// A scene at a moment, and the limb that acts in it.
pub(crate) struct Bench {
    model: SceneModel,
    pub(crate) limb: LimbGeometry,
    pub(crate) now: Snapshot,
    pub(crate) attempt: Attempt,
}

impl Bench {
    /// Build a scene of named objects, the hand at home and empty.
    pub(crate) fn new(rig: RigName, objects: &[(&str, Asset, Pose)]) -> Self {
        Self::with(rig, objects, &[], &[], &[])
    }

    /// Build a scene with regions of the table, a plan, and belts.
    pub(crate) fn with(
        rig: RigName,
        objects: &[(&str, Asset, Pose)],
        regions: &[RegionSpec],
        ops: &[Op],
        belts: &[(usize, f64)],
    ) -> Self {
        let instances: Vec<Instance> = objects
            .iter()
            .map(|(name, asset, _)| Instance { name: (*name).into(), asset: asset.clone() })
            .collect();
        let bodies = Bodies::of(instances.iter().map(|i| (i.name.as_str(), &i.asset))).into_vec();
        let scene = Scene {
            seed: Seed(0),
            structure: Structure { rig: rig.rig(), instances },
            poses: objects.iter().map(|o| o.2).collect(),
            tints: objects.iter().map(|_| Tint::Own).collect(),
            starts_on: vec![0; objects.len()],
            called: objects.iter().map(|o| o.0.to_owned()).collect(),
            parts: Vec::new(),
            lines: Vec::new(),
            belts: belts.to_vec(),
            variables: BTreeMap::new(),
            instruction: String::new(),
        };
        let limb = limb(rig);
        let mut now = Snapshot::empty(bodies.len(), &["arm"]);
        for (state, body) in now.bodies.iter_mut().zip(&bodies) {
            state.pose = match body.role {
                BodyRole::World => Pose::IDENTITY,
                BodyRole::Object(i) => objects[i].2,
                BodyRole::Part(i, p) => {
                    objects[i].2 * part_pose(&objects[i].1.info().parts[p], 0.0)
                }
            };
        }
        (now.hands[0].pose, now.hands[0].commanded) = (limb.home_tool(), limb.home_tool());
        now.hands[0].opening = limb.widest;
        let model = SceneModel::of(&scene, regions.to_vec(), BTreeMap::new(), ops.to_vec());
        Self { model, limb, now, attempt: Attempt::default() }
    }

    /// Return what a skill may ask.
    pub(crate) fn moment(&self) -> Moment<'_> {
        Moment { scene: self.view(), limb: &self.limb, attempt: self.attempt }
    }

    pub(crate) fn view(&self) -> SceneView<'_> {
        self.model.at(&self.now, 0)
    }

    pub(crate) fn body(&self, name: &str) -> BodyId {
        self.view().body(name).expect("a body of the scene")
    }

    /// Put an object into the hand as its best grasp holds it, the tool at a pose.
    pub(crate) fn hold(&mut self, name: &str, tool: Pose) {
        let object = self.view().object(name).expect("an object of the scene");
        let info = self.view().info(object.instance);
        let grasp = info.grasps.first().expect("it can be grasped").clone();
        let body = self.body(name);
        let hand = &mut self.now.hands[0];
        (hand.pose, hand.commanded, hand.opening) = (tool, tool, grasp.opening);
        hand.holds[body] = true;
        self.now.bodies[body].pose = tool * grasp.tool.inverse();
    }

    /// Move a part to a joint value.
    pub(crate) fn turn(&mut self, path: &str, value: f64) {
        let id = self.view().part(path).expect("a part of the scene");
        let whole = self.view().whole(id.instance).expect("its object");
        let pose = self.now.bodies[whole].pose * part_pose(self.view().part_info(id), value);
        self.now.bodies[id.body].pose = pose;
        self.now.joints[id.body] = value;
    }

    /// Return what an operator comes to.
    pub(crate) fn script(&self, op: &Op) -> Script {
        script(op, &self.moment()).expect("a skill for the operator")
    }
}

/// Return the poses of a script's straight lines, in order.
pub(crate) fn goals(motions: &[Motion]) -> Vec<Pose> {
    motions
        .iter()
        .filter_map(|m| if let Motion::Go { to, .. } = m { Some(*to) } else { None })
        .collect()
}

//! What the cameras show of what can be taken: grasps in place of those that assets bring along.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use longarm_grasp::{Candidate, Cloud, Noise, Search};
use longarm_sim::Env;
use longarm_task::{BodyId, LimbId, Scene};
use longarm_types::{Bounds, DVec3, Pose, Rng, Segment};

use crate::ExpertError;
use crate::limb::LimbGeometry;
use crate::scene::SceneModel;
use crate::skills::{self, Attempt, Moment};

/// How far around the workspace points are of use, metres.
const BESIDE: f64 = 0.35;
/// What is around an object within this distance of it may be in the hand's way.
const NEAR: f64 = 0.25;
/// Candidates that are handed on.
const MOST: usize = 40;
/// Of fewer points nothing is told.
const FEWEST: usize = 12;

/// How grasps are perceived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perception {
    /// Standard deviation of a depth of one metre, metres; it grows with the square of the depth.
    pub noise: f64,
}

/// What the cameras showed last.
pub(crate) struct Sight {
    noise: Noise,
    rng: Rng,
    bounds: Bounds,
    cloud: Cloud,
    /// What was found of a body since.
    found: Mutex<BTreeMap<BodyId, Arc<[Candidate]>>>,
}

impl Sight {
    /// Open the eyes for the episode an environment was just reset to.
    pub(crate) fn open(perception: Perception, env: &mut Env) -> Result<Self, ExpertError> {
        let rig = &env.scene().structure.rig;
        let limbs = rig.limbs();
        let blunt = |l: &longarm_assets::RigLimb| {
            let geometry = LimbGeometry::new(l);
            geometry.fingered || geometry.widest == 0.0
        };
        if let Some(limb) = limbs.iter().find(|l| blunt(l)) {
            let why = format!("{} ends in no gripper with two fingers", limb.name);
            return Err(ExpertError::Blind(why));
        }
        let space = &rig.workspace;
        let bounds = Bounds {
            centre: space.centre,
            half: (DVec3::from(space.half) + DVec3::splat(BESIDE)).to_array(),
        };
        let rng = env.scene().seed.stream("perceived grasps");
        let seen = &env.observe().cameras;
        if !seen.iter().any(|c| !c.depth.is_empty() && !c.segment.is_empty()) {
            let why = "no camera shows depth and segments".to_owned();
            return Err(ExpertError::Blind(why));
        }
        let noise = Noise { depth: perception.noise };
        let (cloud, found) = (Cloud::default(), Mutex::default());
        Ok(Self { noise, rng, bounds, cloud, found })
    }

    /// Look at the scene as it is now.
    pub(crate) fn look(&mut self, env: &mut Env) {
        let seen = &env.observe().cameras;
        self.cloud = Cloud::see(seen, &self.bounds, self.noise, &mut self.rng);
        self.found.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Return the ways to take a body with a limb, in the world, best first.
    pub(crate) fn grasps(&self, body: BodyId, limb: &LimbGeometry) -> Arc<[Candidate]> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.entry(body).or_insert_with(|| self.search(body, limb).into()).clone()
    }

    fn search(&self, body: BodyId, limb: &LimbGeometry) -> Vec<Candidate> {
        let segment = Segment::Body(body).id();
        let target = self.cloud.surface(segment, &mut self.rng.clone());
        if target.len() < FEWEST {
            return Vec::new();
        }
        let middle = target.iter().map(|p| p.at).sum::<DVec3>() / target.len() as f64;
        let around = self.cloud.around(segment, middle, NEAR);
        let gripper = limb.gripper();
        let search =
            Search { target: &target, around: &around, cloud: &self.cloud, gripper: &gripper };
        search.candidates(MOST, &|tool| limb.cost(tool).is_some())
    }
}

/// Whether any limb of a scene's rig reaches a point from above, there or a little higher.
pub fn reaches(scene: &Scene, at: DVec3) -> bool {
    const ABOVE: f64 = 0.03;
    let at = at.with_z(at.z.max(ABOVE));
    scene.structure.rig.limbs().iter().any(|limb| {
        let geometry = LimbGeometry::new(limb);
        geometry.cost(&geometry.easy(at)).is_some()
    })
}

/// What is perceived of an object.
#[derive(Clone, Debug)]
pub struct Perceived {
    /// Its name.
    pub name: String,
    /// The ways to take it that are seen, best first.
    pub candidates: Vec<Candidate>,
    /// The tool pose that an expert would choose among them now, and its opening.
    pub chosen: Option<(Pose, f64)>,
}

/// Return what a limb perceives of the objects that the plan has it take, the environment being reset.
pub fn perceive(
    env: &mut Env,
    perception: Perception,
    limb: LimbId,
) -> Result<Vec<Perceived>, ExpertError> {
    let mut sight = Sight::open(perception, env)?;
    sight.look(env);
    let model = SceneModel::new(env.instance(), env.scene());
    let limbs = env.scene().structure.rig.limbs();
    let Some(rig_limb) = limbs.get(limb) else { return Ok(Vec::new()) };
    let geometry = LimbGeometry::new(rig_limb);
    let scene = model.at(env.snapshot(), limb).seeing(Some(&sight));
    let now = Moment { scene, limb: &geometry, attempt: Attempt::default() };
    let taken = scene.bodies().filter(|b| scene.movable(*b));
    let taken = taken.filter(|b| {
        let name = scene.name(*b);
        let takes =
            |op: &&longarm_task::Op| op.subject().is_some_and(|s| scene.stands_for(s, name));
        scene.ops().iter().any(|op| takes(&op))
    });
    Ok(taken
        .map(|body| Perceived {
            name: scene.name(body).to_owned(),
            candidates: sight.grasps(body, &geometry).to_vec(),
            chosen: skills::chosen(&now, body),
        })
        .collect())
}

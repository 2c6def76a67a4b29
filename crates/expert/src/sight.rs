//! What the cameras show of what can be taken: grasps in place of those that assets bring along.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use longarm_grasp::{Candidate, Cloud, Perception, Search};
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

/// What the cameras showed last.
pub(crate) struct Sight {
    perception: Perception,
    rng: Rng,
    bounds: Bounds,
    cloud: Cloud,
    /// What was found of a body since.
    found: Mutex<BTreeMap<BodyId, Arc<[Candidate]>>>,
    /// What was found of each body when most of it was seen.
    shapes: Mutex<BTreeMap<BodyId, Shape>>,
}

/// Ways to take a body wherever it is, as it was seen once.
#[derive(Clone)]
pub(crate) struct Shape {
    /// Where it was then.
    pub(crate) pose: Pose,
    pub(crate) candidates: Arc<[Candidate]>,
    /// How much of it was seen from end to end, metres.
    length: f64,
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
        let cloud = Cloud::default();
        let (found, shapes) = (Mutex::default(), Mutex::default());
        Ok(Self { perception, rng, bounds, cloud, found, shapes })
    }

    /// Look at the scene as it is now, remembering shapes or not.
    pub(crate) fn look(&mut self, env: &mut Env, remembers: bool) {
        if !remembers {
            self.shapes.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        }
        let seen = &env.observe().cameras;
        self.cloud = Cloud::see(seen, &self.bounds, self.perception, &mut self.rng);
        self.found.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Return the ways to take a body that is at a pose with a limb, as it is seen now, best first.
    pub(crate) fn grasps(&self, body: BodyId, pose: Pose, limb: &LimbGeometry) -> Arc<[Candidate]> {
        let mut found = lock(&self.found);
        found.entry(body).or_insert_with(|| self.search(body, pose, limb).into()).clone()
    }

    /// Return the ways to take a body as it was seen before.
    pub(crate) fn shape(&self, body: BodyId) -> Option<Shape> {
        lock(&self.shapes).get(&body).cloned()
    }

    fn search(&self, body: BodyId, pose: Pose, limb: &LimbGeometry) -> Vec<Candidate> {
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
        let all = search.proposals();
        let mut shapes = lock(&self.shapes);
        if shapes.get(&body).is_none_or(|known| known.length <= all.length()) {
            let candidates = all.choose(MOST, &|_| true).into();
            shapes.insert(body, Shape { pose, candidates, length: all.length() });
        }
        all.choose(MOST, &|tool| limb.cost(tool).is_some())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    sight.look(env, true);
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
            candidates: sight.grasps(body, scene.pose(body), &geometry).to_vec(),
            chosen: skills::chosen(&now, body),
        })
        .collect())
}

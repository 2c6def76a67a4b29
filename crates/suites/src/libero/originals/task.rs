//! Tasks played in LIBERO's own files: problems, stored states, options.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_assets::outside::OutsideError;
use longarm_assets::source::{AssetFolders, Library, SourceModel};
use longarm_task::bddl::{self, Problem};
use longarm_task::place::Init;
use longarm_task::stage::{Stages, stage};
use longarm_task::{FromFiles, Plan, Predicate, SourceScene, SourceStart, SourceTiming, TaskSpec};
use longarm_types::Seed;

use super::folders::{PROBLEMS, STATES, open};
use super::{OriginalError, OriginalScene, Physics, put_together};
use crate::SuiteOption;

/// Physics steps of an action after which the original samples its observations.
const SAMPLED: u32 = 24;
/// Control steps of an episode in LIBERO's own evaluation.
const LIBERO_STEPS: u32 = 600;
/// The seed that LIBERO's scripts give to the environment, before the one reset that places fixtures.
const ENV_SEED: u32 = 0;

/// The traps of the original, or none of them.
pub(crate) const FAITHFUL: SuiteOption = SuiteOption {
    name: "faithful",
    values: &["on", "off"],
    help: "With --assets: the original's first-action trap, late observations and slow gripper, or none of them.",
    apply: |task, value| choose(task, &FAITHFUL, value),
};

/// Which version of the physics.
pub(crate) const PHYSICS: SuiteOption = SuiteOption {
    name: "physics",
    values: &["current", "mujoco-2.3.7"],
    help: "With --assets: collisions and textures as in this MuJoCo, or nearer to LIBERO's own version.",
    apply: |task, value| choose(task, &PHYSICS, value),
};

/// Whose evaluation script.
pub(crate) const SCRIPT: SuiteOption = SuiteOption {
    name: "script",
    values: &["openpi", "libero", "none"],
    help: "With --assets: settle as OpenVLA's and openpi's scripts (10 steps, hand opening), as LIBERO's (5, and 600 steps to act), or not.",
    apply: |mut task, value| {
        if value == "libero" && task.files.is_some() {
            task.horizon = LIBERO_STEPS;
        }
        choose(task, &SCRIPT, value)
    },
};

/// Note a choice; the default leaves the task as it is.
fn choose(mut task: TaskSpec, option: &SuiteOption, value: &str) -> TaskSpec {
    if let Some(files) = &mut task.files {
        match value == option.values[0] {
            true => drop(files.choices.remove(option.name)),
            false => drop(files.choices.insert(option.name.to_owned(), value.to_owned())),
        }
    }
    task
}

/// Where a task's problem and stored states are, below the folders of all.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    /// LIBERO's suite and name.
    pub suite: String,
    pub title: String,
}

impl Original {
    fn problem(&self, library: &Library) -> Result<Problem, OutsideError> {
        let path = format!("{PROBLEMS}:{}/{}.bddl", self.suite, self.title);
        let bytes = library.file(&path)?;
        bddl::parse_bytes(&bytes).map_err(|e| OutsideError::new(&path, e.to_string()))
    }

    fn states(&self, library: &Library) -> Result<Vec<Vec<f64>>, OutsideError> {
        let path = format!("{STATES}:{}/{}.pruned_init", self.suite, self.title);
        let wrong = |say: String| OutsideError::new(&path, say);
        let array = longarm_data::pickle::read_array(&library.file(&path)?);
        let array = array.map_err(|e| wrong(e.to_string()))?;
        let rows = array.rows().map(|rows| rows.map(<[f64]>::to_vec).collect::<Vec<_>>());
        rows.filter(|r| !r.is_empty()).ok_or_else(|| wrong("holds no states".into()))
    }
}

fn told(id: &str, e: OriginalError) -> OutsideError {
    match e {
        OriginalError::File(e) => e,
        other => OutsideError::new(id, other.to_string()),
    }
}

/// Play tasks in the files of these folders.
pub(crate) fn play(
    tasks: Vec<TaskSpec>,
    folders: &AssetFolders,
    original: fn(&str) -> Option<Original>,
) -> Result<Vec<TaskSpec>, OutsideError> {
    let library = open(folders).map_err(|e| told("--assets", e))?;
    let each = |task: TaskSpec| match original(task.id.as_str()) {
        // Beside others of its suite in files it would be compared with what it is not made of.
        None => Err(OutsideError::new(
            task.id.as_str(),
            "has no stored states among LIBERO's files, so it cannot be played in them: leave it out, \
             or play all in our own models with --assets off",
        )),
        Some(original) => one(task, folders, &library, original),
    };
    tasks.into_iter().map(each).collect()
}

fn one(
    mut task: TaskSpec,
    folders: &AssetFolders,
    library: &Library,
    original: Original,
) -> Result<TaskSpec, OutsideError> {
    library.begin();
    let problem = original.problem(library)?;
    original.states(library)?;
    let list = |world: &_| {
        let used = library.list(world)?;
        Ok(SourceModel { xml: String::new(), files: BTreeMap::new(), used })
    };
    let listed = put_together(library, &problem, Physics::Current, list)
        .map_err(|e| told(task.id.as_str(), e))?;
    let facts = problem.goal.facts().into_iter().map(ToString::to_string);
    let mut stages: Vec<longarm_task::Stage> = Vec::new();
    for (fact, name) in facts.enumerate() {
        let title = task.stage_title(&name);
        if stages.iter().all(|s| s.name != title) {
            stages.push(stage(title, Predicate::Stated { fact }).at_end());
        }
    }
    // What is there, and where, the files say.
    task.stages = Stages::Listed(stages);
    task.objects.clear();
    task.groups.clear();
    task.regions.clear();
    task.interest.clear();
    task.init = Init { clearance: task.init.clearance, ..Init::default() };
    task.plan = Plan::default();
    let frames = task.rig().frames;
    let origin = frames.iter().find(|f| f.name == "libero").map_or([0.0; 3], |f| f.origin);
    let (id, folders) = (task.id.to_string(), folders.clone());
    task.files = Some(FromFiles::new(listed.model.used, move |choices| {
        scene(&id, &folders, &original, origin, choices)
    }));
    Ok(task)
}

fn scene(
    id: &str,
    folders: &AssetFolders,
    original: &Original,
    origin: [f64; 3],
    choices: &BTreeMap<String, String>,
) -> Result<SourceScene, OutsideError> {
    let library = open(folders).map_err(|e| told("--assets", e))?;
    let problem = original.problem(&library)?;
    let states = original.states(&library)?;
    let chosen = |option: &SuiteOption| {
        choices.get(option.name).map_or(option.values[0], String::as_str).to_owned()
    };
    let physics = match chosen(&PHYSICS).as_str() {
        "mujoco-2.3.7" => Physics::Earlier,
        _ => Physics::Current,
    };
    let built = put_together(&library, &problem, physics, |world| library.finish(world))
        .map_err(|e| told(id, e))?;
    let fixed = fixtures(id, &built)?;
    let faithful = chosen(&FAITHFUL) == "on";
    let OriginalScene { model, mut robot, glows, goal, class, .. } = built;
    if !faithful {
        robot.gripper.speed = 2.0;
    }
    let settle = match chosen(&SCRIPT).as_str() {
        "openpi" => vec![[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]; 10],
        "libero" => vec![[0.0; 7]; 5],
        _ => Vec::new(),
    };
    let view = if class.has_camera("frontview") { "frontview" } else { "agentview" };
    let cameras = [("agentview", "agentview"), ("wrist", "robot0_eye_in_hand"), ("view", view)];
    Ok(SourceScene {
        model,
        robot,
        cameras: cameras.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec(),
        origin,
        glows,
        goal: Arc::new(goal),
        starts: Arc::new(move |seed: Seed| {
            let row = (seed.0 % states.len() as u64) as usize;
            Ok(SourceStart { fixed: fixed.clone(), state: states[row].clone() })
        }),
        timing: SourceTiming { unaware: faithful, sampled: faithful.then_some(SAMPLED), settle },
    })
}

/// Where fixtures stand, by their root bodies.
fn fixtures(
    id: &str,
    built: &OriginalScene,
) -> Result<Vec<(String, longarm_types::Pose)>, OutsideError> {
    let poses = built.fixture_poses(ENV_SEED).map_err(|e| told(id, e))?;
    Ok(poses.into_iter().map(|(name, pose)| (super::root_body(&name), pose)).collect())
}

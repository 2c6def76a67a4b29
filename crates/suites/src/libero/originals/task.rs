//! Tasks played in LIBERO's own files: problems, stored states, options.

use std::collections::BTreeMap;
use std::ops::RangeFrom;
use std::sync::Arc;

use longarm_assets::outside::OutsideError;
use longarm_assets::source::{AssetFolders, Library, SourceModel};
use longarm_task::bddl::{self, Goal, Problem};
use longarm_task::place::Init;
use longarm_task::stage::{Stages, When, stage};
use longarm_task::{
    FromFiles, Plan, Predicate, SourceScene, SourceStart, SourceState, SourceTiming, Stage, Starts,
    TaskSpec,
};
use longarm_types::{SUBSTEPS, Seed};

use super::folders::{PROBLEMS, STATES, open};
use super::release::Release;
use super::{Drawn, OriginalError, OriginalScene, Physics, put_together, root_body};
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

/// What a task is in LIBERO's files, or in those of a release that builds on them.
#[derive(Clone)]
pub(crate) struct Original {
    /// Its problem.
    pub problem: ProblemFile,
    /// How its scene differs from the problem's. There are no stored states of it then.
    pub change: Option<Change>,
    /// Problems in the same scene whose goals follow.
    pub then: Vec<ProblemFile>,
}

/// Changes a problem.
pub(crate) type Change = Arc<dyn Fn(&Problem) -> Problem + Send + Sync>;

/// A problem and its stored states, below the folders of all.
#[derive(Clone, Debug)]
pub(crate) struct ProblemFile {
    /// LIBERO's suite and name.
    pub suite: String,
    pub title: String,
}

impl ProblemFile {
    fn read(&self, library: &Library) -> Result<Problem, OutsideError> {
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

impl Original {
    /// A problem as it is.
    pub(crate) fn of(suite: &str, title: String) -> Self {
        let problem = ProblemFile { suite: suite.to_owned(), title };
        Self { problem, change: None, then: Vec::new() }
    }

    /// Read what it is made of: a problem whose goal is everything that is asked for, one part after the other,
    /// and the parts.
    fn read(&self, library: &Library) -> Result<(Problem, Vec<Goal>), OutsideError> {
        let mut problem = self.problem.read(library)?;
        if let Some(change) = &self.change {
            problem = change(&problem);
        }
        let mut goals = vec![problem.goal.clone()];
        for next in &self.then {
            let next = next.read(library)?;
            for region in next.regions {
                if problem.region(&region.key()).is_none() {
                    problem.regions.push(region);
                }
            }
            goals.push(next.goal);
        }
        problem.goal = Goal::And(goals.clone());
        Ok((problem, goals))
    }

    /// Read its stored states, if it has any.
    fn states(
        &self,
        library: &Library,
        release: &Release,
    ) -> Result<Option<Vec<Vec<f64>>>, OutsideError> {
        let stored = self.change.is_none() && release.fork.is_none();
        stored.then(|| self.problem.states(library)).transpose()
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
    release: &'static Release,
    original: fn(&str) -> Option<Original>,
) -> Result<Vec<TaskSpec>, OutsideError> {
    let library = open(folders, release).map_err(|e| told("--assets", e))?;
    let each = |task: TaskSpec| match original(task.id.as_str()) {
        // Beside others of its suite in files it would be compared with what it is not made of.
        None => Err(OutsideError::new(
            task.id.as_str(),
            "is not among the tasks of these files, so it cannot be played in them: leave it out, or play \
             all in our own models with --assets off",
        )),
        Some(original) => one(task, (folders, release), &library, original),
    };
    tasks.into_iter().map(each).collect()
}

fn one(
    mut task: TaskSpec,
    (folders, release): (&AssetFolders, &'static Release),
    library: &Library,
    original: Original,
) -> Result<TaskSpec, OutsideError> {
    library.begin();
    let (problem, goals) = original.read(library)?;
    original.states(library, release)?;
    let list = |world: &_| {
        let used = library.list(world)?;
        Ok(SourceModel { xml: String::new(), files: BTreeMap::new(), used })
    };
    let how = (Physics::Current, release);
    let listed =
        put_together(library, &problem, how, list).map_err(|e| told(task.id.as_str(), e))?;
    task.stages = Stages::Listed(stages(&task, &goals));
    // What is there, and where, the files say.
    task.objects.clear();
    task.groups.clear();
    task.regions.clear();
    task.interest.clear();
    task.init = Init { clearance: task.init.clearance, ..Init::default() };
    task.plan = Plan::default();
    task.variables.clear();
    task.aliases.clear();
    task.forbid.clear();
    task.decisions.clear();
    task.instances = None;
    let frames = task.rig().frames;
    let origin = frames.iter().find(|f| f.name == "libero").map_or([0.0; 3], |f| f.origin);
    let (id, folders) = (task.id.to_string(), folders.clone());
    // Of a changed scene the files say too little: its hash covers what is so at the beginning.
    let begins = original.change.as_ref().map(|_| {
        let facts: Vec<String> = problem.init.iter().map(ToString::to_string).collect();
        ("begins".to_owned(), facts.join("; "))
    });
    let mut files = FromFiles::new(listed.model.used, move |choices| {
        scene(&id, (&folders, release), &original, origin, choices)
    });
    files.choices.extend(begins);
    task.files = Some(files);
    Ok(task)
}

/// What must hold, in facts numbered as they come: each part of one goal a stage; of several goals, a stage
/// each, which is said and ends as in our own scene.
fn stages(task: &TaskSpec, goals: &[Goal]) -> Vec<Stage> {
    let mut facts = 0..;
    let mut out: Vec<Stage> = Vec::new();
    match (&task.stages, goals) {
        (Stages::Listed(own), [_, _, ..]) => {
            for (stage, goal) in own.iter().zip(goals) {
                let when = When::Holds(stated(goal, &mut facts));
                out.push(Stage { when, ..stage.clone() });
            }
        }
        _ => {
            for part in goals.iter().flat_map(Goal::conjuncts) {
                let title = task.stage_title(&part.to_string());
                let holds = stated(part, &mut facts);
                if out.iter().all(|s| s.name != title) {
                    out.push(stage(title, holds).at_end());
                }
            }
        }
    }
    out
}

/// A goal over numbered facts.
fn stated(goal: &Goal, facts: &mut RangeFrom<usize>) -> Predicate {
    match goal {
        Goal::Fact(_) => Predicate::Stated { fact: facts.next().unwrap_or_default() },
        Goal::And(of) => Predicate::All(of.iter().map(|g| stated(g, facts)).collect()),
        Goal::Or(of) => Predicate::Any(of.iter().map(|g| stated(g, facts)).collect()),
    }
}

fn scene(
    id: &str,
    (folders, release): (&AssetFolders, &'static Release),
    original: &Original,
    origin: [f64; 3],
    choices: &BTreeMap<String, String>,
) -> Result<SourceScene, OutsideError> {
    let library = open(folders, release).map_err(|e| told("--assets", e))?;
    let (problem, _) = original.read(&library)?;
    let states = original.states(&library, release)?;
    let chosen = |option: &SuiteOption| {
        choices.get(option.name).map_or(option.values[0], String::as_str).to_owned()
    };
    let physics = match chosen(&PHYSICS).as_str() {
        "mujoco-2.3.7" => Physics::Earlier,
        _ => Physics::Current,
    };
    let how = (physics, release);
    let mut built = put_together(&library, &problem, how, |world| library.finish(world))
        .map_err(|e| told(id, e))?;
    let faithful = chosen(&FAITHFUL) == "on";
    let timing = SourceTiming {
        unaware: faithful && states.is_some(),
        sampled: faithful.then_some(if states.is_some() { SAMPLED } else { SUBSTEPS }),
        settle: Vec::new(),
    };
    let model = std::mem::take(&mut built.model);
    let (mut robot, glows) = (built.robot.clone(), built.glows.clone());
    let (goal, class) = (built.goal.clone(), built.class);
    let starts = starts(id, built, states)?;
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
        starts,
        timing: SourceTiming { settle, ..timing },
    })
}

/// How episodes begin: with a stored state and fixtures as the scripts' one reset leaves them, or as a reset
/// with the episode's own seed leaves everything.
fn starts(
    id: &str,
    scene: OriginalScene,
    states: Option<Vec<Vec<f64>>>,
) -> Result<Starts, OutsideError> {
    let fixed = |drawn: Drawn| -> Vec<_> {
        drawn.fixtures.into_iter().map(|(name, pose)| (root_body(&name), pose)).collect()
    };
    let Some(states) = states else {
        let id = id.to_owned();
        return Ok(Arc::new(move |seed: Seed| {
            let drawn = scene.reset(seed.0 as u32).map_err(|e| told(&id, e))?;
            let mut joints: Vec<(String, Vec<f64>)> = Vec::new();
            for (name, at, quat) in &drawn.objects {
                let numbers = at.to_array().into_iter().chain(*quat).collect();
                joints.push((format!("{name}_joint0"), numbers));
            }
            joints.extend(drawn.joints.iter().map(|(name, q)| (name.clone(), vec![*q])));
            Ok(SourceStart { fixed: fixed(drawn), state: SourceState::Joints(joints) })
        }));
    };
    let fixed = fixed(scene.reset(ENV_SEED).map_err(|e| told(id, e))?);
    Ok(Arc::new(move |seed: Seed| {
        let row = (seed.0 % states.len() as u64) as usize;
        Ok(SourceStart { fixed: fixed.clone(), state: SourceState::Whole(states[row].clone()) })
    }))
}

//! Agents in the episode loop: what they look at, and the truth for their oracle parts.

use longarm_agent::{Agent, AgentError, AgentSpec, Noun, PlannerSpec, Sighting, Truth, World};
use longarm_assets::Tint;
use longarm_expert::{Expert, ExpertError};
use longarm_policy::{Decision, EpisodeInfo, PolicyError};
use longarm_render::Channels;
use longarm_sim::{Env, ImageSettings};
use longarm_task::plan::{Op, Subtasks};
use longarm_task::speech::Area;
use longarm_task::stage::Stages;
use longarm_task::{BoundPredicate, Goal, Predicate, SpecError};
use longarm_types::{Action, DVec3, Observation, yaw};

/// Metres an object must have been moved to count as put aside.
const ASIDE: f64 = 0.05;

/// An agent with what its oracle parts need.
pub struct AgentActor {
    agent: Agent,
    /// There are oracles.
    told: bool,
    expert: Expert,
    progress: Option<Progress>,
}

impl AgentActor {
    /// Make an agent that can act in episodes.
    pub fn new(spec: &AgentSpec) -> Result<Self, AgentError> {
        let (agent, told) = (Agent::new(spec)?, !spec.oracles().is_empty());
        Ok(Self { agent, told, expert: Expert::led(), progress: None })
    }

    /// Whether it looks at pictures.
    pub fn sees(&self) -> bool {
        self.agent.spec().sees()
    }

    /// What it is made of, and what was asked and answered in this episode.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Prepare the truth of the episode that the environment was just reset to.
    pub(crate) fn prepare(&mut self, env: &mut Env) -> Result<(), ExpertError> {
        if self.told {
            self.expert.begin(env)?;
            self.progress = Some(Progress::new(env)?);
        }
        Ok(())
    }

    pub(crate) fn begin(&mut self, info: &EpisodeInfo) -> Result<(), PolicyError> {
        self.agent.begin_episode(info)
    }

    pub(crate) fn act(
        &mut self,
        env: &mut Env,
        decision: &mut Decision,
    ) -> Result<(), PolicyError> {
        if let Some(progress) = &mut self.progress {
            progress.update(env);
        }
        let (expert, progress) = (&mut self.expert, self.progress.as_mut());
        let mut shown = Shown { env, observed: false, expert, progress };
        self.agent.act(&mut shown, decision)
    }

    pub(crate) fn end(&mut self) {
        self.agent.end_episode();
    }
}

/// Describe an agent for a run's configuration: its parts, those that are told the truth, all it is made of.
pub(crate) fn described(spec: &AgentSpec) -> toml::Table {
    let mut out = toml::Table::new();
    out.insert("parts".into(), spec.line().into());
    let oracles = spec.oracles().into_iter().map(toml::Value::from).collect();
    out.insert("oracles".into(), toml::Value::Array(oracles));
    // What was read from TOML can be written as such.
    if let Ok(spec) = toml::Value::try_from(spec) {
        out.insert("spec".into(), spec);
    }
    if let PlannerSpec::Chat(chat) = &spec.planner
        && let Some(prompt) = &chat.prompt_text
    {
        out.insert("prompt".into(), prompt.as_str().into());
    }
    out
}

/// The pictures an agent needs.
pub(crate) fn images(spec: &AgentSpec) -> Option<ImageSettings> {
    let channels = match spec.reads_scene() {
        true => Channels { color: true, depth: true, segment: true, ..Channels::NONE },
        false => Channels::COLOR,
    };
    spec.sees().then(|| ImageSettings { channels, ..ImageSettings::default() })
}

/// An environment as an agent sees it in one step.
struct Shown<'a> {
    env: &'a mut Env,
    observed: bool,
    expert: &'a mut Expert,
    progress: Option<&'a mut Progress>,
}

impl World for Shown<'_> {
    fn observe(&mut self) -> &Observation {
        // Once: every part sees the same picture, noise and all.
        if !self.observed {
            self.observed = true;
            self.env.observe();
        }
        self.env.last_observation()
    }

    fn truth(&mut self) -> Option<&mut dyn Truth> {
        self.progress.is_some().then_some(self)
    }
}

impl Truth for Shown<'_> {
    fn subtask(&mut self) -> Option<String> {
        self.progress.as_ref().and_then(|p| p.sentence())
    }

    fn plan(&mut self) -> Vec<String> {
        self.progress.as_ref().map_or_else(Vec::new, |p| p.plan())
    }

    fn completed(&mut self) -> Option<String> {
        self.progress.as_mut().and_then(|p| p.completed.take())
    }

    fn report(&mut self) -> Vec<String> {
        report(self.env)
    }

    fn act(&mut self, sentence: &str) -> Result<Action, String> {
        self.expert.tell(sentence);
        self.expert.act(self.env).map_err(|e| e.to_string())
    }
}

/// A step of a plan of whole motions: its object's start, and when it counts as done.
struct Placing {
    body: usize,
    start: DVec3,
    belongs: Option<BoundPredicate>,
}

/// Which step of the plan an episode is at.
struct Progress {
    subtasks: Subtasks,
    /// For plans of whole motions, step by step.
    placings: Vec<Placing>,
    at: Option<usize>,
    /// The step that was completed at this moment.
    completed: Option<String>,
}

impl Progress {
    fn new(env: &Env) -> Result<Self, SpecError> {
        let (spec, bound, now) = (env.instance(), env.bound(), env.snapshot());
        let subtasks = Subtasks::new(spec, bound, env.scene(), now)?;
        let goal = match &spec.stages {
            Stages::Placed(goal) => Some(goal),
            _ => None,
        };
        let mut placings = Vec::new();
        for step in subtasks.plan() {
            let Op::PickPlace { object, .. } = &step.step.op else { continue };
            let belongs = goal.and_then(|g| {
                let own = g.objects.iter().find(|b| b.object == *object)?;
                Some(Goal { slots: g.slots.clone(), objects: vec![own.clone()] })
            });
            let belongs = belongs
                .map(|g| bound.predicate(&Predicate::Placed { n: 1, goal: g }))
                .transpose()?;
            let body = bound.body(object).unwrap_or(0);
            placings.push(Placing { body, start: now.bodies[body].pose.pos, belongs });
        }
        let mut out = Self { subtasks, placings, at: None, completed: None };
        out.at = out.present(env);
        Ok(out)
    }

    fn update(&mut self, env: &Env) {
        self.subtasks.update(env.snapshot());
        let at = self.present(env);
        let ahead = match (self.at, at) {
            (Some(before), Some(now)) => now > before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        self.completed =
            self.at.filter(|_| ahead).map(|i| self.subtasks.plan()[i].sentence.clone());
        self.at = at;
    }

    /// The first step that is not done: its object is neither where the step brings it nor where the goal
    /// wants it nor, if the goal does not speak of it, out of the way.
    fn present(&self, env: &Env) -> Option<usize> {
        if self.placings.is_empty() {
            return self.subtasks.at();
        }
        let now = env.snapshot();
        let done = |(i, p): (usize, &Placing)| {
            let effect = self.subtasks.plan()[i].choices.first();
            let moved = || (now.bodies[p.body].pose.pos - p.start).truncate().length() > ASIDE;
            effect.is_none_or(|c| c.effect.holds(now))
                || p.belongs.as_ref().map_or_else(moved, |b| b.holds(now))
        };
        self.placings.iter().enumerate().position(|step| !done(step))
    }

    fn sentence(&self) -> Option<String> {
        match self.placings.is_empty() {
            true => Some(self.subtasks.sentence().to_owned()).filter(|s| !s.is_empty()),
            false => self.at.map(|i| self.subtasks.plan()[i].sentence.clone()),
        }
    }

    fn plan(&self) -> Vec<String> {
        self.subtasks.plan().iter().map(|p| p.sentence.clone()).collect()
    }
}

/// True sentences about a scene: the objects that a person would report, as the detector words it.
fn report(env: &Env) -> Vec<String> {
    let (scene, bound, now) = (env.scene(), env.bound(), env.snapshot());
    let workspace = &scene.structure.rig.workspace;
    let mut out = Vec::new();
    for (instance, tint) in scene.structure.instances.iter().zip(&scene.tints) {
        let Some(body) = bound.body(&instance.name) else { continue };
        let (info, pose) = (instance.asset.info(), now.bodies[body].pose);
        let Some(noun) = Noun::named(instance.asset.noun()) else {
            let [x, y, z] = pose.pos.to_array();
            out.push(format!("the {} is at ({x:.3}, {y:.3}), {z:.3} m high", instance.name));
            continue;
        };
        let (centre, half) = (info.bounds.centre_in(&pose), info.bounds.half);
        let (long, wide) = (half[0].max(half[1]), half[0].min(half[1]));
        let across = if half[0] >= half[1] { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        let at = [centre.x, centre.y];
        let sighting = Sighting {
            noun: if noun == Noun::Zone && long > 8.0 * wide { Noun::Line } else { noun },
            colour: match tint {
                Tint::Named(c) => Some(*c),
                Tint::Own => None,
            },
            size: [2.0 * long, 2.0 * wide],
            at,
            heading: yaw(pose.rot) + across,
            top: centre.z + info.bounds.half_in(&pose).z,
            area: Some(Area::of(workspace, at)),
        };
        out.push(sighting.to_string());
    }
    out
}

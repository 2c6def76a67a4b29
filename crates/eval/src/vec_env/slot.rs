//! One of many environments.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use longarm_assets::Structure;
use longarm_expert::{Expert, Memory};
use longarm_results::Trace;
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings, SimError};
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed};

use super::fields::{Field, Row};
use super::{Command, Episode, Fault, Picture, Play, Recording, Status, Values};

/// Environments a slot keeps: compiling a scene takes as long as many steps.
const ENVS: usize = 12;

#[derive(Default)]
pub(super) struct Slot {
    /// Most recently used first.
    envs: Vec<Env>,
    /// Whether the first of them is in an episode.
    begun: bool,
    /// Where the bodies of the privileged field are in the present scene.
    found: Vec<Option<usize>>,
    /// Scratch.
    numbers: Vec<f64>,
    trace: Option<Trace>,
    /// Cameras of its own, so that looking on changes nothing of what policies see.
    view: Option<(Structure, CameraRig)>,
}

impl From<SimError> for Fault {
    fn from(e: SimError) -> Self {
        let outcome = match e {
            SimError::Action(_) => EpisodeOutcome::PolicyError,
            _ => EpisodeOutcome::HarnessError,
        };
        Self { outcome, why: e.to_string() }
    }
}

fn harness(why: impl ToString) -> Fault {
    Fault { outcome: EpisodeOutcome::HarnessError, why: why.to_string() }
}

impl Slot {
    /// Does as commanded; a panic costs the slot its environments, not the others theirs.
    pub(super) fn advance(
        &mut self,
        command: &Command,
        action: &[f32],
        fields: &[Field],
        settings: &EnvSettings,
        rows: &mut [Row<'_>],
    ) -> Status {
        let tried = catch_unwind(AssertUnwindSafe(|| match command {
            Command::Idle => Ok(()),
            Command::Reset { task, seed } => {
                self.reset(task, *seed, fields, settings)?;
                self.look(fields, rows)
            }
            Command::Step { look } => {
                self.step(action)?;
                if *look { self.look(fields, rows) } else { Ok(()) }
            }
        }));
        let done = tried.unwrap_or_else(|_| {
            *self = Self::default();
            Err(harness("the engine panicked; what it said is on standard error"))
        });
        let mut status = self.status();
        status.fault = done.err();
        status
    }

    fn reset(
        &mut self,
        task: &Arc<TaskSpec>,
        seed: Seed,
        fields: &[Field],
        settings: &EnvSettings,
    ) -> Result<(), Fault> {
        self.begun = false;
        match self.envs.iter().position(|e| Arc::ptr_eq(e.task(), task)) {
            Some(at) => self.envs[..=at].rotate_right(1),
            None => {
                self.envs.truncate(ENVS - 1);
                self.envs.insert(0, Env::new(Arc::clone(task), settings.clone())?);
            }
        }
        let env = &mut self.envs[0];
        env.reset(seed)?;
        self.trace = Some(Trace::new(task.id.clone(), seed.0, env.action_spec().dim()));
        if let Some(names) = fields.iter().find_map(Field::bodies) {
            let bodies = env.world().bodies();
            let place = |n: &String| bodies.iter().position(|b| b.name == *n);
            self.found = names.iter().map(place).collect();
        }
        self.begun = true;
        Ok(())
    }

    fn env(&mut self) -> Result<&mut Env, Fault> {
        match self.envs.first_mut().filter(|_| self.begun) {
            Some(env) => Ok(env),
            None => Err(harness("there is no episode; reset comes before anything else")),
        }
    }

    fn step(&mut self, action: &[f32]) -> Result<(), Fault> {
        let action = Action::new(action);
        self.env()?.step(&action)?;
        if let Some(trace) = &mut self.trace {
            trace.push(action.values());
        }
        Ok(())
    }

    fn look(&mut self, fields: &[Field], rows: &mut [Row<'_>]) -> Result<(), Fault> {
        let Some(env) = self.envs.first_mut() else { return Err(harness("there is no episode")) };
        env.observe();
        for (field, row) in fields.iter().zip(rows) {
            field.write(env, &self.found, &mut self.numbers, row).map_err(harness)?;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let Some(env) = self.envs.first().filter(|_| self.begun) else { return Status::default() };
        let (report, tracker) = (env.report(), env.tracker());
        Status {
            step: report.step,
            success: report.success,
            failed: report.failed,
            truncated: report.truncated && !report.success && !report.failed,
            score: tracker.status().score(),
            reward: report.reward,
            stage: tracker.current().map_or(-1, |i| i as i32),
            fault: None,
        }
    }

    pub(super) fn episode(&self) -> Option<Episode> {
        let env = self.envs.first().filter(|_| self.begun)?;
        let scene = env.scene();
        Some(Episode {
            task: env.task().id.clone(),
            seed: scene.seed.0,
            instruction: scene.instruction.clone(),
            policy_seed: scene.seed.stream("policy").next_u64(),
            horizon: env.task().horizon,
        })
    }

    pub(super) fn record(&self, policy: &str, error: Option<Fault>) -> Option<EpisodeRecord> {
        let env = self.envs.first().filter(|_| self.begun)?;
        Some(env.record(policy, error.map(|f| (f.outcome, f.why))))
    }

    pub(super) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The view for people.
    pub(super) fn render(&mut self) -> Result<Picture, Fault> {
        let Self { envs, begun, view, .. } = self;
        let Some(env) = envs.first().filter(|_| *begun) else {
            return Err(harness("there is nothing to render; reset comes before anything else"));
        };
        let world = env.world();
        let rig = match view {
            Some((structure, rig)) if structure == world.structure() => rig,
            stale => {
                let rig = CameraRig::new(world, ImageSettings::for_people(&world.structure().rig))?;
                &mut stale.insert((world.structure().clone(), rig)).1
            }
        };
        rig.draw(world, &mut Seed(0).stream("render"));
        let (_, frame) = rig.frames().last().ok_or_else(|| harness("the rig has no view"))?;
        Ok(Picture { width: frame.width, height: frame.height, rgb: frame.rgb.clone() })
    }

    /// Plays an episode by itself and keeps all of it: the expert's when there are no actions.
    pub(super) fn play(
        &mut self,
        wanted: &Play,
        fields: &[Field],
        settings: &EnvSettings,
    ) -> Result<Recording, Fault> {
        self.reset(&wanted.task, wanted.seed, fields, settings)?;
        let actions = wanted.actions.as_deref();
        let mut out = Recording::new(fields, self.env()?.action_spec().dim());
        let mut expert = Expert::new(Memory::Whole);
        if actions.is_none() {
            expert.begin(self.env()?).map_err(harness)?;
        }
        let mut end = None;
        loop {
            self.see(fields, &mut out)?;
            let env = self.env()?;
            if env.report().done() {
                break;
            }
            let action = match actions {
                Some(all) => match all.get(out.stages.len()) {
                    Some(a) => *a,
                    None => break,
                },
                None => expert.act(env).map_err(harness)?,
            };
            out.stages.push(env.tracker().current().map_or(-1, |i| i as i32));
            out.doing.push(expert.doing().to_owned());
            if let Err(e) = self.step(action.values()) {
                out.stages.pop();
                out.doing.pop();
                end = Some(e);
                break;
            }
            out.actions.extend_from_slice(action.values());
            out.scores.push(self.status().score);
        }
        let name = if actions.is_some() { "replay" } else { "expert" };
        out.record = self.record(name, end);
        Ok(out)
    }

    fn see(&mut self, fields: &[Field], out: &mut Recording) -> Result<(), Fault> {
        let mut rows: Vec<Row<'_>> = Vec::with_capacity(fields.len());
        for (field, values) in fields.iter().zip(&mut out.values) {
            rows.push(match values {
                Values::Numbers(v) => {
                    let at = v.len();
                    v.resize(at + field.len(), 0.0);
                    Row::Numbers(&mut v[at..])
                }
                Values::Pictures(v) => {
                    let at = v.len();
                    v.resize(at + field.len(), 0);
                    Row::Picture(&mut v[at..])
                }
            });
        }
        self.look(fields, &mut rows)
    }
}

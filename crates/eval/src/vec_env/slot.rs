//! One of many environments.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use longarm_assets::Structure;
use longarm_results::Trace;
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings, Recent, SimError};
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed, Segment};

use super::fields::{Field, FieldBuffer};
use super::{Command, Episode, Fault, Picture, Play, Recording, Status, Values};
use crate::harness::ENVS;
use crate::policy::Tape;
use crate::{Actor, ExecutionOptions, Rollout, Watcher, episode_info, run_episode, try_episode};

pub(super) struct Slot {
    envs: Recent<Env>,
    /// The episode that the first of them is in.
    rollout: Option<Rollout>,
    /// What the policy was told last.
    told: String,
    /// Where the bodies of the privileged field are in the present scene.
    found: Vec<Option<usize>>,
    /// Scratch.
    numbers: Vec<f64>,
    trace: Option<Trace>,
    /// Cameras of its own, so that looking on changes nothing of what policies see.
    view: Option<(Structure, CameraRig)>,
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            envs: Recent::new(ENVS),
            rollout: None,
            told: String::new(),
            found: Vec::new(),
            numbers: Vec::new(),
            trace: None,
            view: None,
        }
    }
}

/// Keeps the actions that were taken.
struct Taken<'a> {
    trace: Option<&'a mut Trace>,
    pending: Option<Action>,
}

impl Watcher for Taken<'_> {
    fn action(&mut self, action: &Action) {
        self.pending = Some(*action);
    }

    fn after_action(&mut self, _: &mut Env, _: &str) {
        // Only here it is known that the action was not refused.
        if let (Some(trace), Some(action)) = (&mut self.trace, self.pending.take()) {
            trace.push(action.values());
        }
    }
}

/// What all environments have in common.
pub(super) struct Setting {
    pub(super) env: EnvSettings,
    pub(super) execution: ExecutionOptions,
    /// Dense reward is measured.
    pub(super) dense: bool,
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
        set: &Setting,
        rows: &mut [FieldBuffer<'_>],
    ) -> Status {
        let tried = catch_unwind(AssertUnwindSafe(|| match command {
            Command::Idle => Ok(()),
            Command::Reset { task, seed } => {
                self.reset(task, *seed, fields, set)?;
                self.look(fields, rows)
            }
            Command::Step { look } => {
                self.decide(&[Action::new(action)])?;
                self.go(u32::MAX)?;
                if *look { self.look(fields, rows) } else { Ok(()) }
            }
            Command::Act { chunk, most } => {
                if !chunk.is_empty() {
                    self.decide(chunk)?;
                }
                self.go(*most)?;
                match &self.rollout {
                    Some(r) if !r.is_over() => self.look(fields, rows),
                    _ => Ok(()),
                }
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
        set: &Setting,
    ) -> Result<(), Fault> {
        self.rollout = None;
        let make = || Env::new(Arc::clone(task), set.env.clone());
        let env = self.envs.get(|e| Arc::ptr_eq(e.task(), task), make)?;
        env.measure_dense(set.dense);
        env.reset(seed)?;
        let trace = Trace::new(task.id.clone(), seed.0, env.action_spec().dim());
        self.trace = Some(trace.under(task.control));
        if let Some(names) = fields.iter().find_map(Field::bodies) {
            let bodies = env.world().bodies();
            let place = |n: &String| bodies.iter().position(|b| b.name == *n);
            self.found = names.iter().map(place).collect();
        }
        self.rollout = Some(Rollout::begin(env, &set.execution)?);
        env.instruction().clone_into(&mut self.told);
        Ok(())
    }

    fn under_way(&mut self) -> Result<(&mut Env, &mut Rollout), Fault> {
        match (self.envs.first_mut(), &mut self.rollout) {
            (Some(env), Some(rollout)) => Ok((env, rollout)),
            _ => Err(harness("there is no episode; reset comes before anything else")),
        }
    }

    /// The environment, while it is in an episode.
    fn env(&self) -> Option<&Env> {
        self.envs.first().filter(|_| self.rollout.is_some())
    }

    fn decide(&mut self, chunk: &[Action]) -> Result<(), Fault> {
        let (_, rollout) = self.under_way()?;
        rollout
            .decide(chunk, "")
            .map_err(|why| Fault { outcome: EpisodeOutcome::PolicyError, why: why.to_owned() })
    }

    /// Takes actions until a decision is wanted or the episode is over, at most `most`.
    fn go(&mut self, most: u32) -> Result<(), Fault> {
        self.under_way()?;
        let (Some(env), Some(rollout)) = (self.envs.first_mut(), &mut self.rollout) else {
            return Ok(());
        };
        let mut taken = Taken { trace: self.trace.as_mut(), pending: None };
        for _ in 0..most {
            if rollout.wants_decision() || rollout.is_over() {
                break;
            }
            rollout.advance(env, &mut taken)?;
        }
        Ok(())
    }

    fn look(&mut self, fields: &[Field], rows: &mut [FieldBuffer<'_>]) -> Result<(), Fault> {
        let Some(env) = self.envs.first_mut() else { return Err(harness("there is no episode")) };
        env.observe();
        for (field, row) in fields.iter().zip(rows) {
            field.write(env, &self.found, &mut self.numbers, row).map_err(harness)?;
        }
        Ok(())
    }

    fn status(&mut self) -> Status {
        let (Some(env), Some(rollout)) = (self.envs.first(), &self.rollout) else {
            return Status::default();
        };
        let (report, tracker) = (env.report(), env.tracker());
        let changed = self.told != env.instruction();
        if changed {
            env.instruction().clone_into(&mut self.told);
        }
        Status {
            step: report.step,
            success: report.success,
            failed: report.failed,
            truncated: report.truncated && !report.success && !report.failed,
            over: rollout.is_over(),
            asks: rollout.wants_decision(),
            score: tracker.status().score(),
            reward: report.reward,
            stage: tracker.current().map_or(-1, |i| i as i32),
            told: changed.then(|| self.told.clone()),
            fault: None,
        }
    }

    pub(super) fn episode(&self) -> Option<Episode> {
        let env = self.env()?;
        let info = episode_info(env);
        Some(Episode {
            task: info.task,
            seed: env.scene().seed.0,
            instruction: env.instruction().to_owned(),
            policy_seed: info.policy_seed.0,
            horizon: env.task().horizon,
        })
    }

    pub(super) fn record(&self, policy: &str, error: Option<Fault>) -> Option<EpisodeRecord> {
        Some(self.env()?.record(policy, error.map(|f| (f.outcome, f.why))))
    }

    pub(super) fn segments(&self) -> Option<Vec<(i32, String)>> {
        let world = self.env()?.world();
        let bodies = world.bodies().iter().map(|b| b.name.clone());
        let bodies = bodies.enumerate().map(|(i, name)| (Segment::Body(i), name));
        let limbs = world.structure().rig.limbs().into_iter().enumerate();
        let limbs = limbs.map(|(i, l)| (Segment::Limb(i), format!("robot/{}", l.name)));
        let own = |s: &Segment| matches!(s, Segment::Medium(_));
        let media = world.medium_segments().enumerate().filter(|(_, s)| own(s));
        let media = media.map(|(i, s)| (s, format!("medium/{i}")));
        let all = [(Segment::Background, "background".to_owned())].into_iter();
        Some(all.chain(bodies).chain(limbs).chain(media).map(|(s, n)| (s.id(), n)).collect())
    }

    pub(super) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The view for people.
    pub(super) fn render(&mut self) -> Result<Picture, Fault> {
        let Self { envs, rollout, view, .. } = self;
        let Some(env) = envs.first().filter(|_| rollout.is_some()) else {
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
        set: &Setting,
    ) -> Result<Recording, Fault> {
        self.reset(&wanted.task, wanted.seed, fields, set)?;
        let Some(env) = self.envs.first_mut() else { return Err(harness("no environment")) };
        let out = Recording::new(fields, env.action_spec().dim());
        let (found, numbers) = (&self.found, &mut self.numbers);
        let mut keeper =
            Keeper { fields, found, numbers, out, stage: -1, pending: None, failure: None };
        let record = match &wanted.actions {
            None => {
                let mut expert = Actor::named("expert").map_err(harness)?;
                run_episode(env, &mut expert, "expert", &mut keeper)
            }
            Some(actions) if actions.is_empty() => {
                keeper.begun(env);
                env.record("replay", None)
            }
            Some(actions) => {
                // It ends with the actions, if not before.
                let most = u32::try_from(actions.len()).ok();
                let execution = ExecutionOptions { max_steps: most, ..Default::default() };
                let mut tape = Actor::Policy(Box::new(Tape::of(actions.clone())));
                try_episode(env, &mut tape, "replay", &execution, &mut keeper).map_err(harness)?
            }
        };
        let Keeper { mut out, failure, .. } = keeper;
        out.record = Some(record);
        failure.map_or(Ok(out), |why| Err(harness(why)))
    }
}

/// Keeps all of an episode.
struct Keeper<'a> {
    fields: &'a [Field],
    found: &'a [Option<usize>],
    numbers: &'a mut Vec<f64>,
    out: Recording,
    /// The stage to work on.
    stage: i32,
    pending: Option<Action>,
    failure: Option<String>,
}

impl Keeper<'_> {
    fn see(&mut self, env: &mut Env) -> Result<(), String> {
        self.stage = env.tracker().current().map_or(-1, |i| i as i32);
        env.observe();
        for (field, values) in self.fields.iter().zip(&mut self.out.values) {
            let mut row = match values {
                Values::Numbers(v) => {
                    let at = v.len();
                    v.resize(at + field.len(), 0.0);
                    FieldBuffer::Numbers(&mut v[at..])
                }
                Values::Bytes(v) => {
                    let at = v.len();
                    v.resize(at + field.len(), 0);
                    FieldBuffer::Bytes(&mut v[at..])
                }
                Values::Integers(v) => {
                    let at = v.len();
                    v.resize(at + field.len(), 0);
                    FieldBuffer::Integers(&mut v[at..])
                }
            };
            field.write(env, self.found, self.numbers, &mut row).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

impl Watcher for Keeper<'_> {
    fn reads_dense_reward(&self) -> bool {
        true
    }

    fn begun(&mut self, env: &mut Env) {
        self.failure = self.see(env).err();
    }

    fn action(&mut self, action: &Action) {
        self.pending = Some(*action);
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        let Some(action) = self.pending.take().filter(|_| self.failure.is_none()) else { return };
        self.out.stages.push(self.stage);
        self.out.doing.push(doing.to_owned());
        self.out.actions.extend_from_slice(action.values());
        self.out.scores.push(env.tracker().status().score());
        self.out.rewards.push(env.report().reward);
        self.failure = self.see(env).err();
    }
}

//! Demonstrations for the policy that plays what followed the most similar frame.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use longarm_policy::nearest::{Demonstration, Demonstrations, FrameFeatures};
use longarm_results::{Trace, trace_name};
use longarm_sim::{Env, EnvSettings, ImageSettings, batch};
use longarm_task::TaskSpec;
use longarm_types::{Action, Seed};

use crate::demos::{DemoRow, EPISODES, Format, read_config, read_rows};
use crate::policy::Tape;
use crate::{Actor, PolicySpecError, Watcher, run_episode};

/// `DIR?chunk=8&pixels=32&body=0.1`: native demonstrations, and how they are used.
#[derive(Clone, Debug)]
pub struct NearestSpec {
    dir: PathBuf,
    features: FrameFeatures,
}

impl FromStr for NearestSpec {
    type Err = PolicySpecError;

    fn from_str(text: &str) -> Result<Self, PolicySpecError> {
        let (dir, options) = text.split_once('?').unwrap_or((text, ""));
        let mut features = FrameFeatures::default();
        for option in options.split('&').filter(|o| !o.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let number = |most: usize| {
                let n = value.parse().ok().filter(|n| (1..=most).contains(n));
                n.ok_or_else(|| wrong(format!("nearest: {key} takes 1 to {most}, not {value:?}")))
            };
            match key {
                "chunk" => features.chunk = number(1000)?,
                "pixels" => features.pixels = number(128)?,
                "body" => {
                    let w = value.parse().ok().filter(|w: &f32| *w >= 0.0 && w.is_finite());
                    features.body = w.ok_or_else(|| {
                        wrong(format!("nearest: body is a weight, not {value:?}"))
                    })?;
                }
                _ => {
                    let text = "nearest knows chunk=ACTIONS, pixels=SIDE and body=WEIGHT";
                    return Err(wrong(format!("{text}, not {key:?}")));
                }
            }
        }
        if dir.is_empty() {
            return Err(wrong("nearest:DIR needs a folder of native demonstrations".into()));
        }
        Ok(Self { dir: dir.into(), features })
    }
}

fn wrong(text: String) -> PolicySpecError {
    PolicySpecError::of(&text)
}

impl NearestSpec {
    /// The demonstrations it plays.
    pub fn data(&self) -> &Path {
        &self.dir
    }

    /// The pictures it compares: twice as fine as it needs them, so that edges do not jump.
    pub(crate) fn images(&self) -> ImageSettings {
        let side = (2 * self.features.pixels).max(16);
        ImageSettings { size: Some((side, side)), ..ImageSettings::default() }
    }

    /// Plays the demonstrations again, looking, and keeps what is needed in these tasks.
    pub(crate) fn load(&self, tasks: &[Arc<TaskSpec>]) -> Result<Demonstrations, PolicySpecError> {
        let dir = &self.dir;
        let config = read_config(dir).map_err(|e| PolicySpecError::of(&e))?;
        if config.format != Format::Native {
            let text = format!(
                "{} is {}; nearest takes demonstrations recorded with --format native",
                dir.display(),
                config.format
            );
            return Err(wrong(text));
        }
        let rigs: Vec<_> = tasks.iter().map(|t| t.rig).collect();
        let mut shown = Vec::new();
        for (id, hash) in &config.tasks {
            let task = config.task(id).filter(|t| t.hash() == *hash);
            let other = || format!("{}: {id} is not the task it was recorded in", dir.display());
            let task = task.ok_or_else(|| wrong(other()))?;
            if rigs.contains(&task.rig) {
                shown.push(Arc::new(task));
            }
        }
        // What templates and chains will ask for is not known before they run.
        let fixed = |t: &Arc<TaskSpec>| t.instances.is_none() && !t.stepwise;
        let asked: BTreeSet<&str> = tasks.iter().map(|t| t.instruction.as_str()).collect();
        let all = !tasks.iter().all(fixed);
        let rows: Vec<(DemoRow, Arc<TaskSpec>)> = read_rows(dir, EPISODES)
            .map_err(|e| PolicySpecError::of(&e))?
            .into_iter()
            .filter(|r| all || asked.contains(r.instruction.as_str()))
            .filter_map(|r| {
                let task = shown.iter().find(|t| t.id == r.episode.task)?.clone();
                Some((r, task))
            })
            .collect();
        let missing = tasks
            .iter()
            .filter(|t| fixed(t))
            .find(|t| !rows.iter().any(|(r, s)| r.instruction == t.instruction && s.rig == t.rig));
        if let Some(t) = missing {
            let text = format!(
                "{} holds no demonstration of {:?} by this robot ({})",
                dir.display(),
                t.instruction,
                t.id
            );
            return Err(wrong(text));
        }
        self.watch(&rows)
    }

    fn watch(&self, rows: &[(DemoRow, Arc<TaskSpec>)]) -> Result<Demonstrations, PolicySpecError> {
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut seen: Vec<Option<Result<Demonstration, String>>> = vec![None; rows.len()];
        batch::pool(
            rows.len(),
            workers,
            &AtomicBool::new(false),
            || None,
            |env, i| self.play(env, &rows[i].0, &rows[i].1),
            |i, result| seen[i] = Some(result),
        );
        let mut out = Demonstrations::new(self.features);
        for ((row, task), demonstration) in rows.iter().zip(seen) {
            let d = demonstration.unwrap_or_else(|| Err("it was not played".into()));
            let place = || format!("{}: {} seed {}", self.dir.display(), task.id, row.episode.seed);
            out.add(&row.instruction, d.map_err(|e| wrong(format!("{}: {e}", place())))?);
        }
        Ok(out)
    }

    fn play(
        &self,
        slot: &mut Option<Env>,
        row: &DemoRow,
        task: &Arc<TaskSpec>,
    ) -> Result<Demonstration, String> {
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let trace = Trace::read(&trace_path(&self.dir, row)).map_err(|e| text(&e))?;
        let env = match slot.take().filter(|e| Arc::ptr_eq(e.task(), task)) {
            Some(env) => slot.insert(env),
            None => {
                let settings = EnvSettings { images: Some(self.images()) };
                slot.insert(Env::new(task.clone(), settings).map_err(|e| text(&e))?)
            }
        };
        env.reset(Seed(row.episode.seed)).map_err(|e| text(&e))?;
        let mut frames = Frames { features: self.features, seen: Ok(Demonstration::default()) };
        let mut actor = Actor::Policy(Box::new(Tape::new(&trace)));
        let record = run_episode(env, &mut actor, "", &mut frames);
        let mut out = frames.seen?;
        // What was seen after the last action led to none.
        out.frames.truncate(out.actions.len());
        match record.state_hash == row.episode.state_hash {
            true => Ok(out),
            false => Err("its trace leads to other states than it was recorded with".into()),
        }
    }
}

/// Looks at every step of an episode.
struct Frames {
    features: FrameFeatures,
    seen: Result<Demonstration, String>,
}

impl Frames {
    fn look(&mut self, env: &mut Env) {
        let Ok(seen) = &mut self.seen else { return };
        match self.features.of(env.observe()) {
            Ok(frame) => seen.frames.push(frame),
            Err(e) => self.seen = Err(e.to_string()),
        }
    }
}

impl Watcher for Frames {
    fn begun(&mut self, env: &mut Env) {
        self.look(env);
    }

    fn action(&mut self, action: &Action) {
        if let Ok(seen) = &mut self.seen {
            seen.actions.push(*action);
        }
    }

    fn after_action(&mut self, env: &mut Env, _: &str) {
        self.look(env);
    }
}

fn trace_path(dir: &Path, row: &DemoRow) -> PathBuf {
    dir.join(trace_name(&row.episode.task, row.episode.seed))
}

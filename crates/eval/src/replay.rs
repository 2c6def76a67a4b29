//! Playing an episode again from its actions, and what is worth a second look in it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use longarm_results::{Row, Trace, trace_name};
use longarm_sim::{Env, EnvSettings, World};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed};
use serde::{Deserialize, Serialize};

use crate::policy::Tape;
use crate::{Actor, ExecutionOptions, Watcher, try_episode};

/// Plays traces; episodes of one task in a row share its compiled scene.
#[derive(Default)]
pub struct Replayer {
    env: Option<Env>,
}

impl Replayer {
    /// Play the actions of a trace under what decides when an episode ends. The record names `policy`.
    pub fn play(
        &mut self,
        task: &Arc<TaskSpec>,
        trace: &Trace,
        policy: &str,
        limit: &ExecutionOptions,
        watcher: &mut dyn Watcher,
    ) -> Result<EpisodeRecord, String> {
        let played =
            catch_unwind(AssertUnwindSafe(|| self.attempt(task, trace, policy, limit, watcher)));
        played.unwrap_or_else(|_| {
            // Whatever the panic left half done goes with it.
            self.env = None;
            Err("the replay panicked".to_owned())
        })
    }

    fn attempt(
        &mut self,
        task: &Arc<TaskSpec>,
        trace: &Trace,
        policy: &str,
        limit: &ExecutionOptions,
        watcher: &mut dyn Watcher,
    ) -> Result<EpisodeRecord, String> {
        let cannot = |e: &dyn fmt::Display| format!("it cannot be replayed: {e}");
        let env = match self.env.take().filter(|e| Arc::ptr_eq(e.task(), task)) {
            Some(kept) => self.env.insert(kept),
            None => self.env.insert(
                Env::new(Arc::clone(task), EnvSettings::default()).map_err(|e| cannot(&e))?,
            ),
        };
        env.reset(Seed(trace.seed)).map_err(|e| cannot(&e))?;
        let mut actor = Actor::Policy(Box::new(Tape::new(trace)));
        try_episode(env, &mut actor, policy, &limit.of_replay(), watcher).map_err(|e| cannot(&e))
    }
}

/// Read the trace of a row in a run directory; it must be where it belongs, of this episode, and hold
/// the actions that the row says.
pub fn trace_of(dir: &Path, row: &Row) -> Result<Trace, String> {
    let said = &row.episode;
    let name = trace_name(&said.task, said.seed);
    match &row.trace {
        None => return Err("its row names no trace".into()),
        Some(other) if *other != name => {
            return Err(format!("its row names the trace {other} instead of {name}"));
        }
        Some(_) => {}
    }
    let path = dir.join(&name);
    if !path.is_file() {
        return Err(format!("its trace {name} is missing"));
    }
    let trace = Trace::read(&path).map_err(|e| e.to_string())?;
    if trace.task != said.task || trace.seed != said.seed {
        return Err(format!("its trace {name} is one of {} seed {}", trace.task, trace.seed));
    }
    if trace.action_hash() != said.action_hash {
        return Err(format!(
            "its trace has action hash {} and its row {}",
            trace.action_hash().short(),
            said.action_hash.short()
        ));
    }
    Ok(trace)
}

/// Compare what a row says with what happened when its actions were taken again.
pub fn same_as_played(row: &Row, played: &EpisodeRecord) -> Result<(), String> {
    let said = &row.episode;
    let mut wrong = Vec::new();
    let mut check = |name: &str, said: String, played: String| {
        if said != played {
            wrong.push(format!("{name} {said}, replayed {played}"));
        }
    };
    check("task hash", said.task_hash.short(), played.task_hash.short());
    check("state hash", said.state_hash.to_string(), played.state_hash.to_string());
    check("action hash", said.action_hash.to_string(), played.action_hash.to_string());
    let outcome = |o: EpisodeOutcome| format!("{o:?}");
    check("outcome", outcome(said.outcome), outcome(played.outcome));
    check("score", said.score.to_string(), played.score.to_string());
    check("steps", said.steps.to_string(), played.steps.to_string());
    check("clipped", said.clipped.to_string(), played.clipped.to_string());
    let stages = |r: &EpisodeRecord| {
        let each = r.stages.iter().map(|s| match (s.completed, s.step) {
            (true, Some(step)) => format!("{:?} at {step}", s.name),
            (true, None) => format!("{:?} at some step", s.name),
            (false, _) => format!("{:?} not", s.name),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    check("stages", stages(said), stages(played));
    let again = Row::of(row.index, played.clone());
    check("success ever", row.success_ever.to_string(), again.success_ever.to_string());
    check("success at end", row.success_at_end.to_string(), again.success_at_end.to_string());
    let done = played.stages.iter().filter(|s| s.completed).count();
    let progress = done as f64 / played.stages.len().max(1) as f64;
    check("progress", row.progress.to_string(), progress.to_string());
    if wrong.is_empty() { Ok(()) } else { Err(format!("its row says {}", wrong.join("; "))) }
}

/// The extremes of an episode: what an honest one does not reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sanity {
    /// Speed of the fastest object, metres per second, at the end of a control step.
    pub speed: f64,
    /// Depth of the deepest contact, metres, at the end of a control step.
    pub penetration: f64,
}

/// Objects that fall from a table reach 4 m/s; experts throw at 3.
const FASTEST: f64 = 6.0;
/// The deepest contacts of our experts are impacts of 9 mm.
const DEEPEST: f64 = 0.02;

impl Sanity {
    /// Return what is worth a second look, in words.
    pub fn flags(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.speed > FASTEST {
            out.push(format!("an object moves at {:.1} m/s (more than {FASTEST})", self.speed));
        }
        if self.penetration > DEEPEST {
            let mm = |m: f64| 1000.0 * m;
            out.push(format!(
                "solids go {:.0} mm into each other (more than {:.0})",
                mm(self.penetration),
                mm(DEEPEST)
            ));
        }
        out
    }
}

impl Watcher for Sanity {
    fn control_step(&mut self, world: &World) {
        // The first moment is the scene as it was drawn, whoever acts.
        if world.snapshot().step == 0 {
            return;
        }
        let speed = |b: &longarm_task::BodyState| b.twist.linear.length();
        self.speed = world.snapshot().bodies.iter().map(speed).fold(self.speed, f64::max);
        self.penetration = self.penetration.max(world.penetration());
    }
}

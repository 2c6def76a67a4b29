//! Worlds in which actions are tried, and scripts that act in them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use longarm_sim::{Env, EnvCheckpoint, EnvSettings};
use longarm_types::{Action, ActionSpec, Seed};
use rayon::prelude::*;

use super::Variation;
use crate::{Expert, ExpertError, Memory};

/// One way an episode may go.
#[derive(Clone, Debug, Default)]
pub(super) struct Take {
    pub(super) actions: Vec<Action>,
    /// It ends in success.
    pub(super) success: bool,
    /// It ends in something forbidden.
    pub(super) failed: bool,
    /// The dense reward at its end, and its mean on the way; or another measure in its place.
    pub(super) dense: f64,
    pub(super) mean: f64,
    /// Actions until the last stage was completed; none if none was.
    pub(super) staged: usize,
}

/// Environments of one task, lent to whoever has something to try.
pub(super) struct Crew {
    task: Arc<longarm_task::TaskSpec>,
    seed: Seed,
    start: EnvCheckpoint,
    action: ActionSpec,
    free: Mutex<Vec<Env>>,
    simulated: AtomicU64,
}

impl Crew {
    /// Gather at the moment an environment is in.
    pub(super) fn new(env: &Env) -> Result<Self, ExpertError> {
        let mut own = Env::new(Arc::clone(env.task()), EnvSettings::default())?;
        enter(&mut own, env)?;
        Ok(Self {
            task: Arc::clone(env.task()),
            seed: env.scene().seed,
            start: own.save(),
            action: own.action_spec().clone(),
            free: Mutex::new(vec![own]),
            simulated: AtomicU64::new(0),
        })
    }

    /// Return the moment another environment of the task is in.
    pub(super) fn adopt(&self, env: &Env) -> Result<EnvCheckpoint, ExpertError> {
        self.from(&self.start, |own| {
            enter(own, env)?;
            Ok(own.save())
        })
    }

    pub(super) fn start(&self) -> &EnvCheckpoint {
        &self.start
    }

    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    /// Control steps simulated so far.
    pub(super) fn simulated(&self) -> u64 {
        self.simulated.load(Ordering::Relaxed)
    }

    /// Try something from a moment on. Which environment is lent makes no difference: a restored moment is
    /// the same in all of them.
    pub(super) fn from<T>(
        &self,
        moment: &EnvCheckpoint,
        attempt: impl FnOnce(&mut Env) -> Result<T, ExpertError>,
    ) -> Result<T, ExpertError> {
        let lent = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut env = match lent {
            Some(env) => env,
            None => Env::new(Arc::clone(&self.task), EnvSettings::default())?,
        };
        env.restore(moment)?;
        let before = env.report().step;
        let out = attempt(&mut env);
        let steps = u64::from(env.report().step.saturating_sub(before));
        self.simulated.fetch_add(steps, Ordering::Relaxed);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(env);
        out
    }

    pub(super) fn action_spec(&self) -> &ActionSpec {
        &self.action
    }

    /// Return the moment some actions later.
    pub(super) fn later(
        &self,
        moment: &EnvCheckpoint,
        actions: &[Action],
    ) -> Result<EnvCheckpoint, ExpertError> {
        self.from(moment, |env| {
            for action in actions {
                env.step(action)?;
            }
            Ok(env.save())
        })
    }

    /// Take given actions from a moment on.
    pub(super) fn replay(
        &self,
        moment: &EnvCheckpoint,
        actions: &[Action],
    ) -> Result<Take, ExpertError> {
        self.measured(moment, actions, dense)
    }

    /// Take given actions from a moment on, measured otherwise than by the dense reward.
    pub(super) fn measured(
        &self,
        moment: &EnvCheckpoint,
        actions: &[Action],
        measure: impl Fn(&Env) -> f64,
    ) -> Result<Take, ExpertError> {
        let mut next = actions.iter();
        self.from(moment, |env| film(env, |_| Ok(next.next().copied()), measure))
    }

    /// Let a variant of the script act from a moment on. A script that does not know what to do ends there.
    pub(super) fn script(
        &self,
        moment: &EnvCheckpoint,
        variation: Variation,
    ) -> Result<Take, ExpertError> {
        self.from(moment, |env| {
            let mut expert = Expert::new(Memory::Whole).varied(variation);
            match expert.begin(env) {
                Err(ExpertError::Unknown(_)) => return Ok(Take::default()),
                begun => begun?,
            }
            let act = |env: &mut Env| match expert.act(env) {
                Err(ExpertError::Unknown(_)) => Ok(None),
                action => action.map(Some),
            };
            film(env, act, dense)
        })
    }

    /// Answer many questions at once, in their order.
    pub(super) fn each<Q: Sync, A: Send>(
        questions: &[Q],
        answer: impl Fn(&Q) -> Result<A, ExpertError> + Send + Sync,
    ) -> Result<Vec<A>, ExpertError> {
        questions.par_iter().map(answer).collect()
    }
}

/// Enter the moment another environment is in, and measure the way from there.
fn enter(own: &mut Env, env: &Env) -> Result<(), ExpertError> {
    own.restore(&env.save())?;
    // The other may save itself the time to measure rewards; a search lives by them.
    own.measure_dense(false);
    own.measure_dense(true);
    Ok(())
}

fn dense(env: &Env) -> f64 {
    env.report().reward.dense
}

/// Take actions until the episode ends or there are no more.
fn film(
    env: &mut Env,
    mut next: impl FnMut(&mut Env) -> Result<Option<Action>, ExpertError>,
    measure: impl Fn(&Env) -> f64,
) -> Result<Take, ExpertError> {
    let mut take = Take { dense: measure(env), ..Take::default() };
    let mut completed = env.tracker().status().completed();
    let mut sum = 0.0;
    while !env.report().done() {
        let Some(action) = next(env)? else { break };
        take.actions.push(action);
        env.step(&action)?;
        take.dense = measure(env);
        sum += take.dense;
        let now = env.tracker().status().completed();
        if now > completed {
            take.staged = take.actions.len();
        }
        completed = now;
    }
    let report = env.report();
    (take.success, take.failed) = (report.success, report.failed);
    take.mean = sum / take.actions.len().max(1) as f64;
    Ok(take)
}

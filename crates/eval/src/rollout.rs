//! An episode as a value that is told decisions and advanced action by action.

use longarm_policy::EpisodeInfo;
use longarm_sim::{Env, SimError, StepReport};
use longarm_types::{Action, Seed};

use crate::{ExecutionOptions, Shaper, Watcher};

/// An episode under way: what lies between a decision and the robot (chunks, repeats, latency, noise,
/// limits) is in here and nowhere else. Cloning it beside [`Env::save`] saves the whole of it.
#[derive(Clone, Debug)]
pub struct Rollout {
    options: ExecutionOptions,
    shaper: Shaper,
    /// What was decided, and how much of it was taken.
    chunk: Vec<Action>,
    taken: usize,
    /// How often the next action was taken already.
    repeated: u32,
    believes: String,
    /// Step of the success.
    succeeded: Option<u32>,
    over: bool,
}

impl Rollout {
    /// Begin in an environment that was just reset.
    pub fn begin(env: &mut Env, options: &ExecutionOptions) -> Result<Self, SimError> {
        env.give(options.hints)?;
        if let Some(stepwise) = options.stepwise {
            env.tell_stepwise(stepwise);
        }
        Ok(Self {
            options: *options,
            shaper: Shaper::new(options, env.scene().seed, env.action_spec()),
            chunk: Vec::new(),
            taken: 0,
            repeated: 0,
            believes: String::new(),
            succeeded: None,
            over: false,
        })
    }

    /// Whether the episode is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether what was decided is used up.
    pub fn wants_decision(&self) -> bool {
        !self.over && self.taken >= self.chunk.len()
    }

    /// Take in a decision; whatever was left of the last one is dropped. An empty one is refused.
    pub fn decide(&mut self, chunk: &[Action], believes: &str) -> Result<(), &'static str> {
        if chunk.is_empty() {
            return Err("the policy returned no action");
        }
        let most = self.options.execute.map_or(usize::MAX, |k| k as usize);
        self.chunk.clear();
        self.chunk.extend(chunk.iter().take(most));
        (self.taken, self.repeated) = (0, 0);
        if self.believes != believes {
            believes.clone_into(&mut self.believes);
        }
        Ok(())
    }

    /// Take the next action of what was decided; nothing happens when there is none. A refused
    /// action leaves the world unchanged.
    pub fn advance(
        &mut self,
        env: &mut Env,
        watcher: &mut dyn Watcher,
    ) -> Result<StepReport, SimError> {
        let Some(meant) = self.chunk.get(self.taken).filter(|_| !self.over) else {
            return Ok(env.report());
        };
        watcher.decided(meant);
        let action = self.shaper.next(meant);
        self.repeated += 1;
        if self.repeated >= self.options.action_repeat.unwrap_or(1) {
            (self.taken, self.repeated) = (self.taken + 1, 0);
        }
        watcher.action(&action);
        let report = env.step_observed(&action, &mut |w| watcher.control_step(w))?;
        self.over = self.ends(&report);
        watcher.after_action(env, &self.believes);
        Ok(report)
    }

    fn ends(&mut self, report: &StepReport) -> bool {
        let goes_on = match self.options.run_on.filter(|_| report.success) {
            Some(steps) => {
                let succeeded = *self.succeeded.get_or_insert(report.step);
                report.step < succeeded.saturating_add(steps)
            }
            None => !report.success,
        };
        let limit = self.options.max_steps.is_some_and(|most| report.step >= most);
        !goes_on || report.failed || report.truncated || limit
    }
}

/// What a policy is told of the episode that begins in an environment.
pub fn episode_info(env: &Env) -> EpisodeInfo {
    EpisodeInfo {
        task: env.task().id.clone(),
        instruction: env.scene().instruction.clone(),
        action: env.action_spec().clone(),
        observation: env.observation_spec().clone(),
        policy_seed: Seed(env.scene().seed.stream("policy").next_u64()),
    }
}

//! The policy at the arm, in a thread of its own: it may take as long as it likes, a stop does not wait for it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use longarm_bridge::{Hello, ToBridge};
use longarm_eval::Actor;
use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError};
use longarm_types::{ActionSpec, MAX_ACTION, Seed, TaskId};

use super::Console;
use super::episode::{Event, Stage};

/// How often it looks up when nothing is seen.
const LOOK_UP: Duration = Duration::from_millis(50);

/// A policy that drives an attempt.
pub(crate) struct Driver {
    stop: Arc<AtomicBool>,
    pub actions: Arc<Mutex<Vec<Vec<f32>>>>,
    pub clipped: Arc<AtomicU32>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// What an attempt is about.
pub(crate) struct Attempt {
    pub run: String,
    pub episode: usize,
    pub task: TaskId,
    pub seed: u64,
    pub instruction: String,
    pub horizon: Option<u32>,
    pub hello: Arc<Hello>,
}

impl Driver {
    /// Let it act no more; what it did is kept.
    pub(crate) fn finish(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Let the console's policy drive an attempt, once the arm takes actions.
    pub(crate) fn start(console: &Arc<Console>, attempt: Attempt) -> Result<Self, String> {
        let action = attempt.hello.action_spec()?;
        let actor = console.pool.actor(&attempt.task, attempt.seed)?;
        let Actor::Policy(policy) = actor else {
            return Err("only policies that look drive an arm".into());
        };
        let driver =
            Self { stop: Arc::default(), actions: Arc::default(), clipped: Arc::default() };
        let before = console.arm.status().gone;
        let (console, stop) = (Arc::clone(console), Arc::clone(&driver.stop));
        let (actions, clipped) = (Arc::clone(&driver.actions), Arc::clone(&driver.clipped));
        std::thread::spawn(move || {
            let mut hand =
                Hand { console, attempt, action, policy, stop, actions, clipped, before };
            let end = hand.drive();
            hand.policy.end_episode();
            if let Some((reason, policy_error)) = end {
                hand.end(&reason, policy_error);
            }
        });
        Ok(driver)
    }
}

struct Hand {
    console: Arc<Console>,
    attempt: Attempt,
    action: ActionSpec,
    policy: Box<dyn Policy>,
    stop: Arc<AtomicBool>,
    actions: Arc<Mutex<Vec<Vec<f32>>>>,
    clipped: Arc<AtomicU32>,
    /// How often the arm had been let go before this attempt: what was seen then is of another.
    before: u64,
}

impl Hand {
    /// Drive until somebody says stop for good, or something ends the attempt: why, and whether the policy broke.
    fn drive(&mut self) -> Option<(String, bool)> {
        let broke = |e: PolicyError| Some((e.to_string(), true));
        let info = EpisodeInfo {
            task: self.attempt.task.clone(),
            instruction: self.attempt.instruction.clone(),
            action: self.action.clone(),
            observation: self.attempt.hello.observation_spec(),
            policy_seed: Seed(Seed(self.attempt.seed).stream("policy").next_u64()),
        };
        if let Err(e) = self.policy.begin_episode(&info) {
            return broke(e);
        }
        let mut decision = Decision::default();
        let (mut taken, mut last) = (0, (self.before, u64::MAX));
        let mut values: Vec<f32> = Vec::new();
        while !self.stop.load(Ordering::SeqCst) {
            let Some(sight) = self.console.arm.wait(last, LOOK_UP) else { continue };
            let step = sight.at.1;
            let again = last.1 == step;
            last = sight.at;
            if again {
                // A halt came before the arm did it.
                let _ = self.console.arm.say(ToBridge::Action { step, values: values.clone() });
                continue;
            }
            if self.attempt.horizon.is_some_and(|h| step >= u64::from(h)) {
                return Some((format!("time is up after {step} steps"), false));
            }
            if self.policy.wants_every_step()
                && let Err(e) = self.policy.see(&sight.observation)
            {
                return broke(e);
            }
            if taken >= decision.chunk.len() {
                decision.clear();
                taken = 0;
                if let Err(e) = self.policy.act(&sight.observation, &mut decision) {
                    return broke(e);
                }
            }
            let Some(action) = decision.chunk.get(taken) else {
                return Some(("the policy returned no action".into(), true));
            };
            taken += 1;
            if let Err(e) = self.action.check(action.values()) {
                return Some((e.to_string(), true));
            }
            // What goes beyond is cut off here: an arm may not do it.
            let mut within = [0.0; MAX_ACTION];
            if self.action.clip(action.values(), &mut within) {
                self.clipped.fetch_add(1, Ordering::Relaxed);
            }
            values = within[..self.action.dim()].iter().map(|v| *v as f32).collect();
            self.actions.lock().unwrap_or_else(PoisonError::into_inner).push(values.clone());
            // Without a connection nothing is seen either, and it is waited for.
            let _ = self.console.arm.say(ToBridge::Action { step, values: values.clone() });
        }
        None
    }

    fn end(&self, reason: &str, policy_error: bool) {
        if self.stop.load(Ordering::SeqCst) {
            return;
        }
        self.console.arm.stop("", reason);
        let (run, k) = (&self.attempt.run, self.attempt.episode);
        let step = self.console.arm.status().step;
        let clipped = self.clipped.load(Ordering::Relaxed);
        let mut desk = self.console.desk();
        let acts = |s: Stage| matches!(s, Stage::Ready | Stage::Running | Stage::Halted);
        if desk.episode(run, k).is_some_and(|e| acts(e.stage)) {
            let event = Event::Ended { reason: reason.to_owned(), step, policy_error, clipped };
            if let Err(why) = desk.record(run, k, super::NOBODY, event) {
                desk.message = Some(why);
            }
        }
        drop(desk);
        self.console.change();
    }
}

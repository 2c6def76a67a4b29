//! The parts of an agent, and the oracles among them.

use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError, Remote};
use longarm_types::{Action, Observation};

use crate::World;
use crate::chat::Expense;
use crate::memory::Frame;

/// What a planner is asked.
pub struct Question<'a> {
    /// What the episode is about.
    pub instruction: &'a str,
    /// Control step, or action where each is a whole motion.
    pub step: u32,
    /// What the reporter says.
    pub report: &'a [String],
    /// The last frames, oldest first.
    pub recent: Vec<&'a Frame>,
    /// The keyframes, oldest first.
    pub keyframes: Vec<&'a Frame>,
    /// What was said before, oldest first, where that is remembered.
    pub said: &'a [String],
    /// Why the actor could not do what was said last.
    pub failed: Option<&'a str>,
}

/// What a planner answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What to do now; `None` when all is done.
    pub say: Option<String>,
    /// Control steps of recent frames that are keyframes.
    pub keyframes: Vec<u32>,
}

impl Answer {
    pub(crate) fn saying(say: Option<String>) -> Self {
        Self { say, keyframes: Vec::new() }
    }
}

/// Says what to do next.
pub trait Planner: Send {
    /// A new episode begins; forget the last one.
    fn begin(&mut self, _episode: &EpisodeInfo) -> Result<(), PolicyError> {
        Ok(())
    }

    /// Decide what to do next.
    fn plan(&mut self, asked: &Question<'_>, world: &mut dyn World) -> Result<Answer, PolicyError>;

    /// Take what a model was last asked and what it answered, word by word.
    fn exchange(&mut self) -> Option<(String, String)> {
        None
    }

    /// Whether it looks at the pictures of frames; when not, they have none.
    fn looks(&self) -> bool {
        false
    }

    /// What was spent on models in this episode.
    fn spent(&self) -> Expense {
        Expense::default()
    }

    /// The episode is over.
    fn end(&mut self) {}
}

/// Does what is said.
pub(crate) trait Actor: Send {
    /// A new episode begins; forget the last one.
    fn begin(&mut self, _episode: &EpisodeInfo) -> Result<(), PolicyError> {
        Ok(())
    }

    /// Append the next actions for a sentence. What cannot be done is said and leaves the chunk empty.
    fn act(
        &mut self,
        sentence: &str,
        world: &mut dyn World,
        chunk: &mut Vec<Action>,
    ) -> Result<Result<(), String>, PolicyError>;

    /// The episode is over.
    fn end(&mut self) {}
}

/// Says what is seen.
pub(crate) trait Reporter: Send {
    /// A new episode begins; forget the last one.
    fn begin(&mut self, _episode: &EpisodeInfo) {}

    /// Return what is seen, sentence by sentence.
    fn report(&mut self, world: &mut dyn World) -> Result<Vec<String>, PolicyError>;

    /// What was spent on models in this episode.
    fn spent(&self) -> Expense {
        Expense::default()
    }
}

/// Why an oracle does not answer: somebody ran it without the evaluation.
pub(crate) fn untold() -> PolicyError {
    PolicyError::Fault("an oracle part was not told the truth".into())
}

/// Tells the truth as planner, actor or reporter.
pub(crate) struct Oracle;

impl Planner for Oracle {
    fn plan(&mut self, _: &Question<'_>, world: &mut dyn World) -> Result<Answer, PolicyError> {
        Ok(Answer::saying(world.truth().ok_or_else(untold)?.subtask()))
    }
}

impl Actor for Oracle {
    fn act(
        &mut self,
        sentence: &str,
        world: &mut dyn World,
        chunk: &mut Vec<Action>,
    ) -> Result<Result<(), String>, PolicyError> {
        let done = world.truth().ok_or_else(untold)?.act(sentence);
        Ok(done.map(|action| chunk.push(action)))
    }
}

impl Reporter for Oracle {
    fn report(&mut self, world: &mut dyn World) -> Result<Vec<String>, PolicyError> {
        Ok(world.truth().ok_or_else(untold)?.report())
    }
}

/// Says nothing.
pub(crate) struct Silent;

impl Reporter for Silent {
    fn report(&mut self, _: &mut dyn World) -> Result<Vec<String>, PolicyError> {
        Ok(Vec::new())
    }
}

/// Knows the plan by heart and what was done by the notes of frames alone.
#[derive(Default)]
pub(crate) struct Recall {
    plan: Vec<String>,
}

impl Planner for Recall {
    fn begin(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.plan.clear();
        Ok(())
    }

    fn plan(&mut self, asked: &Question<'_>, world: &mut dyn World) -> Result<Answer, PolicyError> {
        if self.plan.is_empty() {
            self.plan = world.truth().ok_or_else(untold)?.plan();
        }
        let last = asked.keyframes.iter().map(|f| f.step).max();
        let newer = |f: &&&Frame| last.is_none_or(|l| f.step > l);
        let notes = asked.keyframes.iter().chain(asked.recent.iter().filter(newer));
        let notes: Vec<&String> = notes.filter_map(|f| f.note.as_ref()).collect();
        // What was done last, and how often: so far is the plan carried out.
        let done = notes.last().map_or(0, |last| {
            let times = notes.iter().filter(|n| *n == last).count();
            let steps = self.plan.iter().enumerate().filter(|(_, s)| s == last);
            steps.take(times).last().map_or(0, |(i, _)| i + 1)
        });
        Ok(Answer::saying(self.plan.get(done).cloned()))
    }
}

/// A policy server as actor: what it is told in place of the instruction is the sentence.
pub(crate) struct Server {
    remote: Remote,
    seen: Observation,
    decision: Decision,
}

impl Server {
    pub(crate) fn new(remote: Remote) -> Self {
        Self { remote, seen: Observation::default(), decision: Decision::default() }
    }
}

impl Actor for Server {
    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.remote.begin_episode(episode)
    }

    fn act(
        &mut self,
        sentence: &str,
        world: &mut dyn World,
        chunk: &mut Vec<Action>,
    ) -> Result<Result<(), String>, PolicyError> {
        self.seen.clone_from(world.observe());
        sentence.clone_into(&mut self.seen.instruction);
        self.decision.clear();
        self.remote.act(&self.seen, &mut self.decision)?;
        chunk.append(&mut self.decision.chunk);
        Ok(Ok(()))
    }

    fn end(&mut self) {
        self.remote.end_episode();
    }
}

//! Which part of an agent was right, and which made the first mistake.

use serde::{Deserialize, Serialize};

/// What came of one part's doings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Right ones.
    pub right: u32,
    /// Wrong ones.
    pub wrong: u32,
    /// What should have been there and was not.
    pub missed: u32,
}

impl Tally {
    /// Count one that was right or wrong.
    pub fn count(&mut self, right: bool) {
        *(if right { &mut self.right } else { &mut self.wrong }) += 1;
    }

    /// Add another.
    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    /// Right ones and all that were said or done: precision.
    pub fn of_said(&self) -> (u64, u64) {
        (self.right.into(), u64::from(self.right) + u64::from(self.wrong))
    }

    /// Right ones and all that should have been said or done: recall.
    pub fn of_wanted(&self) -> (u64, u64) {
        (self.right.into(), u64::from(self.right) + u64::from(self.missed))
    }
}

/// A part of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Part {
    Planner,
    Actor,
    Reporter,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Planner, Self::Actor, Self::Reporter];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Actor => "actor",
            Self::Reporter => "reporter",
        }
    }
}

/// How fast an agent thought in one episode, and what it spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// Control steps a second; 1 where each is a whole motion.
    pub rate: u32,
    /// Questions to the actor.
    pub chunks: u32,
    /// Steps that the planner's answers took: median and 95th percentile.
    pub latency: [u32; 2],
    /// How many steps old the answer in force was: median and 95th percentile over steps.
    pub staleness: [u32; 2],
    /// Questions to models.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Tokens, as far as servers say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Money in millionths, where endpoints have a price.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub millionths: u64,
}

fn is_zero<T: Default + PartialEq>(n: &T) -> bool {
    *n == T::default()
}

/// What an agent's parts did in one episode, judged by the task's plan and the true scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribution {
    /// Answers: sentences that the plan allowed or not; missed, where it took all to be done and it was not.
    pub planner: Tally,
    /// What was said and allowed: brought about or not; missed, where the actor could not begin.
    pub actor: Tally,
    /// Objects that the reporter spoke of, what and where; missed are those it left out, hidden or not.
    pub objects: Tally,
    /// Colours it gave them.
    pub colours: Tally,
    /// Areas it put them on.
    pub areas: Tally,
    /// Control steps, or actions where each is a whole motion.
    #[serde(default)]
    pub steps: u32,
    /// Questions to the planner.
    #[serde(default)]
    pub questions: u32,
    /// How many steps old the answer in force was, summed over the steps that had one.
    #[serde(default)]
    pub behind: u64,
    /// How fast it thought; rows of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Thought>,
    /// The part that made the first mistake; within one step the reporter comes before the planner, and the
    /// planner before the actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Part>,
}

impl Attribution {
    /// Note a mistake.
    pub fn blame(&mut self, part: Part) {
        self.first.get_or_insert(part);
    }

    /// What was counted, with its name.
    pub fn tallies(&self) -> [(&'static str, Tally); 5] {
        [
            ("planner: next step", self.planner),
            ("actor: effect", self.actor),
            ("reporter: objects", self.objects),
            ("reporter: colours", self.colours),
            ("reporter: areas", self.areas),
        ]
    }

    /// Add what was counted in another episode.
    pub fn add(&mut self, other: &Self) {
        self.planner.add(other.planner);
        self.actor.add(other.actor);
        self.objects.add(other.objects);
        self.colours.add(other.colours);
        self.areas.add(other.areas);
        self.steps += other.steps;
        self.questions += other.questions;
        self.behind += other.behind;
    }
}

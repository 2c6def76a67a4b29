//! Agents: a planner, an actor, a reporter and a memory, exchangeable and wired by a value.
//!
//! An [`AgentSpec`] names the parts and how they are wired; an [`Agent`] is made from it and acts. All that
//! parts say to each other is sentences, so any of them can be a program of ours, a model in another process,
//! or an oracle. What an agent may look at is a [`World`]: observations, and for oracle parts the [`Truth`]
//! that the evaluation hands in. This crate cannot name the simulator; which parts were oracles is part of
//! the agent's description ([`AgentSpec::oracles`]).
//!
//! Time is virtual ([`clock`]): an answer is due a number of control steps after its question, whatever the
//! machine took to find it.

mod agent;
mod change;
pub mod chat;
pub mod clock;
mod detect;
pub mod memory;
mod pace;
mod part;
mod plane;
mod rules;
mod sighting;
mod socket;
mod spec;
mod words;

pub use agent::{Agent, Turn};
pub use pace::Tempo;
pub use part::{Answer, Planner, Question};
pub use sighting::{Glimpse, Noun, Sighting};
pub use spec::{ActorSpec, AgentError, AgentSpec, PlannerSpec, READY, ReporterSpec, ready};

use longarm_types::{Action, Observation};

/// What an agent looks at.
pub trait World {
    /// Observe what the cameras and the own body show now; drawn when it is first asked for.
    fn observe(&mut self) -> &Observation;

    /// What only the evaluation knows; `None` for an agent without oracles.
    fn truth(&mut self) -> Option<&mut dyn Truth>;
}

/// What oracle parts may ask.
pub trait Truth {
    /// Return the sentence of the plan's step that is to be done now; `None` once all is done.
    fn subtask(&mut self) -> Option<String>;

    /// Return the sentences of the whole plan, in order.
    fn plan(&mut self) -> Vec<String>;

    /// Return the sentence of the step that was completed at this moment.
    fn completed(&mut self) -> Option<String>;

    /// Return true sentences about the scene.
    fn report(&mut self) -> Vec<String>;

    /// Return the next action of the expert's skill for a sentence; what is wrong with the sentence otherwise.
    fn act(&mut self, sentence: &str) -> Result<Action, String>;
}

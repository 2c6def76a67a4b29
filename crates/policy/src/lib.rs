//! What a policy is, the ones that need no learning, and the ones that live in another process.
//!
//! This crate cannot name the simulator: whatever a policy knows, it was shown.

mod builtin;
pub mod formats;
pub mod nearest;
pub mod remote;

pub use builtin::{Idle, Random, Replay};
use longarm_types::{Action, ActionSpec, Observation, ObservationSpec, Seed, TaskId};
pub use nearest::Nearest;
pub use remote::{Remote, RemoteSpec};

/// What a policy is told when an episode begins.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeInfo {
    /// Task.
    pub task: TaskId,
    /// Instruction.
    pub instruction: String,
    /// Shape and meaning of the actions.
    pub action: ActionSpec,
    /// What is observed.
    pub observation: ObservationSpec,
    /// A seed for the policy's own randomness; says nothing about the scene.
    pub policy_seed: Seed,
}

/// Why a policy did not act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The policy's own fault: the episode ends as a policy error and counts.
    #[error("{0}")]
    Fault(String),
    /// It could not be asked: the episode has no result.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A policy could not be asked, which says nothing about how good it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unavailable {
    /// Why, in one sentence; a server's traceback may follow on further lines.
    pub reason: String,
    /// The connection was lost in the middle of an episode and nobody has tried to get it back: the
    /// episode may begin again. Otherwise there is no point in going on.
    pub lost: bool,
}

impl Unavailable {
    /// No point in going on.
    pub fn for_good(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), lost: false }
    }
}

/// What a policy answers when it is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Actions to execute from now on, open loop: one or more.
    pub chunk: Vec<Action>,
    /// What it believes it is doing, in words, where it has an idea of that. Shown in videos and kept
    /// with recordings; it decides nothing.
    pub believes: Option<String>,
}

impl Decision {
    /// Make it empty, keeping its room.
    pub fn clear(&mut self) {
        self.chunk.clear();
        self.believes = None;
    }
}

/// Something that turns observations into actions.
pub trait Policy: Send {
    /// A new episode begins; forget the last one.
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError>;

    /// Take in what is observed now: after the reset and after every action, also within a chunk.
    /// Called only if it [wants every step](Policy::wants_every_step); where it is also asked to act,
    /// before that and with the same observation.
    fn see(&mut self, _observation: &Observation) -> Result<(), PolicyError> {
        Ok(())
    }

    /// Decide what to do next. The decision is empty before.
    fn act(
        &mut self,
        observation: &Observation,
        decision: &mut Decision,
    ) -> Result<(), PolicyError>;

    /// The episode is over. Optional: a policy that is not told learns it from the next
    /// [`Policy::begin_episode`]. Told, a remote policy lets go of its server at once.
    fn end_episode(&mut self) {}

    /// Whether [`Policy::see`] is to be called. When not, nothing is observed or rendered within a
    /// chunk.
    fn wants_every_step(&self) -> bool {
        false
    }

    /// Whether it looks at pictures; when not, none are rendered.
    fn sees(&self) -> bool {
        true
    }
}

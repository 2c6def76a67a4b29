use longarm_assets::ControlError;
use longarm_task::{SampleError, SpecError};
use longarm_types::{ActionError, TaskId};

/// What can go wrong in a simulation.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// MuJoCo refused a model.
    #[error("MuJoCo cannot compile the scene: {0}")]
    Compile(String),
    /// The compiled model lacks something the engine needs by name.
    #[error("the compiled model has no {kind} {name:?}")]
    Missing {
        /// Kind of element.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// Numbers of an action that move nothing.
    #[error("nothing in this rig is driven by the action channel {channel:?}")]
    Undriven {
        /// Name of the channel.
        channel: String,
    },
    /// A control mode the rig does not offer.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// A scene could not be drawn.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A task specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An action was refused; the world is unchanged.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The physics produced numbers that mean nothing.
    #[error("the simulation diverged at t = {time:.3} s ({what}); the episode cannot go on")]
    Diverged {
        /// Simulated time.
        time: f64,
        /// MuJoCo's warning, and the object it is about.
        what: String,
    },
    /// Soft matter whose state means nothing.
    #[error("{name:?} blew up at t = {time:.3} s; the episode cannot go on")]
    MediumDiverged {
        /// Simulated time.
        time: f64,
        /// The object.
        name: String,
    },
    /// Soft matter that cannot be made.
    #[error("{name:?} cannot be made of its matter: {source}")]
    Matter {
        /// The object.
        name: String,
        /// What is wrong.
        source: longarm_soft::SoftError,
    },
    /// A file of the user's.
    #[error(transparent)]
    Files(#[from] longarm_assets::outside::OutsideError),
    /// A stored state of another scene.
    #[error("the stored state has {has} numbers and the scene needs {wants}")]
    State {
        /// Numbers of the state.
        has: usize,
        /// Numbers of the scene.
        wants: usize,
    },
    /// A checkpoint of another structure.
    #[error("this checkpoint belongs to another scene structure")]
    ForeignCheckpoint,
    /// A checkpoint of another task.
    #[error(
        "this checkpoint is one of {checkpoint}, and this environment is of {env}{same}; restore it into an environment of its own task"
    )]
    ForeignTask {
        /// Task of the checkpoint.
        checkpoint: TaskId,
        /// Task of the environment.
        env: TaskId,
        /// What to add where both have one name.
        same: &'static str,
    },
    /// A scene that does not come to rest.
    #[error(
        "the scene of seed {seed} does not come to rest within {seconds} s: {object} still moves at {speed:.3} m/s"
    )]
    Unsettled {
        /// Seed of the scene.
        seed: u64,
        /// Time given.
        seconds: f64,
        /// The fastest object.
        object: String,
        /// Its speed.
        speed: f64,
    },
}

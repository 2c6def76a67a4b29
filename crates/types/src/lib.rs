//! The vocabulary every longarm crate shares: poses, seeds, actions, observations, records.
//!
//! Units are metres, radians, seconds and kilograms; the world's z points up; quaternions are
//! written w-x-y-z wherever they leave this crate as numbers.

#[macro_use]
mod named;

mod action;
mod control;
mod geometry;
mod hash;
mod hints;
mod legacy_random;
mod names;
mod observation;
pub mod protocol;
mod record;
mod seed;
mod segment;

pub use action::{
    Action, ActionConvention, ActionError, ActionForm, ActionFrame, ActionSpec, ActionUnits,
    Channel, ChannelKind, ChannelValue, GripperSense, MAX_ACTION, PickPlaceSpace, RotationFormat,
    ToolScale,
};
pub use control::{ControlMode, ControlModeError};
pub use geometry::{Bounds, Pose, Twist, rotation_between, rotation_vector, yaw};
pub use glam::{DMat3, DQuat, DVec3};
pub use hash::{Digest, RunningHash};
pub use hints::Hints;
pub use legacy_random::LegacyRandom;
pub use names::{TaskId, TaskIdError, counted, hint, nearest};
pub use observation::{
    BaseReading, BoundVector, Calibration, CameraImage, CloudPart, CloudSpec, FieldType,
    FingerRange, Flip, FormatPictures, FormatVector, ImageLayout, Meaning, Observation,
    ObservationField, ObservationFormat, ObservationSpec, ObservedCamera, ObservedLimb, PerLimb,
    PictureKind, PointCloud, PositionFrame, Proprioception, StateLayout, StatePart, ToolSite,
    WorldFrame,
};
pub use protocol::{Protocol, SeedRange, Split, Splits};
pub use record::{EpisodeOutcome, EpisodeRecord, Margin, StageRecord};
pub use seed::{Rng, Seed};
pub use segment::Segment;

/// Control steps per second of every environment.
pub const CONTROL_HZ: u32 = 20;
/// Physics steps per control step.
pub const SUBSTEPS: u32 = 25;
/// Physics time step in seconds.
pub const TIMESTEP: f64 = 0.002;
/// Version of the engine, written into every record.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

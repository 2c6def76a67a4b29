//! The only crate that knows MuJoCo: worlds, controllers, cameras and environments.
//!
//! A [`World`] is one compiled model with its state. An [`Env`] samples a task's scene, puts it into
//! a world, steps it under actions and tracks the task's stages. A [`batch`] runs many of them over
//! threads. Nothing here reads a clock or an unseeded generator, and nothing allocates in the step
//! loop.

mod bridge;
mod cameras;
mod contacts;
mod control;
mod env;
mod error;
mod medium;
mod pick_place;
mod recent;
mod source;
mod world;

pub mod batch;

pub use bridge::{ModelLook, ModelScene};
pub use cameras::{CameraRig, ImageSettings};
pub use control::{
    ArmController, ArmReading, ControlLimits, Controller, Drive, LimbState, Osc, OscController,
};
pub use env::{Env, EnvCheckpoint, EnvSettings, StepReport};
pub use error::SimError;
pub use medium::{Jaws, Medium, MediumStart, Surroundings};
pub use pick_place::{PickPlaceOutcome, PickPlaceReport};
pub use recent::Recent;
pub use source::{ElementNumbers, ModelNumbers, SourceCameras, SourceMoment, SourceWorld};
pub use world::{Checkpoint, World};

/// Version of the physics library in use.
pub fn mujoco_version() -> &'static str {
    mujoco_rs::mujoco_version()
}

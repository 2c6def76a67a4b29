mod convention;

pub use convention::{ImageLayout, StateLayout};
use serde::{Deserialize, Serialize};

use crate::Pose;

/// What a policy may know of its own body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proprioception {
    /// Arm joint positions, radians.
    pub joints: Vec<f64>,
    /// Arm joint velocities, radians per second.
    pub velocities: Vec<f64>,
    /// Tool pose in the world.
    pub tool: Pose,
    /// Gripper opening: 0 closed, 1 fully open; for suction 0 holding, 1 free.
    pub opening: f64,
}

/// One camera's pictures. Empty vectors are channels that were not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraImage {
    /// Camera name.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// RGB, row by row from the top.
    pub rgb: Vec<u8>,
    /// Metres along the optical axis; 0 where nothing was hit.
    pub depth: Vec<f32>,
    /// Object instance per pixel; −1 where nothing was hit.
    pub segment: Vec<i32>,
}

/// What a policy sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Control step within the episode.
    pub step: u32,
    /// Seconds within the episode.
    pub time: f64,
    /// The instruction, the same all episode long.
    pub instruction: String,
    /// Own body.
    pub proprioception: Proprioception,
    /// Where this world's origin lies in LIBERO's, for policies that come from there.
    pub libero_origin: [f64; 3],
    /// Pictures, in the rig's order.
    pub cameras: Vec<CameraImage>,
}

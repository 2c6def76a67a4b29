//! What a policy sees, and the one description of it that all formats are views of.

mod calibration;
mod cloud;
mod convention;
mod flip;
mod format;
mod part;
mod spec;

pub use calibration::Calibration;
pub use cloud::{CloudSpec, PointCloud};
pub use convention::{ImageLayout, StateLayout};
pub use flip::Flip;
pub use format::{BoundVector, FormatPictures, FormatVector, ObservationFormat, PerLimb};
pub use part::{FingerRange, PositionFrame, StatePart, ToolSite};
use serde::{Deserialize, Serialize};
pub use spec::{
    CloudPart, FieldType, Meaning, ObservationField, ObservationSpec, ObservedCamera, ObservedLimb,
    PictureKind, WorldFrame,
};

use crate::Pose;

/// What a policy may know of a limb of its own body.
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
    /// Both fingers of a gripper in metres, where they are read one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingers: Option<[f64; 2]>,
    /// Joint positions of a hand's fingers, radians; empty for other ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hand: Vec<f64>,
    /// The base it stands on, where that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseReading>,
}

/// What a policy may know of a base that moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaseReading {
    /// Where the limb stands in the world.
    pub mount: Pose,
    /// x, y and heading of the base in the world: metres, radians.
    pub pose: [f64; 3],
    /// Their rates: metres and radians per second.
    pub velocity: [f64; 3],
}

impl Proprioception {
    /// An arm with this many joints, not yet looked at.
    pub fn new(joints: usize) -> Self {
        Self {
            joints: vec![0.0; joints],
            velocities: vec![0.0; joints],
            tool: Pose::IDENTITY,
            opening: 1.0,
            fingers: None,
            hand: Vec::new(),
            base: None,
        }
    }

    /// A limb as it is described, not yet looked at.
    pub fn of(limb: &ObservedLimb) -> Self {
        Self {
            hand: vec![0.0; limb.hand_joints],
            base: limb.rides.then_some(BaseReading {
                mount: limb.base,
                pose: [0.0; 3],
                velocity: [0.0; 3],
            }),
            ..Self::new(limb.joints)
        }
    }
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
    /// Unit normals in the world frame, three numbers per pixel; 0 where nothing was hit.
    pub normals: Vec<f32>,
    /// Where it was and how it projects.
    pub calibration: Calibration,
}

/// What a policy sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Control step within the episode.
    pub step: u32,
    /// Seconds within the episode.
    pub time: f64,
    /// The instruction, the same all episode long.
    pub instruction: String,
    /// Own body, limb by limb.
    pub limbs: Vec<Proprioception>,
    /// Pictures, in the rig's order.
    pub cameras: Vec<CameraImage>,
    /// What the cameras see as points; empty if it was not asked for.
    pub cloud: PointCloud,
}

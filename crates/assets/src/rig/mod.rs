//! Robots at their places: what tasks share.

mod control;
mod ground;
mod limb;
mod name;
mod ours;
mod studio;

use longarm_types::{ActionSpec, Bounds, ControlMode, DQuat, DVec3, Pose, ToolScale, WorldFrame};
use serde::{Deserialize, Serialize};

use crate::libero::room::Room;
use crate::robots::RobotName;

pub use control::ControlError;
pub use ground::{FloorRect, Ground};
pub use limb::RigLimb;
pub use name::RigName;

/// Where a camera sits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CameraMount {
    /// Fixed in the world. Cameras look along their −z with y up, as in MuJoCo.
    World(Pose),
    /// On the hand of a limb, in the tool frame.
    Tool {
        /// Name of the limb.
        limb: String,
        /// Pose in the tool frame.
        pose: Pose,
    },
}

/// A camera as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraSpec {
    /// Name.
    pub name: String,
    /// Where it sits.
    pub mount: CameraMount,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Vertical field of view in degrees.
    pub fovy: f64,
}

/// The furniture a robot stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arena {
    /// A wooden table whose top is z = 0.
    Table,
    /// A large table centred on the origin in a bare studio.
    Studio,
    /// One of LIBERO's work places.
    Libero(Room),
}

/// A robot at its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MountedRobot {
    /// Name within the rig.
    pub name: String,
    /// Which robot.
    pub robot: RobotName,
    /// Pose of its base.
    pub mount: Pose,
    /// Joints of each limb at the start of an episode.
    pub home: Vec<Vec<f64>>,
    /// Joints of each limb's hand at the start; the hand's own where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingers: Vec<Vec<f64>>,
}

impl MountedRobot {
    /// A robot in its own comfortable posture.
    pub fn new(name: &str, robot: RobotName, mount: Pose) -> Self {
        let home = robot.spec().limbs.iter().map(|l| l.home.clone()).collect();
        Self { name: name.to_owned(), robot, mount, home, fingers: Vec::new() }
    }
}

/// Robots at their places with their cameras: the part of a set-up that tasks share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// Name.
    pub name: RigName,
    /// Robots.
    pub robots: Vec<MountedRobot>,
    /// Furniture.
    pub arena: Arena,
    /// Cameras, in the order policies get their pictures.
    pub cameras: Vec<CameraSpec>,
    /// A view of the whole for people: videos and pictures, never shown to policies.
    pub view: CameraSpec,
    /// Where objects may be and tools may go.
    pub workspace: Bounds,
    /// What actions mean.
    pub action: ActionSpec,
    /// What kind of actions these are.
    pub control: ControlMode,
    /// The control modes that can be chosen.
    pub controls: Vec<ControlMode>,
    /// What ±1 of a tool delta stands for.
    #[serde(default, skip_serializing_if = "ToolScale::is_default")]
    pub tool_scale: ToolScale,
    /// Other world frames that positions here may be told in.
    pub frames: Vec<WorldFrame>,
}

/// A camera pose at `eye` looking at `target`, the picture's top towards `up`.
pub fn look_at(eye: DVec3, target: DVec3, up: DVec3) -> Pose {
    let z = (eye - target).normalize();
    let x = up.cross(z).normalize();
    let y = z.cross(x);
    Pose::new(eye, DQuat::from_mat3(&longarm_types::DMat3::from_cols(x, y, z)).normalize())
}

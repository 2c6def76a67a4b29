use serde::{Deserialize, Serialize};

use super::{CloudSpec, StatePart};
use crate::{Pose, RotationFormat};

/// A limb as far as a policy may know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedLimb {
    /// Name.
    pub name: String,
    /// Arm joints.
    pub joints: usize,
    /// Pose of the limb's base in the world.
    pub base: Pose,
    /// Metres each finger of a parallel gripper moves; `None` for other ends.
    pub finger_travel: Option<f64>,
    /// Joints of a hand's fingers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hand_joints: usize,
    /// Whether it stands on a base that moves; `base` is then where it stands at the start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rides: bool,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A camera as far as a policy may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedCamera {
    /// Name.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Kinds of pictures it takes.
    pub pictures: Vec<PictureKind>,
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureKind {
    /// RGB.
    Colour,
    /// Metres along the optical axis.
    Depth,
    /// Object instance per pixel.
    Segment,
    /// Unit normals of surfaces in the world frame.
    Normals,
}

impl PictureKind {
    /// Numbers per pixel.
    pub fn channels(self) -> usize {
        match self {
            Self::Colour | Self::Normals => 3,
            Self::Depth | Self::Segment => 1,
        }
    }

    /// Return the shape of a picture of this kind; pixels of one number add no dimension.
    pub fn shape(self, height: usize, width: usize) -> Vec<usize> {
        let mut shape = vec![height, width];
        shape.extend((self.channels() > 1).then_some(self.channels()));
        shape
    }
}

/// Another world frame in which positions may be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldFrame {
    /// Name.
    pub name: String,
    /// Where our origin lies in it; axes are parallel.
    pub origin: [f64; 3],
}

/// What an environment shows. Remote layouts, Gymnasium spaces and dataset features are views of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservationSpec {
    /// Limbs, in the order of [`Observation::limbs`](super::Observation::limbs).
    pub limbs: Vec<ObservedLimb>,
    /// Cameras, in the order of [`Observation::cameras`](super::Observation::cameras).
    pub cameras: Vec<ObservedCamera>,
    /// Other world frames that mean something here.
    pub frames: Vec<WorldFrame>,
    /// The point cloud, where one is observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud: Option<CloudSpec>,
}

/// A list of a point cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CloudPart {
    /// Positions.
    Position,
    /// RGB.
    Colour,
    /// Segment ids.
    Segment,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Arm joint positions.
    JointPosition,
    /// Arm joint velocities.
    JointVelocity,
    /// Tool position and w-x-y-z quaternion in the world frame.
    ToolPose,
    /// Gripper opening: 0 closed, 1 open.
    GripperOpening,
    /// Joint positions of a hand's fingers.
    HandPosition,
    /// Position and heading of the base that a limb stands on.
    BasePose,
    /// Rates of position and heading of that base.
    BaseVelocity,
    /// A picture, row by row from the top.
    Picture(PictureKind),
    /// The matrix from camera coordinates to pixels.
    Intrinsics,
    /// The matrix from world coordinates to camera coordinates.
    Extrinsics,
    /// A list of the point cloud.
    Cloud(CloudPart),
    /// What the policy is told to do.
    Instruction,
}

impl Meaning {
    /// Numbers of a limb, in order; those it does not have are left out.
    pub const OF_LIMBS: [Self; 7] = [
        Self::JointPosition,
        Self::JointVelocity,
        Self::ToolPose,
        Self::GripperOpening,
        Self::HandPosition,
        Self::BasePose,
        Self::BaseVelocity,
    ];

    /// Name of the field, before limbs and cameras add theirs.
    pub fn name(self) -> &'static str {
        match self {
            Self::JointPosition => "joint_position",
            Self::JointVelocity => "joint_velocity",
            Self::ToolPose => "tool_pose",
            Self::GripperOpening => "gripper_opening",
            Self::HandPosition => "hand_position",
            Self::BasePose => "base_pose",
            Self::BaseVelocity => "base_velocity",
            Self::Picture(PictureKind::Colour) => "rgb",
            Self::Picture(PictureKind::Depth) => "depth",
            Self::Picture(PictureKind::Segment) => "segment",
            Self::Picture(PictureKind::Normals) => "normals",
            Self::Intrinsics => "intrinsics",
            Self::Extrinsics => "extrinsics",
            Self::Cloud(CloudPart::Position) => "point_cloud_xyz",
            Self::Cloud(CloudPart::Colour) => "point_cloud_rgb",
            Self::Cloud(CloudPart::Segment) => "point_cloud_segment",
            Self::Instruction => "instruction",
        }
    }

    /// Unit of its numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::JointPosition | Self::HandPosition => "rad",
            Self::BasePose => "m, rad",
            Self::BaseVelocity => "m/s, rad/s",
            Self::JointVelocity => "rad/s",
            Self::ToolPose
            | Self::Picture(PictureKind::Depth)
            | Self::Extrinsics
            | Self::Cloud(CloudPart::Position) => "m",
            Self::Intrinsics => "px",
            Self::GripperOpening | Self::Picture(_) | Self::Cloud(_) | Self::Instruction => "1",
        }
    }

    /// What it is, in words for a list of fields.
    pub fn text(self) -> &'static str {
        match self {
            Self::JointPosition => "positions of the arm's joints",
            Self::JointVelocity => "velocities of the arm's joints",
            Self::ToolPose => {
                "tool position (x, y, z) and quaternion (w, x, y, z) in the world frame"
            }
            Self::GripperOpening => "0 closed, 1 open; for suction 0 holding, 1 free",
            Self::HandPosition => "positions of the fingers' joints",
            Self::BasePose => "position (x, y) and heading of the base in the world frame",
            Self::BaseVelocity => "rates of the base's position and heading in the world frame",
            Self::Picture(PictureKind::Colour) => "colour picture, first row at the top",
            Self::Picture(PictureKind::Depth) => {
                "distance of each pixel along the optical axis, 0 where nothing is seen"
            }
            Self::Picture(PictureKind::Segment) => "segment id of each pixel",
            Self::Picture(PictureKind::Normals) => {
                "unit normal of the surface at each pixel in the world frame, 0 where nothing is seen"
            }
            Self::Intrinsics => "matrix from camera coordinates to pixels",
            Self::Extrinsics => {
                "matrix from world to camera coordinates (x right, y down, z forward)"
            }
            Self::Cloud(CloudPart::Position) => "points in the world frame",
            Self::Cloud(CloudPart::Colour) => "colour of each point",
            Self::Cloud(CloudPart::Segment) => "segment id of each point",
            Self::Instruction => "what the policy is told to do",
        }
    }

    /// Type of its numbers.
    pub fn number(self) -> FieldType {
        match self {
            Self::Picture(PictureKind::Colour) | Self::Cloud(CloudPart::Colour) => FieldType::U8,
            Self::Picture(PictureKind::Segment) | Self::Cloud(CloudPart::Segment) => FieldType::I32,
            Self::Picture(PictureKind::Depth | PictureKind::Normals)
            | Self::Intrinsics
            | Self::Extrinsics
            | Self::Cloud(CloudPart::Position) => FieldType::F32,
            Self::Instruction => FieldType::Text,
            _ => FieldType::F64,
        }
    }

    /// What a field of a limb is made of.
    pub fn parts(self) -> &'static [StatePart] {
        match self {
            Self::JointPosition => &[StatePart::Joints(None)],
            Self::JointVelocity => &[StatePart::Velocities],
            Self::ToolPose => {
                &[StatePart::POSITION, StatePart::Rotation(RotationFormat::QuaternionWxyz)]
            }
            Self::GripperOpening => &[StatePart::Opening],
            Self::HandPosition => &[StatePart::HandJoints],
            Self::BasePose => &[StatePart::BasePose],
            Self::BaseVelocity => &[StatePart::BaseVelocity],
            _ => &[],
        }
    }
}

/// Type of the numbers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldType {
    /// Bytes.
    U8,
    /// 32-bit integers.
    I32,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Text.
    Text,
}

/// One named part of an observation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObservationField {
    /// Name, unique within an observation.
    pub name: String,
    /// What it holds.
    pub meaning: Meaning,
    /// Limb or camera that it belongs to.
    pub of: Option<String>,
    /// Shape; empty for text.
    pub shape: Vec<usize>,
    /// Type of its numbers.
    pub number: FieldType,
    /// Unit of its numbers.
    pub unit: &'static str,
}

impl ObservationSpec {
    /// All fields: limb by limb, camera by camera, the point cloud, then the instruction.
    pub fn fields(&self) -> Vec<ObservationField> {
        let field = |name: String, meaning: Meaning, of: Option<&str>, shape: Vec<usize>| {
            let (number, unit, of) = (meaning.number(), meaning.unit(), of.map(str::to_owned));
            ObservationField { name, meaning, of, shape, number, unit }
        };
        let mut out = Vec::new();
        for (i, limb) in self.limbs.iter().enumerate() {
            for meaning in Meaning::OF_LIMBS {
                let len = meaning.parts().iter().map(|p| p.names(limb).len()).sum();
                if len == 0 {
                    continue;
                }
                let name = format!("{}{}", self.prefix(i), meaning.name());
                out.push(field(name, meaning, Some(&limb.name), vec![len]));
            }
        }
        for camera in &self.cameras {
            for picture in &camera.pictures {
                let meaning = Meaning::Picture(*picture);
                let shape = picture.shape(camera.height, camera.width);
                let name = format!("{}_{}", camera.name, meaning.name());
                out.push(field(name, meaning, Some(&camera.name), shape));
            }
            // A camera that draws nothing is not looked through.
            let drawn = !camera.pictures.is_empty();
            let matrices = [(Meaning::Intrinsics, vec![3, 3]), (Meaning::Extrinsics, vec![4, 4])];
            for (meaning, shape) in matrices.into_iter().filter(|_| drawn) {
                let name = format!("{}_{}", camera.name, meaning.name());
                out.push(field(name, meaning, Some(&camera.name), shape));
            }
        }
        if let Some(CloudSpec { points, .. }) = self.cloud {
            for (part, shape) in [
                (CloudPart::Position, vec![points, 3]),
                (CloudPart::Colour, vec![points, 3]),
                (CloudPart::Segment, vec![points]),
            ] {
                let meaning = Meaning::Cloud(part);
                out.push(field(meaning.name().to_owned(), meaning, None, shape));
            }
        }
        out.push(field("instruction".to_owned(), Meaning::Instruction, None, Vec::new()));
        out
    }

    /// What names of a limb's fields begin with: nothing where there is one limb.
    pub fn prefix(&self, limb: usize) -> String {
        match &self.limbs[..] {
            [] | [_] => String::new(),
            limbs => limbs.get(limb).map(|l| format!("{}_", l.name)).unwrap_or_default(),
        }
    }

    /// Where our origin lies in a frame, if that is known here.
    pub fn frame(&self, name: &str) -> Option<[f64; 3]> {
        self.frames.iter().find(|f| f.name == name).map(|f| f.origin)
    }
}

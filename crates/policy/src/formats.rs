//! Formats that others read, as tables: what they call cameras and vectors, and how they write them.
//!
//! Remote layouts, Gymnasium spaces and datasets that speak the same language share a row here.

use longarm_types::{
    FingerRange, Flip, FormatPictures, FormatVector, ObservationFormat, PositionFrame,
    RotationFormat, StatePart, ToolSite,
};

/// Names of cameras that stand outside, in order of preference.
pub const OUTSIDE: [&str; 4] = ["agentview", "front", "top", "left"];
/// Names of cameras on a wrist.
pub const WRIST: [&str; 3] = ["wrist", "eye_in_hand", "hand"];

/// robosuite's `grip_site`: 97 mm from the hand, our tool 103.4 mm. Where a rig does not say where the
/// origin of that frame is, the middle of the table stands for that of the kitchen table.
pub const GRIP_SITE: ToolSite =
    ToolSite { frame: "libero", origin: [-0.56, 0.0, 0.9], behind: 0.0064 };
/// Position of the grip site in its own world frame.
pub const GRIP_POSITION: StatePart = StatePart::Position(PositionFrame::Site(GRIP_SITE));
/// Both fingers as they are; ends without fingers are told as robosuite's gripper, which has 0.04 m of travel.
pub const GRIP_FINGERS: StatePart = StatePart::Fingers(FingerRange::OwnElse(0.04));
/// Rotation as robosuite's recorded data have it.
pub const AXIS_ANGLE: StatePart = StatePart::Rotation(RotationFormat::AxisAngle);
/// Rotation as robosuite's observations have it.
pub const XYZW: StatePart = StatePart::Rotation(RotationFormat::QuaternionXyzw);
/// Rotation as we write it.
pub const WXYZ: StatePart = StatePart::Rotation(RotationFormat::QuaternionWxyz);
/// Rotation as DROID has it.
pub const EULER: StatePart = StatePart::Rotation(RotationFormat::EulerXyz);

/// State of the grip site: position, axis-angle, both fingers.
pub const GRIP_STATE: [StatePart; 3] = [GRIP_POSITION, AXIS_ANGLE, GRIP_FINGERS];

/// Everything under our own names, which follow a prefix; pictures as they are.
pub fn native(prefix: &'static str, pictures: FormatPictures) -> ObservationFormat {
    ObservationFormat {
        vectors: FormatVector::native(prefix),
        group: None,
        pictures,
        flip: Flip::None,
        most_limbs: usize::MAX,
    }
}

/// These vectors, with all limbs in each; pictures as they are.
pub fn vectors(
    vectors: &[(&'static str, &[StatePart])],
    pictures: FormatPictures,
) -> ObservationFormat {
    let vectors = vectors.iter().map(|(name, parts)| FormatVector::joined(name, parts)).collect();
    ObservationFormat { vectors, group: None, pictures, flip: Flip::None, most_limbs: usize::MAX }
}

/// The same for data of one arm, with pictures turned.
pub fn one_arm(
    named: &[(&'static str, &[StatePart])],
    pictures: FormatPictures,
    flip: Flip,
) -> ObservationFormat {
    ObservationFormat { flip, most_limbs: 1, ..vectors(named, pictures) }
}

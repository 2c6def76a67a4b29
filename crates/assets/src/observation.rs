//! What policies may know of a rig.

use longarm_types::{ObservationSpec, ObservedCamera, ObservedLimb, PictureKind};

use crate::Rig;
use crate::robots::{self, Gripper};

impl Rig {
    /// Return what is observed here: limbs, cameras with colour pictures at their own size, frames.
    pub fn observation(&self) -> ObservationSpec {
        let finger_travel = match robots::spec(self.robot).gripper {
            Gripper::Parallel { opening, .. } => Some(opening / 2.0),
            Gripper::Suction { .. } => None,
        };
        let limb = |name: String| ObservedLimb {
            name,
            joints: self.home.len(),
            base: self.mount,
            finger_travel,
        };
        let camera = |c: &crate::CameraSpec| ObservedCamera {
            name: c.name.clone(),
            width: c.width,
            height: c.height,
            pictures: vec![PictureKind::Colour],
        };
        ObservationSpec {
            limbs: self.limb_names().into_iter().map(limb).collect(),
            cameras: self.cameras.iter().map(camera).collect(),
            frames: self.frames.clone(),
        }
    }
}

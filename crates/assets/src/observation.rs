//! What policies may know of a rig.

use longarm_types::{ObservationSpec, ObservedCamera, ObservedLimb, PictureKind};

use crate::robots::End;
use crate::{CameraSpec, Rig, RigLimb};

impl Rig {
    /// Return what is observed here: limbs, cameras with colour pictures at their own size, frames.
    pub fn observation(&self) -> ObservationSpec {
        let limb = |l: &RigLimb| ObservedLimb {
            name: l.name.clone(),
            joints: l.home.len(),
            base: l.standing(),
            finger_travel: match &l.spec().end {
                End::Gripper(gripper) => Some(gripper.finger_travel()),
                End::Suction(_) | End::Hand(_) => None,
            },
            hand_joints: match &l.spec().end {
                End::Hand(hand) => hand.joints().count(),
                End::Gripper(_) | End::Suction(_) => 0,
            },
            rides: l.rides(),
        };
        let camera = |c: &CameraSpec| ObservedCamera {
            name: c.name.clone(),
            width: c.width,
            height: c.height,
            pictures: vec![PictureKind::Colour],
        };
        ObservationSpec {
            limbs: self.limbs().iter().map(limb).collect(),
            cameras: self.cameras.iter().map(camera).collect(),
            frames: self.frames.clone(),
            cloud: None,
        }
    }
}

//! What drives limbs: a controller each, called once per control step and at every physics step.

mod arm;
mod base;
mod line;
mod matrix;
mod osc;
mod osc_arm;

use longarm_assets::kinematics::{Chain, Joints};
use longarm_types::{ChannelKind, Pose};

pub use crate::world::LimbState;
pub use arm::{ArmController, ControlLimits};
pub(crate) use base::BaseController;
pub use osc::{ArmReading, Osc};
pub use osc_arm::OscController;

/// What the numbers are that a limb's joints are told for one physics step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Targets of the position servos.
    Servo,
    /// Torques, cut to what the joints can bear. The servos are off.
    Torque,
}

/// Drives one limb. Nothing here may allocate but `boxed`.
pub trait Controller: Send + Sync {
    /// Come to rest in a posture.
    fn reset(&mut self, home: &Joints);

    /// Take the limb's numbers of one action, checked and clipped.
    fn command(&mut self, kind: ChannelKind, numbers: &[f64], state: &LimbState<'_>);

    /// Write what joints are told for physics step `k` of the control step, one number per joint,
    /// and return what these numbers are.
    fn drive(&mut self, k: u32, state: &LimbState<'_>, out: &mut Joints) -> Drive;

    /// Learn where the base is that the limb stands on. The commanded tool pose goes along with it.
    fn carry(&mut self, _base: &Pose) {}

    /// Return the commanded tool pose.
    fn target(&self) -> &Pose;

    /// Return the limb's kinematics.
    fn chain(&self) -> &Chain;

    /// Whether [`LimbState`] must tell forces and inertias of the very moment rather than of the
    /// physics step before.
    fn needs_dynamics(&self) -> bool {
        false
    }

    /// Return the joint targets that bring the tool as near to a change of its commanded pose as
    /// one control step allows; `None` if it does not plan in joints.
    fn joint_goal(
        &self,
        _kind: ChannelKind,
        _numbers: &[f64],
        _: &LimbState<'_>,
    ) -> Option<Joints> {
        None
    }

    /// Return the joint targets it has now, if it has any.
    fn joint_targets(&self) -> Option<&Joints> {
        None
    }

    /// Return a copy with all its state.
    fn boxed(&self) -> Box<dyn Controller>;
}

impl Clone for Box<dyn Controller> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

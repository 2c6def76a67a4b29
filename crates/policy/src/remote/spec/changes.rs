//! What a user says of a server's actions, over what its preset says.

use super::super::conventions::{
    ActionConvention, ActionForm, ActionFrame, ActionUnits, GripperSense, RotationFormat,
};

/// Changes to what the preset says of the server's actions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionChanges {
    pub(super) form: Option<ActionForm>,
    pub(super) frame: Option<ActionFrame>,
    pub(super) rotation: Option<RotationFormat>,
    pub(super) gripper: Option<GripperSense>,
    pub(super) units: Option<ActionUnits>,
}

impl ActionChanges {
    /// The convention with the changes made; without changes, silence stays silence.
    pub fn apply(&self, preset: Option<ActionConvention>) -> Option<ActionConvention> {
        if *self == Self::default() {
            return preset;
        }
        let mut a = match (self.form, preset) {
            // Another form brings its own meaning along, not that of joints.
            (Some(ActionForm::EeDelta), Some(p)) if p.form != ActionForm::EeDelta => {
                ActionConvention { gripper: p.gripper, ..ActionConvention::EE_DELTA }
            }
            (_, p) => p.unwrap_or(ActionConvention::EE_DELTA),
        };
        a.form = self.form.unwrap_or(a.form);
        a.frame = self.frame.unwrap_or(a.frame);
        a.rotation = self.rotation.unwrap_or(a.rotation);
        a.gripper = self.gripper.unwrap_or(a.gripper);
        a.units = self.units.unwrap_or(a.units);
        Some(a)
    }
}

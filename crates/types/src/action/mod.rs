//! Actions and what their numbers mean.
//!
//! An [`ActionSpec`] is the one description of an environment's actions. Length checks, clipping, idle and
//! random actions, noise, names in datasets, the bounds of spaces and the conventions told to servers all
//! follow from it; nothing outside this module and the controller asks what kind of action it is.

mod channel;
mod convention;
mod spec;

pub use channel::{Channel, ChannelKind, ChannelValue, PickPlaceSpace, ToolScale};
pub use convention::{
    ActionConvention, ActionForm, ActionFrame, ActionUnits, GripperSense, RotationFormat,
};
pub use spec::{ActionError, ActionSpec};

/// Longest action any robot takes.
pub const MAX_ACTION: usize = 64;

/// One action, held inline so that nothing allocates in the step loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    len: u8,
    values: [f32; MAX_ACTION],
}

impl Action {
    /// An action from its numbers.
    ///
    /// # Panics
    /// If there are more than [`MAX_ACTION`] numbers.
    pub fn new(values: &[f32]) -> Self {
        assert!(values.len() <= MAX_ACTION, "an action has at most {MAX_ACTION} values");
        let mut out = Self { len: values.len() as u8, values: [0.0; MAX_ACTION] };
        out.values[..values.len()].copy_from_slice(values);
        out
    }

    /// The numbers.
    pub fn values(&self) -> &[f32] {
        &self.values[..self.len as usize]
    }

    /// The numbers, to change.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values[..self.len as usize]
    }
}

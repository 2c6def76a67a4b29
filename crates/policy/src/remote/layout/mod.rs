//! What is sent for an observation and what comes back, as data.

mod encoder;
mod presets;

use longarm_types::{ActionConvention, FormatPictures, ObservationFormat, StateLayout};

use super::{
    conventions::ObservationConvention,
    image::Prepare,
    numpy::{Dtype, Keys},
    spec::{DialectName, PresetName, RemoteSpec},
};

pub use self::encoder::Encoder;

/// How many actions of a chunk are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execute {
    /// All that come.
    All,
    /// The first ones, up to this number, or fewer if fewer come.
    UpTo(usize),
    /// Exactly this number; fewer is a fault. What a user asks for.
    Exactly(usize),
}

/// An observation dictionary and what comes back for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// How array keys are written.
    pub keys: Keys,
    /// What goes under which key.
    pub format: ObservationFormat,
    /// Type of vectors: F32 or F64.
    pub dtype: Dtype,
    /// How pictures are made ready.
    pub prepare: Prepare,
    /// What the state is called in conventions.
    pub state: StateLayout,
    /// Where the instruction goes.
    pub prompt: &'static str,
    /// Whether step, task and seed go along.
    pub extras: bool,
    /// What the server's actions are; `None` is whatever the environment takes.
    pub action: Option<ActionConvention>,
    /// How many are executed when the user does not say.
    pub execute: Execute,
    /// Cameras the user chose for a key; `None` sends black.
    pub chosen: Vec<(String, Option<String>)>,
}

impl Layout {
    /// What a dialect and preset send, with the user's changes.
    pub fn of(spec: &RemoteSpec) -> Self {
        let mut layout = match (spec.dialect, spec.preset) {
            (DialectName::VlaEval, preset) => Self::vla_eval(preset),
            (DialectName::RoboArena, _) => Self::roboarena(),
            (DialectName::Behavior, _) => Self::behavior(),
            (DialectName::OpenPi, PresetName::Longarm) => Self::longarm(),
            (DialectName::OpenPi, PresetName::GripSite) => Self::grip_site(),
            (DialectName::OpenPi, PresetName::Droid) => Self::droid(),
            (DialectName::OpenPi, PresetName::Aloha) => Self::aloha(),
        };
        if let Some(size) = spec.size {
            layout.prepare.size = size;
        }
        if let Some(flip) = spec.flip {
            layout.format.flip = flip;
        }
        layout.chosen.clone_from(&spec.cameras);
        layout.action = spec.action.apply(layout.action);
        if let Some(k) = spec.execute {
            layout.execute = k;
        }
        layout
    }

    /// What is compared at the handshake.
    pub fn observation(&self) -> ObservationConvention {
        let cameras = match &self.format.pictures {
            FormatPictures::Keyed(keys) => keys.iter().map(|(k, _)| k.clone()).collect(),
            // Every camera under its own name, which is learnt later.
            FormatPictures::All(..) | FormatPictures::ByPlace { .. } => Vec::new(),
        };
        ObservationConvention { image: self.prepare.layout, state: self.state, cameras }
    }
}

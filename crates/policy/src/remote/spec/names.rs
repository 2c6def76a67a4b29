//! Names of protocols and presets.

/// Which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectName {
    /// Physical Intelligence's openpi. An episode is a connection.
    OpenPi,
    /// vla-eval. Episodes are announced on one connection.
    VlaEval,
    /// RoboArena. Episodes begin with a reset on one connection.
    RoboArena,
    /// The BEHAVIOR challenge. Episodes begin with a reset on one connection.
    Behavior,
}

impl DialectName {
    /// Names on the command line.
    pub const NAMES: [&str; 4] = ["openpi", "vla-eval", "roboarena", "behavior"];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        let all = [Self::OpenPi, Self::VlaEval, Self::RoboArena, Self::Behavior];
        all.into_iter().find(|d| d.name() == name)
    }

    /// The presets it has.
    pub(in crate::remote) fn presets(self) -> &'static [&'static str] {
        match self {
            Self::OpenPi => &PresetName::NAMES,
            Self::VlaEval => &["longarm", "libero"],
            Self::RoboArena => &["droid"],
            Self::Behavior => &["longarm"],
        }
    }
}

/// Which key map and picture treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetName {
    /// Everything we have, as it is.
    Longarm,
    /// One arm seen at robosuite's grip site, as openpi's `libero` checkpoints were trained.
    GripSite,
    /// As openpi's DROID checkpoints were trained.
    Droid,
    /// As openpi's ALOHA checkpoints were trained.
    Aloha,
}

impl PresetName {
    /// Names on the command line.
    pub const NAMES: [&str; 4] = ["longarm", "libero", "droid", "aloha"];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub(in crate::remote) fn parse(name: &str) -> Option<Self> {
        let all = [Self::Longarm, Self::GripSite, Self::Droid, Self::Aloha];
        all.into_iter().find(|d| d.name() == name)
    }
}

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Rig, ours};
use crate::registry::{self, NameTaken, Registry};

static RIGS: LazyLock<Registry<Rig>> =
    LazyLock::new(|| Registry::new("rig", ours::rigs().into_iter().map(|r| (r.name.0, r))));

/// Name of a rig, as it is written in files: one of ours, or one that was registered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RigName(&'static str);

impl RigName {
    /// LongBench: ARX-R5 at a table, top-down and wrist camera at 320×240.
    pub const ARX_R5: Self = Self("arx-r5");
    /// LoHoRavens: UR5e with suction, pick-and-place actions.
    pub const UR5E_SUCTION: Self = Self("ur5e-suction");
    /// Panda at a table, end-effector deltas.
    pub const PANDA: Self = Self("panda");
    /// Two Pandas side by side at a table, end-effector deltas.
    pub const TWO_PANDAS: Self = Self("two-pandas");
    /// xArm7 with its gripper at a table, end-effector deltas.
    pub const XARM7: Self = Self("xarm7");
    /// Panda with a right LEAP hand at a table: end-effector deltas, joint targets of the fingers.
    pub const PANDA_LEAP: Self = Self("panda-leap");
    /// xArm7 with a right LEAP hand at a table.
    pub const XARM7_LEAP: Self = Self("xarm7-leap");
    /// Two Pandas with LEAP hands side by side at a table.
    pub const TWO_PANDAS_LEAP: Self = Self("two-pandas-leap");
    /// TidyBot++'s base under a Panda, standing back from a table.
    pub const TIDYBOT: Self = Self("tidybot-panda");
    /// ManiLadder: Panda with its gripper in the studio.
    pub const STUDIO_PANDA: Self = Self("studio-panda");
    /// ManiLadder: two Pandas with their grippers in the studio.
    pub const STUDIO_TWO_PANDAS: Self = Self("studio-two-pandas");
    /// ManiLadder: Panda with a right LEAP hand in the studio.
    pub const STUDIO_PANDA_LEAP: Self = Self("studio-panda-leap");
    /// ManiLadder: the same, its palm up and its fingers cupped, to begin with something in the hand.
    pub const STUDIO_PANDA_LEAP_CUPPED: Self = Self("studio-panda-leap-cupped");
    /// ManiLadder: two Pandas with LEAP hands in the studio.
    pub const STUDIO_TWO_PANDAS_LEAP: Self = Self("studio-two-pandas-leap");
    /// ManiLadder: TidyBot++'s base under a Panda, standing back from the studio's table.
    pub const STUDIO_TIDYBOT: Self = Self("studio-tidybot");
    /// LIBERO: Panda on its column at the kitchen table.
    pub const LIBERO_KITCHEN: Self = Self("libero-kitchen");
    /// LIBERO: Panda on its column at a plain table.
    pub const LIBERO_TABLETOP: Self = Self("libero-tabletop");
    /// LIBERO: Panda at the living-room table.
    pub const LIBERO_LIVING_ROOM: Self = Self("libero-living-room");
    /// LIBERO: Panda on its column at the desk.
    pub const LIBERO_STUDY: Self = Self("libero-study");
    /// LIBERO: Panda at the coffee table.
    pub const LIBERO_COFFEE: Self = Self("libero-coffee");
    /// LIBERO: Panda on the floor.
    pub const LIBERO_FLOOR: Self = Self("libero-floor");

    /// Return the rig of this name.
    pub fn find(name: &str) -> Option<Self> {
        RIGS.find(name).map(|(name, _)| Self(name))
    }

    /// Return all rigs.
    pub fn all() -> Vec<Self> {
        RIGS.names().into_iter().map(Self).collect()
    }

    /// Return the name as text.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Return what the name stands for.
    pub fn rig(self) -> Rig {
        match RIGS.find(self.0) {
            Some((_, rig)) => Rig::clone(&rig),
            None => unreachable!("names of rigs are made by finding or registering them"),
        }
    }
}

impl Rig {
    /// Add a rig under a name of its own; whatever name the value has is replaced. Adding an equal
    /// rig again does nothing.
    pub fn register(name: &str, rig: Self) -> Result<RigName, NameTaken> {
        let named = |name| Self { name: RigName(name), ..rig.clone() };
        RIGS.add(name, |name, known| *known == named(name), named).map(RigName)
    }
}

impl fmt::Display for RigName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for RigName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for RigName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RigName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        registry::parse(deserializer, "rig", Self::find, || RIGS.names())
    }
}

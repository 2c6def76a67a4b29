//! LIBERO's tables and where their frames lie in our world.

use longarm_assets::{Asset, RigName};

/// Categories of fixtures that everything else stands on.
pub(super) const TABLES: [&str; 3] = ["kitchen_table", "living_room_table", "study_table"];

/// The rig of a table, and the middle of that table's top in our world.
pub(super) fn table(category: &str) -> Option<(RigName, [f64; 3])> {
    TABLES.contains(&category).then_some((RigName::Panda, [0.56, 0.0, 0.0]))
}

pub(super) const CATEGORIES: [&str; 1] = ["akita_black_bowl"];

pub(super) fn asset(_: &str) -> Option<Asset> {
    None
}

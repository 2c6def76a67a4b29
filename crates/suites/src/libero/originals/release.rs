//! What releases built on LIBERO's files changed in its code.

use super::arena::STEEP;

/// A release.
#[derive(Debug)]
pub(crate) struct Release {
    /// Its own copy of LIBERO, where it has one. There are no stored states in it.
    pub fork: Option<Fork>,
    /// Objects inside a region are drawn over half of it, not at its middle.
    pub spread_inside: bool,
    /// How far above and below a region an object still counts as inside.
    pub above: f64,
    pub below: f64,
    /// How far from a container whose file marks no region, and between which heights above it, counts as inside.
    pub near: Option<[f64; 3]>,
    /// Where `agentview` stands instead.
    pub agentview: Option<([f64; 3], [f64; 4])>,
}

/// Where a copy of LIBERO lies in the checkout of a release.
#[derive(Debug)]
pub(crate) struct Fork {
    /// The name of the folder that users give, and what it is.
    pub folder: &'static str,
    pub what: &'static str,
    /// Where its assets may lie below, and the folder `bddl` with its problems.
    pub assets: &'static [&'static str],
    pub problems: &'static [&'static str],
}

/// LIBERO itself.
pub(crate) const LIBERO: Release = Release {
    fork: None,
    spread_inside: false,
    above: 0.0,
    below: 0.01,
    near: None,
    agentview: None,
};

/// RoboMemArena.
pub(crate) const ROBOMEMARENA: Release = Release {
    fork: Some(Fork {
        folder: "robomemarena",
        what: "a checkout of RoboMemArena",
        assets: &[
            "evaluation_benchmark/libero_fork/libero/assets",
            "libero_fork/libero/assets",
            "libero/assets",
            "assets",
        ],
        problems: &["", "evaluation_benchmark", ".."],
    }),
    spread_inside: true,
    above: 0.05,
    below: 0.02,
    near: Some([0.12, -0.15, 0.20]),
    agentview: Some(([1.287_919_762_025_215_7, 0.0, 1.615_525_036_055_863_4], STEEP)),
};
/// Names of the folders that its tasks are played in.
pub(crate) const ROBOMEMARENA_FOLDERS: &[&str] = &["robomemarena", "libero", "robosuite"];

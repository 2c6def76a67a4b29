//! What an asset can do, as data.

use longarm_types::{Bounds, Pose};
use serde::{Deserialize, Serialize};

/// Everything about an asset that is not geometry for the simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssetInfo {
    /// Box around the asset in its own frame.
    pub bounds: Bounds,
    /// Mass in kilograms (0 for fixtures).
    pub mass: f64,
    /// A fixture does not move as a whole; its parts may.
    pub fixed: bool,
    /// Something may be stacked on it and it may be stacked.
    pub stackable: bool,
    /// Turning by 2π/n about its vertical gives the same thing; 0 means any angle does.
    pub symmetry: u32,
    /// Ways to take hold of it, best first.
    pub grasps: Vec<Grasp>,
    /// Places in or on it.
    pub regions: Vec<Region>,
    /// Parts that open, close or turn.
    pub parts: Vec<Part>,
}

impl AssetInfo {
    /// A plain movable thing without regions or parts.
    pub fn movable(bounds: Bounds, mass: f64) -> Self {
        Self {
            bounds,
            mass,
            fixed: false,
            stackable: false,
            symmetry: 1,
            grasps: Vec::new(),
            regions: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// A thing that stays where it is put.
    pub fn fixture(bounds: Bounds) -> Self {
        Self { fixed: true, ..Self::movable(bounds, 0.0) }
    }

    /// The part with this name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|p| p.name == name)
    }

    /// The region with this name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.name == name)
    }
}

/// How a tool meets an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraspKind {
    /// Fingers around the body of the thing.
    Pinch,
    /// One finger inside, one outside a wall.
    Rim,
    /// Fingers around a handle.
    Handle,
    /// A suction cup on a flat top.
    Suction,
}

/// A tool pose that takes hold of the object.
///
/// Tool frame of every robot: z is the way the gripper points (approach), y is the way the fingers
/// close, the origin lies between the finger pads (or at the suction cup's lip).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grasp {
    /// Kind of hold.
    pub kind: GraspKind,
    /// Tool pose in the frame of the asset (or of the part).
    pub tool: Pose,
    /// Opening the fingers must have before the approach.
    pub opening: f64,
    /// Part this grasp belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
}

/// Surface or volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionKind {
    /// Things stand on it: the box is thin and its centre lies in the surface.
    Surface,
    /// Things are inside it.
    Volume,
}

/// A named place in the frame of an asset or of one of its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Name, unique within the asset.
    pub name: String,
    /// Part it moves with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Surface or volume.
    pub kind: RegionKind,
    /// Centre.
    pub pose: Pose,
    /// Half size.
    pub half: [f64; 3],
}

/// How a part moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartMotion {
    /// Along an axis of the asset's frame.
    Slide {
        /// Direction of positive travel.
        axis: [f64; 3],
    },
    /// About an axis through `pivot`.
    Hinge {
        /// Direction of positive turning.
        axis: [f64; 3],
        /// A point on the axis, in the asset's frame.
        pivot: [f64; 3],
    },
}

/// A drawer, door or knob. Its body is `{object}/{name}`, its joint `{object}/{name}_joint`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Name, unique within the asset.
    pub name: String,
    /// Pose of the part's body in the asset's frame at joint value zero.
    pub rest: Pose,
    /// How it moves.
    pub motion: PartMotion,
    /// Joint limits.
    pub range: [f64; 2],
    /// Joint values that count as open (or on).
    pub open: [f64; 2],
    /// Joint values that count as closed (or off).
    pub closed: [f64; 2],
    /// Joint values drawn for a scene that begins open or closed, where they are narrower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<Starts>,
}

/// Joint values to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    /// Begins open (or on).
    pub open: [f64; 2],
    /// Begins closed (or off).
    pub closed: [f64; 2],
}

impl Part {
    /// Joint values a scene begins with, within the joint's limits.
    pub fn start(&self, open: bool) -> [f64; 2] {
        let [lo, hi] = match (self.starts, open) {
            (Some(s), true) => s.open,
            (Some(s), false) => s.closed,
            (None, true) => self.open,
            (None, false) => self.closed,
        };
        [lo.max(self.range[0]), hi.min(self.range[1])]
    }
}

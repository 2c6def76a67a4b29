//! What an asset can do, as data.

use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use serde::{Deserialize, Serialize};

use crate::matter::Matter;

/// Everything about an asset that is not geometry for the simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssetInfo {
    /// Box around the asset in its own frame.
    pub bounds: Bounds,
    /// Mass in kilograms (0 for fixtures).
    pub mass: f64,
    /// A fixture does not move as a whole; its parts may.
    pub fixed: bool,
    /// What is put upon it is turned like it, as blocks are.
    pub aligns: bool,
    /// Paint on the table: nothing collides with it or rests on it.
    pub flat: bool,
    /// Round seen from above, although its heading may matter to a hand.
    pub disc: bool,
    /// Rounder than its box: it rolls off what is not level.
    pub round: bool,
    /// How it may come to lie.
    pub lies: Lies,
    /// Height at which what is let down on it comes to rest; its top if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_at: Option<f64>,
    /// Turning by 2π/n about its vertical gives the same shape; 0 means any angle does.
    pub symmetry: u32,
    /// Ways to take hold of it, best first.
    pub grasps: Vec<Grasp>,
    /// Places in or on it.
    pub regions: Vec<Region>,
    /// Parts that open, close or turn.
    pub parts: Vec<Part>,
    /// The moving surface of a conveyor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belt: Option<Belt>,
    /// Where it pours from, if not from the middle of its opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spout: Option<Mouth>,
    /// What it is made of, if it is not rigid.
    #[serde(skip)]
    pub matter: Option<Arc<Matter>>,
    /// What cannot be seen from its size, for people who build one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// How an object may come to lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lies {
    /// As it stands on its origin.
    #[default]
    Upright,
    /// On any face: tumbled it is the same object with another face up.
    AnyFace,
    /// Along its x axis, on any side.
    Lengthwise,
}

/// An endless surface. Its body and actuator are `{object}/{part}`, its joint `{object}/{part}_joint`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belt {
    /// The part that moves.
    pub part: String,
    /// Travel after which it looks and acts the same.
    pub pitch: f64,
}

/// What can be done with an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Affordance {
    /// A tool can take hold of it and carry it.
    Graspable,
    /// Objects can be put inside.
    Container,
    /// It has parts that open and close, or turn on and off.
    Openable,
    /// It can be held and tilted to pour out what is inside.
    Pourable,
    /// Objects can be put on it.
    Carries,
    /// Its surface moves what lies on it.
    Conveys,
    /// Something can be led through it.
    Threadable,
}

impl Affordance {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Graspable,
        Self::Container,
        Self::Openable,
        Self::Pourable,
        Self::Carries,
        Self::Conveys,
        Self::Threadable,
    ];
}

impl AssetInfo {
    /// A plain movable object without regions or parts.
    pub fn movable(bounds: Bounds, mass: f64) -> Self {
        Self {
            bounds,
            mass,
            fixed: false,
            aligns: false,
            flat: false,
            disc: false,
            round: false,
            lies: Lies::Upright,
            rests_at: None,
            symmetry: 1,
            grasps: Vec::new(),
            regions: Vec::new(),
            parts: Vec::new(),
            belt: None,
            spout: None,
            matter: None,
            remarks: Vec::new(),
        }
    }

    /// An object that stays where it is put.
    pub fn fixture(bounds: Bounds) -> Self {
        Self { fixed: true, ..Self::movable(bounds, 0.0) }
    }

    /// The part with this name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|p| p.name == name)
    }

    /// Whether this can be done with it; it follows from its grasps, regions and parts.
    pub fn affords(&self, what: Affordance) -> bool {
        let own = |kind| self.regions.iter().any(|r| r.kind == kind && r.access != Access::Through);
        let graspable = !self.fixed && self.grasps.iter().any(|g| g.part.is_none());
        match what {
            Affordance::Graspable => graspable,
            Affordance::Container => own(RegionKind::Volume),
            Affordance::Openable => {
                let belt = self.belt.as_ref().map(|b| b.part.as_str());
                self.parts.iter().any(|p| Some(p.name.as_str()) != belt && p.opens())
            }
            Affordance::Pourable => graspable && self.mouth().is_some(),
            Affordance::Carries => own(RegionKind::Surface) || self.aligns,
            Affordance::Conveys => self.belt.is_some(),
            Affordance::Threadable => self.regions.iter().any(|r| r.access == Access::Through),
        }
    }

    /// Where it pours from: its spout, or the middle of its opening.
    pub fn mouth(&self) -> Option<Mouth> {
        let open_above = |r: &&Region| {
            r.kind == RegionKind::Volume && r.part.is_none() && r.access == Access::Above
        };
        self.spout.or_else(|| {
            let r = self.regions.iter().find(open_above)?;
            let [x, y, half] = r.half;
            let at = (r.pose.pos + longarm_types::DVec3::Z * half).to_array();
            Some(Mouth::of_half_full(at, x.min(y), 2.0 * half))
        })
    }

    /// The region with this name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.name == name)
    }
}

/// Where a vessel pours from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mouth {
    /// The point, in the frame of the asset.
    pub at: [f64; 3],
    /// Tilt at which it spills, radians.
    pub spills: f64,
    /// Half the width of the opening, where the box around the object says too much. Beside the middle, the mouth is then a
    /// lip: the object is tilted that way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rim: Option<f64>,
}

impl Mouth {
    /// The mouth of a vessel that is half full: it spills once the level reaches its edge.
    pub fn of_half_full(at: [f64; 3], radius: f64, depth: f64) -> Self {
        Self { at, spills: libm::atan2(0.5 * depth, radius).min(MOST_TILT), rim: None }
    }
}

/// Steeper than this everything spills.
const MOST_TILT: f64 = 1.1;

/// How a tool meets an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraspKind {
    /// Fingers around the body of the object.
    Pinch,
    /// One finger inside, one outside a wall.
    Rim,
    /// Fingers around a handle.
    Handle,
    /// Fingers bent behind a bar, which is then pulled: tool y points to the side the fingers go to.
    Hook,
    /// A suction cup on a flat top.
    Suction,
    /// Closed fingertips on what gives way.
    Press,
    /// Open fingertips against the side of what is too large for a hand: another hand presses from the
    /// other side.
    Cradle,
    /// Straight fingers under an edge, which they raise: the tool's y is the way they point, its z the way
    /// the palm faces.
    Scoop,
}

impl GraspKind {
    /// Whether fingers close on something.
    pub fn holds(self) -> bool {
        matches!(self, Self::Pinch | Self::Rim | Self::Handle | Self::Hook)
    }
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
    /// Objects stand on it: the box is thin and its centre lies in the surface.
    Surface,
    /// Objects are inside it.
    Volume,
}

/// How an object gets into a region.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Set down from above.
    #[default]
    Above,
    /// Slid in from the front, −y of the region's frame: it has a roof and walls.
    Front,
    /// Laid along y of the region's frame: it is a groove.
    Groove,
    /// Led through: it is an opening.
    Through,
    /// Put over what lies there: it is the space under a cover.
    Below,
    /// Slid on by an opening of the object: it is a hook, its free end towards +x of the region's frame.
    Hook,
}

impl Access {
    fn is_above(&self) -> bool {
        *self == Self::Above
    }
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
    /// How objects get there.
    #[serde(default, skip_serializing_if = "Access::is_above")]
    pub access: Access,
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
    /// Whether it has an open and a closed state within its limits.
    pub fn opens(&self) -> bool {
        let within = |[lo, hi]: [f64; 2]| lo <= self.range[1] && hi >= self.range[0];
        self.open != self.closed && within(self.open) && within(self.closed)
    }

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

//! All predicates, as they are written down.

use serde::{Deserialize, Serialize};

use super::{Axis, RegionTest};
use crate::Goal;
use crate::plan::Spot;

/// Something that holds or does not hold at one moment.
///
/// Arguments are names: objects (`block`), parts (`cabinet/top`), regions of the task (`start`) or
/// of objects (`cabinet/top_region`), groups (`sticks`: some member). An atom about an object that
/// is not in the scene is false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Predicate {
    /// `support` carries `object`, whose centre lies over it.
    On {
        /// What is carried.
        object: String,
        /// What carries it: an object, or a surface region.
        support: String,
        /// Largest centre distance; from the support's footprint if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<f64>,
    },
    /// The centre of `object` is inside the region, and something carries the object.
    In {
        /// What is inside.
        object: String,
        /// A volume (`cabinet/top_region`), or an object that has one.
        region: String,
    },
    /// `object` rests in a region: of the table, or of an object.
    At {
        /// What rests.
        object: String,
        /// Where.
        region: String,
    },
    /// `object` rests where it, or another object, began.
    AtStart {
        /// What rests.
        object: String,
        /// Whose start; its own if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
        /// Largest horizontal distance.
        within: f64,
    },
    /// The hand holds it.
    Grasped {
        /// What is held.
        object: String,
    },
    /// The hand holds it in the air: it touches nothing else and is `clearance` above where it was.
    Lifted {
        /// What is held.
        object: String,
        /// How far its lowest point is above.
        clearance: f64,
        /// Above what: an object or region; where it began if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<String>,
    },
    /// A hand has it in the air, held or hanging from its fingers: it touches nothing but hands, and is `clearance`
    /// above where it was.
    Carried {
        /// What is in the air.
        object: String,
        /// What is carried with it, which it may touch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<String>,
        /// How far its lowest point is above where it began.
        clearance: f64,
    },
    /// A part is open or on; for an object with parts, any of them.
    Open {
        /// A part, an object with parts, or a region that moves with a part.
        part: String,
    },
    /// A part is part of the way to where it counts as open.
    Opened {
        /// A part, an object with parts, or a region that moves with a part.
        part: String,
        /// How much of the way, between 0 and 1.
        share: f64,
    },
    /// A part is closed or off; for an object with parts, all of them.
    Closed {
        /// A part, an object with parts, or a region that moves with a part.
        part: String,
    },
    /// The hand holds nothing.
    HandEmpty,
    /// The hand touches nothing and is this far from everything that can move.
    HandAway {
        /// Distance from the tool to the nearest box around an object.
        distance: f64,
    },
    /// The hand does not touch `object` and is this far from it.
    HandClearOf {
        /// What it is clear of.
        object: String,
        /// Distance from the tool to the box around the object.
        distance: f64,
    },
    /// The tool is above `object`.
    HandOver {
        /// What it is above.
        object: String,
        /// Largest horizontal distance to its centre.
        within: f64,
    },
    /// It does not move.
    Still {
        /// What.
        object: String,
    },
    /// Its own up is up, to within an angle.
    Upright {
        /// What.
        object: String,
        /// Largest tilt in radians.
        within: f64,
    },
    /// It stands on an end: its longest side is upright, to within an angle.
    OnEnd {
        /// What.
        object: String,
        /// Largest tilt in radians.
        within: f64,
    },
    /// `object` is over the footprint of `below` and higher than its top, touching or not.
    Above {
        /// The higher one.
        object: String,
        /// The lower one: an object or a region.
        below: String,
    },
    /// On by origins. On an object: they touch, `object` is the higher one, their origins are less
    /// than 3 cm apart seen from above. On a region of an object: the origin is over the region and
    /// up to 10 cm above it, and they touch. On a region of the table: the same, within the region's
    /// tolerance, and the table carries it.
    #[serde(rename = "libero-on")]
    OriginOn {
        /// The upper one.
        object: String,
        /// An object, a region of one, or a region of the table.
        support: String,
        /// When it is on a region of the table.
        #[serde(rename = "strict", default, skip_serializing_if = "RegionTest::is_carried")]
        region_test: RegionTest,
    },
    /// In by origins: the origin of `object` is inside the region, or up to 1 cm below it. In an
    /// object as a whole: inside its space, and they touch.
    #[serde(rename = "libero-in")]
    OriginIn {
        /// What is inside.
        object: String,
        /// A volume, or an object that has one.
        region: String,
    },
    /// They touch.
    Touching {
        /// One.
        object: String,
        /// The other.
        other: String,
    },
    /// Their centres are close.
    Near {
        /// One.
        object: String,
        /// The other.
        other: String,
        /// Largest distance.
        within: f64,
    },
    /// They have the same heading, up to the symmetry of `object`.
    Aligned {
        /// One.
        object: String,
        /// The other.
        other: String,
        /// Largest angle in radians.
        within: f64,
    },
    /// It is turned about the vertical against how it lay at the start, and hardly tilted.
    Turned {
        /// What.
        object: String,
        /// By what angle in radians, counterclockwise seen from above.
        by: f64,
        /// An own axis, where it matters only which way this points.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<[f64; 3]>,
        /// Largest angle about the vertical between how it lies and how it should, in radians.
        within: f64,
    },
    /// The chain of bodies of `object` passes through an opening, its own end `past` beyond it; of a rigid
    /// object its longest axis does, both ends that far from the opening.
    Through {
        /// A rope, by either end (`rope`, `rope/tip`), or a rod.
        object: String,
        /// The opening: a region, thinnest along the way through.
        opening: String,
        /// How far beyond the opening's middle the end is.
        past: f64,
    },
    /// A rope lies straight: its ends are its length apart and none of it leaves the line between them.
    Straight {
        /// The rope.
        object: String,
        /// How much nearer its ends may be, and how far it may leave the line, metres.
        within: f64,
    },
    /// A rope is wound around an object that stands upright.
    Wrapped {
        /// The rope.
        object: String,
        /// What it is wound around.
        around: String,
        /// By what angle in radians at least, either way.
        angle: f64,
    },
    /// What was squeezed has its shape again.
    Shaped {
        /// What.
        object: String,
        /// How far any point of it may be from where it is at rest, metres.
        within: f64,
    },
    /// `from` is held in the air, its mouth over `into` and above the rim, tilted so far that it spills.
    Pouring {
        /// The held vessel.
        from: String,
        /// What receives: an object or its region.
        into: String,
    },
    /// A piece of cloth covers a share of its own area, seen from above.
    SpreadOut {
        /// The cloth.
        object: String,
        /// Smallest share of its area.
        share: f64,
    },
    /// A piece of cloth covers a share of a region, seen from above.
    Covers {
        /// The cloth.
        object: String,
        /// A region, of the table or of an object, or an object that has one.
        region: String,
        /// Smallest share of the region.
        share: f64,
    },
    /// The halves of a piece of cloth lie on each other.
    Folded {
        /// The cloth.
        object: String,
        /// The line through its middle along which it is folded, an axis of the piece as cut.
        along: Axis,
        /// Largest mean horizontal distance of what mirrors each other.
        within: f64,
    },
    /// A share of the points of a piece of cloth lies over a box of the frame in which it began, seen from above.
    LiesIn {
        /// The cloth.
        object: String,
        /// Lower corner of the box.
        lower: [f64; 2],
        /// Upper corner of the box.
        upper: [f64; 2],
        /// Smallest share of the points.
        share: f64,
    },
    /// A point of a piece of cloth lies where it should, seen from above.
    PointAt {
        /// The cloth.
        object: String,
        /// The point, in the frame of the piece as cut.
        point: [f64; 2],
        /// Where it should lie.
        to: Spot,
        /// Largest horizontal distance.
        within: f64,
    },
    /// A piece of cloth hangs on something, held by no hand.
    HangsOn {
        /// The cloth.
        object: String,
        /// What it hangs on.
        on: String,
        /// Smallest height of its lowest point above the table.
        clearance: f64,
    },
    /// A share of liquid, clay or sand is in something.
    Contains {
        /// What holds it: an object with an inside, or one of its regions.
        container: String,
        /// What is in it.
        matter: String,
        /// Smallest share.
        share: f64,
    },
    /// At most a share of liquid, clay or sand is in nothing.
    Spilled {
        /// What may be spilled.
        matter: String,
        /// Largest share.
        share: f64,
    },
    /// Liquid, clay or sand has the shape of a region, seen from above.
    Moulded {
        /// What has the shape.
        matter: String,
        /// A region, of the table or of an object, or an object that has one.
        region: String,
        /// Smallest share that what both cover is of what either covers.
        overlap: f64,
    },
    /// A share of liquid, clay or sand is high above the table.
    Raised {
        /// What is raised.
        matter: String,
        /// How high, metres.
        height: f64,
        /// Smallest share.
        share: f64,
    },
    /// Even the lowest point of what is soft is high above the table.
    Lowest {
        /// What is soft.
        object: String,
        /// How high, metres.
        height: f64,
    },
    /// This number of objects of a goal are where they belong, no two in one place.
    Placed {
        /// How many.
        n: usize,
        /// Who belongs where.
        goal: Goal,
    },
    /// A fact that the world judges itself, where it comes from other people's files.
    Stated {
        /// Its number among them.
        fact: usize,
    },
    /// The same said of one limb's hand; without it, what is said of a hand is said of any.
    With {
        /// Name of the limb.
        limb: String,
        /// What is said of its hand.
        that: Box<Self>,
    },
    /// It does not hold.
    Not(Box<Self>),
    /// All hold.
    All(Vec<Self>),
    /// At least one holds.
    Any(Vec<Self>),
    /// At least `n` hold.
    AtLeast {
        /// How many.
        n: usize,
        /// Of these.
        of: Vec<Self>,
    },
}

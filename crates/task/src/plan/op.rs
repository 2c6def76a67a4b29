//! The operators there are: what each needs, what it brings about, what one says for it.

use serde::{Deserialize, Serialize};

use crate::goal::{Goal, Slot};
use crate::predicate::{
    HAND_AWAY, LIFT, Predicate, all, any, at, contains, grasped, hand_away, hand_empty, hangs_on,
    in_, is_closed, is_open, lifted, lifted_both, not, on, on_end, point_at, straight, through,
    turned, upright,
};
use crate::stage::{When, pours, strokes};

/// Tilted by more than this, radians, an object is upside down.
pub const UPSIDE_DOWN: f64 = 2.6;

/// Share of what is scooped that makes a scoop.
const SOME: f64 = 0.02;
/// How far above the table the lowest point of hung cloth is at least, metres.
const HANGS: f64 = 0.01;

/// Where a held object is put.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Target {
    /// Upon an object or surface.
    On(String),
    /// Into a container or volume.
    In(String),
    /// In a region.
    At(String),
    /// Over an object, which it then hides.
    Over(String),
    /// Where it, or another object, began.
    Start {
        /// Whose start; its own if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
        /// Largest horizontal distance.
        within: f64,
    },
}

/// Where a point of a piece of cloth is laid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Spot {
    /// Where another point of it is, in the frame of the piece as cut.
    Point([f64; 2]),
    /// A point of the frame in which the piece began.
    Start([f64; 2]),
    /// In a region.
    Region {
        /// The region, of the table or of an object.
        name: String,
        /// From its middle, as shares of its half size.
        at: [f64; 2],
    },
}

/// An operator: ⟨precondition, effect⟩ with arguments. How to move is the expert's business.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Op {
    /// Take an object into the air.
    Pick {
        /// The object, or a group: any of them.
        object: String,
        /// Where it stands before: an object or region.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// Take two objects that stand side by side into the air with one hand at once.
    PickBoth {
        /// One.
        object: String,
        /// The other.
        other: String,
    },
    /// Take hold of an object without lifting it.
    Grasp {
        /// The object.
        object: String,
    },
    /// Put down what is held.
    Put {
        /// The object.
        object: String,
        /// Where.
        place: Target,
    },
    /// Put a long object into an opening.
    Insert {
        /// The object.
        object: String,
        /// A container.
        into: String,
    },
    /// Stand up what lies, on its end.
    Stand {
        /// The object.
        object: String,
        /// What keeps it from sliding away.
        against: String,
    },
    /// Open a drawer or door.
    Open {
        /// The part.
        part: String,
    },
    /// Close a drawer or door.
    Close {
        /// The part.
        part: String,
    },
    /// Turn a knob on.
    TurnOn {
        /// The part.
        part: String,
    },
    /// Turn a knob off.
    TurnOff {
        /// The part.
        part: String,
    },
    /// Draw a held tool over a surface.
    Wipe {
        /// The tool.
        tool: String,
        /// The surface.
        surface: String,
        /// How many strokes.
        strokes: u32,
        /// Metres that make a stroke.
        length: f64,
    },
    /// Push an object without taking it.
    Push {
        /// The object.
        object: String,
        /// A region.
        to: String,
    },
    /// Turn an object upside down.
    Flip {
        /// The object.
        object: String,
    },
    /// Pull a rope straight, by one end or the other, and let it go.
    Straighten {
        /// The rope.
        object: String,
    },
    /// Throw a held object into a container.
    Throw {
        /// The object.
        object: String,
        /// A container.
        into: String,
    },
    /// Draw a part out with the hook of a held tool.
    Pull {
        /// The tool.
        tool: String,
        /// The part.
        part: String,
    },
    /// Tilt a held vessel over another until it has spilt, and set it upright again.
    Pour {
        /// The held vessel.
        from: String,
        /// What receives.
        into: String,
    },
    /// Tilt a held vessel over another until a share of what it holds has left it, and set it upright again.
    Measure {
        /// The held vessel.
        from: String,
        /// What receives.
        into: String,
        /// What is poured.
        matter: String,
        /// Share of all of it that is to be in the receiver.
        share: f64,
    },
    /// Take up some of what lies or stands in a container with a held vessel or shovel.
    Scoop {
        /// The held tool.
        tool: String,
        /// What is taken up.
        matter: String,
        /// What it is taken from.
        from: String,
    },
    /// Lead a held rope end through an opening.
    Thread {
        /// The end.
        end: String,
        /// The opening: an object's region.
        opening: String,
        /// How far beyond.
        past: f64,
    },
    /// Pick an object and put it in a place: one action of a suction arm.
    PickPlace {
        /// The object.
        object: String,
        /// The place.
        to: Slot,
    },
    /// Pass a held object from one limb's hand to another's.
    Pass {
        /// The object.
        object: String,
        /// The limb that holds it.
        from: String,
        /// The limb that takes it.
        to: String,
    },
    /// Turn an object within the hand that has it.
    Turn {
        /// The object.
        object: String,
        /// By what angle in radians, counterclockwise seen from above.
        by: f64,
    },
    /// Take a piece of cloth at a point, carry it over and lay that point down.
    Lay {
        /// The cloth.
        object: String,
        /// The point, in the frame of the piece as cut.
        point: [f64; 2],
        /// Where to.
        to: Spot,
    },
    /// Take a piece of cloth by a loop of it and hang it on a hook.
    Hang {
        /// The cloth.
        object: String,
        /// What has hooks.
        on: String,
    },
    /// Draw the hand back.
    Withdraw,
}

impl Op {
    /// What must hold before.
    pub fn precondition(&self) -> Predicate {
        match self {
            Self::Pick { object, from: Some(place) } => all([hand_empty(), on(object, place)]),
            Self::Pick { from: None, .. }
            | Self::PickBoth { .. }
            | Self::Grasp { .. }
            | Self::PickPlace { .. }
            | Self::Lay { .. }
            | Self::Hang { .. } => hand_empty(),
            Self::Put { object, .. } | Self::Insert { object, .. } => grasped(object),
            Self::Open { part } | Self::TurnOn { part } => all([hand_empty(), not(is_open(part))]),
            Self::Close { part } | Self::TurnOff { part } => {
                all([hand_empty(), not(is_closed(part))])
            }
            Self::Wipe { tool, .. } => grasped(tool),
            Self::Push { object, to } => all([hand_empty(), not(at(object, to))]),
            Self::Stand { object, .. } => all([hand_empty(), not(on_end(object))]),
            Self::Flip { object } => all([hand_empty(), upright(object)]),
            Self::Straighten { object } => all([hand_empty(), not(straight(object))]),
            Self::Throw { object, .. } => grasped(object),
            Self::Pull { tool, part } => all([grasped(tool), not(is_open(part))]),
            Self::Pour { from, .. } | Self::Measure { from, .. } => grasped(from),
            Self::Scoop { tool, .. } => grasped(tool),
            Self::Thread { end, .. } => grasped(end),
            Self::Pass { object, from, to } => {
                all([grasped(object).with(from), hand_empty().with(to)])
            }
            Self::Turn { .. } | Self::Withdraw => all([]),
        }
    }

    /// What holds after. Wiping and pouring leave nothing to see: their effect never holds.
    pub fn effect(&self) -> Predicate {
        match self {
            Self::Pick { object, from } => {
                Predicate::Lifted { object: object.clone(), clearance: LIFT, above: from.clone() }
            }
            Self::PickBoth { object, other } => lifted_both(object, other, LIFT),
            Self::Grasp { object } => grasped(object),
            Self::Put { object, place } => {
                let there = match place {
                    Target::On(b) => on(object, b),
                    Target::In(b) => in_(object, b),
                    Target::At(r) => at(object, r),
                    Target::Over(b) => in_(b, object),
                    Target::Start { of, within } => Predicate::AtStart {
                        object: object.clone(),
                        of: of.clone(),
                        within: *within,
                    },
                };
                all([there, not(grasped(object))])
            }
            Self::Insert { object, into } | Self::Throw { object, into } => {
                all([in_(object, into), not(grasped(object))])
            }
            Self::Open { part } | Self::TurnOn { part } | Self::Pull { part, .. } => is_open(part),
            Self::Close { part } | Self::TurnOff { part } => is_closed(part),
            Self::Wipe { .. } | Self::Pour { .. } => any([]),
            Self::Measure { from, into, matter, share } => {
                all([contains(into, matter, *share), upright(from)])
            }
            Self::Push { object, to } => at(object, to),
            Self::Stand { object, .. } => all([on_end(object), not(grasped(object))]),
            Self::Flip { object } => not(upright(object).within(UPSIDE_DOWN)),
            Self::Straighten { object } => all([straight(object), not(grasped(object))]),
            Self::Scoop { tool, matter, .. } => {
                all([contains(tool, matter, SOME), lifted(tool, LIFT)])
            }
            Self::Thread { end, opening, past } => through(end, opening, *past),
            Self::PickPlace { object, to } => {
                Predicate::Placed { n: 1, goal: Goal::single(object, to.clone()) }
            }
            Self::Pass { object, from, to } => {
                all([grasped(object).with(to), hand_empty().with(from)])
            }
            Self::Turn { object, by } => turned(object, *by),
            Self::Lay { object, point, to } => point_at(object, *point, to.clone()),
            Self::Hang { object, on } => hangs_on(object, on, HANGS),
            Self::Withdraw => hand_away(HAND_AWAY),
        }
    }

    /// What completes a stage made of it; `before` are the operators that came earlier in the plan.
    pub(super) fn when<'a>(&self, before: impl Iterator<Item = &'a Op>) -> When {
        let (count, n) = match self {
            Self::Wipe { tool, surface, strokes: n, length } => {
                (strokes(tool, surface, *length), *n)
            }
            Self::Pour { from, into } => (pours(from, into), 1),
            _ => return When::Holds(self.effect()),
        };
        let earlier: u32 = before
            .map(|op| match (op, self) {
                (
                    Self::Wipe { tool: t, surface: s, strokes, .. },
                    Self::Wipe { tool, surface, .. },
                ) if t == tool && s == surface => *strokes,
                (Self::Pour { .. }, Self::Pour { .. }) if op == self => 1,
                _ => 0,
            })
            .sum();
        count.reach(earlier + n)
    }

    /// Whether nothing can be seen of it once it is done.
    pub fn leaves_no_trace(&self) -> bool {
        matches!(self, Self::Wipe { .. } | Self::Pour { .. })
    }

    /// Seconds for which its effect must stand to count.
    pub(crate) fn hold(&self) -> f64 {
        match self {
            Self::Put { .. }
            | Self::Insert { .. }
            | Self::Push { .. }
            | Self::Stand { .. }
            | Self::Flip { .. }
            | Self::Straighten { .. }
            | Self::Throw { .. }
            | Self::Lay { .. }
            | Self::Hang { .. } => 0.25,
            Self::Pick { .. }
            | Self::PickBoth { .. }
            | Self::Grasp { .. }
            | Self::Pass { .. }
            | Self::Open { .. }
            | Self::Pull { .. }
            | Self::Close { .. } => 0.1,
            _ => 0.0,
        }
    }
}

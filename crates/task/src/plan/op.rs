//! The operators there are: what each needs, what it brings about, what one says for it.

use serde::{Deserialize, Serialize};

use super::Step;
use crate::goal::{Goal, Slot};
use crate::predicate::{
    BACK_WITHIN, HAND_AWAY, LIFT, Predicate, above, all, any, at, grasped, hand_away, hand_empty,
    in_, is_closed, is_open, not, on, through, upright,
};
use crate::stage::{Count, When, strokes};
use crate::template::phrase;

/// Travel that makes a stroke of the wiper unless the task says otherwise.
const STROKE: f64 = 0.06;
/// Tilt at which a vessel pours, radians.
const POUR_TILT: f64 = 0.9;

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
    /// Put a long thing into an opening.
    Insert {
        /// The object.
        object: String,
        /// A container.
        into: String,
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
    /// Tilt a held vessel over another.
    Pour {
        /// The held vessel.
        from: String,
        /// What receives.
        into: String,
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
    /// Draw the hand back.
    Withdraw,
}

impl Op {
    /// What must hold before.
    pub fn precondition(&self) -> Predicate {
        match self {
            Self::Pick { object, from: Some(place) } => all([hand_empty(), on(object, place)]),
            Self::Pick { from: None, .. } | Self::Grasp { .. } | Self::PickPlace { .. } => {
                hand_empty()
            }
            Self::Put { object, .. } | Self::Insert { object, .. } => grasped(object),
            Self::Open { part } | Self::TurnOn { part } => all([hand_empty(), not(is_open(part))]),
            Self::Close { part } | Self::TurnOff { part } => {
                all([hand_empty(), not(is_closed(part))])
            }
            Self::Wipe { tool, .. } => grasped(tool),
            Self::Push { object, to } => all([hand_empty(), not(at(object, to))]),
            Self::Pour { from, .. } => grasped(from),
            Self::Thread { end, .. } => grasped(end),
            Self::Withdraw => all([]),
        }
    }

    /// What holds after. Wiping leaves nothing to see: its effect never holds.
    pub fn effect(&self) -> Predicate {
        match self {
            Self::Pick { object, from } => {
                Predicate::Lifted { object: object.clone(), clearance: LIFT, above: from.clone() }
            }
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
            Self::Insert { object, into } => all([in_(object, into), not(grasped(object))]),
            Self::Open { part } | Self::TurnOn { part } => is_open(part),
            Self::Close { part } | Self::TurnOff { part } => is_closed(part),
            Self::Wipe { .. } => any([]),
            Self::Push { object, to } => at(object, to),
            Self::Pour { from, into } => {
                all([not(upright(from).within(POUR_TILT)), above(from, into)])
            }
            Self::Thread { end, opening, past } => through(end, opening, *past),
            Self::PickPlace { object, to } => {
                Predicate::Placed { n: 1, goal: Goal::single(object, to.clone()) }
            }
            Self::Withdraw => hand_away(HAND_AWAY),
        }
    }

    /// What completes a stage made of it; `before` are the operators that came earlier in the plan.
    pub(super) fn when<'a>(&self, before: impl Iterator<Item = &'a Op>) -> When {
        let Self::Wipe { tool, surface, strokes: n, length } = self else {
            return When::Holds(self.effect());
        };
        let earlier: u32 = before
            .filter_map(|op| match op {
                Self::Wipe { tool: t, surface: s, strokes, .. } if t == tool && s == surface => {
                    Some(*strokes)
                }
                _ => None,
            })
            .sum();
        let count: Count = strokes(tool, surface, *length);
        count.reach(earlier + n)
    }

    /// Seconds for which its effect must stand to count.
    pub(crate) fn hold(&self) -> f64 {
        match self {
            Self::Put { .. } | Self::Insert { .. } | Self::Push { .. } => 0.25,
            Self::Pick { .. } | Self::Grasp { .. } | Self::Open { .. } | Self::Close { .. } => 0.1,
            _ => 0.0,
        }
    }

    /// The object, part or group it acts on.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Pick { object, .. }
            | Self::Grasp { object }
            | Self::Put { object, .. }
            | Self::Insert { object, .. }
            | Self::PickPlace { object, .. }
            | Self::Push { object, .. } => Some(object),
            Self::Open { part }
            | Self::Close { part }
            | Self::TurnOn { part }
            | Self::TurnOff { part } => Some(part),
            Self::Wipe { tool, .. } => Some(tool),
            Self::Pour { from, .. } => Some(from),
            Self::Thread { end, .. } => Some(end),
            Self::Withdraw => None,
        }
    }

    /// The same acting on another object.
    pub(crate) fn with_subject(&self, name: &str) -> Self {
        let mut op = self.clone();
        match &mut op {
            Self::Pick { object: s, .. }
            | Self::Grasp { object: s }
            | Self::Put { object: s, .. }
            | Self::Insert { object: s, .. }
            | Self::PickPlace { object: s, .. }
            | Self::Push { object: s, .. }
            | Self::Open { part: s }
            | Self::Close { part: s }
            | Self::TurnOn { part: s }
            | Self::TurnOff { part: s }
            | Self::Wipe { tool: s, .. }
            | Self::Pour { from: s, .. }
            | Self::Thread { end: s, .. } => name.clone_into(s),
            Self::Withdraw => {}
        }
        op
    }

    /// What one would tell somebody to do.
    pub fn sentence(&self) -> String {
        self.sentence_with(&|path| {
            let (object, rest) = path.split_once('/').map_or((path, None), |(o, r)| (o, Some(r)));
            phrase(object, rest)
        })
    }

    /// The sentence with names as `the` has it.
    pub fn sentence_with(&self, the: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Pick { object, .. } => format!("pick up the {}", the(object)),
            Self::Grasp { object } => format!("take hold of the {}", the(object)),
            Self::Put { object, place } => {
                let what = the(object);
                match place {
                    Target::On(b) => format!("put the {what} on the {}", the(b)),
                    Target::In(b) => format!("put the {what} in the {}", the(b)),
                    Target::At(r) => format!("put the {what} at the {}", the(r)),
                    Target::Over(b) => format!("put the {what} over the {}", the(b)),
                    Target::Start { of: None, .. } => format!("put the {what} back where it was"),
                    Target::Start { of: Some(o), .. } => {
                        format!("put the {what} where the {} was", the(o))
                    }
                }
            }
            Self::Insert { object, into } => {
                format!("insert the {} into the {}", the(object), the(into))
            }
            Self::Open { part } => format!("open the {}", the(part)),
            Self::Close { part } => format!("close the {}", the(part)),
            Self::TurnOn { part } => format!("turn on the {}", the(part)),
            Self::TurnOff { part } => format!("turn off the {}", the(part)),
            Self::Wipe { tool, surface, .. } => {
                format!("wipe the {} with the {}", the(surface), the(tool))
            }
            Self::Push { object, to } => format!("push the {} to the {}", the(object), the(to)),
            Self::Pour { from, into } => {
                format!("pour from the {} into the {}", the(from), the(into))
            }
            Self::Thread { end, opening, .. } => {
                format!("lead the {} through the {}", the(end), the(opening))
            }
            Self::PickPlace { object, to } => {
                let where_to = match &to.of {
                    Some(o) => format!("on the {}", the(o)),
                    None => format!("at ({:.3}, {:.3})", to.at[0], to.at[1]),
                };
                format!("pick up the {} and place it {where_to}", the(object))
            }
            Self::Withdraw => "draw the hand back".to_owned(),
        }
    }
}

impl From<Op> for Step {
    fn from(op: Op) -> Self {
        Self { op, only_if: None, limb: None, said: None, bringing: None }
    }
}

/// Take an object, or any of a group; say where it stands with [`Step::from`].
pub fn pick(object: impl Into<String>) -> Step {
    Op::Pick { object: object.into(), from: None }.into()
}

/// Take hold of an object without lifting it.
pub fn grasp(object: impl Into<String>) -> Step {
    Op::Grasp { object: object.into() }.into()
}

/// The start of a `put`, waiting for where.
#[derive(Clone, Debug)]
pub struct Put(String);

/// Put down what is held: `put(&block).on(&plate)`.
pub fn put(object: impl Into<String>) -> Put {
    Put(object.into())
}

impl Put {
    fn to(self, place: Target) -> Step {
        Op::Put { object: self.0, place }.into()
    }
    /// Upon an object or surface.
    pub fn on(self, support: impl Into<String>) -> Step {
        self.to(Target::On(support.into()))
    }
    /// Into a container or volume.
    pub fn in_(self, region: impl Into<String>) -> Step {
        self.to(Target::In(region.into()))
    }
    /// In a region.
    pub fn at(self, region: impl Into<String>) -> Step {
        self.to(Target::At(region.into()))
    }
    /// Over an object, which it then hides.
    pub fn over(self, object: impl Into<String>) -> Step {
        self.to(Target::Over(object.into()))
    }
    /// Where it began.
    pub fn back_at_start(self) -> Step {
        self.to(Target::Start { of: None, within: BACK_WITHIN })
    }
    /// Where another object began.
    pub fn at_start_of(self, other: impl Into<String>) -> Step {
        self.to(Target::Start { of: Some(other.into()), within: BACK_WITHIN })
    }
}

/// Put a long thing into a container.
pub fn insert(object: impl Into<String>, into: impl Into<String>) -> Step {
    Op::Insert { object: object.into(), into: into.into() }.into()
}

/// Open a drawer or door.
pub fn open(part: impl Into<String>) -> Step {
    Op::Open { part: part.into() }.into()
}

/// Close a drawer or door.
pub fn close(part: impl Into<String>) -> Step {
    Op::Close { part: part.into() }.into()
}

/// Turn a knob on.
pub fn turn_on(part: impl Into<String>) -> Step {
    Op::TurnOn { part: part.into() }.into()
}

/// Turn a knob off.
pub fn turn_off(part: impl Into<String>) -> Step {
    Op::TurnOff { part: part.into() }.into()
}

/// Draw a held tool over a surface, so many strokes.
pub fn wipe(tool: impl Into<String>, surface: impl Into<String>, strokes: u32) -> Step {
    Op::Wipe { tool: tool.into(), surface: surface.into(), strokes, length: STROKE }.into()
}

/// Push an object to a region.
pub fn push(object: impl Into<String>, to: impl Into<String>) -> Step {
    Op::Push { object: object.into(), to: to.into() }.into()
}

/// Tilt a held vessel over another.
pub fn pour(from: impl Into<String>, into: impl Into<String>) -> Step {
    Op::Pour { from: from.into(), into: into.into() }.into()
}

/// Lead a held rope end through an opening, this far beyond.
pub fn thread(end: impl Into<String>, opening: impl Into<String>, past: f64) -> Step {
    Op::Thread { end: end.into(), opening: opening.into(), past }.into()
}

/// Pick an object and put it in a place.
pub fn pick_place(object: impl Into<String>, to: Slot) -> Step {
    Op::PickPlace { object: object.into(), to }.into()
}

/// Draw the hand back.
pub fn withdraw() -> Step {
    Op::Withdraw.into()
}

//! Functions that make steps.

use super::{Op, Spot, Step, Target};
use crate::goal::Slot;
use crate::predicate::BACK_WITHIN;

/// Travel that makes a stroke of the wiper unless the task says otherwise.
const STROKE: f64 = 0.06;

impl From<Op> for Step {
    fn from(op: Op) -> Self {
        Self { op, only_if: None, limb: None, said: None, effect: None }
    }
}

/// Take an object, or any of a group; say where it stands with [`Step::from`].
pub fn pick(object: impl Into<String>) -> Step {
    Op::Pick { object: object.into(), from: None }.into()
}

/// Take two objects that stand side by side with one hand at once.
pub fn pick_both(object: impl Into<String>, other: impl Into<String>) -> Step {
    Op::PickBoth { object: object.into(), other: other.into() }.into()
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

/// Put a long object into a container.
pub fn insert(object: impl Into<String>, into: impl Into<String>) -> Step {
    Op::Insert { object: object.into(), into: into.into() }.into()
}

/// Stand up what lies, on its end, against something firm.
pub fn stand(object: impl Into<String>, against: impl Into<String>) -> Step {
    Op::Stand { object: object.into(), against: against.into() }.into()
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

/// Draw a held tool over a surface, a number of strokes.
pub fn wipe(tool: impl Into<String>, surface: impl Into<String>, strokes: u32) -> Step {
    Op::Wipe { tool: tool.into(), surface: surface.into(), strokes, length: STROKE }.into()
}

/// Push an object to a region.
pub fn push(object: impl Into<String>, to: impl Into<String>) -> Step {
    Op::Push { object: object.into(), to: to.into() }.into()
}

/// Turn an object upside down.
pub fn flip(object: impl Into<String>) -> Step {
    Op::Flip { object: object.into() }.into()
}

/// Pull a rope straight.
pub fn straighten(object: impl Into<String>) -> Step {
    Op::Straighten { object: object.into() }.into()
}

/// Draw a part out with the hook of a held tool.
pub fn pull(part: impl Into<String>, tool: impl Into<String>) -> Step {
    Op::Pull { tool: tool.into(), part: part.into() }.into()
}

/// Throw a held object into a container.
pub fn throw(object: impl Into<String>, into: impl Into<String>) -> Step {
    Op::Throw { object: object.into(), into: into.into() }.into()
}

/// Tilt a held vessel over another.
pub fn pour(from: impl Into<String>, into: impl Into<String>) -> Step {
    Op::Pour { from: from.into(), into: into.into() }.into()
}

/// Pour a share of what a held vessel contains into another.
pub fn measure(
    from: impl Into<String>,
    into: impl Into<String>,
    matter: impl Into<String>,
    share: f64,
) -> Step {
    Op::Measure { from: from.into(), into: into.into(), matter: matter.into(), share }.into()
}

/// Take up some of what a container holds with a held vessel or shovel.
pub fn scoop(tool: impl Into<String>, matter: impl Into<String>, from: impl Into<String>) -> Step {
    Op::Scoop { tool: tool.into(), matter: matter.into(), from: from.into() }.into()
}

/// Lead a held rope end through an opening, this far beyond.
pub fn thread(end: impl Into<String>, opening: impl Into<String>, past: f64) -> Step {
    Op::Thread { end: end.into(), opening: opening.into(), past }.into()
}

/// Pick an object and put it in a place.
pub fn pick_place(object: impl Into<String>, to: Slot) -> Step {
    Op::PickPlace { object: object.into(), to }.into()
}

/// Pass a held object from one limb's hand to another's.
pub fn pass(object: impl Into<String>, from: impl Into<String>, to: impl Into<String>) -> Step {
    Op::Pass { object: object.into(), from: from.into(), to: to.into() }.into()
}

/// Turn an object in the hand that has it, by an angle counterclockwise seen from above.
pub fn turn(object: impl Into<String>, by: f64) -> Step {
    Op::Turn { object: object.into(), by }.into()
}

/// Draw the hand back.
pub fn withdraw() -> Step {
    Op::Withdraw.into()
}

/// Hang a piece of cloth on a hook by a loop of it.
pub fn hang(object: impl Into<String>, on: impl Into<String>) -> Step {
    Op::Hang { object: object.into(), on: on.into() }.into()
}

/// The start of a `lay`, waiting for where.
#[derive(Clone, Debug)]
pub struct Lay(String, [f64; 2]);

/// Take a piece of cloth at a point of the piece as cut: `lay(&towel, [0.1, 0.1]).onto([-0.1, 0.1])`.
pub fn lay(object: impl Into<String>, point: [f64; 2]) -> Lay {
    Lay(object.into(), point)
}

impl Lay {
    fn to(self, to: Spot) -> Step {
        Op::Lay { object: self.0, point: self.1, to }.into()
    }

    /// Onto where another point of it is.
    pub fn onto(self, point: [f64; 2]) -> Step {
        self.to(Spot::Point(point))
    }

    /// At a point of the frame in which it began.
    pub fn at_start(self, point: [f64; 2]) -> Step {
        self.to(Spot::Start(point))
    }

    /// In a region, this far from its middle as shares of its half size.
    pub fn in_region(self, name: impl Into<String>, at: [f64; 2]) -> Step {
        self.to(Spot::Region { name: name.into(), at })
    }
}

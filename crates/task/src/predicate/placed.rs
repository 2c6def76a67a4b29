//! Objects of a goal that are where they belong.

use longarm_types::Pose;

use super::bind::period;
use super::bound::{Node, Sink};
use super::cast::{Bound, Member, Referent};
use super::margins::{Gauge, Sense, Unit};
use super::report::Report;
use crate::goal::{BoundGoal, BoundObject, BoundSlot, BoxedBody, MAX_SLOTS};
use crate::{Goal, Slot, Snapshot, SpecError};

/// At least `n` objects of a goal are where they belong.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub n: usize,
    pub goal: Box<BoundGoal>,
}

impl Placed {
    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        let Self { n, goal } = self;
        let placed = goal.placed(s);
        r.add("placed", placed as f64, *n as f64, Unit::Plain, Sense::AtLeast);
        if S::ALL && placed < *n {
            goal.missing(s, |of, value, limit| {
                let (unit, sense) = (Unit::Metres, Sense::AtMost);
                let label = "from its place";
                r.out.push(Gauge { label, of, to: 0, value, limit, unit, sense, negated: false });
            });
        }
    }
}

impl Bound {
    pub(super) fn bind_placed(&self, n: usize, goal: &Goal) -> Result<Node, SpecError> {
        Ok(Placed { n, goal: Box::new(self.bound_goal(goal)?) }.into())
    }

    fn bound_goal(&self, goal: &Goal) -> Result<BoundGoal, SpecError> {
        let most = goal.objects.len().max(goal.slots.len());
        if most > MAX_SLOTS {
            let (task, what) = (self.task.clone(), "the size of the goal".to_owned());
            let wanted = "at most 32 objects and places";
            return Err(SpecError::BadNumber { task, what, value: most.to_string(), wanted });
        }
        let mut objects = Vec::new();
        for b in &goal.objects {
            self.movable(&b.object, "a goal")?;
            let (solid, m) = self.boxed(&b.object)?;
            let may = b.slots.iter().filter(|j| **j < goal.slots.len()).fold(0, |m, j| m | 1 << j);
            objects.push(BoundObject { solid, period: period(m), may });
        }
        let slots = goal.slots.iter().map(|s| self.slot(s)).collect::<Result<_, _>>()?;
        Ok(BoundGoal { slots, objects, ceiling: self.ceiling })
    }

    fn slot(&self, slot: &Slot) -> Result<BoundSlot, SpecError> {
        let of = slot.of.as_ref().map(|o| self.boxed(o)).transpose()?.map(|(solid, _)| solid);
        Ok(BoundSlot { of, slot: slot.clone() })
    }

    /// Where the underside of what belongs in a slot should be now.
    pub fn slot_pose(&self, slot: &Slot, s: &Snapshot) -> Result<Pose, SpecError> {
        Ok(self.slot(slot)?.pose(s))
    }

    fn boxed(&self, name: &str) -> Result<(BoxedBody, &Member), SpecError> {
        match self.resolve(name)? {
            Referent::Object(m) => {
                Ok((BoxedBody { body: m.body.unwrap_or(0), bounds: m.info.bounds }, m))
            }
            _ => Err(self.wrong(name, "an object", "a goal")),
        }
    }
}

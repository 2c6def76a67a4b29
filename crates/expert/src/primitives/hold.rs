//! Taking hold of things.

use longarm_assets::{BodyRole, Grasp, GraspKind};
use longarm_task::{BodyId, Op, Snapshot};
use longarm_types::{DVec3, Pose};

use super::insert::{BELOW, TURNS};
use super::{APPROACH, FINGERTIP, LIFT, Primitives, Thing};
use crate::motion::{Motion, Pace};
use crate::reach::equivalents;

/// Faster than this a thing is caught rather than picked, metres per second.
const MOVING: f64 = 0.01;
/// Faster than this what no belt carries is left to come to rest first.
const ROLLING: f64 = 0.05;

/// Turned less than this, radians, it is the same way to take a thing; what it costs to try that
/// again after a miss.
const SAME_WAY: f64 = 0.3;
const MISSED: f64 = 4.0;

/// A way to take hold of something.
pub(super) struct Hold {
    pub(super) cost: f64,
    pub(super) tool: Pose,
    /// The opening to come with.
    pub(super) opening: f64,
    /// Room beside the fingers.
    pub(super) gap: f64,
}

impl Primitives {
    /// The best grasp now. `use_` is the cost of what
    /// is to be done with the thing once it is held so, `None` if that cannot be done.
    pub(super) fn grasp(
        &self,
        frame: &Pose,
        skip: BodyId,
        instance: usize,
        part: Option<&str>,
        s: &Snapshot,
        use_: &dyn Fn(&Pose) -> Option<f64>,
    ) -> Option<Hold> {
        let info = &self.infos[instance];
        let around = match part {
            // A handle is meant to be reached past what it belongs to.
            Some(_) => {
                let mut others = self.solids(&[skip], s);
                others.retain(|o| self.bodies[o.body].role != BodyRole::Object(instance));
                others
            }
            None => self.solids(&[skip], s),
        };
        let mut best: Option<Hold> = None;
        let usable = |g: &&Grasp| g.part.as_deref() == part && g.kind != GraspKind::Suction;
        for (rank, g) in info.grasps.iter().filter(usable).enumerate() {
            let opening = (g.opening + 0.015).min(self.widest);
            for tool in equivalents(frame, g, info.symmetry) {
                let Some(cost) = self.arm.cost(&tool) else { continue };
                let before = tool * Pose::at(0.0, 0.0, -APPROACH);
                if self.arm.cost(&before).is_none() {
                    continue;
                }
                if !self.arm.straight(&before, &tool) {
                    continue;
                }
                let Some(later) = use_(&tool) else { continue };
                let gap = self.finger_gap(&tool, opening, &around);
                let crowded = if gap < 0.004 { 5.0 + 400.0 * (0.004 - gap) } else { 0.0 };
                let turn =
                    longarm_types::rotation_between(s.hands[self.limb].pose.rot, tool.rot).length();
                let crowded = crowded + 200.0 * self.arm.cramped(&tool);
                let crowded =
                    crowded + self.crowding(&tool, &around).max(self.crowding(&before, &around));
                let turn = if self.missed && turn < SAME_WAY { MISSED } else { 0.5 * turn };
                let cost = cost + later + crowded + turn + 1.5 * rank as f64;
                if best.as_ref().is_none_or(|b| cost < b.cost) {
                    best = Some(Hold { cost, tool, opening, gap });
                }
            }
        }
        best
    }

    pub(super) fn pick(&self, thing: &Thing, s: &Snapshot) -> Vec<Motion> {
        let speed = s.bodies[thing.body].twist.linear.length();
        if speed > MOVING && !self.scene.belts.is_empty() {
            return self.catch(thing, s);
        }
        if speed > ROLLING {
            return vec![Motion::Wait(4)];
        }
        let name = &self.bodies[thing.body].name;
        let vessel = self.task.ops().into_iter().find_map(|op| match op {
            Op::Insert { object, into } if self.stands_for(object, name) => self.thing(into, s),
            _ => None,
        });
        let mouth = vessel.map(|v| self.mouth(thing, &v, s));
        let nook = self.destined(thing, s);
        let use_ = |tool: &Pose| match &mouth {
            None => match &nook {
                None => Some(0.0),
                Some(n) => self.stow(thing, &(thing.frame.inverse() * *tool), n, s).map(|(c, _)| c),
            },
            Some(m) => {
                let held = thing.frame.inverse() * *tool;
                self.insertion(thing, m, &held, BELOW, TURNS).map(|(cost, _)| cost)
            }
        };
        let take = |use_| self.grasp(&thing.frame, thing.body, thing.instance, None, s, use_);
        // What cannot be put away so is taken anyhow, and turned over.
        let found = take(&use_).or_else(|| nook.as_ref().and_then(|_| take(&|_| Some(0.0))));
        match found {
            Some(hold) => self.take(thing, &hold, s),
            // Out of reach from here: go home and look at it afresh.
            None => self.withdraw(s),
        }
    }

    /// Takes hold and lifts.
    pub(super) fn take(&self, thing: &Thing, hold: &Hold, s: &Snapshot) -> Vec<Motion> {
        let Hold { tool, opening, .. } = *hold;
        let before = tool * Pose::at(0.0, 0.0, -APPROACH);
        let mut out = vec![Motion::Grip { command: self.command(opening), steps: 0, held: None }];
        out.extend(self.travel(&before, FINGERTIP, None, s));
        out.push(Motion::go(tool, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(thing.body) });
        out.push(Motion::Wait(2));
        out.extend(self.lift());
        out
    }

    /// A name of the plan means this object: its own, or that of its group.
    fn stands_for(&self, name: &str, object: &str) -> bool {
        name == object || self.task.groups.get(name).is_some_and(|g| g.iter().any(|m| m == object))
    }

    /// A vessel is in the hand and off the ground, though what it carries touches it.
    pub(crate) fn lifted_full(&self, op: &Op, s: &Snapshot) -> bool {
        let Op::Pick { object, .. } = op else { return false };
        self.body(object).is_some_and(|a| self.full(a, s) && self.in_hand(a, s))
    }

    fn full(&self, a: BodyId, s: &Snapshot) -> bool {
        (0..s.bodies.len()).any(|b| s.rests_on.get(b, a))
    }

    /// A thing is held and hangs free but for its load, or hangs from what is wedged in it.
    pub(super) fn in_hand(&self, a: BodyId, s: &Snapshot) -> bool {
        let load = |b: BodyId| b != a && self.movable(b) && s.touching.get(a, b);
        let mut others = 0..s.bodies.len();
        let held = s.hands[self.limb].holds[a]
            || others.clone().any(|b| load(b) && s.hands[self.limb].holds[b]);
        held && others.all(|b| b == a || load(b) || !s.touching.get(a, b))
    }

    pub(super) fn lift(&self) -> Vec<Motion> {
        vec![Motion::Lift { by: DVec3::Z * LIFT, pace: Pace::CAREFUL }]
    }
}

//! How far an object is from lying in a hand as it should.

use longarm_task::predicate::Unit;
use longarm_task::{BodyId, BoundPredicate, LimbId, Margins, Snapshot};
use longarm_types::{Bounds, DVec3};

/// What losing the object costs, in radians.
pub(super) const DROPPED: f64 = 10.0;
/// What a posture costs that is far from the one at the start.
pub(super) const POSTURE: f64 = 0.1;
/// How far from where it began the middle of an object 6 cm long may be, metres, and what a metre more costs: what
/// wanders to the palm's edge falls off sooner or later. A longer one may roam further, and must, to be turned.
const ROAM: f64 = 0.01;
const ASIDE: f64 = 30.0;
const LONG: f64 = 0.06;

/// What turning an object in a hand aims at.
pub(crate) struct Turning {
    effect: BoundPredicate,
    body: BodyId,
    limb: LimbId,
    /// The object's middle in its own frame, and in the tool's where it began.
    middle: DVec3,
    start: DVec3,
    /// How many times as long as [`LONG`] it is.
    length: f64,
}

impl Turning {
    /// Aim at an effect on a body that lies in a hand now, with these bounds in its own frame.
    pub(crate) fn new(
        effect: BoundPredicate,
        (body, bounds): (BodyId, &Bounds),
        limb: LimbId,
        s: &Snapshot,
    ) -> Self {
        let length = 2.0 * bounds.half.into_iter().fold(0.0, f64::max) / LONG;
        let mut out =
            Self { effect, body, limb, middle: bounds.centre.into(), start: DVec3::ZERO, length };
        out.start = out.place(s);
        out
    }

    /// Return where the object's middle is in the tool's frame.
    fn place(&self, s: &Snapshot) -> DVec3 {
        s.hands[self.limb].pose.local(s.bodies[self.body].pose.point(self.middle))
    }

    /// Whether it lies as it should.
    pub(super) fn reached(&self, s: &Snapshot) -> bool {
        self.effect.holds(s)
    }

    /// Return how far it is off, in radians and what is worth as much.
    pub(super) fn off(&self, s: &Snapshot) -> f64 {
        let mut margins = Margins::with_capacity(self.effect.gauges());
        self.effect.check(s, &mut margins);
        let angles = margins.gauges().iter().filter(|g| g.unit == Unit::Radians);
        let aside = (self.place(s) - self.start).length();
        angles.map(|g| g.value).sum::<f64>()
            + ASIDE / self.length * (aside - ROAM * self.length).max(0.0)
    }
}

//! How objects move, stand, touch and lie to each other.

use longarm_types::{DVec3, yaw};

use super::Predicate;
use super::bind::{patch_of, period, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Referent};
use super::geometry::{Patch, Solid, Span, flat};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

use Predicate as P;

/// Slower than this is still, metres per second.
const STILL: f64 = 0.02;
/// Slower turning than this is still, radians per second.
const STILL_TURN: f64 = 0.3;

/// It does not move.
pub fn still(object: impl Into<String>) -> P {
    P::Still { object: object.into() }
}

/// It stands as it is meant to, to within 15°.
pub fn upright(object: impl Into<String>) -> P {
    P::Upright { object: object.into(), within: 15f64.to_radians() }
}

/// They touch.
pub fn touching(object: impl Into<String>, other: impl Into<String>) -> P {
    P::Touching { object: object.into(), other: other.into() }
}

/// Their centres are within this distance.
pub fn near(object: impl Into<String>, other: impl Into<String>, within: f64) -> P {
    P::Near { object: object.into(), other: other.into(), within }
}

/// They have the same heading to within 15°, up to symmetry.
pub fn aligned(object: impl Into<String>, other: impl Into<String>) -> P {
    P::Aligned { object: object.into(), other: other.into(), within: 15f64.to_radians() }
}

/// A rope passes through an opening, its end this far beyond.
pub fn through(object: impl Into<String>, opening: impl Into<String>, past: f64) -> P {
    P::Through { object: object.into(), opening: opening.into(), past }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Relation {
    Still(BodyId),
    Upright { a: BodyId, within: f64 },
    Touching(BodyId, BodyId),
    Near { a: Solid, b: Solid, within: f64 },
    Aligned { a: BodyId, b: BodyId, period: f64, within: f64 },
    Through { end: BodyId, span: Span, patch: Patch, past: f64 },
}

impl Relation {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Still(a) | Self::Upright { a, .. } => (*a, 0),
            Self::Touching(a, b) | Self::Aligned { a, b, .. } => (*a, *b),
            Self::Near { a, b, .. } => (a.id, b.id),
            Self::Through { end, patch, .. } => (*end, patch.body),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        match self {
            Self::Still(a) => {
                let t = &s.bodies[*a].twist;
                r.add("speed", t.linear.length(), STILL, Unit::Speed, Sense::AtMost);
                r.add("turning", t.angular.length(), STILL_TURN, Unit::Radians, Sense::AtMost);
            }
            Self::Upright { a, within } => {
                let up = s.bodies[*a].pose.dir(DVec3::Z);
                let tilt = libm::atan2(flat(up), up.z);
                r.add("tilt", tilt, *within, Unit::Radians, Sense::AtMost);
            }
            Self::Touching(a, b) => r.truth("touching", s.touching.get(*a, *b)),
            Self::Near { a, b, within } => {
                r.at_most("apart", (a.centre(s) - b.centre(s)).length(), *within);
            }
            Self::Aligned { a, b, period, within } => {
                let d = yaw(s.bodies[*a].pose.rot) - yaw(s.bodies[*b].pose.rot);
                let off =
                    if *period > 0.0 { (d - period * (d / period).round()).abs() } else { 0.0 };
                r.add("turned", off, *within, Unit::Radians, Sense::AtMost);
            }
            Self::Through { end, span, patch, past } => {
                let (crosses, beyond) = thread(s, *end, *span, patch);
                r.truth("through the opening", crosses);
                r.at_least("past", beyond, *past);
            }
        }
    }
}

impl Bound {
    pub(super) fn bind_still(&self, object: &str) -> Result<Node, SpecError> {
        self.solid(object, "still", &|a, _| Ok(Relation::Still(a.id).into()))
    }

    pub(super) fn bind_upright(&self, object: &str, within: f64) -> Result<Node, SpecError> {
        self.solid(object, "upright", &|a, _| Ok(Relation::Upright { a: a.id, within }.into()))
    }

    pub(super) fn bind_touching(&self, object: &str, other: &str) -> Result<Node, SpecError> {
        self.solid(object, "touching", &|a, _| {
            self.solid(other, "touching", &|b, _| Ok(Relation::Touching(a.id, b.id).into()))
        })
    }

    pub(super) fn bind_near(
        &self,
        object: &str,
        other: &str,
        within: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "near", &|a, _| {
            self.solid(other, "near", &|b, _| Ok(Relation::Near { a, b, within }.into()))
        })
    }

    pub(super) fn bind_aligned(
        &self,
        object: &str,
        other: &str,
        within: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "aligned", &|a, m| {
            let period = period(m);
            self.solid(other, "aligned", &|b, _| {
                Ok(Relation::Aligned { a: a.id, b: b.id, period, within }.into())
            })
        })
    }

    pub(super) fn bind_through(
        &self,
        object: &str,
        opening: &str,
        past: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "through", &|a, m| {
            let Referent::Region(om, r) = self.resolve(opening)? else {
                return Err(self.wrong(opening, "an object's region", "through"));
            };
            let Some(patch) = patch_of(om, r) else { return Ok(Node::never()) };
            Ok(Relation::Through { end: a.id, span: span(m), patch, past }.into())
        })
    }
}

/// Whether the chain of bodies crosses the opening, and how far its end is beyond, on the side away
/// from the other end.
fn thread(s: &Snapshot, end: BodyId, span: Span, patch: &Patch) -> (bool, f64) {
    let frame = patch.world(s);
    let thin = (0..3).min_by(|&i, &j| patch.half[i].total_cmp(&patch.half[j])).unwrap_or(0);
    let at = |b: BodyId| frame.local(s.bodies[b].pose.pos);
    let tail = if end == span.0 { span.1 } else { span.0 };
    let (tip, far) = (at(end)[thin], at(tail)[thin]);
    let crosses = (span.0..span.1).any(|b| {
        let (p, q) = (at(b), at(b + 1));
        let (dp, dq) = (p[thin], q[thin]);
        if (dp > 0.0) == (dq > 0.0) {
            return false;
        }
        let hit = p + (q - p) * (dp / (dp - dq));
        (0..3).filter(|i| *i != thin).all(|i| hit[i].abs() <= patch.half[i])
    });
    (crosses, if far > 0.0 { -tip } else { tip })
}

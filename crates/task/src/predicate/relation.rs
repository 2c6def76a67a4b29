//! How objects move, stand, touch and lie to each other.

use std::f64::consts::TAU;

use longarm_types::{DQuat, DVec3, yaw};

use super::Predicate;
use super::bind::{patch_of, period, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Referent};
use super::geometry::{Patch, Solid, Span, flat};
use super::limp::{Limp, is_line};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

use Predicate as P;

/// Slower than this is still, metres per second.
const STILL: f64 = 0.02;
/// Slower turning than this is still, radians per second.
const STILL_TURN: f64 = 0.3;

/// How far what is turned may be tilted, radians.
const TILT: f64 = 0.45;

/// It does not move.
pub fn still(object: impl Into<String>) -> P {
    P::Still { object: object.into() }
}

/// It stands as it is meant to, to within 15°.
pub fn upright(object: impl Into<String>) -> P {
    P::Upright { object: object.into(), within: 15f64.to_radians() }
}

/// It stands on an end, to within 15°.
pub fn on_end(object: impl Into<String>) -> P {
    P::OnEnd { object: object.into(), within: 15f64.to_radians() }
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

/// It is turned by an angle about the vertical, counterclockwise seen from above, to within 0.2 rad, and tilted by
/// less than 0.45 rad.
pub fn turned(object: impl Into<String>, by: f64) -> P {
    P::Turned { object: object.into(), by, axis: None, within: 0.2 }
}

/// One of its own axes points another way than at the start, by an angle about the vertical.
pub fn turned_axis(object: impl Into<String>, axis: [f64; 3], by: f64) -> P {
    P::Turned { object: object.into(), by, axis: Some(axis), within: 0.2 }
}

/// A rope or a rod passes through an opening, its end this far beyond.
pub fn through(object: impl Into<String>, opening: impl Into<String>, past: f64) -> P {
    P::Through { object: object.into(), opening: opening.into(), past }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Relation {
    Still(BodyId),
    Upright { a: BodyId, within: f64 },
    OnEnd { a: Solid, within: f64 },
    Touching(BodyId, BodyId),
    Near { a: Solid, b: Solid, within: f64 },
    Aligned { a: BodyId, b: BodyId, period: f64, within: f64 },
    Turned { a: BodyId, goal: DQuat, axis: Option<DVec3>, within: f64 },
    Through { end: BodyId, span: Span, patch: Patch, past: f64 },
    Pierces { a: Solid, patch: Patch, past: f64 },
}

impl Relation {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Still(a) | Self::Upright { a, .. } | Self::Turned { a, .. } => (*a, 0),
            Self::OnEnd { a, .. } => (a.id, 0),
            Self::Pierces { a, patch, .. } => (a.id, patch.body),
            Self::Touching(a, b) | Self::Aligned { a, b, .. } => (*a, *b),
            Self::Near { a, b, .. } => (a.id, b.id),
            Self::Through { end, patch, .. } => (*end, patch.body),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        match self {
            Self::Still(a) => {
                let t = &s.bodies[*a].twist;
                let speed = s.soft_of(*a).map_or_else(|| t.linear.length(), |soft| soft.speed);
                r.add("speed", speed, STILL, Unit::Speed, Sense::AtMost);
                r.add("turning", t.angular.length(), STILL_TURN, Unit::Radians, Sense::AtMost);
            }
            Self::Upright { a, within } => {
                let up = s.bodies[*a].pose.dir(DVec3::Z);
                let tilt = libm::atan2(flat(up), up.z);
                r.add("tilt", tilt, *within, Unit::Radians, Sense::AtMost);
            }
            Self::OnEnd { a, within } => {
                let long = s.bodies[a.id].pose.dir(long_side(a));
                let tilt = libm::atan2(flat(long), long.z.abs());
                r.add("tilt", tilt, *within, Unit::Radians, Sense::AtMost);
            }
            Self::Pierces { a, patch, past } => {
                let (off, beyond) = pierced(s, a, patch);
                r.at_most("beside the opening", off, 0.0);
                r.at_least("past", beyond, *past);
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
            Self::Turned { a, goal, axis, within } => {
                let rot = s.bodies[*a].pose.rot;
                let (off, tilt) = match axis {
                    Some(axis) => pointing(rot * *axis, *goal * *axis),
                    None => heading(rot, *goal),
                };
                r.add("off the goal", off, *within, Unit::Radians, Sense::AtMost);
                r.add("tilt", tilt, TILT, Unit::Radians, Sense::AtMost);
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

    pub(super) fn bind_on_end(&self, object: &str, within: f64) -> Result<Node, SpecError> {
        self.solid(object, "on end", &|a, _| Ok(Relation::OnEnd { a, within }.into()))
    }

    pub(super) fn bind_turned(
        &self,
        object: &str,
        by: f64,
        axis: Option<[f64; 3]>,
        within: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "turned", &|a, m| {
            let goal = (DQuat::from_rotation_z(by) * m.start.rot).normalize();
            let axis = axis.map(|v| DVec3::from(v).normalize_or(DVec3::X));
            Ok(Relation::Turned { a: a.id, goal, axis, within }.into())
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
            if is_line(m) {
                return Ok(Limp::Threads { a: a.id, patch, past }.into());
            }
            Ok(match span(m) {
                (first, last) if first == last => Relation::Pierces { a, patch, past }.into(),
                span => Relation::Through { end: a.id, span, patch, past }.into(),
            })
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

/// How far a body is from a goal about the vertical, and how far it is tilted against it.
fn heading(rot: DQuat, goal: DQuat) -> (f64, f64) {
    let rest = rot * goal.conjugate();
    let up = rest * DVec3::Z;
    let about = 2.0 * libm::atan2(rest.z, rest.w);
    (libm::remainder(about, TAU).abs(), libm::atan2(flat(up), up.z))
}

/// How far an axis is from where it should point about the vertical, and how much higher or lower it points.
fn pointing(is: DVec3, to: DVec3) -> (f64, f64) {
    let off = libm::atan2(is.cross(to).z.abs(), is.truncate().dot(to.truncate()));
    let tilt = libm::atan2(is.z, flat(is)) - libm::atan2(to.z, flat(to));
    (off, tilt.abs())
}

/// The direction of a body's longest side, in its frame.
fn long_side(a: &Solid) -> DVec3 {
    let half = a.bounds.half;
    let long = (0..3).max_by(|&i, &j| half[i].total_cmp(&half[j])).unwrap_or(0);
    DVec3::AXES[long]
}

/// How far beside the opening a rod's axis passes, 0 where it passes through, and how far the nearer of
/// its ends is beyond the opening, negative where both are on one side.
fn pierced(s: &Snapshot, a: &Solid, patch: &Patch) -> (f64, f64) {
    let frame = patch.world(s);
    let thin = (0..3).min_by(|&i, &j| patch.half[i].total_cmp(&patch.half[j])).unwrap_or(0);
    let (pose, long) = (s.bodies[a.id].pose, long_side(a));
    let reach = long * long.dot(a.bounds.half.into());
    let centre = DVec3::from(a.bounds.centre);
    let [p, q] = [centre - reach, centre + reach].map(|e| frame.local(pose.point(e)));
    let (dp, dq) = (p[thin], q[thin]);
    let near = dp.abs().min(dq.abs());
    let beyond = if (dp > 0.0) == (dq > 0.0) { -near } else { near };
    let along = if (dp - dq).abs() < 1e-6 { 0.5 } else { dp / (dp - dq) };
    let hit = p + (q - p) * along;
    let beside = |i: usize| (hit[i].abs() - patch.half[i]).max(0.0);
    ((0..3).filter(|i| *i != thin).map(beside).fold(0.0, f64::max), beyond)
}

#[cfg(test)]
mod tests {
    use longarm_types::Bounds;

    use super::super::geometry::Area;
    use super::*;

    #[test]
    fn a_rod_pierces_an_opening_it_passes_through() {
        let mut s = Snapshot::empty(3, &["arm"]);
        let rod = Solid { id: 1, bounds: Bounds::standing(0.1, 0.01, 0.02) };
        let half = DVec3::new(0.002, 0.02, 0.02);
        let area = Area::Everywhere;
        let hole = Patch { body: 2, pose: longarm_types::Pose::IDENTITY, half, area };
        let mut at = |x: f64, y: f64| {
            s.bodies[1].pose.pos = DVec3::new(x, y, -0.01);
            pierced(&s, &rod, &hole)
        };
        let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-9;
        assert!(near(at(0.13, 0.0), (0.0, -0.03)), "before it");
        assert!(near(at(0.06, 0.0), (0.0, 0.04)), "through it");
        assert!(near(at(0.06, 0.05), (0.03, 0.04)), "beside it");
        assert!(near(at(-0.08, 0.0), (0.0, 0.02)), "nearly out on the other side");
    }

    #[test]
    fn what_is_turned_is_measured_about_the_vertical_and_by_its_tilt() {
        let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-9;
        let start = DQuat::from_rotation_x(0.5) * DQuat::from_rotation_z(0.3);
        let goal = DQuat::from_rotation_z(1.5) * start;
        assert!(near(heading(start, goal), (1.5, 0.0)), "{:?}", heading(start, goal));
        let over = DQuat::from_rotation_z(1.7) * start;
        assert!(near(heading(over, goal), (0.2, 0.0)), "too far");
        let most = DQuat::from_rotation_z(-2.0) * start;
        assert!(near(heading(most, goal), (TAU - 3.5, 0.0)), "the shorter way round");
        let tipped = DQuat::from_rotation_y(0.4) * goal;
        assert!(near(heading(tipped, goal), (0.0, 0.4)), "{:?}", heading(tipped, goal));
        // An axis does not feel that something rolls about it.
        let rolled = DQuat::from_rotation_z(1.5) * DQuat::from_rotation_x(2.0);
        let level = DQuat::from_rotation_z(1.5);
        assert!(near(pointing(rolled * DVec3::X, level * DVec3::X), (0.0, 0.0)));
        assert!(near(pointing(DVec3::X, level * DVec3::X), (1.5, 0.0)));
        let raised = level * DQuat::from_rotation_y(-0.3) * DVec3::X;
        assert!(near(pointing(raised, level * DVec3::X), (0.0, 0.3)));
    }
}

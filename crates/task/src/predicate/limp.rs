//! What bends: how straight it is, what it is wound around or led through, whether it has its shape again.

use std::f64::consts::PI;

use longarm_assets::matter::Matter;
use longarm_types::DVec3;

use super::Predicate;
use super::bound::{Node, Sink};
use super::cast::{Bound, Member};
use super::geometry::{Patch, Solid};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SoftState, SpecError};

use Predicate as P;

/// How far a rope may be from straight by default: what Ravens allows the beads of its rope.
pub const STRAIGHT: f64 = 0.02;
/// How far the surface of foam may be from its shape by default.
pub const SHAPED: f64 = 0.004;
/// How far from a post's surface a rope still counts as lying around it.
const AROUND: f64 = 0.01;

/// A rope lies straight.
pub fn straight(object: impl Into<String>) -> P {
    P::Straight { object: object.into(), within: STRAIGHT }
}

/// A rope is wound around an object by an angle in radians, either way.
pub fn wrapped(object: impl Into<String>, around: impl Into<String>, angle: f64) -> P {
    P::Wrapped { object: object.into(), around: around.into(), angle }
}

/// Something soft has the shape that it has at rest.
pub fn shaped(object: impl Into<String>) -> P {
    P::Shaped { object: object.into(), within: SHAPED }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Limp {
    Straight { a: BodyId, within: f64 },
    Wrapped { a: BodyId, around: Solid, angle: f64 },
    Threads { a: BodyId, patch: Patch, past: f64 },
    Shaped { a: BodyId, within: f64 },
}

impl Limp {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Straight { a, .. } | Self::Shaped { a, .. } => (*a, 0),
            Self::Wrapped { a, around, .. } => (*a, around.id),
            Self::Threads { a, patch, .. } => (*a, patch.body),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        let (Self::Straight { a, .. }
        | Self::Shaped { a, .. }
        | Self::Wrapped { a, .. }
        | Self::Threads { a, .. }) = self;
        let Some(soft) = s.soft_of(*a) else { return r.truth("soft", false) };
        match self {
            Self::Straight { within, .. } => {
                let (short, bent) = bend(soft);
                r.at_most("ends too near", short, *within);
                r.at_most("bent", bent, *within);
            }
            Self::Wrapped { around, angle, .. } => {
                let wound = winding(soft, s, around);
                r.add("wound", wound, *angle, Unit::Radians, Sense::AtLeast);
            }
            Self::Threads { patch, past, .. } => {
                let (crosses, beyond) = threaded(soft, s, patch);
                r.truth("through the opening", crosses);
                r.at_least("past", beyond, *past);
            }
            Self::Shaped { within, .. } => {
                let off = deformation(soft, s);
                r.at_most("out of shape", off, *within);
            }
        }
    }
}

/// By how much the ends of a line are nearer than its length, and how far it leaves the line between them.
fn bend(soft: &SoftState) -> (f64, f64) {
    let (points, rest) = (&soft.points, &soft.form.rest);
    let last = points.len() - 1;
    let length: f64 = rest.windows(2).map(|p| p[0].distance(p[1])).sum();
    let way = points[last] - points[0];
    let along = way.normalize_or_zero();
    let beside = |p: &DVec3| {
        let d = *p - points[0];
        (d - along * d.dot(along).clamp(0.0, way.length())).length()
    };
    ((length - way.length()).max(0.0), points.iter().map(beside).fold(0.0, f64::max))
}

/// The angle by which a line goes around an upright post, radians.
fn winding(soft: &SoftState, s: &Snapshot, post: &Solid) -> f64 {
    let pose = post.pose(s);
    let (centre, half) = (DVec3::from(post.bounds.centre), DVec3::from(post.bounds.half));
    let at = |p: &DVec3| pose.local(*p) - centre;
    let near = |p: &DVec3| {
        let gap = AROUND + soft.form.radius;
        p.z.abs() <= half.z + soft.form.radius && p.truncate().length() <= half.x.max(half.y) + gap
    };
    let step = |pair: &[DVec3]| {
        let (p, q) = (at(&pair[0]), at(&pair[1]));
        if !near(&p) || !near(&q) {
            return 0.0;
        }
        libm::atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y)
    };
    let wound: f64 = soft.points.windows(2).map(step).sum();
    debug_assert!(wound.abs() <= PI * soft.points.len() as f64);
    wound.abs()
}

/// Whether a line crosses an opening, and how far the end that is farther through is beyond it.
fn threaded(soft: &SoftState, s: &Snapshot, patch: &Patch) -> (bool, f64) {
    let frame = patch.world(s);
    let thin = (0..3).min_by(|&i, &j| patch.half[i].total_cmp(&patch.half[j])).unwrap_or(0);
    let at = |p: &DVec3| frame.local(*p);
    let crosses = soft.points.windows(2).any(|pair| {
        let (p, q) = (at(&pair[0]), at(&pair[1]));
        let (dp, dq) = (p[thin], q[thin]);
        if (dp > 0.0) == (dq > 0.0) {
            return false;
        }
        let hit = p + (q - p) * (dp / (dp - dq));
        (0..3).filter(|i| *i != thin).all(|i| hit[i].abs() <= patch.half[i])
    });
    let (first, last) = (&soft.points[0], &soft.points[soft.points.len() - 1]);
    let (a, b) = (at(first)[thin], at(last)[thin]);
    let near = a.abs().min(b.abs());
    (crosses, if (a > 0.0) == (b > 0.0) { -near } else { near })
}

/// How far the point that is farthest out of shape is from where it would be at rest.
fn deformation(soft: &SoftState, s: &Snapshot) -> f64 {
    let pose = &s.bodies[soft.body].pose;
    let off = |(p, rest): (&DVec3, &DVec3)| p.distance(pose.point(*rest));
    soft.points.iter().zip(&soft.form.rest).map(off).fold(0.0, f64::max)
}

/// Whether an object is a rope.
pub(super) fn is_line(m: &Member) -> bool {
    matches!(m.info.matter.as_deref(), Some(Matter::Strand(_)))
}

impl Bound {
    fn line(
        &self,
        name: &str,
        place: &'static str,
        f: &dyn Fn(BodyId) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        self.solid(name, place, &|a, m| match is_line(m) {
            true => f(a.id),
            false => Err(self.wrong(name, "a rope", place)),
        })
    }

    pub(super) fn bind_straight(&self, object: &str, within: f64) -> Result<Node, SpecError> {
        self.line(object, "straight", &|a| Ok(Limp::Straight { a, within }.into()))
    }

    pub(super) fn bind_wrapped(
        &self,
        object: &str,
        around: &str,
        angle: f64,
    ) -> Result<Node, SpecError> {
        self.line(object, "wrapped", &|a| {
            self.solid(
                around,
                "wrapped",
                &|around, _| Ok(Limp::Wrapped { a, around, angle }.into()),
            )
        })
    }

    pub(super) fn bind_shaped(&self, object: &str, within: f64) -> Result<Node, SpecError> {
        self.solid(object, "shaped", &|a, m| match m.info.matter.as_deref() {
            Some(Matter::Foam(_)) => Ok(Limp::Shaped { a: a.id, within }.into()),
            _ => Err(self.wrong(object, "something that takes its shape again", "shaped")),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_types::{Bounds, Pose};

    use super::super::geometry::Area;
    use super::*;
    use crate::{SoftForm, SoftKind};

    fn line(points: Vec<DVec3>, length: f64) -> (SoftState, Snapshot) {
        let n = points.len() - 1;
        let rest = (0..=n).map(|i| DVec3::X * (length * i as f64 / n as f64)).collect();
        let form = Arc::new(SoftForm { rest, radius: 0.005, kind: SoftKind::Line });
        (SoftState { body: 1, form, points, speed: 0.0 }, Snapshot::empty(3, &["arm"]))
    }

    #[test]
    fn a_straight_rope_is_straight_and_an_arc_is_not() {
        let (rope, _) = line((0..=40).map(|i| DVec3::Y * (0.0125 * f64::from(i))).collect(), 0.5);
        let (short, bent) = bend(&rope);
        assert!(short < 1e-12 && bent < 1e-12);
        // A half circle of the same length: its ends are 2/π of it apart, its middle a radius away.
        let arc = |i: i32| {
            let a = PI * f64::from(i) / 40.0;
            DVec3::new(libm::cos(a), libm::sin(a), 0.0) * (0.5 / PI)
        };
        let (rope, _) = line((0..=40).map(arc).collect(), 0.5);
        let (short, bent) = bend(&rope);
        assert!((short - (0.5 - 1.0 / PI)).abs() < 1e-9 && (bent - 0.5 / PI).abs() < 1e-9);
    }

    #[test]
    fn turns_around_a_post_add_up_either_way_and_a_rope_that_lies_aside_has_none() {
        let post = Solid { id: 2, bounds: Bounds::standing(0.03, 0.03, 0.2) };
        for way in [1.0, -1.0] {
            let helix = |i: i32| {
                let a = way * 0.2 * f64::from(i);
                DVec3::new(0.035 * libm::cos(a), 0.035 * libm::sin(a), 0.002 * f64::from(i))
            };
            let (rope, s) = line((0..=40).map(helix).collect(), 0.5);
            assert!((winding(&rope, &s, &post) - 8.0).abs() < 1e-9);
        }
        let (rope, s) =
            line((0..=40).map(|i| DVec3::new(0.06, 0.01 * f64::from(i), 0.1)).collect(), 0.5);
        assert!(winding(&rope, &s, &post) < 1e-9);
    }

    #[test]
    fn a_rope_is_through_an_opening_it_crosses() {
        let half = DVec3::new(0.002, 0.02, 0.02);
        let hole = Patch { body: 0, pose: Pose::at(0.1, 0.0, 0.0), half, area: Area::Everywhere };
        let at = |x: f64, y: f64| {
            let points = (0..=20).map(|i| DVec3::new(x - 0.01 * f64::from(i), y, 0.0)).collect();
            let (rope, s) = line(points, 0.2);
            threaded(&rope, &s, &hole)
        };
        let (crosses, past) = at(0.14, 0.0);
        assert!(crosses && (past - 0.04).abs() < 1e-9);
        assert!(!at(0.14, 0.03).0, "beside it");
        let (crosses, past) = at(0.07, 0.0);
        assert!(!crosses && (past + 0.03).abs() < 1e-9, "before it");
    }

    #[test]
    fn a_squeezed_block_is_out_of_shape_wherever_it_is() {
        let corners: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 0.04)
            .collect();
        let pose = Pose::at(0.3, -0.2, 0.1).yawed(0.7);
        let form = SoftForm { rest: corners.clone(), radius: 0.002, kind: SoftKind::Block };
        let mut points: Vec<DVec3> = corners.iter().map(|c| pose.point(*c)).collect();
        let mut s = Snapshot::empty(2, &["arm"]);
        s.bodies[1].pose = pose;
        let state =
            |points| SoftState { body: 1, form: Arc::new(form.clone()), points, speed: 0.0 };
        assert!(deformation(&state(points.clone()), &s) < 1e-12);
        points[3] += DVec3::Z * 0.01;
        assert!((deformation(&state(points), &s) - 0.01).abs() < 1e-12);
    }
}

//! Boxes, patches and heights that measurements are made of.

use longarm_types::{Bounds, DVec3, Pose};

use crate::{BodyId, Hand, Snapshot, SoftKind};

/// How far below a surface an object may seem to rest: contacts are soft.
pub(super) const SINK: f64 = 0.01;

/// A body with the box around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solid {
    pub id: BodyId,
    pub bounds: Bounds,
}

impl Solid {
    pub(super) fn pose<'a>(&self, s: &'a Snapshot) -> &'a Pose {
        &s.bodies[self.id].pose
    }
    pub(super) fn centre(&self, s: &Snapshot) -> DVec3 {
        self.bounds.centre_in(self.pose(s))
    }
    pub(super) fn bottom(&self, s: &Snapshot) -> f64 {
        self.centre(s).z - self.bounds.half_in(self.pose(s)).z
    }
    /// Distance from a point to the box.
    pub(super) fn distance(&self, s: &Snapshot, p: DVec3) -> f64 {
        let d = (self.pose(s).local(p) - DVec3::from(self.bounds.centre)).abs()
            - DVec3::from(self.bounds.half);
        d.max(DVec3::ZERO).length()
    }
}

/// where an object's centre must lie, seen from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Area {
    /// Anywhere.
    Everywhere,
    /// Within a distance of the centre.
    Round(f64),
    /// Over the box.
    Box,
}

/// A box that moves with a body, or stands in the world when the body is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patch {
    pub body: BodyId,
    pub pose: Pose,
    pub half: DVec3,
    pub area: Area,
}

impl Patch {
    pub(super) fn world(&self, s: &Snapshot) -> Pose {
        if self.body == 0 { self.pose } else { s.bodies[self.body].pose * self.pose }
    }

    /// Value and limit of the axis with the least room.
    pub(super) fn footprint(&self, frame: &Pose, point: DVec3) -> (f64, f64) {
        let flat = DVec3::new(point.x - frame.pos.x, point.y - frame.pos.y, 0.0);
        match self.area {
            Area::Everywhere => (flat.length(), f64::MAX),
            Area::Round(r) => (flat.length(), r),
            Area::Box => {
                // The axis nearest the vertical is not part of the footprint, so that a tumbled
                // block still carries.
                let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|a| frame.dir(a));
                let up = (0..3).max_by(|&i, &j| axes[i].z.abs().total_cmp(&axes[j].z.abs()));
                let mut tightest = (0.0, f64::MAX);
                for i in (0..3).filter(|i| Some(*i) != up) {
                    let (v, l) = (flat.dot(axes[i]).abs(), self.half[i]);
                    if l - v < tightest.1 - tightest.0 {
                        tightest = (v, l);
                    }
                }
                tightest
            }
        }
    }

    /// Room, value and limit of the tighter of the region's own x and y.
    pub(super) fn side(&self, s: &Snapshot, point: DVec3) -> (f64, f64, f64) {
        let local = self.world(s).local(point).abs();
        let each = |i: usize| (self.half[i] - local[i], local[i], self.half[i]);
        if each(0).0 < each(1).0 { each(0) } else { each(1) }
    }

    /// Distances of a point from the centre along each axis; a thin object on the floor of the box
    /// may lie a little below it.
    pub(super) fn inner(&self, s: &Snapshot, point: DVec3) -> DVec3 {
        let frame = self.world(s);
        let mut local = frame.local(point).abs();
        if point.z < frame.pos.z {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|a| frame.dir(a).z.abs());
            for i in (0..3).filter(|i| axes[*i] > 0.9) {
                local[i] = (local[i] - SINK).max(0.0);
            }
        }
        local
    }
}

/// A height to compare with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Height {
    Fixed(f64),
    /// A point of a body.
    Point(BodyId, DVec3),
}

impl Height {
    pub(super) fn z(&self, s: &Snapshot) -> f64 {
        match self {
            Self::Fixed(z) => *z,
            Self::Point(b, p) => s.bodies[*b].pose.point(*p).z,
        }
    }
}

/// Bodies with consecutive ids: an object and its parts.
pub(super) type Span = (BodyId, BodyId);

/// The least distance of any hand.
pub(super) fn nearest(hands: &[Hand], distance: impl Fn(&Hand) -> f64) -> f64 {
    hands.iter().map(distance).fold(f64::INFINITY, f64::min)
}

/// Whether it touches a body, other than some and what is poured into it.
pub(super) fn touches_any(s: &Snapshot, a: BodyId, except: Span) -> bool {
    let loose =
        |b: BodyId| s.soft_of(b).is_some_and(|m| matches!(m.form.kind, SoftKind::Particles { .. }));
    let other = |b: &BodyId| *b < except.0 || *b > except.1;
    (0..s.bodies.len()).filter(other).any(|b| s.touching.get(a, b) && !loose(b))
}

pub(super) fn touches_some(s: &Snapshot, a: BodyId, by: Span) -> bool {
    (by.0..=by.1).any(|b| s.touching.get(a, b))
}

pub(super) fn rests_on(s: &Snapshot, a: BodyId, by: Span) -> bool {
    (by.0..=by.1).any(|b| s.rests_on.get(a, b))
}

pub(super) fn carried_by_any(s: &Snapshot, a: BodyId) -> bool {
    (0..s.bodies.len()).any(|b| b != a && s.rests_on.get(a, b))
}

pub(super) fn flat(v: DVec3) -> f64 {
    libm::hypot(v.x, v.y)
}

//! The measurements behind each atom.

use longarm_types::{Bounds, DVec3, Pose, yaw};

use super::bound::{Sink, View};
use super::margins::{Gauge, Sense, Unit};
use crate::goal::BoundGoal;
use crate::{BodyId, Hand, Snapshot};

/// Slower than this is still, metres per second.
const STILL: f64 = 0.02;
/// Slower turning than this is still, radians per second.
const STILL_TURN: f64 = 0.3;
/// How far below a surface a thing may seem to rest: contacts are soft.
const SINK: f64 = 0.01;
/// How far above a surface the lowest point of a thing that rests on it may be: feet, rims.
const RISE: f64 = 0.03;
/// How far apart two origins may be, seen from above, for one to be on the other.
const ORIGIN_CENTRE: f64 = 0.03;
/// How far above a region an origin may be that is on it.
const ORIGIN_HEIGHT: f64 = 0.10;

/// A body with the box around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solid {
    pub id: BodyId,
    pub bounds: Bounds,
}

impl Solid {
    fn pose<'a>(&self, s: &'a Snapshot) -> &'a Pose {
        &s.bodies[self.id].pose
    }
    fn centre(&self, s: &Snapshot) -> DVec3 {
        self.bounds.centre_in(self.pose(s))
    }
    fn bottom(&self, s: &Snapshot) -> f64 {
        self.centre(s).z - self.bounds.half_in(self.pose(s)).z
    }
    /// Distance from a point to the box.
    fn distance(&self, s: &Snapshot, p: DVec3) -> f64 {
        let d = (self.pose(s).local(p) - DVec3::from(self.bounds.centre)).abs()
            - DVec3::from(self.bounds.half);
        d.max(DVec3::ZERO).length()
    }
}

/// Where a thing's centre must lie, seen from above.
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
    fn world(&self, s: &Snapshot) -> Pose {
        if self.body == 0 { self.pose } else { s.bodies[self.body].pose * self.pose }
    }

    /// Value and limit of the axis with the least room.
    fn footprint(&self, frame: &Pose, point: DVec3) -> (f64, f64) {
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
    fn side(&self, s: &Snapshot, point: DVec3) -> (f64, f64, f64) {
        let local = self.world(s).local(point).abs();
        let each = |i: usize| (self.half[i] - local[i], local[i], self.half[i]);
        if each(0).0 < each(1).0 { each(0) } else { each(1) }
    }

    /// Distances of a point from the centre along each axis; a thin thing on the floor of the box
    /// may lie a little below it.
    fn inner(&self, s: &Snapshot, point: DVec3) -> DVec3 {
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
    fn z(&self, s: &Snapshot) -> f64 {
        match self {
            Self::Fixed(z) => *z,
            Self::Point(b, p) => s.bodies[*b].pose.point(*p).z,
        }
    }
}

/// Bodies with consecutive ids: an object and its parts.
pub(super) type Span = (BodyId, BodyId);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// About something that is not in the scene.
    Never,
    Empty,
    /// Carried by `by`, centre over the patch; `level` also asks for the patch's height.
    Carried {
        a: Solid,
        by: Span,
        patch: Patch,
        level: bool,
    },
    /// On the table, centre over the best of several patches.
    Within {
        a: Solid,
        patches: Vec<Patch>,
    },
    Inside {
        a: Solid,
        patch: Patch,
    },
    Back {
        a: Solid,
        by: Span,
        start: DVec3,
        within: f64,
    },
    Grasped(BodyId),
    Lifted {
        a: Solid,
        span: Span,
        over: Height,
        clearance: f64,
    },
    /// A joint at or above (or below) a value.
    Joint {
        body: BodyId,
        limit: f64,
        sense: Sense,
        label: &'static str,
    },
    Away {
        from: Vec<Solid>,
        distance: f64,
    },
    Clear {
        a: Solid,
        span: Span,
        distance: f64,
    },
    HandOver {
        a: Solid,
        within: f64,
    },
    Still(BodyId),
    Upright {
        a: BodyId,
        within: f64,
    },
    Above {
        a: Solid,
        patch: Patch,
        top: Height,
    },
    /// On another object, by origins.
    Atop {
        a: BodyId,
        b: BodyId,
        by: Span,
    },
    /// On a region, by origins: over the best of several, touching `by`; resting on the table when
    /// that is the world.
    OnSite {
        a: BodyId,
        patches: Vec<Patch>,
        by: Option<Span>,
    },
    /// In a region, by origins.
    InSite {
        a: BodyId,
        patch: Patch,
        by: Option<Span>,
    },
    Touching(BodyId, BodyId),
    Near {
        a: Solid,
        b: Solid,
        within: f64,
    },
    Aligned {
        a: BodyId,
        b: BodyId,
        period: f64,
        within: f64,
    },
    Through {
        end: BodyId,
        span: Span,
        patch: Patch,
        past: f64,
    },
    Placed {
        n: usize,
        goal: Box<BoundGoal>,
    },
}

struct Report<'s, S: Sink> {
    out: &'s mut S,
    of: BodyId,
    to: BodyId,
    ok: bool,
}

impl<S: Sink> Report<'_, S> {
    fn add(&mut self, label: &'static str, value: f64, limit: f64, unit: Unit, sense: Sense) {
        let g =
            Gauge { label, of: self.of, to: self.to, value, limit, unit, sense, negated: false };
        self.ok &= g.holds();
        self.out.push(g);
    }
    fn truth(&mut self, label: &'static str, yes: bool) {
        self.add(label, f64::from(u8::from(yes)), 1.0, Unit::Truth, Sense::AtLeast);
    }
    fn at_most(&mut self, label: &'static str, value: f64, limit: f64) {
        self.add(label, value, limit, Unit::Metres, Sense::AtMost);
    }
    fn at_least(&mut self, label: &'static str, value: f64, limit: f64) {
        self.add(label, value, limit, Unit::Metres, Sense::AtLeast);
    }
    fn over(&mut self, patch: &Patch, frame: &Pose, point: DVec3) {
        let (value, limit) = patch.footprint(frame, point);
        if limit < f64::MAX {
            self.at_most("centre", value, limit);
        }
    }
}

/// The least distance of any hand.
fn nearest(hands: &[Hand], distance: impl Fn(&Hand) -> f64) -> f64 {
    hands.iter().map(distance).fold(f64::INFINITY, f64::min)
}

fn touches_any(s: &Snapshot, a: BodyId, except: Span) -> bool {
    (0..s.bodies.len()).any(|b| (b < except.0 || b > except.1) && s.touching.get(a, b))
}

fn touches_some(s: &Snapshot, a: BodyId, by: Span) -> bool {
    (by.0..=by.1).any(|b| s.touching.get(a, b))
}

fn rests_on(s: &Snapshot, a: BodyId, by: Span) -> bool {
    (by.0..=by.1).any(|b| s.rests_on.get(a, b))
}

fn carried_by_any(s: &Snapshot, a: BodyId) -> bool {
    (0..s.bodies.len()).any(|b| b != a && s.rests_on.get(a, b))
}

impl Atom {
    /// Most measurements it adds.
    pub fn gauges(&self) -> usize {
        match self {
            Self::Placed { goal, .. } => 1 + goal.objects.len(),
            _ => 4,
        }
    }

    /// The bodies an observer must see to judge it.
    fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Never | Self::Empty | Self::Away { .. } | Self::Placed { .. } => (0, 0),
            Self::Carried { a, patch, .. } => (a.id, patch.body),
            Self::Within { a, .. } => (a.id, 0),
            Self::Inside { a, patch } => (a.id, patch.body),
            Self::Back { a, .. }
            | Self::Lifted { a, .. }
            | Self::Clear { a, .. }
            | Self::HandOver { a, .. } => (a.id, 0),
            Self::Grasped(a) | Self::Still(a) => (*a, 0),
            Self::Joint { body, .. } => (*body, 0),
            Self::Upright { a, .. } => (*a, 0),
            Self::Above { a, patch, .. } => (a.id, patch.body),
            Self::Touching(a, b) | Self::Atop { a, b, .. } => (*a, *b),
            Self::OnSite { a, patches, .. } => (*a, patches.first().map_or(0, |p| p.body)),
            Self::InSite { a, patch, .. } => (*a, patch.body),
            Self::Near { a, b, .. } => (a.id, b.id),
            Self::Aligned { a, b, .. } => (*a, *b),
            Self::Through { end, patch, .. } => (*end, patch.body),
        }
    }

    pub fn eval<S: Sink>(&self, view: &View<'_>, out: &mut S) -> bool {
        let s = view.snapshot;
        let (of, to) = self.about();
        let seen = view.sees(of) && view.sees(to);
        let mut r = Report { out, of, to, ok: true };
        if !seen {
            r.truth("seen", false);
            return false;
        }
        self.measure(s, s.hands_of(view.limb), &mut r);
        r.ok
    }

    /// `hands` are those it is about: one, or all of them.
    fn measure<S: Sink>(&self, s: &Snapshot, hands: &[Hand], r: &mut Report<'_, S>) {
        let held = |body: BodyId| hands.iter().any(|h| h.holds[body]);
        match self {
            Self::Never => r.truth("in the scene", false),
            Self::Empty => r.truth("hand empty", hands.iter().all(Hand::is_empty)),
            Self::Carried { a, by, patch, level } => {
                r.truth("resting on it", rests_on(s, a.id, *by));
                let frame = patch.world(s);
                r.over(patch, &frame, a.centre(s));
                if *level {
                    let h = a.bottom(s) - frame.pos.z;
                    r.at_least("height", h, -SINK);
                    r.at_most("height", h, RISE);
                }
            }
            Self::Within { a, patches } => {
                r.truth("resting there", s.rests_on.get(a.id, 0));
                let c = a.centre(s);
                let room = |p: &&Patch| {
                    let (v, l) = p.footprint(&p.world(s), c);
                    l - v
                };
                let best = patches.iter().max_by(|p, q| room(p).total_cmp(&room(q)));
                if let Some(p) = best {
                    r.over(p, &p.world(s), c);
                }
            }
            Self::Inside { a, patch } => {
                r.truth("carried", carried_by_any(s, a.id) || s.touching.get(a.id, patch.body));
                let local = patch.inner(s, a.centre(s));
                let tight = (0..3).min_by(|&i, &j| {
                    (patch.half[i] - local[i]).total_cmp(&(patch.half[j] - local[j]))
                });
                let i = tight.unwrap_or(0);
                r.at_most("inside", local[i], patch.half[i]);
            }
            Self::Back { a, by, start, within } => {
                r.truth("resting where it stood", rests_on(s, a.id, *by));
                r.at_most("from start", flat(a.centre(s) - *start), *within);
            }
            Self::Grasped(a) => r.truth("held", held(*a)),
            Self::Lifted { a, span, over, clearance } => {
                r.truth("held", held(a.id));
                r.truth("in the air", !touches_any(s, a.id, *span));
                r.at_least("raised", a.bottom(s) - over.z(s), *clearance);
            }
            Self::Joint { body, limit, sense, label } => {
                r.add(label, s.joints[*body], *limit, Unit::Plain, *sense);
            }
            Self::Away { from, distance } => {
                let touches = |h: &Hand| h.touches.contains(&true);
                r.truth("hand empty", hands.iter().all(Hand::is_empty));
                r.truth("hand touches nothing", !hands.iter().any(touches));
                let near = from
                    .iter()
                    .map(|a| (nearest(hands, |h| a.distance(s, h.pose.pos)), a.id))
                    .min_by(|p, q| p.0.total_cmp(&q.0));
                if let Some((d, id)) = near {
                    r.to = id;
                    r.at_least("hand away", d, *distance);
                }
            }
            Self::Clear { a, span, distance } => {
                let on_it = |h: &Hand| (span.0..=span.1).any(|b| h.touches[b] || h.holds[b]);
                let free = !hands.iter().any(on_it);
                r.truth("hand off it", free);
                r.at_least("hand away", nearest(hands, |h| a.distance(s, h.pose.pos)), *distance);
            }
            Self::HandOver { a, within } => {
                let ways = hands.iter().map(|h| h.pose.pos - a.centre(s));
                if let Some(d) = ways.min_by(|p, q| flat(*p).total_cmp(&flat(*q))) {
                    r.at_most("hand over it", flat(d), *within);
                    r.at_least("hand above", d.z, 0.0);
                }
            }
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
            Self::Above { a, patch, top } => {
                r.over(patch, &patch.world(s), a.centre(s));
                r.at_least("above", a.bottom(s) - top.z(s), -SINK);
            }
            Self::Atop { a, b, by } => {
                let d = s.bodies[*a].pose.pos - s.bodies[*b].pose.pos;
                r.truth("touching", touches_some(s, *a, *by));
                r.at_most("centre", flat(d), ORIGIN_CENTRE);
                r.at_least("above", d.z, 0.0);
            }
            Self::OnSite { a, patches, by } => {
                match by {
                    Some((0, 0)) => r.truth("resting there", s.rests_on.get(*a, 0)),
                    Some(by) => r.truth("touching", touches_some(s, *a, *by)),
                    None => {}
                }
                let p = s.bodies[*a].pose.pos;
                let room = |q: &&Patch| q.side(s, p).0;
                if let Some(q) = patches.iter().max_by(|p, q| room(p).total_cmp(&room(q))) {
                    let (_, value, limit) = q.side(s, p);
                    r.at_most("centre", value, limit);
                    let up = q.world(s).local(p).z;
                    r.at_least("height", up, -SINK);
                    r.at_most("height", up, q.half.z + ORIGIN_HEIGHT);
                }
            }
            Self::InSite { a, patch, by } => {
                if let Some(by) = by {
                    r.truth("touching", touches_some(s, *a, *by));
                }
                let (frame, p) = (patch.world(s), s.bodies[*a].pose.pos);
                // The box that stands upright around the region, its floor a little lower.
                let half = Bounds { centre: [0.0; 3], half: patch.half.to_array() }.half_in(&frame);
                let d = p - frame.pos;
                let depth = if d.z < 0.0 { (d.z + SINK).min(0.0) } else { d.z };
                let axes = [d.x.abs(), d.y.abs(), depth.abs()];
                let i = (0..3)
                    .min_by(|&i, &j| (half[i] - axes[i]).total_cmp(&(half[j] - axes[j])))
                    .unwrap_or(0);
                r.at_most("inside", axes[i], half[i]);
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
            Self::Placed { n, goal } => {
                let placed = goal.placed(s);
                r.add("placed", placed as f64, *n as f64, Unit::Plain, Sense::AtLeast);
                if S::ALL && placed < *n {
                    goal.missing(s, |of, value, limit| {
                        let (unit, sense) = (Unit::Metres, Sense::AtMost);
                        let label = "from its place";
                        r.out.push(Gauge {
                            label,
                            of,
                            to: 0,
                            value,
                            limit,
                            unit,
                            sense,
                            negated: false,
                        });
                    });
                }
            }
        }
    }
}

fn flat(v: DVec3) -> f64 {
    libm::hypot(v.x, v.y)
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

//! Resting: on, in and at a place, where it began, above another.

use longarm_assets::RegionKind;
use longarm_types::{DVec3, Pose};

use super::Predicate;
use super::bind::{carrier, carrying, footprint, patch_of, patches, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Referent, half_z, own_region};
use super::geometry::{Area, Height, Patch, SINK, Solid, Span, carried_by_any, flat, rests_on};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

use Predicate as P;

/// How near to its start a returned object is by default.
pub const BACK_WITHIN: f64 = 0.03;
/// How far above a surface the lowest point of an object that rests on it may be: feet, rims.
const RISE: f64 = 0.03;

/// `support` carries `object`.
pub fn on(object: impl Into<String>, support: impl Into<String>) -> P {
    P::On { object: object.into(), support: support.into(), within: None }
}

/// `object` is inside a region or container.
pub fn in_(object: impl Into<String>, region: impl Into<String>) -> P {
    P::In { object: object.into(), region: region.into() }
}

/// `object` rests in a region.
pub fn at(object: impl Into<String>, region: impl Into<String>) -> P {
    P::At { object: object.into(), region: region.into() }
}

/// `object` rests where it began.
pub fn back_at_start(object: impl Into<String>) -> P {
    P::AtStart { object: object.into(), of: None, within: BACK_WITHIN }
}

/// `object` rests where `of` began.
pub fn at_start_of(object: impl Into<String>, of: impl Into<String>) -> P {
    P::AtStart { object: object.into(), of: Some(of.into()), within: BACK_WITHIN }
}

/// It is over something, touching or not.
pub fn above(object: impl Into<String>, below: impl Into<String>) -> P {
    P::Above { object: object.into(), below: below.into() }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rest {
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
    Above {
        a: Solid,
        patch: Patch,
        top: Height,
    },
}

impl Rest {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Carried { a, patch, .. }
            | Self::Inside { a, patch }
            | Self::Above { a, patch, .. } => (a.id, patch.body),
            Self::Within { a, .. } | Self::Back { a, .. } => (a.id, 0),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        match self {
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
            Self::Above { a, patch, top } => {
                r.over(patch, &patch.world(s), a.centre(s));
                r.at_least("above", a.bottom(s) - top.z(s), -SINK);
            }
        }
    }
}

impl Bound {
    pub(super) fn bind_on(
        &self,
        object: &str,
        support: &str,
        within: Option<f64>,
    ) -> Result<Node, SpecError> {
        self.solid(object, "on", &|a, _| self.each(support, &|b| self.carried(a, b, within)))
    }

    pub(super) fn bind_in(&self, object: &str, region: &str) -> Result<Node, SpecError> {
        self.solid(object, "in", &|a, _| self.each(region, &|b| self.inside(a, b)))
    }

    pub(super) fn bind_at(&self, object: &str, region: &str) -> Result<Node, SpecError> {
        self.solid(object, "at", &|a, _| {
            self.each(region, &|b| match self.resolve(b)? {
                Referent::Object(_) | Referent::Part(..) => Err(self.wrong(b, "a region", "at")),
                _ => self.carried(a, b, None),
            })
        })
    }

    pub(super) fn bind_at_start(
        &self,
        object: &str,
        of: Option<&str>,
        within: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "back at start", &|a, m| {
            let of = match of {
                None => m,
                Some(o) => match self.resolve(o)? {
                    Referent::Object(m) => m,
                    _ => return Err(self.wrong(o, "an object", "back at start")),
                },
            };
            if of.body.is_none() {
                return Ok(Node::never());
            }
            let start = of.info.bounds.centre_in(&of.start);
            Ok(Rest::Back { a, by: self.bodies_of(of.starts_on), start, within }.into())
        })
    }

    pub(super) fn bind_above(&self, object: &str, below: &str) -> Result<Node, SpecError> {
        self.solid(object, "above", &|a, _| self.each(below, &|b| self.above(a, b)))
    }

    fn carried(&self, a: Solid, support: &str, within: Option<f64>) -> Result<Node, SpecError> {
        let area = |otherwise| within.map_or(otherwise, Area::Round);
        let atom = match self.resolve(support)? {
            Referent::Object(m) => {
                let Some(body) = m.body else { return Ok(Node::never()) };
                let mut patch = carrying(m, body);
                patch.area = area(patch.area);
                Rest::Carried { a, by: carrier(m, span(m)), patch, level: false }
            }
            Referent::Part(m, p) => {
                let Some(body) = m.body else { return Ok(Node::never()) };
                let body = body + 1 + p;
                let area = area(Area::Everywhere);
                let patch = Patch { body, pose: Pose::IDENTITY, half: DVec3::ZERO, area };
                Rest::Carried { a, by: (body, body), patch, level: false }
            }
            Referent::Region(_, r) if r.kind == RegionKind::Volume => {
                return self.inside(a, support);
            }
            Referent::Region(m, r) => {
                let Some(mut patch) = patch_of(m, r) else { return Ok(Node::never()) };
                patch.area = area(patch.area);
                let by = if r.part.is_some() { (patch.body, patch.body) } else { span(m) };
                Rest::Carried { a, by: carrier(m, by), patch, level: true }
            }
            Referent::Table(r) => Rest::Within { a, patches: patches(r) },
        };
        Ok(atom.into())
    }

    fn inside(&self, a: Solid, region: &str) -> Result<Node, SpecError> {
        let (m, r) = match self.resolve(region)? {
            Referent::Region(m, r) if r.kind == RegionKind::Volume => (m, r),
            Referent::Region(..) | Referent::Table(_) => return self.carried(a, region, None),
            Referent::Object(m) | Referent::Part(m, _) => {
                match own_region(&m.info, RegionKind::Volume) {
                    Some(r) => (m, r),
                    None => {
                        let (task, name) = (self.task.clone(), region.to_owned());
                        return Err(SpecError::NoInside { task, name, noun: m.noun.clone() });
                    }
                }
            }
        };
        let Some(patch) = patch_of(m, r) else { return Ok(Node::never()) };
        Ok(Rest::Inside { a, patch }.into())
    }

    fn above(&self, a: Solid, below: &str) -> Result<Node, SpecError> {
        let never = Node::never();
        Ok(match self.resolve(below)? {
            Referent::Object(m) | Referent::Part(m, _) => {
                let Some(body) = m.body else { return Ok(never) };
                let b = &m.info.bounds;
                let patch = footprint(m, body);
                let top = DVec3::from(b.centre) + DVec3::Z * b.half[2];
                Rest::Above { a, patch, top: Height::Point(body, top) }.into()
            }
            Referent::Region(m, r) => {
                let Some(patch) = patch_of(m, r) else { return Ok(never) };
                let up = if r.kind == RegionKind::Volume { half_z(r) } else { 0.0 };
                let top = Height::Point(patch.body, r.pose.pos + DVec3::Z * up);
                Rest::Above { a, patch, top }.into()
            }
            Referent::Table(r) => {
                let top = Height::Fixed(r.z);
                let atoms =
                    patches(r).into_iter().map(|patch| Rest::Above { a, patch, top }.into());
                Node::AtLeast(1, atoms.collect())
            }
        })
    }
}

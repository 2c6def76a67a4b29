//! On and in by origins, as goals in BDDL measure them.

use longarm_assets::RegionKind;
use longarm_types::Bounds;

use super::bind::{patch_of, patches, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Referent, own_region};
use super::geometry::{Patch, SINK, Solid, Span, flat, touches_some};
use super::report::Report;
use super::{Predicate, RegionTest};
use crate::{BodyId, RegionSpec, Snapshot, SpecError};

use Predicate as P;

/// How far apart two origins may be, seen from above, for one to be on the other.
const ORIGIN_CENTRE: f64 = 0.03;
/// How far above a region an origin may be that is on it.
const ORIGIN_HEIGHT: f64 = 0.10;

/// On by origins, with the table carrying what is on its regions.
pub fn origin_on(object: impl Into<String>, support: impl Into<String>) -> P {
    let region_test = RegionTest::Carried;
    P::OriginOn { object: object.into(), support: support.into(), region_test }
}

/// In by origins.
pub fn origin_in(object: impl Into<String>, region: impl Into<String>) -> P {
    P::OriginIn { object: object.into(), region: region.into() }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// On another object, by origins.
    Atop { a: BodyId, b: BodyId, by: Span },
    /// On a region, by origins: over the best of several, touching `by`; resting on the table when
    /// that is the world.
    OnSite { a: BodyId, patches: Vec<Patch>, by: Option<Span> },
    /// In a region, by origins.
    InSite { a: BodyId, patch: Patch, by: Option<Span> },
}

impl Origin {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Atop { a, b, .. } => (*a, *b),
            Self::OnSite { a, patches, .. } => (*a, patches.first().map_or(0, |p| p.body)),
            Self::InSite { a, patch, .. } => (*a, patch.body),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        match self {
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
        }
    }
}

impl Bound {
    pub(super) fn bind_origin_on(
        &self,
        object: &str,
        support: &str,
        test: RegionTest,
    ) -> Result<Node, SpecError> {
        self.solid(object, "on", &|a, _| self.each(support, &|b| self.on_origin(a, b, test)))
    }

    pub(super) fn bind_origin_in(&self, object: &str, region: &str) -> Result<Node, SpecError> {
        self.solid(object, "in", &|a, _| self.each(region, &|b| self.in_origin(a, b)))
    }

    fn on_origin(&self, a: Solid, support: &str, test: RegionTest) -> Result<Node, SpecError> {
        let never = Ok(Node::never());
        let atom = match self.resolve(support)? {
            Referent::Object(m) => match m.body {
                None => return never,
                Some(b) => Origin::Atop { a: a.id, b, by: span(m) },
            },
            Referent::Part(m, p) => match m.body {
                None => return never,
                Some(b) => Origin::Atop { a: a.id, b: b + 1 + p, by: (b + 1 + p, b + 1 + p) },
            },
            Referent::Region(_, r) if r.kind == RegionKind::Volume => {
                return self.in_origin(a, support);
            }
            Referent::Region(m, r) => match patch_of(m, r) {
                None => return never,
                Some(patch) => Origin::OnSite { a: a.id, patches: vec![patch], by: Some(span(m)) },
            },
            Referent::Table(r) => {
                let carried = test == RegionTest::Carried;
                let tolerance = if carried { r.tolerance } else { 0.0 };
                let region = RegionSpec { tolerance, ..r.clone() };
                let by = carried.then_some((0, 0));
                Origin::OnSite { a: a.id, patches: patches(&region), by }
            }
        };
        Ok(atom.into())
    }

    fn in_origin(&self, a: Solid, region: &str) -> Result<Node, SpecError> {
        let (m, r, by) = match self.resolve(region)? {
            Referent::Region(m, r) => (m, r, None),
            Referent::Object(m) => match own_region(&m.info, RegionKind::Volume) {
                Some(r) => (m, r, Some(span(m))),
                None => {
                    let (task, name) = (self.task.clone(), region.to_owned());
                    return Err(SpecError::NoInside { task, name, noun: m.noun.clone() });
                }
            },
            _ => return Err(self.wrong(region, "an object or a region of one", "in")),
        };
        let Some(patch) = patch_of(m, r) else { return Ok(Node::never()) };
        Ok(Origin::InSite { a: a.id, patch, by }.into())
    }
}

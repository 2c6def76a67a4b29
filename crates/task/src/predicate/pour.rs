//! Pouring: a held vessel tilted over what receives.

use longarm_assets::{Access, RegionKind};
use longarm_types::DVec3;

use super::Predicate;
use super::bind::{footprint, patch_of, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Member, Referent, half_z, own_region};
use super::geometry::{Height, Patch, flat};
use super::hand::{Handling, LIFT};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

use Predicate as P;

/// A held vessel is tilted over `into` so far that it would spill.
pub fn pouring(from: impl Into<String>, into: impl Into<String>) -> P {
    P::Pouring { from: from.into(), into: into.into() }
}

/// The mouth of a vessel against the rim of what receives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pour {
    vessel: BodyId,
    mouth: DVec3,
    spills: f64,
    opening: Patch,
    rim: Height,
}

impl Pour {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        (self.vessel, self.opening.body)
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        let pose = &s.bodies[self.vessel].pose;
        let mouth = pose.point(self.mouth);
        r.over(&self.opening, &self.opening.world(s), mouth);
        r.at_least("mouth above the rim", mouth.z - self.rim.z(s), 0.0);
        let up = pose.dir(DVec3::Z);
        r.add("tilt", libm::atan2(flat(up), up.z), self.spills, Unit::Radians, Sense::AtLeast);
    }
}

impl Bound {
    pub(super) fn bind_pouring(&self, from: &str, into: &str) -> Result<Node, SpecError> {
        self.solid(from, "pouring", &|a, m| {
            let Some(mouth) = m.info.mouth() else {
                return Err(self.wrong(from, "a vessel with a mouth", "pouring"));
            };
            let Some((opening, rim)) = self.receives(into)? else { return Ok(Node::never()) };
            let over = Height::Fixed(super::bind::bottom(&a.bounds, &m.start));
            let held = Handling::Lifted { a, span: span(m), over, clearance: LIFT };
            let pour =
                Pour { vessel: a.id, mouth: mouth.at.into(), spills: mouth.spills, opening, rim };
            Ok(Node::AtLeast(2, vec![held.into(), pour.into()]))
        })
    }

    /// The opening of what receives, and the height of its rim; `None` if it is not in this scene.
    fn receives(&self, into: &str) -> Result<Option<(Patch, Height)>, SpecError> {
        let (m, region) = match self.resolve(into)? {
            Referent::Object(m) => (m, own_opening(m)),
            Referent::Region(m, r) => (m, Some(r)),
            _ => return Err(self.wrong(into, "an object or its region", "pouring")),
        };
        let Some(body) = m.body else { return Ok(None) };
        let Some(r) = region else {
            let b = &m.info.bounds;
            let top = DVec3::from(b.centre) + DVec3::Z * b.half[2];
            return Ok(Some((footprint(m, body), Height::Point(body, top))));
        };
        let up = if r.kind == RegionKind::Volume { half_z(r) } else { 0.0 };
        let rim = Height::Point(body, r.pose.pos + DVec3::Z * up);
        Ok(patch_of(m, r).map(|patch| (patch, rim)))
    }
}

fn own_opening(m: &Member) -> Option<&longarm_assets::Region> {
    own_region(&m.info, RegionKind::Volume).filter(|r| r.access == Access::Above)
}

//! Liquid, clay and sand: what they are in, and what is spilled.

use longarm_assets::{Region, RegionKind};
use longarm_types::DVec3;

use super::Predicate as P;
use super::bind::patch_of;
use super::bound::{Node, Sink};
use super::cast::{Bound, Member, Referent, own_region};
use super::geometry::Patch;
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

/// This share of liquid, clay or sand is in an object, or more.
pub fn contains(container: impl Into<String>, matter: impl Into<String>, share: f64) -> P {
    P::Contains { container: container.into(), matter: matter.into(), share }
}

/// At most this share of liquid, clay or sand is in none of the objects with an inside.
pub fn spilled(matter: impl Into<String>, share: f64) -> P {
    P::Spilled { matter: matter.into(), share }
}

/// Matter, where it is looked for, and the share that has to be there, or may be elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heap {
    body: BodyId,
    insides: Vec<Inside>,
    share: f64,
    /// It is looked for elsewhere.
    elsewhere: bool,
}

/// The inside of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inside {
    patch: Patch,
    /// Its radius if it is round.
    round: Option<f64>,
}

impl Inside {
    fn of(m: &Member, r: &Region) -> Option<Self> {
        // The box of a round inside has its corners on the wall.
        let round = (m.info.symmetry == 0).then(|| libm::hypot(r.half[0], r.half[1]));
        Some(Self { patch: patch_of(m, r)?, round })
    }

    fn has(&self, s: &Snapshot, p: DVec3) -> bool {
        let (p, half) = (self.patch.world(s).local(p), self.patch.half);
        let beside = match self.round {
            Some(radius) => p.truncate().length() <= radius,
            None => p.x.abs() <= half.x && p.y.abs() <= half.y,
        };
        beside && p.z.abs() <= half.z
    }
}

impl Heap {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        (self.body, self.insides.first().filter(|_| !self.elsewhere).map_or(0, |i| i.patch.body))
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        let Some(soft) = s.soft_of(self.body) else { return r.truth("matter", false) };
        let within = |p: &&DVec3| self.insides.iter().any(|i| i.has(s, **p));
        let count = soft.points.iter().filter(within).count();
        let inside = count as f64 / soft.points.len().max(1) as f64;
        match self.elsewhere {
            true => r.add("share spilled", 1.0 - inside, self.share, Unit::Plain, Sense::AtMost),
            false => r.add("share inside", inside, self.share, Unit::Plain, Sense::AtLeast),
        }
    }
}

impl Bound {
    pub(super) fn bind_contains(
        &self,
        container: &str,
        matter: &str,
        share: f64,
    ) -> Result<Node, SpecError> {
        let found = match self.resolve(container)? {
            Referent::Object(m) => own_region(&m.info, RegionKind::Volume).map(|r| (m, r)),
            Referent::Region(m, r) => Some((m, r)),
            _ => None,
        };
        let Some((m, r)) = found else {
            return Err(self.wrong(container, "something with an inside", "contains"));
        };
        let insides = Inside::of(m, r).into_iter().collect();
        self.heap(matter, "contains", insides, share, false)
    }

    pub(super) fn bind_spilled(&self, matter: &str, share: f64) -> Result<Node, SpecError> {
        let inside = |m: &Member| Inside::of(m, own_region(&m.info, RegionKind::Volume)?);
        let insides = self.cast.iter().filter_map(inside).collect();
        self.heap(matter, "spilled", insides, share, true)
    }

    fn heap(
        &self,
        matter: &str,
        place: &'static str,
        insides: Vec<Inside>,
        share: f64,
        elsewhere: bool,
    ) -> Result<Node, SpecError> {
        self.particles(matter, place, &|body| {
            Heap { body, insides: insides.clone(), share, elsewhere }.into()
        })
    }
}

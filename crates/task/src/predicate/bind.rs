//! From predicates over names to atoms over bodies. Validation is binding against each asset an
//! object may be.

use longarm_assets::{Region, RegionKind};
use longarm_types::{Bounds, DVec3, Pose};

use super::Predicate;
use super::atom::Atom;
use super::bound::{BoundPredicate, Node};
use super::cast::{Bound, Member, Referent, own_region, region_body};
use super::geometry::{Area, Patch, Solid, Span};
use super::hand::Handling;
use crate::{BodyId, RegionSpec, SpecError};

impl Bound {
    /// Resolves a predicate.
    pub fn predicate(&self, p: &Predicate) -> Result<BoundPredicate, SpecError> {
        self.node(p).map(BoundPredicate)
    }

    /// Applies `f` to a name, or to each member of a group: some member must do.
    pub(super) fn each(
        &self,
        name: &str,
        f: &dyn Fn(&str) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        match self.groups.get(name) {
            Some(g) => Ok(Node::AtLeast(1, g.iter().map(|m| f(m)).collect::<Result<_, _>>()?)),
            None => f(name),
        }
    }

    /// Applies `f` to the body of a name; an atom about an absent object never holds.
    pub(super) fn solid(
        &self,
        name: &str,
        place: &'static str,
        f: &dyn Fn(Solid, &Member) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        self.each(name, &|name| {
            let (m, offset, bounds) = match self.resolve(name)? {
                Referent::Object(m) => (m, 0, m.info.bounds),
                Referent::Part(m, p) => (m, 1 + p, Bounds::default()),
                _ => return Err(self.wrong(name, "an object or part", place)),
            };
            // Bound even when absent, so that a mistake shows in every scene.
            let node = f(Solid { id: m.body.unwrap_or(0) + offset, bounds }, m)?;
            Ok(if m.body.is_some() { node } else { Node::never() })
        })
    }

    fn node(&self, p: &Predicate) -> Result<Node, SpecError> {
        use Predicate as P;
        match p {
            P::On { object, support, within } => self.bind_on(object, support, *within),
            P::In { object, region } => self.bind_in(object, region),
            P::At { object, region } => self.bind_at(object, region),
            P::AtStart { object, of, within } => self.bind_at_start(object, of.as_deref(), *within),
            P::Grasped { object } => self.bind_grasped(object),
            P::Lifted { object, clearance, above } => {
                self.bind_lifted(object, *clearance, above.as_deref())
            }
            P::Carried { object, with, clearance } => {
                self.bind_carried(object, with.as_deref(), *clearance)
            }
            P::Open { part } => self.bind_open(part),
            P::Opened { part, share } => self.bind_opened(part, *share),
            P::Closed { part } => self.bind_closed(part),
            P::HandEmpty => Ok(Handling::Empty.into()),
            P::HandAway { distance } => Ok(self.bind_hand_away(*distance)),
            P::HandClearOf { object, distance } => self.bind_hand_clear_of(object, *distance),
            P::HandOver { object, within } => self.bind_hand_over(object, *within),
            P::Still { object } => self.bind_still(object),
            P::Upright { object, within } => self.bind_upright(object, *within),
            P::OnEnd { object, within } => self.bind_on_end(object, *within),
            P::Above { object, below } => self.bind_above(object, below),
            P::OriginOn { object, support, region_test } => {
                self.bind_origin_on(object, support, *region_test)
            }
            P::OriginIn { object, region } => self.bind_origin_in(object, region),
            P::Touching { object, other } => self.bind_touching(object, other),
            P::Near { object, other, within } => self.bind_near(object, other, *within),
            P::Aligned { object, other, within } => self.bind_aligned(object, other, *within),
            P::Turned { object, by, axis, within } => self.bind_turned(object, *by, *axis, *within),
            P::Through { object, opening, past } => self.bind_through(object, opening, *past),
            P::Straight { object, within } => self.bind_straight(object, *within),
            P::Wrapped { object, around, angle } => self.bind_wrapped(object, around, *angle),
            P::Shaped { object, within } => self.bind_shaped(object, *within),
            P::Pouring { from, into } => self.bind_pouring(from, into),
            P::SpreadOut { object, share } => self.bind_spread_out(object, *share),
            P::Covers { object, region, share } => self.bind_covers(object, region, *share),
            P::Folded { object, along, within } => self.bind_folded(object, *along, *within),
            P::LiesIn { object, lower, upper, share } => {
                self.bind_lies_in(object, [*lower, *upper], *share)
            }
            P::PointAt { object, point, to, within } => {
                self.bind_point_at(object, *point, to, *within)
            }
            P::HangsOn { object, on, clearance } => self.bind_hangs_on(object, on, *clearance),
            P::Contains { container, matter, share } => {
                self.bind_contains(container, matter, *share)
            }
            P::Spilled { matter, share } => self.bind_spilled(matter, *share),
            P::Moulded { matter, region, overlap } => self.bind_moulded(matter, region, *overlap),
            P::Raised { matter, height, share } => self.bind_raised(matter, *height, *share),
            P::Lowest { object, height } => self.bind_lowest(object, *height),
            P::Placed { n, goal } => self.bind_placed(*n, goal),
            P::Stated { fact } => Ok(Node::Atom(Atom::Stated(*fact))),
            P::With { limb, that } => Ok(Node::With(self.limb(limb)?, Box::new(self.node(that)?))),
            P::Not(p) => Ok(Node::Not(Box::new(self.node(p)?))),
            P::All(of) => self.nodes(of.len(), of),
            P::Any(of) => self.nodes(1, of),
            P::AtLeast { n, of } => self.nodes(*n, of),
        }
    }

    fn nodes(&self, n: usize, of: &[Predicate]) -> Result<Node, SpecError> {
        Ok(Node::AtLeast(n, of.iter().map(|p| self.node(p)).collect::<Result<_, _>>()?))
    }
}

pub(super) fn span(m: &Member) -> Span {
    let b = m.body.unwrap_or(0);
    (b, b + m.info.parts.len())
}

/// What carries an object on `m`: a zone is paint, the table below it carries.
pub(super) fn carrier(m: &Member, bodies: Span) -> Span {
    if m.info.flat { (0, 0) } else { bodies }
}

/// An object's boxes; one that bends is its bodies.
pub(super) fn solids(m: &Member) -> Vec<Solid> {
    let Some(body) = m.body else { return Vec::new() };
    if m.info.parts.is_empty() {
        return vec![Solid { id: body, bounds: m.info.bounds }];
    }
    (body..=body + m.info.parts.len()).map(|id| Solid { id, bounds: Bounds::default() }).collect()
}

pub(super) fn bottom(b: &Bounds, pose: &Pose) -> f64 {
    b.centre_in(pose).z - b.half_in(pose).z
}

pub(super) fn patch_of(m: &Member, r: &Region) -> Option<Patch> {
    let body = region_body(m, r)?;
    Some(Patch { body, pose: r.pose, half: r.half.into(), area: Area::Box })
}

pub(super) fn patches(r: &RegionSpec) -> Vec<Patch> {
    let each = r.rects.iter().map(|rect| {
        let ([x, y], [hx, hy]) = (rect.centre(), rect.half());
        let half = DVec3::new(hx + r.tolerance, hy + r.tolerance, 0.0);
        Patch { body: 0, pose: Pose::at(x, y, r.z), half, area: Area::Box }
    });
    each.collect()
}

/// The footprint of a whole object.
pub(super) fn footprint(m: &Member, body: BodyId) -> Patch {
    let b = &m.info.bounds;
    let area = if m.info.symmetry == 0 { Area::Round(b.half[0].min(b.half[1])) } else { Area::Box };
    Patch { body, pose: Pose::new(b.centre.into(), Default::default()), half: b.half.into(), area }
}

/// Where others stand on an object: its own surface if it has one, else its whole footprint.
pub(super) fn carrying(m: &Member, body: BodyId) -> Patch {
    let whole = footprint(m, body);
    match own_region(&m.info, RegionKind::Surface) {
        None => whole,
        Some(r) => {
            let area = match whole.area {
                Area::Round(_) => Area::Round(r.half[0].min(r.half[1])),
                other => other,
            };
            Patch { body, pose: r.pose, half: r.half.into(), area }
        }
    }
}

/// Angle after which an object looks the same, turned about its own axis; 0 if always.
pub(super) fn period(m: &Member) -> f64 {
    let n = f64::from(m.info.symmetry);
    if n > 0.0 { std::f64::consts::TAU / n } else { 0.0 }
}

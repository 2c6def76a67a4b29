//! The hand: what it holds, lifts and touches, and how far away it is.

use longarm_types::DVec3;

use super::Predicate;
use super::bind::{bottom, solids, span};
use super::bound::{Node, Sink};
use super::cast::{Bound, Referent, floor, region_body, surface_point};
use super::geometry::{Height, Solid, Span, flat, nearest, touches_any};
use super::report::Report;
use crate::{BodyId, Hand, Snapshot, SpecError};

use Predicate as P;

/// How far a hand is by default when it counts as withdrawn.
pub const HAND_AWAY: f64 = 0.08;
/// How far a hand is by default when it counts as clear of one object.
pub const HAND_CLEAR: f64 = 0.03;
/// How far above its place a picked object is by default.
pub const LIFT: f64 = 0.02;

/// The hand holds it.
pub fn grasped(object: impl Into<String>) -> P {
    P::Grasped { object: object.into() }
}

/// The hand holds it in the air, this far above where it began.
pub fn lifted(object: impl Into<String>, clearance: f64) -> P {
    P::Lifted { object: object.into(), clearance, above: None }
}

/// The hand holds it in the air, this far above an object or region.
pub fn lifted_off(object: impl Into<String>, above: impl Into<String>, clearance: f64) -> P {
    P::Lifted { object: object.into(), clearance, above: Some(above.into()) }
}

/// A hand has it in the air, held or hanging from its fingers, this far above where it began.
pub fn carried(object: impl Into<String>, clearance: f64) -> P {
    P::Carried { object: object.into(), with: None, clearance }
}

/// A hand has two objects in the air at once, each this far above where it began.
pub fn lifted_both(object: impl Into<String>, other: impl Into<String>, clearance: f64) -> P {
    let (a, b) = (object.into(), other.into());
    let with = |object: &String, with: &String| P::Carried {
        object: object.clone(),
        with: Some(with.clone()),
        clearance,
    };
    P::All(vec![with(&a, &b), with(&b, &a)])
}

/// The hand holds nothing.
pub fn hand_empty() -> P {
    P::HandEmpty
}

/// The hand touches nothing and is this far from everything that can move.
pub fn hand_away(distance: f64) -> P {
    P::HandAway { distance }
}

/// The hand is off this object.
pub fn hand_clear_of(object: impl Into<String>) -> P {
    P::HandClearOf { object: object.into(), distance: HAND_CLEAR }
}

/// The tool is above this object.
pub fn hand_over(object: impl Into<String>) -> P {
    P::HandOver { object: object.into(), within: 0.04 }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Handling {
    Empty,
    Grasped(BodyId),
    Lifted { a: Solid, span: Span, over: Height, clearance: f64 },
    Carried { a: Solid, spans: [Span; 2], start: f64, clearance: f64 },
    Away { from: Vec<Solid>, distance: f64 },
    Clear { a: Solid, span: Span, distance: f64 },
    HandOver { a: Solid, within: f64 },
}

impl Handling {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Empty | Self::Away { .. } => (0, 0),
            Self::Grasped(a) => (*a, 0),
            Self::Carried { a, spans, .. } => (a.id, spans[1].0),
            Self::Lifted { a, .. } | Self::Clear { a, .. } | Self::HandOver { a, .. } => (a.id, 0),
        }
    }

    /// `hands` are those it is about: one, or all of them.
    pub fn measure<S: Sink>(&self, s: &Snapshot, hands: &[Hand], r: &mut Report<'_, S>) {
        let held = |body: BodyId| hands.iter().any(|h| h.holds[body]);
        match self {
            Self::Empty => r.truth("hand empty", hands.iter().all(Hand::is_empty)),
            Self::Grasped(a) => r.truth("held", held(*a)),
            Self::Lifted { a, span, over, clearance } => {
                r.truth("held", held(a.id));
                r.truth("in the air", !touches_any(s, a.id, *span));
                r.at_least("raised", a.bottom(s) - over.z(s), *clearance);
            }
            Self::Carried { a, spans, start, clearance } => {
                let may = |b: BodyId| spans.iter().any(|(from, to)| (*from..=*to).contains(&b));
                let free = (0..s.bodies.len()).all(|b| may(b) || !s.touching.get(a.id, b));
                r.truth("in a hand", hands.iter().any(|h| h.touches[a.id]));
                r.truth("in the air", free);
                r.at_least("raised", a.bottom(s) - start, *clearance);
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
        }
    }
}

impl Bound {
    pub(super) fn bind_grasped(&self, object: &str) -> Result<Node, SpecError> {
        self.solid(object, "grasped", &|a, _| Ok(Handling::Grasped(a.id).into()))
    }

    pub(super) fn bind_lifted(
        &self,
        object: &str,
        clearance: f64,
        above: Option<&str>,
    ) -> Result<Node, SpecError> {
        self.solid(object, "lifted", &|a, m| {
            let over = match above {
                None => Height::Fixed(bottom(&a.bounds, &m.start)),
                Some(b) => self.surface(b)?,
            };
            Ok(Handling::Lifted { a, span: span(m), over, clearance }.into())
        })
    }

    pub(super) fn bind_carried(
        &self,
        object: &str,
        with: Option<&str>,
        clearance: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "carried", &|a, m| {
            let start = bottom(&a.bounds, &m.start);
            let node = |other: Span| {
                Ok(Handling::Carried { a, spans: [span(m), other], start, clearance }.into())
            };
            match with {
                Some(other) => self.solid(other, "carried", &|_, o| node(span(o))),
                None => node(span(m)),
            }
        })
    }

    pub(super) fn bind_hand_away(&self, distance: f64) -> Node {
        let from = self.cast.iter().filter(|m| !m.info.fixed).flat_map(solids).collect();
        Handling::Away { from, distance }.into()
    }

    pub(super) fn bind_hand_clear_of(
        &self,
        object: &str,
        distance: f64,
    ) -> Result<Node, SpecError> {
        self.solid(object, "hand clear of", &|a, m| {
            Ok(Handling::Clear { a, span: span(m), distance }.into())
        })
    }

    pub(super) fn bind_hand_over(&self, object: &str, within: f64) -> Result<Node, SpecError> {
        self.solid(object, "hand over", &|a, _| Ok(Handling::HandOver { a, within }.into()))
    }

    /// The height at which objects stand on an object or region.
    fn surface(&self, path: &str) -> Result<Height, SpecError> {
        // Any member of a group will do: they are of a kind.
        let first = self.groups.get(path).and_then(|g| g.first());
        let path = first.map_or(path, String::as_str);
        Ok(match self.resolve(path)? {
            Referent::Table(r) => Height::Fixed(r.z),
            Referent::Part(m, p) => Height::Point(m.body.unwrap_or(0) + 1 + p, DVec3::ZERO),
            Referent::Region(m, r) => Height::Point(region_body(m, r).unwrap_or(0), floor(r)),
            Referent::Object(m) => Height::Point(m.body.unwrap_or(0), surface_point(&m.info)),
        })
    }
}

//! Parts that are open or closed.

use super::Predicate;
use super::bound::{Node, Sink};
use super::cast::{Bound, Member, Referent};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SpecError};

use Predicate as P;

/// A drawer, door or knob is open (or on).
pub fn is_open(part: impl Into<String>) -> P {
    P::Open { part: part.into() }
}

/// A drawer, door or knob is this share of the way to where it counts as open.
pub fn opened(part: impl Into<String>, share: f64) -> P {
    P::Opened { part: part.into(), share }
}

/// A drawer, door or knob is closed (or off).
pub fn is_closed(part: impl Into<String>) -> P {
    P::Closed { part: part.into() }
}

/// A joint at or above (or below) a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joint {
    body: BodyId,
    limit: f64,
    sense: Sense,
    label: &'static str,
}

impl Joint {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        (self.body, 0)
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        r.add(self.label, s.joints[self.body], self.limit, Unit::Plain, self.sense);
    }
}

impl Bound {
    pub(super) fn bind_open(&self, part: &str) -> Result<Node, SpecError> {
        self.each(part, &|p| self.joint(p, true, 1.0))
    }

    pub(super) fn bind_opened(&self, part: &str, share: f64) -> Result<Node, SpecError> {
        self.each(part, &|p| self.joint(p, true, share))
    }

    pub(super) fn bind_closed(&self, part: &str) -> Result<Node, SpecError> {
        self.each(part, &|p| self.joint(p, false, 1.0))
    }

    /// `share` is how much of the way from the stop suffices.
    fn joint(&self, path: &str, open: bool, share: f64) -> Result<Node, SpecError> {
        let not_openable = |m: &Member| SpecError::NotOpenable {
            task: self.task.clone(),
            name: path.to_owned(),
            noun: m.noun.clone(),
        };
        let (m, parts): (&Member, Vec<usize>) = match self.resolve(path)? {
            Referent::Part(m, p) => (m, vec![p]),
            Referent::Object(m) => (m, (0..m.info.parts.len()).collect()),
            Referent::Region(m, r) => (
                m,
                m.info
                    .parts
                    .iter()
                    .position(|p| Some(&p.name) == r.part.as_ref())
                    .into_iter()
                    .collect(),
            ),
            Referent::Table(_) => return Err(self.wrong(path, "a part", "open or closed")),
        };
        if parts.is_empty() {
            return Err(not_openable(m));
        }
        let Some(body) = m.body else { return Ok(Node::never()) };
        let want = if open { 1 } else { parts.len() };
        let label = if open { "open" } else { "closed" };
        let each = parts.into_iter().map(|i| {
            let part = &m.info.parts[i];
            let [lo, hi] = if open { part.open } else { part.closed };
            // A joint may overshoot its stop a little: a bound at the stop does not count.
            let at = |limit, sense| Node::from(Joint { body: body + 1 + i, limit, sense, label });
            let way =
                |stop: f64, end: f64| if share == 1.0 { end } else { stop + share * (end - stop) };
            let mut ends = Vec::new();
            if lo > part.range[0] + 1e-9 {
                ends.push(at(way(part.range[0], lo), Sense::AtLeast));
            }
            if hi < part.range[1] - 1e-9 {
                ends.push(at(way(part.range[1], hi), Sense::AtMost));
            }
            Node::AtLeast(ends.len(), ends)
        });
        Ok(Node::AtLeast(want, each.collect()))
    }
}

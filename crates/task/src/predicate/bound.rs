//! A predicate whose names have become body ids: evaluating it looks nothing up and allocates
//! nothing.

use super::atom::Atom;
use super::margins::{Gauge, Margins};
use crate::{BodyId, LimbId, Snapshot};

/// What an observer knows at one moment: everything, or only what it sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
    /// Bodies that are seen, by id; all of them if `None`. Atoms about unseen bodies are false.
    pub seen: Option<&'a [bool]>,
    /// The limb whose hand atoms are about; any hand if `None`.
    pub(super) limb: Option<LimbId>,
}

impl<'a> View<'a> {
    /// Everything is known.
    pub fn full(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, seen: None, limb: None }
    }

    /// Only these bodies are known.
    pub fn seeing(snapshot: &'a Snapshot, seen: &'a [bool]) -> Self {
        Self { snapshot, seen: Some(seen), limb: None }
    }

    pub(crate) fn sees(&self, body: BodyId) -> bool {
        body == 0 || self.seen.is_none_or(|s| s.get(body).copied().unwrap_or(false))
    }
}

/// Where measurements go.
pub(super) trait Sink {
    /// Whether every part is to be measured even when the answer is known.
    const ALL: bool;
    fn push(&mut self, gauge: Gauge);
    fn mark(&self) -> usize;
    fn negate_from(&mut self, mark: usize);
}

pub(super) struct Nowhere;

impl Sink for Nowhere {
    const ALL: bool = false;
    fn push(&mut self, _: Gauge) {}
    fn mark(&self) -> usize {
        0
    }
    fn negate_from(&mut self, _: usize) {}
}

impl Sink for Margins {
    const ALL: bool = true;
    fn push(&mut self, gauge: Gauge) {
        Margins::push(self, gauge);
    }
    fn mark(&self) -> usize {
        self.gauges().len()
    }
    fn negate_from(&mut self, mark: usize) {
        Margins::negate_from(self, mark);
    }
}

/// A predicate bound to the bodies of one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundPredicate(pub(super) Node);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Atom(Atom),
    Not(Box<Node>),
    AtLeast(usize, Vec<Node>),
    /// The same said of one limb's hand.
    With(LimbId, Box<Node>),
}

impl BoundPredicate {
    /// Whether it holds, with the measurements of every part added to `margins`.
    pub fn check(&self, snapshot: &Snapshot, margins: &mut Margins) -> bool {
        self.0.eval(&View::full(snapshot), margins)
    }

    /// Whether it holds, as fast as possible.
    pub fn holds(&self, snapshot: &Snapshot) -> bool {
        self.0.eval(&View::full(snapshot), &mut Nowhere)
    }

    /// Whether it holds as far as this observer can tell.
    pub fn holds_in(&self, view: &View<'_>) -> bool {
        self.0.eval(view, &mut Nowhere)
    }

    /// Upper bound of the measurements one check adds.
    pub fn gauges(&self) -> usize {
        self.0.gauges()
    }
}

impl Node {
    /// About an object that is not in the scene.
    pub(super) fn never() -> Self {
        Self::Atom(Atom::Never)
    }

    fn eval<S: Sink>(&self, view: &View<'_>, out: &mut S) -> bool {
        match self {
            Self::Atom(a) => a.eval(view, out),
            Self::Not(n) => {
                let mark = out.mark();
                let held = n.eval(view, out);
                out.negate_from(mark);
                !held
            }
            Self::AtLeast(want, of) => {
                let mut have = 0;
                for (i, n) in of.iter().enumerate() {
                    if !S::ALL && (have >= *want || have + of.len() - i < *want) {
                        break;
                    }
                    have += usize::from(n.eval(view, out));
                }
                have >= *want
            }
            Self::With(limb, n) => n.eval(&View { limb: Some(*limb), ..*view }, out),
        }
    }

    fn gauges(&self) -> usize {
        match self {
            Self::Atom(a) => a.gauges(),
            Self::Not(n) | Self::With(_, n) => n.gauges(),
            Self::AtLeast(_, of) => of.iter().map(Self::gauges).sum(),
        }
    }
}

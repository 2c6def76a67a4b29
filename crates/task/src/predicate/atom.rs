//! A measurement of any family.

use super::bound::{Sink, View};
use super::bulk::Heap;
use super::hand::Handling;
use super::joint::Joint;
use super::limp::Limp;
use super::lump::Lump;
use super::origin::Origin;
use super::placed::Placed;
use super::pour::Pour;
use super::relation::Relation;
use super::report::Report;
use super::rest::Rest;
use super::soft::Soft;
use crate::BodyId;

/// What can be measured, by family; each family's file has its binding and its measurements.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// About something that is not in the scene.
    Never,
    Rest(Rest),
    Handling(Handling),
    Joint(Joint),
    Limp(Limp),
    Origin(Origin),
    Relation(Relation),
    Placed(Placed),
    Pour(Pour),
    Soft(Soft),
    Heap(Heap),
    Lump(Lump),
    /// What a world from files says of one of its facts.
    Stated(usize),
}

impl Atom {
    /// Most measurements it adds.
    pub fn gauges(&self) -> usize {
        match self {
            Self::Placed(p) => 1 + p.goal.objects.len(),
            _ => 4,
        }
    }

    /// The bodies an observer must see to judge it.
    fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Never | Self::Placed(_) | Self::Stated(_) => (0, 0),
            Self::Rest(a) => a.about(),
            Self::Handling(a) => a.about(),
            Self::Joint(a) => a.about(),
            Self::Limp(a) => a.about(),
            Self::Origin(a) => a.about(),
            Self::Relation(a) => a.about(),
            Self::Pour(a) => a.about(),
            Self::Soft(a) => a.about(),
            Self::Heap(a) => a.about(),
            Self::Lump(a) => a.about(),
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
        match self {
            Self::Never => r.truth("in the scene", false),
            Self::Rest(a) => a.measure(s, &mut r),
            Self::Handling(a) => a.measure(s, s.hands_of(view.limb), &mut r),
            Self::Joint(a) => a.measure(s, &mut r),
            Self::Limp(a) => a.measure(s, &mut r),
            Self::Origin(a) => a.measure(s, &mut r),
            Self::Relation(a) => a.measure(s, &mut r),
            Self::Placed(a) => a.measure(s, &mut r),
            Self::Pour(a) => a.measure(s, &mut r),
            Self::Soft(a) => a.measure(s, &mut r),
            Self::Heap(a) => a.measure(s, &mut r),
            Self::Lump(a) => a.measure(s, &mut r),
            Self::Stated(fact) => {
                r.truth("holds", s.facts.get(*fact).copied().unwrap_or(false));
            }
        }
        r.ok
    }
}

macro_rules! from_family {
    ($($family:ident),*) => {$(
        impl From<$family> for super::bound::Node {
            fn from(atom: $family) -> Self {
                Self::Atom(Atom::$family(atom))
            }
        }
    )*};
}

from_family!(Rest, Handling, Joint, Origin, Relation, Placed, Pour, Soft, Limp, Heap, Lump);

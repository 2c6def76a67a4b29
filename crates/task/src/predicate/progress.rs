//! How far a predicate is from holding, against how far it was when somebody began to care.
//!
//! Every measurement knows its value, limit and sense, so the way still to go is known, and with the
//! way there was at the beginning the share of it that is covered. Within a conjunction measurements
//! count in the order in which they are brought about: distances first, then contacts and holds, then
//! amounts to be exceeded. Letting go of an object far from its place is not progress towards having
//! put it there.

use super::atom::Atom;
use super::bound::{BoundPredicate, Node, Sink, View};
use super::margins::{Gauge, Sense, Unit};
use super::placed::Placed;
use crate::Snapshot;

/// Numbers kept for an atom that measures itself by gauges.
const SLOTS: usize = 4;
/// Most parts of an "at least n of these" that are told apart.
const BEST: usize = 32;
/// Less than this is nothing to cover.
const NOTHING: f64 = 1e-9;

impl BoundPredicate {
    /// How many numbers [`BoundPredicate::open`] writes.
    pub(crate) fn openings(&self) -> usize {
        self.0.openings()
    }

    /// Note how far every part is from holding now.
    pub(crate) fn open(&self, s: &Snapshot, out: &mut [f64]) {
        self.0.open(&View::full(s), false, out);
    }

    /// Return the share of what must hold that does, parts on their way counted by the way covered
    /// since `opened` was noted: 1 exactly when all of it holds.
    pub(crate) fn covered(&self, s: &Snapshot, opened: &[f64]) -> f64 {
        self.0.covered(&View::full(s), false, opened)
    }
}

/// When a measurement counts within a conjunction.
#[derive(Clone, Copy)]
enum Tier {
    Distance,
    Contact,
    Amount,
}

/// Parts of a conjunction.
#[derive(Default)]
struct Tally {
    sums: [f64; 3],
    counts: [u32; 3],
}

impl Tally {
    fn push(&mut self, tier: Tier, share: f64) {
        self.sums[tier as usize] += share;
        self.counts[tier as usize] += 1;
    }

    fn share(&self) -> f64 {
        let all: u32 = self.counts.iter().sum();
        let mut sum = 0.0;
        for (part, n) in self.sums.iter().zip(self.counts) {
            sum += part;
            if *part < f64::from(n) {
                break;
            }
        }
        if all == 0 { 1.0 } else { sum / f64::from(all) }
    }
}

/// The measurements of one atom.
struct Parts {
    gauges: [Option<Gauge>; SLOTS],
    n: usize,
}

impl Parts {
    fn of(atom: &Atom, view: &View<'_>, negated: bool) -> Self {
        let mut parts = Self { gauges: [None; SLOTS], n: 0 };
        atom.eval(view, &mut parts);
        parts.gauges.iter_mut().flatten().for_each(|g| g.negated ^= negated);
        parts
    }

    fn iter(&self) -> impl Iterator<Item = &Gauge> {
        self.gauges.iter().flatten()
    }
}

impl Sink for Parts {
    const ALL: bool = false;
    fn push(&mut self, gauge: Gauge) {
        if let Some(slot) = self.gauges.get_mut(self.n) {
            *slot = Some(gauge);
            self.n += 1;
        }
    }
    fn mark(&self) -> usize {
        self.n
    }
    fn negate_from(&mut self, _: usize) {}
}

/// How far on the wrong side of its limit.
fn shortfall(g: &Gauge) -> f64 {
    if g.holds() { 0.0 } else { (-g.slack()).max(0.0) }
}

/// A distance that counts as far where there was none to cover at the beginning.
fn far(unit: Unit) -> f64 {
    match unit {
        Unit::Truth | Unit::Seconds => 1.0,
        Unit::Metres | Unit::Speed | Unit::Plain => 0.1,
        Unit::Radians => 0.5,
    }
}

fn share(g: &Gauge, opened: f64) -> f64 {
    if g.holds() {
        return 1.0;
    }
    let scale = if opened > NOTHING && opened.is_finite() { opened } else { far(g.unit) };
    let left = shortfall(g) / scale;
    // Not quite there is not there.
    if left.is_finite() { (1.0 - left).clamp(0.0, 1.0 - NOTHING) } else { 0.0 }
}

fn tier(g: &Gauge) -> Tier {
    match (g.unit, g.sense, g.negated) {
        (Unit::Truth, ..) => Tier::Contact,
        (_, Sense::AtMost, false) | (_, Sense::AtLeast, true) => Tier::Distance,
        _ => Tier::Amount,
    }
}

impl Node {
    fn openings(&self) -> usize {
        match self {
            Self::Atom(Atom::Placed(p)) => p.goal.objects.len(),
            Self::Atom(_) => SLOTS,
            Self::Not(n) | Self::With(_, n) => n.openings(),
            Self::AtLeast(_, of) => of.iter().map(Self::openings).sum(),
        }
    }

    fn open(&self, view: &View<'_>, negated: bool, out: &mut [f64]) {
        match self {
            Self::Atom(Atom::Placed(p)) => {
                out.fill(0.0);
                p.goal.unplaced(view.snapshot, |i, off, most| out[i] = (off - most).max(0.0));
            }
            Self::Atom(a) => {
                let parts = Parts::of(a, view, negated);
                for (slot, g) in out.iter_mut().zip(parts.iter()) {
                    *slot = shortfall(g);
                }
            }
            Self::Not(n) => n.open(view, !negated, out),
            Self::With(limb, n) => n.open(&View { limb: Some(*limb), ..*view }, negated, out),
            Self::AtLeast(_, of) => {
                let mut rest = out;
                for n in of {
                    let (own, others) = rest.split_at_mut(n.openings());
                    n.open(view, negated, own);
                    rest = others;
                }
            }
        }
    }

    fn covered(&self, view: &View<'_>, negated: bool, opened: &[f64]) -> f64 {
        let mut tally = Tally::default();
        self.gather(view, negated, opened, &mut tally);
        tally.share()
    }

    fn gather(&self, view: &View<'_>, negated: bool, opened: &[f64], tally: &mut Tally) {
        match self {
            Self::Atom(Atom::Placed(Placed { n, goal })) => {
                let placed = goal.placed(view.snapshot);
                if negated {
                    return tally.push(Tier::Contact, f64::from(u8::from(placed < *n)));
                }
                // The n-th object's own way; those before it are other stages'.
                let share = if placed >= *n {
                    1.0
                } else if placed + 1 < *n {
                    0.0
                } else {
                    let mut best = 0.0f64;
                    goal.unplaced(view.snapshot, |i, off, most| {
                        let (left, there) = ((off - most).max(0.0), opened[i]);
                        let scale = if there > NOTHING { there } else { far(Unit::Metres) };
                        best = best.max(1.0 - left / scale);
                    });
                    best.clamp(0.0, 1.0 - NOTHING)
                };
                tally.push(Tier::Distance, share);
            }
            Self::Atom(a) => {
                let parts = Parts::of(a, view, negated);
                let each = parts.iter().zip(opened).map(|(g, o)| (tier(g), share(g, *o)));
                if negated && parts.n > 1 {
                    // One part that fails is enough.
                    let best = each.map(|(_, share)| share).fold(0.0, f64::max);
                    tally.push(Tier::Distance, best);
                } else {
                    each.for_each(|(tier, share)| tally.push(tier, share));
                }
            }
            Self::Not(n) => n.gather(view, !negated, opened, tally),
            Self::With(limb, n) => {
                n.gather(&View { limb: Some(*limb), ..*view }, negated, opened, tally);
            }
            Self::AtLeast(want, of) => {
                let want = match negated {
                    false => *want,
                    // Not at least k of m: at least m − k + 1 fail.
                    true => (of.len() + 1).saturating_sub(*want),
                };
                let mut rest = opened;
                let mut parts = of.iter().map(|n| {
                    let (own, others) = rest.split_at(n.openings());
                    rest = others;
                    (n, own)
                });
                if want > of.len() {
                    tally.push(Tier::Distance, 0.0);
                } else if want == of.len() {
                    parts.for_each(|(n, own)| n.gather(view, negated, own, tally));
                } else if want > 0 {
                    let mut best = [0.0; BEST];
                    let kept = &mut best[..want.min(BEST)];
                    parts.by_ref().for_each(|(n, own)| {
                        let mut share = n.covered(view, negated, own);
                        for slot in kept.iter_mut() {
                            if share > *slot {
                                std::mem::swap(slot, &mut share);
                            }
                        }
                    });
                    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
                    tally.push(Tier::Distance, mean);
                }
            }
        }
    }
}

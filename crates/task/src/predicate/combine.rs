//! Predicates made of others, and their limits.

use super::Predicate;

use Predicate as P;

/// It does not hold.
pub fn not(p: P) -> P {
    P::Not(Box::new(p))
}

/// All hold.
pub fn all(of: impl IntoIterator<Item = P>) -> P {
    P::All(of.into_iter().collect())
}

/// At least one holds.
pub fn any(of: impl IntoIterator<Item = P>) -> P {
    P::Any(of.into_iter().collect())
}

/// At least `n` hold.
pub fn at_least(n: usize, of: impl IntoIterator<Item = P>) -> P {
    P::AtLeast { n, of: of.into_iter().collect() }
}

impl P {
    /// The same with another distance, or angle where it measures one.
    ///
    /// # Panics
    /// If it has no such limit, which is a mistake in the task's source.
    pub fn within(mut self, limit: f64) -> Self {
        assert!(self.set_limit(limit), "within() means nothing for {self:?}");
        self
    }

    /// Whether [`Predicate::within`] means something for it.
    pub fn has_limit(&self) -> bool {
        self.clone().set_limit(0.0)
    }

    fn set_limit(&mut self, limit: f64) -> bool {
        match self {
            P::On { within, .. } => *within = Some(limit),
            P::AtStart { within, .. }
            | P::HandOver { within, .. }
            | P::Upright { within, .. }
            | P::OnEnd { within, .. }
            | P::Near { within, .. }
            | P::Folded { within, .. }
            | P::PointAt { within, .. }
            | P::Turned { within, .. }
            | P::Straight { within, .. }
            | P::Shaped { within, .. }
            | P::Aligned { within, .. } => *within = limit,
            P::HandClearOf { distance, .. } => *distance = limit,
            _ => return false,
        }
        true
    }

    /// The same said of one limb's hand rather than of any.
    pub fn with(self, limb: impl Into<String>) -> Self {
        P::With { limb: limb.into(), that: Box::new(self) }
    }

    /// Both hold.
    pub fn and(self, other: P) -> Self {
        match self {
            P::All(mut v) => {
                v.push(other);
                P::All(v)
            }
            p => P::All(vec![p, other]),
        }
    }
}

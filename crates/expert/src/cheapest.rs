//! The cheapest of several candidates.

/// Keep the cheapest candidate offered so far, the first among equals.
#[derive(Debug)]
pub(crate) struct Cheapest<T>(Option<(f64, T)>);

impl<T> Cheapest<T> {
    /// Begin without a candidate.
    pub(crate) fn new() -> Self {
        Self(None)
    }

    /// Offer a candidate at a cost.
    pub(crate) fn offer(&mut self, cost: f64, candidate: T) {
        self.offer_if(cost, || Some(candidate));
    }

    /// Offer a candidate that is made only if its cost is the lowest so far.
    pub(crate) fn offer_if(&mut self, cost: f64, candidate: impl FnOnce() -> Option<T>) {
        if self.0.as_ref().is_none_or(|best| cost < best.0)
            && let Some(candidate) = candidate()
        {
            self.0 = Some((cost, candidate));
        }
    }

    /// Whether no candidate was offered.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Return the cheapest candidate.
    pub(crate) fn candidate(self) -> Option<T> {
        self.0.map(|(_, candidate)| candidate)
    }

    /// Return the cheapest candidate with its cost.
    pub(crate) fn priced(self) -> Option<(f64, T)> {
        self.0
    }
}

impl<T> FromIterator<(f64, T)> for Cheapest<T> {
    fn from_iter<I: IntoIterator<Item = (f64, T)>>(candidates: I) -> Self {
        let mut best = Self::new();
        candidates.into_iter().for_each(|(cost, candidate)| best.offer(cost, candidate));
        best
    }
}

#[cfg(test)]
mod tests {
    use super::Cheapest;

    #[test]
    fn keeps_the_first_of_equals() {
        let best: Cheapest<&str> =
            [(2.0, "a"), (1.0, "b"), (1.0, "c"), (3.0, "d")].into_iter().collect();
        assert_eq!(best.priced(), Some((1.0, "b")));
        assert!(Cheapest::<()>::new().is_none());
    }

    #[test]
    fn makes_only_candidates_that_would_win() {
        let mut best = Cheapest::new();
        best.offer(1.0, 'a');
        best.offer_if(2.0, || unreachable!("dearer than the best"));
        best.offer_if(0.5, || None);
        assert_eq!(best.candidate(), Some('a'));
    }
}

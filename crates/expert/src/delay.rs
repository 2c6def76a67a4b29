//! Seeing late.

use std::collections::VecDeque;

use longarm_task::Snapshot;

/// Shows snapshots a number of control steps late.
#[derive(Default)]
pub(crate) struct Delay {
    pub(crate) steps: u32,
    /// What was not shown yet, oldest first.
    coming: VecDeque<Snapshot>,
}

impl Delay {
    pub(crate) fn new(steps: u32) -> Self {
        Self { steps, coming: VecDeque::new() }
    }

    /// Forget what was seen.
    pub(crate) fn clear(&mut self) {
        self.coming.clear();
    }

    /// Return what is seen at this moment, or `None` if nothing is late. Hands are felt without delay, and
    /// what they hold moves with them.
    pub(crate) fn see(&mut self, now: &Snapshot) -> Option<Snapshot> {
        if self.steps == 0 {
            return None;
        }
        self.coming.push_back(now.clone());
        let mut seen = match self.coming.len() > self.steps as usize {
            true => self.coming.pop_front().unwrap_or_else(|| now.clone()),
            false => self.coming[0].clone(),
        };
        for (seen_hand, hand) in seen.hands.iter_mut().zip(&now.hands) {
            let moved = hand.pose * seen_hand.pose.inverse();
            for (body, held) in seen.bodies.iter_mut().zip(&seen_hand.holds) {
                if *held {
                    body.pose = moved * body.pose;
                }
            }
            (seen_hand.pose, seen_hand.commanded) = (hand.pose, hand.commanded);
            (seen_hand.twist, seen_hand.opening) = (hand.twist, hand.opening);
        }
        seen.bases.clone_from(&now.bases);
        Some(seen)
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::DVec3;

    use super::*;

    fn at(step: u32) -> Snapshot {
        let mut s = Snapshot::empty(3, &["arm"]);
        s.step = step;
        s.hands[0].pose.pos = DVec3::X * f64::from(step);
        s.hands[0].holds[1] = true;
        (s.bodies[1].pose.pos, s.bodies[2].pose.pos) = (s.hands[0].pose.pos, s.hands[0].pose.pos);
        s
    }

    #[test]
    fn bodies_are_seen_late_but_hands_are_felt() {
        let mut delay = Delay::new(2);
        let seen: Vec<Snapshot> = (0..5).filter_map(|k| delay.see(&at(k))).collect();
        assert_eq!(seen.iter().map(|s| s.step).collect::<Vec<_>>(), [0, 0, 0, 1, 2]);
        let last = &seen[4];
        assert_eq!(last.hands[0].pose.pos.x, 4.0);
        assert_eq!(last.bodies[1].pose.pos.x, 4.0, "what it holds moves with the hand");
        assert_eq!(last.bodies[2].pose.pos.x, 2.0, "what it sees is two steps old");
    }

    #[test]
    fn without_delay_nothing_is_kept() {
        let mut delay = Delay::new(0);
        assert!(delay.see(&at(0)).is_none() && delay.coming.is_empty());
    }
}

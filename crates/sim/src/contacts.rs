//! Who touches whom, kept right while bodies sleep.
//!
//! MuJoCo drops the contacts of sleeping bodies. A body sleeps only while nothing near it moves, so
//! a pair that touched when both went to sleep still touches: such pairs are carried over.

use longarm_task::{Relation, Snapshot};
use mujoco_rs::wrappers::mj_auxiliary::MjContact;

/// What a geom belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A tracked body.
    Body(usize),
    /// The left finger (or the suction cup).
    Left,
    /// The right finger.
    Right,
    /// Another part of the robot.
    Robot,
}

#[derive(Clone, Debug)]
pub(crate) struct ContactTracker {
    owner: Vec<Owner>,
    left: Vec<bool>,
    right: Vec<bool>,
    before: (Relation, Relation),
}

impl ContactTracker {
    pub(crate) fn new(owner: Vec<Owner>, bodies: usize) -> Self {
        Self {
            owner,
            left: vec![false; bodies],
            right: vec![false; bodies],
            before: (Relation::new(bodies), Relation::new(bodies)),
        }
    }

    /// Reads this moment's contacts into the snapshot. `frozen(b)`: body b is static or asleep.
    pub(crate) fn update(
        &mut self,
        contacts: &[MjContact],
        frozen: impl Fn(usize) -> bool,
        snap: &mut Snapshot,
    ) {
        let n = snap.bodies.len();
        std::mem::swap(&mut self.before.0, &mut snap.touching);
        std::mem::swap(&mut self.before.1, &mut snap.rests_on);
        snap.touching.clear();
        snap.rests_on.clear();
        for a in 0..n {
            if !frozen(a) {
                continue;
            }
            for b in 0..n {
                if frozen(b) {
                    snap.touching.set(a, b, self.before.0.get(a, b));
                    snap.rests_on.set(a, b, self.before.1.get(a, b));
                }
            }
        }
        self.left.fill(false);
        self.right.fill(false);
        snap.hands[0].touches.fill(false);
        for c in contacts {
            if c.exclude != 0 || c.geom[0] < 0 || c.geom[1] < 0 {
                continue;
            }
            let (one, two) = (self.owner[c.geom[0] as usize], self.owner[c.geom[1] as usize]);
            match (one, two) {
                (Owner::Body(a), Owner::Body(b)) if a != b => {
                    snap.touching.set(a, b, true);
                    snap.touching.set(b, a, true);
                    // The contact normal points from the first geom to the second.
                    if c.frame[2] > 0.5 {
                        snap.rests_on.set(b, a, true);
                    } else if c.frame[2] < -0.5 {
                        snap.rests_on.set(a, b, true);
                    }
                }
                (Owner::Body(b), hand) | (hand, Owner::Body(b)) => match hand {
                    Owner::Left => self.left[b] = true,
                    Owner::Right => self.right[b] = true,
                    Owner::Robot => snap.hands[0].touches[b] = true,
                    Owner::Body(_) => {}
                },
                _ => {}
            }
        }
        for b in 0..n {
            snap.hands[0].touches[b] |= self.left[b] || self.right[b];
        }
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.left.fill(false);
        self.right.fill(false);
        self.before.0.clear();
        self.before.1.clear();
    }

    pub(crate) fn owners(&self) -> &[Owner] {
        &self.owner
    }

    /// Whether both fingers touch the body.
    pub(crate) fn pinched(&self, body: usize) -> bool {
        self.left[body] && self.right[body]
    }

    /// Whether the suction cup (or left finger) touches the body.
    pub(crate) fn left_touches(&self, body: usize) -> bool {
        self.left[body]
    }
}

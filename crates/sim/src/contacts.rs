//! Who touches whom, kept right while bodies sleep.
//!
//! MuJoCo drops the contacts of sleeping bodies. A body sleeps only while nothing near it moves, so
//! a pair that touched when both went to sleep still touches: such pairs are carried over.

use longarm_task::{LimbId, Relation, Snapshot};
use longarm_types::{DVec3, Segment};
use mujoco_rs::wrappers::mj_auxiliary::MjContact;

/// What a geom belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A tracked body.
    Body(usize),
    /// A limb: one of its fingers, counted from 0 (a gripper's left and right, a suction cup, a
    /// hand's fingers), or any other part of it.
    Limb { limb: LimbId, finger: Option<u8> },
}

#[derive(Clone, Debug)]
pub(crate) struct ContactTracker {
    owner: Vec<Owner>,
    /// Who each flex belongs to.
    flexes: Vec<Owner>,
    /// Fingers that touch a body, one bit each, by limb and body.
    fingers: Vec<u32>,
    /// Where hands press on bodies: limb and body, part of the hand, direction into the body. Only of limbs
    /// that end in a hand.
    presses: Vec<Press>,
    /// Which limbs end in a hand.
    hands: Vec<bool>,
    bodies: usize,
    before: (Relation, Relation),
}

/// A part of a hand that presses on a body.
#[derive(Clone, Copy, Debug)]
struct Press {
    limb: LimbId,
    body: usize,
    /// A finger, or the palm.
    finger: Option<u8>,
    into: DVec3,
}

/// Most contacts of hands that are looked at.
const PRESSES: usize = 128;
/// Presses whose directions are further apart than this cosine hold a body between them.
const OPPOSED: f64 = -0.3;

impl Owner {
    /// What it is in pictures.
    pub(crate) fn segment(self) -> Segment {
        match self {
            Self::Body(b) => Segment::Body(b),
            Self::Limb { limb, .. } => Segment::Limb(limb),
        }
    }
}

impl ContactTracker {
    pub(crate) fn new(
        owner: Vec<Owner>,
        flexes: Vec<Owner>,
        bodies: usize,
        hands: Vec<bool>,
    ) -> Self {
        Self {
            owner,
            flexes,
            fingers: vec![0; hands.len() * bodies],
            presses: Vec::with_capacity(PRESSES),
            hands,
            bodies,
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
        self.fingers.fill(0);
        self.presses.clear();
        for hand in &mut snap.hands {
            hand.touches.fill(false);
        }
        for c in contacts {
            if c.exclude != 0 {
                continue;
            }
            // A flex has no geom.
            let side = |i: usize| match usize::try_from(c.geom[i]) {
                Ok(geom) => self.owner[geom],
                Err(_) => self.flexes[c.flex[i] as usize],
            };
            let (one, two) = (side(0), side(1));
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
                (Owner::Body(b), Owner::Limb { limb, finger })
                | (Owner::Limb { limb, finger }, Owner::Body(b)) => {
                    snap.hands[limb].touches[b] = true;
                    // Nothing allocates here: what does not fit is not looked at.
                    if self.hands[limb] && self.presses.len() < PRESSES {
                        let normal = DVec3::new(c.frame[0], c.frame[1], c.frame[2]);
                        let into = if one == Owner::Body(b) { -normal } else { normal };
                        self.presses.push(Press { limb, body: b, finger, into });
                    }
                    if let Some(k) = finger {
                        self.fingers[limb * self.bodies + b] |= 1 << k;
                    }
                }
                _ => {}
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.fingers.fill(0);
        self.presses.clear();
        self.before.0.clear();
        self.before.1.clear();
    }

    pub(crate) fn owners(&self) -> &[Owner] {
        &self.owner
    }

    pub(crate) fn flex_owners(&self) -> &[Owner] {
        &self.flexes
    }

    /// Whether two parts of a limb's hand press on the body from opposite sides.
    pub(crate) fn opposed(&self, limb: LimbId, body: usize) -> bool {
        let on = |p: &&Press| p.limb == limb && p.body == body;
        let mut presses = self.presses.iter().filter(on);
        while let Some(a) = presses.next() {
            let opposite = |b: &Press| b.finger != a.finger && a.into.dot(b.into) < OPPOSED;
            if presses.clone().any(opposite) {
                return true;
            }
        }
        false
    }

    /// How many fingers of a limb touch the body.
    pub(crate) fn fingers(&self, limb: LimbId, body: usize) -> u32 {
        self.fingers[limb * self.bodies + body].count_ones()
    }
}

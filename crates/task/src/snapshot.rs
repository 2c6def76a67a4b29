//! What is true at one moment: all that predicates look at.

use std::sync::Arc;

use longarm_types::{DVec3, Pose, Twist};

/// Index of a tracked body, as listed by `longarm_assets::Composed::bodies`; 0 is the world.
pub type BodyId = usize;

/// Pose and velocity of a tracked body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Pose of the body's frame in the world.
    pub pose: Pose,
    /// Velocity of the body's centre of mass.
    pub twist: Twist,
}

/// A symmetric-or-not relation between bodies, one bit per pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    n: usize,
    bits: Vec<u64>,
}

impl Relation {
    /// The empty relation over `n` bodies.
    pub fn new(n: usize) -> Self {
        Self { n, bits: vec![0; (n * n).div_ceil(64)] }
    }

    /// Whether (a, b) is in the relation.
    pub fn get(&self, a: BodyId, b: BodyId) -> bool {
        let i = a * self.n + b;
        self.bits[i / 64] >> (i % 64) & 1 == 1
    }

    /// Puts (a, b) in or takes it out.
    pub fn set(&mut self, a: BodyId, b: BodyId, on: bool) {
        let i = a * self.n + b;
        let mask = 1 << (i % 64);
        if on { self.bits[i / 64] |= mask } else { self.bits[i / 64] &= !mask }
    }

    /// Empties the relation.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// How many bodies it is over.
    pub fn bodies(&self) -> usize {
        self.n
    }
}

/// Index of a limb, in the rig's order.
pub type LimbId = usize;

/// The end of a limb: a gripper, a suction cup or a hand with fingers.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// The limb it is the end of.
    pub limb: String,
    /// Tool frame in the world: z points the way the gripper points, y the way fingers close.
    pub pose: Pose,
    /// Velocity of the tool.
    pub twist: Twist,
    /// Where the controller was told to bring the tool.
    pub commanded: Pose,
    /// Gap between the fingers in metres; for suction 0 when holding, 1 when free.
    pub opening: f64,
    /// Whether the last command closes the gripper (or turns suction on).
    pub closing: bool,
    /// Bodies the hand holds: between both fingers of a gripper, between parts of a hand that press from
    /// opposite sides, or on the suction cup.
    pub holds: Vec<bool>,
    /// Bodies the hand touches at all.
    pub touches: Vec<bool>,
}

impl Hand {
    /// A hand that holds and touches none of the bodies, to be filled in.
    fn empty(limb: &str, bodies: usize) -> Self {
        Self {
            limb: limb.to_owned(),
            pose: Pose::IDENTITY,
            twist: Twist::default(),
            commanded: Pose::IDENTITY,
            opening: 0.0,
            closing: false,
            holds: vec![false; bodies],
            touches: vec![false; bodies],
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        !self.holds.contains(&true)
    }
}

/// A base that moves over the floor.
#[derive(Clone, Debug, PartialEq)]
pub struct MobileBase {
    /// The robot whose base it is.
    pub robot: String,
    /// Pose in the world of the link that limbs stand on.
    pub pose: Pose,
    /// Its velocity.
    pub twist: Twist,
    /// Where the controller was told to bring it.
    pub commanded: Pose,
}

/// Where soft matter is: cloth, rope, liquid, clay.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftState {
    /// The tracked body that it is; 0 if it belongs to no object.
    pub body: BodyId,
    /// What its points are.
    pub form: Arc<SoftForm>,
    /// Where its points are.
    pub points: Vec<DVec3>,
    /// Root of the mean square of their speeds, m/s.
    pub speed: f64,
}

/// What the points of soft matter are: the same through an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftForm {
    /// Where points are at rest, in the frame of the asset.
    pub rest: Vec<DVec3>,
    /// Distance from the points to the surface, metres.
    pub radius: f64,
    /// How they belong together.
    pub kind: SoftKind,
}

/// How the points of soft matter belong together.
#[derive(Clone, Debug, PartialEq)]
pub enum SoftKind {
    /// Corners of the triangles of a sheet.
    Sheet {
        /// Triangles by their corners.
        triangles: Vec<[u32; 3]>,
    },
    /// Nodes of a line, from one end to the other.
    Line,
    /// Nodes of a body that keeps its shape.
    Block,
    /// Particles, each of a material.
    Particles {
        /// Number of the material of each particle.
        material: Vec<u8>,
    },
}

/// Everything predicates, trackers and experts may know. Policies never see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Control step within the episode.
    pub step: u32,
    /// Seconds within the episode.
    pub time: f64,
    /// By [`BodyId`].
    pub bodies: Vec<BodyState>,
    /// Joint value of each body that is a part, by [`BodyId`]; 0 elsewhere.
    pub joints: Vec<f64>,
    /// (a, b): a touches b. Symmetric. Stays right while bodies sleep.
    pub touching: Relation,
    /// (a, b): a touches b from above, so that b carries it.
    pub rests_on: Relation,
    /// Hands by [`LimbId`].
    pub hands: Vec<Hand>,
    /// Bases that move, in the order of the robots that have one.
    pub bases: Vec<MobileBase>,
    /// Soft matter: cloth, rope, liquid, clay.
    pub soft: Vec<SoftState>,
    /// Which facts hold of those that a world from files judges itself.
    pub facts: Vec<bool>,
}

impl Snapshot {
    /// A moment at which nothing touches anything, to be filled in.
    pub fn empty(bodies: usize, limbs: &[impl AsRef<str>]) -> Self {
        let still = BodyState { pose: Pose::IDENTITY, twist: Twist::default() };
        Self {
            step: 0,
            time: 0.0,
            bodies: vec![still; bodies],
            joints: vec![0.0; bodies],
            touching: Relation::new(bodies),
            rests_on: Relation::new(bodies),
            soft: Vec::new(),
            facts: Vec::new(),
            bases: Vec::new(),
            hands: limbs.iter().map(|limb| Hand::empty(limb.as_ref(), bodies)).collect(),
        }
    }

    /// The hand of one limb, or all of them.
    pub fn hands_of(&self, limb: Option<LimbId>) -> &[Hand] {
        match limb {
            Some(i) => &self.hands[i..=i],
            None => &self.hands,
        }
    }

    /// The soft matter that a body is.
    pub fn soft_of(&self, body: BodyId) -> Option<&SoftState> {
        self.soft.iter().find(|s| s.body == body)
    }

    /// Whether any hand holds the body.
    pub fn held(&self, body: BodyId) -> bool {
        self.hands.iter().any(|h| h.holds[body])
    }
}

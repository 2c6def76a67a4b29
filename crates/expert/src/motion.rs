//! Motions: the short steps a skill is made of.

use longarm_assets::robots::Grip;
use longarm_task::{BodyId, Snapshot};
use longarm_types::{DQuat, DVec3, Pose};

/// How fast, per control step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Metres per control step.
    pub metres: f64,
    /// Radians per control step.
    pub radians: f64,
}

impl Pace {
    /// Carrying and travelling.
    pub(crate) const TRAVEL: Self = Self { metres: 0.014, radians: 0.08 };
    /// The last centimetres before contact.
    pub(crate) const CAREFUL: Self = Self { metres: 0.006, radians: 0.05 };
    /// In contact.
    pub(crate) const GENTLE: Self = Self { metres: 0.003, radians: 0.03 };
}

/// A vessel and what runs in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vessel {
    pub body: BodyId,
    pub matter: BodyId,
    /// Outer radius and height.
    pub radius: f64,
    pub height: f64,
}

impl Vessel {
    /// Return the share of the matter that is in it.
    pub(crate) fn share(self, s: &Snapshot) -> f64 {
        let Some(soft) = s.soft_of(self.matter) else { return 0.0 };
        let frame = s.bodies[self.body].pose;
        let inside = soft.points.iter().filter(|p| {
            let p = frame.local(**p);
            p.truncate().length() < self.radius && (0.0..self.height).contains(&p.z)
        });
        inside.count() as f64 / soft.points.len().max(1) as f64
    }
}

/// What ends a motion early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    /// Only arriving.
    Never,
    /// The body is carried by another body than the hand.
    Carried(BodyId),
    /// The joint of a part passed a value.
    JointAbove(BodyId, f64),
    /// The joint of a part fell below a value.
    JointBelow(BodyId, f64),
    /// No more than a share of what runs is left in a vessel.
    Left(Vessel, f64),
}

impl Stop {
    /// Whether it is so now.
    pub(crate) fn holds(self, s: &Snapshot) -> bool {
        match self {
            Self::Never => false,
            Self::Carried(b) => (0..s.bodies.len()).any(|o| s.rests_on.get(b, o)),
            Self::JointAbove(b, v) => s.joints[b] > v,
            Self::JointBelow(b, v) => s.joints[b] < v,
            Self::Left(vessel, share) => vessel.share(s) <= share,
        }
    }
}

/// One motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// A straight line to a tool pose.
    Go {
        to: Pose,
        pace: Pace,
        /// Pass within this distance rather than stop there; 0 stops.
        via: f64,
        stop: Stop,
    },
    /// Close the fingers of a hand in this way from now on.
    Shape(Grip),
    /// Set the gripper and wait; with `held`, until the body is held.
    Grip { command: f64, steps: u32, held: Option<BodyId> },
    /// Stand still.
    Wait(u32),
    /// Stand still until a number of hands hold a body; without them all that follows is given up.
    Joined { body: BodyId, hands: usize },
    /// Stand still until a number of hands are within a distance of a point; without them all that follows
    /// is given up.
    Gather { at: DVec3, within: f64, hands: usize },
    /// Stand still until every hand stands still near a body: what several do together they begin together.
    Meet { body: BodyId, within: f64 },
    /// Stand still until a body passes within a distance of a point, seen from above.
    Await { body: BodyId, at: DVec3, within: f64 },
    /// A straight line from wherever the tool is when it begins.
    Lift { by: DVec3, pace: Pace },
    /// A straight line on which the command is kept: a tool in contact leaves it neither up nor
    /// down. `gone` is the share of it behind the tool; below 0 the tool stays at its beginning.
    Draw { from: Pose, to: Pose, pace: Pace, gone: f64 },
    /// Swing along a line, faster and faster up to a speed in metres per control step, for `left` metres, and
    /// let a body go on the way when it would land at a point, or else at the end.
    Swing {
        body: BodyId,
        way: DVec3,
        /// How the hand turns on the way, radians per metre.
        turn: DVec3,
        to: DVec3,
        speed: f64,
        left: f64,
    },
    /// A straight line back along the way the tool points.
    Retreat { by: f64, pace: Pace },
    /// Keep the tool at an offset from a moving body: until it is there, or with `close`, until the
    /// closing fingers hold the body.
    Follow { body: BodyId, offset: DVec3, rot: DQuat, pace: Pace, close: bool },
}

impl Motion {
    /// Go to a pose and stop there.
    pub(crate) fn go(to: Pose, pace: Pace) -> Self {
        Self::Go { to, pace, via: 0.0, stop: Stop::Never }
    }

    /// Pass through a pose.
    pub(crate) fn through(to: Pose, pace: Pace) -> Self {
        Self::Go { to, pace, via: 0.02, stop: Stop::Never }
    }

    /// Whether the hand goes somewhere.
    pub(crate) fn moves(&self) -> bool {
        matches!(
            self,
            Self::Go { .. }
                | Self::Lift { .. }
                | Self::Draw { .. }
                | Self::Swing { .. }
                | Self::Retreat { .. }
                | Self::Follow { .. }
        )
    }

    /// Whether it closes the fingers on a body.
    pub(crate) fn takes(&self) -> bool {
        matches!(self, Self::Grip { held: Some(_), .. })
    }

    /// Go to a pose, or until something happens.
    pub(crate) fn until(to: Pose, pace: Pace, stop: Stop) -> Self {
        Self::Go { to, pace, via: 0.0, stop }
    }
}

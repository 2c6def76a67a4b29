//! Motions: the words an expert's primitives are spelled in.
//!
//! A primitive becomes a short queue of motions; each control step the first one yields an action
//! in the policy's action space and says whether it is done.

use longarm_task::{BodyId, LimbId, Snapshot};
use longarm_types::{Action, CONTROL_HZ, DQuat, DVec3, Pose, ToolScale};

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

/// Change of speed per control step, metres.
const ACCELERATION: f64 = 0.0025;

/// What ends a motion early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    /// Only arriving.
    Never,
    /// The body is carried by something that is not the hand.
    Carried(BodyId),
    /// The joint of a part passed a value, in the direction of travel.
    JointAbove(BodyId, f64),
    /// The same downwards.
    JointBelow(BodyId, f64),
}

impl Stop {
    fn holds(self, s: &Snapshot) -> bool {
        match self {
            Self::Never => false,
            Self::Carried(b) => (0..s.bodies.len()).any(|o| s.rests_on.get(b, o)),
            Self::JointAbove(b, v) => s.joints[b] > v,
            Self::JointBelow(b, v) => s.joints[b] < v,
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
    /// Sets the gripper and waits; with `held`, until the body is held.
    Grip { command: f64, steps: u32, held: Option<BodyId> },
    /// Stands still.
    Wait(u32),
    /// Stands still until a body passes within a distance of a point, seen from above.
    Await { body: BodyId, at: DVec3, within: f64 },
    /// A straight line from wherever the tool is when it begins.
    Lift { by: DVec3, pace: Pace },
    /// A straight line on which the command is kept: a tool in contact leaves it neither up nor
    /// down. So much of it is gone; below 0 it stays at its beginning.
    Draw { from: Pose, to: Pose, pace: Pace, gone: f64 },
    /// The same back along the way the tool points.
    Retreat { by: f64, pace: Pace },
    /// Keeps the tool at an offset from a moving body: until it is there, or with `close`, until the
    /// closing fingers hold the body.
    Follow { body: BodyId, offset: DVec3, rot: DQuat, pace: Pace, close: bool },
}

/// How many control steps ahead a moving body is met: the servos follow the command that late.
const LEAD: f64 = 1.5;
/// How far from the end of a line the command may be when it has been drawn, metres, and for how
/// many control steps that is waited for.
const OFF_LINE: f64 = 4e-3;
const DRAW_STEPS: u32 = 80;
/// Control steps in which a motion comes to rest, and by how much less exact it may then be.
const SETTLE: f64 = 12.0;
const MOST_SLACK: f64 = 15.0;
/// Slower than this the hand stands still, metres per second; before so many control steps it has
/// not begun to move.
const STILL: f64 = 5e-3;
const STILL_TURN: f64 = 0.03;
const STUCK_STEPS: u32 = 6;
/// Longest a moving body is followed before trying otherwise.
const FOLLOW_STEPS: u32 = 120;
/// Control steps fingers may take to close on a moving body.
const CLOSE_STEPS: u32 = 16;

impl Motion {
    pub(crate) fn go(to: Pose, pace: Pace) -> Self {
        Self::Go { to, pace, via: 0.0, stop: Stop::Never }
    }

    pub(crate) fn through(to: Pose, pace: Pace) -> Self {
        Self::Go { to, pace, via: 0.02, stop: Stop::Never }
    }

    /// Closes the fingers on something.
    pub(crate) fn takes(&self) -> bool {
        matches!(self, Self::Grip { held: Some(_), .. })
    }

    pub(crate) fn until(to: Pose, pace: Pace, stop: Stop) -> Self {
        Self::Go { to, pace, via: 0.0, stop }
    }
}

/// Executes motions one after another.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// The limb it moves.
    limb: LimbId,
    queue: std::collections::VecDeque<Motion>,
    steps: u32,
    /// Steps the present motion should take.
    expected: u32,
    speed: f64,
    gripper: f64,
    /// How much faster than others this arm travels.
    haste: f64,
    /// Control steps for which the hand has not moved though it should.
    still: u32,
    /// Scale of the actions.
    scale: ToolScale,
}

impl Mover {
    pub(crate) fn new(limb: LimbId, haste: f64, scale: ToolScale) -> Self {
        let queue = Default::default();
        Self {
            limb,
            queue,
            steps: 0,
            expected: 0,
            speed: 0.0,
            gripper: -1.0,
            haste,
            still: 0,
            scale,
        }
    }

    /// As fast as this arm goes: only where nothing is near.
    fn hurried(&self, pace: Pace) -> Pace {
        match pace == Pace::TRAVEL {
            true => Pace { metres: pace.metres * self.haste, radians: pace.radians * self.haste },
            false => pace,
        }
    }

    pub(crate) fn load(&mut self, motions: impl IntoIterator<Item = Motion>) {
        self.queue.clear();
        self.queue.extend(motions);
        self.steps = 0;
    }

    pub(crate) fn idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Stand still, gripper as it is.
    pub(crate) fn hold(&mut self) -> Action {
        self.speed = 0.0;
        Action::new(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, self.gripper as f32])
    }

    fn next(&mut self) {
        self.queue.pop_front();
        self.steps = 0;
    }

    /// The action of this control step.
    pub(crate) fn act(&mut self, s: &Snapshot) -> Action {
        loop {
            let Some(motion) = self.queue.front().copied() else { return self.hold() };
            self.steps += 1;
            match motion {
                Motion::Lift { by, pace } => {
                    let at = &s.hands[self.limb].commanded;
                    self.queue[0] = Motion::go(Pose::new(at.pos + by, at.rot), pace);
                    self.steps = 0;
                }
                Motion::Draw { from, to, pace, gone } => {
                    let left = s.hands[self.limb].commanded.error_to(&to).0;
                    if gone >= 1.0 && (left < OFF_LINE || self.steps > DRAW_STEPS) {
                        self.next();
                        continue;
                    }
                    let length = from.error_to(&to).0.max(1e-6);
                    let gone = (gone + pace.metres / length).min(1.0);
                    self.queue[0] = Motion::Draw { from, to, pace, gone };
                    let at = Pose::new(from.pos.lerp(to.pos, gone.max(0.0)), from.rot);
                    let (catch_up, turn) = (3.0 * pace.metres, 3.0 * pace.radians);
                    let now = &s.hands[self.limb].commanded;
                    return self.scale.towards(now, &at, catch_up, turn, self.gripper);
                }
                Motion::Retreat { by, pace } => {
                    let to = s.hands[self.limb].commanded * Pose::at(0.0, 0.0, -by);
                    self.queue[0] = Motion::through(to, pace);
                    self.steps = 0;
                }
                Motion::Follow { body, offset, rot, pace, close } => {
                    let now = Pose::new(s.bodies[body].pose.pos + offset, rot);
                    let (off, twist) = s.hands[self.limb].pose.error_to(&now);
                    let done = if close {
                        self.gripper = 1.0;
                        s.hands[self.limb].holds[body] && self.steps > 6 || self.steps > CLOSE_STEPS
                    } else {
                        // A shaky hand that waits to be exact misses the moment.
                        let slack = 1.0 + 0.1 * f64::from(self.steps.saturating_sub(20).min(20));
                        off < 5e-3 * slack && twist < 0.04 * slack || self.steps > FOLLOW_STEPS
                    };
                    if done {
                        self.next();
                        continue;
                    }
                    let drift = s.bodies[body].twist.linear.with_z(0.0) / f64::from(CONTROL_HZ);
                    let to = Pose::new(now.pos + drift * LEAD, rot);
                    let far = s.hands[self.limb].commanded.error_to(&to).0;
                    let brake = (2.0 * ACCELERATION * far).sqrt().max(5e-4) + drift.length();
                    self.speed = (self.speed + ACCELERATION).min(pace.metres).min(brake);
                    return self.scale.towards(
                        &s.hands[self.limb].commanded,
                        &to,
                        self.speed,
                        pace.radians,
                        self.gripper,
                    );
                }
                Motion::Go { to, pace, via, stop } => {
                    let pace = self.hurried(pace);
                    let from = &s.hands[self.limb].commanded;
                    let (far, turn) = from.error_to(&to);
                    let (off, twist) = s.hands[self.limb].pose.error_to(&to);
                    if self.steps == 1 {
                        let ideal = (far / pace.metres).max(turn / pace.radians);
                        self.expected = 1.3f64.mul_add(ideal, SETTLE) as u32;
                    }
                    let arrived = if via > 0.0 {
                        far < via && turn < 0.15
                    } else {
                        // A shaky hand that waits to be exact waits for ever.
                        let late = f64::from(self.steps.saturating_sub(self.expected));
                        let slack = 1.0 + (0.5 * late).min(MOST_SLACK);
                        let near = slack.min(3.0);
                        far < 5e-4 * slack
                            && turn < 5e-3 * slack
                            && off < 4e-3 * near
                            && twist < 0.03 * near
                    };
                    // A blocked or unreachable goal must not hold the expert for ever.
                    let patience = 20 + (2.5 * (far / pace.metres).max(turn / pace.radians)) as u32;
                    let least = if via > 0.0 { 25 } else { 60 };
                    // Nor need it be waited for once the hand has come to rest, against something
                    // or at the end of its reach.
                    let (v, w) = (
                        s.hands[self.limb].twist.linear.length(),
                        s.hands[self.limb].twist.angular.length(),
                    );
                    let moves = self.steps <= STUCK_STEPS || v > STILL || w > STILL_TURN;
                    self.still = if moves { 0 } else { self.still + 1 };
                    let stuck = self.still > STUCK_STEPS || far < 1e-3 && self.still > 0;
                    if arrived || stuck || stop.holds(s) || self.steps > patience.max(least) {
                        self.next();
                        continue;
                    }
                    let brake = if via > 0.0 {
                        pace.metres
                    } else {
                        (2.0 * ACCELERATION * far).sqrt().max(5e-4)
                    };
                    self.speed = (self.speed + ACCELERATION).min(pace.metres).min(brake);
                    return self.scale.towards(from, &to, self.speed, pace.radians, self.gripper);
                }
                Motion::Grip { command, steps, held } => {
                    self.gripper = command;
                    if self.steps > steps
                        || held.is_some_and(|b| s.hands[self.limb].holds[b] && self.steps > 5)
                    {
                        self.next();
                        continue;
                    }
                    return self.hold();
                }
                Motion::Await { body, at, within } => {
                    let gap = (s.bodies[body].pose.pos - at).truncate().length();
                    if gap < within || self.steps > FOLLOW_STEPS * 3 {
                        self.next();
                        continue;
                    }
                    return self.hold();
                }
                Motion::Wait(steps) => {
                    if self.steps > steps {
                        self.next();
                        continue;
                    }
                    return self.hold();
                }
            }
        }
    }
}

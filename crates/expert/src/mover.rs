//! Executing motions: each control step the first in the queue yields an action in the policy's action
//! space, or is done and gives way to the next.

use std::collections::VecDeque;

use longarm_assets::robots::Grip;
use longarm_task::{BodyState, Hand, LimbId, Snapshot};
use longarm_types::{Action, CONTROL_HZ, DQuat, DVec3, Pose, ToolScale};

use crate::motion::{Motion, Pace};

/// Change of speed per control step, metres.
const ACCELERATION: f64 = 0.0025;
/// How many control steps ahead a moving body is met: the servos follow the command that late.
const LEAD: f64 = 1.5;
/// How far from the end of a line the command may be when it has been drawn, metres, and for how
/// many control steps that is waited for.
const OFF_LINE: f64 = 4e-3;
const DRAW_STEPS: u32 = 80;
/// Control steps in which a motion comes to rest, and by how much less exact it may then be.
const SETTLE: f64 = 12.0;
const MOST_SLACK: f64 = 15.0;
/// Slower than this the hand stands still, metres and radians per second; before `STUCK_STEPS` control
/// steps it has not begun to move.
const STILL: f64 = 5e-3;
const STILL_TURN: f64 = 0.03;
const STUCK_STEPS: u32 = 6;
/// Longest a moving body is followed before trying otherwise.
const FOLLOW_STEPS: u32 = 120;
/// Longest other hands are waited for.
const JOIN_STEPS: u32 = 160;
/// Slower than this a hand has come to rest where it waits for others, metres per second.
const GATHERED: f64 = 0.02;
/// A hand that stands still may stray this far before it goes back, metres and radians.
const ASTRAY: f64 = 1.5e-3;
const TURNED_ASTRAY: f64 = 0.015;
/// Control steps fingers may take to close on a moving body.
const CLOSE_STEPS: u32 = 16;

/// Change of speed per control step of a swing, metres.
const SWING: f64 = 0.013;
/// Seconds from the command to let go until a body flies.
const LETTING_GO: f64 = 0.01;
const GRAVITY: f64 = 9.81;

/// Return where a body that is let go now comes down to a height.
fn landing(body: &BodyState, height: f64) -> DVec3 {
    let v = body.twist.linear;
    let p = body.pose.pos + v * LETTING_GO;
    let rise = v.z * v.z + 2.0 * GRAVITY * (p.z - height).max(0.0);
    p + v.with_z(0.0) * ((v.z + rise.sqrt()) / GRAVITY)
}

/// Executes motions one after another.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// The limb it moves.
    limb: LimbId,
    queue: VecDeque<Motion>,
    steps: u32,
    /// Steps the present motion should take, and after which it is given up.
    expected: u32,
    patience: u32,
    speed: f64,
    gripper: f64,
    /// How the fingers of a hand close.
    grip: Grip,
    /// Fingers open at once, as after a throw.
    lets_go: bool,
    /// How much faster than others this arm travels.
    haste: f64,
    /// How fast it does everything, as a share of its usual speed; a moving body sets its own.
    pace: f64,
    /// Control steps for which the hand has not moved though it should.
    still: u32,
    /// Where it stands still.
    stays: Option<Pose>,
    /// Scale of the actions.
    scale: ToolScale,
}

impl Mover {
    pub(crate) fn new(limb: LimbId, haste: f64, pace: f64, scale: ToolScale) -> Self {
        Self {
            limb,
            pace,
            queue: VecDeque::new(),
            steps: 0,
            expected: 0,
            patience: 0,
            speed: 0.0,
            gripper: -1.0,
            grip: Grip::Power,
            lets_go: false,
            haste,
            still: 0,
            stays: None,
            scale,
        }
    }

    /// Return how fast this arm goes at the task's pace: faster than others only where nothing is near.
    fn paced(&self, pace: Pace) -> Pace {
        let haste = if pace == Pace::TRAVEL { self.haste } else { 1.0 };
        let by = haste * self.pace;
        Pace { metres: pace.metres * by, radians: pace.radians * by }
    }

    /// Return how fast everything is done, as a share of the usual.
    pub(crate) fn pace(&self) -> f64 {
        self.pace
    }

    /// Replace what is left to do.
    pub(crate) fn load(&mut self, motions: impl IntoIterator<Item = Motion>) {
        self.queue.clear();
        self.queue.extend(motions);
        self.steps = 0;
    }

    /// Whether nothing is left to do.
    pub(crate) fn idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Return how the fingers of a hand close.
    pub(crate) fn grip(&self) -> Grip {
        self.grip
    }

    /// Whether fingers open at once.
    pub(crate) fn lets_go(&self) -> bool {
        self.lets_go
    }

    /// Stand still, gripper as it is.
    pub(crate) fn hold(&mut self) -> Action {
        self.speed = 0.0;
        Action::new(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, self.gripper as f32])
    }

    /// Stand still, gripper as it is; where actions are disturbed, against being carried away.
    pub(crate) fn stay(&mut self, s: &Snapshot) -> Action {
        let now = s.hands[self.limb].commanded;
        let at = *self.stays.get_or_insert(now);
        let (far, turn) = now.error_to(&at);
        if far < ASTRAY && turn < TURNED_ASTRAY {
            return self.hold();
        }
        self.scale.towards(&now, &at, Pace::GENTLE.metres, Pace::GENTLE.radians, self.gripper)
    }

    fn next(&mut self) {
        self.queue.pop_front();
        self.steps = 0;
    }

    /// Return the action of this control step.
    pub(crate) fn act(&mut self, s: &Snapshot) -> Action {
        loop {
            let Some(motion) = self.queue.front().copied() else { return self.stay(s) };
            self.steps += 1;
            if motion.moves() {
                self.stays = None;
            }
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
                    let gone = (gone + self.paced(pace).metres / length).min(1.0);
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
                    let pace = self.paced(pace);
                    let from = &s.hands[self.limb].commanded;
                    let (far, turn) = from.error_to(&to);
                    let (off, twist) = s.hands[self.limb].pose.error_to(&to);
                    if self.steps == 1 {
                        let ideal = (far / pace.metres).max(turn / pace.radians);
                        self.expected = 1.3f64.mul_add(ideal, SETTLE) as u32;
                        // A blocked or unreachable goal must not hold the expert for ever.
                        let least = if via > 0.0 { 25 } else { 60 };
                        self.patience = (20 + (2.5 * ideal) as u32).max(least);
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
                    // No goal need be waited for once the hand has come to rest, against something
                    // or at the end of its reach.
                    let (v, w) = (
                        s.hands[self.limb].twist.linear.length(),
                        s.hands[self.limb].twist.angular.length(),
                    );
                    let moves = self.steps <= STUCK_STEPS || v > STILL || w > STILL_TURN;
                    self.still = if moves { 0 } else { self.still + 1 };
                    let stuck = self.still > STUCK_STEPS || far < 1e-3 && self.still > 0;
                    if arrived || stuck || stop.holds(s) || self.steps > self.patience {
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
                Motion::Shape(grip) => {
                    self.grip = grip;
                    self.next();
                }
                Motion::Grip { command, steps, held } => {
                    self.gripper = command;
                    self.lets_go &= command < 0.0;
                    if self.steps > steps
                        || held.is_some_and(|b| s.hands[self.limb].holds[b] && self.steps > 5)
                    {
                        self.next();
                        continue;
                    }
                    return self.stay(s);
                }
                Motion::Await { body, at, within } => {
                    let gap = (s.bodies[body].pose.pos - at).truncate().length();
                    if gap < within || self.steps > FOLLOW_STEPS * 3 {
                        self.next();
                        continue;
                    }
                    return self.stay(s);
                }
                Motion::Joined { hands, .. } | Motion::Gather { hands, .. } => {
                    let ready = |h: &&Hand| match motion {
                        Motion::Gather { at, within, .. } => (h.pose.pos - at).length() < within,
                        Motion::Joined { body, .. } => h.holds[body],
                        _ => false,
                    };
                    if s.hands.iter().filter(ready).count() >= hands {
                        self.next();
                        continue;
                    }
                    if self.steps > JOIN_STEPS {
                        self.load([]);
                    }
                    return self.stay(s);
                }
                Motion::Meet { body, within } => {
                    let at = s.bodies[body].pose.pos;
                    let waits = |h: &Hand| {
                        let near = (h.pose.pos - at).length() < within;
                        near && h.twist.linear.length() < GATHERED
                    };
                    let gathered = self.steps > 2 && s.hands.iter().all(waits);
                    if gathered || self.steps > JOIN_STEPS {
                        self.next();
                        continue;
                    }
                    return self.stay(s);
                }
                Motion::Swing { body, way, turn, to, speed, left } => {
                    let far = (landing(&s.bodies[body], to.z) - to).dot(way.with_z(0.0));
                    if !self.lets_go && (far >= 0.0 || left <= 0.0) {
                        (self.gripper, self.lets_go) = (-1.0, true);
                    }
                    // A hand that stops before its fingers are open takes the speed away.
                    if left <= 0.0 {
                        self.next();
                        continue;
                    }
                    self.speed = (self.speed + SWING).min(speed);
                    let left = left - self.speed;
                    self.queue[0] = Motion::Swing { body, way, turn, to, speed, left };
                    let from = &s.hands[self.limb].commanded;
                    let spin = DQuat::from_scaled_axis(turn * self.speed);
                    let on = Pose::new(from.pos + way * self.speed, (spin * from.rot).normalize());
                    return self.scale.towards(from, &on, self.speed, 0.4, self.gripper);
                }
                Motion::Wait(steps) => {
                    if self.steps > steps {
                        self.next();
                        continue;
                    }
                    return self.stay(s);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

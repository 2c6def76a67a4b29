//! One arm of an expert: the step it is at, its motions, how earlier attempts went.

use longarm_assets::robots::End;
use longarm_assets::{Ground, RigLimb};
use longarm_task::plan::BoundOp;
use longarm_task::{LimbId, Snapshot};
use longarm_types::{DVec3, ToolScale};

use crate::drive::{self, Drive, Floor};
use crate::limb::LimbGeometry;
use crate::motion::Motion;
use crate::mover::Mover;
use crate::skills::{Attempt, Meeting, Script};

/// How often a base is driven for one attempt.
const DRIVES: u32 = 2;
/// Tries per operator.
pub(crate) const TRIES: u32 = 4;

/// What an arm is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Deciding,
    Moving,
    /// Tuck in, then drive the base it stands on.
    Driving,
    /// Wait for the effect; control steps waited so far.
    Checking(u32),
    /// Stand by; control steps left.
    Waiting(u32),
    /// Get out of another arm's way, then decide again.
    Aside,
    /// Do what a search finds for all arms.
    Refining,
    /// Move as another arm's step wants.
    Helping,
    Finished,
}

/// An arm within one episode.
pub(crate) struct Arm {
    pub(crate) limb: LimbId,
    rig: RigLimb,
    /// Name of the robot it belongs to.
    robot: String,
    pub(crate) geometry: LimbGeometry,
    pub(crate) mover: Mover,
    pub(crate) state: State,
    /// The step of the plan it is at.
    pub(crate) step: Option<usize>,
    pub(crate) attempt: Attempt,
    /// Stages that were complete when the present operator began.
    pub(crate) counted: usize,
    /// Pieces of the present operator so far.
    pub(crate) pieces: u32,
    /// Another piece may follow.
    pub(crate) more: bool,
    /// The motions under way are to end with something in the hand.
    pub(crate) reached: bool,
    pub(crate) current: Option<BoundOp>,
    /// The arm whose motions are under way, where it is not this one.
    pub(crate) helper: Option<usize>,
    /// Where it meets the arm it passes something to.
    pub(crate) meeting: Option<Meeting>,
    /// Control steps for which another arm has been in the way.
    pub(crate) blocked: u32,
    pub(crate) doing: String,
    /// How far the fingers of a hand have closed, 0 to 1.
    closed: f64,
    /// The floor, where it stands on a base that drives over it.
    floor: Option<Floor>,
    drive: Option<Drive>,
    /// How often its base was driven for the present attempt.
    drives: u32,
    /// What the wheels of its base are told now: forward, left, turn.
    pub(crate) wheels: [f32; 3],
}

/// Share of their way by which fingers of a hand close in a control step: no faster than they feel.
const CLOSING: f64 = 0.08;

impl Arm {
    pub(crate) fn new(
        limb: LimbId,
        rig: RigLimb,
        robot: String,
        pace: f64,
        scale: ToolScale,
        ground: &Ground,
    ) -> Self {
        Self {
            limb,
            floor: rig.base().map(|b| Floor::new(ground, b.look.footprint())),
            drive: None,
            drives: 0,
            wheels: [0.0; 3],
            geometry: LimbGeometry::new(&rig),
            mover: Mover::new(limb, rig.spec().travel_speed, pace, scale),
            rig,
            robot,
            state: State::Deciding,
            step: None,
            attempt: Attempt::default(),
            counted: 0,
            pieces: 0,
            more: false,
            reached: false,
            current: None,
            helper: None,
            meeting: None,
            blocked: 0,
            doing: String::new(),
            closed: 0.0,
        }
    }

    /// Learn where it stands now, if it rides on a base that moves.
    pub(crate) fn stand(&mut self, s: &Snapshot) {
        let base = s.bases.iter().find(|b| b.robot == self.robot);
        if let Some(base) = base.filter(|_| self.rig.rides()) {
            self.rig.mount = base.pose;
            self.geometry = LimbGeometry::new(&self.rig);
        }
    }

    /// Whether a channel of actions drives the base it stands on.
    pub(crate) fn drives(&self, channel: &str) -> bool {
        let own = channel == "base" || channel.strip_suffix("_base") == Some(&self.robot);
        own && self.rig.rides()
    }

    /// Plan to drive where the limb reaches some points. Return whether that is somewhere else.
    pub(crate) fn set_off(&mut self, points: &[DVec3], s: &Snapshot) -> bool {
        let (Some(floor), Some(base)) = (&self.floor, self.rig.base()) else { return false };
        let Some(k) = s.bases.iter().position(|b| b.robot == self.robot) else { return false };
        if points.is_empty() || self.drives >= DRIVES {
            return false;
        }
        let way = drive::choose(&self.rig, floor, points).unwrap_or_default();
        if way.is_empty() {
            return false;
        }
        self.drives += 1;
        self.drive = Some(Drive::new(k, way, base.step(), self.mover.pace()));
        true
    }

    /// Drive on. Return whether it still drives.
    pub(crate) fn drive_on(&mut self, s: &Snapshot) -> bool {
        match self.drive.as_mut().and_then(|d| d.act(s)) {
            Some(wheels) => {
                self.wheels = wheels;
                true
            }
            None => {
                self.drive = None;
                false
            }
        }
    }

    /// Return the targets of a hand's finger joints for a gripper's command: all the way closed or open, at
    /// the pace of fingers. None for other ends.
    pub(crate) fn fingers(&mut self, command: f32) -> Option<Vec<f32>> {
        let End::Hand(hand) = &self.rig.spec().end else { return None };
        let to = if command >= 1.0 { 1.0 } else { 0.0 };
        let pace = if self.mover.lets_go() { 1.0 } else { CLOSING };
        self.closed += (to - self.closed).clamp(-pace, pace);
        let way = hand.synergy(self.mover.grip()).or_else(|| hand.synergies.first())?;
        Some(way.posture(self.closed).map(|q| q as f32).collect())
    }

    /// Decide again: about the present operator, or the next.
    pub(crate) fn begin_pieces(&mut self) {
        (self.pieces, self.more) = (0, false);
        (self.helper, self.meeting) = (None, None);
        self.state = State::Deciding;
    }

    /// Carry out a script.
    pub(crate) fn begin(&mut self, op: BoundOp, script: Script, sentence: String) {
        self.reached = script.motions.iter().any(Motion::takes);
        self.mover.load(script.motions);
        self.more = script.more;
        self.drives = 0;
        self.doing = script.said.unwrap_or(sentence);
        self.current = Some(op);
        self.state = State::Moving;
    }

    /// Whether it could take up another step.
    pub(crate) fn free(&self) -> bool {
        self.step.is_none()
            && !matches!(self.state, State::Helping | State::Aside | State::Finished)
    }
}

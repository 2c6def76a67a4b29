//! Pick-and-place actions of a suction arm, executed as motion.
//!
//! Approach, descend until contact, attach, lift, carry, descend until contact, release, retreat:
//! every phase is a stretch of ordinary control steps, bounded in steps.

use longarm_types::{Action, ActionSpec, Bounds, DQuat, DVec3, Pose};
use serde::{Deserialize, Serialize};

use crate::World;

/// Height at which things are carried, above the table.
const CARRY: f64 = 0.32;
/// Fast and slow travel per control step, metres.
const FAST: f64 = 0.04;
const SLOW: f64 = 0.002;
/// Distance above the expected contact at which the descent slows down.
const NEAR: f64 = 0.012;
/// How far below the expected contact the cup may search.
const SEARCH: f64 = 0.03;
/// Turning per control step, radians.
const TURN: f64 = 0.25;
/// Control steps any one phase may take.
const PHASE_STEPS: u32 = 120;

/// How a pick-and-place action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PickPlaceOutcome {
    /// Something was picked and set down.
    Placed,
    /// The cup met nothing that it can hold.
    NothingPicked,
    /// A pose was refused; nothing moved.
    Refused,
    /// The motion did not arrive in time.
    TimedOut,
}

/// What a pick-and-place action did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickPlaceReport {
    /// How it ended.
    pub outcome: PickPlaceOutcome,
    /// Why, where it did not end well.
    pub reason: Option<String>,
    /// Index of the tracked body that was picked.
    pub body: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Rise,
    OverPick,
    Descend,
    Lift,
    OverPlace,
    Lower,
    Retreat,
}

/// A pick-and-place action under way: asks for one end-effector action per control step.
#[derive(Clone, Debug)]
pub(crate) struct PickPlace {
    pick: Pose,
    place: Pose,
    phase: Phase,
    steps: u32,
    body: Option<usize>,
}

/// What to do next.
pub(crate) enum Next {
    Act(Action),
    Done(PickPlaceReport),
}

/// The pose of a cup that comes down vertically with the yaw of `q`.
fn downwards(pos: DVec3, q: DQuat) -> Pose {
    let yaw = longarm_types::yaw(q);
    Pose::new(pos, DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(std::f64::consts::PI))
}

impl PickPlace {
    /// Checks the two poses against the workspace.
    pub(crate) fn new(action: &[f32], workspace: &Bounds) -> Result<Self, PickPlaceReport> {
        let read = |v: &[f32], what: &str| {
            let v: [f64; 7] = std::array::from_fn(|i| f64::from(v[i]));
            let pos = DVec3::new(v[0], v[1], v[2]);
            let norm = v[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            let refuse = |reason: String| PickPlaceReport {
                outcome: PickPlaceOutcome::Refused,
                reason: Some(reason),
                body: None,
            };
            if (norm - 1.0).abs() > 0.05 {
                return Err(refuse(format!("the {what} quaternion has length {norm:.3}, not 1")));
            }
            let off = (pos - DVec3::from(workspace.centre)).abs() - DVec3::from(workspace.half);
            if off.max_element() > 0.0 {
                return Err(refuse(format!(
                    "the {what} position ({:.3}, {:.3}, {:.3}) lies outside the workspace",
                    pos.x, pos.y, pos.z
                )));
            }
            Ok(Pose::from_arrays(pos.to_array(), [v[3], v[4], v[5], v[6]]))
        };
        let half = ActionSpec::PICK_PLACE.dim / 2;
        Ok(Self {
            pick: read(&action[..half], "pick")?,
            place: read(&action[half..], "place")?,
            phase: Phase::Rise,
            steps: 0,
            body: None,
        })
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.steps = 0;
    }

    fn done(&self, outcome: PickPlaceOutcome, reason: Option<String>) -> Next {
        Next::Done(PickPlaceReport { outcome, reason, body: self.body })
    }

    /// The next end-effector action. Attaches and releases at the right moments.
    pub(crate) fn next(&mut self, world: &mut World) -> Next {
        loop {
            let hand = &world.snapshot().hand;
            let (at, commanded) = (hand.pose, hand.commanded);
            if self.steps >= PHASE_STEPS {
                let slow =
                    format!("the arm did not finish \"{:?}\" in {PHASE_STEPS} steps", self.phase);
                world.release();
                return self.done(PickPlaceOutcome::TimedOut, Some(slow));
            }
            self.steps += 1;
            let pick = downwards(self.pick.pos, self.pick.rot);
            let place = downwards(self.place.pos, self.place.rot);
            let over = |p: &Pose| Pose::new(p.pos.with_z(CARRY), p.rot);
            let (goal, speed) = match self.phase {
                Phase::Rise => (Pose::new(at.pos.with_z(CARRY), commanded.rot), FAST),
                Phase::OverPick => (over(&pick), FAST),
                Phase::Descend => {
                    if let Some(body) = world.cup_touches() {
                        world.attach(body);
                        self.body = Some(body);
                        self.enter(Phase::Lift);
                        continue;
                    }
                    if at.pos.z < pick.pos.z - SEARCH + 0.001 {
                        self.enter(Phase::Retreat);
                        continue;
                    }
                    let near = at.pos.z < pick.pos.z + NEAR;
                    let z = if near { pick.pos.z - SEARCH } else { pick.pos.z + 0.5 * NEAR };
                    (Pose::new(pick.pos.with_z(z), pick.rot), if near { SLOW } else { FAST })
                }
                Phase::Lift => (over(&pick), FAST),
                Phase::OverPlace => (over(&place), FAST),
                Phase::Lower => {
                    let Some(body) = self.body else {
                        return self.done(PickPlaceOutcome::NothingPicked, None);
                    };
                    let snap = world.snapshot();
                    let carried =
                        (0..snap.bodies.len()).any(|b| b != body && snap.touching.get(body, b));
                    if carried || at.pos.z < place.pos.z - SEARCH + 0.001 {
                        world.release();
                        self.enter(Phase::Retreat);
                        continue;
                    }
                    let near = at.pos.z < place.pos.z + NEAR;
                    let z = if near { place.pos.z - SEARCH } else { place.pos.z + 0.5 * NEAR };
                    (Pose::new(place.pos.with_z(z), place.rot), if near { SLOW } else { FAST })
                }
                Phase::Retreat => (Pose::new(at.pos.with_z(CARRY), commanded.rot), FAST),
            };
            let (far, turned) = at.error_to(&goal);
            let arrived = match self.phase {
                Phase::Rise | Phase::Lift | Phase::Retreat => at.pos.z > CARRY - 0.01,
                Phase::OverPick | Phase::OverPlace => far < 0.003 && turned < 0.02,
                Phase::Descend | Phase::Lower => false,
            };
            if arrived {
                match self.phase {
                    Phase::Rise => self.enter(Phase::OverPick),
                    Phase::OverPick => self.enter(Phase::Descend),
                    Phase::Lift => self.enter(Phase::OverPlace),
                    Phase::OverPlace => self.enter(Phase::Lower),
                    _ if self.body.is_some() => return self.done(PickPlaceOutcome::Placed, None),
                    _ => {
                        let why = "the cup met nothing it can hold at the pick pose".to_owned();
                        return self.done(PickPlaceOutcome::NothingPicked, Some(why));
                    }
                }
                continue;
            }
            return Next::Act(Action::towards(&commanded, &goal, speed, TURN, 1.0));
        }
    }
}

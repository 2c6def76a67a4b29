//! Pick-and-place actions of a suction arm, executed as motion.
//!
//! Rise, travel, descend until contact, attach, lift, carry, lower until contact, release, retreat,
//! wait until nothing moves: every phase is a stretch of ordinary control steps, bounded in steps.
//! Objects travel just above everything that stands on the table, or as high as the arm reaches.

use longarm_assets::kinematics::IkSettings;
use longarm_task::LimbId;
use longarm_types::{DQuat, DVec3, Pose};
use serde::{Deserialize, Serialize};

use crate::env::Observer;
use crate::{SimError, World};

/// Room kept below what travels.
const CLEAR: f64 = 0.03;
/// Fast travel per control step, travel down to where contact may come, and from there, metres.
const FAST: f64 = 0.05;
const DOWN: f64 = 0.022;
const SLOW: f64 = 0.003;
/// Distance above the expected contact at which the descent slows down, and how much of it is left
/// to correct where the tool is.
const NEAR: f64 = 0.009;
/// How well the tool must stand over a spot before it goes down the rest, and for how many control
/// steps it waits for that.
const ALIGNED: f64 = 0.0015;
const ALIGN_STEPS: u32 = 20;
/// How far below the given height the cup, or what it carries, may search for contact.
const SEARCH: f64 = 0.03;
/// How much the travel may grow per control step, and shrink on the way to a stop: arms overshoot.
const SPEED_UP: f64 = 0.011;
const SLOW_DOWN: f64 = 0.007;
/// Turning per control step, radians, and how much it may shrink per step.
const TURN: f64 = 0.35;
const TURN_DOWN: f64 = 0.06;
/// Control steps any one phase may take.
const PHASE_STEPS: u32 = 120;
/// Control steps objects may take to come to rest, and the speed below which they have.
const REST_STEPS: u32 = 40;
const REST_SPEED: f64 = 5e-3;
/// Largest error of the arm's kinematics at a pose that counts as reached.
const REACHED: f64 = 0.002;

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

impl PickPlaceReport {
    fn refused(reason: String) -> Self {
        Self { outcome: PickPlaceOutcome::Refused, reason: Some(reason), body: None }
    }
}

/// Carries out an action from its two poses.
pub(crate) fn perform(
    world: &mut World,
    action: &[f32],
    observer: Observer<'_>,
) -> Result<PickPlaceReport, SimError> {
    // A limb without a cup picks nothing, which the report says.
    let limb = world.suction_limb().unwrap_or(0);
    let mut arm = match Arm::poses(world, limb, action) {
        Ok((pick, place)) => Arm { world, limb, observer, pick, place, body: None, speed: 0.0 },
        Err(refused) => {
            // Time passes all the same.
            wait(world)?;
            observer(world);
            return Ok(refused);
        }
    };
    let done = arm.run();
    arm.world.release(arm.limb);
    let (outcome, reason) = match done {
        Ok(()) => (PickPlaceOutcome::Placed, None),
        Err(Halt::Broken(e)) => return Err(e),
        Err(Halt::Nothing) => {
            let why = "the cup met nothing it can hold at the pick pose".to_owned();
            (PickPlaceOutcome::NothingPicked, Some(why))
        }
        Err(Halt::Late(phase)) => {
            let why = format!("the arm did not finish to {phase} in {PHASE_STEPS} steps");
            (PickPlaceOutcome::TimedOut, Some(why))
        }
    };
    let body = arm.body;
    arm.rest()?;
    Ok(PickPlaceReport { outcome, reason, body })
}

/// Why a motion was not carried through.
enum Halt {
    Nothing,
    Late(&'static str),
    Broken(SimError),
}

impl From<SimError> for Halt {
    fn from(e: SimError) -> Self {
        Self::Broken(e)
    }
}

/// The pose of a cup that comes down vertically with the heading of `q`.
fn downwards(pos: DVec3, q: DQuat) -> Pose {
    let yaw = longarm_types::yaw(q);
    Pose::new(pos, DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(std::f64::consts::PI))
}

/// One control step of standing still.
fn wait(world: &mut World) -> Result<(), SimError> {
    let idle = world.control().idle();
    world.step(idle.values())
}

/// Whether the arm can bring its tool to a pose.
fn reaches(world: &World, limb: LimbId, pose: &Pose) -> bool {
    let settings = IkSettings { iterations: 60, damping: 0.01, ..IkSettings::default() };
    let home = world.home(limb);
    let found = world.controller(limb).chain().solve(pose, home, home, &settings);
    found.position_error < REACHED && found.rotation_error < 0.02
}

struct Arm<'a, 'o> {
    world: &'a mut World,
    limb: LimbId,
    observer: Observer<'o>,
    pick: Pose,
    place: Pose,
    body: Option<usize>,
    /// Travel of the last control step.
    speed: f64,
}

impl Arm<'_, '_> {
    /// The two poses, if they are poses, inside the workspace and within reach.
    fn poses(world: &World, limb: LimbId, action: &[f32]) -> Result<(Pose, Pose), PickPlaceReport> {
        let half = action.len() / 2;
        let read = |v: &[f32], what: &str| {
            let refuse = |why: String| Err(PickPlaceReport::refused(why));
            if let Some(i) = v.iter().position(|x| !x.is_finite()) {
                return refuse(format!("number {i} of the {what} pose is {}", v[i]));
            }
            let v: [f64; 7] = std::array::from_fn(|i| f64::from(v[i]));
            let pos = DVec3::new(v[0], v[1], v[2]);
            let norm = v[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (norm - 1.0).abs() > 0.05 {
                return refuse(format!("the {what} quaternion has length {norm:.3}, not 1"));
            }
            let space = &world.structure().rig.workspace;
            let off = (pos - DVec3::from(space.centre)).abs() - DVec3::from(space.half);
            let at = format!("the {what} position ({:.3}, {:.3}, {:.3})", pos.x, pos.y, pos.z);
            // Poses are single precision.
            if off.max_element() > 1e-6 {
                return refuse(format!("{at} lies outside the workspace"));
            }
            let pose = Pose::from_arrays(pos.to_array(), [v[3], v[4], v[5], v[6]]);
            let tool = downwards(pose.pos, pose.rot);
            if !reaches(world, limb, &tool) {
                return refuse(format!("{at} is beyond the arm's reach"));
            }
            Ok(tool)
        };
        Ok((read(&action[..half], "pick")?, read(&action[half..], "place")?))
    }

    fn run(&mut self) -> Result<(), Halt> {
        let free = self.world.top(None, None) + CLEAR;
        self.rise(free)?;
        let pick = self.pick;
        self.travel(&self.over(&pick, free), "travel to the pick pose")?;
        let held = self.descend();
        if !matches!(held, Ok(true)) {
            self.rise(free)?;
            return held.and(Err(Halt::Nothing));
        }
        let body = self.body.unwrap_or(0);
        let (height, radius) = self.world.extent(body);
        let carry = self.world.top(None, Some(body)) + height + CLEAR;
        let high = self.over(&pick, carry.max(pick.pos.z));
        // Straight up until it is clear of what it stood on or over, then on the way.
        let start = self.world.snapshot().hands[self.limb].pose.pos;
        let lift = Pose::new(start.with_z(high.pos.z), pick.rot);
        self.go("lift", FAST, |at| at.pos.z > lift.pos.z - 0.012, &lift)?;
        let place = self.place;
        self.travel(&self.over(&place, carry), "carry to the place pose")?;
        self.lower(body, height, radius)?;
        self.world.release(self.limb);
        let free = self.world.top(None, None) + CLEAR;
        self.rise(free)
    }

    /// A pose raised to a height, or as high as the arm reaches there.
    fn over(&self, pose: &Pose, height: f64) -> Pose {
        let low = pose.pos.z;
        let raised = |share: f64| {
            let z = low + share * (height - low).max(0.0);
            Pose::new(pose.pos.with_z(z), pose.rot)
        };
        let tries = [1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12].map(raised);
        tries.into_iter().find(|p| reaches(self.world, self.limb, p)).unwrap_or(*pose)
    }

    fn act(&mut self, goal: &Pose, speed: f64) -> Result<(), Halt> {
        let commanded = self.world.snapshot().hands[self.limb].commanded;
        let (left, to_turn) = commanded.error_to(goal);
        // As fast as may be and still stop there.
        let braking = |left: f64, by: f64| (2.0 * by * left).sqrt() + 0.1 * by;
        self.speed = speed.min(self.speed + SPEED_UP).min(braking(left, SLOW_DOWN));
        let turn = TURN.min(braking(to_turn, TURN_DOWN));
        let scale = self.world.control().tool_scale();
        let action = scale.towards(&commanded, goal, self.speed, turn, 1.0);
        self.world.step(action.values())?;
        (self.observer)(self.world);
        Ok(())
    }

    /// Moves towards a goal until `there`.
    fn go(
        &mut self,
        phase: &'static str,
        speed: f64,
        there: impl Fn(&Pose) -> bool,
        goal: &Pose,
    ) -> Result<(), Halt> {
        for _ in 0..PHASE_STEPS {
            if there(&self.world.snapshot().hands[self.limb].pose) {
                return Ok(());
            }
            self.act(goal, speed)?;
        }
        Err(Halt::Late(phase))
    }

    fn rise(&mut self, height: f64) -> Result<(), Halt> {
        let hand = &self.world.snapshot().hands[self.limb];
        let up = self.over(&Pose::new(hand.pose.pos, hand.commanded.rot), height);
        self.go("rise", FAST, |at| at.pos.z > up.pos.z - 0.012, &up)
    }

    fn travel(&mut self, goal: &Pose, phase: &'static str) -> Result<(), Halt> {
        let near = |at: &Pose| {
            let (far, turned) = at.error_to(goal);
            far < 0.004 && turned < 0.03
        };
        self.go(phase, FAST, near, goal)
    }

    /// Comes down on the pick pose; whether the cup took something.
    fn descend(&mut self) -> Result<bool, Halt> {
        let pick = self.pick;
        let xy = [pick.pos.x, pick.pos.y];
        let mut waited = 0;
        for _ in 0..PHASE_STEPS {
            if let Some(body) = self.world.cup_touches(self.limb)
                && self.world.attach(self.limb, body)
            {
                self.body = Some(body);
                return Ok(true);
            }
            let z = self.world.snapshot().hands[self.limb].pose.pos.z;
            let floor = pick.pos.z - SEARCH;
            if z < floor + 0.001 || z < 0.0005 {
                return Ok(false);
            }
            let near = self.world.top(Some((xy, 0.0)), None).max(pick.pos.z) + NEAR;
            self.sink(&pick, z, near, floor, &mut waited)?;
        }
        Ok(false)
    }

    /// Comes down on the place pose until what is carried touches something.
    fn lower(&mut self, body: usize, height: f64, radius: f64) -> Result<(), Halt> {
        let place = self.place;
        let under = self.world.top(Some(([place.pos.x, place.pos.y], 0.6 * radius)), Some(body));
        let near = (under + height).max(place.pos.z) + NEAR;
        let floor = (under + height).min(place.pos.z) - SEARCH;
        let mut waited = 0;
        for _ in 0..PHASE_STEPS {
            let s = self.world.snapshot();
            let touches = (0..s.bodies.len()).any(|b| b != body && s.touching.get(body, b));
            let z = s.hands[self.limb].pose.pos.z;
            if touches || z < floor + 0.001 {
                return Ok(());
            }
            self.sink(&place, z, near, floor, &mut waited)?;
        }
        Err(Halt::Late("lower"))
    }

    /// One step down: fast to where contact may come, and slowly from there once the tool stands
    /// right, so that it neither takes hold of an object nor sets it down beside the middle.
    fn sink(
        &mut self,
        to: &Pose,
        z: f64,
        near: f64,
        floor: f64,
        waited: &mut u32,
    ) -> Result<(), Halt> {
        let at = &self.world.snapshot().hands[self.limb].pose;
        let off = (at.pos - to.pos).truncate().length();
        let turned = longarm_types::rotation_between(at.rot, to.rot).length();
        let slow = z < near + 0.004;
        if slow && (off > ALIGNED || turned > 0.02) && *waited < ALIGN_STEPS {
            *waited += 1;
            return self.act(&Pose::new(to.pos.with_z(z.max(near)), to.rot), DOWN);
        }
        let goal = Pose::new(to.pos.with_z(if slow { floor } else { near }), to.rot);
        self.act(&goal, if slow { SLOW } else { DOWN })
    }

    /// Waits until nothing moves.
    fn rest(&mut self) -> Result<(), SimError> {
        for _ in 0..REST_STEPS {
            if self.world.speed() < REST_SPEED {
                break;
            }
            wait(self.world)?;
            (self.observer)(self.world);
        }
        Ok(())
    }
}

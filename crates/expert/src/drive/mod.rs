//! Driving a base: along a way over the floor, until it stands.

mod route;
mod stand;

use std::collections::VecDeque;
use std::f64::consts::PI;

use longarm_task::Snapshot;
use longarm_types::{CONTROL_HZ, DVec3, Pose, ToolScale, yaw};

pub(crate) use route::{Floor, Stand};
pub(crate) use stand::{choose, needs};

/// Change of speed, metres and radians per second and second: no more than the makers of powered-caster
/// bases ask of theirs.
const ACCELERATION: f64 = 0.5;
const TURN_ACCELERATION: f64 = 1.5;
/// How near to a corner of its way the base passes, metres and radians, and how near it comes to the end.
const NEAR: f64 = 0.04;
const NEAR_TURN: f64 = 0.06;
const THERE: f64 = 2e-3;
const THERE_TURN: f64 = 5e-3;
/// How far the measured pose may be off where it stands, and how fast it may still move.
const OFF: f64 = 0.01;
const STILL: f64 = 0.01;
/// Least progress in a control step, metres and radians.
const CREEP: f64 = 2e-4;
const CREEP_TURN: f64 = 1e-3;
/// Control steps after which a way is given up.
const PATIENCE: u32 = 1200;

/// Drives one base along its way.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    /// Index among the bases of the snapshot.
    base: usize,
    way: VecDeque<Stand>,
    scale: ToolScale,
    /// Share of the base's speed.
    pace: f64,
    speed: f64,
    turn: f64,
    steps: u32,
}

impl Drive {
    pub(crate) fn new(base: usize, way: Vec<Stand>, scale: ToolScale, pace: f64) -> Self {
        let way = way.into();
        Self { base, way, scale, pace: pace.min(1.0), speed: 0.0, turn: 0.0, steps: 0 }
    }

    /// Return the next numbers for the wheels: forward, left, turn. `None` once it stands at the end.
    pub(crate) fn act(&mut self, s: &Snapshot) -> Option<[f32; 3]> {
        self.steps += 1;
        let base = &s.bases[self.base];
        let told = base.commanded;
        while let Some(&to) = self.way.front().filter(|_| self.steps < PATIENCE) {
            let way = DVec3::new(to[0] - told.pos.x, to[1] - told.pos.y, 0.0);
            let turn = between(yaw(told.rot), to[2]);
            let (far, angle) = (way.length(), turn.abs());
            let last = self.way.len() == 1;
            let passed = match last {
                false => far < NEAR && angle < NEAR_TURN,
                true => far < THERE && angle < THERE_TURN && self.stands(&base.pose, to, s),
            };
            if passed {
                self.way.pop_front();
                continue;
            }
            let per_step = f64::from(CONTROL_HZ * CONTROL_HZ);
            let (gain, turn_gain) = (ACCELERATION / per_step, TURN_ACCELERATION / per_step);
            // Slow enough at the end to stand there, and at a corner to take it.
            let brake = |gain: f64, far: f64, creep: f64| (2.0 * gain * far).sqrt().max(creep);
            let most = self.pace * self.scale.metres;
            self.speed = (self.speed + gain).min(most).min(brake(gain, far, CREEP)).min(far);
            let most = self.pace * self.scale.radians;
            let stop = brake(turn_gain, angle, CREEP_TURN);
            self.turn = (self.turn + turn_gain).min(most).min(stop).min(angle);
            let own = told.rot.conjugate() * way.normalize_or_zero() * self.speed;
            let turned = self.turn.copysign(turn);
            let numbers =
                [own.x / self.scale.metres, own.y / self.scale.metres, turned / self.scale.radians];
            return Some(numbers.map(|v| v.clamp(-1.0, 1.0) as f32));
        }
        None
    }

    /// Whether the base itself has come to rest where it was told to stand.
    fn stands(&self, at: &Pose, to: Stand, s: &Snapshot) -> bool {
        let off = DVec3::new(to[0] - at.pos.x, to[1] - at.pos.y, 0.0).length();
        let v = s.bases[self.base].twist;
        off < OFF && v.linear.length() < STILL && v.angular.length() < STILL
    }
}

/// Return the shorter turn from one heading to another.
pub(crate) fn between(from: f64, to: f64) -> f64 {
    let turn = (to - from).rem_euclid(2.0 * PI);
    if turn > PI { turn - 2.0 * PI } else { turn }
}

#[cfg(test)]
mod tests {
    use longarm_task::MobileBase;
    use longarm_types::{DQuat, Twist};

    use super::*;

    #[test]
    fn a_base_begins_gently_and_stands_where_it_is_told() {
        let scale = ToolScale { metres: 0.025, radians: 0.08 };
        let mut s = Snapshot::empty(1, &["arm"]);
        s.bases.push(MobileBase {
            robot: "robot".into(),
            pose: Pose::IDENTITY,
            twist: Twist::default(),
            commanded: Pose::IDENTITY,
        });
        let goal = [0.6, -0.4, -1.2];
        let mut drive = Drive::new(0, vec![[0.3, 0.3, 0.4], goal], scale, 1.0);
        let mut before = 0.0;
        let mut steps = 0;
        while let Some([forward, left, turn]) = drive.act(&s) {
            let own = DVec3::new(forward.into(), left.into(), 0.0) * scale.metres;
            assert!(own.length() < before + 2e-3, "{before} to {}", own.length());
            before = own.length();
            let at = &mut s.bases[0];
            let turned = DQuat::from_rotation_z(f64::from(turn) * scale.radians);
            let pos = at.commanded.pos + at.commanded.rot * own;
            at.commanded = Pose::new(pos, (turned * at.commanded.rot).normalize());
            at.pose = at.commanded;
            steps += 1;
            assert!(steps < 400, "{:?}", at.pose);
        }
        let at = s.bases[0].pose;
        assert!((at.pos - DVec3::new(goal[0], goal[1], 0.0)).length() < 3e-3, "{at:?}");
        assert!(between(yaw(at.rot), goal[2]).abs() < 0.01, "{at:?}");
    }

    #[test]
    fn turns_go_the_shorter_way() {
        assert!((between(3.0, -3.0) - (2.0 * PI - 6.0)).abs() < 1e-12);
        assert!((between(0.5, 0.2) + 0.3).abs() < 1e-12);
    }
}

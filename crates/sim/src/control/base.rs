//! Driving a base: changes of its pose at 20 Hz onto three servos at 500 Hz.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_types::{DQuat, DVec3, Pose, ToolScale};

use super::line::JointLine;

/// Furthest a joint target may run ahead of the joint, metres or radians.
const LAG: f64 = 0.1;

/// Drives a base whose joints are x, y and heading. The commanded pose integrates deltas, which are in
/// the directions of the commanded heading.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BaseController {
    line: JointLine,
    /// Commanded x, y and heading.
    target: [f64; 3],
}

impl BaseController {
    /// Stand at `home`, with these servos (kv / kp) and speed limits.
    pub(crate) fn new(feed: [f64; 3], speed: [f64; 3], home: [f64; 3]) -> Self {
        let line = JointLine::new(joints(feed), 1.0, speed.into_iter(), &joints(home));
        Self { line, target: home }
    }

    /// Come to rest at a pose.
    pub(crate) fn reset(&mut self, home: [f64; 3]) {
        self.line.rest(&joints(home));
        self.target = home;
    }

    /// Take the numbers of one action: forward, left, turn.
    pub(crate) fn command(&mut self, scale: ToolScale, numbers: &[f64], measured: [f64; 3]) {
        let &[forward, left, turn] = numbers else { return };
        let [x, y, heading] = self.target;
        let way = DQuat::from_rotation_z(heading) * DVec3::new(forward, left, 0.0) * scale.metres;
        let wanted = [x + way.x, y + way.y, heading + turn * scale.radians];
        let goal = self.line.step_towards(&joints(wanted), &joints(measured), LAG);
        self.line.set(goal);
        // No further ahead of what the base can do than one whole action.
        let most = [scale.metres, scale.metres, scale.radians];
        for i in 0..3 {
            self.target[i] = wanted[i].clamp(goal[i] - most[i], goal[i] + most[i]);
        }
    }

    /// Write what the servos are told for physics step `k`.
    pub(crate) fn drive(&self, k: u32, measured: [f64; 3]) -> [f64; 3] {
        let mut out = [0.0; MAX_JOINTS];
        self.line.drive(k, |i| measured[i], &mut out);
        [out[0], out[1], out[2]]
    }

    /// Return where the base was told to be, seen from where it is at its joints' zero.
    pub(crate) fn target(&self) -> Pose {
        let [x, y, heading] = self.target;
        Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(heading))
    }
}

fn joints(values: [f64; 3]) -> Joints {
    let mut out = [0.0; MAX_JOINTS];
    out[..3].copy_from_slice(&values);
    out
}

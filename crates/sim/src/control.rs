//! Normalised end-effector deltas at 20 Hz onto joint servos at 500 Hz.
//!
//! The commanded tool pose integrates the deltas. Damped least squares finds joint targets for it,
//! scaled so that no joint is asked for more than its speed limit; within the control step the
//! servos follow a straight joint-space line with velocity feed-forward. A leash keeps the command
//! near what the arm can do, so that pushing against a table or reaching too far never winds up.

use longarm_assets::kinematics::{Chain, IkSettings, Joints};
use longarm_types::{
    ActionSpec, CONTROL_HZ, ChannelKind, DQuat, DVec3, Pose, SUBSTEPS, rotation_between,
};

/// Bounds the controller keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlLimits {
    /// Share of the joint speed limits that is asked for; the rest is room for the push of other
    /// joints when all change direction at once.
    pub speed_share: f64,
    /// Furthest the command may run ahead of the joint targets, metres.
    pub lead: f64,
    /// The same for rotation, radians.
    pub lead_angle: f64,
    /// Furthest a joint target may run ahead of the joint, radians.
    pub joint_lag: f64,
}

impl Default for ControlLimits {
    fn default() -> Self {
        Self { speed_share: 0.8, lead: 0.05, lead_angle: 0.5, joint_lag: 0.2 }
    }
}

/// The arm's controller. A plain value: copying it copies all its state.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmController {
    chain: Chain,
    /// kv / kp of each servo: how far ahead of the line the servo must be told to be to keep up.
    feed: Joints,
    rest: Joints,
    limits: ControlLimits,
    ik: IkSettings,
    /// Commanded tool pose.
    target: Pose,
    /// Joint targets at the end of the last control step.
    goal: Joints,
    /// Joint targets at its start.
    from: Joints,
    /// Gripper command, −1 open … +1 closed.
    gripper: f64,
}

impl ArmController {
    /// A controller at rest in the posture `home`.
    pub fn new(chain: Chain, feed: Joints, home: &Joints) -> Self {
        let target = chain.forward(home);
        Self {
            chain,
            feed,
            rest: *home,
            limits: ControlLimits::default(),
            ik: IkSettings { iterations: 4, ..IkSettings::default() },
            target,
            goal: *home,
            from: *home,
            gripper: -1.0,
        }
    }

    /// Back to rest in a posture, gripper open.
    pub fn reset(&mut self, home: &Joints) {
        self.rest = *home;
        self.goal = *home;
        self.from = *home;
        self.target = self.chain.forward(home);
        self.gripper = -1.0;
    }

    /// Take a limb's part of one action, already checked and clipped. `measured` are its joint
    /// positions now.
    pub fn command(&mut self, spec: &ActionSpec, limb: &str, action: &[f64], measured: &Joints) {
        for (channel, at) in spec.slices().filter(|(c, _)| c.limb.as_deref() == Some(limb)) {
            match (channel.kind, &action[at]) {
                (ChannelKind::ToolDelta(scale), &[x, y, z, rx, ry, rz]) => {
                    let turn = DVec3::new(rx, ry, rz) * scale.radians;
                    let target = Pose::new(
                        self.target.pos + DVec3::new(x, y, z) * scale.metres,
                        (DQuat::from_scaled_axis(turn) * self.target.rot).normalize(),
                    );
                    self.aim(&target, measured);
                }
                (ChannelKind::Gripper, &[gripper]) => self.gripper = gripper,
                _ => {}
            }
        }
    }

    /// Sends the tool towards a pose; as much of the way as one control step allows.
    fn aim(&mut self, target: &Pose, measured: &Joints) {
        let n = self.chain.dof();
        self.from = self.goal;
        let solved = self.chain.solve(target, &self.goal, &self.rest, &self.ik).joints;
        let mut share = 1.0f64;
        for i in 0..n {
            let most =
                self.limits.speed_share * self.chain.joints[i].velocity / f64::from(CONTROL_HZ);
            let want = (solved[i] - self.goal[i]).abs();
            if want > most {
                share = share.min(most / want);
            }
        }
        for i in 0..n {
            let next = self.goal[i] + share * (solved[i] - self.goal[i]);
            let lag = self.limits.joint_lag;
            self.goal[i] = next.clamp(measured[i] - lag, measured[i] + lag);
        }
        let reached = self.chain.forward(&self.goal);
        let ahead = (target.pos - reached.pos).clamp_length_max(self.limits.lead);
        let turn =
            rotation_between(reached.rot, target.rot).clamp_length_max(self.limits.lead_angle);
        self.target = Pose::new(
            reached.pos + ahead,
            (DQuat::from_scaled_axis(turn) * reached.rot).normalize(),
        );
    }

    /// Servo commands at physics step `k` of the control step, the joints being at `measured`.
    pub fn servo(&self, k: u32, measured: &Joints, ctrl: &mut Joints) {
        let t = f64::from(k + 1) / f64::from(SUBSTEPS);
        let rate = f64::from(CONTROL_HZ);
        for i in 0..self.chain.dof() {
            let way = self.goal[i] - self.from[i];
            let want = self.from[i] + t * way + self.feed[i] * way * rate;
            // A servo told to be `feed · v` ahead settles at the speed v: this is the speed limit,
            // also when the arm comes free after being blocked.
            let most = self.feed[i] * self.limits.speed_share * self.chain.joints[i].velocity;
            ctrl[i] = want.clamp(measured[i] - most, measured[i] + most);
        }
    }

    /// Gripper command, −1 open … +1 closed.
    pub fn gripper(&self) -> f64 {
        self.gripper
    }

    /// Commanded tool pose.
    pub fn target(&self) -> &Pose {
        &self.target
    }

    /// The arm's kinematics.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }
}

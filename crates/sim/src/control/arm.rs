//! Tool deltas, joint targets or joint deltas at 20 Hz onto joint servos at 500 Hz.
//!
//! The commanded tool pose integrates tool deltas. Damped least squares finds joint targets for it.
//! However joint targets come about, they are scaled so that no joint is asked for more than its
//! speed limit; within the control step the servos follow a straight joint-space line with velocity
//! feed-forward. A leash keeps the command near what the arm can do, so that pushing against a table
//! or reaching too far never winds up.

use longarm_assets::kinematics::{Chain, IkSettings, Joints, MAX_JOINTS};
use longarm_types::{CONTROL_HZ, ChannelKind, DQuat, DVec3, Pose, SUBSTEPS, rotation_between};

use super::{Controller, Drive, LimbState};

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
    /// Furthest a servo may be told to be ahead of its joint. A servo told to be `feed · v` ahead
    /// settles at the speed v: this is the speed limit, also when the arm comes free after being
    /// blocked.
    ahead: Joints,
    rest: Joints,
    limits: ControlLimits,
    ik: IkSettings,
    /// Commanded tool pose.
    target: Pose,
    /// Joint targets at the end of the last control step.
    goal: Joints,
    /// Joint targets at its start.
    from: Joints,
    /// The way from there to `goal`, and what the servos are told on top to keep up.
    way: Joints,
    lead: Joints,
}

impl ArmController {
    /// A controller at rest in the posture `home`.
    pub fn new(chain: Chain, feed: Joints, home: &Joints) -> Self {
        let target = chain.forward(home);
        let limits = ControlLimits::default();
        let mut ahead = [0.0; MAX_JOINTS];
        for ((ahead, feed), joint) in ahead.iter_mut().zip(feed).zip(&chain.joints) {
            *ahead = feed * limits.speed_share * joint.velocity;
        }
        Self {
            chain,
            feed,
            ahead,
            rest: *home,
            limits,
            ik: IkSettings { iterations: 4, ..IkSettings::default() },
            target,
            goal: *home,
            from: *home,
            way: [0.0; MAX_JOINTS],
            lead: [0.0; MAX_JOINTS],
        }
    }

    /// Set out for other joint targets.
    fn set_goal(&mut self, goal: Joints) {
        self.from = self.goal;
        self.goal = goal;
        for i in 0..self.chain.dof() {
            self.way[i] = self.goal[i] - self.from[i];
            self.lead[i] = self.feed[i] * self.way[i] * f64::from(CONTROL_HZ);
        }
    }

    /// Where a tool delta wants the tool; `None` if the numbers are something else.
    fn wanted(&self, kind: ChannelKind, numbers: &[f64]) -> Option<Pose> {
        let (ChannelKind::ToolDelta(scale), &[x, y, z, rx, ry, rz]) = (kind, numbers) else {
            return None;
        };
        let turn = DVec3::new(rx, ry, rz) * scale.radians;
        Some(Pose::new(
            self.target.pos + DVec3::new(x, y, z) * scale.metres,
            (DQuat::from_scaled_axis(turn) * self.target.rot).normalize(),
        ))
    }

    /// The joints at which the tool is at a pose, or near it.
    fn solve(&self, target: &Pose) -> Joints {
        self.chain.solve(target, &self.goal, &self.rest, &self.ik).joints
    }

    /// As much of the way from the present joint targets to others as one control step allows.
    fn step_towards(&self, wanted: &Joints, measured: &Joints) -> Joints {
        let n = self.chain.dof();
        let mut share = 1.0f64;
        for i in 0..n {
            let most =
                self.limits.speed_share * self.chain.joints[i].velocity / f64::from(CONTROL_HZ);
            let want = (wanted[i] - self.goal[i]).abs();
            if want > most {
                share = share.min(most / want);
            }
        }
        let mut goal = self.goal;
        for i in 0..n {
            let next = self.goal[i] + share * (wanted[i] - self.goal[i]);
            let lag = self.limits.joint_lag;
            goal[i] = next.clamp(measured[i] - lag, measured[i] + lag);
        }
        goal
    }

    /// Send the tool towards a pose.
    fn aim(&mut self, target: &Pose, measured: &Joints) {
        let solved = self.solve(target);
        self.set_goal(self.step_towards(&solved, measured));
        let reached = self.chain.forward(&self.goal);
        let ahead = (target.pos - reached.pos).clamp_length_max(self.limits.lead);
        let turn =
            rotation_between(reached.rot, target.rot).clamp_length_max(self.limits.lead_angle);
        self.target = Pose::new(
            reached.pos + ahead,
            (DQuat::from_scaled_axis(turn) * reached.rot).normalize(),
        );
    }

    /// Send the joints towards positions within their limits.
    fn bend(&mut self, mut wanted: Joints, measured: &Joints) {
        for (q, joint) in wanted.iter_mut().zip(&self.chain.joints) {
            *q = q.clamp(joint.range[0], joint.range[1]);
        }
        self.set_goal(self.step_towards(&wanted, measured));
        self.target = self.chain.forward(&self.goal);
    }
}

impl Controller for ArmController {
    fn reset(&mut self, home: &Joints) {
        self.rest = *home;
        self.goal = *home;
        self.set_goal(*home);
        self.target = self.chain.forward(home);
    }

    fn command(&mut self, kind: ChannelKind, numbers: &[f64], state: &LimbState<'_>) {
        let measured = state.joints();
        if let Some(target) = self.wanted(kind, numbers) {
            return self.aim(&target, &measured);
        }
        let mut wanted = self.goal;
        for (q, number) in wanted.iter_mut().zip(numbers).take(self.chain.dof()) {
            match kind {
                ChannelKind::JointTarget => *q = *number,
                ChannelKind::JointDelta { radians } => *q += number * radians,
                _ => {}
            }
        }
        self.bend(wanted, &measured);
    }

    fn drive(&mut self, k: u32, state: &LimbState<'_>, out: &mut Joints) -> Drive {
        let t = f64::from(k + 1) / f64::from(SUBSTEPS);
        for i in 0..self.chain.dof() {
            let want = self.from[i] + t * self.way[i] + self.lead[i];
            let measured = state.joint(i);
            out[i] = want.clamp(measured - self.ahead[i], measured + self.ahead[i]);
        }
        Drive::Servo
    }

    fn target(&self) -> &Pose {
        &self.target
    }

    fn chain(&self) -> &Chain {
        &self.chain
    }

    fn joint_goal(
        &self,
        kind: ChannelKind,
        numbers: &[f64],
        state: &LimbState<'_>,
    ) -> Option<Joints> {
        let wanted = self.solve(&self.wanted(kind, numbers)?);
        Some(self.step_towards(&wanted, &state.joints()))
    }

    fn joint_targets(&self) -> Option<&Joints> {
        Some(&self.goal)
    }

    fn boxed(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

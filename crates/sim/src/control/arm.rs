//! Tool deltas, joint targets or joint deltas at 20 Hz onto joint servos at 500 Hz.
//!
//! The commanded tool pose integrates tool deltas. Damped least squares finds joint targets for it.
//! However joint targets come about, they are scaled so that no joint is asked for more than its
//! speed limit; within the control step the servos follow a straight joint-space line with velocity
//! feed-forward. A leash keeps the command near what the arm can do, so that pushing against a table
//! or reaching too far never winds up.

use longarm_assets::kinematics::{Chain, IkSettings, Joints};
use longarm_types::{ChannelKind, DQuat, DVec3, Pose, ToolScale, rotation_between};

use super::line::JointLine;
use super::{Controller, Drive, LimbState};

/// Bounds the controller keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlLimits {
    /// Share of the joint speed limits that is asked for; the rest is room for the push of other
    /// joints when all change direction at once.
    pub speed_share: f64,
    /// Furthest a joint target may run ahead of the joint, radians.
    pub joint_lag: f64,
}

impl Default for ControlLimits {
    fn default() -> Self {
        Self { speed_share: 0.8, joint_lag: 0.2 }
    }
}

/// The arm's controller. A plain value: copying it copies all its state.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmController {
    chain: Chain,
    line: JointLine,
    rest: Joints,
    limits: ControlLimits,
    ik: IkSettings,
    /// Commanded tool pose.
    target: Pose,
    /// Where the base is that it stands on, and its first joint there; `None` if it is bolted down.
    carrier: Option<(Pose, Pose)>,
}

impl ArmController {
    /// A controller at rest in the posture `home`, with kv / kp of each servo.
    pub fn new(chain: Chain, feed: Joints, home: &Joints) -> Self {
        let target = chain.forward(home);
        let limits = ControlLimits::default();
        let speeds = chain.joints.iter().map(|j| j.velocity);
        Self {
            line: JointLine::new(feed, limits.speed_share, speeds, home),
            chain,
            rest: *home,
            limits,
            ik: IkSettings { iterations: 4, ..IkSettings::default() },
            target,
            carrier: None,
        }
    }

    /// Ride on a base that is at this pose now.
    pub fn riding(mut self, base: Pose) -> Self {
        self.carrier = self.chain.joints.first().map(|j| (base, base.inverse() * j.pose));
        self
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
        self.chain.solve(target, &self.line.goal, &self.rest, &self.ik).joints
    }

    fn step_towards(&self, wanted: &Joints, measured: &Joints) -> Joints {
        self.line.step_towards(wanted, measured, self.limits.joint_lag)
    }

    /// Send the tool towards a pose.
    fn aim(&mut self, target: &Pose, scale: ToolScale, measured: &Joints) {
        let solved = self.solve(target);
        self.line.set(self.step_towards(&solved, measured));
        let reached = self.chain.forward(&self.line.goal);
        // The command runs ahead of the joint targets by one whole action at most.
        let ahead = (target.pos - reached.pos).clamp_length_max(scale.metres);
        let turn = rotation_between(reached.rot, target.rot).clamp_length_max(scale.radians);
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
        self.line.set(self.step_towards(&wanted, measured));
        self.target = self.chain.forward(&self.line.goal);
    }
}

impl Controller for ArmController {
    fn reset(&mut self, home: &Joints) {
        self.rest = *home;
        self.line.rest(home);
        self.target = self.chain.forward(home);
    }

    fn command(&mut self, kind: ChannelKind, numbers: &[f64], state: &LimbState<'_>) {
        let measured = state.joints();
        if let (ChannelKind::ToolDelta(scale), Some(target)) = (kind, self.wanted(kind, numbers)) {
            return self.aim(&target, scale, &measured);
        }
        let mut wanted = self.line.goal;
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
        self.line.drive(k, |i| state.joint(i), out);
        Drive::Servo
    }

    fn carry(&mut self, base: &Pose) {
        let Some((before, first)) = &mut self.carrier else { return };
        self.target = *base * (before.inverse() * self.target);
        *before = *base;
        if let Some(joint) = self.chain.joints.first_mut() {
            joint.pose = *base * *first;
        }
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
        Some(&self.line.goal)
    }

    fn boxed(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

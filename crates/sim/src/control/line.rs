//! The way of joint targets within a control step.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_types::{CONTROL_HZ, SUBSTEPS};

/// Joint targets that go from one posture to the next on a straight line, with velocity feed-forward. No
/// joint is asked for more than its speed limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointLine {
    joints: usize,
    /// Speed that is asked for at most.
    speed: Joints,
    /// kv / kp of each servo: how far ahead of the line the servo must be told to be to keep up.
    feed: Joints,
    /// Furthest a servo may be told to be ahead of its joint. A servo told to be `feed · v` ahead
    /// settles at the speed v: this is the speed limit, also when the arm comes free after being
    /// blocked.
    ahead: Joints,
    /// Joint targets at the end of the last control step.
    pub(super) goal: Joints,
    /// Joint targets at its start.
    from: Joints,
    /// The way from there to `goal`, and what the servos are told on top to keep up.
    way: Joints,
    lead: Joints,
}

impl JointLine {
    /// Stand at `home`, with these servos and a share of these speed limits.
    pub(super) fn new(
        feed: Joints,
        share: f64,
        velocity: impl Iterator<Item = f64>,
        home: &Joints,
    ) -> Self {
        let (mut limits, mut ahead, mut joints) = ([0.0; MAX_JOINTS], [0.0; MAX_JOINTS], 0);
        for (velocity, i) in velocity.zip(0..MAX_JOINTS) {
            limits[i] = share * velocity;
            ahead[i] = feed[i] * share * velocity;
            joints += 1;
        }
        Self {
            joints,
            speed: limits,
            feed,
            ahead,
            goal: *home,
            from: *home,
            way: [0.0; MAX_JOINTS],
            lead: [0.0; MAX_JOINTS],
        }
    }

    /// Come to rest in a posture.
    pub(super) fn rest(&mut self, home: &Joints) {
        self.goal = *home;
        self.set(*home);
    }

    /// Set out for other joint targets.
    pub(super) fn set(&mut self, goal: Joints) {
        self.from = self.goal;
        self.goal = goal;
        for i in 0..self.joints {
            self.way[i] = self.goal[i] - self.from[i];
            self.lead[i] = self.feed[i] * self.way[i] * f64::from(CONTROL_HZ);
        }
    }

    /// As much of the way from the present joint targets to others as one control step allows, no
    /// further than `lag` from where the joints are.
    pub(super) fn step_towards(&self, wanted: &Joints, measured: &Joints, lag: f64) -> Joints {
        let n = self.joints;
        let mut share = 1.0f64;
        for i in 0..n {
            let most = self.speed[i] / f64::from(CONTROL_HZ);
            let want = (wanted[i] - self.goal[i]).abs();
            if want > most {
                share = share.min(most / want);
            }
        }
        let mut goal = self.goal;
        for i in 0..n {
            let next = self.goal[i] + share * (wanted[i] - self.goal[i]);
            goal[i] = next.clamp(measured[i] - lag, measured[i] + lag);
        }
        goal
    }

    /// Write what servos are told for physics step `k`, joints being where `measured` says.
    #[inline]
    pub(super) fn drive(&self, k: u32, measured: impl Fn(usize) -> f64, out: &mut Joints) {
        let t = f64::from(k + 1) / f64::from(SUBSTEPS);
        for i in 0..self.joints {
            let want = self.from[i] + t * self.way[i] + self.lead[i];
            let measured = measured(i);
            out[i] = want.clamp(measured - self.ahead[i], measured + self.ahead[i]);
        }
    }
}

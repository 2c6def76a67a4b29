//! From MuJoCo's arrays to the snapshot.

use longarm_assets::BodyRole;
use longarm_task::BodyState;
use longarm_types::{DQuat, DVec3, Pose, Twist, rotation_between};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::{EndHandles, HandJoint};

impl World {
    /// Reads poses, velocities, contacts and hands out of MuJoCo.
    pub(super) fn refresh(&mut self) {
        let d = &self.data;
        let snap = &mut self.snapshot;
        snap.time = d.time();
        for ((i, h), role) in
            self.handles.iter().enumerate().zip(self.bodies.iter().map(|b| b.role))
        {
            let pose = Pose::from_arrays(d.xpos()[h.body], d.xquat()[h.body]);
            let mut twist = Twist::default();
            if let Some((_, v)) = h.free {
                let q = d.qvel();
                twist.linear = DVec3::new(q[v], q[v + 1], q[v + 2]);
                // A free joint's angular velocity is in the body's own frame.
                twist.angular = pose.rot * DVec3::new(q[v + 3], q[v + 4], q[v + 5]);
            } else if let (Some((p, v)), BodyRole::Part(..)) = (h.joint, role) {
                snap.joints[i] = d.qpos()[p];
                if let Some((joint, turns)) = h.axis {
                    let along = DVec3::from(d.xaxis()[joint]) * d.qvel()[v];
                    if turns {
                        twist.angular = along;
                        twist.linear = along.cross(pose.pos - DVec3::from(d.xanchor()[joint]));
                    } else {
                        twist.linear = along;
                    }
                }
            }
            snap.bodies[i] = BodyState { pose, twist };
        }
        let awake = d.body_awake();
        let handles = &self.handles;
        self.contacts.update(
            d.contact(),
            |b| awake[handles[b].sleeper] != MjtSleepState::mjS_AWAKE,
            snap,
        );
        for (i, limb) in self.limbs.iter().enumerate() {
            let m = d.site_xmat()[limb.tool_site];
            let rot = DQuat::from_mat3(&longarm_types::DMat3::from_cols_array(&[
                m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8],
            ]));
            let at = DVec3::from(d.site_xpos()[limb.tool_site]);
            let pose = Pose::new(at, rot.normalize());
            let hand = &mut snap.hands[i];
            hand.twist = if snap.step == 0 {
                Twist::default()
            } else {
                let rate = f64::from(longarm_types::CONTROL_HZ);
                Twist {
                    linear: (pose.pos - hand.pose.pos) * rate,
                    angular: rotation_between(hand.pose.rot, pose.rot) * rate,
                }
            };
            hand.pose = pose;
            hand.commanded = *self.controllers[i].target();
            hand.closing = self.ends[i].gripper > 0.0;
            let pinched = |b: usize| self.contacts.fingers(i, b) >= 2;
            match &limb.end {
                EndHandles::Gripper { fingers, .. } => {
                    hand.opening = fingers.iter().map(|&f| d.qpos()[f]).sum();
                    for b in 1..hand.holds.len() {
                        hand.holds[b] = pinched(b);
                    }
                }
                EndHandles::Suction { holding, .. } => {
                    hand.opening = if holding.is_some() { 0.0 } else { 1.0 };
                    hand.closing = holding.is_some();
                    for b in 1..hand.holds.len() {
                        hand.holds[b] = *holding == Some(b);
                    }
                }
                EndHandles::Hand(joints) => {
                    hand.opening = openness(joints, d.qpos());
                    for b in 1..hand.holds.len() {
                        hand.holds[b] = self.contacts.opposed(i, b);
                    }
                }
            }
        }
        self.read_bases();
        self.read_media();
        self.read_flexes();
    }
}

/// How far a hand's joints are from the far end of their range, 0–1 on average: curled is 0.
fn openness(joints: &[HandJoint], qpos: &[f64]) -> f64 {
    let share = |j: &HandJoint| (j.range[1] - qpos[j.qpos]) / (j.range[1] - j.range[0]);
    joints.iter().map(share).sum::<f64>() / joints.len().max(1) as f64
}

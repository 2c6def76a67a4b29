//! Where the links of a robot are.

use longarm_types::{DQuat, DVec3, Pose};

use super::{Base, End, GripperFinger, JointMotion, Limb, Link, RobotJoint, RobotSpec};

/// The pose of a link against its parent, its joint at `value`.
fn moved(link: &Link, value: f64) -> Pose {
    let Some(j) = &link.joint else { return link.pose };
    let axis = DVec3::from(j.axis);
    match j.motion {
        JointMotion::Hinge => {
            let mut pose = link.pose;
            pose.rot *= DQuat::from_axis_angle(axis, value);
            pose
        }
        JointMotion::Slide => link.pose * Pose { pos: axis * value, rot: DQuat::IDENTITY },
    }
}

/// Poses of links from `from` on, with joint values in the order of the joints.
fn chain(links: &[Link], from: Pose, values: &[f64]) -> Vec<Pose> {
    let mut out: Vec<Pose> = Vec::with_capacity(links.len());
    let mut values = values.iter();
    for link in links {
        let parent = link.parent.map_or(from, |p| out[p]);
        let value = if link.joint.is_some() { values.next().copied().unwrap_or(0.0) } else { 0.0 };
        out.push(parent * moved(link, value));
    }
    out
}

impl Limb {
    /// Return the pose of each link, and of the tool at last, the robot standing at `mount`.
    pub fn link_poses(&self, mount: &Pose, joints: &[f64]) -> Vec<(String, Pose)> {
        let (arm, end) = joints.split_at(self.home.len().min(joints.len()));
        let poses = chain(&self.links, self.standing(mount), arm);
        let hand = poses[self.hand];
        let names = self.links.iter().map(|l| l.name.clone());
        let mut out: Vec<(String, Pose)> = names.zip(poses).collect();
        self.end_poses(&hand, end, &mut out);
        out.push(("tool".to_owned(), hand * self.tool));
        out
    }

    /// Append the poses of fingers, with the joints of the end; where they are not given, at the start.
    fn end_poses(&self, hand: &Pose, joints: &[f64], out: &mut Vec<(String, Pose)>) {
        match &self.end {
            End::Suction(_) => {}
            End::Gripper(gripper) if gripper.mechanism.is_empty() => {
                for (i, f) in gripper.fingers.iter().enumerate() {
                    let value = joints.get(i).copied().unwrap_or(gripper.finger_travel());
                    let open = DVec3::from(f.axis) * value;
                    out.push((f.name.clone(), *hand * f.pose * Pose::new(open, DQuat::IDENTITY)));
                }
            }
            End::Gripper(gripper) => {
                let names = gripper.mechanism.iter().map(|l| l.name.clone());
                out.extend(names.zip(chain(&gripper.mechanism, *hand, joints)));
            }
            End::Hand(end) => {
                let mut rest = if joints.is_empty() { end.home.as_slice() } else { joints };
                for f in &end.fingers {
                    let (own, others) = rest.split_at(f.links.len().min(rest.len()));
                    rest = others;
                    let poses = chain(&f.links, *hand, own);
                    let tip = poses.last().map(|p| *p * f.tip);
                    let names = f.links.iter().map(|l| format!("{}_{}", f.name, l.name));
                    out.extend(names.zip(poses));
                    out.extend(tip.map(|tip| (format!("{}_tip", f.name), tip)));
                }
            }
        }
    }

    /// Return the number of joints of its hand's fingers; 0 for other ends.
    pub fn fingers(&self) -> usize {
        match &self.end {
            End::Hand(hand) => hand.joints().count(),
            End::Gripper(_) | End::Suction(_) => 0,
        }
    }

    /// Return the joints of what is at its end, in the order of the links.
    pub fn end_joints(&self) -> Vec<RobotJoint> {
        match &self.end {
            End::Suction(_) => Vec::new(),
            End::Gripper(g) if g.mechanism.is_empty() => {
                let slide = |f: &GripperFinger| RobotJoint {
                    name: f.joint.clone(),
                    motion: JointMotion::Slide,
                    axis: f.axis,
                    range: [0.0, g.finger_travel()],
                    velocity: 0.0,
                    armature: 0.0,
                    damping: 0.0,
                    kp: 0.0,
                    kv: 0.0,
                    force: 0.0,
                };
                g.fingers.iter().map(slide).collect()
            }
            End::Gripper(g) => g.mechanism.iter().filter_map(|l| l.joint.clone()).collect(),
            End::Hand(hand) => hand.joints().map(|(_, j)| j.clone()).collect(),
        }
    }
}

impl Base {
    /// Return the pose of each link, the floor under it at `mount`.
    pub fn link_poses(&self, mount: &Pose, joints: &[f64]) -> Vec<(String, Pose)> {
        let names = self.links.iter().map(|l| l.name.clone());
        names.zip(chain(&self.links, *mount, joints)).collect()
    }

    /// Return where limbs stand at the start, the floor under it at `mount`.
    pub fn top(&self, mount: &Pose) -> Pose {
        chain(&self.links, *mount, &self.home).last().copied().unwrap_or(*mount)
    }
}

impl RobotSpec {
    /// Return the pose of each link in the robot's own frame, the base's first, then limb by limb, with all
    /// joint values in that order in a row; names carry the limb's where there are several.
    pub fn link_poses(&self, joints: &[f64]) -> Vec<(String, Pose)> {
        let of_base = self.base.as_ref().map_or(0, |b| b.home.len());
        let whole = joints.len() > self.dof();
        let (of_base, mut rest) = joints.split_at(of_base.min(joints.len()));
        let base = self.base.as_ref().map(|b| b.link_poses(&Pose::IDENTITY, of_base));
        let mut out = base.unwrap_or_default();
        let mount = out.last().map_or(Pose::IDENTITY, |(_, top)| *top);
        for limb in &self.limbs {
            let own =
                limb.home.len() + if whole { limb.end_joints().len() } else { limb.fingers() };
            let (own, others) = rest.split_at(own.min(rest.len()));
            rest = others;
            for (name, pose) in limb.link_poses(&mount, own) {
                let name = match self.limbs.len() {
                    1 => name,
                    _ => format!("{}/{name}", limb.name),
                };
                out.push((name, pose));
            }
        }
        out
    }

    /// Return the number of joints of the base, of all limbs' arms and of hands together. A gripper's
    /// fingers are not counted.
    pub fn dof(&self) -> usize {
        let base = self.base.as_ref().map_or(0, |b| b.home.len());
        base + self.limbs.iter().map(|l| l.home.len() + l.fingers()).sum::<usize>()
    }

    /// Return all joints in the order of their values: the base's, then limb by limb the arm's and the
    /// hand's; with `grippers`, those of grippers too.
    pub fn joints(&self, grippers: bool) -> Vec<RobotJoint> {
        let mut out: Vec<RobotJoint> =
            self.base.iter().flat_map(|b| b.joints().cloned().collect::<Vec<_>>()).collect();
        for limb in &self.limbs {
            out.extend(limb.joints().cloned());
            if grippers || limb.fingers() > 0 {
                out.extend(limb.end_joints());
            }
        }
        out
    }

    /// Return the joint values of the start, in the same order without grippers.
    pub fn home(&self) -> Vec<f64> {
        let mut out = self.base.as_ref().map(|b| b.home.clone()).unwrap_or_default();
        for limb in &self.limbs {
            out.extend(&limb.home);
            if let End::Hand(hand) = &limb.end {
                out.extend(&hand.home);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::RobotName;

    /// The tool is where the kinematic chain says.
    #[test]
    fn links_agree_with_the_chain() {
        for name in RobotName::all() {
            let robot = name.spec();
            for limb in &robot.limbs {
                let q: Vec<f64> = limb.home.iter().map(|v| v + 0.1).collect();
                let mut joints = crate::kinematics::Joints::default();
                joints[..q.len()].copy_from_slice(&q);
                let tool = limb.link_poses(&Pose::IDENTITY, &q).pop().unwrap().1;
                let chain = limb.chain(&Pose::IDENTITY).forward(&joints);
                assert!((tool.pos - chain.pos).length() < 1e-9, "{name:?}");
                assert!(tool.rot.dot(chain.rot).abs() > 1.0 - 1e-9, "{name:?}");
            }
        }
    }
}

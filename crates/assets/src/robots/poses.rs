//! Where the links of a robot are.

use longarm_types::{DQuat, DVec3, Pose};

use super::{Base, JointMotion, Limb, Link, RobotSpec};

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
        let poses = chain(&self.links, self.standing(mount), joints);
        let tool = poses[self.hand] * self.tool;
        let names = self.links.iter().map(|l| l.name.clone());
        names.zip(poses).chain([("tool".to_owned(), tool)]).collect()
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
        let (of_base, mut rest) = joints.split_at(of_base.min(joints.len()));
        let base = self.base.as_ref().map(|b| b.link_poses(&Pose::IDENTITY, of_base));
        let mut out = base.unwrap_or_default();
        let mount = out.last().map_or(Pose::IDENTITY, |(_, top)| *top);
        for limb in &self.limbs {
            let (own, others) = rest.split_at(limb.home.len().min(rest.len()));
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

    /// Return the number of joints of the base and of all limbs' arms together.
    pub fn dof(&self) -> usize {
        let base = self.base.as_ref().map_or(0, |b| b.home.len());
        base + self.limbs.iter().map(|l| l.home.len()).sum::<usize>()
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

//! The limbs of a rig's robots, in one row.

use std::sync::Arc;

use longarm_types::Pose;

use super::Rig;
use crate::kinematics::{Chain, MAX_JOINTS};
use crate::robots::{Base, End, Limb, RobotSpec};

/// A limb of one of a rig's robots.
#[derive(Clone, Debug)]
pub struct RigLimb {
    /// Name, unique within the rig.
    pub name: String,
    /// What the names of its bodies, joints and actuators begin with in the model.
    pub prefix: String,
    /// Index of its robot in the rig.
    pub robot: usize,
    /// Pose of what it stands on at the start: the robot's place, or the top of a base that moves.
    pub mount: Pose,
    /// Joints at the start of an episode.
    pub home: Vec<f64>,
    /// Joints of its hand at the start; empty for other ends.
    pub fingers: Vec<f64>,
    spec: Arc<RobotSpec>,
    limb: usize,
    /// Its place among the rig's limbs, and how many there are.
    place: (usize, usize),
}

impl RigLimb {
    /// Return the limb as data.
    pub fn spec(&self) -> &Limb {
        &self.spec.limbs[self.limb]
    }

    /// Return the kinematic chain from the world to the tool.
    pub fn chain(&self) -> Chain {
        self.spec().chain(&self.mount)
    }

    /// Return where it stands in the world at the start.
    pub fn standing(&self) -> Pose {
        self.spec().standing(&self.mount)
    }

    /// Return the middle of its palm's face in the world at the start, z out of it; none without a hand.
    pub fn palm(&self) -> Option<Pose> {
        let limb = self.spec();
        let End::Hand(hand) = &limb.end else { return None };
        let mut home = [0.0; MAX_JOINTS];
        home[..self.home.len()].copy_from_slice(&self.home);
        Some(self.chain().forward(&home) * limb.tool.inverse() * hand.palm)
    }

    /// Return the body of its suction cup, if it has one.
    pub fn cup(&self) -> Option<String> {
        let limb = self.spec();
        let name = || format!("{}{}", self.prefix, limb.links[limb.hand].name);
        matches!(limb.end, End::Suction(_)).then(name)
    }

    /// Return the name of the weld that attaches an object to its suction cup.
    pub fn weld(&self, object: &str) -> String {
        match self.place {
            (_, 1) => format!("suction/{object}"),
            _ => format!("suction/{}/{object}", self.name),
        }
    }

    /// Whether it stands on a base that moves.
    pub fn rides(&self) -> bool {
        self.spec.base.is_some()
    }

    /// Return the base that moves which it stands on.
    pub fn base(&self) -> Option<&Base> {
        self.spec.base.as_ref()
    }

    /// Return the collision bits of its links: they feel the world, hands and the links of other
    /// limbs but not each other. Hands feel everything but the links next to them.
    pub(crate) fn arm_bits(&self) -> String {
        let (place, of) = self.place;
        let others = (0..of).filter(|&i| i != place).fold(1, |bits, i| bits | 2 << i);
        format!("contype=\"{}\" conaffinity=\"{others}\"", 2 << place)
    }
}

impl Rig {
    /// Return the limbs of all robots, in the order of hands and action channels.
    pub fn limbs(&self) -> Vec<RigLimb> {
        let specs: Vec<_> = self.robots.iter().map(|r| r.robot.spec()).collect();
        let of = specs.iter().map(|s| s.limbs.len()).sum();
        let mut out = Vec::with_capacity(of);
        for (robot, (mounted, spec)) in self.robots.iter().zip(&specs).enumerate() {
            let mount = spec.base.as_ref().map_or(mounted.mount, |b| b.top(&mounted.mount));
            for (limb, own) in spec.limbs.iter().enumerate() {
                let name = match (self.robots.len(), spec.limbs.len()) {
                    (1, _) => own.name.clone(),
                    (_, 1) => mounted.name.clone(),
                    _ => format!("{}-{}", mounted.name, own.name),
                };
                out.push(RigLimb {
                    prefix: if of == 1 { "robot/".to_owned() } else { format!("robot/{name}/") },
                    name,
                    robot,
                    mount,
                    home: mounted.home.get(limb).unwrap_or(&own.home).clone(),
                    fingers: match (&own.end, mounted.fingers.get(limb)) {
                        (End::Hand(_), Some(given)) if !given.is_empty() => given.clone(),
                        (End::Hand(hand), _) => hand.home.clone(),
                        _ => Vec::new(),
                    },
                    spec: spec.clone(),
                    limb,
                    place: (out.len(), of),
                });
            }
        }
        out
    }

    /// Return the names of the limbs, in the order of hands and action channels.
    pub fn limb_names(&self) -> Vec<String> {
        self.limbs().into_iter().map(|l| l.name).collect()
    }

    /// Return the number of arm joints, all limbs together.
    pub fn dof(&self) -> usize {
        self.limbs().iter().map(|l| l.home.len()).sum()
    }

    /// Return the names of the robots, joined where there are several.
    pub fn robot_names(&self) -> String {
        let mut names: Vec<&str> = self.robots.iter().map(|r| r.robot.as_str()).collect();
        names.dedup();
        names.join("+")
    }

    /// What the names of the links of a robot's own base begin with in the model.
    pub fn base_prefix(&self, robot: usize) -> String {
        match self.robots.len() {
            1 => "robot/base/".to_owned(),
            _ => format!("robot/{}/base/", self.robots[robot].name),
        }
    }
}

//! A concrete scene: everything that randomness decided.

use std::collections::BTreeMap;

use longarm_assets::{Part, PartMotion, Structure, Tint};
use longarm_types::{DQuat, DVec3, Pose, Seed};
use serde::{Deserialize, Serialize};

use crate::BodyId;

/// A moving part's joint value at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartState {
    /// Index of the instance.
    pub instance: usize,
    /// Name of its part.
    pub part: String,
    /// Joint value.
    pub value: f64,
}

/// How a rope lies at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineStart {
    /// Index of the instance.
    pub instance: usize,
    /// Where its nodes are, in the frame of the asset.
    pub points: Vec<[f64; 2]>,
}

/// One sample of a task's scene distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Seed it was drawn from.
    pub seed: Seed,
    /// Rig and instances: decides the compiled model.
    pub structure: Structure,
    /// Pose of each instance, by index.
    pub poses: Vec<Pose>,
    /// Colour of each instance, by index.
    pub tints: Vec<Tint>,
    /// What carries each instance at the start, by index; 0 is the table.
    pub starts_on: Vec<BodyId>,
    /// What sentences call each instance, by index.
    pub called: Vec<String>,
    /// Parts that do not start at zero.
    pub parts: Vec<PartState>,
    /// Ropes that do not start straight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineStart>,
    /// Surface speeds of conveyors: instance index and metres per second.
    pub belts: Vec<(usize, f64)>,
    /// Drawn variables, such as how many sticks there are.
    pub variables: BTreeMap<String, i64>,
    /// The instruction, its template filled in.
    pub instruction: String,
}

impl Scene {
    /// A scene of these instances at the origin, in their own colours, on the table.
    pub fn plain(structure: Structure) -> Self {
        let n = structure.instances.len();
        Self {
            seed: Seed(0),
            poses: vec![Pose::IDENTITY; n],
            tints: vec![Tint::Own; n],
            starts_on: vec![0; n],
            called: structure.instances.iter().map(|i| i.name.clone()).collect(),
            structure,
            parts: Vec::new(),
            lines: Vec::new(),
            belts: Vec::new(),
            variables: BTreeMap::new(),
            instruction: String::new(),
        }
    }

    /// Index of the instance with this name.
    pub fn instance(&self, name: &str) -> Option<usize> {
        self.structure.instances.iter().position(|i| i.name == name)
    }

    /// Joint value of a part at the start.
    pub fn part_value(&self, instance: usize, part: &str) -> f64 {
        self.parts
            .iter()
            .find(|p| p.instance == instance && p.part == part)
            .map_or(0.0, |p| p.value)
    }

    /// Where the nodes of a rope are at the start, in the frame of its asset; `None` if it lies straight.
    pub fn line(&self, instance: usize) -> Option<&[[f64; 2]]> {
        let line = self.lines.iter().find(|l| l.instance == instance)?;
        Some(&line.points)
    }

    /// What sentences call the object, part or region at this path.
    pub fn called(&self, path: &str) -> String {
        let (object, rest) = path.split_once('/').map_or((path, None), |(o, r)| (o, Some(r)));
        let name = self.instance(object).map_or(object, |i| self.called[i].as_str());
        crate::template::phrase(name, rest)
    }
}

/// Pose of a part in its asset's frame at a joint value.
pub fn part_pose(part: &Part, value: f64) -> Pose {
    match part.motion {
        PartMotion::Slide { axis } => {
            Pose::new(part.rest.pos + DVec3::from(axis) * value, part.rest.rot)
        }
        PartMotion::Hinge { axis, pivot } => {
            let turn = DQuat::from_axis_angle(DVec3::from(axis), value);
            let pivot = DVec3::from(pivot);
            Pose::new(pivot + turn * (part.rest.pos - pivot), (turn * part.rest.rot).normalize())
        }
    }
}

//! Recordings of the original stack.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Recording {
    pub task: String,
    pub suite: String,
    pub id: String,
    pub versions: BTreeMap<String, String>,
    pub init_state: Vec<f64>,
    pub fixtures: BTreeMap<String, FixturePose>,
    pub objects: Vec<String>,
    pub articulated: Vec<String>,
    pub actions: Vec<[f64; 7]>,
    pub steps: Steps,
    pub initial: Initial,
    pub checkpoints: BTreeMap<usize, Checkpoint>,
}

/// A moment before an action, whole.
#[derive(Deserialize)]
pub struct Checkpoint {
    time: f64,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    pub qacc_warmstart: Vec<f64>,
    pub goal_ori: [[f64; 3]; 3],
    gripper_action: Vec<f64>,
}

impl Checkpoint {
    pub fn state(&self) -> Vec<f64> {
        [&[self.time], &self.qpos[..], &self.qvel[..]].concat()
    }

    /// Where the fingers are told to be; one number stands for both before the first command.
    pub fn grip(&self) -> [f64; 2] {
        let first = self.gripper_action.first().copied().unwrap_or(0.0);
        [first, self.gripper_action.get(1).copied().unwrap_or(first)]
    }
}

#[derive(Deserialize)]
pub struct FixturePose {
    pub root_body: String,
    pub pos: [f64; 3],
    pub quat: [f64; 4],
}

#[derive(Deserialize)]
pub struct Initial {
    pub eef_pos: [f64; 3],
    pub obj: Vec<[f64; 7]>,
}

#[derive(Deserialize)]
pub struct Steps {
    pub eef_pos: Vec<[f64; 3]>,
    pub art: Vec<Vec<f64>>,
    pub obj: Vec<Vec<[f64; 7]>>,
    pub success: Vec<bool>,
    pub obs_eef_pos: Vec<[f64; 3]>,
    pub obs_eef_quat: Vec<[f64; 4]>,
    pub obs_q: Vec<[f64; 7]>,
    pub obs_grip: Vec<[f64; 2]>,
}

impl Recording {
    pub fn read(file: &Path) -> Result<Self, String> {
        let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
        let text = std::fs::read_to_string(file).map_err(|e| fail(&e))?;
        let out: Self = serde_json::from_str(&text).map_err(|e| fail(&e))?;
        let n = out.actions.len();
        let lengths = [out.steps.eef_pos.len(), out.steps.obj.len(), out.steps.success.len()];
        if n == 0 || lengths.iter().any(|l| *l != n) {
            return Err(fail(&"has more or fewer steps than actions"));
        }
        Ok(out)
    }

    pub fn version(&self) -> &str {
        self.versions.get("mujoco").map_or("?", String::as_str)
    }

    /// Whether it was made with the engine's own version of the physics.
    pub fn is_current(&self) -> bool {
        self.version() == longarm_sim::mujoco_version()
    }
}

//! A policy that does what was done when the scene looked most alike.
//!
//! It has no idea of objects or goals: it compares small pictures and its own posture with every frame
//! of some demonstrations and plays the actions that followed the nearest one. That makes it a small
//! stand-in for a visuomotor policy, led astray by what it has not seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_types::{Action, DVec3, Observation};

use crate::{Decision, EpisodeInfo, Policy, PolicyError};

/// How frames are compared, and how much is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameFeatures {
    /// Actions played before it looks again.
    pub chunk: usize,
    /// Pixels a side to which pictures are shrunk.
    pub pixels: usize,
    /// Weight of the body beside the pictures.
    pub body: f32,
}

impl Default for FrameFeatures {
    fn default() -> Self {
        Self { chunk: 8, pixels: 32, body: 0.1 }
    }
}

/// Units in which differences are alike: a share of full brightness over a whole picture, metres,
/// components of the tool's axes, shares of the gripper's opening.
const BRIGHTNESS: f32 = 0.03;
const METRES: f64 = 0.05;
const AXES: f64 = 0.5;
const OPENING: f64 = 0.5;

impl FrameFeatures {
    /// A frame as numbers whose distances compare frames.
    pub fn of(&self, seen: &Observation) -> Result<Vec<f32>, PolicyError> {
        if seen.cameras.is_empty() {
            return Err(PolicyError::Fault(
                "comparing pictures takes pictures, and there are none".into(),
            ));
        }
        let mut out = Vec::new();
        for own in &seen.limbs {
            let axes = [own.tool.rot * DVec3::X, own.tool.rot * DVec3::Z];
            out.extend(own.tool.pos.to_array().map(|v| v / METRES));
            out.extend(axes.iter().flat_map(|a| a.to_array()).map(|v| v / AXES));
            out.push(own.opening / OPENING);
        }
        let mut out: Vec<f32> = out.into_iter().map(|v| v as f32 * self.body.sqrt()).collect();
        let side = self.pixels;
        // The squared distance of two pictures is then that of their colours in the mean.
        let values = (side * side * 3 * seen.cameras.len()) as f32;
        let scale = 1.0 / (255.0 * BRIGHTNESS * values.sqrt());
        for c in &seen.cameras {
            if c.width < side || c.height < side || c.rgb.len() != c.width * c.height * 3 {
                let text = format!("{} is not a colour picture of {side}×{side} or more", c.name);
                return Err(PolicyError::Fault(text));
            }
            let mut sums = vec![[0u32; 3]; side * side];
            let mut counts = vec![0u32; side * side];
            for (y, row) in c.rgb.chunks_exact(c.width * 3).enumerate() {
                let from = y * side / c.height * side;
                for (x, pixel) in row.as_chunks::<3>().0.iter().enumerate() {
                    let cell = from + x * side / c.width;
                    counts[cell] += 1;
                    for (sum, v) in sums[cell].iter_mut().zip(pixel) {
                        *sum += u32::from(*v);
                    }
                }
            }
            for (sum, n) in sums.iter().zip(&counts) {
                out.extend(sum.map(|s| s as f32 / *n as f32 * scale));
            }
        }
        Ok(out)
    }
}

/// A demonstration: what each frame looked like, and what was done then.
#[derive(Clone, Debug, Default)]
pub struct Demonstration {
    /// Frames by [`FrameFeatures::of`], one after the other.
    pub frames: Vec<Vec<f32>>,
    /// Actions, as many as frames.
    pub actions: Vec<Action>,
}

/// Demonstrations to act by.
#[derive(Clone, Debug, Default)]
pub struct Demonstrations {
    features: FrameFeatures,
    by_instruction: BTreeMap<String, Vec<Demonstration>>,
}

impl Demonstrations {
    /// None yet.
    pub fn new(features: FrameFeatures) -> Self {
        Self { features, by_instruction: BTreeMap::new() }
    }

    /// One more, of an instruction.
    pub fn add(&mut self, instruction: &str, demonstration: Demonstration) {
        self.by_instruction.entry(instruction.to_owned()).or_default().push(demonstration);
    }

    /// The instructions that were shown.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        self.by_instruction.keys().map(String::as_str)
    }

    /// Demonstration and frame that are nearest; the first of those that are equally near.
    fn nearest(&self, instruction: &str, to: &[f32]) -> Option<(&Demonstration, usize)> {
        let mut best = None;
        let mut least = f32::INFINITY;
        for d in self.by_instruction.get(instruction)? {
            for (i, frame) in d.frames.iter().enumerate() {
                if let Some(distance) = nearer(frame, to, least) {
                    (least, best) = (distance, Some((d, i)));
                }
            }
        }
        best
    }
}

/// Numbers compared before asking whether it is too far already.
const BLOCK: usize = 256;

/// The squared distance, if it is below a limit.
fn nearer(a: &[f32], b: &[f32], limit: f32) -> Option<f32> {
    if a.len() != b.len() {
        return None;
    }
    let mut sum = 0.0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        sum += a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f32>();
        if sum >= limit {
            return None;
        }
    }
    Some(sum)
}

/// Plays what followed the nearest frame of its demonstrations.
#[derive(Clone, Debug)]
pub struct Nearest {
    known: Arc<Demonstrations>,
}

impl Nearest {
    /// Acts by these demonstrations.
    pub fn new(known: Arc<Demonstrations>) -> Self {
        Self { known }
    }
}

impl Policy for Nearest {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        Ok(())
    }

    fn act(&mut self, seen: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        let features = &self.known.features;
        let now = features.of(seen)?;
        let Some((shown, from)) = self.known.nearest(&seen.instruction, &now) else {
            let text = format!("nobody has demonstrated {:?} to this robot", seen.instruction);
            return Err(PolicyError::Fault(text));
        };
        let to = shown.actions.len().min(from + features.chunk);
        decision.chunk.extend_from_slice(&shown.actions[from..to]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::{CameraImage, Pose, Proprioception};

    use super::*;

    fn seen(grey: u8, x: f64) -> Observation {
        Observation {
            instruction: "go".into(),
            limbs: vec![Proprioception { tool: Pose::at(x, 0.0, 0.0), ..Proprioception::new(0) }],
            cameras: vec![CameraImage {
                name: "view".into(),
                width: 6,
                height: 4,
                rgb: vec![grey; 72],
                ..CameraImage::default()
            }],
            ..Observation::default()
        }
    }

    #[test]
    fn plays_what_followed_the_nearest_frame() {
        let features = FrameFeatures { chunk: 2, pixels: 3, body: 1.0 };
        let action = |v: f32| Action::new(&[v; 7]);
        let mut known = Demonstrations::new(features);
        for first in [0u8, 100] {
            let frames = (0..3).map(|i| features.of(&seen(first + 20 * i, 0.0)).unwrap()).collect();
            let actions = (0..3).map(|i| action(f32::from(first + i) / 200.0)).collect();
            known.add("go", Demonstration { frames, actions });
        }
        let mut policy = Nearest::new(Arc::new(known));
        let mut played = |o: &Observation| {
            let mut decision = Decision::default();
            policy.act(o, &mut decision).map(|()| decision.chunk).map_err(|e| e.to_string())
        };
        assert_eq!(played(&seen(118, 0.0)).unwrap(), [action(0.505), action(0.51)]);
        // At the end of a demonstration there is less to play; of two alike the first is taken.
        assert_eq!(played(&seen(45, 0.0)).unwrap(), [action(0.01)]);
        assert_eq!(played(&seen(10, 0.0)).unwrap()[0], action(0.0));
        assert!(played(&Observation { instruction: "stop".into(), ..seen(0, 0.0) }).is_err());
        assert!(played(&Observation { cameras: Vec::new(), ..seen(0, 0.0) }).is_err());
    }
}

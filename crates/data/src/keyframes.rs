//! The moments of an episode worth remembering: the gripper changes, or the hand stands or turns.
//!
//! A frame is a candidate when the gripper changed since the frame before, or when the hand is at an
//! inflection: slower than [`Rule::slow`], or turned by more than [`Rule::turn`] since the frame
//! before. Candidates no more than [`Rule::merge`] frames apart are one moment, of which the changes
//! of the gripper are kept, or the median when there is none. The paper names the conditions and the
//! merging but no thresholds for the first: those are ours, and every dataset states them.

use serde::{Deserialize, Serialize};

/// Thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Metres per second below which the hand counts as standing.
    pub slow: f64,
    /// Degrees between two successive velocities from which it counts as a turn.
    pub turn: f64,
    /// Frames within which candidates are one moment.
    pub merge: usize,
}

impl Default for Rule {
    fn default() -> Self {
        Self { slow: 0.01, turn: 45.0, merge: 6 }
    }
}

/// Why a frame is a keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyframeKind {
    /// The gripper began to close.
    Grasp,
    /// The gripper began to open.
    Release,
    /// The hand stood or turned.
    Inflection,
}

/// One moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Frame within the episode.
    pub frame: usize,
    /// Why.
    pub kind: KeyframeKind,
}

/// Finds the keyframes of an episode from whether the gripper closes and how fast the hand moves, in
/// metres per second, at each frame.
pub fn find(closing: &[bool], velocity: &[[f64; 3]], rule: &Rule) -> Vec<Keyframe> {
    let speed = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let limit = libm::cos(rule.turn.to_radians());
    let candidate = |frame: usize| {
        if closing[frame] != closing[frame - 1] {
            let kind = if closing[frame] { KeyframeKind::Grasp } else { KeyframeKind::Release };
            return Some(Keyframe { frame, kind });
        }
        let (now, before) = (&velocity[frame], &velocity[frame - 1]);
        let (fast, faster) = (speed(now), speed(before));
        let along: f64 = now.iter().zip(before).map(|(a, b)| a * b).sum();
        // A hand that stood has no direction.
        let turned = faster > 0.0 && along < limit * fast * faster;
        (fast < rule.slow || turned).then_some(Keyframe { frame, kind: KeyframeKind::Inflection })
    };
    let all: Vec<Keyframe> = (1..closing.len().min(velocity.len())).filter_map(candidate).collect();
    let mut out = Vec::new();
    for moment in all.chunk_by(|a, b| b.frame - a.frame <= rule.merge) {
        let before = out.len();
        out.extend(moment.iter().filter(|k| k.kind != KeyframeKind::Inflection));
        if out.len() == before {
            out.push(moment[moment.len() / 2]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_alone() {
        let rule = Rule::default();
        let still = [false; 40];
        let right = [[0.2, 0.0, 0.0]; 40];
        assert_eq!(find(&still, &right, &rule), []);

        let mut turns = right;
        turns[20..].fill([0.0, 0.2, 0.0]);
        let turn = Keyframe { frame: 20, kind: KeyframeKind::Inflection };
        assert_eq!(find(&still, &turns, &rule), [turn]);
        assert_eq!(find(&still, &turns, &Rule { turn: 100.0, ..rule }), []);

        let mut pauses = right;
        pauses[10..21].fill([0.0; 3]);
        let middle = Keyframe { frame: 15, kind: KeyframeKind::Inflection };
        assert_eq!(find(&still, &pauses, &rule), [middle]);

        let mut closing = still;
        closing[12..30].fill(true);
        let grasp = Keyframe { frame: 12, kind: KeyframeKind::Grasp };
        let release = Keyframe { frame: 30, kind: KeyframeKind::Release };
        // The pause around the grasp belongs to it.
        assert_eq!(find(&closing, &pauses, &rule), [grasp, release]);
        assert_eq!(find(&[], &[], &rule), []);
    }
}

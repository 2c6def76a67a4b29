//! What a moment looks like to a policy, as numbers: where the objects are that cameras show, and where
//! its own hand is.

use longarm_assets::{BodyRole, Tint};
use longarm_sim::Env;
use longarm_task::{Scene, Snapshot};
use longarm_types::{DVec3, Pose};

/// How far moments may differ and still look the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Metres that an object or a moving part may be elsewhere.
    pub object: f64,
    /// Radians that it may be turned.
    pub object_turn: f64,
    /// Metres that the hand may be elsewhere.
    pub hand: f64,
    /// Radians that it may be turned.
    pub hand_turn: f64,
    /// Metres that the fingers may be wider open.
    pub opening: f64,
}

/// Objects to within a few pixels of a 256-pixel picture of a table. The hand is never in the same place
/// twice, so a policy that had to tell by centimetres of its own posture would remember by it.
pub const TOLERANCE: Tolerance =
    Tolerance { object: 0.015, object_turn: 0.2, hand: 0.04, hand_turn: 0.35, opening: 0.015 };

/// Pixels, over all cameras, from which a body counts as seen.
const SEEN_PIXELS: u32 = 8;

/// A body that is seen.
#[derive(Clone, Debug, PartialEq)]
struct SeenBody {
    /// Bodies of one kind cannot be told apart but by their place.
    kind: usize,
    pose: Pose,
    /// It looks the same however it is turned about its axis.
    round: bool,
}

/// The kinds of bodies of a scene: what they look like, not what they are called.
pub(super) struct Kinds {
    of: Vec<Option<(usize, bool)>>,
}

impl Kinds {
    pub(super) fn new(env: &Env) -> Self {
        let scene: &Scene = env.scene();
        let mut known: Vec<(String, Tint, Option<usize>)> = Vec::new();
        let mut kind = |look: (String, Tint, Option<usize>)| {
            known.iter().position(|k| *k == look).unwrap_or_else(|| {
                known.push(look);
                known.len() - 1
            })
        };
        let of = env.world().bodies().iter().map(|b| {
            let (instance, part) = match b.role {
                BodyRole::World => return None,
                BodyRole::Object(i) => (i, None),
                BodyRole::Part(i, p) => (i, Some(p)),
            };
            let asset = &scene.structure.instances[instance].asset;
            let round = part.is_none() && asset.info().symmetry == 0;
            Some((kind((asset.noun().to_owned(), scene.tints[instance], part)), round))
        });
        Self { of: of.collect() }
    }
}

/// What a policy sees at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Visible {
    instruction: String,
    bodies: Vec<SeenBody>,
    hands: Vec<(Pose, f64)>,
}

impl Visible {
    /// Look. The environment must have the segmentation channel.
    pub(super) fn new(env: &mut Env, kinds: &Kinds, seen: &mut Vec<bool>) -> Self {
        let mut counts = vec![0; kinds.of.len()];
        env.observe();
        if let Some((cameras, _)) = env.cameras() {
            cameras.visible(&mut counts);
        }
        let now: &Snapshot = env.snapshot();
        seen.clear();
        // What a hand holds it feels.
        seen.extend(counts.iter().enumerate().map(|(b, n)| *n >= SEEN_PIXELS || now.held(b)));
        let body = |(b, kind): (usize, &Option<(usize, bool)>)| {
            let (kind, round) = kind.filter(|_| seen[b])?;
            Some(SeenBody { kind, pose: now.bodies[b].pose, round })
        };
        Self {
            instruction: env.instruction().to_owned(),
            bodies: kinds.of.iter().enumerate().filter_map(body).collect(),
            hands: now.hands.iter().map(|h| (h.pose, h.opening)).collect(),
        }
    }

    /// Whether two moments look the same, and how far the worst object of one is from its like in the
    /// other.
    pub(super) fn alike(&self, other: &Self, by: &Tolerance) -> Option<f64> {
        let hands = self.hands.iter().zip(&other.hands).all(|((a, wide), (b, wider))| {
            let (far, turn) = a.error_to(b);
            far < by.hand && turn < by.hand_turn && (wide - wider).abs() < by.opening
        });
        if !hands
            || self.bodies.len() != other.bodies.len()
            || self.instruction != other.instruction
        {
            return None;
        }
        let mut taken = vec![false; other.bodies.len()];
        let mut worst: f64 = 0.0;
        for a in &self.bodies {
            let near =
                other.bodies.iter().enumerate().filter(|(j, b)| {
                    !taken[*j] && a.kind == b.kind && turned(a, b) < by.object_turn
                });
            let far = |b: &SeenBody| (a.pose.pos - b.pose.pos).length();
            let nearest = near.map(|(j, b)| (far(b), j)).min_by(|p, q| p.0.total_cmp(&q.0));
            let (far, j) = nearest.filter(|(far, _)| *far < by.object)?;
            taken[j] = true;
            worst = worst.max(far);
        }
        Some(worst)
    }
}

/// By how much one body is turned against another, as far as it can be seen.
fn turned(a: &SeenBody, b: &SeenBody) -> f64 {
    match a.round {
        true => a.pose.dir(DVec3::Z).angle_between(b.pose.dir(DVec3::Z)),
        false => a.pose.error_to(&b.pose).1,
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::DQuat;

    use super::*;

    fn moment(bodies: &[(usize, f64)], hand: f64) -> Visible {
        let body = |(kind, x): &(usize, f64)| SeenBody {
            kind: *kind,
            pose: Pose::at(*x, 0.0, 0.0),
            round: false,
        };
        Visible {
            instruction: "do it".into(),
            bodies: bodies.iter().map(body).collect(),
            hands: vec![(Pose::at(hand, 0.0, 0.3), 0.08)],
        }
    }

    #[test]
    fn alike_objects_may_change_places() {
        let a = moment(&[(0, 0.0), (0, 0.2), (1, 0.4)], 0.0);
        let swapped = moment(&[(0, 0.2), (0, 0.0), (1, 0.401)], 0.01);
        assert!(a.alike(&swapped, &TOLERANCE).is_some_and(|worst| worst < 0.002));
        let other = moment(&[(0, 0.0), (1, 0.2), (0, 0.4)], 0.0);
        assert_eq!(a.alike(&other, &TOLERANCE), None, "other kinds in these places");
    }

    #[test]
    fn what_a_policy_would_see_tells_moments_apart() {
        let a = moment(&[(0, 0.0), (1, 0.4)], 0.0);
        assert_eq!(a.alike(&moment(&[(0, 0.0)], 0.0), &TOLERANCE), None, "one is hidden");
        assert_eq!(a.alike(&moment(&[(0, 0.0), (1, 0.4)], 0.1), &TOLERANCE), None, "the hand");
        assert_eq!(a.alike(&moment(&[(0, 0.05), (1, 0.4)], 0.0), &TOLERANCE), None, "moved");
        let mut told = moment(&[(0, 0.0), (1, 0.4)], 0.0);
        told.instruction = "do the other".into();
        assert_eq!(a.alike(&told, &TOLERANCE), None, "told otherwise");
        let mut turned = moment(&[(0, 0.0), (1, 0.4)], 0.0);
        turned.bodies[0].pose.rot = DQuat::from_rotation_z(1.0);
        assert_eq!(a.alike(&turned, &TOLERANCE), None, "turned");
        turned.bodies[0].round = true;
        let mut round = a.clone();
        round.bodies[0].round = true;
        assert!(round.alike(&turned, &TOLERANCE).is_some(), "a round one looks the same");
    }
}

//! Taking two objects that stand side by side at once.

use std::f64::consts::PI;

use longarm_assets::robots::Grip;
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::hold::{self, Hold};
use super::pick::lift;
use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::Motion;

/// How far below the top of the lower one the middle of the grip is at most, and above what they stand on at least.
const DEPTH: f64 = 0.03;
const ABOVE: f64 = 0.03;

/// Takes two objects at once, pressed against each other.
pub(super) struct PickBoth<'a> {
    pub(super) object: &'a str,
    pub(super) other: &'a str,
}

impl Skill for PickBoth<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let (limb, scene) = (now.limb, &now.scene);
        let pair = [scene.object(self.object)?, scene.object(self.other)?];
        if pair.iter().all(|o| scene.hand().touches[o.body]) {
            return Some(Script::part(vec![lift()]));
        }
        let [a, b] = [0, 1].map(|k| pair[k].bounds.centre_in(&pair[k].frame));
        let top =
            pair.iter().map(|o| o.bounds.centre_in(&o.frame).z + o.bounds.half_in(&o.frame).z);
        let height = (top.fold(f64::MAX, f64::min) - DEPTH).max(ABOVE);
        let along = (b - a).with_z(0.0).try_normalize()?;
        let at = ((a + b) / 2.0).with_z(height);
        let opening = ((b - a).length() + 0.05).min(limb.widest);
        let mut best = Cheapest::new();
        for turn in [0.0, PI] {
            let y = DQuat::from_rotation_z(turn) * along;
            let z = DVec3::NEG_Z;
            let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
            let tool = Pose::new(at, rot);
            let before = tool * Pose::at(0.0, 0.0, -APPROACH);
            if limb.cost(&before).is_none() || !limb.straight(&before, &tool) {
                continue;
            }
            let Some(cost) = limb.cost(&tool) else { continue };
            best.offer(cost, Hold { cost, tool, opening, gap: 0.0, grip: Grip::Power });
        }
        let Some(hold) = best.candidate() else { return Some(Script::whole(withdraw(now))) };
        let way = now.travel(&hold.before(), limb.fingertip(), None);
        let mut out = hold::close_on(now, &hold, pair[0].body, way);
        out.push(Motion::Wait(6));
        out.push(lift());
        Some(Script::whole(out))
    }
}

//! Where fingers are when they are straight.

use longarm_assets::RigLimb;
use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::robots::{End, Grip, Hand};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::LimbGeometry;

/// Share of the longest finger's reach from which another finger lies beside it.
const BESIDE: f64 = 0.7;

impl LimbGeometry {
    /// Return the tool pose at which the tips of straight fingers are at a place: y is the way they point, z
    /// the way the palm faces.
    pub(crate) fn with_tips_at(&self, place: &Pose) -> Pose {
        *place * self.straight.inverse()
    }
}

/// Return the frame of the tips of straight fingers, in the tool's: their middle, y the way they point, z the
/// way the palm faces.
pub(super) fn straight(limb: &RigLimb) -> Pose {
    let spec = limb.spec();
    let closed = || {
        let turn = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
        Pose::new(DVec3::Z * spec.outline.tip, DQuat::from_mat3(&turn))
    };
    match &spec.end {
        End::Hand(hand) => of_hand(hand, &spec.tool).unwrap_or_else(closed),
        _ => closed(),
    }
}

fn of_hand(hand: &Hand, tool: &Pose) -> Option<Pose> {
    let posture = &hand.synergy(Grip::PalmPress)?.open;
    let mut joints = posture.iter();
    let tips: Vec<DVec3> = hand
        .fingers
        .iter()
        .map(|f| {
            let chain = f.chain();
            let mut q: Joints = [0.0; MAX_JOINTS];
            for (q, value) in q.iter_mut().zip(joints.by_ref().take(chain.dof())) {
                *q = *value;
            }
            tool.inverse().point(chain.forward(&q).pos)
        })
        .collect();
    let far = tips.iter().map(|t| t.y).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let beside = |t: &&DVec3| t.y * far.signum() > BESIDE * far.abs();
    let n = tips.iter().filter(beside).count();
    let middle = tips.iter().filter(beside).sum::<DVec3>() / n.max(1) as f64;
    let y = DVec3::Y * far.signum();
    let turn = DMat3::from_cols(y.cross(DVec3::Z), y, DVec3::Z);
    Some(Pose::new(middle, DQuat::from_mat3(&turn).normalize()))
}

#[cfg(test)]
mod tests {
    use longarm_assets::RigName;

    use super::*;

    #[test]
    fn straight_fingers_lie_flat_before_the_palm() {
        for limb in RigName::TWO_PANDAS_LEAP.rig().limbs() {
            let tips = straight(&limb);
            assert!(tips.pos.y.abs() > 0.1 && tips.pos.z < -0.05, "{}: {tips:?}", limb.name);
            assert!(tips.dir(DVec3::Y).y * tips.pos.y.signum() > 0.99, "{}: {tips:?}", limb.name);
            let arm = LimbGeometry::new(&limb);
            let place = Pose::at(0.1, 0.0, 0.2);
            let back = arm.with_tips_at(&place) * tips;
            assert!(back.error_to(&place).0 < 1e-9, "{}", limb.name);
        }
    }
}

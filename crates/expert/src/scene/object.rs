//! An object as it lies.

use std::f64::consts::{PI, TAU};

use longarm_assets::{AssetInfo, Grasp, Lies};
use longarm_task::BodyId;
use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose};

/// A held or standing object: its body, its frame as it lies, its box in that frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneObject {
    pub(crate) body: BodyId,
    pub(crate) instance: usize,
    pub(crate) frame: Pose,
    pub(crate) bounds: Bounds,
}

impl SceneObject {
    /// Return half the width of what it stands on.
    pub(crate) fn radius(&self) -> f64 {
        self.bounds.half[0].min(self.bounds.half[1])
    }

    /// Return the height of its lowest point.
    pub(crate) fn lowest(&self) -> f64 {
        self.bounds.centre_in(&self.frame).z - self.bounds.half_in(&self.frame).z
    }
}

/// Return the frame of an object as it lies, and its box there: a tumbled block is a block with
/// another face up, a stick that rolled is a stick.
pub(crate) fn resting_frame(info: &AssetInfo, pose: &Pose) -> (Pose, Bounds) {
    let bounds = &info.bounds;
    if info.lies == Lies::Lengthwise {
        let x = pose.dir(DVec3::X);
        if x.z.abs() > 0.7 {
            return (*pose, *bounds);
        }
        let y = DVec3::Z.cross(x).normalize();
        let z = x.cross(y);
        let rot = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
        return (Pose::new(bounds.centre_in(pose) - z * bounds.half[2], rot), *bounds);
    }
    if info.lies != Lies::AnyFace {
        return (*pose, *bounds);
    }
    let m = DMat3::from_quat(pose.rot);
    let axes = [m.x_axis, m.y_axis, m.z_axis];
    let up = (0..3).max_by(|&a, &b| axes[a].z.abs().total_cmp(&axes[b].z.abs())).unwrap_or(2);
    let z = axes[up] * axes[up].z.signum();
    let (i, j) = ((up + 1) % 3, (up + 2) % 3);
    let x = axes[i];
    let half = [bounds.half[i], bounds.half[j], bounds.half[up]];
    let centre = bounds.centre_in(pose);
    let rot = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
    let pos = centre - z * half[2];
    (Pose::new(pos, rot), Bounds::standing(half[0], half[1], 2.0 * half[2]))
}

/// Return all tool poses a grasp stands for: the object's symmetry times the gripper's.
pub(crate) fn equivalents(frame: &Pose, grasp: &Grasp, symmetry: u32) -> Vec<Pose> {
    let turns = if grasp.part.is_some() {
        1
    } else if symmetry == 0 {
        12
    } else {
        symmetry
    };
    let mut out = Vec::new();
    for k in 0..turns {
        let turn = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(turns));
        let tool = *frame * Pose::new(DVec3::ZERO, turn) * grasp.tool;
        out.push(tool);
        out.push(tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(PI)));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use longarm_assets::GraspKind;

    use super::*;

    #[test]
    fn a_tumbled_block_stands_on_another_face() {
        let mut info = AssetInfo::movable(Bounds::standing(0.01, 0.02, 0.06), 0.1);
        info.lies = Lies::AnyFace;
        // Its z axis now points along world x: it lies 0.02 m high on the table.
        let rot = DQuat::from_rotation_y(FRAC_PI_2);
        let pose = Pose::new(DVec3::new(-0.03, 0.0, 0.01), rot);
        let (frame, bounds) = resting_frame(&info, &pose);
        assert!(frame.dir(DVec3::Z).z > 0.999);
        assert!(frame.pos.length() < 1e-9, "{}", frame.pos);
        assert!((bounds.half[2] - 0.01).abs() < 1e-12);
        assert!((bounds.half[0].max(bounds.half[1]) - 0.03).abs() < 1e-12);
    }

    #[test]
    fn a_stick_that_rolled_is_a_stick() {
        let mut info = AssetInfo::movable(Bounds::standing(0.1, 0.01, 0.02), 0.1);
        info.lies = Lies::Lengthwise;
        let rolled = Pose::new(DVec3::Z * 0.02, DQuat::from_rotation_x(PI));
        let (frame, _) = resting_frame(&info, &rolled);
        assert!(frame.dir(DVec3::Z).z > 0.999 && frame.dir(DVec3::X).x > 0.999);
        assert!(frame.pos.length() < 1e-9, "{}", frame.pos);
    }

    #[test]
    fn equivalent_grasps_are_the_symmetries_of_object_and_gripper() {
        let tool = Pose::new(DVec3::new(0.03, 0.0, 0.05), DQuat::from_rotation_x(PI));
        let grasp = Grasp { kind: GraspKind::Rim, tool, opening: 0.02, part: None };
        let all = equivalents(&Pose::IDENTITY, &grasp, 4);
        assert_eq!(all.len(), 8);
        for p in &all {
            assert!((p.pos.truncate().length() - 0.03).abs() < 1e-12 && p.dir(DVec3::Z).z < -0.999);
        }
        // A handle has the gripper's symmetry alone.
        let handle = Grasp { part: Some("drawer".into()), ..grasp };
        assert_eq!(equivalents(&Pose::IDENTITY, &handle, 4).len(), 2);
    }
}

//! Reaching into what has a roof and walls.

use longarm_types::{DVec3, Pose};

use super::LimbGeometry;

/// Room the palm keeps from roof and walls.
const CLEAR: f64 = 0.006;

impl LimbGeometry {
    /// Whether the palm stays clear of the walls around an opening, the tool at a pose: `room` is the middle of
    /// the space behind it, `half` its half size; it is open towards −y.
    pub(crate) fn passes(&self, tool: &Pose, room: &Pose, half: DVec3) -> bool {
        let sides = [-1.0, 1.0];
        let corners = self.outline.palm.iter().flat_map(|b| {
            let (c, h) = (DVec3::from(b.centre), DVec3::from(b.half));
            sides.into_iter().flat_map(move |x| {
                sides
                    .into_iter()
                    .flat_map(move |y| sides.into_iter().map(move |z| c + h * DVec3::new(x, y, z)))
            })
        });
        corners.map(|c| room.local(tool.point(c))).all(|p| {
            let within = p.x.abs() < half.x - CLEAR && p.z.abs() < half.z - CLEAR;
            p.y < -half.y - CLEAR || within && p.y < half.y
        })
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::DQuat;

    use crate::fixture::{gripper_rigs, limb};

    use super::*;

    #[test]
    fn a_level_hand_passes_where_one_from_above_does_not() {
        let half = DVec3::new(0.125, 0.09, 0.08);
        for rig in gripper_rigs() {
            let arm = limb(rig);
            // The tool a little way in, pointing in or down.
            let at = DVec3::new(0.0, -half.y + 0.03, -0.03);
            let level = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
            let down = DQuat::from_rotation_x(std::f64::consts::PI);
            assert!(arm.passes(&Pose::new(at, level), &Pose::IDENTITY, half), "{rig}: level");
            assert!(!arm.passes(&Pose::new(at, down), &Pose::IDENTITY, half), "{rig}: down");
        }
    }
}

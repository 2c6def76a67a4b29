//! Grippers as media meet them, and what is between their pads.

use longarm_soft::Solid;
use longarm_task::LimbId;
use longarm_types::{DMat3, DQuat, DVec3, Pose};
use mujoco_rs::prelude::*;

use super::Jaws;

/// Fingers this near to where they are held apart press on what is between them, metres.
const PRESSING: f64 = 5e-4;

/// Where a gripper's numbers live.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JawHandles {
    pub limb: LimbId,
    /// Its pads among the solids.
    pub pads: [usize; 2],
    /// The joints of its fingers.
    pub joints: [usize; 2],
    /// Their positions.
    pub fingers: [usize; 2],
    pub actuator: usize,
    /// The body that carries the fingers.
    pub hand: usize,
    /// Half size of the pads along x and z.
    pub pad: [f64; 2],
    /// Travel of one finger.
    pub travel: f64,
}

impl JawHandles {
    /// Read the gripper between its pads, `apart` being the distance at which they are held apart.
    pub(crate) fn read(&self, data: &MjData<Box<MjModel>>, solids: &[Solid], apart: f64) -> Jaws {
        let gap: f64 = self.fingers.iter().map(|&f| data.qpos()[f]).sum();
        // The servo pulls on both fingers. It presses on what is between them while that keeps them apart.
        let pull = (-0.5 * data.actuator_force()[self.actuator]).max(0.0);
        let pressing = apart > 0.0 && gap - apart < PRESSING;
        let [a, b] = self.pads.map(|p| &solids[p]);
        Jaws {
            limb: self.limb,
            from: between(&a.from, &b.from),
            to: between(&a.to, &b.to),
            pad: self.pad,
            gap,
            closing: false,
            force: if pressing { pull } else { 0.0 },
            pull,
            friction: a.friction,
            thickness: 0.0,
            apart,
            load: [DVec3::ZERO; 2],
            holds: false,
        }
    }
}

/// The frame in the middle between two pads whose own y points away from the other.
fn between(a: &Pose, b: &Pose) -> Pose {
    let (y, z) = (a.dir(DVec3::Y), a.dir(DVec3::Z));
    let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
    Pose::new((a.pos + b.pos) * 0.5, rot)
}

/// Lines across the gap that are looked along, on each side of the middle.
const LINES: i32 = 2;

/// Count the layers of a sheet between pads: most triangles that a line from pad to pad crosses.
pub(crate) fn layers(jaws: &Jaws, points: &[DVec3], triangles: &[[u32; 3]]) -> usize {
    let [x, z] = jaws.pad;
    let reach = DVec3::new(x, 0.5 * jaws.gap, z).length();
    let near = |p: &DVec3| (*p - jaws.to.pos).length_squared() < 4.0 * reach * reach;
    if !points.iter().any(near) {
        return 0;
    }
    let mut counts = [0usize; ((2 * LINES + 1) * (2 * LINES + 1)) as usize];
    for t in triangles {
        let [a, b, c] = t.map(|v| points[v as usize]);
        if !near(&a) && !near(&b) && !near(&c) {
            continue;
        }
        let [a, b, c] = [a, b, c].map(|p| jaws.to.local(p));
        let cross =
            |p: DVec3, q: DVec3, u: f64, w: f64| (p.x - u) * (q.z - w) - (p.z - w) * (q.x - u);
        let mut k = 0;
        for i in -LINES..=LINES {
            for j in -LINES..=LINES {
                let (u, w) = (x * f64::from(i), z * f64::from(j));
                // A little inside the pads' edges, and off the lines of a grid that lies straight.
                let (u, w) = (u * 0.45 + 1e-5, w * 0.45 + 1.3e-5);
                let s = [cross(b, c, u, w), cross(c, a, u, w), cross(a, b, u, w)];
                let area = s[0] + s[1] + s[2];
                if area != 0.0 && s.iter().all(|s| s * area >= 0.0) {
                    let y = (s[0] * a.y + s[1] * b.y + s[2] * c.y) / area;
                    counts[k] += usize::from(y.abs() <= 0.5 * jaws.gap);
                }
                k += 1;
            }
        }
    }
    counts.into_iter().max().unwrap_or(0)
}

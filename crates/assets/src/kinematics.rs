//! Forward and inverse kinematics of a serial chain of hinges, allocation-free.

use longarm_types::{DQuat, DVec3, Pose, rotation_between};

/// Most joints a chain may have.
pub const MAX_JOINTS: usize = 8;
/// Joint values, the first `n` of which count.
pub type Joints = [f64; MAX_JOINTS];

/// One hinge.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainJoint {
    /// Frame in which the hinge turns, relative to the previous joint's moving frame.
    pub pose: Pose,
    /// Axis in that frame.
    pub axis: DVec3,
    /// Limits.
    pub range: [f64; 2],
    /// Speed limit.
    pub velocity: f64,
}

/// A serial chain from the world to a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Joints from the base out.
    pub joints: Vec<ChainJoint>,
    /// Tool in the frame of the last joint.
    pub tool: Pose,
}

/// How an inverse-kinematics solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// Joint values, within limits.
    pub joints: Joints,
    /// Remaining position error, metres.
    pub position_error: f64,
    /// Remaining rotation error, radians.
    pub rotation_error: f64,
}

/// Settings of the damped least-squares solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkSettings {
    /// Most iterations.
    pub iterations: usize,
    /// Damping; larger is safer near singularities and slower.
    pub damping: f64,
    /// Metres that weigh as much as one radian.
    pub metres_per_radian: f64,
    /// Pull of redundant arms towards the rest posture, per iteration.
    pub posture_gain: f64,
    /// Largest joint change per iteration, radians.
    pub step: f64,
}

impl Default for IkSettings {
    fn default() -> Self {
        Self {
            iterations: 12,
            damping: 0.02,
            metres_per_radian: 0.3,
            posture_gain: 0.05,
            step: 0.3,
        }
    }
}

impl Chain {
    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.joints.len()
    }

    /// Tool pose.
    pub fn forward(&self, q: &Joints) -> Pose {
        let mut p = Pose::IDENTITY;
        for (j, &angle) in self.joints.iter().zip(q) {
            p = p * j.pose;
            p.rot *= DQuat::from_axis_angle(j.axis, angle);
        }
        p * self.tool
    }

    /// Tool pose, and for each joint its world axis and a point on it.
    fn frames(&self, q: &Joints) -> (Pose, [(DVec3, DVec3); MAX_JOINTS]) {
        let mut p = Pose::IDENTITY;
        let mut axes = [(DVec3::ZERO, DVec3::ZERO); MAX_JOINTS];
        for ((j, &angle), slot) in self.joints.iter().zip(q).zip(&mut axes) {
            p = p * j.pose;
            *slot = (p.dir(j.axis), p.pos);
            p.rot *= DQuat::from_axis_angle(j.axis, angle);
        }
        (p * self.tool, axes)
    }

    /// Clamps joint values into their limits, `margin` inside them.
    pub fn clamp(&self, q: &mut Joints, margin: f64) {
        for (j, v) in self.joints.iter().zip(q) {
            let (lo, hi) = (j.range[0] + margin, j.range[1] - margin);
            *v = if lo <= hi { v.clamp(lo, hi) } else { 0.5 * (lo + hi) };
        }
    }

    /// Joint values that bring the tool to `target`, from `start`; `rest` is the posture a redundant
    /// arm leans to.
    ///
    /// Damped least squares with joints that would leave their limits frozen for the iteration, so
    /// the result is always within limits and finite, also at singularities and out of reach.
    pub fn solve(
        &self,
        target: &Pose,
        start: &Joints,
        rest: &Joints,
        settings: &IkSettings,
    ) -> Solution {
        const MARGIN: f64 = 0.01;
        let n = self.dof();
        let mut q = *start;
        self.clamp(&mut q, MARGIN);
        let mut best = Solution { joints: q, position_error: f64::MAX, rotation_error: f64::MAX };
        let mut best_cost = f64::MAX;
        for iteration in 0..=settings.iterations {
            let (tool, axes) = self.frames(&q);
            let ep = target.pos - tool.pos;
            let er = rotation_between(tool.rot, target.rot);
            let w = settings.metres_per_radian;
            let cost = ep.length_squared() + w * w * er.length_squared();
            if cost < best_cost {
                best_cost = cost;
                best = Solution {
                    joints: q,
                    position_error: ep.length(),
                    rotation_error: er.length(),
                };
            }
            if iteration == settings.iterations || (ep.length() < 1e-6 && er.length() < 1e-5) {
                break;
            }
            let e = [ep.x, ep.y, ep.z, w * er.x, w * er.y, w * er.z];
            let mut jac = [[0.0; 6]; MAX_JOINTS];
            for i in 0..n {
                let (axis, point) = axes[i];
                let lin = axis.cross(tool.pos - point);
                jac[i] = [lin.x, lin.y, lin.z, w * axis.x, w * axis.y, w * axis.z];
            }
            // Freeze joints that sit at a limit and are pushed outwards, then solve again.
            let mut free = [true; MAX_JOINTS];
            let mut dq = [0.0; MAX_JOINTS];
            for _ in 0..n {
                dq = self.damped_step(&jac, &e, &free, settings.damping, n);
                if n > 6 {
                    self.lean(&jac, &free, &q, rest, settings, n, &mut dq);
                }
                let mut changed = false;
                for i in 0..n {
                    let [lo, hi] = self.joints[i].range;
                    let out = (q[i] <= lo + MARGIN + 1e-9 && dq[i] < 0.0)
                        || (q[i] >= hi - MARGIN - 1e-9 && dq[i] > 0.0);
                    if free[i] && out {
                        free[i] = false;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            let largest = dq.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let scale = if largest > settings.step { settings.step / largest } else { 1.0 };
            for i in 0..n {
                if free[i] {
                    q[i] += scale * dq[i];
                }
            }
            self.clamp(&mut q, MARGIN);
        }
        best
    }

    /// dq = Jᵀ (J Jᵀ + λ² I)⁻¹ e over the free joints.
    fn damped_step(
        &self,
        jac: &[[f64; 6]; MAX_JOINTS],
        e: &[f64; 6],
        free: &[bool; MAX_JOINTS],
        damping: f64,
        n: usize,
    ) -> Joints {
        // Symmetric: its lower half is enough.
        let mut a = [[0.0; 6]; 6];
        for i in (0..n).filter(|&i| free[i]) {
            for r in 0..6 {
                for c in 0..=r {
                    a[r][c] += jac[i][r] * jac[i][c];
                }
            }
        }
        for (r, row) in a.iter_mut().enumerate() {
            row[r] += damping * damping;
        }
        let x = solve6(a, *e);
        let mut dq = [0.0; MAX_JOINTS];
        for i in (0..n).filter(|&i| free[i]) {
            dq[i] = (0..6).map(|r| jac[i][r] * x[r]).sum();
        }
        dq
    }

    /// Adds the part of (rest − q) that does not move the tool.
    fn lean(
        &self,
        jac: &[[f64; 6]; MAX_JOINTS],
        free: &[bool; MAX_JOINTS],
        q: &Joints,
        rest: &Joints,
        settings: &IkSettings,
        n: usize,
        dq: &mut Joints,
    ) {
        let mut pull = [0.0; MAX_JOINTS];
        let mut moved = [0.0; 6];
        for i in (0..n).filter(|&i| free[i]) {
            pull[i] = settings.posture_gain * (rest[i] - q[i]);
            for r in 0..6 {
                moved[r] += jac[i][r] * pull[i];
            }
        }
        // A small damping keeps the projection exact away from singularities.
        let undo = self.damped_step(jac, &moved, free, 1e-4, n);
        for i in (0..n).filter(|&i| free[i]) {
            dq[i] += pull[i] - undo[i];
        }
    }
}

/// Solves a symmetric positive definite 6×6 system by Cholesky.
fn solve6(mut a: [[f64; 6]; 6], b: [f64; 6]) -> [f64; 6] {
    for c in 0..6 {
        for k in 0..c {
            a[c][c] -= a[c][k] * a[c][k];
        }
        // Damping keeps the pivots positive; the floor only guards against rounding.
        a[c][c] = a[c][c].max(1e-18).sqrt();
        for r in c + 1..6 {
            for k in 0..c {
                a[r][c] -= a[r][k] * a[c][k];
            }
            a[r][c] /= a[c][c];
        }
    }
    let mut x = b;
    for r in 0..6 {
        for k in 0..r {
            x[r] -= a[r][k] * x[k];
        }
        x[r] /= a[r][r];
    }
    for r in (0..6).rev() {
        for k in r + 1..6 {
            x[r] -= a[k][r] * x[k];
        }
        x[r] /= a[r][r];
    }
    x
}

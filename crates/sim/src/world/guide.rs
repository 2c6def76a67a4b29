//! Bodies that the task moves: they follow their way exactly, and what they meet is pushed.

use longarm_task::Guided;
use longarm_types::{SUBSTEPS, TIMESTEP, rotation_between};

use super::World;

impl World {
    /// Move bodies along their ways in the control step to come.
    pub fn guide(&mut self, bodies: &[Guided]) {
        self.guided.clear();
        self.guided.extend_from_slice(bodies);
    }

    /// Put what is guided where it is before physics step `k`, at the speed it has.
    pub(super) fn lead(&mut self, k: u32) {
        let share = f64::from(k) / f64::from(SUBSTEPS);
        let seconds = f64::from(SUBSTEPS) * TIMESTEP;
        for g in &self.guided {
            let Some((q, v)) = self.handles[g.body].free else { continue };
            let rot = g.from.rot.slerp(g.to.rot, share).normalize();
            let pos = g.from.pos.lerp(g.to.pos, share);
            let qpos = &mut self.data.qpos_mut()[q..q + 7];
            qpos[..3].copy_from_slice(&pos.to_array());
            qpos[3..].copy_from_slice(&[rot.w, rot.x, rot.y, rot.z]);
            let linear = (g.to.pos - g.from.pos) / seconds;
            // A free joint turns in its own frame.
            let angular = rot.conjugate() * rotation_between(g.from.rot, g.to.rot) / seconds;
            let qvel = &mut self.data.qvel_mut()[v..v + 6];
            qvel[..3].copy_from_slice(&linear.to_array());
            qvel[3..].copy_from_slice(&angular.to_array());
        }
    }

    /// Leave what was guided at the end of its way, at rest.
    pub(super) fn let_go(&mut self) {
        for k in 0..self.guided.len() {
            let g = self.guided[k];
            let Some((q, v)) = self.handles[g.body].free else { continue };
            let qpos = &mut self.data.qpos_mut()[q..q + 7];
            qpos[..3].copy_from_slice(&g.to.pos.to_array());
            qpos[3..].copy_from_slice(&g.to.wxyz());
            self.data.qvel_mut()[v..v + 6].fill(0.0);
        }
        self.guided.clear();
    }
}

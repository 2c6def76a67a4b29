//! Putting a scene into the world and letting it come to rest.

use longarm_assets::{BodyRole, Tint};
use longarm_task::{Scene, Snapshot};
use longarm_types::{DVec3, RunningHash, SUBSTEPS, TIMESTEP};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::{BodyHandle, EndHandles};
use crate::SimError;

/// Longest time a new scene may take to come to rest; most need a tenth of it. A door that stands ajar
/// takes the longest.
const SETTLE_SECONDS: f64 = 4.0;
/// Speed below which a body counts as resting while settling.
pub(super) const SETTLED_SPEED: f64 = 2e-3;

/// Physics steps between readings of contacts while settling: fewer than MuJoCo waits before it puts
/// a body to sleep.
const WATCH: u32 = 5;

impl World {
    /// Puts a scene into the world and lets it come to rest.
    pub fn reset(&mut self, scene: &Scene) -> Result<(), SimError> {
        if self.is_sourced() {
            return self.reset_source(scene);
        }
        // With sleeping enabled MuJoCo computes static poses on reset only: fixtures come first.
        self.place_fixtures(scene);
        self.data.reset();
        self.place(scene);
        for limb in &mut self.limbs {
            if let EndHandles::Suction { holding, .. } = &mut limb.end {
                *holding = None;
            }
        }
        self.snapshot = Snapshot::empty(self.bodies.len(), &self.structure.rig.limb_names());
        self.snapshot.bases = self.mobile_bases();
        self.contacts.reset();
        self.hash = RunningHash::default();
        self.clipped = 0;
        self.arms_home();
        self.reset_media(scene);
        self.reset_flexes();
        self.settle(scene)?;
        self.data.set_time(0.0);
        self.refresh();
        self.digest_state();
        Ok(())
    }

    /// Sets the arms to their home postures, at rest and with hands open.
    fn arms_home(&mut self) {
        self.bases_home();
        for (i, limb) in self.limbs.iter().enumerate() {
            self.controllers[i].reset(&limb.home);
            self.ends[i].reset(&limb.end);
            for i in 0..limb.dof {
                self.data.qpos_mut()[limb.qpos[i]] = limb.home[i];
                self.data.qvel_mut()[limb.qvel[i]] = 0.0;
            }
            match &limb.end {
                EndHandles::Gripper { fingers, speeds, travel, .. } => {
                    for (f, v) in fingers.iter().zip(speeds) {
                        self.data.qpos_mut()[*f] = *travel;
                        self.data.qvel_mut()[*v] = 0.0;
                    }
                }
                EndHandles::Hand(joints) => {
                    for j in joints {
                        self.data.qpos_mut()[j.qpos] = j.home;
                        self.data.qvel_mut()[j.qvel] = 0.0;
                    }
                }
                EndHandles::Suction { .. } => {}
            }
        }
        self.apply_control(SUBSTEPS - 1);
        self.data.forward();
    }

    /// Sets the arms back to their home postures between two skills. Everything else stays exactly
    /// as it is; what a hand held is let go where it is.
    pub fn reset_arm(&mut self) {
        if self.is_sourced() {
            return self.reset_arm_source();
        }
        for limb in 0..self.limbs.len() {
            self.release(limb);
        }
        self.arms_home();
        self.refresh();
    }

    fn place_fixtures(&mut self, scene: &Scene) {
        for (b, h) in self.bodies.iter().zip(&self.handles) {
            if let (BodyRole::Object(i), None) = (b.role, h.free) {
                // SAFETY: poses of fixtures may change between steps; no size or index of the
                // model does.
                #[allow(unsafe_code)]
                let model = unsafe { self.data.model_mut() };
                model.body_pos_mut()[h.body] = scene.poses[i].pos.to_array();
                model.body_quat_mut()[h.body] = scene.poses[i].wxyz();
            }
        }
    }

    fn place(&mut self, scene: &Scene) {
        for (b, h) in self.bodies.iter().zip(&self.handles) {
            match (b.role, h) {
                (BodyRole::Object(i), BodyHandle { free: Some((q, _)), .. }) => {
                    let qpos = &mut self.data.qpos_mut()[*q..*q + 7];
                    qpos[..3].copy_from_slice(&scene.poses[i].pos.to_array());
                    qpos[3..].copy_from_slice(&scene.poses[i].wxyz());
                }
                (BodyRole::Part(i, p), BodyHandle { joint: Some((q, _)), .. }) => {
                    let info = self.structure.instances[i].asset.info();
                    self.data.qpos_mut()[*q] = scene.part_value(i, &info.parts[p].name);
                }
                _ => {}
            }
        }
        self.place_flexes(scene);
        for &(geom, instance, own) in &self.tinted {
            let rgba = match scene.tints[instance] {
                Tint::Own => own,
                Tint::Named(c) => {
                    let [r, g, b] = c.rgb();
                    [r, g, b, own[3]]
                }
            };
            // SAFETY: colours may change at any time.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            model.geom_rgba_mut()[geom] = rgba;
        }
        for &(instance, speed) in &scene.belts {
            let inst = &self.structure.instances[instance];
            let Some(belt) = &inst.asset.info().belt else { continue };
            let name = format!("{}/{}", inst.name, belt.part);
            if let Some(a) = self.data.model().name_to_id(MjtObjBase::mjOBJ_ACTUATOR, &name) {
                self.data.ctrl_mut()[a] = speed;
            }
        }
    }

    fn settle(&mut self, scene: &Scene) -> Result<(), SimError> {
        let moving = !scene.belts.is_empty();
        let most = (SETTLE_SECONDS / TIMESTEP) as u32;
        let mut quiet = 0;
        for k in 0..most {
            self.step_media();
            // Servos hold by themselves, torques do not.
            if self.limbs.iter().any(|l| l.torque) {
                self.apply_control(SUBSTEPS - 1);
            }
            self.data.step();
            if k % WATCH == 0 {
                // A body asleep before its contacts were ever read would seem to float.
                self.refresh();
            }
            let rests = self.fastest().0 < SETTLED_SPEED && self.soft_rests();
            quiet = if rests { quiet + 1 } else { 0 };
            if quiet >= 20 || (moving && k >= 100) {
                return self.check();
            }
        }
        let (speed, i) = self.fastest();
        let (speed, object) = match self.fastest_soft() {
            Some((medium, name)) if medium > speed => (medium, name),
            _ => (speed, self.bodies[i].name.as_str()),
        };
        if speed < 0.02 {
            return self.check();
        }
        Err(SimError::Unsettled {
            seed: scene.seed.0,
            seconds: SETTLE_SECONDS,
            object: object.to_owned(),
            speed,
        })
    }

    pub(super) fn fastest(&self) -> (f64, usize) {
        let v = self.data.qvel();
        let mut worst = (0.0, 0);
        for (i, h) in self.handles.iter().enumerate() {
            let speed = match (h.free, h.joint) {
                (Some((_, d)), _) => {
                    let lin = DVec3::new(v[d], v[d + 1], v[d + 2]).length();
                    lin.max(0.02 * DVec3::new(v[d + 3], v[d + 4], v[d + 5]).length())
                }
                (None, Some((_, d))) => v[d].abs(),
                _ => 0.0,
            };
            if speed > worst.0 {
                worst = (speed, i);
            }
        }
        worst
    }
}

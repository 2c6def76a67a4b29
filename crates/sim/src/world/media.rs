//! Media within a world.

use longarm_assets::{BodyRole, Structure, Tint};
use longarm_soft::Solid;
use longarm_task::{BodyId, Scene, Snapshot, SoftState};
use longarm_types::{DVec3, Pose, RunningHash, Seed, Segment, TIMESTEP};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::{EndHandles, LimbHandles};
use crate::SimError;
use crate::contacts::Owner;
use crate::medium::{
    JawHandles, Jaws, Medium, MediumStart, SolidGeom, Surroundings, make, pose_of, push,
    solid_geoms,
};

/// What does not live in MuJoCo, and what it meets there.
#[derive(Default)]
pub(super) struct Media {
    all: Vec<Immersed>,
    geoms: Vec<SolidGeom>,
    solids: Vec<Solid>,
    handles: Vec<JawHandles>,
    jaws: Vec<Jaws>,
}

/// A medium and what it touched in the last physics step.
struct Immersed {
    medium: Box<dyn Medium>,
    /// The tracked body that it is; 0 if none.
    body: BodyId,
    instance: Option<usize>,
    /// By body: it touches, it rests upon.
    bodies: Vec<[bool; 2]>,
    /// By limb: it touches, it is held.
    hands: Vec<[bool; 2]>,
}

/// Fingers told to come nearer to each other than this close, metres.
const CLOSED: f64 = 0.01;

/// Limits of finger joints are as stiff as pads are: what is held keeps them apart.
const LIMIT_SOLREF: [f64; 2] = [0.004, 1.0];
const LIMIT_SOLIMP: [f64; 3] = [0.95, 0.99, 0.001];

impl World {
    /// Put a medium into the world that belongs to none of its objects, as it begins an episode.
    ///
    /// Cameras draw media that were there when they were set up.
    pub fn add_medium(&mut self, medium: Box<dyn Medium>) {
        self.immerse(medium, None);
        let last = self.media.all.len() - 1;
        let plain = MediumStart { pose: Pose::IDENTITY, seed: Seed(0), colour: None };
        self.media.all[last].medium.reset(&plain);
        self.media.find_solids(&self.data);
        self.snapshot.soft.push(state_of(&self.media.all[last]));
    }

    /// Make the media of a structure.
    pub(super) fn make_media(&mut self, structure: &Structure) -> Result<(), SimError> {
        for (i, instance) in structure.instances.iter().enumerate() {
            let matter = instance.asset.info().matter.as_ref().filter(|m| !m.is_flex());
            if let Some(matter) = matter {
                self.find_surroundings();
                let grippers = self.media.handles.len();
                if let Some(medium) = make(&instance.name, matter, grippers)? {
                    self.immerse(medium, Some(i));
                }
            }
        }
        Ok(())
    }

    /// Find what media meet, once there is a medium.
    fn find_surroundings(&mut self) {
        if self.media.geoms.is_empty() {
            (self.media.geoms, self.media.solids) =
                solid_geoms(self.data.model(), self.contacts.owners());
            self.find_jaws();
        }
    }

    fn immerse(&mut self, medium: Box<dyn Medium>, instance: Option<usize>) {
        self.find_surroundings();
        let role = instance.map(BodyRole::Object);
        let body = self.bodies.iter().position(|b| Some(b.role) == role).unwrap_or(0);
        self.media.all.push(Immersed {
            medium,
            body,
            instance,
            bodies: vec![[false; 2]; self.bodies.len()],
            hands: vec![[false; 2]; self.limbs.len()],
        });
    }

    /// Find grippers, and stiffen the limits of their fingers.
    fn find_jaws(&mut self) {
        for (limb, handles) in self.limbs.iter().enumerate() {
            let found = jaw_handles(self.data.model(), limb, handles, &self.media.geoms);
            let Some(found) = found else { continue };
            // SAFETY: how stiff limits are may change between steps; no size or index of the model does.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            for joint in found.joints {
                model.jnt_solref_mut()[joint] = LIMIT_SOLREF;
                model.jnt_solimp_mut()[joint][..3].copy_from_slice(&LIMIT_SOLIMP);
            }
            self.media.handles.push(found);
        }
        self.media.jaws.reserve(self.media.handles.len());
    }

    /// Return the media with the bodies they are, 0 if none, in the order of the snapshot.
    pub fn media(&self) -> impl ExactSizeIterator<Item = (&dyn Medium, BodyId)> {
        self.media.all.iter().map(|m| (&*m.medium, m.body))
    }

    /// What each medium is in pictures: the object that it is, else a medium of its own.
    pub fn medium_segments(&self) -> impl Iterator<Item = Segment> {
        self.media().enumerate().map(|(i, (_, body))| match body {
            0 => Segment::Medium(i),
            body => Segment::Body(body),
        })
    }

    /// Advance all media by one physics step, after which bodies feel what media did to them.
    pub(super) fn step_media(&mut self) {
        let Media { all, geoms, solids, handles, jaws } = &mut self.media;
        if all.is_empty() {
            return;
        }
        self.data.xfrc_applied_mut().fill([0.0; 6]);
        for (geom, solid) in geoms.iter().zip(solids.iter_mut()) {
            if !geom.fixed {
                solid.advance(pose_of(&self.data, geom.geom));
            }
        }
        for (k, h) in handles.iter().enumerate() {
            let apart = jaws.get(k).map_or(0.0, |j| j.apart);
            let mut read = h.read(&self.data, solids, apart);
            let told = h.travel * (1.0 - self.ends[h.limb].gripper);
            read.closing = told < CLOSED;
            h.pads.iter().for_each(|&p| solids[p].grip = DVec3::NEG_Y * read.force);
            match jaws.get_mut(k) {
                Some(slot) => *slot = read,
                None => jaws.push(read),
            }
        }
        for immersed in all.iter_mut() {
            solids.iter_mut().for_each(Solid::rest);
            immersed.medium.step(TIMESTEP, &mut Surroundings { solids, jaws });
            immersed.touch(geoms, solids, handles, jaws);
            for (h, j) in handles.iter().zip(jaws.iter_mut()) {
                push(&mut self.data, h.hand, j.to.pos, std::mem::take(&mut j.load));
                j.holds = false;
            }
            for (geom, solid) in geoms.iter().zip(solids.iter()) {
                if !geom.fixed && solid.force != DVec3::ZERO {
                    push(&mut self.data, geom.body, solid.to.pos, [solid.force, solid.torque]);
                }
            }
        }
        for jaws in jaws {
            // Held apart, never pushed apart: what comes between them parts them no farther than they are.
            jaws.apart = jaws.thickness.min(jaws.apart.max(jaws.gap));
        }
        self.part_fingers();
    }

    /// Hold fingers apart by what is between them.
    fn part_fingers(&mut self) {
        for (k, h) in self.media.handles.iter().enumerate() {
            let apart = self.media.jaws.get(k).map_or(0.0, |j| j.apart);
            // SAFETY: limits may change between steps; no size or index of the model does.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            for joint in h.joints {
                let [least, most] = &mut model.jnt_range_mut()[joint];
                *least = (0.5 * apart).clamp(0.0, *most);
            }
        }
    }

    /// Lay all media as a scene begins; bodies are where they begin.
    pub(super) fn reset_media(&mut self, scene: &Scene) {
        for immersed in &mut self.media.all {
            let start = match immersed.instance {
                Some(i) => MediumStart {
                    pose: scene.poses[i],
                    seed: scene.seed,
                    colour: match scene.tints[i] {
                        Tint::Own => None,
                        Tint::Named(c) => Some(c.rgb()),
                    },
                },
                None => MediumStart { pose: Pose::IDENTITY, seed: scene.seed, colour: None },
            };
            immersed.medium.reset(&start);
            immersed.forget();
            self.snapshot.soft.push(state_of(immersed));
        }
        self.media.jaws.clear();
        self.media.find_solids(&self.data);
        self.part_fingers();
    }

    /// The states of all media, by name.
    pub(super) fn save_media(&self) -> Vec<(String, Vec<f64>)> {
        self.media.all.iter().map(|m| (m.medium.name().to_owned(), m.save())).collect()
    }

    /// What surrounded media when they were saved.
    pub(super) fn save_surroundings(&self) -> (Vec<Pose>, Vec<Jaws>) {
        (self.media.solids.iter().map(|s| s.to).collect(), self.media.jaws.clone())
    }

    pub(super) fn restore_surroundings(&mut self, (poses, jaws): &(Vec<Pose>, Vec<Jaws>)) {
        for (solid, pose) in self.media.solids.iter_mut().zip(poses) {
            (solid.from, solid.to) = (*pose, *pose);
        }
        self.media.jaws.clone_from(jaws);
        self.part_fingers();
    }

    /// Returns all media to saved states; `false` if those belong to other media.
    pub(super) fn restore_media(&mut self, states: &[(String, Vec<f64>)]) -> bool {
        self.media.all.len() == states.len()
            && self
                .media
                .all
                .iter_mut()
                .zip(states)
                .all(|(m, (name, state))| m.medium.name() == name && m.restore(state))
    }

    /// Whether all media rest.
    pub(super) fn media_rest(&self) -> bool {
        self.media.all.iter().all(|m| m.medium.speed() < m.medium.calm())
    }

    /// The fastest medium and its speed.
    pub(super) fn fastest_medium(&self) -> Option<(f64, &str)> {
        let speeds = self.media.all.iter().map(|m| (m.medium.speed(), m.medium.name()));
        speeds.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The first medium whose state means nothing any more.
    pub(super) fn check_media(&self) -> Result<(), SimError> {
        match self.media.all.iter().find(|m| !m.medium.sound()) {
            Some(m) => Err(SimError::MediumDiverged {
                time: self.data.time(),
                name: m.medium.name().to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Puts media into the snapshot, where bodies and contacts were read already.
    pub(super) fn read_media(&mut self) {
        for (immersed, state) in self.media.all.iter().zip(&mut self.snapshot.soft) {
            state.points.copy_from_slice(immersed.medium.points());
            state.speed = immersed.medium.speed();
        }
        for immersed in &self.media.all {
            immersed.read(&mut self.snapshot);
        }
    }
}

impl Media {
    /// Add the states of all media to a hash.
    pub(super) fn digest(&self, hash: &mut RunningHash) {
        self.all.iter().for_each(|m| m.medium.digest(hash));
        self.jaws.iter().for_each(|j| hash.floats(&[j.apart]));
    }

    /// Read where solids are, at rest.
    fn find_solids(&mut self, data: &MjData<Box<MjModel>>) {
        for (geom, solid) in self.geoms.iter().zip(&mut self.solids) {
            let pose = pose_of(data, geom.geom);
            (solid.from, solid.to, solid.grip) = (pose, pose, DVec3::ZERO);
        }
    }
}

impl Immersed {
    fn forget(&mut self) {
        self.bodies.fill([false; 2]);
        self.hands.fill([false; 2]);
    }

    /// Note what it touched in this step.
    fn touch(
        &mut self,
        geoms: &[SolidGeom],
        solids: &[Solid],
        handles: &[JawHandles],
        jaws: &[Jaws],
    ) {
        self.forget();
        for (geom, solid) in geoms.iter().zip(solids) {
            if solid.force == DVec3::ZERO {
                continue;
            }
            match geom.owner {
                Owner::Body(b) => {
                    self.bodies[b][0] = true;
                    self.bodies[b][1] |= solid.force.z < -0.5 * solid.force.length();
                }
                Owner::Limb { limb, .. } => self.hands[limb][0] = true,
            }
        }
        for (h, j) in handles.iter().zip(jaws) {
            let [touches, holds] = &mut self.hands[h.limb];
            *holds |= j.holds || h.pads.iter().all(|&p| solids[p].gripped > 0);
            *touches |= *holds;
        }
    }

    /// The medium's own state, then what it touched.
    fn save(&self) -> Vec<f64> {
        let mut state = Vec::new();
        let bits = self.bodies.iter().chain(&self.hands);
        state.extend(bits.map(|[a, b]| f64::from(u8::from(*a) + 2 * u8::from(*b))));
        self.medium.save(&mut state);
        state
    }

    fn restore(&mut self, state: &[f64]) -> bool {
        let n = self.bodies.len() + self.hands.len();
        let Some((bits, own)) = state.split_at_checked(n) else { return false };
        for (to, bits) in self.bodies.iter_mut().chain(&mut self.hands).zip(bits) {
            let bits = *bits as u8;
            *to = [bits & 1 != 0, bits & 2 != 0];
        }
        self.medium.restore(own)
    }

    /// Put its place and what it touches into the snapshot.
    fn read(&self, snap: &mut Snapshot) {
        let b = self.body;
        let Some(state) = snap.soft.iter().find(|s| s.body == b).filter(|_| b != 0) else { return };
        let n = state.points.len() as f64;
        let sum: DVec3 = state.points.iter().sum();
        let lowest = state.points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        // It stands on its origin, like everything.
        let pose = &mut snap.bodies[b].pose;
        pose.pos = (sum / n).with_z(lowest - state.form.radius);
        for (other, [touches, rests]) in self.bodies.iter().enumerate() {
            snap.touching.set(b, other, *touches);
            snap.touching.set(other, b, *touches);
            snap.rests_on.set(b, other, *rests);
            snap.rests_on.set(other, b, false);
        }
        for (hand, [touches, holds]) in snap.hands.iter_mut().zip(&self.hands) {
            hand.touches[b] = *touches;
            hand.holds[b] = *holds;
        }
    }
}

fn state_of(immersed: &Immersed) -> SoftState {
    SoftState {
        body: immersed.body,
        form: immersed.medium.form().clone(),
        points: immersed.medium.points().to_vec(),
        speed: immersed.medium.speed(),
    }
}

/// Find a gripper's pads among the solids, by the names that robots are written with.
fn jaw_handles(
    model: &MjModel,
    limb: usize,
    handles: &LimbHandles,
    geoms: &[SolidGeom],
) -> Option<JawHandles> {
    let EndHandles::Gripper { actuator, fingers, travel, .. } = &handles.end else { return None };
    let joint = |q: usize| model.jnt_qposadr().iter().position(|a| *a as usize == q);
    let joints = [joint(fingers[0])?, joint(fingers[1])?];
    let pad = |joint: usize| {
        let body = model.jnt_bodyid()[joint] as usize;
        geoms.iter().position(|g| {
            let name = model.id_to_name(MjtObjBase::mjOBJ_GEOM, g.geom).unwrap_or_default();
            g.body == body && name.contains("pad_")
        })
    };
    let pads = [pad(joints[0])?, pad(joints[1])?];
    let [x, _, z] = model.geom_size()[geoms[pads[0]].geom];
    let hand = model.body_parentid()[model.jnt_bodyid()[joints[0]] as usize] as usize;
    let (fingers, actuator, travel) = (*fingers, *actuator, *travel);
    Some(JawHandles { limb, pads, joints, fingers, actuator, hand, travel, pad: [x, z] })
}

//! From a structure to a compiled model with its handles.

use std::collections::BTreeMap;

use longarm_assets::kinematics::MAX_JOINTS;
use longarm_assets::{BodyRole, Structure, compose};
use longarm_task::Snapshot;
use longarm_types::RunningHash;
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_auxiliary::MjVfs;

use super::World;
use super::base::base_drives;
use super::flexes::find_flexes;
use super::handles::{EndHandles, body_handle, find_lamps, limb_handles, owners};
use super::limb::{EndCommand, routes};
use super::media::Media;
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::control::{ArmController, Controller};

/// Keeps MuJoCo from writing MUJOCO_LOG.TXT into the user's folder. What matters among its warnings
/// is read from the simulation's state after every control step.
fn quiet_mujoco() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: every use of MuJoCo in this crate goes through a compiled model, and none is compiled
    // before this has returned.
    #[allow(unsafe_code)]
    ONCE.call_once(|| unsafe { install_logging_hook() });
}

/// Compiles MJCF text with the files it names.
pub(crate) fn compile_model(
    xml: &str,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<MjModel, SimError> {
    quiet_mujoco();
    let fail = |e: &dyn std::fmt::Display| SimError::Compile(e.to_string());
    let mut vfs = MjVfs::new();
    for (name, bytes) in files {
        vfs.add_from_buffer(name, bytes).map_err(|e| fail(&e))?;
    }
    vfs.add_from_buffer("longarm.xml", xml.as_bytes()).map_err(|e| fail(&e))?;
    let model = MjModel::from_xml_vfs("longarm.xml", &vfs).map_err(|e| fail(&e));
    // MuJoCo keeps what it last parsed, 10 MB, for saving it as XML, which nobody does here.
    // SAFETY: takes nothing; loading itself frees the last one this way, under a lock. The model is a
    // copy.
    #[allow(unsafe_code)]
    unsafe {
        mujoco_rs::mujoco_c::mj_freeLastXML();
    }
    model
}

impl World {
    /// Compiles a structure. The world is empty of meaning until [`World::reset`].
    pub fn new(structure: &Structure) -> Result<Self, SimError> {
        let composed = compose(structure);
        let model = compile_model(&composed.xml, &composed.files)?;
        let mut handles = composed
            .bodies
            .iter()
            .map(|b| body_handle(&model, b))
            .collect::<Result<Vec<_>, _>>()?;
        let rig_limbs = structure.rig.limbs();
        let mut limbs = Vec::new();
        let mut controllers: Vec<Box<dyn Controller>> = Vec::new();
        for limb in &rig_limbs {
            let found = limb_handles(&model, limb, &composed.bodies)?;
            let mut feed = [0.0; MAX_JOINTS];
            for (feed, joint) in feed.iter_mut().zip(limb.spec().joints()) {
                *feed = joint.kv / joint.kp;
            }
            let mut controller = ArmController::new(limb.chain(), feed, &found.home);
            if limb.rides() {
                controller = controller.riding(limb.mount);
            }
            controllers.push(Box::new(controller));
            limbs.push(found);
        }
        let (owner, flexes) = owners(&model, &handles, &rig_limbs);
        let n = composed.bodies.len();
        let mut tinted = Vec::new();
        for g in 0..model.ffi().ngeom as usize {
            let Some(name) = model.id_to_name(MjtObjBase::mjOBJ_GEOM, g) else { continue };
            let Some((object, _)) = name.split_once("/tint") else { continue };
            if let Some(i) = structure.instances.iter().position(|o| o.name == object) {
                tinted.push((g, i, model.geom_rgba()[g]));
            }
        }
        let belts = structure
            .instances
            .iter()
            .filter_map(|inst| {
                let belt = inst.asset.info().belt.as_ref()?;
                let name = format!("{}/{}_joint", inst.name, belt.part);
                let joint = model.name_to_id(MjtObjBase::mjOBJ_JOINT, &name)?;
                Some((model.jnt_qposadr()[joint] as usize, belt.pitch))
            })
            .collect();
        let hands = limbs.iter().map(|l| matches!(l.end, EndHandles::Hand(_))).collect();
        let lamps = find_lamps(&model, structure, &composed, &handles);
        let control = structure.rig.action.control().into_owned();
        let bases = base_drives(&model, &structure.rig)?;
        let routes = routes(&control, &limbs, &bases)?;
        let flex_bodies = find_flexes(&model, structure, &composed.bodies)?;
        for flex in &flex_bodies {
            // Its own body stands still; its nodes sleep together.
            handles[flex.body].sleeper = flex.sleeper(&model);
        }
        let data =
            MjData::try_new(Box::new(model)).map_err(|e| SimError::Compile(e.to_string()))?;
        let mut world = Self {
            data,
            structure: structure.clone(),
            handles,
            contacts: ContactTracker::new(owner, flexes, n, hands),
            ends: limbs.iter().map(|l| EndCommand::new(&l.end)).collect(),
            control,
            routes,
            bases,
            tool_actions: structure.rig.tool_actions(),
            flexes: flex_bodies,
            fresh: false,
            media: Media::default(),
            limbs,
            controllers,
            snapshot: Snapshot::empty(n, &structure.rig.limb_names()),
            hash: RunningHash::default(),
            clipped: 0,
            boxes: composed
                .bodies
                .iter()
                .map(|b| match b.role {
                    BodyRole::Object(i) => Some(composed.infos[i].bounds),
                    _ => None,
                })
                .collect(),
            bodies: composed.bodies,
            tinted,
            belts,
            guided: Vec::new(),
            lamps,
            physics: None,
            source: None,
        };
        world.make_media(structure)?;
        Ok(world)
    }
}

//! What does not live in MuJoCo: cloth, liquid, clay.
//!
//! A medium is stepped with every physics step. It sees the solid shapes of the world, which push it,
//! and pushes back by forces on their bodies. Its state is part of the world's hash and checkpoints,
//! its points are part of the snapshot, and cameras draw its surface.

mod bulk;
mod fabric;
mod gap;
mod solids;

use std::sync::Arc;

use longarm_assets::matter::Matter;
use longarm_render::{Material, Mesh, Scene};
use longarm_soft::Solid;
use longarm_task::{LimbId, SoftForm};
use longarm_types::{DVec3, Pose, RunningHash, Seed};

use crate::SimError;
pub(crate) use gap::JawHandles;
pub(crate) use solids::{SolidGeom, pose_of, push, solid_geoms};

/// A medium with its state. Only making it, `surface` and `save` may allocate.
pub trait Medium: Send + Sync {
    /// Return its name, unique within a world.
    fn name(&self) -> &str;

    /// Lie as an episode begins.
    fn reset(&mut self, start: &MediumStart);

    /// Advance by one physics step of `dt` seconds. Solids move from `from` to `to` meanwhile and
    /// learn what force they felt.
    fn step(&mut self, dt: f64, around: &mut Surroundings<'_>);

    /// Return what its points are.
    fn form(&self) -> &Arc<SoftForm>;

    /// Return where its points are.
    fn points(&self) -> &[DVec3];

    /// Return the root of the mean square of their speeds, metres per second: scenes settle until it rests.
    fn speed(&self) -> f64;

    /// Return the speed below which it rests.
    fn calm(&self) -> f64 {
        CALM
    }

    /// Whether its state means anything; an episode ends as an error where it does not.
    fn sound(&self) -> bool {
        self.points().iter().all(|p| p.is_finite() && p.length_squared() < FAR * FAR)
    }

    /// Add its whole state to a hash.
    fn digest(&self, hash: &mut RunningHash);

    /// Append its whole state.
    fn save(&self, state: &mut Vec<f64>);

    /// Return to a saved state; `false` if it is not one of its own.
    fn restore(&mut self, state: &[f64]) -> bool;

    /// Return its surface as it is now, to be drawn.
    fn surface(&self) -> Mesh;

    /// Return what its surface looks like; textures are added to the scene.
    fn material(&self, scene: &mut Scene) -> Material;

    /// Return the colour that the scene of this episode gives it.
    fn colour(&self) -> Option<[f32; 3]> {
        None
    }

    /// Rewrite the positions and normals of the surface's vertices.
    fn draw(&self, surface: &mut Mesh);
}

/// Speed below which most media rest, metres per second.
const CALM: f64 = 2e-3;

/// Nothing that is this far away, in metres, is part of a scene.
const FAR: f64 = 100.0;

/// How a medium begins an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediumStart {
    /// Pose of its asset's frame.
    pub pose: Pose,
    /// Seed of the scene.
    pub seed: Seed,
    /// Colour that the scene gives it.
    pub colour: Option<[f32; 3]>,
}

/// What is around a medium during a physics step.
pub struct Surroundings<'a> {
    /// Solid shapes.
    pub solids: &'a mut [Solid],
    /// Grippers.
    pub jaws: &'a mut [Jaws],
}

/// A gripper as a medium meets it: two pads, which are among the solids, and what is between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jaws {
    /// The limb that it is the end of.
    pub limb: LimbId,
    /// Frame in the middle between the pads at the beginning of the step: y is the way they close, z
    /// points out of the hand.
    pub from: Pose,
    /// The same at the end of the step.
    pub to: Pose,
    /// Half size of the pads along x and z.
    pub pad: [f64; 2],
    /// Distance of the pads.
    pub gap: f64,
    /// It was told to close.
    pub closing: bool,
    /// Force with which each pad presses on what is between them, newtons.
    pub force: f64,
    /// Force with which the servo closes each finger, newtons; it moves it or presses it.
    pub pull: f64,
    /// Coefficient of friction of the pads.
    pub friction: f64,
    /// Written by media: thickness of what is between the pads, to which they can close at most.
    pub thickness: f64,
    /// Distance at which the pads are held apart.
    pub apart: f64,
    /// Written by media: force on the gripper besides that on its pads, and torque about the frame's origin.
    pub load: [DVec3; 2],
    /// Written by media: something between the pads is held.
    pub holds: bool,
}

/// Make the medium of an asset's matter, if MuJoCo does not simulate it, in a world with this many grippers.
pub(crate) fn make(
    name: &str,
    matter: &Matter,
    grippers: usize,
) -> Result<Option<Box<dyn Medium>>, SimError> {
    let unfit = |source| SimError::Matter { name: name.to_owned(), source };
    Ok(match matter {
        Matter::Bulk(b) => Some(Box::new(bulk::BulkMedium::new(name, b).map_err(unfit)?)),
        Matter::Fabric(f) => {
            Some(Box::new(fabric::FabricMedium::new(name, f, grippers).map_err(unfit)?))
        }
        Matter::Strand(_) | Matter::Foam(_) => None,
    })
}

//! What does not live in MuJoCo: cloth, liquid, clay.
//!
//! A medium is stepped with every physics step. It sees the solid shapes of the world, which push it,
//! and pushes back by forces on their bodies. Its state is part of the world's hash and checkpoints,
//! what it measures is part of the snapshot, and cameras draw its surface.

mod solids;

use longarm_render::{Material, Mesh};
use longarm_types::RunningHash;

pub(crate) use solids::{SolidGeom, solid_geoms};
pub use solids::{SolidShape, Solids};

/// A medium with its state. Only making it, `surface` and `save` may allocate.
pub trait Medium: Send + Sync {
    /// Return its name, unique within a world.
    fn name(&self) -> &str;

    /// Return to how it begins an episode.
    fn reset(&mut self);

    /// Advance by one physics step of `dt` seconds.
    fn step(&mut self, dt: f64, solids: &mut Solids<'_>);

    /// Return the speed of its fastest part, metres per second: scenes settle until it rests.
    fn speed(&self) -> f64;

    /// Add its whole state to a hash.
    fn digest(&self, hash: &mut RunningHash);

    /// Append its whole state.
    fn save(&self, state: &mut Vec<f64>);

    /// Return to a saved state; `false` if it is not one of its own.
    fn restore(&mut self, state: &[f64]) -> bool;

    /// Return its surface as it is now, to be drawn.
    fn surface(&self) -> Mesh;

    /// Return what its surface looks like.
    fn material(&self) -> Material;

    /// Rewrite the positions and normals of the surface's vertices.
    fn draw(&self, surface: &mut Mesh);

    /// Return the names of what it measures.
    fn measures(&self) -> &[&'static str];

    /// Measure: one value for each name.
    fn measure(&self, values: &mut [f64]);
}

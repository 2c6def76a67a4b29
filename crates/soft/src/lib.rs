//! Solvers for soft matter.
//!
//! They know solids by signed distances ([`Solid`]), do not move them, and say what force they felt.
//! Each solver is a value: the same state and the same solids give the same bits, on any machine and any
//! thread. Stepping allocates nothing, but for lists of contacts that outgrow their reserve once.

mod cells;
mod closest;
pub mod cloth;
mod field;
mod grid;
pub mod liquid;
pub mod mpm;
pub mod scenes;
mod shape;
mod skin;
mod solid;

pub use cloth::{Clamp, Cloth, ClothSpec, Sheet};
pub use field::Field;
pub use liquid::{Liquid, LiquidSpec};
pub use mpm::{Mpm, MpmSpec, Yield};
pub use shape::Shape;
pub use skin::Skin;
pub use solid::Solid;

/// What is wrong with matter that is to be made.
#[derive(Debug, thiserror::Error)]
pub enum SoftError {
    /// A mesh that cannot be used.
    #[error("the mesh cannot be used: {0}")]
    Mesh(String),
    /// Layers thicker than the sheet is fine.
    #[error(
        "a sheet with parts {apart:.4} m apart cannot be {thickness:.4} m thick: make it coarser or thinner"
    )]
    Thick {
        /// Distance of the nearest parts that share no corner.
        apart: f64,
        /// Thickness asked for.
        thickness: f64,
    },
    /// A number that must be positive and finite, or not negative.
    #[error("{name} is {value}: it must be finite and {least}")]
    Number {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        least: &'static str,
    },
}

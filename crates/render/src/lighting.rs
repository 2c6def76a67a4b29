//! Lights.

use crate::math::{Aabb, Vec3};
use crate::vertex_light::VertexLighting;

/// Where the key light comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyLight {
    /// Parallel light travelling along a direction.
    Directional {
        /// Direction of travel; need not be of unit length.
        direction: Vec3,
    },
    /// A cone of light.
    Spot {
        /// Where the lamp hangs.
        position: Vec3,
        /// Where it points; need not be of unit length.
        direction: Vec3,
        /// Half-angle of the cone in radians, below π/2; the outer tenth fades.
        cutoff: f32,
    },
}

/// The light of a scene: a key light with a shadow, a fill light without, and an ambient light
/// that comes in one colour from above and in another from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lighting {
    /// The light that casts shadows.
    pub key: KeyLight,
    /// Colour and strength of the key light.
    pub key_color: Vec3,
    /// Ambient light on surfaces that face up.
    pub sky: Vec3,
    /// Ambient light on surfaces that face down.
    pub ground: Vec3,
    /// Direction of travel of the fill light.
    pub fill_direction: Vec3,
    /// Colour and strength of the fill light; zero switches it off.
    pub fill_color: Vec3,
    /// The part of the world in which shadows of a directional key light are drawn; the smaller,
    /// the finer. Outside it everything is lit.
    pub shadow_region: Aabb,
    /// Half-width of the shadow's soft edge in metres; limited to 3.5 texels of the shadow map.
    pub softness: f32,
    /// Light computed at vertices in place of all of the above, with textures filtered between mip
    /// levels: the look of fixed-function OpenGL.
    pub at_vertices: Option<VertexLighting>,
}

impl Default for Lighting {
    /// A warm key light from the upper left of a viewer who looks along −x, over a table about
    /// the origin. A surface that faces the key light comes out about as bright as its colour.
    fn default() -> Self {
        Self {
            key: KeyLight::Directional { direction: [-0.38, 0.42, -0.92] },
            key_color: [0.58, 0.555, 0.515],
            sky: [0.47, 0.475, 0.485],
            ground: [0.34, 0.325, 0.31],
            fill_direction: [-0.5, -0.75, -0.3],
            fill_color: [0.10, 0.105, 0.115],
            shadow_region: Aabb::new([-0.75, -0.75, -0.05], [0.75, 0.75, 0.9]),
            softness: 0.006,
            at_vertices: None,
        }
    }
}

//! A deterministic CPU rasterizer: colour, depth, segmentation and normals in one pass.
//!
//! ```
//! use longarm_render::*;
//!
//! let mut scene = Scene::new();
//! let cube = scene.add_mesh(shapes::cube());
//! let red = scene.add_material(Material::matte(0.8, 0.2, 0.2));
//! scene.add_instance(Instance { scale: [0.05; 3], segment: 7, ..Instance::new(cube, red) });
//!
//! let mut renderer = Renderer::default();
//! renderer.update_shadows(&scene);
//! let camera = Camera::from_fovy(45.0, 64, 64).looking([0.5, 0.0, 0.3], [0.0; 3]);
//! let mut frame = Frame::new();
//! renderer.render(&scene, &camera, Channels::ALL, &mut frame);
//! assert_eq!(frame.segment[32 * 64 + 32], 7);
//! ```
//!
//! Results are the same bytes on every machine and for every instruction set: coverage is decided
//! in integers, and the rest uses only operations that IEEE 754 defines exactly, in a fixed order.
//!
//! Loops are written so that they vectorize at the baseline (SSE2). Building for `x86-64-v3` gives
//! the same bytes and, measured on an AMD EPYC, no gain: shading gets a little faster, filling
//! small triangles slower (the compiler then uses masked stores, the likely cause).

mod camera;
mod cluster;
mod draw;
mod frame;
mod geometry;
pub mod height_map;
mod lighting;
mod lit;
mod math;
mod mesh;
mod paint;
pub mod point_cloud;
mod raster;
mod renderer;
mod resolve;
mod scene;
mod shade;
mod shadow;
pub mod shapes;
mod simplify;
mod still;
mod texture;
mod vertex_light;
mod write;

pub use camera::Camera;
pub use frame::{Channels, Frame, NOTHING, add_noise, visible_pixels};
pub use lighting::{KeyLight, Lighting};
pub use math::{Aabb, IDENTITY, Mat3, Vec3, look_at};
pub use mesh::Mesh;
pub use renderer::{Renderer, SOLID_ALPHA, Settings};
pub use scene::{Background, Instance, Material, MaterialId, MeshId, Scene, TextureId};
pub use texture::Texture;
pub use vertex_light::{MOST_LIGHTS, VertexLight, VertexLighting};

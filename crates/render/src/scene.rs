//! What is drawn.

use crate::math::{IDENTITY, Mat3, Vec3};
use crate::mesh::{Mesh, StoredMesh};
use crate::texture::Texture;

/// A mesh of a [`Scene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshId(pub(crate) u32);

/// A texture of a [`Scene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextureId(pub(crate) u32);

/// A material of a [`Scene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialId(pub(crate) u32);

/// How a surface answers light. Colours are display-referred: what is fully lit looks as given.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Colour and opacity, multiplied with the texture.
    pub rgba: [f32; 4],
    /// Image on the surface.
    pub texture: Option<TextureId>,
    /// Repetitions of the texture along u and v.
    pub tex_repeat: [f32; 2],
    /// Repetitions count per metre of the instance's scale rather than per mesh.
    pub tex_uniform: bool,
    /// Strength of the highlight, 0–1.
    pub specular: f32,
    /// Sharpness of the highlight, 0–1.
    pub shininess: f32,
    /// Share of the colour that shines by itself.
    pub emission: f32,
    /// Kept for the models that state it; mirror images are not drawn.
    pub reflectance: f32,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            rgba: [0.5, 0.5, 0.5, 1.0],
            texture: None,
            tex_repeat: [1.0; 2],
            tex_uniform: false,
            specular: 0.1,
            shininess: 0.3,
            emission: 0.0,
            reflectance: 0.0,
        }
    }
}

impl Material {
    /// A matte colour.
    pub fn matte(r: f32, g: f32, b: f32) -> Self {
        Self { rgba: [r, g, b, 1.0], ..Self::default() }
    }
}

/// A mesh placed in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What shape.
    pub mesh: MeshId,
    /// What surface.
    pub material: MaterialId,
    /// Colour in place of the material's; the texture still multiplies it.
    pub rgba: Option<[f32; 4]>,
    /// Where the mesh's origin is.
    pub position: Vec3,
    /// How the mesh is turned.
    pub rotation: Mat3,
    /// Scale along the mesh's own axes, applied first.
    pub scale: Vec3,
    /// Number written into [`Frame::segment`](crate::Frame::segment).
    pub segment: i32,
    /// Whether it throws a shadow.
    pub casts_shadow: bool,
    /// Whether it usually stays put; its shadow and its picture are then kept. Moving it is still
    /// correct.
    pub is_static: bool,
    /// Whether it is drawn at all.
    pub visible: bool,
}

impl Instance {
    /// `mesh` at the origin with segment 0: visible, movable, casting a shadow.
    pub fn new(mesh: MeshId, material: MaterialId) -> Self {
        Self {
            mesh,
            material,
            rgba: None,
            position: [0.0; 3],
            rotation: IDENTITY,
            scale: [1.0; 3],
            segment: 0,
            casts_shadow: true,
            is_static: false,
            visible: true,
        }
    }
}

impl Instance {
    /// A point of the world in the mesh's frame.
    pub(crate) fn local(&self, point: [f64; 3]) -> Vec3 {
        let d: [f64; 3] = std::array::from_fn(|k| point[k] - f64::from(self.position[k]));
        std::array::from_fn(|k| {
            let along: f64 = (0..3).map(|j| f64::from(self.rotation[j][k]) * d[j]).sum();
            (along / f64::from(self.scale[k])) as f32
        })
    }
}

/// Colours behind everything: a gradient over the elevation of the line of sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Straight up.
    pub zenith: Vec3,
    /// Level and below.
    pub horizon: Vec3,
}

impl Default for Background {
    fn default() -> Self {
        Self { zenith: [0.66, 0.72, 0.80], horizon: [0.87, 0.86, 0.83] }
    }
}

/// Meshes, textures, materials and the instances that use them. Poses and looks of instances are
/// changed in place between frames.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub(crate) meshes: Vec<StoredMesh>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) materials: Vec<Material>,
    /// Everything placed, in drawing order; of two surfaces at the same depth a static one wins
    /// before one that moves, and then the first.
    pub instances: Vec<Instance>,
    /// What is seen where nothing is.
    pub background: Background,
}

impl Scene {
    /// An empty scene.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mesh. Panics if it is inconsistent (missing normals, indices out of range).
    pub fn add_mesh(&mut self, mesh: Mesh) -> MeshId {
        self.meshes.push(StoredMesh::new(mesh));
        MeshId(self.meshes.len() as u32 - 1)
    }

    /// Adds a mesh whose order of triangles and vertices does not matter, so that parts of it can be left out
    /// where light is computed at vertices.
    pub fn add_fine_mesh(&mut self, mesh: Mesh) -> MeshId {
        self.meshes.push(StoredMesh::divided(mesh));
        MeshId(self.meshes.len() as u32 - 1)
    }

    /// Adds a texture.
    pub fn add_texture(&mut self, texture: Texture) -> TextureId {
        self.textures.push(texture);
        TextureId(self.textures.len() as u32 - 1)
    }

    /// Adds a material.
    pub fn add_material(&mut self, material: Material) -> MaterialId {
        self.materials.push(material);
        MaterialId(self.materials.len() as u32 - 1)
    }

    /// Adds an instance and returns its index in [`Scene::instances`].
    pub fn add_instance(&mut self, instance: Instance) -> usize {
        self.instances.push(instance);
        self.instances.len() - 1
    }

    /// The mesh behind an id.
    pub fn mesh(&self, id: MeshId) -> &Mesh {
        &self.meshes[id.0 as usize].mesh
    }

    /// The texture behind an id.
    pub fn texture(&self, id: TextureId) -> &Texture {
        &self.textures[id.0 as usize]
    }

    /// The material behind an id.
    pub fn material(&self, id: MaterialId) -> &Material {
        &self.materials[id.0 as usize]
    }

    /// The material behind an id, to be changed.
    pub fn material_mut(&mut self, id: MaterialId) -> &mut Material {
        &mut self.materials[id.0 as usize]
    }

    /// Rewrites a mesh in place (cloth, ropes, liquid surfaces) and measures it again.
    pub fn update_mesh(&mut self, id: MeshId, change: impl FnOnce(&mut Mesh)) {
        let stored = &mut self.meshes[id.0 as usize];
        change(&mut stored.mesh);
        stored.touched();
    }

    /// Places an instance.
    pub fn set_pose(&mut self, instance: usize, position: Vec3, rotation: Mat3) {
        let i = &mut self.instances[instance];
        (i.position, i.rotation) = (position, rotation);
    }

    pub(crate) fn color(&self, instance: &Instance) -> [f32; 4] {
        instance.rgba.unwrap_or(self.materials[instance.material.0 as usize].rgba)
    }
}

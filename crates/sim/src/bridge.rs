//! From a MuJoCo model to what the rasterizer draws.
//!
//! Geoms keep the shapes, tessellation, colours and texture mapping of MuJoCo's own renderer, so
//! that depth and segmentation agree with it. Known differences: planes are not seen from behind,
//! see-through geoms below half opacity leave no trace in the segmentation, cube textures on
//! capsules follow metres instead of the unit shape, and highlights are weaker.

mod flex;

use std::collections::BTreeMap;

use longarm_render::{Instance, Material, MaterialId, Mesh, MeshId, Scene, Texture, shapes};
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_model::traits::ModelType;

use flex::Flex;

/// Geom groups from here on are hidden, as in MuJoCo's viewer.
const HIDDEN_GROUP: i32 = 3;

/// MuJoCo's default highlight is that of polished plastic; this share of it suits matte things.
const SPECULAR_SHARE: f32 = 0.35;

/// Half-size in metres of a plane without bounds.
const ENDLESS: f64 = 500.0;

/// The scene of a model: built once, then updated from its data without allocating.
///
/// An instance's segment is its geom's id; that of flex `i` is −2 − `i`.
#[derive(Clone, Debug)]
pub struct ModelScene {
    scene: Scene,
    geoms: Vec<GeomInstance>,
    flexes: Vec<Flex>,
    /// One per material of the model, then the one for geoms that have none.
    materials: Vec<MaterialId>,
}

#[derive(Clone, Debug)]
struct GeomInstance {
    geom: usize,
    instance: usize,
    kind: MjtGeomBase,
    size: [f64; 3],
}

/// Meshes shared by geoms.
struct Shapes {
    cube: MeshId,
    ball: MeshId,
    tube: MeshId,
    quad: MeshId,
    slices: usize,
    stacks: usize,
    /// By the mesh's id and whether it is scaled to unit half-size.
    meshes: BTreeMap<(usize, bool), MeshId>,
    fields: BTreeMap<usize, MeshId>,
}

impl ModelScene {
    /// Builds the scene of all geoms and flexes; call [`ModelScene::update`] before drawing.
    pub fn new(model: &MjModel) -> Self {
        let mut scene = Scene::new();
        let textures = add_textures(model, &mut scene);
        let materials = add_materials(model, &mut scene, &textures);
        let quality = &model.vis().quality;
        let (slices, stacks) =
            (quality.numslices.max(3) as usize, quality.numstacks.max(2) as usize);
        let mut shapes = Shapes {
            cube: scene.add_mesh(shapes::cube()),
            ball: scene.add_mesh(shapes::sphere(slices, stacks.next_multiple_of(2))),
            tube: scene.add_mesh(shapes::cylinder(slices)),
            quad: scene.add_mesh(shapes::quad()),
            slices,
            stacks,
            meshes: BTreeMap::new(),
            fields: BTreeMap::new(),
        };
        let mut geoms = Vec::new();
        for geom in 0..model.geom_type().len() {
            let kind = model.geom_type()[geom];
            let Some((mesh, scale)) = shape_of(model, geom, &mut scene, &mut shapes) else {
                continue;
            };
            let material = materials[material_index(model, model.geom_matid()[geom])];
            let body = model.geom_bodyid()[geom] as usize;
            let instance = scene.add_instance(Instance {
                scale,
                segment: geom as i32,
                is_static: model.body_weldid()[body] == 0,
                ..Instance::new(mesh, material)
            });
            geoms.push(GeomInstance { geom, instance, kind, size: model.geom_size()[geom] });
        }
        let flexes = (0..model.flex_dim().len())
            .map(|i| {
                let material = materials[material_index(model, model.flex_matid()[i])];
                Flex::new(model, i, &mut scene, material)
            })
            .collect();
        if let Some(background) = background(model) {
            scene.background = background;
        }
        Self { scene, geoms, flexes, materials }
    }

    /// Copies poses, sizes, colours and visibility from the model and its data.
    pub fn update<M: ModelType>(&mut self, model: &MjModel, data: &MjData<M>) {
        for (i, &id) in self.materials.iter().enumerate().take(model.mat_rgba().len()) {
            copy_material(model, i, self.scene.material_mut(id));
        }
        let (positions, rotations) = (data.geom_xpos(), data.geom_xmat());
        for g in &mut self.geoms {
            let geom = g.geom;
            let material = model.geom_matid()[geom];
            let rgba = color(model, material, model.geom_rgba()[geom]);
            let size = model.geom_size()[geom];
            if size != g.size {
                g.size = size;
                resize(g, &mut self.scene);
            }
            let instance = &mut self.scene.instances[g.instance];
            instance.position = positions[geom].map(|c| c as f32);
            let m = rotations[geom].map(|c| c as f32);
            instance.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
            instance.material = self.materials[material_index(model, material)];
            instance.rgba = Some(rgba);
            instance.visible = model.geom_group()[geom] < HIDDEN_GROUP && rgba[3] > 0.0;
        }
        for (i, flex) in self.flexes.iter_mut().enumerate() {
            let rgba = color(model, model.flex_matid()[i], model.flex_rgba()[i]);
            let instance = &mut self.scene.instances[flex.instance()];
            instance.rgba = Some(rgba);
            instance.visible = model.flex_group()[i] < HIDDEN_GROUP && rgba[3] > 0.0;
            if instance.visible {
                flex.update(data.flexvert_xpos(), &mut self.scene);
            }
        }
    }

    /// Shows or hides a geom until the next update.
    pub fn show(&mut self, geom: usize, visible: bool) {
        if let Some(g) = self.geoms.iter().find(|g| g.geom == geom) {
            self.scene.instances[g.instance].visible = visible;
        }
    }

    /// What to hand to the renderer.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, to change its background or hide things until the next update.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

fn material_index(model: &MjModel, id: i32) -> usize {
    usize::try_from(id).unwrap_or(model.mat_rgba().len())
}

/// The material's colour, unless the geom states one of its own.
fn color(model: &MjModel, material: i32, own: [f32; 4]) -> [f32; 4] {
    match usize::try_from(material) {
        Ok(i) if own == [0.5, 0.5, 0.5, 1.0] => model.mat_rgba()[i],
        _ => own,
    }
}

fn narrow(size: [f64; 3]) -> [f32; 3] {
    size.map(|c| c as f32)
}

/// Mesh and scale of a geom.
fn shape_of(
    model: &MjModel,
    geom: usize,
    scene: &mut Scene,
    shapes: &mut Shapes,
) -> Option<(MeshId, [f32; 3])> {
    let size = model.geom_size()[geom];
    let data = model.geom_dataid()[geom];
    let s = narrow(size);
    Some(match model.geom_type()[geom] {
        MjtGeomBase::mjGEOM_PLANE if size[0] > 0.0 && size[1] > 0.0 => {
            (shapes.quad, [s[0], s[1], 1.0])
        }
        MjtGeomBase::mjGEOM_PLANE => (scene.add_mesh(endless_plane(model, geom)), [1.0; 3]),
        MjtGeomBase::mjGEOM_HFIELD => {
            let id = usize::try_from(data).ok()?;
            let mesh = *shapes.fields.entry(id).or_insert_with(|| scene.add_mesh(field(model, id)));
            let size = model.hfield_size()[id];
            (mesh, [size[0] as f32, size[1] as f32, 1.0])
        }
        MjtGeomBase::mjGEOM_SPHERE => (shapes.ball, [s[0]; 3]),
        MjtGeomBase::mjGEOM_ELLIPSOID => (shapes.ball, s),
        MjtGeomBase::mjGEOM_CAPSULE => {
            let mesh = shapes::capsule(s[0], s[1], shapes.slices, shapes.stacks);
            (scene.add_mesh(mesh), [1.0; 3])
        }
        MjtGeomBase::mjGEOM_CYLINDER => (shapes.tube, [s[0], s[0], s[1]]),
        MjtGeomBase::mjGEOM_BOX => (shapes.cube, s),
        MjtGeomBase::mjGEOM_MESH | MjtGeomBase::mjGEOM_SDF => {
            let id = usize::try_from(data).ok()?;
            // A projected texture counts in half-sizes of the mesh, a cube texture in metres.
            let unit = texture_of(model, model.geom_matid()[geom])
                .is_some_and(|t| model.tex_type()[t] == MjtTexture::mjTEXTURE_2D)
                && s.iter().all(|&c| c > 0.0);
            let scale = if unit { s } else { [1.0; 3] };
            let mesh = shapes.meshes.entry((id, unit));
            (*mesh.or_insert_with(|| scene.add_mesh(imported(model, id, scale))), scale)
        }
    })
}

/// Gives an instance the size its geom has now. Meshes and fields have none of their own.
fn resize(g: &GeomInstance, scene: &mut Scene) {
    let s = narrow(g.size);
    let scale = match g.kind {
        MjtGeomBase::mjGEOM_SPHERE => [s[0]; 3],
        MjtGeomBase::mjGEOM_ELLIPSOID | MjtGeomBase::mjGEOM_BOX => s,
        MjtGeomBase::mjGEOM_CYLINDER => [s[0], s[0], s[1]],
        MjtGeomBase::mjGEOM_PLANE if s[0] > 0.0 && s[1] > 0.0 => [s[0], s[1], 1.0],
        MjtGeomBase::mjGEOM_CAPSULE => {
            let mesh = scene.instances[g.instance].mesh;
            scene.update_mesh(mesh, |m| *m = shapes::capsule(s[0], s[1], 28, 16));
            return;
        }
        _ => return,
    };
    scene.instances[g.instance].scale = scale;
}

/// A plane without bounds in one direction or both, with the texture MuJoCo would lay on it.
fn endless_plane(model: &MjModel, geom: usize) -> Mesh {
    let size = model.geom_size()[geom];
    let half = [0, 1].map(|k| if size[k] > 0.0 { size[k] } else { ENDLESS } as f32);
    let material = usize::try_from(model.geom_matid()[geom]).ok();
    let repeat = material.map_or([1.0; 2], |m| model.mat_texrepeat()[m]);
    let mut mesh = shapes::quad();
    let uvs = mesh.positions.iter_mut().map(|p| {
        (p[0], p[1]) = (p[0] * half[0], p[1] * half[1]);
        let u = |k: usize, sign: f32| {
            let c = sign * p[k];
            let own = if size[k] > 0.0 { 0.5 + 0.5 * c / half[k] } else { 0.5 * c };
            own - 0.5 / repeat[k].max(1e-6)
        };
        [u(0, 1.0), u(1, -1.0)]
    });
    mesh.uvs = Some(uvs.collect());
    mesh
}

fn field(model: &MjModel, id: usize) -> Mesh {
    let (rows, columns) = (model.hfield_nrow()[id] as usize, model.hfield_ncol()[id] as usize);
    let first = model.hfield_adr()[id] as usize;
    let size = model.hfield_size()[id];
    let heights: Vec<f32> = model.hfield_data()[first..first + rows * columns]
        .iter()
        .map(|h| h * size[2] as f32)
        .collect();
    let mut mesh = shapes::height_field(&heights, columns, rows, 1.0, 1.0, size[3] as f32);
    // Textures are projected from above.
    mesh.uvs = None;
    mesh
}

/// A mesh asset divided by `scale`. Vertices are shared where position, normal and texture
/// coordinate agree.
fn imported(model: &MjModel, id: usize, scale: [f32; 3]) -> Mesh {
    let range = |first: i32, count: i32| first as usize..(first + count) as usize;
    let points = &model.mesh_vert()[range(model.mesh_vertadr()[id], model.mesh_vertnum()[id])];
    let normals =
        &model.mesh_normal()[range(model.mesh_normaladr()[id], model.mesh_normalnum()[id])];
    let faces = range(model.mesh_faceadr()[id], model.mesh_facenum()[id]);
    let uvs =
        usize::try_from(model.mesh_texcoordadr()[id]).ok().map(|a| &model.mesh_texcoord()[a..]);
    let mut mesh = Mesh { uvs: uvs.map(|_| Vec::new()), ..Mesh::default() };
    let mut known = BTreeMap::new();
    for f in faces {
        let face = model.mesh_face()[f];
        let p = face.map(|i| points[i as usize]);
        let flat = face_normal(p);
        let mut triangle = [0; 3];
        for k in 0..3 {
            let mut normal = normals[model.mesh_facenormal()[f][k] as usize];
            let along = normal[0] * flat[0] + normal[1] * flat[1] + normal[2] * flat[2];
            // MuJoCo's rule for creases.
            if uvs.is_none() && along < 0.8 {
                normal = flat;
            }
            let uv = uvs.map(|t| t[model.mesh_facetexcoord()[f][k] as usize]);
            let key = (face[k], normal.map(f32::to_bits), uv.map(|t| t.map(f32::to_bits)));
            triangle[k] = *known.entry(key).or_insert_with(|| {
                mesh.positions.push(std::array::from_fn(|c| p[k][c] / scale[c]));
                mesh.normals.push(std::array::from_fn(|c| normal[c] * scale[c]));
                if let (Some(all), Some(uv)) = (&mut mesh.uvs, uv) {
                    all.push(uv);
                }
                mesh.positions.len() as u32 - 1
            });
        }
        mesh.triangles.push(triangle);
    }
    mesh
}

fn face_normal(p: [[f32; 3]; 3]) -> [f32; 3] {
    let d = |i: usize, k: usize| p[i][k] - p[0][k];
    let n: [f32; 3] = std::array::from_fn(|k| {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        d(1, a) * d(2, b) - d(1, b) * d(2, a)
    });
    let l = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt().max(1e-20);
    n.map(|c| c / l)
}

/// The colour texture of a material.
fn texture_of(model: &MjModel, material: i32) -> Option<usize> {
    let material = usize::try_from(material).ok()?;
    let id = model.mat_texid()[material][MjtTextureRole::mjTEXROLE_RGB as usize];
    usize::try_from(id).ok()
}

fn add_textures(model: &MjModel, scene: &mut Scene) -> Vec<Option<longarm_render::TextureId>> {
    (0..model.tex_type().len())
        .map(|i| {
            if model.tex_type()[i] == MjtTexture::mjTEXTURE_SKYBOX {
                return None;
            }
            let (width, height) = (model.tex_width()[i] as usize, model.tex_height()[i] as usize);
            let rgb = pixels(model, i)?;
            let texture = if model.tex_type()[i] == MjtTexture::mjTEXTURE_2D {
                Texture::flat(width, height, &rgb)
            } else if height == width {
                Texture::cube(width, &rgb.repeat(6))
            } else {
                Texture::cube(width, &rgb)
            };
            Some(scene.add_texture(texture))
        })
        .collect()
}

/// A texture's pixels as RGB; `None` for encodings that only other renderers read.
fn pixels(model: &MjModel, i: usize) -> Option<Vec<u8>> {
    let channels = model.tex_nchannel()[i] as usize;
    let first = usize::try_from(model.tex_adr()[i]).ok()?;
    let count = model.tex_width()[i] as usize * model.tex_height()[i] as usize;
    if !(3..=4).contains(&channels) {
        return None;
    }
    let data = &model.tex_data()[first..first + count * channels];
    Some(data.chunks_exact(channels).flat_map(|p| [p[0], p[1], p[2]]).collect())
}

fn add_materials(
    model: &MjModel,
    scene: &mut Scene,
    textures: &[Option<longarm_render::TextureId>],
) -> Vec<MaterialId> {
    let mut all: Vec<MaterialId> = (0..model.mat_rgba().len())
        .map(|i| {
            let texture = texture_of(model, i as i32).and_then(|t| textures[t]);
            let mut material = Material { texture, ..Material::default() };
            copy_material(model, i, &mut material);
            scene.add_material(material)
        })
        .collect();
    let plain = Material { specular: 0.5 * SPECULAR_SHARE, shininess: 0.5, ..Material::default() };
    all.push(scene.add_material(plain));
    all
}

fn copy_material(model: &MjModel, i: usize, material: &mut Material) {
    material.rgba = model.mat_rgba()[i];
    // MuJoCo takes 0 for "do not repeat".
    material.tex_repeat = model.mat_texrepeat()[i].map(|r| if r > 0.0 { r } else { 1.0 });
    material.tex_uniform = model.mat_texuniform()[i];
    material.specular = SPECULAR_SHARE * model.mat_specular()[i];
    material.shininess = model.mat_shininess()[i];
    material.emission = model.mat_emission()[i];
    material.reflectance = model.mat_reflectance()[i];
}

/// A gradient in place of the model's skybox, if it has one: mean of its upper face, and of the
/// middle of its sides.
fn background(model: &MjModel) -> Option<longarm_render::Background> {
    let i = model.tex_type().iter().position(|&t| t == MjtTexture::mjTEXTURE_SKYBOX)?;
    let rgb = pixels(model, i)?;
    let n = model.tex_width()[i] as usize;
    let mean = |bytes: &[u8]| {
        let mut sum = [0u64; 3];
        for p in bytes.chunks_exact(3) {
            for k in 0..3 {
                sum[k] += p[k] as u64;
            }
        }
        sum.map(|s| s as f32 / (255.0 * (bytes.len() / 3).max(1) as f32))
    };
    let face = |f: usize| &rgb[(3 * n * n * f).min(rgb.len() - 3 * n * n)..][..3 * n * n];
    let middle = 3 * n * (n / 2)..3 * n * (n / 2) + 3 * n;
    let sides = [0, 1, 4, 5].map(|f| mean(&face(f)[middle.clone()]));
    let horizon =
        std::array::from_fn(|k| 0.25 * (sides[0][k] + sides[1][k] + sides[2][k] + sides[3][k]));
    Some(longarm_render::Background { zenith: mean(face(2)), horizon })
}

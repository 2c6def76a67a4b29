//! From a MuJoCo model to what the rasterizer draws.
//!
//! Geoms keep the shapes, tessellation, colours and texture mapping of MuJoCo's own renderer, so
//! that depth and segmentation agree with it. Known differences: planes are not seen from behind,
//! see-through geoms below half opacity leave no trace in the segmentation, cube textures on
//! capsules follow metres instead of the unit shape, and highlights are weaker.

mod flex;
mod looks;
mod meshes;
mod tube;

use std::collections::BTreeMap;

use longarm_render::{Instance, MaterialId, MeshId, Scene, shapes};
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_model::traits::ModelType;

use flex::Flex;
use looks::{add_materials, add_textures, background, copy_material, texture_of};
use meshes::{divided_plane, endless_plane, field, imported};

/// Geom groups from here on are hidden, as in MuJoCo's viewer.
const HIDDEN_GROUP: i32 = 3;

/// How a model is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelLook {
    /// As the engine's own scenes: its light, solid groups hidden, weaker highlights.
    #[default]
    Engine,
    /// As MuJoCo's own renderer draws it: group 0 hidden, surfaces divided for light at vertices,
    /// textures in their colour space.
    OpenGl,
}

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
    look: ModelLook,
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
    look: ModelLook,
    /// By the mesh's id and whether it is scaled to unit half-size.
    meshes: BTreeMap<(usize, bool), MeshId>,
    fields: BTreeMap<usize, MeshId>,
}

impl ModelScene {
    /// Builds the scene of all geoms and flexes; call [`ModelScene::update`] before drawing.
    pub fn new(model: &MjModel) -> Self {
        Self::with_look(model, ModelLook::Engine)
    }

    /// The same in another look.
    pub fn with_look(model: &MjModel, look: ModelLook) -> Self {
        let mut scene = Scene::new();
        let textures = add_textures(model, &mut scene, look);
        let materials = add_materials(model, &mut scene, &textures, look);
        let quality = &model.vis().quality;
        let (slices, stacks) =
            (quality.numslices.max(3) as usize, quality.numstacks.max(2) as usize);
        let mut shapes = Shapes {
            cube: scene.add_mesh(match look {
                ModelLook::Engine => shapes::cube(),
                ModelLook::OpenGl => shapes::divided_cube(quality.numquads.max(1) as usize),
            }),
            ball: scene.add_mesh(shapes::sphere(slices, stacks.next_multiple_of(2))),
            tube: scene.add_mesh(shapes::cylinder(slices)),
            quad: scene.add_mesh(shapes::quad()),
            slices,
            stacks,
            look,
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
        Self { scene, geoms, flexes, materials, look }
    }

    /// Copies poses, sizes, colours and visibility from the model and its data.
    pub fn update<M: ModelType>(&mut self, model: &MjModel, data: &MjData<M>) {
        for (i, &id) in self.materials.iter().enumerate().take(model.mat_rgba().len()) {
            copy_material(model, i, self.scene.material_mut(id), self.look);
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
            let (position, rotation) = match self.look {
                ModelLook::Engine => (positions[geom], rotations[geom]),
                ModelLook::OpenGl => (positions[geom].map(snapped), rotations[geom].map(snapped)),
            };
            instance.position = position.map(|c| c as f32);
            let m = rotation.map(|c| c as f32);
            instance.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
            instance.material = self.materials[material_index(model, material)];
            instance.rgba = Some(rgba);
            instance.visible = shown(self.look, model.geom_group()[geom]) && rgba[3] > 0.0;
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

    /// The scene, to change its background or hide objects until the next update.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

/// Onto a grid of eight micrometres, below what a picture shows: what lies still is then drawn as lying still.
fn snapped(c: f64) -> f64 {
    const GRID: f64 = 131_072.0;
    libm::rint(c * GRID) / GRID
}

/// Whether geoms of a group are drawn.
fn shown(look: ModelLook, group: i32) -> bool {
    match look {
        ModelLook::Engine => group < HIDDEN_GROUP,
        ModelLook::OpenGl => (1..HIDDEN_GROUP).contains(&group),
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
        MjtGeomBase::mjGEOM_PLANE if size[0] > 0.0 && size[1] > 0.0 => match shapes.look {
            ModelLook::Engine => (shapes.quad, [s[0], s[1], 1.0]),
            ModelLook::OpenGl => (scene.add_mesh(divided_plane(size)), [s[0], s[1], 1.0]),
        },
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
            let flat = texture_of(model, model.geom_matid()[geom])
                .is_some_and(|t| model.tex_type()[t] == MjtTexture::mjTEXTURE_2D);
            let unit = flat && s.iter().all(|&c| c > 0.0);
            let scale = if unit { s } else { [1.0; 3] };
            let mesh = shapes.meshes.entry((id, flat));
            let look = shapes.look;
            let add = || match look {
                ModelLook::Engine => scene.add_mesh(imported(model, id, scale)),
                ModelLook::OpenGl => {
                    let mut mesh = imported(model, id, scale);
                    // Of no use without a flat texture, and they keep vertices apart.
                    mesh.uvs = mesh.uvs.filter(|_| flat);
                    scene.add_fine_mesh(mesh)
                }
            };
            (*mesh.or_insert_with(add), scale)
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

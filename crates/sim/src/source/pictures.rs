//! Pictures of a world from files, as MuJoCo's own renderer draws them.

use longarm_render::{
    Camera, Channels, Frame, Instance, Lighting, Material, NOTHING, Renderer, Scene, Settings,
    VertexLight, VertexLighting, shapes,
};
use mujoco_rs::prelude::*;

use super::SourceWorld;
use super::mirror::Mirror;
use crate::SimError;
use crate::bridge::{ModelLook, ModelScene};

/// Draws the cameras of a world from files: light computed at vertices, no shadows, four samples a
/// pixel, textures filtered between mip levels, the image in the first mirror. Sites are drawn where they are
/// shown.
pub struct SourceCameras {
    scene: ModelScene,
    renderer: Renderer,
    size: (usize, usize),
    frame: Frame,
    mirror: Option<Mirror>,
    /// Sites that can be shown, and their instances.
    sites: Vec<(usize, usize)>,
}

impl SourceCameras {
    /// Make ready to draw pictures of this width and height.
    pub fn new(world: &SourceWorld, width: usize, height: usize) -> Self {
        let model = world.data.model();
        let settings = Settings { antialias: true, shadows: false, ..Settings::default() };
        let lighting = Lighting { at_vertices: Some(lights(world)), ..Lighting::default() };
        let mut scene = ModelScene::with_look(model, ModelLook::OpenGl);
        let sites = add_sites(model, scene.scene_mut());
        Self {
            scene,
            sites,
            renderer: Renderer::new(settings, lighting),
            size: (width, height),
            frame: Frame::default(),
            mirror: Mirror::find(model),
        }
    }

    /// Show a site of a round or square shape, or hide it. All are hidden at first.
    pub fn show_site(&mut self, site: usize, on: bool) {
        if let Some((_, instance)) = self.sites.iter().find(|(s, _)| *s == site) {
            self.scene.scene_mut().instances[*instance].visible = on;
        }
    }

    /// Draw what a camera sees with everything where it was computed last, and return it as RGB, top
    /// row first.
    pub fn draw(&mut self, world: &SourceWorld, camera: usize) -> &[u8] {
        let (data, model) = (&world.data, world.data.model());
        self.scene.update(model, data);
        for (site, instance) in &self.sites {
            let to = &mut self.scene.scene_mut().instances[*instance];
            to.position = data.site_xpos()[*site].map(|v| v as f32);
            let m = data.site_xmat()[*site].map(|v| v as f32);
            to.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
        }
        let mut seen = Camera::from_fovy(model.cam_fovy()[camera] as f32, self.size.0, self.size.1);
        seen.position = data.cam_xpos()[camera].map(|v| v as f32);
        let m = data.cam_xmat()[camera].map(|v| v as f32);
        seen.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
        let (map, extent) = (&model.vis().map, model.stat().extent as f32);
        (seen.near, seen.far) = (map.znear * extent, map.zfar * extent);
        let channels = match self.mirror {
            None => Channels::COLOR,
            Some(_) => Channels { segment: true, normals: true, ..Channels::COLOR },
        };
        let Self { scene, renderer, frame, mirror, .. } = self;
        renderer.render_fixed(camera, scene.scene(), &seen, channels, frame);
        if let Some(mirror) = mirror {
            mirror.draw(world, scene, renderer, &seen, frame);
        }
        &self.frame.rgb
    }
}

/// Add sites, hidden, and return which became which instance.
fn add_sites(model: &MjModel, scene: &mut Scene) -> Vec<(usize, usize)> {
    let quality = &model.vis().quality;
    let (slices, stacks) = (quality.numslices.max(3) as usize, quality.numstacks.max(2) as usize);
    let mut out = Vec::new();
    for site in 0..model.site_type().len() {
        let [x, y, z] = model.site_size()[site].map(|v| v as f32);
        let (mesh, scale) = match model.site_type()[site] {
            MjtGeomBase::mjGEOM_CYLINDER => (shapes::cylinder(slices), [x, x, y]),
            MjtGeomBase::mjGEOM_SPHERE => (shapes::sphere(slices, stacks), [x; 3]),
            MjtGeomBase::mjGEOM_BOX => (shapes::cube(), [x, y, z]),
            _ => continue,
        };
        let [r, g, b, _] = model.site_rgba()[site];
        let look = Material { specular: 0.5, shininess: 0.5, ..Material::matte(r, g, b) };
        let (mesh, material) = (scene.add_mesh(mesh), scene.add_material(look));
        let hidden =
            Instance { scale, visible: false, segment: NOTHING, ..Instance::new(mesh, material) };
        out.push((site, scene.add_instance(hidden)));
    }
    out
}

/// The lights of a model.
fn lights(world: &SourceWorld) -> VertexLighting {
    let (data, model) = (&world.data, world.data.model());
    let head = &model.vis().headlight;
    let mut out = VertexLighting::default();
    if head.active != 0 {
        out.headlight = Some([head.ambient, head.diffuse, head.specular]);
    }
    let shining = (0..model.light_type().len()).filter(|i| model.light_active()[*i]);
    for (to, i) in out.lights.iter_mut().zip(shining) {
        let spot = match model.light_type()[i] {
            MjtLightType::mjLIGHT_SPOT => true,
            MjtLightType::mjLIGHT_DIRECTIONAL => false,
            _ => continue,
        };
        *to = Some(VertexLight {
            position: spot.then(|| data.light_xpos()[i].map(|v| v as f32)),
            direction: data.light_xdir()[i].map(|v| v as f32),
            cutoff: model.light_cutoff()[i].to_radians(),
            exponent: model.light_exponent()[i],
            attenuation: model.light_attenuation()[i],
            ambient: model.light_ambient()[i],
            diffuse: model.light_diffuse()[i],
            specular: model.light_specular()[i],
        });
    }
    out
}

impl SourceWorld {
    /// Find a camera by name.
    pub fn camera(&self, name: &str) -> Result<usize, SimError> {
        super::find(self.data.model(), MjtObjBase::mjOBJ_CAMERA, "camera", name)
    }
}

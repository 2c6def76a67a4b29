//! Pictures of a world from files, as MuJoCo's own renderer draws them.

use std::collections::BTreeMap;

use longarm_render::{
    Camera, Channels, Frame, Instance, Lighting, Material, NOTHING, Renderer, Scene, Settings,
    VertexLight, VertexLighting, shapes,
};
use mujoco_rs::prelude::*;

use super::SourceWorld;
use super::mirror::Mirror;
use crate::SimError;
use crate::bridge::{ModelLook, ModelScene};

type Data = MjData<Box<MjModel>>;

/// What a picture of a world from files needs besides a scene: light computed at vertices, no shadows,
/// four samples a pixel, textures filtered between mip levels, the image in the first mirror, sites
/// where they are shown.
pub(crate) struct SourceLook {
    mirror: Option<Mirror>,
    sites: Vec<ShownSite>,
    /// Of each camera that was drawn, by its number.
    views: BTreeMap<usize, View>,
}

/// What a camera saw last.
struct View {
    camera: Camera,
    poses: Vec<Pose>,
}

/// Where an instance was, for how many pictures, whether it counts as lying still, and whether it is fixed to
/// the world.
struct Pose {
    position: [f32; 3],
    rotation: [[f32; 3]; 3],
    still: u32,
    counted: bool,
    fixed: bool,
}

/// Pictures after which what has not moved may count as lying still.
const STILL: u32 = 4;
/// Pictures after which it does, even if something else comes to rest just then.
const LONG_STILL: u32 = 24;

impl View {
    fn new(camera: &Camera, scene: &Scene) -> Self {
        let pose = |i: &Instance| Pose {
            position: i.position,
            rotation: i.rotation,
            still: 0,
            counted: false,
            fixed: i.is_static,
        };
        Self { camera: *camera, poses: scene.instances.iter().map(pose).collect() }
    }

    /// Mark what lies still, so that a camera that stands still keeps its picture of it; return whether
    /// the camera does. What comes to rest shortly after each other is marked at once: each time the whole
    /// picture is drawn again.
    fn update(&mut self, camera: &Camera, scene: &mut Scene) -> bool {
        let (mut resting, mut longest) = (false, 0);
        for (pose, i) in self.poses.iter_mut().zip(&scene.instances) {
            let same = pose.position == i.position && pose.rotation == i.rotation;
            pose.still = if same { pose.still.saturating_add(1) } else { 0 };
            (pose.position, pose.rotation) = (i.position, i.rotation);
            pose.counted &= same;
            if i.visible && !pose.fixed && !pose.counted {
                resting |= (1..STILL).contains(&pose.still);
                longest = longest.max(pose.still);
            }
        }
        let mark = (longest >= STILL && !resting) || longest >= LONG_STILL;
        for (pose, i) in self.poses.iter_mut().zip(&mut scene.instances) {
            pose.counted |= mark && pose.still >= STILL;
            i.is_static = pose.fixed || pose.counted;
        }
        std::mem::replace(&mut self.camera, *camera) == *camera
    }
}

/// A site that can be shown, and its instance.
struct ShownSite {
    site: usize,
    instance: usize,
    on: bool,
}

impl SourceLook {
    /// Make ready to draw a model.
    pub(crate) fn new(data: &Data) -> (ModelScene, Renderer, Self) {
        let model = data.model();
        let settings = Settings { antialias: true, shadows: false, ..Settings::default() };
        let lighting = Lighting { at_vertices: Some(lights(data)), ..Lighting::default() };
        let mut scene = ModelScene::with_look(model, ModelLook::OpenGl);
        let sites = add_sites(model, scene.scene_mut());
        let look = Self { mirror: Mirror::find(model), sites, views: BTreeMap::new() };
        (scene, Renderer::new(settings, lighting), look)
    }

    /// Show a site of a round or square shape, or hide it. All are hidden at first.
    pub(crate) fn show_site(&mut self, site: usize, on: bool) {
        for s in self.sites.iter_mut().filter(|s| s.site == site) {
            s.on = on;
        }
    }

    /// Return a camera of the model as it is now.
    pub(crate) fn camera(data: &Data, camera: usize, width: usize, height: usize) -> Camera {
        let model = data.model();
        let mut seen = Camera::from_fovy(model.cam_fovy()[camera] as f32, width, height);
        seen.position = data.cam_xpos()[camera].map(|v| v as f32);
        seen.rotation = rows(&data.cam_xmat()[camera]);
        let (map, extent) = (&model.vis().map, model.stat().extent as f32);
        (seen.near, seen.far) = (map.znear * extent, map.zfar * extent);
        seen
    }

    /// Draw what a camera sees with everything where it was computed last.
    pub(crate) fn draw(
        &mut self,
        (scene, renderer): (&mut ModelScene, &mut Renderer),
        data: &Data,
        (slot, camera): (usize, &Camera),
        channels: Channels,
        frame: &mut Frame,
    ) {
        // A mirror hides instances, so that each picture begins with all of them.
        scene.update(data.model(), data);
        for s in &self.sites {
            let to = &mut scene.scene_mut().instances[s.instance];
            to.visible = s.on;
            to.position = data.site_xpos()[s.site].map(|v| v as f32);
            to.rotation = rows(&data.site_xmat()[s.site]);
        }
        let view = self.views.entry(slot).or_insert_with(|| View::new(camera, scene.scene()));
        let fixed = view.update(camera, scene.scene_mut());
        let mut draw = |channels: Channels, frame: &mut Frame| match fixed {
            true => renderer.render_fixed(slot, scene.scene(), camera, channels, frame),
            false => renderer.render(scene.scene(), camera, channels, frame),
        };
        let Some(mirror) = &mut self.mirror else {
            draw(channels, frame);
            return;
        };
        draw(channels, frame);
        if channels.color {
            mirror.draw(data, scene, renderer, (fixed.then_some(slot), camera), frame);
        }
    }
}

fn rows(m: &[f64; 9]) -> [[f32; 3]; 3] {
    let m = m.map(|v| v as f32);
    [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]]
}

/// Draws the cameras of a world from files as MuJoCo's own renderer does.
pub struct SourceCameras {
    scene: ModelScene,
    renderer: Renderer,
    look: SourceLook,
    size: (usize, usize),
    frame: Frame,
}

impl SourceCameras {
    /// Make ready to draw pictures of this width and height.
    pub fn new(world: &SourceWorld, width: usize, height: usize) -> Self {
        let (scene, renderer, look) = SourceLook::new(&world.data);
        Self { scene, renderer, look, size: (width, height), frame: Frame::default() }
    }

    /// Show a site of a round or square shape, or hide it. All are hidden at first.
    pub fn show_site(&mut self, site: usize, on: bool) {
        self.look.show_site(site, on);
    }

    /// Draw what a camera sees with everything where it was computed last, and return it as RGB, top
    /// row first.
    pub fn draw(&mut self, world: &SourceWorld, camera: usize) -> &[u8] {
        let Self { scene, renderer, look, size, frame } = self;
        let seen = SourceLook::camera(&world.data, camera, size.0, size.1);
        look.draw((scene, renderer), &world.data, (camera, &seen), Channels::COLOR, frame);
        &self.frame.rgb
    }
}

/// Add sites, hidden, and return which became which instance.
fn add_sites(model: &MjModel, scene: &mut Scene) -> Vec<ShownSite> {
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
        out.push(ShownSite { site, instance: scene.add_instance(hidden), on: false });
    }
    out
}

/// The lights of a model.
fn lights(data: &Data) -> VertexLighting {
    let model = data.model();
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

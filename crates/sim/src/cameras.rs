//! The pictures of a rig's cameras.

use longarm_assets::{CameraSpec, Rig};
use longarm_render::height_map::{self, Grid, HeightMap};
use longarm_render::point_cloud::{self, Point, Sampler};
use longarm_render::{Aabb, Camera, Channels, Frame, Instance, MeshId, Renderer};
use longarm_types::{
    Bounds, Calibration, CameraImage, CloudSpec, DVec3, ObservationSpec, PictureKind, PointCloud,
    Rng, Segment,
};
use mujoco_rs::prelude::*;

use crate::bridge::ModelScene;
use crate::source::SourceLook;
use crate::{SimError, World};

/// How pictures are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSettings {
    /// What to draw.
    pub channels: Channels,
    /// Width and height in place of the rig's own.
    pub size: Option<(usize, usize)>,
    /// Four-sample anti-aliasing of colours.
    pub smooth: bool,
    /// The shadow of the key light.
    pub shadows: bool,
    /// Also draw the rig's view for people; it never enters observations.
    pub view: bool,
    /// Standard deviation of Gaussian pixel noise, in grey levels.
    pub noise: f64,
    /// Keep what fixed cameras see of objects that do not move. Faster, and the same bytes.
    pub keep_still: bool,
    /// Names of the cameras to draw; without it all of the rig's, and with `view` its view. The
    /// others have empty pictures.
    pub only: Option<Vec<String>>,
    /// Also what the drawn cameras see as a point cloud; all of its channels are drawn then.
    pub cloud: Option<CloudSpec>,
}

impl ImageSettings {
    /// The rig's view for people alone, smooth.
    pub fn for_people(rig: &Rig) -> Self {
        Self {
            smooth: true,
            view: true,
            only: Some(vec![rig.view.name.clone()]),
            ..Self::default()
        }
    }

    /// What is observed of a rig with these pictures.
    pub fn observation(&self, rig: &Rig) -> ObservationSpec {
        let mut spec = rig.observation();
        let channels = self.drawn();
        let kinds = [
            (channels.color, PictureKind::Colour),
            (channels.depth, PictureKind::Depth),
            (channels.segment, PictureKind::Segment),
            (channels.normals, PictureKind::Normals),
        ];
        spec.cloud = self.cloud;
        for camera in &mut spec.cameras {
            (camera.width, camera.height) = self.size.unwrap_or((camera.width, camera.height));
            let drawn = self.draws(&camera.name);
            camera.pictures = kinds.iter().filter(|k| drawn && k.0).map(|k| k.1).collect();
        }
        spec
    }

    /// The channels that are drawn.
    fn drawn(&self) -> Channels {
        let all = self.cloud.is_some();
        let Channels { color, depth, segment, normals } = self.channels;
        Channels { color: color || all, depth: depth || all, segment: segment || all, normals }
    }

    fn draws(&self, camera: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|n| n == camera))
    }
}

impl Default for ImageSettings {
    fn default() -> Self {
        Self {
            channels: Channels::COLOR,
            size: None,
            smooth: false,
            shadows: true,
            view: false,
            noise: 0.0,
            keep_still: true,
            only: None,
            cloud: None,
        }
    }
}

struct RigCamera {
    spec: CameraSpec,
    id: usize,
    /// It hangs on nothing that moves.
    fixed: bool,
}

/// The cameras of one world, with their buffers.
pub struct CameraRig {
    scene: ModelScene,
    renderer: Renderer,
    cameras: Vec<RigCamera>,
    /// Where each camera was when it drew.
    drawn: Vec<Camera>,
    /// How many of them policies see.
    observed: usize,
    frames: Vec<Frame>,
    settings: ImageSettings,
    /// Segment of each geom, and of each flex.
    segments: (Vec<i32>, Vec<i32>),
    /// The surface of each medium, and its instance.
    media: Vec<(MeshId, usize)>,
    /// Segment of each medium.
    medium_segments: Vec<i32>,
    cloud: Cloud,
    /// How a world from files is drawn.
    source: Option<SourceLook>,
}

/// What a point cloud is made in.
#[derive(Default)]
struct Cloud {
    all: Vec<Point>,
    chosen: Vec<Point>,
    sampler: Sampler,
}

impl Cloud {
    /// Put the points on the world and its furniture last, all else in order, and return how many they are.
    fn furniture_last(&mut self) -> usize {
        let world = |p: &Point| p.segment == Segment::Body(0).id();
        self.chosen.clear();
        self.chosen.extend(self.all.iter().filter(|p| world(p)));
        self.all.retain(|p| !world(p));
        self.all.extend_from_slice(&self.chosen);
        self.chosen.len()
    }
}

impl CameraRig {
    /// Prepares the cameras of a world.
    pub fn new(world: &World, settings: ImageSettings) -> Result<Self, SimError> {
        let model = world.data().model();
        let Rig { cameras, view, .. } = &world.structure().rig;
        let observed = cameras.len();
        let cameras = cameras
            .iter()
            .chain(settings.view.then_some(view))
            .map(|c| {
                let missing = || SimError::Missing { kind: "camera", name: c.name.clone() };
                let id = match world.source_camera(&c.name) {
                    Some(found) => found?,
                    None => {
                        model.name_to_id(MjtObjBase::mjOBJ_CAMERA, &c.name).ok_or_else(missing)?
                    }
                };
                let fixed = model.body_weldid()[model.cam_bodyid()[id] as usize] == 0;
                Ok(RigCamera { spec: c.clone(), id, fixed: fixed && settings.keep_still })
            })
            .collect::<Result<Vec<_>, SimError>>()?;
        if world.is_sourced() {
            let (scene, renderer, look) = SourceLook::new(world.data());
            return Ok(Self {
                scene,
                renderer,
                media: Vec::new(),
                medium_segments: Vec::new(),
                cloud: Cloud::default(),
                frames: vec![Frame::new(); cameras.len()],
                drawn: vec![Camera::from_fovy(45.0, 1, 1); cameras.len()],
                cameras,
                observed,
                segments: world.segments(),
                settings,
                source: Some(look),
            });
        }
        let mut renderer = Renderer::default();
        renderer.settings.shadows = settings.shadows;
        // Shadows matter around the workspace: fitted there, their texels are finest.
        let space = &world.structure().rig.workspace;
        let (c, h) = (DVec3::from(space.centre), DVec3::from(space.half));
        let wide =
            Bounds { centre: [c.x, c.y, c.z + 0.2], half: [h.x + 0.35, h.y + 0.3, h.z + 0.35] };
        renderer.lighting.shadow_region = corners(&wide);
        renderer.settings.antialias = settings.smooth;
        let mut scene = ModelScene::new(model);
        let media = world.media().enumerate().map(|(i, (medium, _))| {
            let segment = Segment::Medium(i).id();
            let scene = scene.scene_mut();
            let mesh = scene.add_mesh(medium.surface());
            let material = medium.material(scene);
            let material = scene.add_material(material);
            let instance = Instance { segment, ..Instance::new(mesh, material) };
            (mesh, scene.add_instance(instance))
        });
        let media = media.collect();
        Ok(Self {
            scene,
            media,
            medium_segments: world.medium_segments().map(Segment::id).collect(),
            cloud: Cloud::default(),
            renderer,
            frames: vec![Frame::new(); cameras.len()],
            drawn: vec![Camera::from_fovy(45.0, 1, 1); cameras.len()],
            cameras,
            observed,
            segments: world.segments(),
            settings,
            source: None,
        })
    }

    /// Draws the cameras as the world is now.
    pub fn draw(&mut self, world: &World, noise: &mut Rng) {
        let data = world.observed();
        if let Some(look) = &mut self.source {
            world.glowing().for_each(|(site, lit)| look.show_site(site, lit));
        } else {
            self.scene.update(data.model(), data);
        }
        for (geom, lit) in world.lamps() {
            self.scene.show(geom, lit);
        }
        for ((mesh, instance), (medium, _)) in self.media.iter().zip(world.media()) {
            let scene = self.scene.scene_mut();
            scene.instances[*instance].rgba = medium.colour().map(|[r, g, b]| [r, g, b, 1.0]);
            scene.update_mesh(*mesh, |surface| medium.draw(surface));
        }
        if self.source.is_none() {
            self.renderer.update_shadows(self.scene.scene());
        }
        let views = self.cameras.iter().zip(&mut self.drawn).zip(&mut self.frames).enumerate();
        let wanted = views.filter(|(_, ((view, _), _))| self.settings.draws(&view.spec.name));
        for (slot, ((RigCamera { spec, id, fixed }, drawn), frame)) in wanted {
            let own = (spec.width, spec.height);
            let (width, height) = self.settings.size.unwrap_or(own);
            if let Some(look) = &mut self.source {
                *drawn = SourceLook::camera(data, *id, width, height);
                let draws = (&mut self.scene, &mut self.renderer);
                look.draw(draws, data, (slot, drawn), self.settings.drawn(), frame);
                finish(frame, (&self.segments, &self.medium_segments), self.settings.noise, noise);
                continue;
            }
            let mut camera = Camera::from_fovy(spec.fovy as f32, width, height);
            camera.position = data.cam_xpos()[*id].map(|v| v as f32);
            let m = data.cam_xmat()[*id].map(|v| v as f32);
            camera.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
            *drawn = camera;
            let (scene, channels) = (self.scene.scene(), self.settings.drawn());
            if *fixed {
                self.renderer.render_fixed(slot, scene, &camera, channels, frame);
            } else {
                self.renderer.render(scene, &camera, channels, frame);
            }
            finish(frame, (&self.segments, &self.medium_segments), self.settings.noise, noise);
        }
    }

    /// How many cameras keep what they see of objects that do not move.
    pub fn fixed(&self) -> usize {
        self.cameras.iter().filter(|c| c.fixed).count()
    }

    /// The last pictures, in the rig's order, the view for people last.
    pub fn frames(&self) -> impl Iterator<Item = (&str, &Frame)> {
        self.cameras.iter().map(|c| c.spec.name.as_str()).zip(&self.frames)
    }

    /// Copies the last pictures into an observation's buffers.
    pub fn copy_into(&self, images: &mut Vec<CameraImage>) {
        images.resize_with(self.observed, CameraImage::default);
        for (((name, frame), camera), image) in self.frames().zip(&self.drawn).zip(images) {
            if image.name != name {
                name.clone_into(&mut image.name);
            }
            image.width = frame.width;
            image.height = frame.height;
            image.rgb.clone_from(&frame.rgb);
            image.depth.clone_from(&frame.depth);
            image.segment.clone_from(&frame.segment);
            image.normals.clone_from(&frame.normals);
            image.calibration = calibration(camera);
        }
    }

    /// Copies the point cloud of the last pictures, exactly as many points as were asked for: where the
    /// cameras see fewer they repeat, where they see none all are at the origin and belong to nothing.
    pub fn cloud_into(&mut self, out: &mut PointCloud) {
        out.clear();
        let Some(CloudSpec { points, bounds, furniture }) = self.settings.cloud else { return };
        let mut cloud = std::mem::take(&mut self.cloud);
        self.point_cloud(&bounds, &mut cloud.all);
        // A quota splits the cloud in two; what one of them lacks the other gives.
        let split = furniture.map_or(0, |_| cloud.furniture_last());
        let (rest, flat) = cloud.all.split_at(cloud.all.len() - split);
        let quota = match (furniture, rest.is_empty(), flat.is_empty()) {
            (None, ..) | (_, _, true) => 0,
            (_, true, _) => points,
            (Some(quota), ..) => quota.min(points),
        };
        for (from, count) in [(rest, points - quota), (flat, quota)] {
            cloud.sampler.sample(from, count, &mut cloud.chosen);
            for p in &cloud.chosen {
                out.push(p.position, p.rgb, p.segment);
            }
        }
        for _ in out.segments.len()..points {
            out.push([0.0; 3], [0; 3], Segment::BACKGROUND);
        }
        self.cloud = cloud;
    }

    /// What the cameras saw as points in the world, fused over the views that policies see and
    /// cropped to a box. Needs the depth channel; sample it to a fixed count with
    /// [`point_cloud::farthest_points`] or [`point_cloud::voxel_sample`].
    pub fn point_cloud(&self, crop: &Bounds, points: &mut Vec<Point>) {
        points.clear();
        let crop = corners(crop);
        let seen = self.frames[..self.observed].iter().zip(&self.drawn);
        for (frame, camera) in seen.filter(|(f, _)| f.width > 0) {
            point_cloud::unproject(frame, camera, Some(&crop), points);
        }
    }

    /// Heights and colours seen from straight above, over a box, at `cell` metres per cell.
    pub fn height_map(&self, over: &Bounds, cell: f64) -> HeightMap {
        let mut points = Vec::new();
        self.point_cloud(over, &mut points);
        height_map::height_map(&points, &Grid { bounds: corners(over), cell: cell as f32 })
    }

    /// Pixels of each tracked body summed over the cameras that policies see. Needs the segmentation channel.
    pub fn visible(&self, counts: &mut [u32]) {
        counts.fill(0);
        for s in self.frames[..self.observed].iter().flat_map(|f| &f.segment) {
            if let Some(c) = usize::try_from(*s).ok().and_then(|b| counts.get_mut(b)) {
                *c += 1;
            }
        }
    }
}

/// Name what pixels belong to, and add noise.
fn finish(
    frame: &mut Frame,
    ((geoms, flexes), media): (&(Vec<i32>, Vec<i32>), &[i32]),
    level: f64,
    noise: &mut Rng,
) {
    for s in &mut frame.segment {
        *s = match *s {
            medium if medium >= Segment::MEDIA => media[(medium - Segment::MEDIA) as usize],
            geom @ 0.. => geoms[geom as usize],
            -1 => Segment::BACKGROUND,
            flex => flexes[(-2 - flex) as usize],
        };
    }
    if level > 0.0 {
        longarm_render::add_noise(&mut frame.rgb, level as f32, || noise.normal() as f32);
    }
}

/// Pictures count rows downwards and depth along the line of sight: y and z change their signs.
fn calibration(camera: &Camera) -> Calibration {
    Calibration {
        focal: [camera.fx, camera.fy],
        centre: [camera.cx, camera.cy],
        position: camera.position,
        rotation: camera.rotation.map(|[x, y, z]| [x, -y, -z]),
    }
}

fn corners(b: &Bounds) -> Aabb {
    let (c, h) = (DVec3::from(b.centre), DVec3::from(b.half));
    Aabb { min: (c - h).to_array().map(|v| v as f32), max: (c + h).to_array().map(|v| v as f32) }
}

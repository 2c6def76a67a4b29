//! The pictures of a rig's cameras.

use longarm_assets::{CameraSpec, Rig};
use longarm_render::{Camera, Channels, Frame, Renderer};
use longarm_types::{CameraImage, Rng};
use mujoco_rs::prelude::*;

use crate::bridge::ModelScene;
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
}

impl Default for ImageSettings {
    fn default() -> Self {
        Self { channels: Channels::COLOR, size: None, smooth: false, shadows: true, view: false, noise: 0.0 }
    }
}

/// The cameras of one world, with their buffers.
pub struct CameraRig {
    scene: ModelScene,
    renderer: Renderer,
    cameras: Vec<(CameraSpec, usize)>,
    /// How many of them policies see.
    observed: usize,
    frames: Vec<Frame>,
    settings: ImageSettings,
    /// Tracked body of each geom, −1 for the robot.
    segments: Vec<i32>,
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
                let found = model.name_to_id(MjtObjBase::mjOBJ_CAMERA, &c.name);
                let missing = || SimError::Missing { kind: "camera", name: c.name.clone() };
                Ok((c.clone(), found.ok_or_else(missing)?))
            })
            .collect::<Result<Vec<_>, SimError>>()?;
        let mut renderer = Renderer::default();
        renderer.settings.shadows = settings.shadows;
        renderer.settings.antialias = settings.smooth;
        Ok(Self {
            scene: ModelScene::new(model),
            renderer,
            frames: vec![Frame::new(); cameras.len()],
            cameras,
            observed,
            segments: world.geom_bodies().iter().map(|b| b.map_or(-1, |b| b as i32)).collect(),
            settings,
        })
    }

    /// Draws all cameras as the world is now.
    pub fn draw(&mut self, world: &World, noise: &mut Rng) {
        let data = world.data();
        self.scene.update(data.model(), data);
        self.renderer.update_shadows(self.scene.scene());
        for ((spec, id), frame) in self.cameras.iter().zip(&mut self.frames) {
            let own = (spec.width, spec.height);
            let (width, height) = self.settings.size.unwrap_or(own);
            let mut camera = Camera::from_fovy(spec.fovy as f32, width, height);
            camera.position = data.cam_xpos()[*id].map(|v| v as f32);
            let m = data.cam_xmat()[*id].map(|v| v as f32);
            camera.rotation = [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]];
            self.renderer.render(self.scene.scene(), &camera, self.settings.channels, frame);
            for s in &mut frame.segment {
                *s = usize::try_from(*s).map_or(-1, |g| self.segments[g]);
            }
            if self.settings.noise > 0.0 {
                longarm_render::add_noise(&mut frame.rgb, self.settings.noise as f32, || noise.normal() as f32);
            }
        }
    }

    /// The last pictures, in the rig's order, the view for people last.
    pub fn frames(&self) -> impl Iterator<Item = (&str, &Frame)> {
        self.cameras.iter().map(|(c, _)| c.name.as_str()).zip(&self.frames)
    }

    /// Copies the last pictures into an observation's buffers.
    pub fn copy_into(&self, images: &mut Vec<CameraImage>) {
        images.resize_with(self.observed, CameraImage::default);
        for ((name, frame), image) in self.frames().zip(images) {
            if image.name != name {
                name.clone_into(&mut image.name);
            }
            image.width = frame.width;
            image.height = frame.height;
            image.rgb.clone_from(&frame.rgb);
            image.depth.clone_from(&frame.depth);
            image.segment.clone_from(&frame.segment);
        }
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

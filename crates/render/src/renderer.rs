//! Putting a frame together.

use crate::camera::Camera;
use crate::draw::draw;
use crate::frame::{Channels, Frame};
use crate::lighting::Lighting;
use crate::lit::LitPicture;
use crate::paint::{Brushes, Painter};
use crate::raster::{Plane, Rect};
use crate::resolve::Stage;
use crate::scene::{Instance, Scene};
use crate::shade::Shader;
use crate::shadow::{ShadowMap, center};
use crate::still::{Key, PixelKind, Still};
use crate::vertex_light::ViewLights;
use crate::write::{write_depth, write_segments};

/// From this opacity on, a see-through surface also shows in depth, segments and normals.
pub const SOLID_ALPHA: f32 = 0.5;

/// What a [`Renderer`] does beyond the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Four samples per pixel for colour. Depth, segments and normals always belong to the
    /// pixel's centre, so they stay exact.
    pub antialias: bool,
    /// Shadows of the key light.
    pub shadows: bool,
    /// Texels along each side of the shadow map, 16–4096.
    pub shadow_size: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { antialias: false, shadows: true, shadow_size: 1024 }
    }
}

/// Draws frames; holds the shadow map and all buffers, so that nothing is allocated after the
/// first frames.
///
/// See-through instances (alpha below 1) are drawn after the others, farthest first, each with
/// its nearest surface; those of at least [`SOLID_ALPHA`] also enter the other channels.
#[derive(Debug, Default)]
pub struct Renderer {
    /// May be changed between frames.
    pub settings: Settings,
    /// May be changed between frames.
    pub lighting: Lighting,
    shadows: ShadowMap,
    scratch: Vec<Scratch>,
    stills: Vec<Still>,
    /// Under light at vertices: of cameras that stay where they are, and of the others.
    lit: Vec<LitPicture>,
    lit_moving: LitPicture,
}

impl Renderer {
    /// A renderer with the given settings and light.
    pub fn new(settings: Settings, lighting: Lighting) -> Self {
        Self { settings, lighting, ..Self::default() }
    }

    /// Draws the shadow map. Call once per step, after the poses and before the cameras; without
    /// it, frames show the shadows of the last call.
    pub fn update_shadows(&mut self, scene: &Scene) {
        if self.settings.shadows && self.lighting.at_vertices.is_none() {
            let size = self.settings.shadow_size.clamp(16, 4096);
            self.shadows.update(scene, &self.lighting, size);
        }
    }

    /// Draws one frame.
    pub fn render(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        frame: &mut Frame,
    ) {
        self.scratch.resize_with(self.scratch.len().max(1), Scratch::default);
        let setup = Setup { settings: self.settings, light: &self.lighting, map: &self.shadows };
        let Some(lights) = ViewLights::of(camera, setup.light).filter(|_| channels.color) else {
            self.scratch[0].render(&setup, scene, camera, channels, frame);
            return;
        };
        setup.others(&mut self.scratch[0], scene, camera, channels, frame);
        let key = setup.key(scene, camera, channels);
        self.lit_moving.render(key, lights, scene, false, frame);
    }

    /// Draws the same frame as [`Renderer::render`], faster for a camera that usually stays where it
    /// is: what it sees of static instances is kept under the number `slot` (small; one for each
    /// camera) and drawn again when anything about it changes.
    pub fn render_fixed(
        &mut self,
        slot: usize,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        frame: &mut Frame,
    ) {
        self.scratch.resize_with(self.scratch.len().max(1), Scratch::default);
        self.stills.resize_with(self.stills.len().max(slot + 1), Still::default);
        let setup = Setup { settings: self.settings, light: &self.lighting, map: &self.shadows };
        let Some(lights) = ViewLights::of(camera, setup.light).filter(|_| channels.color) else {
            let still = &mut self.stills[slot];
            self.scratch[0].render_over(still, &setup, scene, camera, channels, frame);
            return;
        };
        self.lit.resize_with(self.lit.len().max(slot + 1), LitPicture::default);
        setup.others(&mut self.scratch[0], scene, camera, channels, frame);
        let key = setup.key(scene, camera, channels);
        self.lit[slot].render(key, lights, scene, true, frame);
    }

    /// Lists the pixels in which a segment is seen where it faces `up`, with the number of their four samples,
    /// in the last picture under light at vertices: that of [`Renderer::render`], or of a fixed camera's `slot`.
    pub fn facing(
        &self,
        slot: Option<usize>,
        scene: &Scene,
        segment: i32,
        up: [f32; 3],
        pixels: &mut Vec<(usize, u32)>,
    ) {
        let picture = slot.map_or(Some(&self.lit_moving), |slot| self.lit.get(slot));
        pixels.clear();
        if let Some(picture) = picture {
            picture.facing(scene, segment, up, pixels);
        }
    }

    /// Draws several frames on up to `threads` threads; the result does not depend on how many.
    pub fn render_all(
        &mut self,
        scene: &Scene,
        views: &[(Camera, Channels)],
        frames: &mut Vec<Frame>,
        threads: usize,
    ) {
        frames.resize_with(views.len(), Frame::default);
        if self.lighting.at_vertices.is_some() {
            for ((camera, channels), frame) in views.iter().zip(frames) {
                self.render(scene, camera, *channels, frame);
            }
            return;
        }
        let threads = threads.clamp(1, views.len().max(1));
        self.scratch.resize_with(self.scratch.len().max(threads), Scratch::default);
        let setup = Setup { settings: self.settings, light: &self.lighting, map: &self.shadows };
        let share = views.len().div_ceil(threads).max(1);
        let jobs = views.chunks(share).zip(frames.chunks_mut(share)).zip(&mut self.scratch);
        let work = |(views, frames): (&[(Camera, Channels)], &mut [Frame]), s: &mut Scratch| {
            for ((camera, channels), frame) in views.iter().zip(frames) {
                s.render(&setup, scene, camera, *channels, frame);
            }
        };
        if threads == 1 {
            jobs.for_each(|(job, scratch)| work(job, scratch));
        } else {
            std::thread::scope(|scope| {
                for (job, scratch) in jobs {
                    scope.spawn(|| work(job, scratch));
                }
            });
        }
    }
}

struct Setup<'a> {
    settings: Settings,
    light: &'a Lighting,
    map: &'a ShadowMap,
}

impl Setup<'_> {
    /// Visibility planes of a picture: the pixels' centres, then the samples of anti-aliasing.
    fn planes(&self, channels: Channels) -> usize {
        if self.settings.antialias && channels.color { 5 } else { 1 }
    }

    /// What all pixels of a picture hang on.
    fn key(&self, scene: &Scene, camera: &Camera, channels: Channels) -> Key {
        Key {
            camera: *camera,
            channels,
            settings: self.settings,
            lighting: *self.light,
            background: scene.background,
            generation: self.map.generation(),
        }
    }

    /// Make room for all channels of a picture and fill in those that are not colours.
    fn others(
        &self,
        scratch: &mut Scratch,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        frame: &mut Frame,
    ) {
        let others = Channels { color: false, ..channels };
        if others != Channels::NONE {
            scratch.render(self, scene, camera, others, frame);
        }
        frame.prepare(camera.width, camera.height, channels);
    }

    fn shader(&self, camera: &Camera, channels: Channels, still_only: bool) -> Shader<'_> {
        let at_points = self.light.at_vertices.is_none();
        let shadows = self.settings.shadows && channels.color && at_points;
        let reader = if shadows { self.map.reader(self.light.softness, still_only) } else { None };
        Shader::new(camera, self.light, reader)
    }
}

/// The buffers of one thread.
#[derive(Debug, Default)]
struct Scratch {
    stage: Stage,
    /// The pixel centres, then the samples of anti-aliasing.
    planes: Vec<Plane>,
    /// The same for a see-through instance; clear between uses.
    layer: Vec<Plane>,
    brushes: Brushes,
    /// Depth and index of see-through instances.
    glassy: Vec<(f64, u32)>,
}

fn clear(planes: &mut Vec<Plane>, count: usize, camera: &Camera) {
    planes.resize_with(count, Plane::default);
    for p in planes {
        p.reset(camera.width, camera.height, 1.0 / camera.far, true);
    }
}

/// The opaque instances that move, or those that do not.
fn opaque(scene: &Scene, moving: bool) -> impl Iterator<Item = &Instance> {
    let wanted = move |i: &&Instance| i.visible && i.is_static != moving;
    scene.instances.iter().filter(wanted).filter(|i| scene.color(i)[3] >= 1.0)
}

impl Scratch {
    fn render(
        &mut self,
        setup: &Setup,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        frame: &mut Frame,
    ) {
        let view = camera.view();
        frame.prepare(camera.width, camera.height, channels);
        let (mut stage, mut planes) =
            (std::mem::take(&mut self.stage), std::mem::take(&mut self.planes));
        clear(&mut planes, setup.planes(channels), camera);
        stage.clear();
        stage.lights = ViewLights::of(camera, setup.light);
        for moving in [false, true] {
            for i in opaque(scene, moving) {
                draw(scene, i, &view, &mut stage, &mut planes);
            }
        }
        let shader = setup.shader(camera, channels, false);
        let brushes = &mut self.brushes;
        let mut painter = Painter { shader, brushes, channels, frame, notes: None };
        if channels.color || channels.normals {
            painter.opaque(scene, &view, &stage, &planes, |_, _| true);
        }
        self.finish(setup, scene, camera, channels, &mut stage, &mut planes, frame, |_| {});
        (self.stage, self.planes) = (stage, planes);
    }

    /// The same for a camera that has a picture of what does not move, or gets one.
    fn render_over(
        &mut self,
        still: &mut Still,
        setup: &Setup,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        frame: &mut Frame,
    ) {
        let view = camera.view();
        frame.prepare(camera.width, camera.height, channels);
        let key = setup.key(scene, camera, channels);
        if !still.restore(&key, scene) {
            clear(&mut still.planes, setup.planes(channels), camera);
            still.stage.clear();
            still.stage.lights = ViewLights::of(camera, setup.light);
            for i in opaque(scene, false) {
                draw(scene, i, &view, &mut still.stage, &mut still.planes);
            }
            still.keep(key, scene);
            let Still { stage, planes, frame, notes, .. } = &mut *still;
            let shader = setup.shader(camera, channels, true);
            let (brushes, notes) = (&mut self.brushes, Some(notes));
            let mut painter = Painter { shader, brushes, channels, frame, notes };
            if channels.color || channels.normals {
                painter.opaque(scene, &view, stage, planes, |_, _| true);
            }
        }
        for i in opaque(scene, true) {
            let r = draw(scene, i, &view, &mut still.stage, &mut still.planes);
            still.touch(r);
        }
        frame.rgb.copy_from_slice(&still.frame.rgb);
        frame.normals.copy_from_slice(&still.frame.normals);
        let shader = setup.shader(camera, channels, false);
        let brushes = &mut self.brushes;
        let mut painter = Painter { shader, brushes, channels, frame, notes: None };
        if channels.color || channels.normals {
            let keep = |y: usize, kinds: &mut [PixelKind]| still.mark(y, setup.map, kinds);
            painter.opaque(scene, &view, &still.stage, &still.planes, keep);
        }
        let mut stage = std::mem::take(&mut still.stage);
        let mut planes = std::mem::take(&mut still.planes);
        let touch = |r: Rect| still.touch(r);
        self.finish(setup, scene, camera, channels, &mut stage, &mut planes, frame, touch);
        (still.stage, still.planes) = (stage, planes);
    }

    /// Blends the see-through instances over the opaque ones and fills in the other channels.
    fn finish(
        &mut self,
        setup: &Setup,
        scene: &Scene,
        camera: &Camera,
        channels: Channels,
        stage: &mut Stage,
        planes: &mut [Plane],
        frame: &mut Frame,
        mut touch: impl FnMut(Rect),
    ) {
        let view = camera.view();
        self.glassy.clear();
        for (index, i) in scene.instances.iter().enumerate().filter(|(_, i)| i.visible) {
            let alpha = scene.color(i)[3];
            if alpha > 0.0 && alpha < 1.0 {
                let c = center(&view.mesh_to_view(i), scene.meshes[i.mesh.0 as usize].center);
                self.glassy.push((c[2], index as u32));
            }
        }
        if !self.glassy.is_empty() {
            // Farthest first; the index settles ties.
            self.glassy.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            if self.layer.len() != planes.len()
                || self.layer[0].width != camera.width
                || self.layer[0].height != camera.height
            {
                self.layer.resize_with(planes.len(), Plane::default);
                for p in &mut self.layer {
                    p.reset(camera.width, camera.height, 0.0, true);
                }
            }
            let shader = setup.shader(camera, channels, false);
            let brushes = &mut self.brushes;
            let mut painter = Painter { shader, brushes, channels, frame, notes: None };
            for &(_, index) in &self.glassy {
                let i = &scene.instances[index as usize];
                let r = draw(scene, i, &view, stage, &mut self.layer);
                if !r.is_empty() {
                    touch(r);
                    painter.layer(scene, &view, stage, planes, &mut self.layer, r);
                }
            }
        }
        write_depth(&planes[0], frame, channels);
        write_segments(&planes[0], stage, frame, channels);
    }
}

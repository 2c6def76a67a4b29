//! The shadow map of the key light: drawn once per step, read by all cameras of that step.

mod lookup;

use crate::camera::{CameraView, Lens};
use crate::geometry::{Faces, Vertex, each_triangle, set_up, transform};
use crate::lighting::{KeyLight, Lighting};
use crate::math::{Mat3, Vec3, cross, dot64, normalize, wide};
use crate::raster::{Plane, Rect, ScreenTriangle, bounds, fill};
use crate::scene::{Instance, MeshId, Scene};

pub(crate) use lookup::{Probed, Probes, ShadowReader};

/// Widest soft edge in texels; a window of [`WINDOW`] texels must hold it.
const MAX_RADIUS: f32 = 3.5;
const WINDOW: usize = 8;

/// Texels along the side of a block, for which the nearest caster is kept as a shortcut.
const BLOCK: i32 = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 3;

/// Texels along the side of a tile that is restored as a whole.
const TILE: usize = 32;

/// Opacity below which an instance throws no shadow.
const OPAQUE_ENOUGH: f32 = 0.5;

/// What decides the look of a static caster in the map.
#[derive(Clone, Debug, PartialEq)]
struct Caster {
    mesh: MeshId,
    revision: u64,
    position: Vec3,
    rotation: Mat3,
    scale: Vec3,
}

/// For each block of texels a bound on the nearest caster in it or within reach of it.
#[derive(Clone, Debug, Default)]
struct Blocks {
    bounds: Vec<f32>,
    across: usize,
}

impl Blocks {
    fn reset(&mut self, size: usize) {
        self.across = size.div_ceil(BLOCK as usize);
        self.bounds.clear();
        self.bounds.resize(self.across * self.across, f32::MIN);
    }

    /// Notes that `t` is drawn within `r`.
    #[inline(always)]
    fn raise(&mut self, r: Rect, t: &ScreenTriangle) {
        let reach = WINDOW as i32 / 2;
        let last = self.across as i32 - 1;
        let block = |t: i32| (t / BLOCK).min(last);
        let (x0, x1) = (block((r.x0 - reach).max(0)), block(r.x1 + reach));
        let (y0, y1) = (block((r.y0 - reach).max(0)), block(r.y1 + reach));
        let w = t.w.map(|c| c as f32);
        for y in y0..=y1 {
            for x in x0..=x1 {
                let mut bound = t.range[1];
                if x1 - x0 > 1 || y1 - y0 > 1 {
                    // The highest corner of what the triangle's plane has in reach of the block.
                    let edge = |slope: f32, block: i32, lo: i32, hi: i32| {
                        let (a, b) = (block * BLOCK - reach, (block + 1) * BLOCK + reach);
                        (if slope > 0.0 { b.min(hi + 1) } else { a.max(lo) }) as f32
                    };
                    let (px, py) = (edge(w[0], x, r.x0, r.x1), edge(w[1], y, r.y0, r.y1));
                    let top = w[0] * px + w[1] * py + w[2] + 1e-4;
                    bound = if top < bound { top } else { bound };
                }
                let b = &mut self.bounds[y as usize * self.across + x as usize];
                *b = if bound > *b { bound } else { *b };
            }
        }
    }
}

/// Depth of casters with its shortcut.
#[derive(Clone, Debug, Default)]
struct Layer {
    plane: Plane,
    blocks: Blocks,
}

/// Room for the rounding between a bound on casters and the depths it stands for.
const ROUNDING: f32 = 1e-5;

/// The map, and a copy that holds only what does not move.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShadowMap {
    /// What the maps were drawn with.
    drawn: Option<(KeyLight, crate::math::Aabb, usize)>,
    view: Option<CameraView>,
    casters: Vec<Caster>,
    still: Layer,
    plane: Layer,
    /// Bounds on what moves alone.
    moving: Blocks,
    /// Changes with `still`.
    generation: u64,
    /// Tiles in which `plane` differs from `still`, row by row.
    dirty: Vec<bool>,
    vertices: Vec<Vertex>,
}

impl ShadowMap {
    pub fn update(&mut self, scene: &Scene, lighting: &Lighting, size: usize) {
        let wanted = (lighting.key, lighting.shadow_region, size);
        let mut fresh = false;
        if self.drawn != Some(wanted) {
            self.drawn = Some(wanted);
            self.view = Some(light_view(lighting, size));
            fresh = true;
        }
        fresh |= self.casters_changed(scene);
        let view = self.view.as_ref().unwrap();
        if fresh {
            self.generation += 1;
            let Layer { plane, blocks } = &mut self.still;
            plane.reset(size, size, f32::MIN, false);
            blocks.reset(size);
            for i in scene.instances.iter().filter(|i| i.is_static && casts(scene, i)) {
                draw(scene, i, view, &mut self.vertices, plane, blocks);
            }
            self.plane.clone_from(&self.still);
            self.dirty.clear();
            self.dirty.resize(size.div_ceil(TILE).pow(2), false);
        } else {
            restore(&self.still.plane, &mut self.plane.plane, &mut self.dirty);
        }
        self.moving.reset(size);
        for i in scene.instances.iter().filter(|i| !i.is_static && casts(scene, i)) {
            let plane = &mut self.plane.plane;
            let r = draw(scene, i, view, &mut self.vertices, plane, &mut self.moving);
            if !r.is_empty() {
                let across = size.div_ceil(TILE);
                for y in r.y0 as usize / TILE..=r.y1 as usize / TILE {
                    for x in r.x0 as usize / TILE..=r.x1 as usize / TILE {
                        self.dirty[y * across + x] = true;
                    }
                }
            }
        }
        let of_both = self.plane.blocks.bounds.iter_mut();
        let each = self.still.blocks.bounds.iter().zip(&self.moving.bounds);
        for (both, (&still, &moving)) in of_both.zip(each) {
            *both = if moving > still { moving } else { still };
        }
    }

    /// A number that is another one whenever the shadows of what does not move may be.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the shadow of something that moves may fall on a point.
    #[inline(always)]
    pub fn disturbed(&self, probed: Probed) -> bool {
        probed.least - ROUNDING < self.moving.bounds[probed.block as usize]
    }

    /// Compares the static casters with those of last time, and keeps the new ones.
    fn casters_changed(&mut self, scene: &Scene) -> bool {
        let mut changed = false;
        let mut n = 0;
        for i in scene.instances.iter().filter(|i| i.is_static && casts(scene, i)) {
            let caster = Caster {
                mesh: i.mesh,
                revision: scene.meshes[i.mesh.0 as usize].revision,
                position: i.position,
                rotation: i.rotation,
                scale: i.scale,
            };
            if n == self.casters.len() {
                self.casters.push(caster);
                changed = true;
            } else if self.casters[n] != caster {
                self.casters[n] = caster;
                changed = true;
            }
            n += 1;
        }
        changed |= n != self.casters.len();
        self.casters.truncate(n);
        changed
    }

    /// The map for reading, of all casters or of those that do not move; `None` before the first
    /// update.
    pub fn reader(&self, softness: f32, still_only: bool) -> Option<ShadowReader<'_>> {
        let layer = if still_only { &self.still } else { &self.plane };
        let view = self.view.as_ref()?;
        let (fx, fy) = (view.fx as f32, view.fy as f32);
        // Texels per metre, for a spot light at a metre's distance.
        let scale = fx.min(fy);
        let r = (softness * scale).clamp(1.0, MAX_RADIUS);
        Some(ShadowReader {
            blocks: &layer.blocks,
            plane: &layer.plane,
            axes: view.axes.map(|a| a.map(|c| c as f32)),
            offset: std::array::from_fn(|i| -dot64(view.axes[i], view.origin) as f32),
            fx,
            fy,
            cx: view.cx as f32,
            cy: view.cy as f32,
            w: match view.lens {
                Lens::Perspective { .. } => None,
                Lens::Orthographic { w } => Some(w.map(|c| c as f32)),
            },
            radius: r,
            texel: 1.0 / scale,
        })
    }
}

/// Puts back what does not move where movers were drawn.
fn restore(from: &Plane, to: &mut Plane, dirty: &mut [bool]) {
    let across = from.width.div_ceil(TILE);
    for (i, dirty) in dirty.iter_mut().enumerate() {
        if std::mem::take(dirty) {
            let (x, y) = (i % across * TILE, i / across * TILE);
            for row in y..(y + TILE).min(from.height) {
                let at = row * from.stride + x;
                let span = at..(at + TILE).min((row + 1) * from.stride);
                to.w[span.clone()].copy_from_slice(&from.w[span]);
            }
        }
    }
}

fn casts(scene: &Scene, i: &Instance) -> bool {
    i.visible && i.casts_shadow && scene.color(i)[3] >= OPAQUE_ENOUGH
}

fn draw(
    scene: &Scene,
    instance: &Instance,
    view: &CameraView,
    vertices: &mut Vec<Vertex>,
    plane: &mut Plane,
    blocks: &mut Blocks,
) -> Rect {
    let stored = &scene.meshes[instance.mesh.0 as usize];
    let m = view.mesh_to_view(instance);
    let mut drawn = Rect::EMPTY;
    if !view.sees(center(&m, stored.center), bounding_radius(instance, stored.radius)) {
        return drawn;
    }
    vertices.clear();
    transform(view, &m, &stored.mesh.positions, vertices);
    let faces = if stored.mesh.double_sided { Faces::Both } else { Faces::Front };
    let half = 1 << (view.bits - 1);
    each_triangle(view, (vertices, 0), &stored.mesh.triangles, faces, |_, _, corners, v, range| {
        let r = bounds(&corners, [half; 2], view.bits, plane.width, plane.height);
        if !r.is_empty() {
            drawn.include(r);
            let t = set_up(view, corners, v, range);
            fill::<false>(plane, &t, r, [half; 2], view.bits, 0);
            blocks.raise(r, &t);
        }
    });
    drawn
}

/// A mesh point in the view frame.
pub(crate) fn center(m: &[[f64; 4]; 3], c: Vec3) -> [f64; 3] {
    let c = wide(c);
    m.map(|r| r[0] * c[0] + r[1] * c[1] + r[2] * c[2] + r[3])
}

pub(crate) fn bounding_radius(i: &Instance, radius: f32) -> f64 {
    let s = i.scale.map(f32::abs);
    radius as f64 * s[0].max(s[1]).max(s[2]) as f64 * 1.0001
}

fn light_view(lighting: &Lighting, size: usize) -> CameraView {
    let direction = match lighting.key {
        KeyLight::Directional { direction } | KeyLight::Spot { direction, .. } => direction,
    };
    let forward = normalize(direction);
    let helper = if forward[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let down = normalize(cross(forward, helper));
    let right = cross(down, forward);
    let axes = [wide(right), wide(down), wide(forward)];
    let half = size as f64 / 2.0;
    match lighting.key {
        KeyLight::Directional { .. } => {
            let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            for corner in lighting.shadow_region.corners() {
                for k in 0..3 {
                    let d = dot64(axes[k], wide(corner));
                    lo[k] = lo[k].min(d);
                    hi[k] = hi[k].max(d);
                }
            }
            let margin = WINDOW as f64;
            let scale =
                |k: usize| (size as f64 - 2.0 * margin).max(1.0) / (hi[k] - lo[k]).max(1e-3);
            let (fx, fy) = (scale(0), scale(1));
            let mid = |k: usize| 0.5 * (lo[k] + hi[k]);
            let lens = [fx, fy, half - fx * mid(0), half - fy * mid(1)];
            // Height serves as `w`, for then a level surface is level in the map too. Light that
            // comes in too low needs the distance along it.
            let up = axes.map(|a| a[2]);
            let w = if up[2] < -0.2 { [up[0], up[1], up[2], 0.0] } else { [0.0, 0.0, -1.0, 0.0] };
            CameraView::new(Lens::Orthographic { w }, axes, [0.0; 3], lens, (size, size), 0.0)
        }
        KeyLight::Spot { position, cutoff, .. } => {
            let f = (half - WINDOW as f64) / libm::tan((cutoff as f64).min(1.4));
            let lens = Lens::Perspective { near: 0.02 };
            CameraView::new(lens, axes, wide(position), [f, f, half, half], (size, size), 1e3)
        }
    }
}

//! The shadow map of the key light: drawn once per step, read by all cameras of that step.

use crate::camera::{Lens, View};
use crate::geometry::{Faces, Vertex, each_triangle, set_up, transform};
use crate::lighting::{KeyLight, Lighting};
use crate::math::{Mat3, Vec3, cross, dot64, normalize, round, wide};
use crate::raster::{Plane, Rect, ScreenTriangle, bounds, fill};
use crate::scene::{Instance, MeshId, Scene};
use crate::shade::{BATCH, Batch, GROUP, Lane, Shader};

/// Widest soft edge in texels; a window of [`WINDOW`] texels must hold it.
const MAX_RADIUS: f32 = 3.5;
const WINDOW: usize = 8;

/// Texels along the side of a block, for which the nearest caster is kept as a shortcut.
const BLOCK: i32 = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 3;

/// Texels along the side of a tile that is restored as a whole.
const TILE: usize = 32;

/// Texels looked at before the full window.
const TAPS: i32 = 5;

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

/// Depth of casters, and for each block of texels a bound on the nearest of them in it or within
/// reach of it.
#[derive(Clone, Debug, Default)]
struct Layer {
    plane: Plane,
    blocks: Vec<f32>,
    across: usize,
}

impl Layer {
    fn reset(&mut self, size: usize) {
        self.plane.reset(size, size, f32::MIN, false);
        self.across = size.div_ceil(BLOCK as usize);
        self.blocks.clear();
        self.blocks.resize(self.across * self.across, f32::MIN);
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
                let b = &mut self.blocks[y as usize * self.across + x as usize];
                *b = if bound > *b { bound } else { *b };
            }
        }
    }
}

/// The map, and a copy that holds only what does not move.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShadowMap {
    /// What the maps were drawn with.
    drawn: Option<(KeyLight, crate::math::Aabb, usize)>,
    view: Option<View>,
    casters: Vec<Caster>,
    still: Layer,
    plane: Layer,
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
            self.still.reset(size);
            for i in scene.instances.iter().filter(|i| i.is_static && casts(scene, i)) {
                draw(scene, i, view, &mut self.vertices, &mut self.still);
            }
            self.plane.clone_from(&self.still);
            self.dirty.clear();
            self.dirty.resize(size.div_ceil(TILE).pow(2), false);
        } else {
            restore(&self.still.plane, &mut self.plane.plane, &mut self.dirty);
            self.plane.blocks.copy_from_slice(&self.still.blocks);
        }
        for i in scene.instances.iter().filter(|i| !i.is_static && casts(scene, i)) {
            let r = draw(scene, i, view, &mut self.vertices, &mut self.plane);
            if !r.is_empty() {
                let across = size.div_ceil(TILE);
                for y in r.y0 as usize / TILE..=r.y1 as usize / TILE {
                    for x in r.x0 as usize / TILE..=r.x1 as usize / TILE {
                        self.dirty[y * across + x] = true;
                    }
                }
            }
        }
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

    /// The map for reading; `None` before the first update.
    pub fn reader(&self, softness: f32) -> Option<ShadowReader<'_>> {
        let view = self.view.as_ref()?;
        let (fx, fy) = (view.fx as f32, view.fy as f32);
        // Texels per metre, for a spot light at a metre's distance.
        let scale = fx.min(fy);
        let r = (softness * scale).clamp(1.0, MAX_RADIUS);
        Some(ShadowReader {
            layer: &self.plane,
            plane: &self.plane.plane,
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
    view: &View,
    vertices: &mut Vec<Vertex>,
    layer: &mut Layer,
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
    each_triangle(view, vertices, &stored.mesh.triangles, faces, |_, _, corners, v, range| {
        let plane = &mut layer.plane;
        let r = bounds(&corners, [half; 2], view.bits, plane.width, plane.height);
        if !r.is_empty() {
            drawn.include(r);
            let t = set_up(view, corners, v, range);
            fill::<false>(plane, &t, r, [half; 2], view.bits, 0);
            layer.raise(r, &t);
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

fn light_view(lighting: &Lighting, size: usize) -> View {
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
            View::new(Lens::Orthographic { w }, axes, [0.0; 3], lens, (size, size), 0.0)
        }
        KeyLight::Spot { position, cutoff, .. } => {
            let f = (half - WINDOW as f64) / libm::tan((cutoff as f64).min(1.4));
            let lens = Lens::Perspective { near: 0.02 };
            View::new(lens, axes, wide(position), [f, f, half, half], (size, size), 1e3)
        }
    }
}

/// Points to look up: place on the map, `w`, and the change of `w` per texel along the surface;
/// and room to work in.
pub(crate) struct Probes {
    u: Lane,
    v: Lane,
    w: Lane,
    du: Lane,
    dv: Lane,
    /// Lowest `w` within reach, or a very large one if the point needs no look-up.
    least: Lane,
    block: [i32; BATCH],
    list: [u8; BATCH],
    few: [Lane; 5],
    limit: Lane,
    found: Lane,
    at: [i32; BATCH],
    hidden: [i32; BATCH],
}

impl Probes {
    pub fn new() -> Self {
        const Z: Lane = [0.0; BATCH + GROUP];
        const I: [i32; BATCH] = [0; BATCH];
        Self {
            u: Z,
            v: Z,
            w: Z,
            du: Z,
            dv: Z,
            least: Z,
            block: I,
            list: [0; BATCH],
            few: [Z; 5],
            limit: Z,
            found: Z,
            at: I,
            hidden: I,
        }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Probe {
        Probe { u: self.u[i], v: self.v[i], w: self.w[i], du: self.du[i], dv: self.dv[i] }
    }
}

#[derive(Clone, Copy)]
struct Probe {
    u: f32,
    v: f32,
    w: f32,
    du: f32,
    dv: f32,
}

/// Read access to a shadow map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowReader<'a> {
    layer: &'a Layer,
    plane: &'a Plane,
    axes: Mat3,
    offset: Vec3,
    fx: f32,
    fy: f32,
    cx: f32,
    cy: f32,
    /// Coefficients of `w` for parallel light.
    w: Option<[f32; 4]>,
    /// Half-width of the soft edge in texels.
    radius: f32,
    /// Size of a texel in metres, for a spot light at a metre's distance.
    texel: f32,
}

impl ShadowReader<'_> {
    /// Where the points of a batch are to be looked up; normals must be unit vectors.
    #[inline(never)]
    pub fn probe(&self, shader: &Shader, b: &mut Batch) {
        let a = &self.axes;
        let o = &self.offset;
        let ([nx, ny, nz], [x, y, w], out) = b.probes();
        let row = |i: usize, p: Vec3| a[i][0] * p[0] + a[i][1] * p[1] + a[i][2] * p[2];
        let (ifx, ify) = (1.0 / self.fx, 1.0 / self.fy);
        // A point is lifted off its surface by about a texel, or it would shade itself. At
        // grazing angles the slope is limited; there the light is weak anyway.
        let lift = 0.9 * self.texel;
        let bias = 0.6 * self.texel;
        let Some(h) = self.w else {
            for i in 0..BATCH {
                let (p, n) = (shader.point(x[i], y[i], w[i]), [nx[i], ny[i], nz[i]]);
                let m = [row(0, n), row(1, n), row(2, n)];
                let q = [row(0, p) + o[0], row(1, p) + o[1], row(2, p) + o[2]];
                let l = lift * q[2];
                let q = [q[0] + l * m[0], q[1] + l * m[1], q[2] + l * m[2]];
                let facing = m[0] * q[0] + m[1] * q[1] + m[2] * q[2];
                let limit = -0.15 * q[2];
                let k = 1.0 / if facing < limit { facing } else { limit };
                let z = 1.0 / q[2];
                out.u[i] = self.fx * q[0] * z + self.cx;
                out.v[i] = self.fy * q[1] * z + self.cy;
                // Behind the lamp there is nothing to look up.
                out.w[i] = if q[2] > 0.0 { z + bias * z } else { f32::MAX };
                out.du[i] = m[0] * k * ifx;
                out.dv[i] = m[1] * k * ify;
            }
            return;
        };
        let bias = bias * -h[2];
        for i in 0..BATCH {
            let (p, n) = (shader.point(x[i], y[i], w[i]), [nx[i], ny[i], nz[i]]);
            let m = [row(0, n), row(1, n), row(2, n)];
            let q = [
                row(0, p) + o[0] + lift * m[0],
                row(1, p) + o[1] + lift * m[1],
                row(2, p) + o[2] + lift * m[2],
            ];
            let k = h[2] / if m[2] < -0.15 { m[2] } else { -0.15 };
            out.u[i] = self.fx * q[0] + self.cx;
            out.v[i] = self.fy * q[1] + self.cy;
            out.w[i] = h[0] * q[0] + h[1] * q[1] + h[2] * q[2] + bias;
            out.du[i] = (h[0] - m[0] * k) * ifx;
            out.dv[i] = (h[1] - m[1] * k) * ify;
        }
    }

    /// Scales `light` by how much of the key light arrives, 0–1, in three sweeps that each leave
    /// fewer points. The first two have no branch that hangs on a load from the map, so that the
    /// processor can have many loads under way.
    #[inline(never)]
    pub fn apply(&self, probes: &mut Probes, len: usize, light: [&mut Lane; 2]) {
        let [key, shine] = light;
        self.reach(probes, key);
        let mut n = 0;
        for i in 0..len {
            probes.list[n & (BATCH - 1)] = i as u8;
            n += (probes.least[i] < self.layer.blocks[probes.block[i] as usize]) as usize;
        }
        self.taps(probes, n);
        let mut edges = 0;
        for k in 0..n {
            let (i, hidden) = (probes.list[k], probes.hidden[k]);
            // Where all agree, the full window would too, but for details finer than the edge.
            let factor = if hidden == TAPS { 0.0 } else { 1.0 };
            key[i as usize & (BATCH - 1)] *= factor;
            shine[i as usize & (BATCH - 1)] *= factor;
            probes.list[edges] = i;
            edges += ((hidden != 0) & (hidden != TAPS)) as usize;
        }
        for k in 0..edges {
            let i = probes.list[k] as usize & (BATCH - 1);
            let lit = self.window(probes.get(i));
            key[i] *= lit;
            shine[i] *= lit;
        }
    }

    /// Which block each point lies in, and how low its surface gets within reach.
    #[inline(never)]
    fn reach(&self, p: &mut Probes, key: &Lane) {
        let margin = (WINDOW / 2) as f32;
        let top = self.plane.width as f32 - margin;
        let across = self.layer.across as i32;
        for i in 0..BATCH {
            let (u, v) = (p.u[i], p.v[i]);
            let min = |a: f32, b: f32| if a < b { a } else { b };
            let inside = min(min(u - margin, top - u), min(v - margin, top - v));
            let reached = p.w[i] - self.radius * (p.du[i].abs() + p.dv[i].abs());
            let reached = if inside > 0.0 { reached } else { f32::MAX };
            p.least[i] = if key[i] > 0.0 { reached } else { f32::MAX };
            let (x, y) = (round(u - 0.5) >> BLOCK_BITS, round(v - 0.5) >> BLOCK_BITS);
            p.block[i] = if inside > 0.0 { y * across + x } else { 0 };
        }
    }

    /// How many of the texels around each listed point hide it from the light.
    #[inline(always)]
    fn taps(&self, p: &mut Probes, n: usize) {
        for k in 0..n {
            let i = p.list[k] as usize & (BATCH - 1);
            // The middle of a texel may lie half a texel off; its slope there is allowed for.
            let slack = 0.5 * (p.du[i].abs() + p.dv[i].abs());
            p.few[0][k] = p.u[i] - 0.5;
            p.few[1][k] = p.v[i] - 0.5;
            p.few[2][k] = p.w[i] + slack;
            p.few[3][k] = p.du[i];
            p.few[4][k] = p.dv[i];
        }
        let stride = self.plane.stride as i32;
        let r = 0.7 * self.radius;
        let n = n.next_multiple_of(8).min(BATCH);
        p.hidden[..n].fill(0);
        for (sx, sy) in [(0.0, 0.0), (-r, -r), (r, -r), (-r, r), (r, r)] {
            let [u, v, w, du, dv] = &p.few;
            for k in 0..n {
                p.at[k] = round(v[k] + sy) * stride + round(u[k] + sx);
                p.limit[k] = w[k] + sx * du[k] + sy * dv[k];
            }
            for k in 0..n {
                // Beyond the list there may be leftovers; they are read but not used.
                let at = (p.at[k] as u32 as usize).min(self.plane.w.len() - 1);
                p.found[k] = self.plane.w[at];
            }
            for k in 0..n {
                p.hidden[k] += (p.found[k] > p.limit[k]) as i32;
            }
        }
    }

    /// Share of the light that passes the texels around a point, the near ones counting most.
    #[inline(never)]
    fn window(&self, p: Probe) -> f32 {
        let r = self.radius;
        let (x0, y0) = (round(p.u - r), round(p.v - r));
        let (fx, fy) = (x0 as f32 + 0.5 - p.u, y0 as f32 + 0.5 - p.v);
        let mut slope = [0f32; WINDOW];
        let mut weight = [0f32; WINDOW];
        for i in 0..WINDOW {
            let dx = fx + i as f32;
            slope[i] = p.w + dx * p.du;
            let t = r - dx.abs();
            weight[i] = if t > 0.0 { t } else { 0.0 };
        }
        let mut part = [0f32; WINDOW];
        let mut rows = 0.0;
        let stride = self.plane.stride;
        let first = y0.max(0) as usize * stride + x0.max(0) as usize;
        let texels = &self.plane.w[first..first + (WINDOW - 1) * stride + WINDOW];
        for j in 0..WINDOW {
            let dy = fy + j as f32;
            let t = r - dy.abs();
            let t = if t > 0.0 { t } else { 0.0 };
            let row: &[f32; WINDOW] = texels[j * stride..j * stride + WINDOW].try_into().unwrap();
            let lift = dy * p.dv;
            for i in 0..WINDOW {
                part[i] += if row[i] <= slope[i] + lift { t } else { 0.0 };
            }
            rows += t;
        }
        let (mut lit, mut all) = (0.0, 0.0);
        for i in 0..WINDOW {
            lit += part[i] * weight[i];
            all += weight[i];
        }
        let all = all * rows;
        if all > 0.0 { lit / all } else { 1.0 }
    }
}

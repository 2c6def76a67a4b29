//! Light on visible points, in batches that vectorize.

use crate::camera::Camera;
use crate::lighting::{KeyLight, Lighting};
use crate::math::{Mat3, Vec3, normalize, scale, sub};
use crate::shadow::{Probes, ShadowReader};

/// Points per batch.
pub(crate) const BATCH: usize = 128;

/// Pixels that are filled in at once; a batch has room for that many more than it counts.
pub(crate) const GROUP: usize = 4;

/// One property of a batch.
pub(crate) type Lane = [f32; BATCH + GROUP];

/// Visible points, one array per property.
pub(crate) struct Batch {
    pub len: usize,
    /// For the one who fills and empties the batch: which pixel.
    pub pixel: [u32; BATCH + GROUP],
    /// Image coordinates.
    pub x: Lane,
    pub y: Lane,
    /// 1 / depth.
    pub w: Lane,
    /// Normal in the world; of any length when filled in, unit length after [`Batch::unit`].
    pub n: [Lane; 3],
    pub color: [Lane; 3],
    /// Light of its own, as a share of the colour.
    pub emission: Lane,
    pub specular: Lane,
    pub exponent: Lane,
    pub alpha: Lane,
    /// The result.
    pub out: [Lane; 3],
    key: Lane,
    shine: Lane,
    pub probes: Probes,
}

impl Batch {
    pub fn new() -> Box<Self> {
        const Z: Lane = [0.0; BATCH + GROUP];
        Box::new(Self {
            len: 0,
            pixel: [0; BATCH + GROUP],
            x: Z,
            y: Z,
            w: [1.0; BATCH + GROUP],
            n: [Z; 3],
            color: [Z; 3],
            emission: Z,
            specular: Z,
            exponent: [1.0; BATCH + GROUP],
            alpha: Z,
            out: [Z; 3],
            key: Z,
            shine: Z,
            probes: Probes::new(),
        })
    }

    /// For the look-up of shadows.
    pub fn probes(&mut self) -> (&[Lane; 3], [&Lane; 3], &mut Probes) {
        (&self.n, [&self.x, &self.y, &self.w], &mut self.probes)
    }

    /// Makes the normals unit vectors.
    pub fn unit(&mut self) {
        let [nx, ny, nz] = &mut self.n;
        for i in 0..BATCH {
            let l = nx[i] * nx[i] + ny[i] * ny[i] + nz[i] * nz[i];
            let l = if l > 1e-30 { l } else { 1e-30 };
            let l = 1.0 / l.sqrt();
            nx[i] *= l;
            ny[i] *= l;
            nz[i] *= l;
        }
    }
}

/// Everything about light and camera that all points share.
pub(crate) struct Shader<'a> {
    eye: Vec3,
    /// Camera axes in the world: right, down, forward.
    right: Vec3,
    down: Vec3,
    forward: Vec3,
    ifx: f32,
    ify: f32,
    cx: f32,
    cy: f32,
    to_key: Vec3,
    spot: Option<SpotCone>,
    key: Vec3,
    sky: Vec3,
    ground: Vec3,
    to_fill: Vec3,
    fill: Vec3,
    shadow: Option<ShadowReader<'a>>,
}

struct SpotCone {
    position: Vec3,
    axis: Vec3,
    /// Cosine at the rim, and 1 / (cosine where fading starts − that).
    rim: f32,
    fade: f32,
}

impl<'a> Shader<'a> {
    pub fn new(camera: &Camera, light: &Lighting, shadow: Option<ShadowReader<'a>>) -> Self {
        let r: &Mat3 = &camera.rotation;
        let axis = |i: usize, s: f32| [s * r[0][i], s * r[1][i], s * r[2][i]];
        let (to_key, spot) = match light.key {
            KeyLight::Directional { direction } => (scale(normalize(direction), -1.0), None),
            KeyLight::Spot { position, direction, cutoff } => {
                let rim = libm::cosf(cutoff);
                let fade = 1.0 / (libm::cosf(0.9 * cutoff) - rim).max(1e-4);
                let axis = normalize(direction);
                (scale(axis, -1.0), Some(SpotCone { position, axis, rim, fade }))
            }
        };
        Self {
            eye: camera.position,
            right: axis(0, 1.0),
            down: axis(1, -1.0),
            forward: axis(2, -1.0),
            ifx: 1.0 / camera.fx,
            ify: 1.0 / camera.fy,
            cx: camera.cx,
            cy: camera.cy,
            to_key,
            spot,
            key: light.key_color,
            sky: light.sky,
            ground: light.ground,
            to_fill: scale(normalize(light.fill_direction), -1.0),
            fill: light.fill_color,
            shadow,
        }
    }

    /// Whether shadows are looked up.
    pub fn has_shadows(&self) -> bool {
        self.shadow.is_some()
    }

    /// Direction of sight at image coordinates, one metre deep.
    #[inline(always)]
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let (a, b) = ((x - self.cx) * self.ifx, (y - self.cy) * self.ify);
        let (r, d, f) = (&self.right, &self.down, &self.forward);
        [r[0] * a + d[0] * b + f[0], r[1] * a + d[1] * b + f[1], r[2] * a + d[2] * b + f[2]]
    }

    /// Fills `out`; normals must be unit vectors. Loops run over the whole batch: a fixed length
    /// is what the compiler vectorizes best.
    pub fn shade(&self, b: &mut Batch) {
        match &self.spot {
            None => self.parallel_light(b),
            Some(spot) => self.spot_light(spot, b),
        }
        if let Some(shadow) = &self.shadow {
            shadow.probe(self, b);
            shadow.apply(&mut b.probes, b.len, [&mut b.key, &mut b.shine]);
        }
        let (key, shine) = (&b.key, &b.shine);
        for c in 0..3 {
            let (sky, ground) = (self.sky[c], self.ground[c]);
            let (mid, half) = (0.5 * (sky + ground), 0.5 * (sky - ground));
            let (kc, fc, f) = (self.key[c], self.fill[c], self.to_fill);
            let [nx, ny, nz] = &b.n;
            let (out, color) = (&mut b.out[c], &b.color[c]);
            for i in 0..BATCH {
                let t = nx[i] * f[0] + ny[i] * f[1] + nz[i] * f[2];
                let t = if t > 0.0 { t } else { 0.0 };
                let ambient = mid + half * nz[i] + b.emission[i];
                let light = ambient + kc * key[i] + fc * t;
                out[i] = color[i] * light + kc * b.specular[i] * shine[i];
            }
        }
    }

    #[inline(never)]
    fn parallel_light(&self, b: &mut Batch) {
        let [nx, ny, nz] = &b.n;
        for i in 0..BATCH {
            let ray = self.ray(b.x[i], b.y[i]);
            let (k, s) = light(self.to_key, ray, [nx[i], ny[i], nz[i]], b.exponent[i]);
            b.key[i] = k;
            b.shine[i] = s;
        }
    }

    #[inline(never)]
    fn spot_light(&self, spot: &SpotCone, b: &mut Batch) {
        let [nx, ny, nz] = &b.n;
        let from = sub(spot.position, self.eye);
        for i in 0..BATCH {
            let ray = self.ray(b.x[i], b.y[i]);
            let z = 1.0 / b.w[i];
            let d = [from[0] - ray[0] * z, from[1] - ray[1] * z, from[2] - ray[2] * z];
            let il = 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-12).sqrt();
            let d = [d[0] * il, d[1] * il, d[2] * il];
            let c = -(d[0] * spot.axis[0] + d[1] * spot.axis[1] + d[2] * spot.axis[2]);
            let cone = (c - spot.rim) * spot.fade;
            let cone = if cone > 0.0 { cone } else { 0.0 };
            let cone = if cone < 1.0 { cone } else { 1.0 };
            let (k, s) = light(d, ray, [nx[i], ny[i], nz[i]], b.exponent[i]);
            b.key[i] = k * cone;
            b.shine[i] = s * cone;
        }
    }

    /// The point of a batch in the world.
    #[inline(always)]
    pub fn point(&self, x: f32, y: f32, w: f32) -> Vec3 {
        let ray = self.ray(x, y);
        let z = 1.0 / w;
        [self.eye[0] + ray[0] * z, self.eye[1] + ray[1] * z, self.eye[2] + ray[2] * z]
    }
}

/// Diffuse and specular share of a light from direction `l` on a point seen along `ray`.
#[inline(always)]
fn light(l: Vec3, ray: Vec3, n: Vec3, exponent: f32) -> (f32, f32) {
    let d = n[0] * l[0] + n[1] * l[1] + n[2] * l[2];
    let facing = if d > 0.0 { d } else { 0.0 };
    let ir = 1.0 / (ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]).sqrt();
    let h = [l[0] - ray[0] * ir, l[1] - ray[1] * ir, l[2] - ray[2] * ir];
    let ih = 1.0 / (h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + 1e-12).sqrt();
    let c = (n[0] * h[0] + n[1] * h[1] + n[2] * h[2]) * ih;
    let c = if c > 0.0 { c } else { 0.0 };
    // Schlick's rational stand-in for c^exponent, to the fourth to thin its tail.
    let e = 0.25 * exponent;
    let s = c / (e - e * c + c + 1e-9);
    let s = s * s;
    // A factor, not a branch, which would keep the loop from being vectorized.
    let side = if d > 0.0 { 1.0 } else { 0.0 };
    (facing, s * s * side)
}

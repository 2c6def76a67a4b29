//! Light computed at vertices and interpolated between them, as fixed-function OpenGL does it.

use std::array::from_fn;

use crate::camera::Camera;
use crate::lighting::Lighting;
use crate::math::{Vec3, normalize};

/// A light without a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexLight {
    /// Where it hangs; `None` for parallel light.
    pub position: Option<Vec3>,
    /// Where it shines; need not be of unit length.
    pub direction: Vec3,
    /// Half-angle of its cone in radians.
    pub cutoff: f32,
    /// How it fades from the axis of its cone.
    pub exponent: f32,
    /// Constant, linear and quadratic share of how it fades with distance.
    pub attenuation: Vec3,
    /// Light that reaches everything.
    pub ambient: Vec3,
    /// Light on surfaces that face it.
    pub diffuse: Vec3,
    /// Light in highlights.
    pub specular: Vec3,
}

/// Most lights at once, the camera's own among them.
pub const MOST_LIGHTS: usize = 8;

/// All light of a scene, computed at vertices. Other lights and shadows are then not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexLighting {
    /// Ambient, diffuse and specular light along the line of sight.
    pub headlight: Option<[Vec3; 3]>,
    /// The others.
    pub lights: [Option<VertexLight>; MOST_LIGHTS - 1],
}

/// How a surface answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub color: Vec3,
    pub emission: f32,
    pub specular: f32,
    pub exponent: f32,
}

/// Light as one camera sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewLights {
    eye: Vec3,
    /// With the cosine of each cone.
    lights: [Option<(VertexLight, f32)>; MOST_LIGHTS],
}

/// A number of each of some vertices; a vector of each.
pub(crate) type Lane<const N: usize> = [f32; N];
pub(crate) type Lanes<const N: usize> = [Lane<N>; 3];

#[inline(always)]
fn dots<const N: usize>(a: &Lanes<N>, b: &Lanes<N>) -> Lane<N> {
    from_fn(|i| a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i])
}

/// Unit vectors; zero stays zero.
#[inline(always)]
pub(crate) fn unit<const N: usize>(a: &Lanes<N>) -> Lanes<N> {
    let squares = dots(a, a);
    let by: Lane<N> = from_fn(|i| {
        let length = squares[i].sqrt();
        if length > 0.0 { 1.0 / length } else { 1.0 }
    });
    from_fn(|k| from_fn(|i| a[k][i] * by[i]))
}

/// Numbers from 0 to 1 to a power that is not negative: by squaring, and between quarters of a power in a
/// straight line.
#[inline(always)]
fn powers<const N: usize>(base: &Lane<N>, exponent: f32) -> Lane<N> {
    let whole = exponent as u32;
    if whole > 1024 {
        return base.map(|b| libm::powf(b, exponent));
    }
    let (mut out, mut square, mut rest) = ([1.0; N], *base, whole);
    while rest > 0 {
        if rest & 1 == 1 {
            out = from_fn(|i| out[i] * square[i]);
        }
        square = square.map(|s| s * s);
        rest >>= 1;
    }
    let rest = 4.0 * (exponent - whole as f32);
    if rest > 0.0 {
        let root: Lane<N> = base.map(|b| b.sqrt().sqrt());
        let below = (0..rest as u32).fold([1.0; N], |all, _| from_fn(|i| all[i] * root[i]));
        let part = rest - rest.trunc();
        return from_fn(|i| (below[i] + part * (below[i] * root[i] - below[i])) * out[i]);
    }
    out
}

impl ViewLights {
    /// The lights at vertices, if that is where light is computed.
    pub fn of(camera: &Camera, lighting: &Lighting) -> Option<Self> {
        lighting.at_vertices.as_ref().map(|lights| Self::new(camera, lights))
    }

    fn new(camera: &Camera, lighting: &VertexLighting) -> Self {
        let r = &camera.rotation;
        let mut lights: [Option<VertexLight>; MOST_LIGHTS] = [None; MOST_LIGHTS];
        lights[0] = lighting.headlight.map(|[ambient, diffuse, specular]| VertexLight {
            position: None,
            direction: [-r[0][2], -r[1][2], -r[2][2]],
            cutoff: std::f32::consts::PI,
            exponent: 0.0,
            attenuation: [1.0, 0.0, 0.0],
            ambient,
            diffuse,
            specular,
        });
        for (to, from) in lights[1..].iter_mut().zip(lighting.lights) {
            *to = from.map(|l| VertexLight { direction: normalize(l.direction), ..l });
        }
        let lights = lights.map(|l| l.map(|l| (l, libm::cosf(l.cutoff))));
        Self { eye: camera.position, lights }
    }

    /// Return the colours of vertices of one surface, whose unit normals are given.
    #[inline(always)]
    pub fn at<const N: usize>(&self, p: &Lanes<N>, n: &Lanes<N>, s: &Surface) -> Lanes<N> {
        let mut out: Lanes<N> = s.color.map(|c| [c * s.emission; N]);
        let to_eye = unit::<N>(&from_fn(|k| from_fn(|i| self.eye[k] - p[k][i])));
        for (light, cone) in self.lights.iter().flatten() {
            let (l, strength): (Lanes<N>, Lane<N>) = match light.position {
                None => (light.direction.map(|c| [-c; N]), [1.0; N]),
                Some(at) => {
                    let d: Lanes<N> = from_fn(|k| from_fn(|i| at[k] - p[k][i]));
                    let far = dots(&d, &d).map(|square| square.sqrt().max(1e-12));
                    let by = far.map(|far| 1.0 / far);
                    let l: Lanes<N> = from_fn(|k| from_fn(|i| d[k][i] * by[i]));
                    let [constant, linear, square] = light.attenuation;
                    let direction = light.direction.map(|c| [c; N]);
                    let along = dots(&l, &direction).map(|c| -c);
                    let spot =
                        powers(&along.map(|c| if c > 0.0 { c } else { 0.0 }), light.exponent);
                    let strength = from_fn(|i| {
                        let fade = 1.0 / (constant + linear * far[i] + square * far[i] * far[i]);
                        if along[i] >= *cone { fade * spot[i] } else { 0.0 }
                    });
                    (l, strength)
                }
            };
            let facing = dots(n, &l).map(|c| if c > 0.0 { c } else { 0.0 });
            let mut shine = [0.0; N];
            if s.specular > 0.0 {
                let h = unit::<N>(&from_fn(|k| from_fn(|i| l[k][i] + to_eye[k][i])));
                let toward = dots(n, &h).map(|c| if c > 0.0 { c } else { 0.0 });
                let bright = powers(&toward, s.exponent);
                let lit = |i: usize| if facing[i] > 0.0 { s.specular * bright[i] } else { 0.0 };
                shine = from_fn(lit);
            }
            for k in 0..3 {
                for i in 0..N {
                    let diffuse = light.ambient[k] + facing[i] * light.diffuse[k];
                    out[k][i] +=
                        strength[i] * (s.color[k] * diffuse + shine[i] * light.specular[k]);
                }
            }
        }
        out.map(|lane| lane.map(|c| c.clamp(0.0, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::powers;

    #[test]
    fn powers_are_those_of_the_library() {
        for exponent in [0.0, 1.0, 10.0, 64.0, 12.8, 128.0, 2000.0] {
            for base in [0.0f32, 0.1, 0.73, 0.999, 1.0] {
                let (ours, theirs) = (powers(&[base], exponent)[0], libm::powf(base, exponent));
                let close = if exponent == 12.8 { 2e-3 } else { 1e-5 * theirs.max(1e-20) };
                assert!((ours - theirs).abs() <= close, "{base}^{exponent}");
            }
        }
    }
}

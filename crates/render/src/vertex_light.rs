//! Light computed at vertices and interpolated between them, as fixed-function OpenGL does it.

use crate::camera::Camera;
use crate::lighting::Lighting;
use crate::math::{Vec3, normalize, scale, sub};

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

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A number from 0 to 1 to a power that is not negative: by squaring, and between quarters of a power in a
/// straight line.
fn power(base: f32, exponent: f32) -> f32 {
    let whole = exponent as u32;
    if whole > 1024 {
        return libm::powf(base, exponent);
    }
    let rest = 4.0 * (exponent - whole as f32);
    if rest > 0.0 {
        let root = base.sqrt().sqrt();
        let below = (0..rest as u32).fold(1.0, |all, _| all * root);
        let between = below + (rest - rest.trunc()) * (below * root - below);
        return between * power(base, whole as f32);
    }
    let (mut out, mut square, mut rest) = (1.0, base, whole);
    while rest > 0 {
        if rest & 1 == 1 {
            out *= square;
        }
        square *= square;
        rest >>= 1;
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

    /// Return the colour of a vertex at `p` whose unit normal is `n`.
    pub fn at(&self, p: Vec3, n: Vec3, s: &Surface) -> Vec3 {
        let mut out = scale(s.color, s.emission);
        let to_eye = normalize(sub(self.eye, p));
        for (light, cone) in self.lights.iter().flatten() {
            let (l, strength) = match light.position {
                None => (scale(light.direction, -1.0), 1.0),
                Some(at) => {
                    let d = sub(at, p);
                    let far = dot(d, d).sqrt().max(1e-12);
                    let l = scale(d, 1.0 / far);
                    let [constant, linear, square] = light.attenuation;
                    let fade = 1.0 / (constant + linear * far + square * far * far);
                    let along = -dot(l, light.direction);
                    let inside = along >= *cone;
                    let spot = || power(along.max(0.0), light.exponent);
                    (l, if inside { fade * spot() } else { 0.0 })
                }
            };
            if strength <= 0.0 {
                continue;
            }
            let facing = dot(n, l).max(0.0);
            let shine = if facing > 0.0 && s.specular > 0.0 {
                let h = normalize([l[0] + to_eye[0], l[1] + to_eye[1], l[2] + to_eye[2]]);
                s.specular * power(dot(n, h).max(0.0), s.exponent)
            } else {
                0.0
            };
            for k in 0..3 {
                let diffuse = light.ambient[k] + facing * light.diffuse[k];
                out[k] += strength * (s.color[k] * diffuse + shine * light.specular[k]);
            }
        }
        out.map(|c| c.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn powers_are_those_of_the_library() {
        for exponent in [0.0, 1.0, 10.0, 64.0, 12.8, 128.0, 2000.0] {
            for base in [0.0f32, 0.1, 0.73, 0.999, 1.0] {
                let (ours, theirs) = (power(base, exponent), libm::powf(base, exponent));
                let close = if exponent == 12.8 { 2e-3 } else { 1e-5 * theirs.max(1e-20) };
                assert!((ours - theirs).abs() <= close, "{base}^{exponent}");
            }
        }
    }
}

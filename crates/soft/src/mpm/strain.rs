//! Symmetric matrices near the identity, their logarithm, and where matter yields.

use super::{MpmSpec, Yield};

/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
pub(super) type Sym = [f32; 6];

const IDENTITY: Sym = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

/// Largest entry up to which series are exact to single precision.
const NEAR: f32 = 0.35;

fn zip(a: &Sym, b: &Sym, f: impl Fn(f32, f32) -> f32) -> Sym {
    std::array::from_fn(|i| f(a[i], b[i]))
}

fn scale(a: &Sym, s: f32) -> Sym {
    a.map(|v| v * s)
}

pub(super) fn trace(a: &Sym) -> f32 {
    a[0] + a[1] + a[2]
}

/// The product of two matrices that commute.
fn product(a: &Sym, b: &Sym) -> Sym {
    [
        a[0] * b[0] + a[3] * b[3] + a[4] * b[4],
        a[3] * b[3] + a[1] * b[1] + a[5] * b[5],
        a[4] * b[4] + a[5] * b[5] + a[2] * b[2],
        a[0] * b[3] + a[3] * b[1] + a[4] * b[5],
        a[0] * b[4] + a[3] * b[5] + a[4] * b[2],
        a[3] * b[4] + a[1] * b[5] + a[5] * b[2],
    ]
}

fn inverse(a: &Sym) -> Sym {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let c = [yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy];
    let s = 1.0 / (xx * c[0] + xy * c[1] + xz * c[2]);
    [
        c[0] * s,
        (xx * zz - xz * xz) * s,
        (xx * yy - xy * xy) * s,
        c[1] * s,
        c[2] * s,
        (xy * xz - xx * yz) * s,
    ]
}

fn most(a: &Sym) -> f32 {
    a.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Half the logarithm of 1 + a.
///
/// With y = a / (2 + a) it is artanh y, whose series needs few terms.
fn half_log(a: &Sym) -> Sym {
    if most(a) > NEAR {
        return by_values(a, |v| 0.5 * libm::log((1.0 + v).max(1e-4)));
    }
    let y = product(a, &inverse(&zip(a, &IDENTITY, |a, one| a + 2.0 * one)));
    let square = product(&y, &y);
    let tail = zip(&scale(&square, 0.2), &IDENTITY, |s, one| s + one / 3.0);
    let tail = product(&square, &tail);
    zip(&y, &product(&y, &tail), |y, t| y + t)
}

/// exp(2 e) − 1, by tanh in the same way.
fn exp_less_one(e: &Sym) -> Sym {
    if most(e) > 0.5 * NEAR {
        return by_values(e, |v| libm::exp(2.0 * v.clamp(-4.0, 4.0)) - 1.0);
    }
    let square = product(e, e);
    let tail = zip(&scale(&square, 2.0 / 15.0), &IDENTITY, |s, one| s - one / 3.0);
    let y = zip(e, &product(e, &product(&square, &tail)), |e, t| e + t);
    scale(&product(&y, &inverse(&zip(&y, &IDENTITY, |y, one| one - y))), 2.0)
}

/// Apply a function to the values of a matrix, by Jacobi's rotations.
fn by_values(a: &Sym, f: impl Fn(f64) -> f64) -> Sym {
    let a = a.map(f64::from);
    let mut m = [[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]];
    let mut q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..8 {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if m[i][j].abs() < 1e-14 {
                continue;
            }
            let theta = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
            let t = theta.signum() / (theta.abs() + libm::sqrt(theta * theta + 1.0));
            let c = 1.0 / libm::sqrt(t * t + 1.0);
            let s = t * c;
            for k in 0..3 {
                (m[k][i], m[k][j]) = (c * m[k][i] - s * m[k][j], s * m[k][i] + c * m[k][j]);
            }
            for k in 0..3 {
                (m[i][k], m[j][k]) = (c * m[i][k] - s * m[j][k], s * m[i][k] + c * m[j][k]);
                (q[k][i], q[k][j]) = (c * q[k][i] - s * q[k][j], s * q[k][i] + c * q[k][j]);
            }
        }
    }
    let value: [f64; 3] = std::array::from_fn(|k| f(m[k][k]));
    let entry =
        |i: usize, j: usize| (0..3).map(|k| q[i][k] * value[k] * q[j][k]).sum::<f64>() as f32;
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// How matter is strained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strain {
    /// Left Cauchy–Green tensor of what springs back, less the identity.
    pub(super) squared: Sym,
    /// Its logarithm by half: Hencky's strain.
    pub(super) log: Sym,
    /// How far loose grains are from touching, as a logarithm of volume.
    pub(super) loose: f32,
}

impl Strain {
    pub(super) const NONE: Self = Self { squared: [0.0; 6], log: [0.0; 6], loose: 0.0 };
}

/// How matter answers to strain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    shear: f32,
    lame: f32,
    limit: Limit,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    None,
    /// The largest norm of a change of shape.
    Shape(f32),
    /// The same as a share of the change of volume.
    Friction(f32),
}

impl Law {
    pub(super) fn new(spec: &MpmSpec) -> Self {
        let shear = spec.young / (2.0 * (1.0 + spec.poisson));
        let lame = spec.young * spec.poisson / ((1.0 + spec.poisson) * (1.0 - 2.0 * spec.poisson));
        let limit = match spec.yields {
            Yield::Never => Limit::None,
            Yield::Stress(stress) => {
                Limit::Shape((libm::sqrt(2.0 / 3.0) * stress / (2.0 * shear)) as f32)
            }
            Yield::Friction(angle) => {
                // The cone that meets Mohr and Coulomb's law in plane strain without dilatancy, as heaps and
                // slides flow: the norm of the deviator is √2 sin φ times the pressure.
                let bulk = lame + 2.0 / 3.0 * shear;
                let cone = core::f64::consts::SQRT_2 * libm::sin(angle);
                Limit::Friction((bulk / (2.0 * shear) * cone) as f32)
            }
        };
        Self { shear: shear as f32, lame: lame as f32, limit }
    }

    /// Kirchhoff's stress.
    #[inline]
    pub(super) fn stress(&self, strain: &Strain) -> Sym {
        let all = self.lame * trace(&strain.log);
        let mut stress = scale(&strain.log, 2.0 * self.shear);
        stress[0] += all;
        stress[1] += all;
        stress[2] += all;
        stress
    }

    /// Strain matter by a displacement gradient, given by rows, and let it yield.
    #[inline]
    pub(super) fn strain(&self, strain: &mut Strain, d: &[[f32; 3]; 3]) {
        // (1 + d)(1 + a)(1 + d)ᵀ − 1 without the ones, which would swallow small strains.
        let a = &strain.squared;
        let full = [[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]];
        // m = a + d + d a
        let m: [[f32; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let da = d[i][0] * full[0][j] + d[i][1] * full[1][j] + d[i][2] * full[2][j];
                full[i][j] + d[i][j] + da
            })
        });
        let entry = |i: usize, j: usize| {
            m[i][j] + d[j][i] + m[i][0] * d[j][0] + m[i][1] * d[j][1] + m[i][2] * d[j][2]
        };
        strain.squared =
            [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
        strain.log = half_log(&strain.squared);
        self.give_way(strain);
    }

    /// Return strain to where matter yields.
    fn give_way(&self, strain: &mut Strain) {
        let volume = trace(&strain.log);
        let (volume, most) = match self.limit {
            Limit::None => return,
            Limit::Shape(most) => (volume, most),
            Limit::Friction(share) => {
                let whole = volume + strain.loose;
                if whole >= 0.0 {
                    *strain = Strain { loose: whole, ..Strain::NONE };
                    return;
                }
                (whole, -share * whole)
            }
        };
        let mut shape = strain.log;
        let mean = trace(&shape) / 3.0;
        for v in &mut shape[..3] {
            *v -= mean;
        }
        let [xx, yy, zz, xy, xz, yz] = shape.map(|v| v * v);
        let norm = (xx + yy + zz + 2.0 * (xy + xz + yz)).sqrt();
        if norm <= most && strain.loose == 0.0 {
            return;
        }
        strain.log = scale(&shape, if norm > most { most / norm } else { 1.0 });
        for v in &mut strain.log[..3] {
            *v += volume / 3.0;
        }
        strain.loose = 0.0;
        strain.squared = exp_less_one(&strain.log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWISTED: Sym = [0.09, -0.05, 0.02, 0.03, -0.04, 0.05];

    #[track_caller]
    fn near(a: &Sym, b: &Sym, tolerance: f32) {
        let off = most(&zip(a, b, |a, b| a - b));
        assert!(off < tolerance, "{a:?} {b:?}: {off}");
    }

    #[test]
    fn series_agree_with_values() {
        for s in [1e-4, 0.1, 1.0, 3.0] {
            let a = scale(&TWISTED, s);
            let log = half_log(&a);
            near(&log, &by_values(&a, |v| 0.5 * libm::log1p(v)), 2e-6 * s.max(0.01));
            near(&exp_less_one(&log), &a, 3e-6 * s.max(0.01));
        }
    }

    #[test]
    fn wide_strains_go_by_values() {
        let a = [4.0, -0.6, 0.5, 0.1, 0.2, -0.3];
        near(&exp_less_one(&half_log(&a)), &a, 1e-5);
        // What is not a number stays one, so that whoever steps matter sees it.
        assert!(half_log(&[f32::NAN; 6]).iter().all(|v| v.is_nan()));
    }

    #[test]
    fn turning_does_not_strain() {
        let spec = MpmSpec { yields: Yield::Never, ..MpmSpec::clay() };
        let law = Law::new(&spec);
        let mut strain = Strain { squared: TWISTED, log: half_log(&TWISTED), loose: 0.0 };
        let energy = |s: &Strain| product(&s.log, &s.log)[..3].iter().sum::<f32>();
        let before = (trace(&strain.log), energy(&strain));
        let (s, c) = (0.01_f32.sin(), 0.01_f32.cos());
        for _ in 0..157 {
            law.strain(&mut strain, &[[c - 1.0, -s, 0.0], [s, c - 1.0, 0.0], [0.0; 3]]);
        }
        assert!((trace(&strain.log) - before.0).abs() < 1e-5);
        assert!((energy(&strain) - before.1).abs() < 1e-5);
        // A quarter turn about z changes x and y.
        assert!((strain.squared[0] - TWISTED[1]).abs() < 1e-3, "{strain:?}");
    }
}

//! Cans and bottles, standing.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use longarm_types::{Bounds, DVec3};

use super::super::common::{
    heading, open_free, pinch, pinch_height, pinches_around, roomy, show, tool, upright,
};
use super::super::print::{mix, smooth};
use super::{CategoryModel, disc, printed, word};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, Mouth, Shape, Surface};

type Paint = fn(f64, f64) -> [f64; 3];

/// A tin with a paper label.
pub(super) struct Can {
    id: &'static str,
    radius: f64,
    height: f64,
    mass: f64,
    label: Paint,
}

pub(super) const ALPHABET_SOUP: Can =
    Can { id: "libero_alphabet_soup", radius: 0.0343, height: 0.0836, mass: 0.0547, label: soup };

pub(super) const TOMATO_SAUCE: Can =
    Can { id: "libero_tomato_sauce", radius: 0.0342, height: 0.0828, mass: 0.0555, label: tomato };

/// Repeats a picture twice around, facing −x and +x, narrow enough to be seen whole from there.
fn twice(u: f64) -> f64 {
    0.5 + 1.45 * ((2.0 * u + 0.5).fract() - 0.5)
}

/// Width by height of what is seen of a tin's label.
const HALF_LABEL: f64 = 1.0;

fn soup(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), HALF_LABEL);
    let mut c = mix([0.80, 0.20, 0.17], [0.96, 0.94, 0.88], smooth(0.48, 0.50, v));
    c = mix(c, [0.90, 0.72, 0.30], smooth(0.035, 0.02, (v - 0.49).abs()));
    c = mix(c, [0.97, 0.95, 0.90], word("SOUP", [0.12, 0.06, 0.88, 0.44], a, u, v));
    // Letters swimming in broth.
    c = mix(c, [0.88, 0.52, 0.20], disc([0.5, 0.76], 0.20, a, u, v));
    mix(c, [0.98, 0.93, 0.70], word("ABC", [0.36, 0.64, 0.64, 0.88], a, u, v))
}

fn tomato(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), HALF_LABEL);
    let mut c = mix([0.96, 0.92, 0.82], [0.93, 0.86, 0.72], v);
    c = mix(c, [0.22, 0.44, 0.25], smooth(0.12, 0.10, v));
    c = mix(c, [0.22, 0.44, 0.25], smooth(0.90, 0.92, v));
    for at in [[0.34, 0.72], [0.66, 0.74]] {
        c = mix(c, [0.80, 0.18, 0.13], disc(at, 0.14, a, u, v));
        c = mix(c, [0.25, 0.50, 0.22], disc([at[0], at[1] - 0.13], 0.035, a, u, v));
    }
    c = mix(c, [0.72, 0.14, 0.12], word("TOMATO", [0.06, 0.13, 0.94, 0.38], a, u, v));
    mix(c, [0.72, 0.14, 0.12], word("SAUCE", [0.20, 0.36, 0.80, 0.56], a, u, v))
}

impl CategoryModel for Can {
    fn info(&self) -> AssetInfo {
        AssetInfo {
            symmetry: 0,
            grasps: pinches_around(pinch_height(self.height), 2.0 * self.radius),
            spout: Some(Mouth::of_half_full([0.0, 0.0, self.height], self.radius, self.height)),
            ..AssetInfo::movable(Bounds::standing(self.radius, self.radius, self.height), self.mass)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (r, h) = (self.radius, self.height);
        open_free(name, out);
        upright(r, h, self.mass, out);
        let tin =
            out.material("tin", [0.78, 0.79, 0.80, 1.0], "specular=\"0.8\" shininess=\"0.6\"");
        show(&format!("{}_tin", self.id), tin, out, || {
            let rim = |z: f64, s: f64| [[r, z], [r, z + 0.0025 * s], [r - 0.0015, z + 0.003 * s]];
            let mut profile = vec![[0.0, 0.002], [r - 0.004, 0.002], [r - 0.003, 0.0], [r, 0.0]];
            profile.extend(&rim(0.0, 1.0)[1..]);
            profile.extend([[r - 0.0015, h - 0.003], [r, h - 0.0025], [r, h]]);
            profile.extend([[r - 0.002, h], [r - 0.0035, h - 0.003]]);
            profile.extend([[0.6 * r, h - 0.003], [0.58 * r, h - 0.0022], [0.0, h - 0.0022]]);
            TriMesh::lathe(&profile, 40, 0.5).without_uvs()
        });
        let paper = printed(self.id, [512, 170], out, self.label);
        show(&format!("{}_label", self.id), paper, out, || {
            TriMesh::lathe(&[[r - 0.0011, 0.004], [r - 0.0011, h - 0.004]], 40, 0.5)
        });
        out.close();
    }
}

/// A squeeze or glass bottle of oval plan.
pub(super) struct Bottle {
    id: &'static str,
    /// Half width and half depth.
    half: [f64; 2],
    height: f64,
    /// Where the shoulder begins and ends, and the radius of neck and cap.
    shoulder: [f64; 2],
    neck: f64,
    mass: f64,
    body: [f32; 3],
    cap: [f32; 3],
    band: [f64; 2],
    label: Paint,
}

pub(super) const KETCHUP: Bottle = Bottle {
    id: "libero_ketchup",
    half: [0.0322, 0.0217],
    height: 0.1486,
    shoulder: [0.086, 0.122],
    neck: 0.0155,
    mass: 0.0503,
    body: [0.70, 0.11, 0.09],
    cap: [0.95, 0.94, 0.92],
    band: [0.030, 0.080],
    label: ketchup,
};

pub(super) const BBQ_SAUCE: Bottle = Bottle {
    id: "libero_bbq_sauce",
    half: [0.0249, 0.0167],
    height: 0.1142,
    shoulder: [0.068, 0.094],
    neck: 0.0125,
    mass: 0.0251,
    body: [0.27, 0.10, 0.06],
    cap: [0.12, 0.12, 0.13],
    band: [0.016, 0.062],
    label: barbecue,
};

pub(super) const SALAD_DRESSING: Bottle = Bottle {
    id: "libero_salad_dressing",
    half: [0.032, 0.0218],
    height: 0.1474,
    shoulder: [0.084, 0.116],
    neck: 0.0145,
    mass: 0.0459,
    body: [0.86, 0.72, 0.38],
    cap: [0.24, 0.45, 0.25],
    band: [0.022, 0.076],
    label: dressing,
};

pub(super) const NEW_SALAD_DRESSING: Bottle = Bottle {
    id: "libero_new_salad_dressing",
    mass: 0.0469,
    body: [0.93, 0.91, 0.82],
    cap: [0.30, 0.55, 0.28],
    label: ranch,
    ..SALAD_DRESSING
};

fn ketchup(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), 1.15);
    let mut c = mix([0.96, 0.95, 0.92], [0.78, 0.13, 0.10], smooth(0.36, 0.38, (v - 0.5).abs()));
    c = mix(c, [0.24, 0.50, 0.24], smooth(0.27, 0.29, v) * smooth(0.20, 0.24, v));
    c = mix(c, [0.96, 0.95, 0.92], smooth(0.15, 0.17, v) * smooth(0.86, 0.84, v));
    c = mix(c, [0.82, 0.16, 0.12], disc([0.5, 0.68], 0.12, a, u, v));
    mix(c, [0.76, 0.12, 0.10], word("KETCHUP", [0.04, 0.20, 0.96, 0.55], a, u, v))
}

fn barbecue(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), 0.95);
    let mut c = mix([0.92, 0.78, 0.45], [0.86, 0.42, 0.14], v);
    // Flames from below.
    let flame = 0.78 - 0.14 * libm::fabs(libm::sin(11.0 * u));
    c = mix(c, [0.72, 0.16, 0.08], smooth(flame, flame + 0.05, v));
    mix(c, [0.22, 0.08, 0.05], word("BBQ", [0.12, 0.08, 0.88, 0.60], a, u, v))
}

fn dressing(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), 1.05);
    let mut c = mix([0.96, 0.93, 0.80], [0.88, 0.82, 0.60], v);
    c = mix(c, [0.30, 0.52, 0.24], smooth(0.14, 0.12, v));
    c = mix(c, [0.36, 0.58, 0.26], disc([0.38, 0.74], 0.15, a, u, v));
    c = mix(c, [0.52, 0.70, 0.34], disc([0.58, 0.78], 0.13, a, u, v));
    c = mix(c, [0.80, 0.20, 0.15], disc([0.72, 0.70], 0.08, a, u, v));
    mix(c, [0.22, 0.38, 0.16], word("SALAD", [0.06, 0.16, 0.94, 0.56], a, u, v))
}

fn ranch(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), 1.05);
    let mut c = mix([0.26, 0.50, 0.30], [0.18, 0.38, 0.22], v);
    c = mix(c, [0.95, 0.94, 0.88], smooth(0.26, 0.24, (v - 0.42).abs()));
    for at in [[0.30, 0.86], [0.50, 0.84], [0.70, 0.86]] {
        c = mix(c, [0.50, 0.72, 0.36], disc(at, 0.10, a, u, v));
    }
    mix(c, [0.16, 0.36, 0.18], word("SALAD", [0.06, 0.22, 0.94, 0.62], a, u, v))
}

impl CategoryModel for Bottle {
    fn info(&self) -> AssetInfo {
        let [x, y] = self.half;
        let cap = 2.0 * self.neck;
        let high = self.height - 0.016;
        AssetInfo {
            symmetry: 2,
            grasps: vec![
                pinch([0.0, 0.0, high], FRAC_PI_2, roomy(cap)),
                pinch([0.0, 0.0, high], 0.0, roomy(cap)),
                pinch([0.0, 0.0, high], FRAC_PI_4, roomy(cap)),
                pinch([0.0, 0.0, high], -FRAC_PI_4, roomy(cap)),
            ],
            spout: Some(Mouth::of_half_full([0.0, 0.0, self.height], self.neck, self.height)),
            ..AssetInfo::movable(Bounds::standing(x, y, self.height), self.mass)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y] = self.half;
        let (h, [low, high]) = (self.height, self.shoulder);
        open_free(name, out);
        let body = (low + 0.4 * (high - low)) / 2.0;
        out.geom(
            Geom::solid(Shape::Box([0.9 * x, 0.9 * y, body]))
                .pos(0.0, 0.0, body)
                .mass(0.9 * self.mass),
        );
        let top = (h - 2.0 * body) / 2.0;
        // Flat sides for the pads, whichever way the fingers close.
        out.geom(
            Geom::solid(Shape::Box([0.93 * self.neck, 0.93 * self.neck, top]))
                .pos(0.0, 0.0, h - top)
                .mass(0.1 * self.mass),
        );
        let flat = |m: TriMesh| m.scaled([1.0, y / x, 1.0]);
        let glass = out.material(
            &format!("{}_glass", self.id),
            [self.body[0], self.body[1], self.body[2], 1.0],
            "specular=\"0.8\" shininess=\"0.7\"",
        );
        show(&format!("{}_body", self.id), glass, out, || {
            let mut profile = vec![[0.0, 0.002], [x - 0.008, 0.0], [x - 0.003, 0.0]];
            profile.extend([[x - 0.0005, 0.003], [x, 0.008], [x, low]]);
            for i in 1..=8 {
                let s = f64::from(i) / 8.0;
                let r = x + (self.neck - 0.002 - x) * s * s * (3.0 - 2.0 * s);
                profile.push([r, low + (high - low) * s]);
            }
            profile.push([0.0, high]);
            // Round at the neck, oval below.
            TriMesh::lathe(&profile, 40, 0.7)
                .without_uvs()
                .warped(|p| {
                    let t = smooth(low, high, p.z);
                    DVec3::new(p.x, p.y * (y / x + (1.0 - y / x) * t), p.z)
                })
                .creased(0.7)
        });
        show(&format!("{}_cap", self.id), Surface::rgb(self.cap), out, || {
            let half = (h - high + 0.001) / 2.0;
            TriMesh::cylinder(self.neck, half, 0.002, 32).without_uvs().moved(0.0, 0.0, h - half)
        });
        let paper = printed(self.id, [512, 150], out, self.label);
        show(&format!("{}_label", self.id), paper, out, || {
            let [a, b] = self.band;
            flat(TriMesh::lathe(&[[x + 0.0003, a], [x + 0.0003, b]], 40, 0.5))
        });
        out.close();
    }
}

/// A small bottle of red wine.
pub(super) struct WineBottle;

const WINE_RADIUS: f64 = 0.0219;
const WINE_NECK: f64 = 0.0085;
const WINE_SHOULDER: [f64; 2] = [0.092, 0.118];
const WINE_HEIGHT: f64 = 0.1588;
const WINE_MASS: f64 = 0.0519;

fn wine(u: f64, v: f64) -> [f64; 3] {
    let (u, a) = (twice(u), 0.9);
    let edge = 0.5 - (v - 0.5).abs();
    let mut c = mix([0.94, 0.90, 0.80], [0.62, 0.48, 0.22], smooth(0.05, 0.035, edge));
    c = mix(c, [0.42, 0.10, 0.14], word("WINE", [0.12, 0.14, 0.88, 0.58], a, u, v));
    c = mix(c, [0.42, 0.10, 0.14], disc([0.5, 0.74], 0.10, a, u, v));
    c
}

impl CategoryModel for WineBottle {
    fn info(&self) -> AssetInfo {
        let mut grasps = pinches_around(WINE_HEIGHT - 0.018, 2.0 * WINE_NECK);
        // Around the body from the side, slanting, to lay it down.
        for k in 0..8 {
            let from = heading(f64::from(k) * FRAC_PI_4);
            let close = heading(f64::from(k) * FRAC_PI_4 + FRAC_PI_2);
            grasps.push(Grasp {
                kind: GraspKind::Pinch,
                tool: tool([0.0, 0.0, 0.065], from - DVec3::Z, close),
                opening: roomy(2.0 * WINE_RADIUS),
                part: None,
            });
        }
        AssetInfo {
            symmetry: 0,
            grasps,
            spout: Some(Mouth::of_half_full([0.0, 0.0, WINE_HEIGHT], WINE_RADIUS, WINE_HEIGHT)),
            ..AssetInfo::movable(Bounds::standing(WINE_RADIUS, WINE_RADIUS, WINE_HEIGHT), WINE_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let r = WINE_RADIUS;
        let [low, high] = WINE_SHOULDER;
        open_free(name, out);
        upright(r, 0.5 * (low + high) - 0.004, 0.88 * WINE_MASS, out);
        let half = (WINE_HEIGHT - 0.5 * (low + high)) / 2.0;
        out.geom(
            Geom::solid(Shape::Cylinder(WINE_NECK, half))
                .pos(0.0, 0.0, WINE_HEIGHT - half)
                .mass(0.12 * WINE_MASS),
        );
        let glass =
            out.material("wine_glass", [0.10, 0.16, 0.10, 1.0], "specular=\"1\" shininess=\"0.9\"");
        show("libero_wine_body", glass, out, || {
            let mut profile = vec![[0.0, 0.004], [r - 0.009, 0.0], [r - 0.003, 0.0], [r, 0.003]];
            profile.push([r, low]);
            for i in 1..=10 {
                let s = f64::from(i) / 10.0;
                profile.push([
                    r + (WINE_NECK - 0.001 - r) * s * s * (3.0 - 2.0 * s),
                    low + (high - low) * s,
                ]);
            }
            profile.extend([[WINE_NECK - 0.001, WINE_HEIGHT - 0.01], [0.0, WINE_HEIGHT - 0.01]]);
            TriMesh::lathe(&profile, 36, 0.7).without_uvs()
        });
        show("libero_wine_foil", Surface::rgb([0.45, 0.10, 0.14]), out, || {
            let z = WINE_HEIGHT - 0.032;
            let n = WINE_NECK;
            let profile = [
                [n - 0.001, z],
                [n - 0.0006, z + 0.001],
                [n - 0.0006, WINE_HEIGHT - 0.008],
                [n, WINE_HEIGHT - 0.007],
                [n, WINE_HEIGHT - 0.001],
                [n - 0.001, WINE_HEIGHT],
                [0.0, WINE_HEIGHT],
            ];
            TriMesh::lathe(&profile, 28, 0.6).without_uvs()
        });
        let paper = printed("libero_wine", [384, 140], out, wine);
        show("libero_wine_label", paper, out, || {
            TriMesh::lathe(&[[r + 0.0002, 0.022], [r + 0.0002, 0.074]], 36, 0.5)
        });
        out.close();
    }
}

//! Food without a wrapper. Sizes are ours: LIBERO's public files have none of these.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::common::{FOOT_GAP, PAD_CLEARANCE, open_free, pinch, roomy, show, show_tinted};
use super::super::print::{mix, noise, rough, smooth};
use super::{CategoryModel, ROUND, printed};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Shape, Surface};

/// A lump, longest along x, resting on its side.
pub(super) struct Lump {
    id: &'static str,
    half: [f64; 3],
    mass: f64,
    rgb: [f32; 3],
    kind: ProduceKind,
}

#[derive(Clone, Copy, PartialEq)]
enum ProduceKind {
    Egg,
    Lemon,
    Onion,
    Potato,
}

pub(super) const EGG: Lump = Lump {
    id: "libero_egg",
    half: [0.027, 0.0205, 0.0205],
    mass: 0.05,
    rgb: [0.87, 0.70, 0.55],
    kind: ProduceKind::Egg,
};

pub(super) const LEMON: Lump = Lump {
    id: "libero_lemon",
    half: [0.033, 0.0225, 0.0225],
    mass: 0.06,
    rgb: [0.94, 0.82, 0.24],
    kind: ProduceKind::Lemon,
};

pub(super) const ONION: Lump = Lump {
    id: "libero_onion",
    half: [0.029, 0.029, 0.026],
    mass: 0.06,
    rgb: [0.74, 0.46, 0.20],
    kind: ProduceKind::Onion,
};

pub(super) const POTATO: Lump = Lump {
    id: "libero_potato",
    half: [0.036, 0.0255, 0.0225],
    mass: 0.08,
    rgb: [0.72, 0.56, 0.36],
    kind: ProduceKind::Potato,
};

impl Lump {
    fn mesh(&self) -> TriMesh {
        let [a, b, c] = self.half;
        let ball = TriMesh::sphere(1.0, 40);
        let shape = move |p: DVec3| -> DVec3 {
            match self.kind {
                // Blunter at one end.
                ProduceKind::Egg => {
                    let w = 1.0 - 0.14 * p.x;
                    DVec3::new(a * p.x, b * p.y * w / 1.01, c * p.z * w / 1.01)
                }
                // Nipples at both ends.
                ProduceKind::Lemon => {
                    let s = libm::hypot(p.y, p.z);
                    let tip = 0.28 * libm::exp(-14.0 * s * s);
                    DVec3::new((a - 0.006) * p.x * (1.0 + tip), b * p.y, c * p.z)
                }
                ProduceKind::Onion => {
                    let s = libm::hypot(p.x, p.y);
                    let neck = if p.z > 0.0 { 0.50 * libm::exp(-22.0 * s * s) } else { 0.0 };
                    DVec3::new(a * p.x, b * p.y, c * p.z * (1.0 + neck))
                }
                ProduceKind::Potato => {
                    let bump = 0.96 + 0.04 * libm::sin(2.3 * p.x + 1.9 * p.y + 0.6)
                        - 0.03 * libm::cos(3.1 * p.y - 1.7 * p.x);
                    let bump = bump.min(1.0);
                    DVec3::new(a * p.x * bump, b * p.y * bump, c * p.z)
                }
            }
        };
        ball.warped(shape).creased(PI).moved(0.0, 0.0, c)
    }

    /// Skin: stripes of an onion, eyes of a potato, pores of a lemon.
    fn skin(&self, u: f64, v: f64) -> [f64; 3] {
        let c = self.rgb.map(f64::from);
        let wrap = |f: f64| noise(f * libm::cos(TAU * u) + 20.0, f * libm::sin(TAU * u) + 9.0 * v);
        match self.kind {
            ProduceKind::Onion => {
                let stripe = 0.5 + 0.5 * libm::sin(22.0 * TAU * u + 3.0 * wrap(2.0));
                let c = mix(c, [0.58, 0.32, 0.12], 0.55 * smooth(0.3, 0.9, stripe));
                mix(c, [0.86, 0.70, 0.46], smooth(0.82, 0.95, 1.0 - v))
            }
            ProduceKind::Potato => {
                let c = mix(c, [0.56, 0.41, 0.25], 0.7 * rough(9.0 * u, 7.0 * v));
                let eyes = [
                    [0.10, 0.35],
                    [0.22, 0.55],
                    [0.36, 0.40],
                    [0.50, 0.60],
                    [0.63, 0.33],
                    [0.74, 0.52],
                    [0.88, 0.42],
                    [0.95, 0.62],
                ];
                eyes.iter().fold(c, |c, at| {
                    mix(c, [0.46, 0.34, 0.22], 0.8 * super::disc(*at, 0.03, 2.2, u, v))
                })
            }
            ProduceKind::Lemon => mix(c, [0.84, 0.70, 0.16], 0.5 * rough(60.0 * u, 40.0 * v)),
            ProduceKind::Egg => mix(c, [0.78, 0.58, 0.43], 0.35 * rough(30.0 * u, 30.0 * v)),
        }
    }
}

impl CategoryModel for Lump {
    fn info(&self) -> AssetInfo {
        let [a, b, c] = self.half;
        let z = PAD_CLEARANCE.max(0.95 * c);
        let mut grasps = vec![pinch([0.0, 0.0, z], FRAC_PI_2, roomy(2.0 * b))];
        if a < 0.03 {
            grasps.push(pinch([0.0, 0.0, z], 0.0, roomy(2.0 * a)));
        }
        let tall = if self.kind == ProduceKind::Onion { 2.0 * c + 0.012 } else { 2.0 * c };
        AssetInfo {
            symmetry: if self.kind == ProduceKind::Onion { 0 } else { 2 },
            round: true,
            grasps,
            ..AssetInfo::movable(Bounds::standing(a, b, tall), self.mass)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [a, b, c] = self.half;
        open_free(name, out);
        // A small flat to rest on, as lumps find one.
        out.geom(
            Geom::solid(Shape::Box([0.3 * a, 0.25 * b, 0.002]))
                .pos(0.0, 0.0, 0.002)
                .mass(0.05 * self.mass),
        );
        out.geom(
            Geom::solid(Shape::Ellipsoid([a, b, c - FOOT_GAP / 2.0]))
                .pos(0.0, 0.0, c + FOOT_GAP / 2.0)
                .mass(0.95 * self.mass)
                .friction(ROUND)
                .with("condim=\"6\""),
        );
        let skin = printed(self.id, [128, 96], out, |u, v| self.skin(u, v));
        show(self.id, skin, out, || self.mesh());
        if self.kind == ProduceKind::Onion {
            show("libero_onion_root", Surface::rgb([0.80, 0.70, 0.52]), out, || {
                let path = [
                    DVec3::new(0.0, 0.0, 2.0 * c + 0.004),
                    DVec3::new(0.001, 0.0, 2.0 * c + 0.008),
                    DVec3::new(0.003, 0.001, 2.0 * c + 0.0105),
                ];
                TriMesh::sweep(&path, &[0.004, 0.0025, 0.0015], 10).without_uvs()
            });
        }
        out.close();
    }
}

/// A cob of maize with its husk drawn back.
pub(super) struct Corn;

const COB: f64 = 0.0205;
const LENGTH: f64 = 0.150;
const CORN_MASS: f64 = 0.12;

impl CategoryModel for Corn {
    fn info(&self) -> AssetInfo {
        let z = PAD_CLEARANCE.max(COB);
        let at = |x: f64| pinch([x, 0.0, z], FRAC_PI_2, roomy(2.0 * COB));
        AssetInfo {
            grasps: vec![at(0.0), at(0.03), at(-0.03)],
            ..AssetInfo::movable(Bounds::standing(LENGTH / 2.0, COB + 0.001, 2.0 * COB), CORN_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let along = DQuat::from_rotation_y(FRAC_PI_2);
        let foot = [0.35 * LENGTH, 0.006, 0.0025];
        out.geom(Geom::solid(Shape::Box(foot)).pos(0.0, 0.0, 0.0025).mass(0.1 * CORN_MASS));
        out.geom(
            Geom::solid(Shape::Capsule(COB - FOOT_GAP / 2.0, LENGTH / 2.0 - COB - 0.002))
                .at(Pose::new(DVec3::new(0.0, 0.0, COB + FOOT_GAP / 2.0), along))
                .mass(0.9 * CORN_MASS)
                .friction(ROUND)
                .with("condim=\"6\""),
        );
        let kernels = printed("libero_corn", [256, 256], out, |u, v| {
            // Rows of kernels along the cob, every second one shifted.
            let (rows, per) = (16.0, 22.0);
            let row = (u * rows).floor();
            let x = (u * rows).fract() - 0.5;
            let y = (v * per + 0.5 * (row % 2.0)).fract() - 0.5;
            let kernel = smooth(0.52, 0.30, libm::hypot(x, y));
            mix([0.72, 0.50, 0.12], [0.96, 0.80, 0.30], kernel)
        });
        let start = -0.35 * LENGTH;
        show("libero_corn_cob", kernels, out, || {
            let path: Vec<DVec3> = (0..=16)
                .map(|i| {
                    let t = f64::from(i) / 16.0;
                    DVec3::new(start + (LENGTH / 2.0 - 0.006 - start) * t, 0.0, COB)
                })
                .collect();
            let radii: Vec<f64> = (0..=16)
                .map(|i| COB * (1.0 - 0.66 * libm::pow(f64::from(i) / 16.0, 3.0)))
                .collect();
            TriMesh::sweep(&path, &radii, 32)
        });
        show_tinted(name, 0, "libero_corn_husk", [0.52, 0.66, 0.30], out, || {
            let mut m = TriMesh::default();
            for k in 0..5 {
                let a = TAU * f64::from(k) / 5.0 + 0.5;
                let out_dir = DVec3::new(0.0, libm::cos(a), libm::sin(a));
                let path: Vec<DVec3> = (0..=6)
                    .map(|i| {
                        let t = f64::from(i) / 6.0;
                        let r = 0.006 + 0.0125 * libm::sin(PI * 0.62 * t);
                        DVec3::new(-LENGTH / 2.0 + 0.008 + 0.075 * t, 0.0, COB)
                            + out_dir * r.min(COB - 0.0055)
                    })
                    .collect();
                let radii = [0.005, 0.007, 0.0075, 0.007, 0.006, 0.004, 0.0015];
                m.merge(&TriMesh::sweep(&path, &radii, 12));
            }
            m.without_uvs()
        });
        out.close();
    }
}

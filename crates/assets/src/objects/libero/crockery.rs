//! Bowls, the ramekin and the plate.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;

use super::super::bowl::Form;
use super::super::common::{Wall, floor, open_free, region, rim_around, show, show_tinted};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, RegionKind, Surface};

pub(super) struct Bowl {
    id: &'static str,
    form: Form,
    mass: f64,
    rgb: [f32; 3],
    /// Colour of a ring painted inside, below the rim.
    ring: Option<[f32; 3]>,
}

pub(super) const AKITA_BLACK_BOWL: Bowl = Bowl {
    id: "libero_akita_black_bowl",
    form: Form { radius: 0.0536, foot: 0.026, height: 0.0505 },
    mass: 0.08,
    rgb: [0.13, 0.13, 0.14],
    ring: Some([0.50, 0.42, 0.33]),
};

pub(super) const WHITE_BOWL: Bowl = Bowl {
    id: "libero_white_bowl",
    form: Form { radius: 0.0424, foot: 0.021, height: 0.0354 },
    mass: 0.05,
    rgb: [0.94, 0.94, 0.92],
    ring: None,
};

pub(super) const RED_BOWL: Bowl =
    Bowl { id: "libero_red_bowl", rgb: [0.74, 0.20, 0.18], ring: None, ..WHITE_BOWL };

pub(super) const RAMEKIN: Bowl = Bowl {
    id: "libero_ramekin",
    form: Form { radius: 0.0446, foot: 0.034, height: 0.0433 },
    mass: 0.06,
    rgb: [0.93, 0.91, 0.86],
    ring: Some([0.42, 0.53, 0.66]),
};

impl CategoryModel for Bowl {
    fn info(&self) -> AssetInfo {
        self.form.info(self.mass)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        self.form.solids(self.mass, out);
        show_tinted(name, 0, self.id, self.rgb, out, || self.form.mesh());
        if let Some(rgb) = self.ring {
            show(&format!("{}_ring", self.id), Surface::rgb(rgb), out, || {
                let (r, z) = (self.form.radius - 0.0041, self.form.height - 0.007);
                TriMesh::lathe(&[[r, z], [r, z - 0.004]], 48, 0.5).without_uvs()
            });
        }
        out.close();
    }
}

/// A small plate with a raised lip.
pub(super) struct Plate;

const RADIUS: f64 = 0.069;
const HEIGHT: f64 = 0.0191;
const PLATE_FLOOR: f64 = 0.005;
const WALL: f64 = 0.0034;
const WELL: f64 = 0.050;
const PLATE_MASS: f64 = 0.08;

impl CategoryModel for Plate {
    fn info(&self) -> AssetInfo {
        let half = 0.7 * WELL;
        AssetInfo {
            symmetry: 0,
            // High, or the inner finger would stand on the slope inside the lip.
            grasps: rim_around(RADIUS - WALL / 2.0, HEIGHT, 0.032),
            regions: vec![region(
                "surface",
                RegionKind::Surface,
                [0.0, 0.0, PLATE_FLOOR],
                [half, half, 0.004],
            )],
            ..AssetInfo::movable(Bounds::standing(RADIUS, RADIUS, HEIGHT), PLATE_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        floor(WELL + 0.003, PLATE_FLOOR, 0.6 * PLATE_MASS, out);
        let inner = RADIUS - WALL;
        for (radius, z) in [([WELL, inner - 0.002], [0.004, 0.0095]), ([inner; 2], [0.008, HEIGHT])]
        {
            Wall { radius, z, thickness: WALL, count: 16 }.build(0.2 * PLATE_MASS, out);
        }
        show_tinted(name, 0, "libero_plate", [0.94, 0.93, 0.90], out, || {
            let mut profile = vec![
                [0.0, 0.0015],
                [0.66 * WELL, 0.0015],
                [0.68 * WELL, 0.0],
                [0.76 * WELL, 0.0],
                [0.78 * WELL, 0.0015],
                [WELL, 0.002],
                [RADIUS - 0.004, 0.0065],
                [RADIUS - 0.0008, 0.009],
            ];
            let mid = RADIUS - WALL / 2.0;
            for k in 0..=6 {
                let a = f64::from(k) * FRAC_PI_2 / 3.0;
                let (r, z) = (mid + WALL / 2.0 * libm::cos(a), WALL / 2.0 * libm::sin(a));
                profile.push([r, HEIGHT - WALL / 2.0 + z]);
            }
            profile.extend([
                [RADIUS - WALL - 0.0004, 0.0118],
                [RADIUS - WALL - 0.0030, 0.0095],
                [WELL + 0.002, PLATE_FLOOR + 0.0008],
                [WELL - 0.003, PLATE_FLOOR],
                [0.0, PLATE_FLOOR],
            ]);
            TriMesh::lathe(&profile, 64, 0.75).without_uvs()
        });
        show("libero_plate_ring", Surface::rgb([0.70, 0.30, 0.26]), out, || {
            let (r, z) = (0.92 * WELL, PLATE_FLOOR);
            let profile = [
                [r, z - 0.001],
                [r, z + 0.0004],
                [r - 0.0028, z + 0.0004],
                [r - 0.0028, z - 0.001],
            ];
            TriMesh::lathe(&profile, 64, 0.7).without_uvs()
        });
        out.close();
    }
}

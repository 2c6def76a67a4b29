//! Books, standing on their lower edge with the spine towards −y.

use longarm_types::Bounds;

use super::super::common::{open_free, pinch, pinch_height, roomy, show, show_tinted, slab};
use super::super::print::mix;
use super::{CategoryModel, printed, word};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Shape, Surface};

pub(super) struct Book {
    id: &'static str,
    /// Thickness, width, height.
    size: [f64; 3],
    /// Middle of the box in LIBERO's frame.
    middle: [f64; 2],
    mass: f64,
    cover: [f32; 3],
    ink: [f64; 3],
    title: &'static str,
}

pub(super) const BLACK_BOOK: Book = Book {
    id: "libero_black_book",
    size: [0.0302, 0.1133, 0.1382],
    middle: [-0.00045, -0.01205],
    mass: 0.1569,
    cover: [0.13, 0.13, 0.15],
    ink: [0.80, 0.66, 0.36],
    title: "NOVEL",
};

pub(super) const YELLOW_BOOK: Book = Book {
    id: "libero_yellow_book",
    size: [0.027, 0.1012, 0.1242],
    middle: [0.00275, -0.00075],
    mass: 0.1088,
    cover: [0.93, 0.76, 0.24],
    ink: [0.25, 0.22, 0.40],
    title: "GUIDE",
};

const COVER: f64 = 0.0022;

impl CategoryModel for Book {
    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let [cx, cy] = self.middle;
        let high = pinch_height(z);
        let at = |dy: f64| pinch([cx, cy + dy, high], 0.0, roomy(x));
        AssetInfo {
            grasps: vec![at(0.0), at(0.02), at(-0.02)],
            symmetry: 1,
            ..AssetInfo::movable(
                Bounds { centre: [cx, cy, z / 2.0], half: [x / 2.0, y / 2.0, z / 2.0] },
                self.mass,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, z] = self.size.map(|s| s / 2.0);
        let [cx, cy] = self.middle;
        open_free(name, out);
        out.geom(Geom::solid(Shape::Box([x, y, z])).pos(cx, cy, z).mass(self.mass));
        show_tinted(name, 0, &format!("{}_cover", self.id), self.cover, out, || {
            let mut m = TriMesh::default();
            for s in [-1.0, 1.0] {
                let at = [cx + s * (x - COVER / 2.0), cy, z];
                m.merge(&slab(at, [COVER / 2.0, y, z], 0.0008));
            }
            m.merge(&slab([cx, cy - y + COVER, z], [x - 0.0005, COVER, z], 0.002));
            m
        });
        show(&format!("{}_pages", self.id), Surface::rgb([0.93, 0.90, 0.82]), out, || {
            let inset = 0.0035;
            slab(
                [cx, cy - inset / 2.0 + 0.0005, z],
                [x - COVER, y - inset / 2.0 - 0.001, z - inset],
                0.0005,
            )
        });
        let ground = self.cover.map(f64::from);
        let side = y / z;
        let front = printed(self.id, [160, 192], out, |u, v| {
            let edge = (0.5 - (u - 0.5).abs()).min(0.5 - (v - 0.5).abs());
            let frame = if (0.06..0.075).contains(&edge) { 1.0 } else { 0.0 };
            let mut c = mix(ground, self.ink, 0.8 * frame);
            c = mix(c, self.ink, word(self.title, [0.12, 0.16, 0.88, 0.42], side, u, v));
            let rule = (0.3..0.7).contains(&u) && (v - 0.72).abs() < 0.008;
            mix(c, self.ink, if rule { 1.0 } else { 0.0 })
        });
        show(&format!("{}_print", self.id), front, out, || {
            let sheet = TriMesh::rounded_box([0.0002, y - 0.003, z - 0.003], 0.0, 1);
            let mut m = sheet.clone().moved(cx + x, cy, z);
            m.merge(&sheet.moved(cx - x, cy, z));
            m
        });
        let spine = printed(&format!("{}_spine", self.id), [160, 40], out, |u, v| {
            mix(ground, self.ink, word(self.title, [0.1, 0.15, 0.9, 0.85], 4.0, u, v))
        });
        show(&format!("{}_spine", self.id), spine, out, || {
            // The title runs down the spine.
            let sheet = TriMesh::rounded_box([z - 0.006, 0.0002, x - 0.002], 0.0, 1);
            let turn = longarm_types::DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
            sheet.transformed(&longarm_types::Pose::new(
                longarm_types::DVec3::new(cx, cy - y - 0.0001, z),
                turn,
            ))
        });
        out.close();
    }
}

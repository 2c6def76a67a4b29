//! The room: a wooden table whose top is z = 0, floor and walls.

use crate::mesh::TriMesh;
use crate::{FloorRect, Geom, Mjcf, Shape, Surface};

use super::common::{show, slab};
use super::print::{bytes, mix, noise, rough, smooth};

/// Half size of the table top along x and y.
pub const TABLE_HALF: [f64; 2] = [0.60, 0.65];
/// x of the table's centre; the robot stands near the edge at smaller x.
pub const TABLE_X: f64 = 0.35;
/// Height of the floor.
pub const FLOOR_Z: f64 = -0.75;

const TOP_THICKNESS: f64 = 0.04;
const PLANKS: f64 = 7.0;

/// Warm oak planks, grain along v.
fn oak(u: f64, v: f64) -> [u8; 3] {
    let plank = (u * PLANKS).floor();
    let across = u * PLANKS - plank;
    let shift = 13.7 * plank;
    // Rings of the tree cut lengthways: bands across the plank, bent slowly along it.
    let bend = 1.4 * rough(across * 1.5 + shift, v * 2.5 + shift);
    let rings = 0.5 + 0.5 * libm::sin(9.0 * (across + bend) + shift);
    let pores = rough(u * 150.0, v * 7.0 + shift);
    let tone = noise(plank * 5.3 + 0.5, 0.5);
    let light = [0.79, 0.63, 0.45];
    let dark = [0.68, 0.51, 0.345];
    let mut c = mix(light, dark, 0.25 * tone + 0.35 * rings + 0.35 * pores);
    // The joint between planks, soft enough to survive small pictures.
    let joint = smooth(0.02, 0.004, across.min(1.0 - across));
    c = mix(c, [0.47, 0.34, 0.23], 0.6 * joint);
    bytes(c)
}

/// A table: where its top's middle is along x, its half size and thickness, and the floor's height.
pub(super) struct Table {
    pub x: f64,
    pub half: [f64; 2],
    pub thickness: f64,
    pub floor: f64,
    pub legs: [f32; 3],
}

impl Table {
    /// The solid called `table`.
    pub(super) fn solid(&self, out: &mut Mjcf) {
        let ([hx, hy], thick) = (self.half, self.thickness / 2.0);
        let half = [hx, hy, thick];
        out.geom(Geom::solid(Shape::Box(half)).pos(self.x, 0.0, -thick).named("table"));
    }

    /// What is seen of it.
    pub(super) fn show(&self, surface: Surface, out: &mut Mjcf) {
        let [hx, hy] = self.half;
        let (x, floor, thick) = (self.x, self.floor, self.thickness / 2.0);
        show("table_top", surface, out, || {
            TriMesh::rounded_box([hx, hy, thick], 0.006f64.min(thick / 2.0), 2)
                .moved(x, 0.0, -thick)
        });
        show("table_frame", Surface::rgb(self.legs), out, || {
            let (lx, ly) = (hx - 0.05, hy - 0.05);
            let leg_half = (-floor - 2.0 * thick) / 2.0;
            let mut m = TriMesh::default();
            for (sx, sy) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let at = [x + sx * lx, sy * ly, floor + leg_half];
                m.merge(&slab(at, [0.03, 0.03, leg_half], 0.005));
            }
            let z = -2.0 * thick - 0.035;
            for s in [-1.0, 1.0] {
                m.merge(&slab([x + s * lx, 0.0, z], [0.011, ly, 0.035], 0.003));
                m.merge(&slab([x, s * ly, z], [lx, 0.011, 0.035], 0.003));
            }
            m
        });
    }
}

/// Colours of a room.
pub(super) struct Walls {
    pub floor: [f32; 3],
    pub wall: [f32; 3],
    pub side: [f32; 3],
}

pub(super) const WARM: Walls =
    Walls { floor: [0.50, 0.555, 0.615], wall: [0.96, 0.93, 0.88], side: [0.83, 0.785, 0.72] };

const FLOOR_HALF: [f64; 3] = [3.0, 3.0, 0.05];

/// The solid called `floor`; `shift` is how far the table's middle is from [`TABLE_X`].
pub(super) fn floor_solid(shift: f64, floor: f64, out: &mut Mjcf) {
    let shape = Shape::Box(FLOOR_HALF);
    out.geom(Geom::solid(shape).pos(0.3 + shift, 0.0, floor - FLOOR_HALF[2]).named("floor"));
}

/// Where the walls stand along x and, to both sides, along y, and half their thickness.
const WALLS_X: [f64; 2] = [-1.8, 1.9];
const WALLS_Y: f64 = 2.3;
const WALL_THICK: f64 = 0.05;

/// The floor between the walls.
pub(crate) fn floor_between_walls(shift: f64) -> FloorRect {
    let [behind, ahead] = WALLS_X.map(|x| x + shift);
    let side = WALLS_Y - WALL_THICK;
    FloorRect { low: [behind + WALL_THICK, -side], high: [ahead - WALL_THICK, side] }
}

/// What is seen of floor and walls.
pub(super) fn surroundings(shift: f64, floor: f64, colours: &Walls, out: &mut Mjcf) {
    let panel = |centre: [f64; 3], half: [f64; 3], rgb: [f32; 3]| {
        let [x, y, z] = centre;
        Geom::visual(Shape::Box(half), Surface::rgb(rgb)).pos(x, y, z)
    };
    out.geom(panel([0.3 + shift, 0.0, floor - FLOOR_HALF[2]], FLOOR_HALF, colours.floor));
    let skirting = [0.93, 0.91, 0.87];
    // Low enough not to throw a shadow on the table; one behind the robot too, since cameras also
    // look at it from the front.
    const WALL: f64 = 1.0;
    let base = floor + 0.05;
    let [behind, ahead] = WALLS_X.map(|x| x + shift);
    for (at, inside) in [(ahead, -1.0), (behind, 1.0)] {
        out.geom(panel([at, 0.0, floor + WALL], [WALL_THICK, 2.6, WALL], colours.wall));
        out.geom(panel([at + 0.06 * inside, 0.0, base], [0.01, 2.6, 0.05], skirting));
    }
    for s in [-1.0, 1.0] {
        out.geom(panel(
            [0.05 + shift, s * WALLS_Y, floor + WALL],
            [1.8, WALL_THICK, WALL],
            colours.side,
        ));
        out.geom(panel([0.05 + shift, s * 2.24, base], [1.8, 0.01, 0.05], skirting));
    }
}

fn planks(name: &str, rgba: [f32; 4], out: &mut Mjcf) -> Surface {
    out.texture("oak", 512, 512, oak);
    out.material(
        name,
        rgba,
        "texture=\"oak\" specular=\"0.15\" shininess=\"0.2\" reflectance=\"0\"",
    )
}

/// The material of oak planks.
pub(super) fn oak_top(out: &mut Mjcf) -> Surface {
    planks("table_oak", [1.0; 4], out)
}

/// Planks stained darker.
pub(super) fn teak_top(out: &mut Mjcf) -> Surface {
    planks("table_teak", [0.80, 0.68, 0.60, 1.0], out)
}

/// Adds table, floor and walls to the world. The table's solid is `table`, the floor's `floor`.
pub fn table(out: &mut Mjcf) {
    let top = oak_top(out);
    let legs = [0.47, 0.35, 0.25];
    let table =
        Table { x: TABLE_X, half: TABLE_HALF, thickness: TOP_THICKNESS, floor: FLOOR_Z, legs };
    table.solid(out);
    floor_solid(0.0, FLOOR_Z, out);
    table.show(top, out);
    surroundings(0.0, FLOOR_Z, &WARM, out);
}

//! A bare studio: wooden floor, a trapezoidal grey wall behind the robot, a large table centred on the
//! origin whose top is z = 0.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::arena::{FLOOR_Z, Table, floor_solid, teak_top};
use super::common::show;
use crate::mesh::TriMesh;
use crate::{FloorRect, Mjcf, Surface};

/// Half size of the table top along x and y.
pub const TABLE_HALF: [f64; 2] = [0.62, 0.75];

const TOP_THICKNESS: f64 = 0.04;
/// Side of a square of floor boards, and how many there are along each side of the floor.
const BOARDS: f64 = 1.2;
const SQUARES: i32 = 5;
/// The wall: x of its face, half width below and above, height.
const WALL_X: f64 = -1.45;
const WALL_HALF: [f64; 2] = [2.9, 2.0];
const WALL_HEIGHT: f64 = 2.3;

/// The floor in front of the wall.
pub(crate) const FLOOR: FloorRect = FloorRect { low: [WALL_X, -2.9], high: [2.9, 2.9] };

/// Adds table, floor and wall to the world. The table's solid is `table`, the floor's `floor`.
pub fn studio(out: &mut Mjcf) {
    let legs = [0.30, 0.31, 0.33];
    let table = Table { x: 0.0, half: TABLE_HALF, thickness: TOP_THICKNESS, floor: FLOOR_Z, legs };
    table.solid(out);
    floor_solid(-0.3, FLOOR_Z, out);
    let top = out.material(
        "studio_top",
        [0.86, 0.86, 0.84, 1.0],
        "specular=\"0.2\" shininess=\"0.3\" reflectance=\"0\"",
    );
    table.show(top, out);
    let boards = teak_top(out);
    show("studio_floor", boards, out, || {
        TriMesh::merged((0..SQUARES * SQUARES).map(|k| {
            let at = |i: i32| BOARDS * (f64::from(i) - 0.5 * f64::from(SQUARES - 1));
            TriMesh::rounded_box([BOARDS / 2.0, BOARDS / 2.0, 0.01], 0.0, 1).moved(
                at(k % SQUARES),
                at(k / SQUARES),
                FLOOR_Z - 0.01,
            )
        }))
    });
    show("studio_wall", Surface::rgb([0.62, 0.63, 0.65]), out, || {
        let [low, high] = WALL_HALF;
        let outline = [[-low, 0.0], [low, 0.0], [high, WALL_HEIGHT], [-high, WALL_HEIGHT]];
        // From the plane of the outline into that of y and z.
        let turn = DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X)).normalize();
        TriMesh::extrude(&outline, 0.06, 0.0)
            .without_uvs()
            .transformed(&Pose::new(DVec3::new(WALL_X - 0.06, 0.0, FLOOR_Z), turn))
    });
}

//! A circle drawn on the table.

use longarm_types::Bounds;

use super::common::show_tinted;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf};

const THICKNESS: f64 = 0.0016;
const WIDTH: f64 = 0.006;

pub(super) fn info(radius: f64) -> AssetInfo {
    let r = radius + WIDTH / 2.0;
    AssetInfo { symmetry: 0, ..AssetInfo::fixture(Bounds::standing(r, r, THICKNESS)) }
}

pub(super) fn build(radius: f64, name: &str, out: &mut Mjcf) {
    out.open(name, &longarm_types::Pose::IDENTITY);
    show_tinted(name, 0, &format!("ring_{radius}"), [0.95, 0.94, 0.91], out, || {
        let (inner, outer) = (radius - WIDTH / 2.0, radius + WIDTH / 2.0);
        // Around the section, as the lathe wants it: from below outwards, up and back in.
        let section =
            [[inner, 0.0], [outer, 0.0], [outer, THICKNESS], [inner, THICKNESS], [inner, 0.0]];
        TriMesh::lathe(&section, 96, 0.5).without_uvs()
    });
    out.close();
}

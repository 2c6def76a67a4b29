//! A kitchen sponge: foam above, scouring pad below.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;

use super::common::{open_free, pinch, roomy, show, show_tinted, slab};
use super::print::noise;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Shape, Surface};

const HALF: [f64; 3] = [0.046, 0.029, 0.0165];
const PAD: f64 = 0.009;
const MASS: f64 = 0.03;

pub(super) fn info() -> AssetInfo {
    let [x, y, z] = HALF;
    AssetInfo {
        symmetry: 2,
        grasps: vec![pinch([0.0, 0.0, 1.3 * z], FRAC_PI_2, roomy(2.0 * y))],
        ..AssetInfo::movable(Bounds::standing(x, y, 2.0 * z), MASS)
    }
}

pub(super) fn build(name: &str, out: &mut Mjcf) {
    let [x, y, z] = HALF;
    open_free(name, out);
    out.geom(Geom::solid(Shape::Box(HALF)).pos(0.0, 0.0, z).mass(MASS));
    show("sponge_pad", Surface::rgb([0.25, 0.45, 0.33]), out, || {
        slab([0.0, 0.0, PAD / 2.0], [x, y, PAD / 2.0], 0.002)
    });
    show_tinted(name, 0, "sponge_foam", [0.93, 0.79, 0.36], out, || {
        slab([0.0, 0.0, (PAD + 2.0 * z) / 2.0], [x, y, (2.0 * z - PAD) / 2.0], 0.004)
    });
    // Pores, pressed flat into the top and the long sides.
    show("sponge_pores", Surface::rgb([0.76, 0.60, 0.22]), out, || {
        let mut m = TriMesh::default();
        for i in 0..40 {
            let k = f64::from(i);
            // At whole numbers noise is evenly spread.
            let (a, b) = (noise(k, 11.0), noise(k, 23.0));
            let r = 0.0012 + 0.0018 * noise(k, 5.0);
            let pore = TriMesh::sphere(r, 8).without_uvs();
            m.merge(&if i < 26 {
                let at = [(2.0 * a - 1.0) * (x - 0.007), (2.0 * b - 1.0) * (y - 0.007)];
                pore.scaled([1.0, 1.0, 0.15]).moved(at[0], at[1], 2.0 * z)
            } else {
                let side = if i % 2 == 0 { y } else { -y };
                let height = PAD + 0.005 + b * (2.0 * z - PAD - 0.01);
                pore.scaled([1.0, 0.15, 1.0]).moved((2.0 * a - 1.0) * (x - 0.007), side, height)
            });
        }
        m
    });
    out.close();
}

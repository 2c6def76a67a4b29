//! How the original turns objects when it places them.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use longarm_types::{DVec3, LegacyRandom};

use super::objects::{Item, Shelf};

/// The axis that a category is turned about, and between which angles. The original writes sine and cosine
/// in the order x, y, z, w and reads them as w, x, y, z: a quarter turn about x becomes one about z.
#[derive(Clone, Copy)]
enum Turn {
    X(f64, f64),
    Y(f64, f64),
    Z(f64, f64),
    /// A quarter turn about x, then one about z.
    Both,
}

/// Categories that differ from the others of their folder.
const TURNS: &[(&str, Turn)] = &[
    ("alphabet_soup", Turn::Z(FRAC_PI_2, FRAC_PI_2)),
    ("tomato_sauce", Turn::Z(FRAC_PI_2, FRAC_PI_2)),
    ("butter", Turn::X(0.0, 0.0)),
    ("chocolate_pudding", Turn::X(0.0, 0.0)),
    ("cream_cheese", Turn::X(0.0, 0.0)),
    ("popcorn", Turn::X(0.0, 0.0)),
    ("ketchup", Turn::Both),
    ("macaroni_and_cheese", Turn::Both),
    ("mayo", Turn::Both),
    ("milk", Turn::Both),
    ("orange_juice", Turn::Both),
    ("salad_dressing", Turn::Both),
    ("new_salad_dressing", Turn::Both),
    ("rack", Turn::X(0.0, 0.0)),
    ("white_storage_box", Turn::Y(0.0, 0.0)),
    ("black_book", Turn::X(-FRAC_PI_2, -FRAC_PI_4)),
    ("yellow_book", Turn::X(-FRAC_PI_2, -FRAC_PI_4)),
    ("red_coffee_mug", Turn::X(-FRAC_PI_2, -FRAC_PI_2)),
    ("porcelain_mug", Turn::X(-FRAC_PI_2, -FRAC_PI_2)),
    ("white_yellow_mug", Turn::X(-FRAC_PI_2, -FRAC_PI_2)),
    ("flat_stove", Turn::Y(0.0, 0.0)),
];

fn usual(shelf: Shelf) -> Turn {
    match shelf {
        Shelf::Hope | Shelf::Scanned => Turn::X(FRAC_PI_2, FRAC_PI_2),
        Shelf::Turbosquid => Turn::X(0.0, 0.0),
        Shelf::Articulated => Turn::X(FRAC_PI_4, FRAC_PI_2),
    }
}

/// Draw how an object is turned, as the numbers of a quaternion that MuJoCo reads with w first.
pub(super) fn turn(item: &Item, random: &mut LegacyRandom) -> [f64; 4] {
    let own = TURNS.iter().find(|t| t.0 == item.category);
    let mut about = |axis: usize, low: f64, high: f64| {
        let half = random.uniform(low, high) / 2.0;
        let mut out = [0.0, 0.0, 0.0, libm::cos(half)];
        out[axis] = libm::sin(half);
        out
    };
    match own.map_or_else(|| usual(item.shelf), |t| t.1) {
        Turn::X(low, high) => about(0, low, high),
        Turn::Y(low, high) => about(1, low, high),
        Turn::Z(low, high) => about(2, low, high),
        Turn::Both => {
            let x = about(0, FRAC_PI_2, FRAC_PI_2);
            let z = about(2, FRAC_PI_2, FRAC_PI_2);
            // Products are kept in single precision.
            let x = x.map(|v| f64::from(v as f32));
            product(z, x).map(|v| f64::from(v as f32))
        }
    }
}

/// The product of two quaternions in the order x, y, z, w.
fn product([x1, y1, z1, w1]: [f64; 4], [x0, y0, z0, w0]: [f64; 4]) -> [f64; 4] {
    [
        x1 * w0 + y1 * z0 - z1 * y0 + w1 * x0,
        -x1 * z0 + y1 * w0 + z1 * x0 + w1 * y0,
        x1 * y0 - y1 * x0 + z1 * w0 + w1 * z0,
        -x1 * x0 - y1 * y0 - z1 * z0 + w1 * w0,
    ]
}

/// Turn a vector by a quaternion with w first, whose matrix the original computes in single precision.
pub(super) fn rotate(quat: [f64; 4], v: DVec3) -> DVec3 {
    let q = quat.map(|v| v as f32);
    let n: f32 = q.iter().map(|v| v * v).sum();
    let scale = libm::sqrt(2.0 / f64::from(n));
    let [w, x, y, z] = q.map(|v| (f64::from(v) * scale) as f32);
    let one = |a: f32, b: f32| 1.0 - f64::from(a * a) - f64::from(b * b);
    let sum = |a: f32, b: f32, c: f32, d: f32| f64::from(a * b + c * d);
    let less = |a: f32, b: f32, c: f32, d: f32| f64::from(a * b - c * d);
    DVec3::new(
        one(y, z) * v.x + less(x, y, z, w) * v.y + sum(x, z, y, w) * v.z,
        sum(x, y, z, w) * v.x + one(x, z) * v.y + less(y, z, x, w) * v.z,
        less(x, z, y, w) * v.x + sum(y, z, x, w) * v.y + one(x, y) * v.z,
    )
}

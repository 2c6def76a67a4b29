//! Mugs in LIBERO's sizes.

use super::super::mug::MugShape as Mug;
use super::CategoryModel;
use crate::{AssetInfo, Mjcf};

pub(super) const PORCELAIN_MUG: Mug = Mug {
    id: "libero_porcelain_mug",
    radius: 0.0484,
    foot: 0.72,
    height: 0.1146,
    length: 0.1307,
    mass: 0.1216,
    rgb: [0.95, 0.95, 0.94],
    handle: [0.95, 0.95, 0.94],
    dip: None,
};

pub(super) const RED_COFFEE_MUG: Mug = Mug {
    id: "libero_red_coffee_mug",
    radius: 0.0466,
    foot: 0.86,
    height: 0.1367,
    length: 0.1263,
    mass: 0.125,
    rgb: [0.74, 0.16, 0.15],
    handle: [0.74, 0.16, 0.15],
    dip: None,
};

pub(super) const WHITE_YELLOW_MUG: Mug = Mug {
    id: "libero_white_yellow_mug",
    radius: 0.0530,
    foot: 0.80,
    height: 0.1049,
    length: 0.1404,
    mass: 0.1219,
    rgb: [0.95, 0.94, 0.91],
    handle: [0.93, 0.74, 0.24],
    dip: Some([0.93, 0.74, 0.24]),
};

impl CategoryModel for Mug {
    fn info(&self) -> AssetInfo {
        Mug::info(self)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        Mug::build(self, name, out);
    }
}

//! LIBERO's six work places. The world's origin lies in the middle of the table top (or on the
//! floor): a point of LIBERO's world is ours moved by [`Room::offset`], and the ranges of its
//! regions, which count from there, need no change.

use serde::{Deserialize, Serialize};

use super::super::arena::{
    TABLE_X, Table, WARM, Walls, floor_solid, oak_top, surroundings, teak_top,
};
use super::super::common::slab;
use super::wood;
use crate::{Geom, Mjcf, Shape, Surface};

/// Which of LIBERO's work places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// A kitchen table, 1.0 × 1.2 m.
    Kitchen,
    /// A plain table of the same size in a grey room.
    Tabletop,
    /// A low table in a living room, 0.7 × 1.6 m.
    LivingRoom,
    /// A desk, 1.0 × 1.2 m.
    Study,
    /// A coffee table, 0.7 × 1.6 m.
    Coffee,
    /// The floor.
    Floor,
}

impl Room {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Kitchen, Self::Tabletop, Self::LivingRoom, Self::Study, Self::Coffee, Self::Floor];

    /// Where our origin is in LIBERO's world.
    pub const fn offset(self) -> [f64; 3] {
        match self {
            Self::Kitchen | Self::Tabletop => [0.0, 0.0, 0.90],
            Self::LivingRoom | Self::Coffee => [0.0, 0.0, 0.41],
            Self::Study => [-0.2, 0.0, 0.867],
            Self::Floor => [0.0; 3],
        }
    }

    /// Full size of the table top.
    pub const fn table(self) -> Option<[f64; 3]> {
        match self {
            Self::Kitchen | Self::Tabletop | Self::Study => Some([1.0, 1.2, 0.05]),
            Self::LivingRoom | Self::Coffee => Some([0.70, 1.6, 0.024]),
            Self::Floor => None,
        }
    }

    /// Where the robot's base stands, in our world. LIBERO's mounted Panda stands on a column that
    /// carries it 12 mm above a 0.90 m table, the other one on the table's level.
    pub fn base(self) -> [f64; 3] {
        let [ox, _, oz] = self.offset();
        let (x, z) = match self {
            Self::Kitchen | Self::Tabletop => (-0.66, 0.912),
            Self::Study => (-0.75, 0.912),
            Self::LivingRoom => (-0.51, 0.42),
            Self::Coffee => (-0.51, 0.41),
            Self::Floor => (-0.6, 0.0),
        };
        [x - ox, 0.0, z - oz]
    }

    /// Position and w-x-y-z rotation of `agentview`, in our world.
    pub fn agentview(self) -> ([f64; 3], [f64; 4]) {
        let tilted = [0.6182, 0.3432, 0.3432, 0.6182];
        let steep = [0.6380, 0.3048, 0.3048, 0.6380];
        let (at, rot) = match self {
            Self::Kitchen | Self::Tabletop => ([0.6586, 0.0, 1.6104], steep),
            Self::Study => ([0.4586, 0.0, 1.6104], steep),
            Self::LivingRoom => ([0.6066, 0.0, 0.96], tilted),
            Self::Floor => ([0.8966, 0.0, 0.65], tilted),
            Self::Coffee => ([1.5, 0.0, 0.9], [0.56, 0.43, 0.43, 0.56]),
        };
        let off = self.offset();
        ([at[0] - off[0], at[1] - off[1], at[2] - off[2]], rot)
    }

    /// Adds table, column for the robot, floor and walls.
    pub(crate) fn build(self, out: &mut Mjcf) {
        let floor = -self.offset()[2];
        if let Some([x, y, thickness]) = self.table() {
            let (top, legs) = match self {
                Self::Kitchen => (oak_top(out), [0.47, 0.35, 0.25]),
                Self::Tabletop => (
                    wood("libero_maple", [0.89, 0.81, 0.70], [0.83, 0.73, 0.60], out),
                    [0.55, 0.56, 0.57],
                ),
                Self::Study => (
                    wood("libero_birch", [0.87, 0.77, 0.61], [0.80, 0.68, 0.50], out),
                    [0.30, 0.31, 0.33],
                ),
                _ => (teak_top(out), [0.40, 0.28, 0.18]),
            };
            let half = [x / 2.0, y / 2.0];
            let table = Table { x: 0.0, half, thickness, floor, legs };
            table.solid(out);
            table.show(top, out);
        }
        let colours = match self {
            Self::Kitchen => WARM,
            Self::Tabletop => Walls {
                floor: [0.70, 0.70, 0.70],
                wall: [0.87, 0.87, 0.86],
                side: [0.77, 0.77, 0.77],
            },
            Self::Study => Walls {
                floor: [0.46, 0.47, 0.50],
                wall: [0.84, 0.89, 0.92],
                side: [0.74, 0.78, 0.81],
            },
            Self::LivingRoom | Self::Coffee => Walls {
                floor: [0.60, 0.55, 0.50],
                wall: [0.93, 0.91, 0.86],
                side: [0.80, 0.77, 0.72],
            },
            Self::Floor => Walls {
                floor: [0.66, 0.61, 0.55],
                wall: [0.93, 0.91, 0.86],
                side: [0.80, 0.77, 0.72],
            },
        };
        floor_solid(-TABLE_X, floor, out);
        surroundings(-TABLE_X, floor, &colours, out);
        if floor < 0.0 {
            // The column the robot stands on, up to the table's level.
            let [x, ..] = self.base();
            let half = [0.13, 0.13, -floor / 2.0];
            let at = [x - 0.04, 0.0, floor / 2.0];
            // It ends where the table begins.
            let edge = self.table().map_or(0.0, |t| -t[0] / 2.0);
            let front = (at[0] + half[0]).min(edge - 0.002);
            let (cx, hx) = ((front + at[0] - half[0]) / 2.0, (front - at[0] + half[0]) / 2.0);
            let half = [hx, half[1], half[2]];
            out.geom(Geom::solid(Shape::Box(half)).pos(cx, 0.0, at[2]));
            let shape = out.mesh("libero_column", || slab([0.0; 3], half, 0.008));
            let grey = Surface::rgb([0.36, 0.37, 0.39]);
            out.geom(Geom::visual(shape, grey).pos(cx, 0.0, at[2]));
        }
    }
}

//! The floor of an arena, seen from above: where a base can drive.

use super::Arena;
use crate::objects::{arena, studio};

/// A rectangle of the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorRect {
    /// The corner of least x and y.
    pub low: [f64; 2],
    /// The corner of greatest x and y.
    pub high: [f64; 2],
}

impl FloorRect {
    fn about(x: f64, half: [f64; 2]) -> Self {
        Self { low: [x - half[0], -half[1]], high: [x + half[0], half[1]] }
    }
}

/// The floor between the walls, and the furniture that stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// The floor between the walls.
    pub floor: FloorRect,
    /// Tables.
    pub furniture: Vec<FloorRect>,
}

impl Arena {
    /// Return where a base can drive.
    pub fn ground(self) -> Ground {
        match self {
            Self::Table => Ground {
                floor: arena::floor_between_walls(0.0),
                furniture: vec![FloorRect::about(arena::TABLE_X, arena::TABLE_HALF)],
            },
            Self::Studio => Ground {
                floor: studio::FLOOR,
                furniture: vec![FloorRect::about(0.0, studio::TABLE_HALF)],
            },
            Self::Libero(room) => {
                let table = |[x, y, _]: [f64; 3]| FloorRect::about(0.0, [x / 2.0, y / 2.0]);
                Ground {
                    floor: arena::floor_between_walls(-arena::TABLE_X),
                    furniture: room.table().map(table).into_iter().collect(),
                }
            }
        }
    }
}

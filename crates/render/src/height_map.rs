//! Maps seen straight from above, as pick-and-place policies use them.

use crate::math::{Aabb, Vec3};
use crate::point_cloud::Point;

/// What part of the world a [`HeightMap`] covers: x grows down the rows, y along the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The box; heights are measured from its floor.
    pub bounds: Aabb,
    /// Metres per cell.
    pub cell: f32,
}

impl Grid {
    /// Rows and columns.
    pub fn size(&self) -> (usize, usize) {
        // Rounded, as 0.5 / 0.003125 must be 160 in spite of binary fractions.
        let n = |k: usize| libm::roundf((self.bounds.max[k] - self.bounds.min[k]) / self.cell);
        (n(0) as usize, n(1) as usize)
    }

    /// Row and column of a point, if it is inside.
    pub fn cell_of(&self, p: Vec3) -> Option<(usize, usize)> {
        let (rows, columns) = self.size();
        if !self.bounds.contains(p) {
            return None;
        }
        let i = ((p[0] - self.bounds.min[0]) / self.cell) as usize;
        let j = ((p[1] - self.bounds.min[1]) / self.cell) as usize;
        (i < rows && j < columns).then_some((i, j))
    }

    /// World point at the centre of a cell, `height` above the floor of the box.
    pub fn point(&self, row: usize, column: usize, height: f32) -> Vec3 {
        let b = self.bounds.min;
        [
            b[0] + (row as f32 + 0.5) * self.cell,
            b[1] + (column as f32 + 0.5) * self.cell,
            b[2] + height,
        ]
    }
}

/// Highest point and its colour per cell of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeightMap {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Metres above the floor of the box, row by row; 0 where nothing was seen.
    pub heights: Vec<f32>,
    /// Rows × columns × 3; black where nothing was seen.
    pub rgb: Vec<u8>,
}

/// Looks down on fused point clouds with parallel rays.
pub fn height_map(points: &[Point], grid: &Grid) -> HeightMap {
    let (rows, columns) = grid.size();
    let mut heights = vec![-1.0f32; rows * columns];
    let mut rgb = vec![0; rows * columns * 3];
    for p in points {
        if let Some((i, j)) = grid.cell_of(p.position) {
            let at = i * columns + j;
            let h = p.position[2] - grid.bounds.min[2];
            if h > heights[at] {
                heights[at] = h;
                rgb[3 * at..3 * at + 3].copy_from_slice(&p.rgb);
            }
        }
    }
    for h in &mut heights {
        *h = h.max(0.0);
    }
    HeightMap { rows, columns, heights, rgb }
}

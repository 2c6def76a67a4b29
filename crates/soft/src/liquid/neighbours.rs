//! Particles near each other.

use longarm_types::DVec3;

use crate::cells::Cells;

/// Two particles near each other and the slope of their weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) i: u32,
    pub(super) j: u32,
    pub(super) slope: DVec3,
}

/// List pairs of particles that are sorted by cell.
pub(super) fn list(cells: &Cells, at: &[DVec3], reach: f64, pairs: &mut Vec<Pair>) {
    pairs.clear();
    cells.pairs(|i, j| {
        if (at[i] - at[j]).length_squared() < reach * reach {
            pairs.push(Pair { i: i as u32, j: j as u32, slope: DVec3::ZERO });
        }
    });
}

//! Particles near each other.

use glam::Vec4;

use crate::cells::Cells;

/// List pairs of particles that are sorted by cell.
pub(super) fn list(cells: &Cells, at: &[Vec4], reach: f32, pairs: &mut Vec<[u32; 2]>) {
    let square = reach * reach;
    let mut count = 0;
    pairs.resize(pairs.capacity(), [0; 2]);
    cells.pairs(|i, j| {
        if count == pairs.len() {
            pairs.resize(2 * count + 64, [0; 2]);
        }
        // Written in any case, and kept by counting it: two of three are not near, and a processor that
        // guesses which loses more than it saves.
        pairs[count] = [i as u32, j as u32];
        count += usize::from((at[i] - at[j]).length_squared() < square);
    });
    pairs.truncate(count);
}

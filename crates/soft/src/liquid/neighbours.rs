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
    let [nx, ny, nz] = cells.count;
    pairs.clear();
    let reach = reach * reach;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let own = cells.row(x..x + 1, y, z);
                let wide = x.saturating_sub(1)..x + 2;
                let above = y.wrapping_sub(1);
                // The rest of this row, then rows that come later.
                let rows = [
                    own.end..cells.row(x..x + 2, y, z).end,
                    cells.row(wide.clone(), y + 1, z),
                    cells.row(wide.clone(), above, z + 1),
                    cells.row(wide.clone(), y, z + 1),
                    cells.row(wide.clone(), y + 1, z + 1),
                ];
                for i in own.clone() {
                    let p = at[i];
                    for j in (i + 1..own.end).chain(rows.iter().flat_map(Clone::clone)) {
                        if (p - at[j]).length_squared() < reach {
                            let (i, j) = (i as u32, j as u32);
                            pairs.push(Pair { i, j, slope: DVec3::ZERO });
                        }
                    }
                }
            }
        }
    }
}

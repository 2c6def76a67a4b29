//! Points sorted into the cells of a grid.

use std::ops::Range;

use longarm_types::DVec3;

/// Points by cell, in rows along x.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    count: [usize; 3],
    lower: DVec3,
    /// Cell of each point; where each cell begins in `members`.
    of: Vec<u32>,
    begin: Vec<u32>,
    /// Points in the order of their cells; those of a cell keep their own.
    pub(crate) members: Vec<u32>,
}

/// Cells at most: what is flung far makes them wider, not more.
const MOST: usize = 1 << 15;

impl Cells {
    pub(crate) fn new(points: usize) -> Self {
        let (of, members) = (vec![0; points], vec![0; points]);
        Self { count: [1; 3], lower: DVec3::ZERO, of, begin: vec![0; MOST + 2], members }
    }

    /// Sorts points into cells at least `size` wide.
    pub(crate) fn fill(&mut self, mut size: f64, at: impl Fn(usize) -> DVec3) {
        let far = DVec3::splat(f64::INFINITY);
        let all = 0..self.of.len();
        let (lower, upper) =
            all.clone().map(&at).fold((far, -far), |(l, u), p| (l.min(p), u.max(p)));
        self.lower = lower;
        loop {
            self.count = ((upper - lower) / size).to_array().map(|s| s as usize + 1);
            let [x, y, z] = self.count;
            if x.saturating_mul(y).saturating_mul(z) <= MOST {
                break;
            }
            size *= 1.25;
        }
        let cells = self.count[0] * self.count[1] * self.count[2];
        self.begin[..=cells + 1].fill(0);
        for i in all.clone() {
            let c = (at(i) - lower) / size;
            let [x, y, z]: [usize; 3] =
                std::array::from_fn(|k| (c[k] as usize).min(self.count[k] - 1));
            let cell = (z * self.count[1] + y) * self.count[0] + x;
            self.of[i] = cell as u32;
            self.begin[cell + 2] += 1;
        }
        for c in 2..=cells + 1 {
            self.begin[c] += self.begin[c - 1];
        }
        for i in all {
            let next = &mut self.begin[self.of[i] as usize + 1];
            self.members[*next as usize] = i as u32;
            *next += 1;
        }
    }

    /// Return the lowest corner of the box around all points.
    pub(crate) fn corner(&self) -> DVec3 {
        self.lower
    }

    /// Calls once for every two points in the same cell or in cells side by side, by their places in
    /// `members`; all calls with the same first point follow each other.
    #[inline]
    pub(crate) fn pairs(&self, mut f: impl FnMut(usize, usize)) {
        let [nx, ny, nz] = self.count;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let own = self.row(x..x + 1, y, z);
                    let wide = || x.saturating_sub(1)..x + 2;
                    let before = y.wrapping_sub(1);
                    // The rest of this row, then rows that come later.
                    let mut rows = [
                        0..self.row(x..x + 2, y, z).end,
                        self.row(wide(), y + 1, z),
                        self.row(wide(), before, z + 1),
                        self.row(wide(), y, z + 1),
                        self.row(wide(), y + 1, z + 1),
                    ];
                    for i in own {
                        rows[0].start = i + 1;
                        for row in &rows {
                            for j in row.clone() {
                                f(i, j);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Where the members of a cell and of its neighbours along x stand; empty outside of the grid.
    fn row(&self, x: Range<usize>, y: usize, z: usize) -> Range<usize> {
        let [nx, ny, nz] = self.count;
        if y >= ny || z >= nz {
            return 0..0;
        }
        let row = (z * ny + y) * nx;
        self.begin[row + x.start] as usize..self.begin[row + x.end.min(nx)] as usize
    }
}

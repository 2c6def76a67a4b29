//! A grid of blocks of nodes, only where there are points.

use std::ops::AddAssign;

use longarm_types::DVec3;

/// Nodes along an edge of a block.
pub(crate) const EDGE: usize = 4;

/// Nodes of a block.
pub(crate) const NODES: usize = EDGE * EDGE * EDGE;

/// Nodes along an edge of what the points of a block reach.
pub(crate) const SPAN: usize = EDGE + 2;

/// What is known at the nodes that the points of one block reach.
pub(crate) type Tile<T> = [T; SPAN * SPAN * SPAN];

/// A block of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Its lowest node.
    pub(crate) corner: [i32; 3],
    /// The blocks from here to one further along each axis, x fastest; only where points are, or after
    /// [`Grid::link`].
    pub(crate) around: [u32; 8],
    /// Where its points begin and end in the list of points.
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

/// Blocks found by where they are.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) cell: f64,
    /// Cells in a metre.
    cells: f64,
    pub(crate) blocks: Vec<Block>,
    /// Open addressing: number of the block + 1.
    table: Vec<u32>,
    /// Block of each point.
    of: Vec<u32>,
    /// Points in the order of their blocks.
    pub(crate) order: Vec<u32>,
}

const NONE: u32 = 0;

/// The integer below, without a call.
#[inline]
fn floor(c: f64) -> i32 {
    let near = c as i32;
    near - i32::from(c < f64::from(near))
}

fn spread(corner: [i32; 3]) -> usize {
    let [x, y, z] = corner.map(|c| (c >> 2) as u32);
    let mixed = x.wrapping_mul(0x9E37_79B1)
        ^ y.wrapping_mul(0x85EB_CA77).rotate_left(11)
        ^ z.wrapping_mul(0xC2B2_AE3D).rotate_left(21);
    (mixed ^ (mixed >> 15)) as usize
}

impl Grid {
    pub(crate) fn new(cell: f64, points: usize) -> Self {
        // Flowing matter has some twenty points a block and each block touches others.
        let blocks = points / 8 + 64;
        Self {
            cell,
            cells: 1.0 / cell,
            blocks: Vec::with_capacity(blocks),
            table: vec![NONE; (4 * blocks).next_power_of_two()],
            of: vec![0; points],
            order: vec![0; points],
        }
    }

    /// The lowest of the 27 nodes that a point reaches, and how far the point lies above it, in cells.
    #[inline]
    pub(crate) fn reach(&self, p: DVec3) -> ([i32; 3], [f32; 3]) {
        let at = p * self.cells;
        let low = at.to_array().map(|c| floor(c - 0.5));
        (low, std::array::from_fn(|k| (at[k] - f64::from(low[k])) as f32))
    }

    /// Sort points into blocks and clear all nodes they reach.
    pub(crate) fn fill(&mut self, points: &[DVec3]) {
        for block in &self.blocks {
            let mut at = spread(block.corner) & (self.table.len() - 1);
            while self.table[at] != NONE {
                self.table[at] = NONE;
                at = (at + 1) & (self.table.len() - 1);
            }
        }
        self.blocks.clear();
        let (mut last, mut slot) = ([i32::MIN; 3], 0);
        for (i, p) in points.iter().enumerate() {
            let corner = self.reach(*p).0.map(|c| c & !(EDGE as i32 - 1));
            if corner != last {
                (last, slot) = (corner, self.find(corner));
            }
            self.of[i] = slot;
            self.blocks[slot as usize].end += 1;
        }
        let mut sum = 0;
        for block in &mut self.blocks {
            block.begin = sum;
            sum += block.end;
            block.end = block.begin;
        }
        for (i, slot) in self.of.iter().enumerate() {
            let block = &mut self.blocks[*slot as usize];
            self.order[block.end as usize] = i as u32;
            block.end += 1;
        }
        for b in 0..self.blocks.len() {
            let Block { corner, begin, end, .. } = self.blocks[b];
            if begin < end {
                self.blocks[b].around = std::array::from_fn(|k| self.find(next(corner, k)));
            }
        }
    }

    /// Make a list hold one value for every node.
    pub(crate) fn clear<T: Clone>(&self, nodes: &mut Vec<T>, value: T) {
        nodes.clear();
        nodes.resize(self.blocks.len() * NODES, value);
    }

    /// Find the neighbours of blocks without points; where there is none, the number is that of blocks.
    pub(crate) fn link(&mut self) {
        for b in 0..self.blocks.len() {
            let Block { corner, begin, end, .. } = self.blocks[b];
            if begin == end {
                self.blocks[b].around = std::array::from_fn(|k| {
                    self.seek(next(corner, k)).unwrap_or(self.blocks.len() as u32)
                });
            }
        }
    }

    /// The place in the table of the block at a corner, empty if there is none.
    fn slot(&self, corner: [i32; 3]) -> usize {
        let mask = self.table.len() - 1;
        let mut at = spread(corner) & mask;
        while self.table[at] != NONE && self.blocks[self.table[at] as usize - 1].corner != corner {
            at = (at + 1) & mask;
        }
        at
    }

    fn seek(&self, corner: [i32; 3]) -> Option<u32> {
        self.table[self.slot(corner)].checked_sub(1)
    }

    /// Return the block at a corner; it is made if there is none.
    pub(crate) fn find(&mut self, corner: [i32; 3]) -> u32 {
        let at = self.slot(corner);
        if self.table[at] != NONE {
            return self.table[at] - 1;
        }
        let slot = self.blocks.len() as u32;
        self.blocks.push(Block { corner, around: [0; 8], begin: 0, end: 0 });
        self.table[at] = slot + 1;
        if 2 * self.blocks.len() > self.table.len() {
            self.widen();
        }
        slot
    }

    /// Doubles the table: matter is scattered more widely than was thought.
    fn widen(&mut self) {
        self.table = vec![NONE; 2 * self.table.len()];
        let mask = self.table.len() - 1;
        for (slot, block) in self.blocks.iter().enumerate() {
            let mut at = spread(block.corner) & mask;
            while self.table[at] != NONE {
                at = (at + 1) & mask;
            }
            self.table[at] = slot as u32 + 1;
        }
    }

    /// Return where a node is.
    #[inline]
    pub(crate) fn place(&self, block: usize, node: usize) -> DVec3 {
        let [x, y, z] = self.blocks[block].corner.map(f64::from);
        let at = [node / (EDGE * EDGE), node / EDGE % EDGE, node % EDGE].map(|k| k as f64);
        (DVec3::new(x, y, z) + DVec3::from_array(at)) * self.cell
    }
}

/// The corner of a block's k-th neighbour.
fn next(corner: [i32; 3], k: usize) -> [i32; 3] {
    std::array::from_fn(|axis| corner[axis].wrapping_add((EDGE * (k >> axis & 1)) as i32))
}

/// Calls for the parts of a tile in each of its blocks: which block, the node there, the node of the tile,
/// and how many nodes follow in a row.
#[inline]
fn rows(mut f: impl FnMut(usize, usize, usize, usize)) {
    for x in 0..SPAN {
        for y in 0..SPAN {
            let (bx, by) = (x / EDGE, y / EDGE);
            let node = (x % EDGE * EDGE + y % EDGE) * EDGE;
            let tile = (x * SPAN + y) * SPAN;
            let block = bx + 2 * by;
            f(block, node, tile, EDGE);
            f(block + 4, node, tile + EDGE, SPAN - EDGE);
        }
    }
}

/// Add a tile to the nodes of its blocks.
pub(crate) fn scatter<T: Copy + AddAssign>(tile: &Tile<T>, around: &[u32; 8], nodes: &mut [T]) {
    rows(|block, node, from, count| {
        let to = around[block] as usize * NODES + node;
        for (n, t) in nodes[to..to + count].iter_mut().zip(&tile[from..from + count]) {
            *n += *t;
        }
    });
}

/// Copy the nodes of a tile's blocks into it.
pub(crate) fn gather<T: Copy>(tile: &mut Tile<T>, around: &[u32; 8], nodes: &[T]) {
    rows(|block, node, to, count| {
        let from = around[block] as usize * NODES + node;
        tile[to..to + count].copy_from_slice(&nodes[from..from + count]);
    });
}

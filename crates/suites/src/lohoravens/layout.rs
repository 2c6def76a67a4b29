//! Where objects are put so that none touch and all are within reach.

use longarm_assets::RigName;
use longarm_types::{Bounds, Rng};

/// Grid of possible places, metres.
const GRID: f64 = 0.01;
/// Room between objects.
const GAP: f64 = 0.014;
/// Distance from the robot's axis within which it comes down everywhere, and within which it also
/// builds towers.
pub(super) const REACH: f64 = 0.77;
pub(super) const TOWER_REACH: f64 = 0.70;
/// Nearer than this the arm does not fold.
const NEAREST: f64 = 0.27;

/// A point of the table.
pub(super) type Point = [f64; 2];

/// The table, with what already has a place.
pub(super) struct Layout {
    workspace: Bounds,
    /// Middle and half size of everything placed, seen from above.
    taken: Vec<(Point, Point)>,
}

impl Layout {
    pub fn new() -> Self {
        Self { workspace: RigName::UR5E_SUCTION.rig().workspace, taken: Vec::new() }
    }

    pub fn workspace(&self) -> &Bounds {
        &self.workspace
    }

    /// Keeps everything else away from a rectangle.
    pub fn take(&mut self, at: Point, half: Point) {
        self.taken.push((at, half));
    }

    /// A place for an object of this half size, drawn evenly from all that are free and allowed. When
    /// there is none, the one with the most room: that happens in no task of this suite.
    pub fn place(
        &mut self,
        rng: &mut Rng,
        half: Point,
        reach: f64,
        allowed: &dyn Fn(Point) -> bool,
    ) -> Point {
        let w = &self.workspace;
        let cells = |i: usize| ((w.half[i] - half[i]) / GRID).floor().max(0.0) as i32;
        let (nx, ny) = (cells(0), cells(1));
        let mut free = Vec::new();
        let mut best = (f64::MIN, [w.centre[0], w.centre[1]]);
        for i in -nx..=nx {
            for j in -ny..=ny {
                let p = [w.centre[0] + f64::from(i) * GRID, w.centre[1] + f64::from(j) * GRID];
                let away = libm::hypot(p[0], p[1]);
                if away > reach || away < NEAREST || !allowed(p) {
                    continue;
                }
                let room = self.room(p, half);
                if room >= GAP {
                    free.push(p);
                }
                if room > best.0 {
                    best = (room, p);
                }
            }
        }
        let at = rng.pick(&free).copied().unwrap_or(best.1);
        self.take(at, half);
        at
    }

    /// Distance to the nearest other object.
    fn room(&self, p: Point, half: Point) -> f64 {
        let gap = |(q, h): &(Point, Point)| {
            let along = |i: usize| (p[i] - q[i]).abs() - half[i] - h[i];
            along(0).max(along(1))
        };
        self.taken.iter().map(gap).fold(f64::MAX, f64::min)
    }
}

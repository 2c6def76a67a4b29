//! Ways over the floor for a base that moves: free space seen from above, and the shortest way through it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use longarm_assets::robots::Footprint;
use longarm_assets::{FloorRect, Ground};
use longarm_types::{Bounds, DQuat, DVec3, Pose};

use crate::scene::{Solid, SolidKind};

/// Room a base keeps from furniture and walls, metres.
const MARGIN: f64 = 0.04;
/// Side of a square of the grid that ways are searched on, metres.
const SQUARE: f64 = 0.1;
/// Length of the pieces in which a straight way is looked at, metres.
const PIECE: f64 = 0.04;
/// Height of the boxes that stand for what is seen from above.
const TALL: f64 = 1.0;

/// Where a base stands: x, y and heading.
pub(crate) type Stand = [f64; 3];

/// The floor as a base of a certain size meets it.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    bounds: FloorRect,
    furniture: Vec<Solid>,
    /// Half the size of the base, and how far ahead of its origin its middle is.
    half: [f64; 2],
    shift: f64,
    /// It turns on the spot in a circle of this radius.
    radius: f64,
}

impl Floor {
    pub(crate) fn new(ground: &Ground, base: Footprint) -> Self {
        let solid = |r: &FloorRect| {
            let half = [0, 1].map(|i| (r.high[i] - r.low[i]) / 2.0);
            let at = [0, 1].map(|i| f64::midpoint(r.low[i], r.high[i]));
            upright(&Pose::at(at[0], at[1], 0.0), 0.0, half)
        };
        let [x, y] = base.half;
        Self {
            bounds: ground.floor,
            furniture: ground.furniture.iter().map(solid).collect(),
            half: base.half,
            shift: base.shift,
            radius: libm::hypot(x + base.shift.abs(), y),
        }
    }

    /// Whether the base has room to stand so.
    pub(crate) fn stands(&self, at: Stand) -> bool {
        let own = upright(&pose(at), self.shift, self.half);
        let (reach, low, high) = (own.extent(), self.bounds.low, self.bounds.high);
        let inside = |i: usize| {
            own.centre[i] - reach[i] > low[i] + MARGIN / 2.0
                && own.centre[i] + reach[i] < high[i] - MARGIN / 2.0
        };
        inside(0) && inside(1) && self.furniture.iter().all(|f| own.gap(f) > MARGIN)
    }

    /// Whether the base can turn on the spot.
    fn turns(&self, x: f64, y: f64) -> bool {
        let (low, high) = (self.bounds.low, self.bounds.high);
        let room = self.radius + MARGIN / 2.0;
        let inside = |v: f64, i: usize| v - room > low[i] && v + room < high[i];
        let far = |f: &Solid| f.beyond(DVec3::new(x, y, 0.0)) > self.radius + MARGIN;
        inside(x, 0) && inside(y, 1) && self.furniture.iter().all(far)
    }

    /// Whether something holds at every piece of a straight way.
    fn along(from: [f64; 2], to: [f64; 2], holds: impl Fn(f64, f64) -> bool) -> bool {
        let length = libm::hypot(to[0] - from[0], to[1] - from[1]);
        let pieces = (length / PIECE).ceil().max(1.0) as u32;
        (0..=pieces).all(|k| {
            let t = f64::from(k) / f64::from(pieces);
            holds(from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t)
        })
    }

    /// Return the way from one stand to another: straight where there is room, else through where the
    /// base can turn. `None` if there is no way.
    pub(crate) fn route(&self, from: Stand, to: Stand) -> Option<Vec<Stand>> {
        let (start, end) = ([from[0], from[1]], [to[0], to[1]]);
        let keeps = |heading: f64| move |x: f64, y: f64| self.stands([x, y, heading]);
        let turned = (to[2] - from[2]).abs() < 1e-6;
        if turned && Self::along(start, end, keeps(from[2])) {
            return Some(vec![to]);
        }
        let grid = Grid::new(self);
        let out = grid.nearest(start, |p| Self::along(start, p, keeps(from[2])))?;
        let back = grid.nearest(end, |p| Self::along(p, end, keeps(to[2])))?;
        let way = grid.shortest(out, back)?;
        // Corners that can be cut are.
        let mut route = Vec::new();
        let mut at = 0;
        let turns = |x: f64, y: f64| self.turns(x, y);
        route.push([way[0][0], way[0][1], from[2]]);
        while at + 1 < way.len() {
            let sees = |k: &usize| Self::along(way[at], way[*k], turns);
            at = (at + 1..way.len()).rev().find(sees).unwrap_or(at + 1);
            route.push([way[at][0], way[at][1], to[2]]);
        }
        // Turned before it drives up to where it is to stand.
        if route.len() == 1 {
            route.push([way[0][0], way[0][1], to[2]]);
        }
        route.push(to);
        Some(route)
    }
}

/// The places of a grid at which a base can turn.
struct Grid {
    low: [f64; 2],
    size: [usize; 2],
    free: Vec<bool>,
}

impl Grid {
    fn new(floor: &Floor) -> Self {
        let low = floor.bounds.low;
        let cells = |i: usize| ((floor.bounds.high[i] - low[i]) / SQUARE) as usize + 1;
        let size = [cells(0), cells(1)];
        let mut grid = Self { low, size, free: Vec::new() };
        grid.free = (0..size[0] * size[1])
            .map(|k| {
                let [x, y] = grid.place(k);
                floor.turns(x, y)
            })
            .collect();
        grid
    }

    fn place(&self, k: usize) -> [f64; 2] {
        [
            self.low[0] + SQUARE * (k % self.size[0]) as f64,
            self.low[1] + SQUARE * (k / self.size[0]) as f64,
        ]
    }

    /// Return the place nearest to a point among those that will do.
    fn nearest(&self, to: [f64; 2], suits: impl Fn([f64; 2]) -> bool) -> Option<usize> {
        let far = |k: usize| {
            let [x, y] = self.place(k);
            libm::hypot(x - to[0], y - to[1])
        };
        let mut near: Vec<(f64, usize)> =
            (0..self.free.len()).filter(|k| self.free[*k]).map(|k| (far(k), k)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.into_iter().map(|(_, k)| k).find(|k| suits(self.place(*k)))
    }

    /// Return the places of the shortest way.
    fn shortest(&self, from: usize, to: usize) -> Option<Vec<[f64; 2]>> {
        /// Lengths of a step to the side and of one across, in whole numbers: no order of equals hangs on
        /// rounding.
        const SIDE: u32 = 10;
        const ACROSS: u32 = 14;
        let mut cost = vec![u32::MAX; self.free.len()];
        let mut before = vec![usize::MAX; self.free.len()];
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        cost[from] = 0;
        while let Some(Reverse((so_far, k))) = open.pop() {
            if k == to {
                break;
            }
            if so_far > cost[k] {
                continue;
            }
            for (n, step) in self.beside(k, SIDE, ACROSS) {
                if self.free[n] && so_far + step < cost[n] {
                    (cost[n], before[n]) = (so_far + step, k);
                    open.push(Reverse((cost[n], n)));
                }
            }
        }
        if cost[to] == u32::MAX {
            return None;
        }
        let mut way = vec![to];
        while let Some(&k) = way.last().filter(|k| **k != from) {
            way.push(before[k]);
        }
        way.reverse();
        Some(way.into_iter().map(|k| self.place(k)).collect())
    }

    fn beside(&self, k: usize, side: u32, across: u32) -> impl Iterator<Item = (usize, u32)> {
        let [nx, ny] = self.size.map(|n| n as i64);
        let (x, y) = ((k % self.size[0]) as i64, (k / self.size[0]) as i64);
        let steps = (-1i64..=1).flat_map(|dx| (-1i64..=1).map(move |dy| (dx, dy)));
        steps.filter(|s| *s != (0, 0)).filter_map(move |(dx, dy)| {
            let (i, j) = (x + dx, y + dy);
            let inside = (0..nx).contains(&i) && (0..ny).contains(&j);
            let step = if dx == 0 || dy == 0 { side } else { across };
            inside.then_some(((i + j * nx) as usize, step))
        })
    }
}

/// The pose of a stand, on the floor.
fn pose([x, y, heading]: Stand) -> Pose {
    Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(heading))
}

/// A tall box: seen from above, a rectangle.
fn upright(at: &Pose, shift: f64, [x, y]: [f64; 2]) -> Solid {
    let bounds = Bounds { centre: [shift, 0.0, 0.0], half: [x, y, TALL] };
    Solid::new(0, SolidKind::Fixed, at, &bounds)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use longarm_assets::Arena;

    use super::*;

    fn floor() -> Floor {
        Floor::new(&Arena::Studio.ground(), Footprint { half: [0.24, 0.27], shift: 0.0 })
    }

    #[test]
    fn a_base_stands_beside_furniture_and_not_in_it() {
        let floor = floor();
        let edge = Arena::Studio.ground().furniture[0].low[0];
        assert!(floor.stands([edge - 0.24 - 0.05, 0.0, 0.0]));
        assert!(!floor.stands([edge - 0.24 + 0.01, 0.0, 0.0]));
        // Turned it is wider.
        assert!(!floor.stands([edge - 0.24 - 0.05, 0.0, FRAC_PI_2 / 2.0]));
        assert!(!floor.stands([floor.bounds.low[0], 0.0, 0.0]), "in the wall");
    }

    #[test]
    fn ways_lead_round_furniture() {
        let floor = floor();
        let (left, right) = ([0.1, 1.06, -FRAC_PI_2], [0.1, -1.06, FRAC_PI_2]);
        let route = floor.route(left, right).unwrap();
        assert_eq!(route.last(), Some(&right));
        let mut at = left;
        for to in route {
            let turned = (to[2] - at[2]).abs() > 1e-9;
            let free = |x: f64, y: f64| {
                let room = if turned { floor.turns(x, y) } else { floor.stands([x, y, to[2]]) };
                room || floor.stands([x, y, at[2]]) && [x, y] == [at[0], at[1]]
            };
            assert!(Floor::along([at[0], at[1]], [to[0], to[1]], free), "{at:?} to {to:?}");
            at = to;
        }
    }

    #[test]
    fn a_way_that_is_free_is_straight() {
        let (from, to) = ([-1.1, 0.0, 0.0], [-0.95, 0.2, 0.0]);
        assert_eq!(floor().route(from, to), Some(vec![to]));
    }

    #[test]
    fn there_is_no_way_into_a_table() {
        assert_eq!(floor().route([-1.1, 0.0, 0.0], [0.0, 0.0, 0.0]), None);
    }
}

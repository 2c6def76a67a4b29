//! Solids as the grid and its points meet them.

use longarm_types::DVec3;

use super::Mpm;
use crate::grid::{EDGE, NODES};
use crate::solid::Frame;
use crate::{Shape, Solid};

/// Spacings that points stay away from solids at least.
const LEAST: f64 = 0.2;

/// Cells beside a block within which what its nodes hold lies, and within which its points stay in a step.
const NODES_REACH: f64 = 2.0;
pub(super) const POINTS_REACH: f64 = 5.0;
/// Cells around all points within which nothing else matters: more than either.
const ALL_AROUND: f64 = 8.0;

/// Cells within which a surface counts as reached.
const REACHED: f64 = 0.02;

/// Where a solid is at either end of a step, and the box around it on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Its number among all.
    solid: usize,
    old: Frame,
    new: Frame,
    lower: DVec3,
    upper: DVec3,
}

impl Placed {
    /// The velocity of the solid's point that arrives here.
    #[inline]
    fn velocity(&self, at: DVec3, h: f64) -> DVec3 {
        (at - self.old.point(self.new.local(at))) / h
    }

    #[inline]
    fn holds(&self, p: DVec3, margin: f64) -> bool {
        let margin = DVec3::splat(margin);
        (p + margin).cmpge(self.lower).all() && (p - margin).cmple(self.upper).all()
    }
}

impl Mpm {
    /// Finds where the solids are in a part of the step that matter may meet.
    pub(super) fn place(&mut self, [from, to]: [f64; 2], solids: &[Solid]) {
        let far = DVec3::splat(ALL_AROUND * self.grid.cell);
        let least = self.now.iter().fold(DVec3::INFINITY, |m, p| m.min(*p)) - far;
        let most = self.now.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p)) + far;
        self.placed.clear();
        for (number, solid) in solids.iter().enumerate() {
            let (old, new) = (solid.at(from), solid.at(to));
            let (a, b) = old.bounds(solid.shape.bounds());
            let (c, d) = new.bounds(solid.shape.bounds());
            let (lower, upper) = (a.min(c), b.max(d));
            if lower.cmple(most).all() && upper.cmpge(least).all() {
                self.placed.push(Placed { solid: number, old, new, lower, upper });
            }
        }
    }

    /// Marks the blocks that solids are near to.
    pub(super) fn find_near(&mut self) {
        self.near.clear();
        for b in 0..self.grid.blocks.len() {
            self.touch(b, NODES_REACH);
            self.near.push(!self.touching.is_empty());
        }
    }

    /// Lists the solids within some cells of a block's nodes.
    pub(super) fn touch(&mut self, block: usize, cells: f64) {
        let cell = self.grid.cell;
        let half = (EDGE - 1) as f64 / 2.0 * cell;
        let middle = self.grid.place(block, 0) + DVec3::splat(half);
        self.touching.clear();
        for (s, placed) in self.placed.iter().enumerate() {
            if placed.holds(middle, half + cells * cell) {
                self.touching.push(s as u32);
            }
        }
    }

    /// Turns momentum into velocity, and lets nodes move only as solids allow.
    pub(super) fn meet(&mut self, h: f64, solids: &mut [Solid]) {
        let fall = (self.spec.gravity * h).as_vec3().extend(0.0);
        for b in 0..self.grid.blocks.len() {
            let near = self.near[b];
            if near {
                self.touch(b, NODES_REACH);
            }
            for k in 0..NODES {
                let node = b * NODES + k;
                let mass = self.nodes[node].w;
                if mass <= 0.0 {
                    continue;
                }
                let velocity = (self.nodes[node] / mass + fall).with_w(mass);
                self.nodes[node] = velocity;
                if near {
                    let at = self.grid.place(b, k);
                    let way = self.middles[node].truncate().as_dvec3() / f64::from(mass);
                    let v = velocity.truncate().as_dvec3();
                    let v = self.allow(at, way, v, [f64::from(mass), h], solids);
                    self.nodes[node] = v.as_vec3().extend(mass);
                }
            }
        }
    }

    /// The velocity that solids allow a node at a place, which holds what is `way` from it.
    fn allow(
        &self,
        at: DVec3,
        way: DVec3,
        mut velocity: DVec3,
        [mass, h]: [f64; 2],
        solids: &mut [Solid],
    ) -> DVec3 {
        for s in &self.touching {
            let placed = &self.placed[*s as usize];
            let solid = &mut solids[placed.solid];
            let (from, to) = (placed.new.local(at + way), placed.new.local(at));
            let Some(normal) = across(&solid.shape, from, to, REACHED * self.grid.cell) else {
                continue;
            };
            let normal = placed.new.rot * normal;
            let with = placed.velocity(at, h);
            let Some(change) = slide(velocity - with, normal, solid.friction) else {
                continue;
            };
            velocity += change;
            solid.feel(at, change * (-mass / h));
        }
        velocity
    }

    /// Where a point may go, and how fast it is after: none of the solids listed last is entered.
    pub(super) fn keep_out(
        &mut self,
        i: usize,
        mut to: DVec3,
        h: f64,
        solids: &mut [Solid],
    ) -> DVec3 {
        let least = LEAST * self.spec.spacing;
        let force = self.point_mass() / h;
        for s in &self.touching {
            let placed = &self.placed[*s as usize];
            let solid = &mut solids[placed.solid];
            if !placed.holds(to, self.grid.cell) {
                continue;
            }
            let mut local = placed.new.local(to);
            let start = placed.old.local(self.now[i]);
            let way = (local - start).length();
            let (distance, _) = solid.shape.distance(local);
            if distance > least + way {
                continue;
            }
            if let Some(stop) = solid.shape.stop(start, local, least) {
                local = stop;
            }
            let (distance, away) = solid.shape.distance(local);
            if distance >= least + 1e-12 {
                continue;
            }
            to = placed.new.point(local + away * (least - distance));
            let point = &mut self.points[i];
            let velocity = point.velocity.truncate().as_dvec3();
            let with = placed.velocity(to, h);
            if let Some(change) = slide(velocity - with, placed.new.rot * away, solid.friction) {
                point.velocity = (velocity + change).as_vec3().extend(0.0);
                solid.feel(to, change * -force);
            }
        }
        to
    }
}

/// The change of a velocity relative to a solid that stops it from entering; friction is Coulomb's.
#[inline]
fn slide(velocity: DVec3, normal: DVec3, friction: f64) -> Option<DVec3> {
    let into = velocity.dot(normal);
    if into >= 0.0 {
        return None;
    }
    let along = velocity - normal * into;
    let speed = along.length();
    let slower = (friction * -into).min(speed);
    let drag = if speed > 0.0 { along * (slower / speed) } else { DVec3::ZERO };
    Some(normal * -into - drag)
}

/// The direction away from the surface that is crossed between two places, if one is.
#[inline]
fn across(shape: &Shape, from: DVec3, to: DVec3, reached: f64) -> Option<DVec3> {
    let way = to - from;
    let length = way.length();
    let mut along = 0.0;
    while along < length {
        let at = from + way * (along / length);
        let (distance, away) = shape.distance(at);
        if distance < reached && way.dot(away) < 0.0 {
            return Some(away);
        }
        along += distance.abs().max(reached);
    }
    None
}

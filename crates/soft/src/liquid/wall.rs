//! Walls as particles meet them.

use longarm_types::DVec3;

use super::{CLING, DROP, FASTEST, Liquid};
use crate::Solid;
use crate::solid::Frame;

/// A wall near a particle, taken as a plane for the length of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub(super) placed: u32,
    pub(super) normal: DVec3,
    /// Height of the plane along its normal.
    pub(super) level: f64,
    /// How near the particle may come.
    pub(super) least: f64,
    /// How much of it counts as liquid besides nearer walls.
    pub(super) weight: f64,
    pub(super) slope: DVec3,
}

/// Spacings that particles stay away from walls at least.
const LEAST: f64 = 0.2;

/// Spacings from a wall up to which a drop clings to it.
const TOUCHES: f64 = 0.6;

/// Where a solid is at either end of a step, and the box around what it can touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) solid: u32,
    old: Frame,
    new: Frame,
    lower: DVec3,
    upper: DVec3,
}

impl Liquid {
    /// Finds where solids near the liquid are in a part of the step.
    fn place(&mut self, [from, to]: [f64; 2], solids: &[Solid]) {
        let margin = DVec3::splat(self.kernel.reach + FASTEST * self.spec.spacing);
        let far = DVec3::splat(f64::INFINITY);
        let (lowest, highest) =
            self.now.iter().fold((far, -far), |(l, u), p| (l.min(*p), u.max(*p)));
        self.placed.clear();
        for (s, solid) in solids.iter().enumerate() {
            let (old, new) = (solid.at(from), solid.at(to));
            let (a, b) = old.bounds(solid.shape.bounds());
            let (c, d) = new.bounds(solid.shape.bounds());
            let (lower, upper) = (a.min(c) - margin, b.max(d) + margin);
            if lower.cmple(highest).all() && upper.cmpge(lowest).all() {
                self.placed.push(Placed { old, new, lower, upper, solid: s as u32 });
            }
        }
    }

    /// Finds walls near particles; what would pass through one is stopped at it.
    pub(super) fn meet(&mut self, part: [f64; 2], solids: &mut [Solid], h: f64) {
        self.place(part, solids);
        let reach = self.kernel.reach;
        let least = LEAST * self.spec.spacing;
        let force = self.particle_mass() / (h * h);
        self.walls.clear();
        for i in 0..self.now.len() {
            let first = self.walls.len();
            self.begin[i] = first as u32;
            for (s, placed) in self.placed.iter().enumerate() {
                let Placed { old, new, lower, upper, .. } = placed;
                let mut p = self.now[i];
                if p.cmplt(*lower).any() || p.cmpgt(*upper).any() {
                    continue;
                }
                let solid = &mut solids[placed.solid as usize];
                let mut local = new.local(p);
                let (mut distance, mut away) = solid.shape.distance(local);
                // Seen from the solid the particle comes from here.
                let start = old.local(self.before[i]);
                let way = (local - start).length();
                if distance > reach + way {
                    continue;
                }
                if distance < 2.0 * way
                    && let Some(stop) = solid.shape.stop(start, local, least)
                {
                    local = stop;
                    let stopped = new.point(local);
                    solid.feel(stopped, (p - stopped) * force);
                    p = stopped;
                    self.now[i] = p;
                    (distance, away) = solid.shape.distance(local);
                }
                if distance >= reach {
                    continue;
                }
                let normal = new.rot * away;
                let level = normal.dot(p) - distance;
                let slope = DVec3::ZERO;
                self.walls.push(Wall {
                    placed: s as u32,
                    normal,
                    level,
                    least,
                    weight: 1.0,
                    slope,
                });
            }
            part_alike(&mut self.walls[first..], self.now[i]);
        }
        self.begin[self.now.len()] = self.walls.len() as u32;
    }

    /// Lets drops stick to the walls that they touch.
    pub(super) fn cling(&mut self, solids: &mut [Solid], h: f64) {
        let force = self.particle_mass() / h;
        for i in 0..self.now.len() {
            let (first, end) = (self.begin[i] as usize, self.begin[i + 1] as usize);
            if first == end || self.sums[i].w > DROP {
                continue;
            }
            let (wall, p) = (&self.walls[first], self.now[i]);
            if wall.normal.dot(p) - wall.level > TOUCHES * self.spec.spacing {
                continue;
            }
            let Placed { old, new, solid, .. } = &self.placed[wall.placed as usize];
            let way = self.velocity[i] - (p - old.point(new.local(p))) / h;
            let lost = (way - wall.normal * way.dot(wall.normal)) * CLING;
            self.velocity[i] -= lost;
            solids[*solid as usize].feel(p, lost * force);
        }
    }

    /// Puts particles that ended up too near a solid, or in it, outside.
    pub(super) fn keep_out(&mut self, solids: &mut [Solid], h: f64) {
        let least = LEAST * self.spec.spacing;
        let force = self.particle_mass() / (h * h);
        for i in 0..self.now.len() {
            let (from, end) = (self.begin[i] as usize, self.begin[i + 1] as usize);
            for wall in &self.walls[from..end] {
                let p = self.now[i];
                let Placed { new: frame, solid, .. } = &self.placed[wall.placed as usize];
                let s = *solid as usize;
                let (distance, away) = solids[s].shape.distance(frame.local(p));
                if distance < least {
                    let push = frame.rot * away * (least - distance);
                    self.now[i] = p + push;
                    solids[s].feel(p, push * -force);
                }
            }
        }
    }
}

/// Weighs the walls near a place: what lies behind two of the same direction is the same. Weights change
/// gradually with directions, or particles in a corner would be shot out of it.
fn part_alike(walls: &mut [Wall], place: DVec3) {
    let distance = |w: &Wall| w.normal.dot(place) - w.level;
    walls.sort_unstable_by(|a, b| distance(a).total_cmp(&distance(b)));
    for k in 1..walls.len() {
        let (nearer, rest) = walls.split_at_mut(k);
        let normal = rest[0].normal;
        let alike = nearer.iter().map(|w| w.normal.dot(normal)).fold(0.0, f64::max);
        rest[0].weight = 1.0 - alike.min(1.0);
    }
}

//! Walls as particles meet them.

use longarm_types::DVec3;

use super::{FASTEST, Liquid};
use crate::Solid;
use crate::solid::Frame;

/// A wall near a particle, taken as a plane for the length of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub(super) solid: u32,
    pub(super) normal: DVec3,
    /// Height of the plane along its normal.
    pub(super) level: f64,
    /// How near the particle may come.
    pub(super) least: f64,
    pub(super) slope: DVec3,
}

/// Spacings that particles stay away from walls at least.
const LEAST: f64 = 0.2;

/// Walls of about the same direction count once.
const ALIKE: f64 = 0.8;

/// Where a solid is at either end of a step, and the box around what it can touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    old: Frame,
    new: Frame,
    lower: DVec3,
    upper: DVec3,
}

impl Liquid {
    /// Finds where solids are in a part of the step.
    fn place(&mut self, [from, to]: [f64; 2], solids: &[Solid]) {
        let margin = DVec3::splat(self.kernel.reach + FASTEST * self.spec.spacing);
        self.placed.clear();
        for solid in solids {
            let (old, new) = (solid.at(from), solid.at(to));
            let (a, b) = old.bounds(solid.shape.bounds());
            let (c, d) = new.bounds(solid.shape.bounds());
            let (lower, upper) = (a.min(c) - margin, b.max(d) + margin);
            self.placed.push(Placed { old, new, lower, upper });
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
            for (s, solid) in solids.iter_mut().enumerate() {
                let Placed { old, new, lower, upper } = &self.placed[s];
                let mut p = self.now[i];
                if p.cmplt(*lower).any() || p.cmpgt(*upper).any() {
                    continue;
                }
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
                let wall = Wall { solid: s as u32, normal, level, least, slope: DVec3::ZERO };
                match self.walls[first..].iter_mut().find(|w| w.normal.dot(normal) > ALIKE) {
                    Some(other) if other.normal.dot(p) - other.level > distance => *other = wall,
                    Some(_) => {}
                    None => self.walls.push(wall),
                }
            }
        }
        self.begin[self.now.len()] = self.walls.len() as u32;
    }

    /// Puts particles that ended up too near a solid, or in it, outside.
    pub(super) fn keep_out(&mut self, solids: &mut [Solid], h: f64) {
        let least = LEAST * self.spec.spacing;
        let force = self.particle_mass() / (h * h);
        for i in 0..self.now.len() {
            let (from, end) = (self.begin[i] as usize, self.begin[i + 1] as usize);
            for wall in &self.walls[from..end] {
                let (s, p) = (wall.solid as usize, self.now[i]);
                let frame = &self.placed[s].new;
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

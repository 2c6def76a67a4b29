//! Liquid: particles that keep their density.
//!
//! Positions are corrected until no place is denser than the liquid at rest (position based fluids, Macklin
//! and Müller 2013). Walls count as if liquid stood behind them, so that it does not crowd there, and are
//! swept against, so that thin ones do not leak.

mod kernel;
mod neighbours;
mod wall;

use glam::Vec4;
use longarm_types::{DVec3, RunningHash};

use crate::cells::Cells;
use crate::{SoftError, Solid};
use kernel::Kernel;
use wall::{Placed, Wall};

/// What a liquid is.
#[derive(Clone, Debug, PartialEq)]
pub struct LiquidSpec {
    /// Mass per volume, kg/m³.
    pub density: f64,
    /// Distance of particles at rest, metres.
    pub spacing: f64,
    /// Share of the neighbours' velocity that a particle takes over in a step.
    pub viscosity: f64,
    /// Gravity, m/s².
    pub gravity: DVec3,
}

impl Default for LiquidSpec {
    fn default() -> Self {
        let gravity = DVec3::new(0.0, 0.0, -9.81);
        Self { density: 1000.0, spacing: 0.005, viscosity: 0.02, gravity }
    }
}

/// The longest step within which liquid is integrated, seconds.
pub const SUBSTEP: f64 = 1e-3;

/// Sweeps of corrections in a step.
const SWEEPS: usize = 3;

/// Spacings that a particle travels in a step at most.
const FASTEST: f64 = 0.8;

/// Spacings by which a sweep moves a particle at most.
const FARTHEST: f64 = 0.2;

/// Particles with less of the density at rest around them are drops, which cling to walls.
const DROP: f32 = 0.5;

/// Share of its velocity along a wall that a drop loses in a step.
const CLING: f64 = 0.05;

/// Softness of the density's correction, as a share of how it answers at rest.
const RELAXED: f64 = 0.01;

/// A liquid with its state.
#[derive(Clone, Debug)]
pub struct Liquid {
    spec: LiquidSpec,
    kernel: Kernel,
    now: Vec<DVec3>,
    before: Vec<DVec3>,
    velocity: Vec<DVec3>,
    /// What a particle is known by: its colour, where it came from.
    tags: Vec<u32>,
    cells: Cells,
    /// Places in single precision from the corner of the box around all.
    near: Vec<Vec4>,
    pairs: Vec<[u32; 2]>,
    /// The slope of the weight of each pair, and the weight.
    slopes: Vec<Vec4>,
    walls: Vec<Wall>,
    placed: Vec<Placed>,
    /// Where the walls of each particle begin in `walls`.
    begin: Vec<u32>,
    /// Slopes and weights of each particle's neighbours, summed.
    sums: Vec<Vec4>,
    stiff: Vec<f32>,
    pressure: Vec<f32>,
    change: Vec<Vec4>,
    scratch: Vec<DVec3>,
    tag_scratch: Vec<u32>,
}

impl Liquid {
    /// Make a liquid of particles at places, each with a tag.
    pub fn new(spec: LiquidSpec, places: &[(DVec3, u32)]) -> Result<Self, SoftError> {
        let positive = [("density", spec.density), ("spacing", spec.spacing)];
        if let Some(&(name, value)) = positive.iter().find(|(_, v)| !(v.is_finite() && *v > 0.0)) {
            return Err(SoftError::Number { name, value, least: "positive" });
        }
        if !(0.0..=1.0).contains(&spec.viscosity) {
            let (name, value) = ("viscosity", spec.viscosity);
            return Err(SoftError::Number { name, value, least: "between 0 and 1" });
        }
        let count = places.len();
        let now: Vec<DVec3> = places.iter().map(|p| p.0).collect();
        Ok(Self {
            kernel: Kernel::new(spec.spacing),
            before: now.clone(),
            velocity: vec![DVec3::ZERO; count],
            tags: places.iter().map(|p| p.1).collect(),
            cells: Cells::new(count),
            near: vec![Vec4::ZERO; count],
            pairs: Vec::with_capacity(24 * count),
            slopes: Vec::with_capacity(24 * count),
            walls: Vec::with_capacity(4 * count),
            placed: Vec::with_capacity(64),
            begin: vec![0; count + 1],
            sums: vec![Vec4::ZERO; count],
            stiff: vec![0.0; count],
            pressure: vec![0.0; count],
            change: vec![Vec4::ZERO; count],
            scratch: vec![DVec3::ZERO; count],
            tag_scratch: vec![0; count],
            now,
            spec,
        })
    }

    /// Return places that fill a box with liquid at rest.
    pub fn fill(lower: DVec3, upper: DVec3, spacing: f64) -> impl Iterator<Item = DVec3> {
        let size = ((upper - lower) / spacing).to_array().map(|n| libm::round(n) as usize);
        (0..size[0] * size[1] * size[2]).map(move |i| {
            let at = [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])];
            lower + DVec3::from_array(at.map(|k| (k as f64 + 0.5) * spacing))
        })
    }

    /// Return what it is.
    pub fn spec(&self) -> &LiquidSpec {
        &self.spec
    }

    /// Return where its particles are. Their order changes with every step.
    pub fn positions(&self) -> &[DVec3] {
        &self.now
    }

    /// Return how fast its particles are, in the order of their positions.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocity
    }

    /// Return the tags of its particles, in the order of their positions.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// Return the mass of a particle.
    pub fn particle_mass(&self) -> f64 {
        let d = self.spec.spacing;
        self.spec.density * d * d * d
    }

    /// Return its momentum.
    pub fn momentum(&self) -> DVec3 {
        self.velocity.iter().sum::<DVec3>() * self.particle_mass()
    }

    /// Return the speed of its fastest particle.
    pub fn speed(&self) -> f64 {
        self.velocity.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Let a particle travel with a velocity.
    pub fn set_velocity(&mut self, particle: usize, velocity: DVec3) {
        self.velocity[particle] = velocity;
    }

    /// Advance by `dt` seconds among solids, which learn what force they felt.
    pub fn step(&mut self, dt: f64, solids: &mut [Solid]) {
        let count = (libm::ceil(dt / SUBSTEP - 1e-9) as usize).max(1);
        let h = dt / count as f64;
        for solid in solids.iter_mut() {
            (solid.force, solid.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for k in 0..count {
            self.substep(h, [k as f64, (k + 1) as f64].map(|t| t / count as f64), solids);
        }
        for solid in solids.iter_mut() {
            solid.force /= count as f64;
            solid.torque /= count as f64;
        }
    }

    fn substep(&mut self, h: f64, part: [f64; 2], solids: &mut [Solid]) {
        let most = FASTEST * self.spec.spacing;
        for i in 0..self.now.len() {
            let step = self.velocity[i] * h + self.spec.gravity * (h * h);
            let length = step.length();
            self.before[i] = self.now[i];
            self.now[i] += if length > most { step * (most / length) } else { step };
        }
        self.sort();
        self.meet(part, solids, h);
        self.approach();
        neighbours::list(&self.cells, &self.near, self.kernel.reach as f32, &mut self.pairs);
        for sweep in 0..SWEEPS {
            if sweep > 0 {
                self.approach();
            }
            self.weigh();
            self.part(solids, h);
        }
        self.keep_out(solids, h);
        for i in 0..self.now.len() {
            self.velocity[i] = (self.now[i] - self.before[i]) / h;
        }
        self.cling(solids, h);
        self.smooth();
    }

    /// Sorts particles by cell, so that neighbours lie near each other in memory.
    fn sort(&mut self) {
        let now = &self.now;
        self.cells.fill(self.kernel.reach, |i| now[i]);
        let order = &self.cells.members;
        for list in [&mut self.now, &mut self.before] {
            self.scratch.clear();
            self.scratch.extend(order.iter().map(|i| list[*i as usize]));
            std::mem::swap(list, &mut self.scratch);
        }
        self.tag_scratch.clear();
        self.tag_scratch.extend(order.iter().map(|i| self.tags[*i as usize]));
        std::mem::swap(&mut self.tags, &mut self.tag_scratch);
    }

    /// Writes places down in single precision, which is exact enough for distances.
    fn approach(&mut self) {
        let corner = self.cells.corner();
        for (near, now) in self.near.iter_mut().zip(&self.now) {
            *near = (*now - corner).as_vec3().extend(0.0);
        }
    }

    /// Finds how crowded each particle is and which pressure undoes that.
    fn weigh(&mut self) {
        let kernel = &self.kernel;
        self.sums.fill(Vec4::W * kernel.own as f32);
        self.stiff.fill(0.0);
        self.slopes.clear();
        let back = Vec4::new(-1.0, -1.0, -1.0, 1.0);
        for pair in &self.pairs {
            let [i, j] = pair.map(|k| k as usize);
            let (slope, square) = kernel.at(self.near[i] - self.near[j]);
            self.slopes.push(slope);
            self.sums[i] += slope;
            self.sums[j] += slope * back;
            self.stiff[i] += square;
            self.stiff[j] += square;
        }
        for i in 0..self.now.len() {
            let (from, to) = (self.begin[i] as usize, self.begin[i + 1] as usize);
            let mut open = 1.0;
            let mut slope = self.sums[i].truncate().as_dvec3();
            for wall in &mut self.walls[from..to] {
                let away = wall.normal.dot(self.now[i]) - wall.level;
                let (share, steep) = kernel.behind(away);
                wall.slope = wall.normal * (wall.weight * steep);
                open *= 1.0 - wall.weight * share;
                slope += wall.slope;
            }
            let crowd = f64::from(self.sums[i].w) + (1.0 - open) - 1.0;
            let stiff = f64::from(self.stiff[i]) + slope.length_squared();
            let soft = RELAXED * kernel.answer;
            self.pressure[i] = if crowd > 0.0 { (crowd / (stiff + soft)) as f32 } else { 0.0 };
        }
    }

    /// Moves particles apart where they crowd.
    fn part(&mut self, solids: &mut [Solid], h: f64) {
        self.change.fill(Vec4::ZERO);
        for (pair, slope) in self.pairs.iter().zip(&self.slopes) {
            let [i, j] = pair.map(|k| k as usize);
            let change = *slope * (self.pressure[i] + self.pressure[j]);
            self.change[i] -= change;
            self.change[j] += change;
        }
        let most = FARTHEST * self.spec.spacing;
        let force = self.particle_mass() / (h * h);
        for i in 0..self.now.len() {
            let (from, to) = (self.begin[i] as usize, self.begin[i + 1] as usize);
            let mut change = self.change[i].truncate().as_dvec3();
            for wall in &self.walls[from..to] {
                let push = wall.slope * -f64::from(self.pressure[i]);
                change += push;
                solids[self.placed[wall.placed as usize].solid as usize]
                    .feel(self.now[i], push * -force);
            }
            let length = change.length();
            let scale = if length > most { most / length } else { 1.0 };
            self.now[i] += change * scale;
            for wall in &self.walls[from..to] {
                let deep = wall.least + wall.level - wall.normal.dot(self.now[i]);
                if deep > 0.0 {
                    self.now[i] += wall.normal * deep;
                    solids[self.placed[wall.placed as usize].solid as usize]
                        .feel(self.now[i], wall.normal * (-force * deep));
                }
            }
        }
    }

    /// Lets neighbours take over some of each other's velocity, weighed as in the last sweep.
    fn smooth(&mut self) {
        let share = self.spec.viscosity as f32;
        self.change.fill(Vec4::ZERO);
        for (near, v) in self.near.iter_mut().zip(&self.velocity) {
            *near = v.as_vec3().extend(0.0);
        }
        for (pair, slope) in self.pairs.iter().zip(&self.slopes) {
            let [i, j] = pair.map(|k| k as usize);
            let change = (self.near[j] - self.near[i]) * (share * slope.w);
            self.change[i] += change;
            self.change[j] -= change;
        }
        for (v, change) in self.velocity.iter_mut().zip(&self.change) {
            *v += change.truncate().as_dvec3();
        }
    }

    /// Stop what fell below a height where it is.
    pub fn stop_below(&mut self, height: f64) {
        for (p, v) in self.now.iter_mut().zip(&mut self.velocity).filter(|(p, _)| p.z < height) {
            (p.z, *v) = (height, DVec3::ZERO);
        }
    }

    /// Append its whole state.
    pub fn save(&self, state: &mut Vec<f64>) {
        for list in [&self.now, &self.velocity] {
            state.extend(list.iter().flat_map(DVec3::to_array));
        }
        state.extend(self.tags.iter().map(|t| f64::from(*t)));
    }

    /// Return to a saved state; `false` if it is not one of this liquid.
    pub fn restore(&mut self, state: &[f64]) -> bool {
        let count = self.now.len();
        if state.len() != 7 * count {
            return false;
        }
        for i in 0..count {
            self.now[i] = DVec3::from_slice(&state[3 * i..]);
            self.velocity[i] = DVec3::from_slice(&state[3 * (count + i)..]);
            self.tags[i] = state[6 * count + i] as u32;
        }
        true
    }

    /// Add its whole state to a hash.
    pub fn digest(&self, hash: &mut RunningHash) {
        for v in self.now.iter().chain(&self.velocity) {
            hash.floats(&v.to_array());
        }
        for tag in &self.tags {
            hash.bytes(&tag.to_le_bytes());
        }
    }
}

//! Clay and sand: points that carry mass and strain through a grid.
//!
//! The moving least squares material point method (Hu et al. 2018) with affine transfers. Strain is kept as
//! the left Cauchy–Green tensor of what springs back; clay yields at von Mises' stress, sand at Drucker and
//! Prager's cone (Klar et al. 2016), both by Hencky's strain, which needs no singular values. Nodes that lie
//! across the surface of a solid from what they hold move as the solid allows.

mod contact;
mod state;
mod strain;
mod transfer;

use glam::Vec4;
use longarm_types::DVec3;

use crate::grid::Grid;
use crate::{SoftError, Solid};
use contact::Placed;
use strain::{Law, Strain};

/// What makes matter stay deformed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Yield {
    /// Nothing: it springs back.
    Never,
    /// A stress, pascals: clay, dough.
    Stress(f64),
    /// An angle of inner friction, radians: sand, rice. Nothing holds it together.
    Friction(f64),
}

/// What clay or sand is.
#[derive(Clone, Debug, PartialEq)]
pub struct MpmSpec {
    /// Mass per volume, kg/m³.
    pub density: f64,
    /// Distance of points at rest, metres. Cells of the grid are twice as wide.
    pub spacing: f64,
    /// Young's modulus, pascals. Time steps shrink with its root.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// When it stays deformed.
    pub yields: Yield,
    /// Gravity, m/s².
    pub gravity: DVec3,
}

impl MpmSpec {
    /// Return modelling clay.
    pub fn clay() -> Self {
        Self {
            density: 1500.0,
            spacing: 0.003,
            young: 2e5,
            poisson: 0.3,
            yields: Yield::Stress(4e3),
            gravity: DVec3::new(0.0, 0.0, -9.81),
        }
    }

    /// Return dry sand.
    pub fn sand() -> Self {
        let yields = Yield::Friction(32_f64.to_radians());
        Self { density: 1600.0, young: 3e5, yields, ..Self::clay() }
    }

    /// Return the speed of sound in it.
    fn sound(&self) -> f64 {
        let nu = self.poisson;
        let modulus = self.young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
        libm::sqrt(modulus / self.density)
    }

    fn check(&self) -> Result<(), SoftError> {
        let positive =
            [("density", self.density), ("spacing", self.spacing), ("young", self.young)];
        let yields = match self.yields {
            Yield::Never => None,
            Yield::Stress(v) => Some(("yield stress", v)),
            Yield::Friction(v) => Some(("friction angle", v)),
        };
        let bad = |(_, v): &(_, f64)| !(v.is_finite() && *v > 0.0);
        if let Some((name, value)) = positive.into_iter().chain(yields).find(bad) {
            return Err(SoftError::Number { name, value, least: "positive" });
        }
        if !(0.0..0.49).contains(&self.poisson) {
            let (name, value) = ("poisson", self.poisson);
            return Err(SoftError::Number { name, value, least: "between 0 and 0.49" });
        }
        match self.yields {
            Yield::Friction(value) if value > 1.0 => {
                Err(SoftError::Number { name: "friction angle", value, least: "at most 1 radian" })
            }
            _ => Ok(()),
        }
    }
}

/// Cells that sound or matter travels in a step at most.
const COURANT: f64 = 0.65;

/// Share of the speed of sound that matter is not faster than.
const FASTEST: f64 = 0.7;

/// What a point carries.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    velocity: Vec4,
    /// How velocity changes with x, y and z.
    gradient: [Vec4; 3],
    strain: Strain,
}

impl Point {
    const AT_REST: Self =
        Self { velocity: Vec4::ZERO, gradient: [Vec4::ZERO; 3], strain: Strain::NONE };
}

/// Clay or sand with its state.
#[derive(Clone, Debug)]
pub struct Mpm {
    spec: MpmSpec,
    law: Law,
    now: Vec<DVec3>,
    points: Vec<Point>,
    tags: Vec<u32>,
    grid: Grid,
    /// Momentum and mass of nodes, then velocity and mass.
    nodes: Vec<Vec4>,
    /// Mass times the way from the node to what it holds, beside solids.
    middles: Vec<Vec4>,
    /// Blocks that a solid is so near to that nodes may meet it.
    near: Vec<bool>,
    placed: Vec<Placed>,
    touching: Vec<u32>,
    scratch: Vec<DVec3>,
    point_scratch: Vec<Point>,
    tag_scratch: Vec<u32>,
}

impl Mpm {
    /// Make matter of points at places, each with a tag.
    pub fn new(spec: MpmSpec, places: &[(DVec3, u32)]) -> Result<Self, SoftError> {
        spec.check()?;
        let count = places.len();
        Ok(Self {
            law: Law::new(&spec),
            now: places.iter().map(|p| p.0).collect(),
            points: vec![Point::AT_REST; count],
            tags: places.iter().map(|p| p.1).collect(),
            grid: Grid::new(2.0 * spec.spacing, count),
            nodes: Vec::new(),
            middles: Vec::new(),
            near: Vec::new(),
            placed: Vec::with_capacity(64),
            touching: Vec::with_capacity(64),
            scratch: Vec::with_capacity(count),
            point_scratch: Vec::with_capacity(count),
            tag_scratch: Vec::with_capacity(count),
            spec,
        })
    }

    /// Return what it is.
    pub fn spec(&self) -> &MpmSpec {
        &self.spec
    }

    /// Return where its points are. Their order changes with every step.
    pub fn positions(&self) -> &[DVec3] {
        &self.now
    }

    /// Return the tags of its points, in the order of their positions.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// Return the velocities of its points, in the order of their positions.
    pub fn velocities(&self) -> impl Iterator<Item = DVec3> {
        self.points.iter().map(|p| p.velocity.truncate().as_dvec3())
    }

    /// Return the mass of a point.
    pub fn point_mass(&self) -> f64 {
        let d = self.spec.spacing;
        self.spec.density * d * d * d
    }

    /// Return its momentum.
    pub fn momentum(&self) -> DVec3 {
        self.velocities().sum::<DVec3>() * self.point_mass()
    }

    /// Return the speed of its fastest point.
    pub fn speed(&self) -> f64 {
        let fastest = self.points.iter().map(|p| p.velocity.length_squared()).fold(0.0, f32::max);
        f64::from(fastest.sqrt())
    }

    /// Let a point travel with a velocity.
    pub fn set_velocity(&mut self, point: usize, velocity: DVec3) {
        self.points[point].velocity = velocity.as_vec3().extend(0.0);
    }

    /// Return the longest step within which it is integrated, seconds.
    pub fn substep(&self) -> f64 {
        let fastest = self.speed().min(FASTEST * self.spec.sound());
        COURANT * self.grid.cell / (self.spec.sound() + fastest)
    }

    /// Advance by `dt` seconds among solids, which learn what force they felt.
    pub fn step(&mut self, dt: f64, solids: &mut [Solid]) {
        let count = (libm::ceil(dt / self.substep() - 1e-9) as usize).max(1);
        let h = dt / count as f64;
        for solid in solids.iter_mut() {
            (solid.force, solid.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for k in 0..count {
            self.place([k as f64, (k + 1) as f64].map(|t| t / count as f64), solids);
            self.grid.fill(&self.now);
            if k == 0 {
                self.sort();
            }
            self.find_near();
            self.spread(h);
            self.meet(h, solids);
            self.collect(h, solids);
        }
        for solid in solids.iter_mut() {
            solid.force /= count as f64;
            solid.torque /= count as f64;
        }
    }

    /// Stop what fell below a height where it is.
    pub fn stop_below(&mut self, height: f64) {
        for (p, point) in self.now.iter_mut().zip(&mut self.points).filter(|(p, _)| p.z < height) {
            p.z = height;
            *point = Point::AT_REST;
        }
    }

    /// Brings points that are near each other together in memory.
    fn sort(&mut self) {
        let order = &mut self.grid.order;
        arrange(&mut self.now, &mut self.scratch, order);
        arrange(&mut self.points, &mut self.point_scratch, order);
        arrange(&mut self.tags, &mut self.tag_scratch, order);
        for (i, o) in order.iter_mut().enumerate() {
            *o = i as u32;
        }
    }
}

/// Brings a list into an order.
fn arrange<T: Copy>(list: &mut Vec<T>, scratch: &mut Vec<T>, order: &[u32]) {
    scratch.clear();
    scratch.extend(order.iter().map(|i| list[*i as usize]));
    std::mem::swap(list, scratch);
}

//! Cloth: threads, shear, bending, contact with solids and with itself.
//!
//! Positions are corrected, one sweep per short step (XPBD, Macklin et al. 2016). Contacts are rigid,
//! friction is Coulomb's, and no corner moves so far within a step that layers could cross.

mod clamp;
mod contact;
mod layers;
mod measure;
mod sheet;
mod state;

use longarm_types::DVec3;

use crate::{Shape, SoftError, Solid};
pub use clamp::Clamp;
use contact::Touch;
use layers::Layers;
pub use sheet::Sheet;
use sheet::{Hinge, Topology, spread};

/// What a cloth is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothSpec {
    /// Mass per area, kg/m².
    pub density: f64,
    /// Half its thickness, metres: how far corners stay from solids; layers stay twice as far apart.
    pub radius: f64,
    /// How much a thread between two corners gives, metres per newton.
    pub stretch: f64,
    /// How much the diagonals give, metres per newton.
    pub shear: f64,
    /// Bending rigidity, N·m.
    pub bending: f64,
    /// Time within which bending is damped, seconds.
    pub bending_time: f64,
    /// Coefficient of friction between layers.
    pub friction: f64,
    /// Drag of the air per mass, 1/s.
    pub drag: f64,
    /// Gravity, m/s².
    pub gravity: DVec3,
}

impl Default for ClothSpec {
    fn default() -> Self {
        Self {
            density: 0.255,
            radius: 0.002,
            stretch: 1e-7,
            shear: 5e-3,
            bending: 4e-5,
            bending_time: 2e-3,
            friction: 0.4,
            drag: 0.5,
            gravity: DVec3::new(0.0, 0.0, -9.81),
        }
    }
}

impl ClothSpec {
    fn check(&self) -> Result<(), SoftError> {
        let positive = [("density", self.density), ("radius", self.radius)];
        let others = [
            ("stretch", self.stretch),
            ("shear", self.shear),
            ("bending", self.bending),
            ("bending_time", self.bending_time),
            ("friction", self.friction),
            ("drag", self.drag),
        ];
        let wrong = positive.iter().find(|(_, v)| !(v.is_finite() && *v > 0.0));
        if let Some(&(name, value)) = wrong {
            return Err(SoftError::Number { name, value, least: "positive" });
        }
        let wrong = others.iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0));
        if let Some(&(name, value)) = wrong {
            return Err(SoftError::Number { name, value, least: "not negative" });
        }
        Ok(())
    }
}

/// The longest step within which the cloth is integrated, seconds.
pub const SUBSTEP: f64 = 0.5e-3;

/// Speed at which overlaps that were there before a step are undone, m/s.
const RECOVERY: f64 = 0.5;

/// Speed above which a corner is held back, m/s.
const FASTEST: f64 = 10.0;

/// Hinges that damp the same corner.
const SHARED: f64 = 8.0;

/// A hinge undoes at most one part in this many of its bend in a step, however stiff it is.
const STABLE: f64 = 3.0;

/// Two corners that keep their distance.
#[derive(Clone, Copy, Debug)]
struct Thread {
    ends: [u32; 2],
    length: f64,
    give: f64,
}

/// A cloth with its state.
#[derive(Clone, Debug)]
pub struct Cloth {
    spec: ClothSpec,
    topology: Topology,
    threads: Vec<Thread>,
    hinges: Vec<Hinge>,
    /// Mass and its inverse; the inverse is 0 where a corner is held.
    mass: Vec<f64>,
    lightness: Vec<f64>,
    /// Where corners are, where they were when the step began, how fast they are.
    now: Vec<DVec3>,
    before: Vec<DVec3>,
    velocity: Vec<DVec3>,
    layers: Layers,
    touches: Vec<Touch>,
    /// Which way a solid pushed each corner in the last step; zero where none did.
    support: Vec<DVec3>,
    /// Jaws that may hold on to corners.
    clamps: Vec<Clamp>,
}

impl Cloth {
    /// Make a cloth of a sheet, its corners where `place` puts them.
    pub fn new(
        spec: ClothSpec,
        sheet: &Sheet,
        place: impl Fn(DVec3) -> DVec3,
    ) -> Result<Self, SoftError> {
        spec.check()?;
        let topology = Topology::of(sheet)?;
        let (apart, thickness) = (topology.apart(&sheet.vertices), 2.0 * spec.radius);
        if apart < thickness {
            return Err(SoftError::Thick { apart, thickness });
        }
        let count = sheet.vertices.len();
        let length =
            |[i, j]: [u32; 2]| (sheet.vertices[i as usize] - sheet.vertices[j as usize]).length();
        let soft =
            |[i, j]: &[u32; 2]| sheet.shear.contains(&[*i, *j]) || sheet.shear.contains(&[*j, *i]);
        let stiff = topology.edges.iter().filter(|e| !soft(e));
        let thread = |ends: &[u32; 2], give| Thread { ends: *ends, length: length(*ends), give };
        let threads: Vec<Thread> = (sheet.shear.iter().map(|e| thread(e, spec.shear)))
            .chain(stiff.map(|e| thread(e, spec.stretch)))
            .collect();
        let mass: Vec<f64> = topology.area.iter().map(|a| a * spec.density).collect();
        let now: Vec<DVec3> = sheet.vertices.iter().map(|v| place(*v)).collect();
        let layers = Layers::new(&topology, 2.0 * spec.radius, &now);
        Ok(Self {
            threads: spread(&threads, count, |t| t.ends),
            hinges: spread(&topology.hinges, count, |h| h.corners),
            lightness: mass.iter().map(|m| 1.0 / m).collect(),
            mass,
            before: now.clone(),
            velocity: vec![DVec3::ZERO; count],
            now,
            layers,
            touches: Vec::with_capacity(count),
            support: vec![DVec3::ZERO; count],
            clamps: Vec::new(),
            topology,
            spec,
        })
    }

    /// Return what it is made of.
    pub fn spec(&self) -> &ClothSpec {
        &self.spec
    }

    /// Return where its corners are.
    pub fn positions(&self) -> &[DVec3] {
        &self.now
    }

    /// Return how fast its corners are.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocity
    }

    /// Return its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// Hold a corner where it is until it is released.
    pub fn hold(&mut self, corner: usize) {
        self.lightness[corner] = 0.0;
        self.velocity[corner] = DVec3::ZERO;
    }

    /// Release a held corner.
    pub fn release(&mut self, corner: usize) {
        self.lightness[corner] = 1.0 / self.mass[corner];
    }

    /// Let a corner travel with a velocity; one that is held keeps it.
    pub fn set_velocity(&mut self, corner: usize, velocity: DVec3) {
        self.velocity[corner] = velocity;
    }

    /// Sew a weight onto a corner.
    pub fn add_mass(&mut self, corner: usize, mass: f64) {
        self.mass[corner] += mass;
        if self.lightness[corner] > 0.0 {
            self.release(corner);
        }
    }

    /// Advance by `dt` seconds among solids, which learn what force they felt.
    pub fn step(&mut self, dt: f64, solids: &mut [Solid]) {
        let count = (libm::ceil(dt / SUBSTEP - 1e-9) as usize).max(1);
        let h = dt / count as f64;
        solids.iter_mut().for_each(Solid::rest);
        for clamp in &mut self.clamps {
            (clamp.force, clamp.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for k in 0..count {
            self.substep(h, k, count, solids);
        }
        for solid in solids.iter_mut() {
            solid.force /= count as f64;
            solid.torque /= count as f64;
        }
        for clamp in &mut self.clamps {
            clamp.force /= count as f64;
            clamp.torque /= count as f64;
        }
    }

    fn substep(&mut self, h: f64, k: usize, count: usize, solids: &mut [Solid]) {
        self.layers.look(&self.topology, &self.now);
        self.predict(h);
        self.bend(h);
        self.stretch(h);
        self.part(h);
        self.meet(h, [k as f64, (k + 1) as f64].map(|t| t / count as f64), solids);
        self.clamp_down(h, (k + 1) as f64 / count as f64);
        self.layers.restrain(&mut self.now, &self.lightness);
        let keep = 1.0 / (1.0 + self.spec.drag * h);
        for i in 0..self.now.len() {
            if self.lightness[i] > 0.0 {
                let v = (self.now[i] - self.before[i]) * (keep / h);
                let speed = v.length();
                self.velocity[i] = if speed > FASTEST { v * (FASTEST / speed) } else { v };
            }
        }
    }

    fn predict(&mut self, h: f64) {
        let fall = self.spec.gravity * (h * h);
        self.before.copy_from_slice(&self.now);
        for i in 0..self.now.len() {
            self.now[i] += self.velocity[i] * h;
            if self.lightness[i] > 0.0 {
                self.now[i] += fall;
            }
        }
    }

    fn bend(&mut self, h: f64) {
        if self.spec.bending == 0.0 {
            return;
        }
        let (scale, time) = (1.0 / (self.spec.bending * h * h), self.spec.bending_time);
        for hinge in &self.hinges {
            let c = hinge.corners.map(|v| v as usize);
            let w = &hinge.weights;
            let sum = |of: &[DVec3]| {
                of[c[0]] * w[0] + of[c[1]] * w[1] + of[c[2]] * w[2] + of[c[3]] * w[3]
            };
            let mut light = 0.0;
            for k in 0..4 {
                light += self.lightness[c[k]] * w[k] * w[k];
            }
            let give = scale * hinge.give;
            // Damped by the speed with which the step began: what rests is not held up by it.
            let pull = sum(&self.now) / give.max(STABLE * light)
                + sum(&self.velocity) * (time / (give + light * (1.0 + SHARED * time / h)));
            for k in 0..4 {
                self.now[c[k]] -= pull * (self.lightness[c[k]] * w[k]);
            }
        }
    }

    fn stretch(&mut self, h: f64) {
        let scale = 1.0 / (h * h);
        for t in &self.threads {
            let [i, j] = t.ends.map(|v| v as usize);
            let (wi, wj) = (self.lightness[i], self.lightness[j]);
            let light = wi + wj;
            if light == 0.0 {
                continue;
            }
            let d = self.now[i] - self.now[j];
            let length = d.length();
            let pull = (length - t.length) / ((light + t.give * scale) * length.max(1e-12));
            self.now[i] -= d * (pull * wi);
            self.now[j] += d * (pull * wj);
        }
    }
}

/// A box of air around all corners.
fn around(points: &[DVec3]) -> (DVec3, DVec3) {
    let far = DVec3::splat(f64::INFINITY);
    points.iter().fold((far, -far), |(lower, upper), p| (lower.min(*p), upper.max(*p)))
}

/// Whether a shape has an inside that corners cannot be outside of by its box.
fn endless(shape: &Shape) -> bool {
    matches!(shape, Shape::Plane)
}

//! Scenes by which solvers are tried and timed: jaws that move by a script, no robot.

use longarm_types::{DQuat, DVec3, Pose, Seed};

use crate::{Cloth, ClothSpec, Shape, Sheet, SoftError, Solid};

/// What is done with a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A pair of jaws takes the middle of an edge, lifts the cloth and shakes it.
    Pinch,
    /// Two pairs of jaws fold it in half on a table and let go.
    Fold,
    /// It falls over a rod and hangs.
    Drape,
}

/// The step in which scenes are played, seconds.
pub const STEP: f64 = 2e-3;

/// Edge of the square cloth.
pub const EDGE: f64 = 0.28;

const JAW: DVec3 = DVec3::new(0.010, 0.012, 0.003);
const TABLE_END: f64 = 0.105;
const TAKEN: f64 = EDGE / 2.0 - 0.008;
const CLOSED: f64 = 0.3;
const GRIP: f64 = 5.0;

/// A cloth, the solids around it and what they do.
#[derive(Clone, Debug)]
pub struct ClothScene {
    /// The cloth.
    pub cloth: Cloth,
    /// The solids: what stands still, then jaws in pairs, upper before lower.
    pub solids: Vec<Solid>,
    act: Act,
    time: f64,
    still: usize,
    /// Where jaws take the cloth beside the middle, and how fast they go.
    beside: Vec<f64>,
    pace: f64,
}

/// Where a pair of jaws is.
struct Jaws {
    at: DVec3,
    /// How far the upper and the lower jaw are from where they hold.
    open: [f64; 2],
    grip: f64,
}

impl ClothScene {
    /// Make a scene with a cloth of `n` × `n` corners; the seed varies where and how fast it is taken.
    pub fn new(act: Act, n: usize, seed: Seed) -> Result<Self, SoftError> {
        let spec = ClothSpec::default();
        let mut random = seed.stream("scene");
        let turn = random.range(-0.03, 0.03);
        let pace = random.range(0.9, 1.1);
        let off = random.range(-0.01, 0.01);
        let high = match act {
            Act::Drape => 0.32,
            Act::Pinch | Act::Fold => spec.radius,
        };
        let radius = spec.radius;
        let sheet = Sheet::rectangle([EDGE, EDGE], n, n);
        let place = |p: DVec3| match act {
            Act::Drape => DQuat::from_rotation_z(10.0 * turn) * p + DVec3::new(off, off, high),
            Act::Pinch | Act::Fold => p.with_z(high),
        };
        let cloth = Cloth::new(spec, &sheet, place)?;
        let half = DVec3::new(0.4, 0.4, 0.02);
        let table = |x: f64| {
            let at = Pose::at(x, 0.0, -0.02);
            Solid::new(Shape::Box { half, round: 0.002 }, at, 0.5)
        };
        let (solids, beside) = match act {
            Act::Drape => {
                let along = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
                let at = Pose::new(DVec3::new(0.0, 0.0, 0.25), along);
                let rod = Shape::Capsule { radius: 0.015, half: 0.3 };
                (vec![table(0.0), Solid::new(rod, at, 0.5)], vec![])
            }
            Act::Pinch => (vec![table(TABLE_END - 0.4)], vec![off]),
            Act::Fold => (vec![table(TABLE_END - 0.4)], vec![off - 0.11, off + 0.11]),
        };
        let still = solids.len();
        let mut scene = Self { cloth, solids, act, time: 0.0, still, beside, pace };
        for k in 0..scene.beside.len() {
            let jaws = scene.jaws(0.0, k);
            let shape = Shape::Box { half: JAW, round: 0.001 };
            for upper in [true, false] {
                let at = Self::jaw(&jaws, upper, radius);
                scene.solids.push(Solid::new(shape.clone(), at, 1.0));
            }
        }
        Ok(scene)
    }

    /// Return how long the scene is, seconds.
    pub fn duration(&self) -> f64 {
        match self.act {
            Act::Pinch => 3.5,
            Act::Fold => 4.5,
            Act::Drape => 3.0,
        }
    }

    /// Return the time that has passed.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Play one step.
    pub fn advance(&mut self) {
        self.time += STEP;
        let radius = self.cloth.spec().radius;
        for k in 0..self.beside.len() {
            let jaws = self.jaws(self.time, k);
            for (i, upper) in [true, false].into_iter().enumerate() {
                let solid = &mut self.solids[self.still + 2 * k + i];
                solid.advance(Self::jaw(&jaws, upper, radius));
                solid.grip = DVec3::Z * if upper { -jaws.grip } else { jaws.grip };
            }
        }
        self.cloth.step(STEP, &mut self.solids);
    }

    /// Whether the scene is over.
    pub fn done(&self) -> bool {
        self.time >= self.duration() - STEP / 2.0
    }

    fn jaw(jaws: &Jaws, upper: bool, radius: f64) -> Pose {
        let side = if upper { 1.0 } else { -1.0 };
        let open = jaws.open[usize::from(!upper)];
        let away = side * (radius + JAW.z + open);
        Pose::new(jaws.at + DVec3::new(0.0, 0.0, away), DQuat::IDENTITY)
    }

    fn jaws(&self, time: f64, k: usize) -> Jaws {
        let t = (time - CLOSED).max(0.0) * self.pace;
        let closing = 0.02 * (1.0 - time / CLOSED).max(0.0);
        let start = DVec3::new(TAKEN, self.beside[k], self.cloth.spec().radius);
        let grip = if time >= CLOSED { GRIP } else { 0.0 };
        match self.act {
            Act::Fold => {
                let turn = smooth(t / 2.0) * std::f64::consts::PI;
                let arc = DVec3::new(libm::cos(turn) - 1.0, 0.0, libm::sin(turn)) * TAKEN;
                let landed = smooth(t / 2.0) * 0.016;
                let free = smooth((t - 2.1) / 0.3);
                let away = smooth((t - 2.4) / 0.5);
                Jaws {
                    at: start + arc + DVec3::new(-0.08 * away, 0.0, landed),
                    open: [closing + 0.03 * free, closing],
                    grip: if t < 2.1 { grip } else { 0.0 },
                }
            }
            Act::Pinch | Act::Drape => {
                let shake =
                    0.03 * libm::sin((t - 1.5).clamp(0.0, 1.0) * 4.0 * std::f64::consts::PI);
                Jaws {
                    at: start + DVec3::new(shake, 0.0, 0.35 * smooth(t / 1.5)),
                    open: [closing; 2],
                    grip,
                }
            }
        }
    }
}

/// From 0 to 1 with no jerk at either end.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

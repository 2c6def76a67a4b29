//! Scenes by which solvers are tried and timed: jaws that move by a script, no robot.

use longarm_types::{DQuat, DVec3, Pose, Seed};

use crate::{Cloth, ClothSpec, Liquid, LiquidSpec, Mpm, MpmSpec, Shape, Sheet, SoftError, Solid};

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

/// Liquid that is poured from one cup into another.
#[derive(Clone, Debug)]
pub struct PourScene {
    /// The liquid.
    pub liquid: Liquid,
    /// Floor and walls of the first cup, then of the second.
    pub solids: Vec<Solid>,
    time: f64,
    /// Where the parts of the first cup are when it stands.
    upright: Vec<Pose>,
}

/// Width and height of the cups' insides, and the thickness of their walls.
const CUP: [f64; 3] = [0.065, 0.11, 0.0015];

/// Where the second cup stands beside the first and below its lip.
const SECOND: [f64; 3] = [CUP[0] + 0.006, -0.0125, -0.04];

impl PourScene {
    /// Make a scene with 2,535 particles.
    pub fn new() -> Result<Self, SoftError> {
        let spec = LiquidSpec::default();
        let (lower, upper) = (DVec3::ZERO, DVec3::new(CUP[0], CUP[0], 0.075));
        let places: Vec<_> = Liquid::fill(lower, upper, spec.spacing).map(|p| (p, 0)).collect();
        let mut solids = cup(DVec3::ZERO, CUP[0]);
        solids.extend(cup(DVec3::from(SECOND), CUP[0] + 0.025));
        let upright = solids[..5].iter().map(|s| s.to).collect();
        Ok(Self { liquid: Liquid::new(spec, &places)?, solids, time: 0.0, upright })
    }

    /// Return how long the scene is, seconds.
    pub fn duration(&self) -> f64 {
        3.0
    }

    /// Whether the scene is over.
    pub fn done(&self) -> bool {
        self.time >= self.duration() - STEP / 2.0
    }

    /// Play one step.
    pub fn advance(&mut self) {
        self.time += STEP;
        let angle = smooth((self.time - 0.3) / 2.0) * 2.1;
        let lip = DVec3::new(CUP[0], 0.0, CUP[1]);
        let turn = Pose::new(DVec3::ZERO, DQuat::from_rotation_y(angle));
        for (solid, pose) in self.solids.iter_mut().zip(&self.upright) {
            let about = Pose::new(pose.pos - lip, pose.rot);
            let to = turn.compose(&about);
            solid.advance(Pose::new(to.pos + lip, to.rot));
        }
        self.liquid.step(STEP, &mut self.solids);
    }

    /// Return the share of the liquid in the second cup.
    pub fn poured(&self) -> f64 {
        let width = CUP[0] + 0.025;
        self.within(&Pose::at(SECOND[0], SECOND[1], SECOND[2]), DVec3::new(width, width, CUP[1]))
    }

    /// Return the share of the liquid that is left in the first cup.
    pub fn left(&self) -> f64 {
        // The floor's frame is in its middle.
        let floor = self.solids[0].to;
        let middle = DVec3::new(CUP[0] / 2.0, CUP[0] / 2.0, -CUP[2] / 2.0);
        let corner = Pose::new(floor.point(-middle), floor.rot);
        self.within(&corner, DVec3::new(CUP[0], CUP[0], CUP[1]))
    }

    fn within(&self, frame: &Pose, size: DVec3) -> f64 {
        let inside = |p: &&DVec3| {
            let p = frame.local(**p);
            p.cmpge(DVec3::ZERO).all() && p.cmple(size).all()
        };
        let all = self.liquid.positions();
        all.iter().filter(inside).count() as f64 / all.len() as f64
    }
}

/// Floor and four walls of a cup with a square inside, by its lower corner.
fn cup(corner: DVec3, width: f64) -> Vec<Solid> {
    let [_, high, t] = CUP;
    let part = |lower: [f64; 3], upper: [f64; 3]| {
        let (lower, upper) = (corner + DVec3::from(lower), corner + DVec3::from(upper));
        let shape = Shape::Box { half: (upper - lower) / 2.0, round: 0.0 };
        Solid::new(shape, Pose::new((lower + upper) / 2.0, DQuat::IDENTITY), 0.0)
    };
    let far = width + t;
    vec![
        part([-t, -t, -t], [far, far, 0.0]),
        part([-t, -t, 0.0], [0.0, far, high]),
        part([width, -t, 0.0], [far, far, high]),
        part([0.0, -t, 0.0], [width, 0.0, high]),
        part([0.0, width, 0.0], [width, far, high]),
    ]
}

/// A cube of clay or a heap of sand between two jaws that close on it and open again.
#[derive(Clone, Debug)]
pub struct SqueezeScene {
    /// What is squeezed.
    pub matter: Mpm,
    /// The table and the two jaws.
    pub solids: Vec<Solid>,
    time: f64,
}

/// Half the size of a jaw.
const SQUEEZER: DVec3 = DVec3::new(0.006, 0.012, 0.02);

impl SqueezeScene {
    /// Make a scene with 4,913 points.
    pub fn new(spec: MpmSpec) -> Result<Self, SoftError> {
        let edge = 17.0 * spec.spacing;
        let half = DVec3::new(edge / 2.0, edge / 2.0, 0.0);
        let lower = -half + DVec3::Z * 0.001;
        let upper = half + DVec3::Z * (edge + 0.001);
        let places: Vec<_> = Liquid::fill(lower, upper, spec.spacing).map(|p| (p, 0)).collect();
        let jaw = |x: f64| {
            let at = Pose::at(x, 0.0, SQUEEZER.z + 0.004);
            Solid::new(Shape::Box { half: SQUEEZER, round: 0.002 }, at, 0.8)
        };
        let table = Solid::new(Shape::Plane, Pose::at(0.0, 0.0, 0.0), 0.5);
        let away = Self::away(edge, 0.0);
        let solids = vec![table, jaw(-away), jaw(away)];
        Ok(Self { matter: Mpm::new(spec, &places)?, solids, time: 0.0 })
    }

    /// Return how long the scene is, seconds.
    pub fn duration(&self) -> f64 {
        1.5
    }

    /// Whether the scene is over.
    pub fn done(&self) -> bool {
        self.time >= self.duration() - STEP / 2.0
    }

    /// How far the jaws' middles are from the middle.
    fn away(edge: f64, time: f64) -> f64 {
        let closed = smooth((time - 0.2) / 0.6) - smooth((time - 0.9) / 0.4);
        edge / 2.0 + SQUEEZER.x + 0.004 - (0.004 + 0.3 * edge) * closed
    }

    /// Play one step.
    pub fn advance(&mut self) {
        self.time += STEP;
        let away = Self::away(17.0 * self.matter.spec().spacing, self.time);
        for (jaw, side) in self.solids[1..].iter_mut().zip([-1.0, 1.0]) {
            let at = jaw.to.pos.with_x(side * away);
            jaw.advance(Pose::new(at, jaw.to.rot));
        }
        self.matter.step(STEP, &mut self.solids);
    }
}

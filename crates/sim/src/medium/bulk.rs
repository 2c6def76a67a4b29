//! Liquid, clay and sand in a world.

use std::sync::{Arc, Mutex, PoisonError};

use longarm_assets::matter::{Bulk, BulkKind};
use longarm_render::{Material, Mesh, Scene, Texture};
use longarm_soft::{Liquid, LiquidSpec, Mpm, MpmSpec, Skin, SoftError, Solid, Yield};
use longarm_task::{SoftForm, SoftKind};
use longarm_types::{DVec3, RunningHash};

use super::{Medium, MediumStart, Surroundings};

/// Particles at rest tremble by less than this, metres per second.
const CALM: f64 = 0.015;

/// Pixels along the picture of grain, and what it covers, metres.
const PIXELS: usize = 128;
const TILE: f32 = 0.06;

/// Height at which what fell off the table comes to rest.
const LOST: f64 = -1.0;

/// Particles as a scene has them.
pub(super) struct BulkMedium {
    name: String,
    bulk: Bulk,
    form: Arc<SoftForm>,
    solver: Solver,
    /// Where particles are, in the order of the form.
    points: Vec<DVec3>,
    /// Material of each, as the surface wants it.
    tags: Vec<u32>,
    colour: Option<[f32; 3]>,
    /// The surface's lists, used again with every picture.
    skin: Mutex<Skin>,
}

enum Solver {
    Liquid(Box<Liquid>),
    Mpm(Box<Mpm>),
}

impl Solver {
    /// Particles are tagged with their place in the form: solvers change their order.
    fn new(bulk: &Bulk, at: impl Fn(DVec3) -> DVec3) -> Result<Self, SoftError> {
        let places: Vec<(DVec3, u32)> =
            bulk.places.iter().enumerate().map(|(i, p)| (at(DVec3::from(*p)), i as u32)).collect();
        let (density, spacing) = (bulk.density, bulk.spacing);
        let clay = MpmSpec { density, spacing, ..MpmSpec::clay() };
        let spec = match bulk.kind {
            BulkKind::Liquid { viscosity } => {
                let spec = LiquidSpec { density, spacing, viscosity, ..LiquidSpec::default() };
                return Ok(Self::Liquid(Box::new(Liquid::new(spec, &places)?)));
            }
            BulkKind::Clay { young, yields } => {
                MpmSpec { young, yields: Yield::Stress(yields), ..clay }
            }
            BulkKind::Sand { young, friction } => {
                MpmSpec { young, yields: Yield::Friction(friction), ..clay }
            }
        };
        Ok(Self::Mpm(Box::new(Mpm::new(spec, &places)?)))
    }

    fn step(&mut self, dt: f64, solids: &mut [Solid]) {
        match self {
            Self::Liquid(l) => {
                l.step(dt, solids);
                l.stop_below(LOST);
            }
            Self::Mpm(m) => {
                m.step(dt, solids);
                m.stop_below(LOST);
            }
        }
    }

    fn state(&self) -> (&[DVec3], &[u32]) {
        match self {
            Self::Liquid(l) => (l.positions(), l.tags()),
            Self::Mpm(m) => (m.positions(), m.tags()),
        }
    }

    fn mean_speed(&self) -> f64 {
        let (squares, count) = match self {
            Self::Liquid(l) => {
                let v = l.velocities();
                (v.iter().map(|v| v.length_squared()).sum::<f64>(), v.len())
            }
            Self::Mpm(m) => {
                (m.velocities().map(|v| v.length_squared()).sum::<f64>(), m.positions().len())
            }
        };
        libm::sqrt(squares / count.max(1) as f64)
    }
}

impl BulkMedium {
    pub(super) fn new(name: &str, bulk: &Bulk) -> Result<Self, SoftError> {
        let rest: Vec<DVec3> = bulk.places.iter().map(|p| DVec3::from(*p)).collect();
        let solver = Solver::new(bulk, |p| p)?;
        let kind = SoftKind::Particles { material: vec![0; rest.len()] };
        Ok(Self {
            name: name.to_owned(),
            points: rest.clone(),
            tags: vec![0; rest.len()],
            skin: Mutex::new(Skin::new(bulk.spacing, rest.len())),
            form: Arc::new(SoftForm { rest, radius: bulk.spacing / 2.0, kind }),
            bulk: bulk.clone(),
            solver,
            colour: None,
        })
    }

    /// How much darker the dark grains are, if it has any.
    fn grain(&self) -> Option<f64> {
        match self.bulk.kind {
            BulkKind::Liquid { .. } => None,
            BulkKind::Clay { .. } => Some(0.12),
            BulkKind::Sand { .. } => Some(0.38),
        }
    }

    fn read(&mut self) {
        let (at, tags) = self.solver.state();
        for (p, tag) in at.iter().zip(tags) {
            self.points[*tag as usize] = *p;
        }
    }
}

impl Medium for BulkMedium {
    fn name(&self) -> &str {
        &self.name
    }

    fn reset(&mut self, start: &MediumStart) {
        self.colour = start.colour;
        // What was made once can be made again.
        if let Ok(solver) = Solver::new(&self.bulk, |p| start.pose.point(p)) {
            self.solver = solver;
        }
        self.read();
    }

    fn step(&mut self, dt: f64, around: &mut Surroundings<'_>) {
        self.solver.step(dt, around.solids);
        self.read();
    }

    fn form(&self) -> &Arc<SoftForm> {
        &self.form
    }

    fn points(&self) -> &[DVec3] {
        &self.points
    }

    fn speed(&self) -> f64 {
        self.solver.mean_speed()
    }

    fn calm(&self) -> f64 {
        CALM
    }

    fn digest(&self, hash: &mut RunningHash) {
        match &self.solver {
            Solver::Liquid(l) => l.digest(hash),
            Solver::Mpm(m) => m.digest(hash),
        }
    }

    fn save(&self, state: &mut Vec<f64>) {
        match &self.solver {
            Solver::Liquid(l) => l.save(state),
            Solver::Mpm(m) => m.save(state),
        }
    }

    fn restore(&mut self, state: &[f64]) -> bool {
        let done = match &mut self.solver {
            Solver::Liquid(l) => l.restore(state),
            Solver::Mpm(m) => m.restore(state),
        };
        self.read();
        done
    }

    fn surface(&self) -> Mesh {
        let uvs = self.grain().map(|_| Vec::new());
        let mut mesh = Mesh { uvs, ..Mesh::default() };
        self.draw(&mut mesh);
        mesh
    }

    fn material(&self, scene: &mut Scene) -> Material {
        let [r, g, b] = self.bulk.rgb;
        let texture = self
            .grain()
            .map(|depth| scene.add_texture(Texture::flat(PIXELS, PIXELS, &speckled(depth))));
        Material { texture, specular: self.bulk.gloss, shininess: 0.7, ..Material::matte(r, g, b) }
    }

    fn colour(&self) -> Option<[f32; 3]> {
        self.colour
    }

    fn draw(&self, surface: &mut Mesh) {
        let mut skin = self.skin.lock().unwrap_or_else(PoisonError::into_inner);
        skin.wrap(&self.points, &self.tags);
        surface.positions.clone_from(&skin.positions);
        surface.normals.clone_from(&skin.normals);
        surface.triangles.clone_from(&skin.triangles);
        if let Some(uvs) = &mut surface.uvs {
            uvs.clear();
            // Along slanting lines, so that no side of it is streaked.
            uvs.extend(
                skin.positions.iter().map(|[x, y, z]| [(x + 0.6 * z) / TILE, (y - 0.8 * z) / TILE]),
            );
        }
    }
}

/// A picture of grain that fits on to itself: fine grains, and coarser ones that are seen from farther away.
fn speckled(depth: f64) -> Vec<u8> {
    let dots = |x: usize, y: usize, cell: usize, salt: u64| {
        let (i, j) = ((x / cell) as u64, (y / cell) as u64);
        let mut mixed = (i | j << 16 | salt << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed >> 40) as f64 / (1_u64 << 24) as f64
    };
    let pixel = |k: usize| {
        let (x, y) = (k % PIXELS, k / PIXELS);
        let dark = 0.5 * dots(x, y, 2, 1) + 0.3 * dots(x, y, 4, 2) + 0.2 * dots(x, y, 8, 3);
        (255.0 * (1.0 - depth * dark)) as u8
    };
    (0..PIXELS * PIXELS).flat_map(|k| [pixel(k); 3]).collect()
}

#[cfg(test)]
mod tests {
    use longarm_assets::matter::filled;
    use longarm_types::{Pose, Seed};

    use super::*;

    fn kinds() -> [BulkKind; 3] {
        [
            BulkKind::Liquid { viscosity: 0.02 },
            BulkKind::Clay { young: 1e5, yields: 3e3 },
            BulkKind::Sand { young: 1e5, friction: 0.5 },
        ]
    }

    #[test]
    fn what_is_not_a_number_makes_it_unsound_whatever_it_is() {
        for kind in kinds() {
            let bulk = Bulk {
                kind,
                density: 1000.0,
                spacing: 0.005,
                places: Arc::new(filled([0.03; 3], 0.005, |_| true)),
                rgb: [0.5; 3],
                gloss: 0.0,
            };
            let mut medium = BulkMedium::new("lump", &bulk).unwrap();
            medium.reset(&MediumStart { pose: Pose::IDENTITY, seed: Seed(0), colour: None });
            let mut state = Vec::new();
            medium.save(&mut state);
            let step = |medium: &mut BulkMedium| {
                for _ in 0..3 {
                    medium.step(0.002, &mut Surroundings { solids: &mut [], jaws: &mut [] });
                }
                medium.sound()
            };
            assert!(step(&mut medium), "{kind:?}");
            // The first numbers are a particle's place.
            state[0] = f64::NAN;
            assert!(medium.restore(&state), "{kind:?}");
            assert!(!step(&mut medium), "{kind:?}");
        }
    }
}

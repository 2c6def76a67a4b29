//! Liquid, clay and sand in a world.

use std::sync::{Arc, Mutex, PoisonError};

use longarm_assets::matter::{Bulk, BulkKind};
use longarm_render::{Material, Mesh, Scene};
use longarm_soft::{Liquid, LiquidSpec, Mpm, MpmSpec, Skin, SoftError, Solid, Yield};
use longarm_task::{SoftForm, SoftKind};
use longarm_types::{DVec3, RunningHash};

use super::{Medium, MediumStart, Surroundings};

/// Particles at rest tremble by less than this, metres per second.
const CALM: f64 = 0.015;

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
        let mut mesh = Mesh::default();
        self.draw(&mut mesh);
        mesh
    }

    fn material(&self, _: &mut Scene) -> Material {
        let [r, g, b] = self.bulk.rgb;
        Material { specular: self.bulk.gloss, shininess: 0.7, ..Material::matte(r, g, b) }
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
    }
}

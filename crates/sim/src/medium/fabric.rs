//! Cloth in a world.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use longarm_assets::matter::{Fabric, Laid};
use longarm_render::{Material, Mesh, Scene, Texture};
use longarm_soft::{Cloth, ClothSpec, Sheet, SoftError};
use longarm_task::{SoftForm, SoftKind};
use longarm_types::{DQuat, DVec3, Pose, RunningHash};

use super::gap::layers;
use super::{Jaws, Medium, MediumStart, Surroundings};

/// Mean lengthening of threads beyond which a cloth has blown up.
const TORN: f64 = 1.0;

/// A cloth as a scene has it.
pub(super) struct FabricMedium {
    name: String,
    fabric: Fabric,
    form: Arc<SoftForm>,
    cloth: Cloth,
    /// What each gripper did, if fingers gather it.
    holds: Vec<Hold>,
    colour: Option<[f32; 3]>,
}

/// How far apart layers begin that are folded upon each other, in radii: a little more than they keep.
const FOLDED: f64 = 2.2;

/// Whether a gripper took hold since it began to close.
#[derive(Clone, Copy, Default)]
struct Hold {
    taken: bool,
}

/// Fingers as near to each other as this gather what is between and below them, metres.
const GATHERED: f64 = 0.012;
/// How far below the fingertips and beside the middle they gather.
const BELOW: f64 = 0.005;
const BESIDE: f64 = 0.009;
/// Where they hold what they gathered, from the tips of the pads.
const HELD: f64 = 0.004;

impl FabricMedium {
    pub(super) fn new(name: &str, fabric: &Fabric, grippers: usize) -> Result<Self, SoftError> {
        let cut = &*fabric.cut;
        let rest: Vec<DVec3> = cut.corners.iter().map(|c| DVec3::from(*c)).collect();
        let sheet = Sheet {
            vertices: rest.clone(),
            triangles: cut.triangles.clone(),
            shear: cut.diagonals.clone(),
        };
        let spec = ClothSpec {
            density: fabric.density,
            radius: fabric.radius,
            bending: fabric.bending,
            friction: fabric.friction,
            ..ClothSpec::default()
        };
        let mut cloth = Cloth::new(spec, &sheet, |p| p)?;
        let gathering = if fabric.gathers { grippers } else { 0 };
        cloth.add_clamps(gathering);
        let kind = SoftKind::Sheet { triangles: cut.triangles.clone() };
        Ok(Self {
            name: name.to_owned(),
            form: Arc::new(SoftForm { rest, radius: fabric.radius, kind }),
            fabric: fabric.clone(),
            cloth,
            holds: vec![Hold::default(); gathering],
            colour: None,
        })
    }

    /// Let grippers take hold of what they close over, and let go.
    fn gather(&mut self, all: &[Jaws]) {
        for (k, (jaws, hold)) in all.iter().zip(&mut self.holds).enumerate() {
            let clamp = self.cloth.clamp_mut(k);
            (clamp.from, clamp.to) = (jaws.from, jaws.to);
            clamp.most = jaws.friction * jaws.pull;
            let [x, z] = jaws.pad;
            clamp.depth = z - HELD;
            if !jaws.closing {
                clamp.open();
                hold.taken = false;
            } else if !hold.taken && jaws.gap < GATHERED {
                hold.taken = true;
                let lower = DVec3::new(-x, -BESIDE, -z);
                self.cloth.take(k, lower, DVec3::new(x, BESIDE, z + BELOW));
            }
        }
    }
}

impl Medium for FabricMedium {
    fn name(&self) -> &str {
        &self.name
    }

    fn reset(&mut self, start: &MediumStart) {
        self.colour = start.colour;
        let frame = match self.fabric.laid {
            Laid::Flat | Laid::Folded { .. } => start.pose,
            Laid::Dropped { height } => {
                let mut random = start.seed.stream(&format!("laid/{}", self.name));
                let spin = DQuat::from_rotation_z(random.range(0.0, TAU));
                let about = random.range(0.0, TAU);
                let axis = DVec3::new(libm::cos(about), libm::sin(about), 0.0);
                let tilt = FRAC_PI_2 * random.range(0.7, 1.0);
                let rot = DQuat::from_axis_angle(axis, tilt) * spin;
                let lowest = self.form.rest.iter().map(|p| (rot * *p).z).fold(f64::MAX, f64::min);
                Pose::new(start.pose.pos + DVec3::Z * (height - lowest), rot)
            }
        };
        let lift = DVec3::Z * self.fabric.radius;
        let folded = match self.fabric.laid {
            Laid::Folded { at } => self
                .fabric
                .cut
                .folded(at, FOLDED * self.fabric.radius)
                .into_iter()
                .map(DVec3::from)
                .collect(),
            Laid::Flat | Laid::Dropped { .. } => Vec::new(),
        };
        let rest = if folded.is_empty() { &self.form.rest } else { &folded };
        self.holds.fill(Hold::default());
        self.cloth.lay(|i| frame.point(rest[i]) + lift);
    }

    fn step(&mut self, dt: f64, around: &mut Surroundings<'_>) {
        self.gather(around.jaws);
        self.cloth.step(dt, around.solids);
        for (k, jaws) in around.jaws.iter_mut().enumerate() {
            if let Some(hold) = self.holds.get(k) {
                let clamp = self.cloth.clamp(k);
                if hold.taken && clamp.count() > 0 {
                    jaws.holds = true;
                    // One layer at least, also before it is drawn between the pads.
                    jaws.thickness = jaws.thickness.max(2.0 * self.fabric.radius);
                }
                jaws.load = [clamp.force, clamp.torque];
            }
            let count = layers(jaws, self.cloth.positions(), self.cloth.triangles());
            jaws.thickness = jaws.thickness.max(count as f64 * 2.0 * self.fabric.radius);
        }
    }

    fn form(&self) -> &Arc<SoftForm> {
        &self.form
    }

    fn points(&self) -> &[DVec3] {
        self.cloth.positions()
    }

    fn speed(&self) -> f64 {
        self.cloth.mean_speed()
    }

    fn sound(&self) -> bool {
        // A strain that is not a number compares as false.
        self.cloth.strain().mean < TORN
    }

    fn digest(&self, hash: &mut RunningHash) {
        self.cloth.digest(hash);
        self.holds.iter().for_each(|h| hash.bytes(&[u8::from(h.taken)]));
    }

    fn save(&self, state: &mut Vec<f64>) {
        state.extend(self.holds.iter().map(|h| f64::from(u8::from(h.taken))));
        self.cloth.save(state);
    }

    fn restore(&mut self, state: &[f64]) -> bool {
        let Some((holds, own)) = state.split_at_checked(self.holds.len()) else { return false };
        if !self.cloth.restore(own) {
            return false;
        }
        for (hold, taken) in self.holds.iter_mut().zip(holds) {
            hold.taken = *taken != 0.0;
        }
        true
    }

    fn surface(&self) -> Mesh {
        let cut = &*self.fabric.cut;
        let mut mesh = Mesh {
            positions: vec![[0.0; 3]; cut.corners.len()],
            normals: vec![[0.0, 0.0, 1.0]; cut.corners.len()],
            uvs: Some(cut.uvs.clone()),
            triangles: cut.triangles.clone(),
            double_sided: true,
        };
        self.draw(&mut mesh);
        mesh
    }

    fn material(&self, scene: &mut Scene) -> Material {
        let [r, g, b] = self.fabric.rgb;
        let texture = self
            .fabric
            .weave
            .as_ref()
            .map(|p| scene.add_texture(Texture::flat(p.width, p.height, &p.rgb)));
        Material { texture, specular: 0.0, ..Material::matte(r, g, b) }
    }

    fn colour(&self) -> Option<[f32; 3]> {
        self.colour
    }

    fn draw(&self, surface: &mut Mesh) {
        for (to, p) in surface.positions.iter_mut().zip(self.cloth.positions()) {
            *to = p.to_array().map(|c| c as f32);
        }
        surface.recompute_normals();
    }
}

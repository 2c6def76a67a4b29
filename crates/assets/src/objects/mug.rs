//! A mug with a handle towards +x that a hook passes through.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    FOOT_GAP, Wall, heading, open_free, pinch, region, rim_around, show, show_tinted, tool,
};
use crate::mesh::TriMesh;
use crate::{
    Access, AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Region, RegionKind, Shape, Surface,
};

/// A mug that can be hung by its handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mug {}

const MUG: MugShape = MugShape {
    id: "mug",
    radius: 0.04,
    foot: 0.85,
    height: 0.095,
    length: 0.124,
    mass: 0.12,
    rgb: [0.20, 0.45, 0.62],
    handle: [0.93, 0.92, 0.88],
    dip: None,
};

impl Model for Mug {
    fn noun(&self) -> &str {
        "mug"
    }

    fn info(&self) -> AssetInfo {
        let mut info = MUG.info();
        info.regions.push(MUG.loop_of_handle());
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        MUG.build(name, out);
    }
}

impl Samples for Mug {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}

/// The shape of a mug: hollow, with a handle towards +x.
pub(super) struct MugShape {
    pub id: &'static str,
    pub radius: f64,
    /// Radius at the foot as a share of the rim's.
    pub foot: f64,
    pub height: f64,
    /// Full length with the handle; the frame lies in the middle of it.
    pub length: f64,
    pub mass: f64,
    pub rgb: [f32; 3],
    pub handle: [f32; 3],
    /// Colour of the lower part outside.
    pub dip: Option<[f32; 3]>,
}

const FLOOR: f64 = 0.006;
const WALL: f64 = 0.004;
/// Half thickness of the handle.
const BAR: f64 = 0.006;

impl MugShape {
    /// Where the cup's axis is.
    fn axis(&self) -> f64 {
        self.radius - self.length / 2.0
    }

    /// Outer radius at a height: straight above, drawn in towards the foot.
    fn outer(&self, z: f64) -> f64 {
        let s = (1.0 - z / (0.55 * self.height)).max(0.0);
        self.radius * (1.0 - (1.0 - self.foot) * s * s)
    }

    /// Handle's height range.
    fn grip(&self) -> [f64; 2] {
        [0.28 * self.height, 0.82 * self.height]
    }

    /// What the handle encloses with the wall, open along y.
    fn loop_of_handle(&self) -> Region {
        let [low, high] = self.grip().map(|z| z - 0.5 * self.height);
        let (near, far) = (self.axis() + self.radius, self.length / 2.0 - 2.0 * BAR);
        let middle = [(near + far) / 2.0, 0.0, 0.5 * (self.height + low + high)];
        let half = [(far - near) / 2.0, BAR, (high - low) / 2.0 - 2.0 * BAR];
        Region { access: Access::Through, ..region("handle", RegionKind::Volume, middle, half) }
    }
}

impl MugShape {
    /// What it can do.
    pub(super) fn info(&self) -> AssetInfo {
        let x = self.axis();
        let z = self.height - 0.010;
        let mut grasps = rim_around(self.radius - WALL / 2.0, z, 0.032);
        // Where the handle begins there is no room for a finger outside.
        grasps.retain(|g| g.tool.pos.x < 0.9 * self.radius);
        for g in &mut grasps {
            g.tool.pos.x += x;
        }
        let mut by_handle =
            pinch([self.length / 2.0 - 0.010, 0.0, self.grip()[1] - 0.018], FRAC_PI_2, 0.036);
        by_handle.kind = GraspKind::Handle;
        grasps.push(by_handle);
        // Slanting and level, to reach in under a roof.
        let middle = (self.grip()[0] + self.grip()[1]) / 2.0;
        for slope in [0.5, 0.25, 0.0] {
            let approach = DVec3::new(-libm::cos(slope), 0.0, -libm::sin(slope));
            grasps.push(Grasp {
                kind: GraspKind::Handle,
                tool: tool([self.length / 2.0 - BAR, 0.0, middle], approach, DVec3::Y),
                opening: 0.036,
                part: None,
            });
        }
        let half = 0.6 * self.radius;
        AssetInfo {
            grasps,
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [x, 0.0, (FLOOR + self.height) / 2.0],
                [half, half, (self.height - FLOOR) / 2.0],
            )],
            ..AssetInfo::movable(
                Bounds::standing(self.length / 2.0, self.radius, self.height),
                self.mass,
            )
        }
    }

    /// Its solids and looks.
    pub(super) fn build(&self, name: &str, out: &mut Mjcf) {
        let x = self.axis();
        let [r, h] = [self.radius, self.height];
        open_free(name, out);
        // The solids stand about the cup's own axis.
        out.shifted(DVec3::new(x, 0.0, 0.0), |out| {
            let side = self.outer(0.0) * libm::cos(FRAC_PI_2 / 2.0);
            out.geom(
                Geom::solid(Shape::Box([side, side, FLOOR / 2.0]))
                    .pos(0.0, 0.0, FLOOR / 2.0)
                    .mass(0.3 * self.mass),
            );
            let knee = 0.35 * h;
            for z in [[FOOT_GAP, knee], [knee, h]] {
                let radius = z.map(|z| self.outer(z) - WALL);
                Wall { radius, z, thickness: WALL, count: 8 }.build(0.3 * self.mass, out);
            }
        });
        let [low, high] = self.grip();
        let far = self.length / 2.0;
        let near = x + r - 0.002;
        out.geom(
            Geom::solid(Shape::Box([BAR, BAR, (high - low) / 2.0]))
                .pos(far - BAR, 0.0, (low + high) / 2.0)
                .mass(0.06 * self.mass),
        );
        for z in [low + BAR, high - BAR] {
            out.geom(
                Geom::solid(Shape::Box([(far - near) / 2.0, BAR, BAR]))
                    .pos((far + near) / 2.0, 0.0, z)
                    .mass(0.02 * self.mass),
            );
        }
        show_tinted(name, 0, self.id, self.rgb, out, || {
            const STEPS: i32 = 14;
            let at = |i: i32| h * f64::from(i) / f64::from(STEPS);
            let mut profile = vec![[0.0, 0.002], [self.outer(0.0) - 0.008, 0.002]];
            profile.extend([[self.outer(0.0) - 0.006, 0.0], [self.outer(0.0) - 0.001, 0.0]]);
            profile.extend((1..STEPS).map(|i| [self.outer(at(i)), at(i)]));
            for k in 0..=6 {
                let a = f64::from(k) * FRAC_PI_2 / 3.0;
                let (dr, dz) = (WALL / 2.0 * libm::cos(a), WALL / 2.0 * libm::sin(a));
                profile.push([r - WALL / 2.0 + dr, h - WALL / 2.0 + dz]);
            }
            profile.extend((1..STEPS).rev().map(|i| [self.outer(at(i)) - WALL, at(i).max(FLOOR)]));
            profile.push([0.0, FLOOR]);
            TriMesh::lathe(&profile, 48, 0.8).without_uvs().moved(x, 0.0, 0.0)
        });
        if let Some(rgb) = self.dip {
            show(&format!("{}_dip", self.id), Surface::rgb(rgb), out, || {
                let at = |i: i32| 0.002 + 0.5 * h * f64::from(i) / 8.0;
                let profile: Vec<_> =
                    (0..=8).map(|i| [self.outer(at(i)) + 0.0004, at(i)]).collect();
                TriMesh::lathe(&profile, 48, 0.8).without_uvs().moved(x, 0.0, 0.0)
            });
        }
        let handle = Surface::rgb(self.handle);
        show(&format!("{}_handle", self.id), handle, out, || {
            let (mid, half) = ((low + high) / 2.0, (high - low) / 2.0 - BAR);
            let path: Vec<DVec3> = (0..=16)
                .map(|i| {
                    let a = FRAC_PI_2 * (f64::from(i) / 8.0 - 1.0);
                    // A D: flatter than a circle on its far side.
                    let d = heading(a);
                    let square = |v: f64| libm::copysign(libm::pow(libm::fabs(v), 0.6), v);
                    let z = mid + half * square(d.y);
                    // Its ends sink into the wall but not through it.
                    let near = x + self.outer(z) + 0.003;
                    DVec3::new(near + (far - BAR - near) * square(d.x), 0.0, z)
                })
                .collect();
            TriMesh::tube(&path, BAR, 14).without_uvs()
        });
        out.close();
    }
}

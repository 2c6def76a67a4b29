//! Mugs: hollow, with a handle towards +x.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DVec3};

use super::super::common::{
    FOOT_GAP, Wall, heading, open_free, pinch, region, rim_around, show, show_tinted, tool,
};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, RegionKind, Shape, Surface};

pub(super) struct Mug {
    id: &'static str,
    radius: f64,
    /// Radius at the foot as a share of the rim's.
    foot: f64,
    height: f64,
    /// Full length with the handle; the frame lies in the middle of it.
    length: f64,
    mass: f64,
    rgb: [f32; 3],
    handle: [f32; 3],
    /// Colour of the lower part outside.
    dip: Option<[f32; 3]>,
}

pub(super) const PORCELAIN_MUG: Mug = Mug {
    id: "libero_porcelain_mug",
    radius: 0.0484,
    foot: 0.72,
    height: 0.1146,
    length: 0.1307,
    mass: 0.1216,
    rgb: [0.95, 0.95, 0.94],
    handle: [0.95, 0.95, 0.94],
    dip: None,
};

pub(super) const RED_COFFEE_MUG: Mug = Mug {
    id: "libero_red_coffee_mug",
    radius: 0.0466,
    foot: 0.86,
    height: 0.1367,
    length: 0.1263,
    mass: 0.125,
    rgb: [0.74, 0.16, 0.15],
    handle: [0.74, 0.16, 0.15],
    dip: None,
};

pub(super) const WHITE_YELLOW_MUG: Mug = Mug {
    id: "libero_white_yellow_mug",
    radius: 0.0530,
    foot: 0.80,
    height: 0.1049,
    length: 0.1404,
    mass: 0.1219,
    rgb: [0.95, 0.94, 0.91],
    handle: [0.93, 0.74, 0.24],
    dip: Some([0.93, 0.74, 0.24]),
};

const FLOOR: f64 = 0.006;
const WALL: f64 = 0.004;
/// Half thickness of the handle.
const BAR: f64 = 0.006;

impl Mug {
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
}

impl CategoryModel for Mug {
    fn info(&self) -> AssetInfo {
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

    fn build(&self, name: &str, out: &mut Mjcf) {
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

//! The frying pan and the moka pot.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::common::{
    Wall, floor, open_free, pinch, pinches_around, region, rim_around, show,
};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, GraspKind, Mjcf, RegionKind, Shape};

/// An eight-inch pan, its handle along +x.
pub(super) struct Frypan;

const RADIUS: f64 = 0.1026;
/// x of the pan's middle; LIBERO's frame is a little off it.
const MIDDLE: f64 = 0.0058;
const BASE: f64 = 0.078;
const PAN_FLOOR: f64 = 0.006;
const PAN_WALL: f64 = 0.004;
const RIM: f64 = 0.046;
const PAN_HEIGHT: f64 = 0.0588;
const PAN_MASS: f64 = 0.2042;
/// Handle: where it begins and ends along x, half width, and its underside there.
const HANDLE: [f64; 2] = [0.104, 0.2617];
const HANDLE_HALF: f64 = 0.009;
const HANDLE_DEEP: f64 = 0.016;
const HANDLE_Z: [f64; 2] = [0.027, PAN_HEIGHT - HANDLE_DEEP];

impl CategoryModel for Frypan {
    fn info(&self) -> AssetInfo {
        let slope = (HANDLE_Z[1] - HANDLE_Z[0]) / (HANDLE[1] - HANDLE[0]);
        let mut grasps = Vec::new();
        // Near the pan first, where it weighs least on the fingers.
        for x in [0.135, 0.165, 0.195] {
            let z = HANDLE_Z[0] + slope * (x - HANDLE[0]) + HANDLE_DEEP / 2.0;
            let mut g = pinch([x, 0.0, z], FRAC_PI_2, 0.042);
            g.kind = GraspKind::Handle;
            grasps.push(g);
        }
        let mut rims = rim_around(RADIUS - PAN_WALL / 2.0, RIM - 0.010, 0.034);
        rims.retain(|g| g.tool.pos.x < 0.05);
        for g in &mut rims {
            g.tool.pos.x += MIDDLE;
        }
        grasps.extend(rims);
        let half = 0.7 * BASE;
        AssetInfo {
            grasps,
            regions: vec![region(
                "contain_region",
                RegionKind::Volume,
                [MIDDLE, 0.0, (PAN_FLOOR + RIM) / 2.0],
                [half, half, (RIM - PAN_FLOOR) / 2.0],
            )],
            ..AssetInfo::movable(
                Bounds {
                    centre: [(HANDLE[1] + MIDDLE - RADIUS) / 2.0, 0.0, PAN_HEIGHT / 2.0],
                    half: [(HANDLE[1] - MIDDLE + RADIUS) / 2.0, RADIUS, PAN_HEIGHT / 2.0],
                },
                PAN_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        out.shifted(DVec3::new(MIDDLE, 0.0, 0.0), |out| {
            floor(BASE, PAN_FLOOR, 0.6 * PAN_MASS, out);
            let inner = RADIUS - PAN_WALL;
            let knee = [BASE + 0.012, 0.022];
            for (radius, z) in
                [([BASE - 0.002, knee[0]], [0.003, knee[1]]), ([knee[0], inner], [knee[1], RIM])]
            {
                Wall { radius, z, thickness: PAN_WALL, count: 16 }.build(0.14 * PAN_MASS, out);
            }
        });
        let (a, b) = (
            DVec3::new(HANDLE[0] - 0.004, 0.0, HANDLE_Z[0] + HANDLE_DEEP / 2.0),
            DVec3::new(HANDLE[1], 0.0, HANDLE_Z[1] + HANDLE_DEEP / 2.0),
        );
        let lean = libm::atan2(a.z - b.z, b.x - a.x);
        let pose = Pose::new((a + b) / 2.0, DQuat::from_rotation_y(lean));
        let half = [(b - a).length() / 2.0, HANDLE_HALF, HANDLE_DEEP / 2.0];
        // Shortened so that its slanting end stays within the published size.
        let solid = [half[0] - 0.002, half[1], half[2] - 0.001];
        out.geom(Geom::solid(Shape::Box(solid)).at(pose).mass(0.12 * PAN_MASS));
        let iron = out.material(
            "libero_pan_iron",
            [0.20, 0.20, 0.21, 1.0],
            "specular=\"0.5\" shininess=\"0.4\"",
        );
        show("libero_pan", iron, out, || {
            let inner = RADIUS - PAN_WALL;
            let profile = [
                [0.0, 0.001],
                [BASE - 0.010, 0.001],
                [BASE - 0.008, 0.0],
                [BASE, 0.0],
                [BASE + 0.008, 0.006],
                [BASE + 0.0165, 0.022],
                [RADIUS - 0.002, RIM - 0.006],
                [RADIUS, RIM - 0.002],
                [RADIUS - 0.0015, RIM],
                [inner, RIM - 0.0015],
                [BASE + 0.012, 0.022],
                [BASE + 0.003, PAN_FLOOR + 0.003],
                [BASE - 0.003, PAN_FLOOR],
                [0.0, PAN_FLOOR],
            ];
            TriMesh::lathe(&profile, 56, 0.9).without_uvs().moved(MIDDLE, 0.0, 0.0)
        });
        let coating = out.material(
            "libero_pan_coating",
            [0.10, 0.10, 0.11, 1.0],
            "specular=\"0.3\" shininess=\"0.5\"",
        );
        show("libero_pan_coating", coating.clone(), out, || {
            TriMesh::lathe(
                &[[BASE - 0.004, PAN_FLOOR + 0.0003], [0.0, PAN_FLOOR + 0.0003]],
                48,
                0.5,
            )
            .without_uvs()
            .moved(MIDDLE, 0.0, 0.0)
        });
        show("libero_pan_handle", coating, out, || {
            TriMesh::rounded_box(solid, 0.006, 3).without_uvs().transformed(&pose)
        });
        out.close();
    }
}

/// A stove-top coffee maker: handle towards +y, spout towards −y.
pub(super) struct MokaPot;

const POT: f64 = 0.0400;
const WAIST: f64 = 0.0285;
const BOILER: f64 = 0.058;
const COLLAR: f64 = 0.068;
const LID: f64 = 0.122;
const POT_HEIGHT: f64 = 0.1542;
const POT_MASS: f64 = 0.1321;
const KNOB: f64 = 0.0095;
const SPOUT: f64 = -0.0607;
const GRIP_END: f64 = 0.0912;
/// Half thickness of the handle across.
const GRIP_HALF: f64 = 0.007;
const GRIP_Z: [f64; 2] = [0.050, 0.124];
/// Width along y of the upright part of the handle.
const GRIP_WIDE: f64 = 0.016;

impl CategoryModel for MokaPot {
    fn info(&self) -> AssetInfo {
        let mut by_handle = pinch([0.0, GRIP_END - GRIP_WIDE / 2.0, GRIP_Z[1] - 0.016], 0.0, 0.036);
        by_handle.kind = GraspKind::Handle;
        let mut grasps = pinches_around(POT_HEIGHT - 0.009, 2.0 * KNOB);
        grasps.insert(1, by_handle);
        AssetInfo {
            grasps,
            ..AssetInfo::movable(
                Bounds {
                    centre: [0.0, (SPOUT + GRIP_END) / 2.0, POT_HEIGHT / 2.0],
                    half: [POT + 0.0007, (GRIP_END - SPOUT) / 2.0, POT_HEIGHT / 2.0],
                },
                POT_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let side = POT * libm::cos(FRAC_PI_4);
        let block = |half: [f64; 3], at: [f64; 3], share: f64| {
            Geom::solid(Shape::Box(half)).pos(at[0], at[1], at[2]).mass(share * POT_MASS)
        };
        out.geom(block([side, side, BOILER / 2.0], [0.0, 0.0, BOILER / 2.0], 0.5));
        out.geom(
            Geom::solid(Shape::Cylinder(0.9 * POT, (LID - BOILER) / 2.0))
                .pos(0.0, 0.0, (LID + BOILER) / 2.0)
                .mass(0.36 * POT_MASS),
        );
        let top = (POT_HEIGHT - LID) / 2.0;
        out.geom(block([KNOB, KNOB, top], [0.0, 0.0, LID + top], 0.04));
        let y = GRIP_END - GRIP_WIDE / 2.0;
        let [low, high] = GRIP_Z;
        let half = [GRIP_HALF, GRIP_WIDE / 2.0, (high - low) / 2.0];
        out.geom(block(half, [0.0, y, (low + high) / 2.0], 0.06));
        let (near, far) = (0.8 * POT, GRIP_END - 0.004);
        let arm = [GRIP_HALF, (far - near) / 2.0, 0.006];
        out.geom(block(arm, [0.0, (near + far) / 2.0, high - 0.006], 0.02));
        out.geom(block([0.006, 0.009, 0.008], [0.0, SPOUT + 0.010, LID - 0.012], 0.02));

        let metal = out.material(
            "libero_moka_metal",
            [0.72, 0.73, 0.75, 1.0],
            "specular=\"0.9\" shininess=\"0.7\"",
        );
        // Eight flat sides: a lathe of eight segments.
        show("libero_moka_pot", metal, out, || {
            let facet = |profile: &[[f64; 2]]| {
                TriMesh::lathe(profile, 8, 0.3)
                    .without_uvs()
                    .transformed(&Pose::new(DVec3::ZERO, DQuat::from_rotation_z(TAU / 16.0)))
                    .creased(0.5)
            };
            let r = POT;
            let mut m = facet(&[
                [0.0, 0.0],
                [r - 0.003, 0.0],
                [r, 0.003],
                [WAIST + 0.006, BOILER],
                [WAIST, BOILER],
                [WAIST, COLLAR],
                [WAIST + 0.004, COLLAR],
                [r - 0.002, LID - 0.004],
                [r - 0.001, LID],
                [0.012, LID + 0.010],
                [0.0, LID + 0.010],
            ]);
            let collar = [
                [WAIST + 0.0065, BOILER],
                [WAIST + 0.008, BOILER + 0.002],
                [WAIST + 0.008, COLLAR - 0.002],
                [WAIST + 0.0055, COLLAR],
            ];
            m.merge(&TriMesh::lathe(&collar, 40, 0.5).without_uvs());
            // The spout, a beak at the rim.
            let beak = [[SPOUT, LID - 0.002], [SPOUT + 0.026, LID - 0.030], [SPOUT + 0.030, LID]];
            let rot = DQuat::from_rotation_z(FRAC_PI_2) * DQuat::from_rotation_x(FRAC_PI_2);
            let beak: Vec<[f64; 2]> = beak.to_vec();
            m.merge(
                &TriMesh::extrude(&beak, 0.016, 0.002)
                    .without_uvs()
                    .transformed(&Pose::new(DVec3::new(-0.008, 0.0, 0.0), rot)),
            );
            m
        });
        let black = out.material(
            "libero_moka_black",
            [0.11, 0.11, 0.12, 1.0],
            "specular=\"0.4\" shininess=\"0.4\"",
        );
        show("libero_moka_black", black, out, || {
            let knob = [
                [0.0, LID + 0.008],
                [0.006, LID + 0.008],
                [0.006, LID + 0.014],
                [KNOB, LID + 0.020],
                [KNOB, POT_HEIGHT - 0.003],
                [KNOB - 0.003, POT_HEIGHT],
                [0.0, POT_HEIGHT],
            ];
            let mut m = TriMesh::lathe(&knob, 24, 0.6).without_uvs();
            let path = [
                DVec3::new(0.0, 0.8 * POT, high - GRIP_HALF),
                DVec3::new(0.0, 0.064, high - GRIP_HALF),
                DVec3::new(0.0, y - 0.002, high - GRIP_HALF - 0.004),
                DVec3::new(0.0, y, high - 0.022),
                DVec3::new(0.0, y, low + 0.020),
                DVec3::new(0.0, y - 0.002, low + GRIP_HALF),
            ];
            m.merge(&TriMesh::tube(&path, GRIP_HALF, 14).without_uvs());
            m
        });
        out.close();
    }
}
